/** One trajectory: recorded probes, the question, the reader's calls and its attempt, to the end. */
import type { ForecastCase } from "../caseset/forecast-case.ts";
import { digestOf } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import type { AskedCase, Attempt } from "../model/reader.ts";
import type { Assignment } from "./arms.ts";
import { ask } from "./ask.ts";
import type { Bound, EntryBody } from "./entry.ts";
import type { Plan } from "./preflight.ts";
import { type CasePlants, overlayRows, probeCase } from "./probe.ts";
import type { Recorder, TrajectoryLog } from "./recorder.ts";
import { hostTools } from "./tool-host.ts";
import type { World } from "./world.ts";

/**
 * Runs one attempt; whether the reader answered is told to the progress line, all else is in the record. `stopped`: the
 * reader gave up since the run was asked to stop; its attempt is abandoned, and a resumed run makes another.
 */
export async function runTrajectory(
  plan: Plan,
  assignment: Assignment,
  log: TrajectoryLog,
  recorder: Recorder,
  world: World,
): Promise<"answered" | "unanswered" | "stopped"> {
  const item = plan.cases[assignment.caseIndex] as ForecastCase;
  const append = appendTo(log, item, recorder, world);
  const plants = plan.plantsOf(assignment.caseIndex);
  recordProbes(item, plants, recorder, append, world);
  const { tools, close } = openTools(item, plants, recorder, append, world);
  const started = world.clock.elapsed();
  const attempt = await ask(
    world,
    assignment,
    askedCase(item, log.repeat, plan.askedDays[assignment.caseIndex] as string),
    tools,
  );
  close();
  if (attempt.kind === "fault" && world.signal.aborted) {
    append(item.horizon, { kind: "end", abandoned: log.step + 1 });
    return "stopped";
  }
  append(item.horizon, attemptEntry(attempt, Math.round(world.clock.elapsed() - started)));
  append(item.horizon, { kind: "end", steps: log.step + 1 });
  return attempt.kind === "answer" ? "answered" : "unanswered";
}

/** Ends an attempt that a crash cut off: with its answer, which stands, or as abandoned. */
export function endAttempt(
  log: TrajectoryLog,
  item: ForecastCase,
  answered: boolean,
  recorder: Recorder,
  world: World,
): void {
  const count = log.step + 1;
  const append = appendTo(log, item, recorder, world);
  append(item.horizon, answered ? { kind: "end", steps: count } : { kind: "end", abandoned: count });
}

function appendTo(log: TrajectoryLog, item: ForecastCase, recorder: Recorder, world: World): Append {
  const horizon = formatInstant(item.horizon);
  const atHorizon: Bound = { case: item.id, horizon, as_of: horizon, view: world.store.view };
  return (asOf, body) =>
    recorder.append(
      log,
      asOf === item.horizon ? atHorizon : { ...atHorizon, as_of: formatInstant(asOf) },
      body,
    );
}

/** A case as its reader is asked; `asked_day` is the local date of its horizon in the case set's zone. */
export function askedCase(item: ForecastCase, repeat: number, askedDay: string): AskedCase {
  return {
    id: item.id,
    repeat,
    kind: item.kind,
    question: item.question,
    horizon: formatInstant(item.horizon),
    asked_day: askedDay,
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
  let started = world.clock.elapsed();
  for (const probe of probeCase(world.store, item, plants)) {
    const text = probe.text();
    const result = recorder.hold(text, digestOf(text));
    const now = world.clock.elapsed();
    append(probe.asOf, {
      kind: "probe",
      name: probe.name,
      args: { table: probe.table },
      result,
      bytes: Buffer.byteLength(text),
      ms: Math.round(now - started),
    });
    started = now;
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
