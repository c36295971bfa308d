/** One trajectory: recorded probes, the question, the reader's calls and its attempt, to the end. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import type { AskedCase, Attempt, ModelCall } from "../model/reader.ts";
import type { KnownTable } from "../model/readers/table-reads.ts";
import type { OpenRequest } from "../store/door.ts";
import type { Assignment } from "./arms.ts";
import { offeredTools } from "./ask.ts";
import type { Spending } from "./budget.ts";
import type { Bound, Entry, EntryBody, ModelEntry } from "./entry.ts";
import type { Instances } from "./instances.ts";
import { judgeAll } from "./judging.ts";
import type { Plan } from "./preflight.ts";
import { type CasePlants, overlayRows, probeCase } from "./probe.ts";
import type { Recorder, TrajectoryLog } from "./recorder.ts";
import type { StagedRows } from "./staging.ts";
import { hostTools } from "./tool-host.ts";
import { type Training, withTraining } from "./training.ts";
import type { World } from "./world.ts";

/** What every trajectory of a run has in common. */
export type Running = {
  readonly plan: Plan;
  readonly recorder: Recorder;
  readonly spending: Spending;
  readonly world: World;
  /** Whether any call of a model was ever answered, in an earlier process of this run too. */
  served: boolean;
};

/**
 * `stopped`: its attempt is abandoned, for a reason of the whole run's; a resumed run makes another. `maybe`: nothing was
 * ever answered, so that the reason may be the endpoint's or the case's: some more that end so, and the run stops.
 */
export type Came = "answered" | "unanswered" | { readonly stopped: string | null; readonly maybe?: boolean };

/** Runs one attempt; whether the reader answered is told to the progress line, all else is in the record. */
export async function runTrajectory(
  running: Running,
  assignment: Assignment,
  log: TrajectoryLog,
  instances: Instances,
): Promise<Came> {
  const { plan, recorder, spending, world } = running;
  const item = plan.cases[assignment.caseIndex] as BoundedCase;
  const append = appendTo(log, item, recorder, world);
  const plants = plan.plantsOf(assignment.caseIndex);
  recordProbes(item, plants, recorder, append, world);
  const staged = log.arm === plan.arms.staged?.arm ? plan.stagedOf(assignment.caseIndex) : null;
  const training = plan.folds?.trainingOf(assignment.caseIndex) ?? null;
  const { tools, close } = openTools(item, { plants, staged, training }, recorder, append, world);
  const started = world.clock.elapsed();
  let called = false;
  const attempt = await instances.ask({
    checkpoint: assignment.checkpoint,
    horizon: item.horizon,
    asked: askedCase(item, {
      repeat: log.repeat,
      askedDay: plan.askedDays[assignment.caseIndex] as string,
      tables: plan.tables,
      leverage: plan.selection.options.leverage,
    }),
    tools: offeredTools(world.readers, plan.identities.get(assignment.checkpoint), tools),
    record: (call) => {
      called = true;
      if (call.class === null) running.served = true;
      append(item.horizon, modelEntry(call, recorder));
      if (!call.cached) spending.add(call.usage, call.class === null);
    },
  });
  close();
  if (!called) spending.add(attempt.usage, attempt.kind !== "fault" && world.readers.adapter !== undefined);
  const stop = stopOf(attempt, running);
  if (stop !== undefined) {
    append(item.horizon, { kind: "end", abandoned: log.step + 1 });
    return stop;
  }
  append(item.horizon, attemptEntry(attempt, Math.round(world.clock.elapsed() - started)));
  const why = await judgeAndEnd(running, assignment, log);
  if (why !== null) return { stopped: why };
  return attempt.kind === "answer" ? "answered" : "unanswered";
}

/** Judges what of an attempt is not judged yet, and ends it; where the run must stop first, why, and it stays open. */
export async function judgeAndEnd(
  { plan, recorder, spending, world }: Running,
  assignment: Assignment,
  log: TrajectoryLog,
): Promise<string | null> {
  const item = plan.cases[assignment.caseIndex] as BoundedCase;
  const append = appendTo(log, item, recorder, world);
  const { judging } = world;
  if (judging !== undefined) {
    const entries = recorder.lines(log.position).map((line) => JSON.parse(line) as Entry);
    const own = entries.filter(({ attempt }) => attempt === log.attempt);
    const body = (digest: Digest) => JSON.parse(recorder.body(digest)) as Json;
    const judged = own.filter(({ kind }) => kind === "judge").length;
    const left = judging.items(item, own, body).slice(judged);
    const seconds = plan.selection.options.deadlineSeconds;
    const bounds = { spending, seconds, elapsed: world.clock.elapsed };
    const why = await judgeAll(judging, left, bounds, ({ call, entry }) => {
      append(item.horizon, { ...modelEntry(call, recorder), kind: "judge", ...entry });
    });
    if (why !== null) return why;
  }
  append(item.horizon, { kind: "end", steps: log.step + 1 });
  return null;
}

