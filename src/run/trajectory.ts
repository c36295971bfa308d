/** One trajectory: recorded probes, the question, the reader's calls and its attempt, to the end. */
import type { ForecastCase } from "../caseset/forecast-case.ts";
import { digestOf } from "../core/digest.ts";
import { formatDay, formatInstant, type Instant } from "../core/instant.ts";
import { localDay } from "../core/local-time.ts";
import type { AskedCase, Attempt } from "../model/reader.ts";
import type { Table } from "../store/table.ts";
import type { Assignment } from "./arms.ts";
import { ask } from "./ask.ts";
import type { Bound, EntryBody } from "./entry.ts";
import { plantRecords } from "./plant-record.ts";
import type { Plan } from "./preflight.ts";
import { type CasePlants, overlayRows, probeTable } from "./probe.ts";
import type { Recorder } from "./recorder.ts";
import { hostTools } from "./tool-host.ts";
import type { World } from "./world.ts";

/** Runs it; whether the reader answered is told to the progress line, all else is in the record. */
export async function runTrajectory(
  plan: Plan,
  assignment: Assignment,
  repeat: number,
  position: number,
  recorder: Recorder,
  world: World,
): Promise<boolean> {
  const item = plan.cases[assignment.caseIndex] as ForecastCase;
  const log = recorder.begin(position, assignment.arm, repeat);
  const horizon = formatInstant(item.horizon);
  const atHorizon: Bound = { case: item.id, horizon, as_of: horizon, view: world.store.view };
  const bound = (asOf: Instant): Bound =>
    asOf === item.horizon ? atHorizon : { ...atHorizon, as_of: formatInstant(asOf) };
  const append = (asOf: Instant, body: EntryBody) => recorder.append(log, bound(asOf), body);
  const plants = plan.plantsOf(assignment.caseIndex);
  recorder.plants[assignment.caseIndex] ??= plantRecords(item.id, plants);
  recordProbes(item, plants, recorder, append, world);
  const { tools, close } = openTools(item, plants, recorder, append, world);
  const started = world.clock.elapsed();
  const attempt = await ask(world, assignment, askedCase(plan, item, repeat), tools);
  close();
  append(item.horizon, attemptEntry(attempt, Math.round(world.clock.elapsed() - started)));
  append(item.horizon, { kind: "end", steps: log.step + 1 });
  return attempt.kind === "answer";
}

function askedCase(plan: Plan, item: ForecastCase, repeat: number): AskedCase {
  return {
    id: item.id,
    repeat,
    kind: item.kind,
    question: item.question,
    horizon: formatInstant(item.horizon),
    asked_day: formatDay(localDay(plan.set.zone, item.horizon)),
    answer: item.answer,
  };
}

type Append = (asOf: Instant, body: EntryBody) => void;

function recordProbes(
  item: ForecastCase,
  plants: CasePlants,
  recorder: Recorder,
  append: Append,
  world: World,
): void {
  const request = { caseId: item.id, horizon: item.horizon, tables: item.reads, subject: "probe" };
  for (const [name, table] of plants) {
    if (table === null) continue;
    const started = world.clock.elapsed();
    for (const probe of probeTable(
      world.store,
      request,
      world.store.tables.get(name) as Table,
      table,
      plants,
    )) {
      const text = probe.text();
      const result = recorder.keep(text, digestOf(text), true);
      const ms = Math.round(world.clock.elapsed() - started);
      append(probe.asOf, {
        kind: "probe",
        name: probe.name,
        args: { table: name },
        result,
        bytes: Buffer.byteLength(text),
        ms,
      });
    }
  }
}

function openTools(
  item: ForecastCase,
  plants: CasePlants,
  recorder: Recorder,
  append: Append,
  world: World,
): ReturnType<typeof hostTools> {
  const rows = overlayRows(plants, "reader");
  const overlay = { view: "reader" as const, rows };
  const request = {
    caseId: item.id,
    horizon: item.horizon,
    tables: item.reads,
    overlay,
    subject: world.readers.name,
  };
  const door = world.store.open(request);
  return hostTools({
    door,
    bare: world.store.open({ ...request, overlay: null }),
    at: (instant) => world.store.open({ ...request, horizon: instant }),
    horizon: item.horizon,
    plants: rows,
    elapsed: world.clock.elapsed,
    record: ({ name, args, text, result, unplanted, inReach, planted, ms }) => {
      recorder.keep(text, result);
      append(door.asOf, {
        kind: "tool",
        name,
        args,
        result,
        bytes: Buffer.byteLength(text),
        ms,
        unplanted,
        in_reach: inReach,
        ...(planted > 0 ? { planted } : {}),
        usage: null,
      });
    },
  });
}

function attemptEntry(attempt: Attempt, ms: number): EntryBody {
  if (attempt.kind === "answer")
    return { kind: "answer", probability: attempt.probability, usage: attempt.usage, ms };
  if (attempt.kind === "decline")
    return { kind: "decline", reason: attempt.reason, usage: attempt.usage, ms };
  return { kind: "fault", class: attempt.class, message: attempt.message, usage: attempt.usage, ms };
}