/**
 * Why an attempt is given up with its run, undefined where it stands: the run was asked to stop and the reader gave up, no
 * more may be spent, or no case can be answered, since the endpoint takes no key or cannot be reached.
 */
function stopOf(
  attempt: Attempt,
  { world, spending, served }: Running,
): { readonly stopped: string | null; readonly maybe?: boolean } | undefined {
  if (attempt.kind !== "fault") return undefined;
  if (world.signal.aborted) return { stopped: null };
  if (world.readers.adapter !== "http") return undefined;
  const { message } = attempt;
  if (attempt.class === "budget") {
    const stopped = spending.reached();
    return stopped === null ? undefined : { stopped };
  }
  if (attempt.stops === true) return { stopped: message };
  return served ? undefined : { stopped: `no call of a model was ever answered: ${message}`, maybe: true };
}

/** Ends an attempt that a crash cut off: with its answer, which stands, or as abandoned. */
export function endAttempt(
  log: TrajectoryLog,
  item: BoundedCase,
  answered: boolean,
  recorder: Recorder,
  world: World,
): void {
  const count = log.step + 1;
  const append = appendTo(log, item, recorder, world);
  append(item.horizon, answered ? { kind: "end", steps: count } : { kind: "end", abandoned: count });
}

function appendTo(log: TrajectoryLog, item: BoundedCase, recorder: Recorder, world: World): Append {
  const horizon = formatInstant(item.horizon);
  const atHorizon: Bound = { case: item.id, horizon, as_of: horizon, view: world.store.view };
  return (asOf, body) =>
    recorder.append(
      log,
      asOf === item.horizon ? atHorizon : { ...atHorizon, as_of: formatInstant(asOf) },
      body,
    );
}

/** What an ask says beside its case. */
type AskedWith = {
  readonly repeat: number;
  /** The local date of the horizon in the case set's zone. */
  readonly askedDay: string;
  readonly tables: { readonly [table: string]: Pick<KnownTable, "columns"> };
  /** Of the run; told where positions are wanted. */
  readonly leverage: number;
};

/** A case as its reader is asked. */
export function askedCase(item: BoundedCase, { repeat, askedDay, tables, leverage }: AskedWith): AskedCase {
  const asked = {
    id: item.id,
    repeat,
    question: item.question,
    horizon: formatInstant(item.horizon),
    asked_day: askedDay,
    tables: Object.fromEntries(item.reads.map((name) => [name, tables[name]?.columns ?? {}])),
  };
  const { kind, answer } = item;
  if (kind === "forecast") return { ...asked, kind, answer };
  const { window, universe, members } = item;
  return {
    ...asked,
    kind,
    answer,
    leverage,
    window: window === null ? null : [formatInstant(window[0]), formatInstant(window[1])],
    universe,
    members,
  };
}

type Append = (asOf: Instant, body: EntryBody) => void;

function recordProbes(
  item: BoundedCase,
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

/** What a door is opened with beside the store's rows. */
type Opened = {
  readonly plants: CasePlants;
  readonly staged: StagedRows | null;
  readonly training: Training | null;
};

function openTools(
  item: BoundedCase,
  { plants, staged, training }: Opened,
  recorder: Recorder,
  append: Append,
  world: World,
): ReturnType<typeof hostTools> {
  const rows = overlayRows(plants, "reader");
  const view = "reader" as const;
  const request = {
    caseId: item.id,
    horizon: item.horizon,
    tables: item.reads,
    overlay: { view, rows: staged === null ? rows : [...rows, ...staged.rows] },
    subject: world.readers.name,
  };
  const open = (of: OpenRequest) => withTraining(world.store.open(of), training);
  const door = open(request);
  return hostTools({
    door,
    bare: open({ ...request, overlay: staged && { view, rows: staged.rows } }),
    at: (instant) => open({ ...request, horizon: instant }),
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
  if (attempt.kind === "answer") return { ...attempt, ms };
  if (attempt.kind === "decline")
    return { kind: "decline", reason: attempt.reason, usage: attempt.usage, ms };
  const { broke } = attempt;
  const fault = {
    kind: "fault",
    class: attempt.class,
    message: attempt.message,
    usage: attempt.usage,
  } as const;
  return broke === undefined ? { ...fault, ms } : { ...fault, ms, broke };
}

/** The reply is kept as it came, whatever it is: as a text in a body of ours. */
function modelEntry({ reply, ...call }: ModelCall, recorder: Recorder): ModelEntry {
  const text = canonical({ reply: reply.toWellFormed() });
  const result = recorder.keep(text, digestOf(text));
  return { kind: "model", ...call, ms: Math.round(call.ms), result, bytes: Buffer.byteLength(text) };
}
