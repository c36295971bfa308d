/** Stage `re-serve`: the reader is executed again, every door shut but the record's, each response served exactly once. */
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { BlindcastError, type Place, refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { Attempt, ReaderSource } from "../model/reader.ts";
import { ask, offeredTools } from "../run/ask.ts";
import { createDeadline } from "../run/deadline.ts";
import type { Entry } from "../run/entry.ts";
import type { CaseRecords, PlantRecord } from "../run/plant-record.ts";
import { type Answered, boundTools, type PlainArguments, type Said } from "../run/tool-host.ts";
import { askedCase } from "../run/trajectory.ts";
import type { Clock } from "../run/world.ts";
import { callOf } from "../score/failure.ts";
import { attemptsOf } from "../score/trajectory-check.ts";
import type { Store } from "../store/door.ts";
import type { Planned } from "./bounds.ts";
import type { RunFiles } from "./bundle.ts";
import type { Listing } from "./files.ts";
import { givenReader, type ReaderAgain, readerAgain } from "./reader-again.ts";
import type { RecordedRun } from "./record.ts";

/** A trajectory as it is served: every entry has its bound, every body was proven. */
export type Recorded = Planned &
  CaseRecords & {
    readonly entries: readonly Entry[];
    readonly askedDay: string;
    readonly tables: RecordedRun["kept"]["tables"];
    readonly body: (digest: string) => Json;
    /** The place of the entry of an index. */
    readonly placeOf: (index: number) => Place;
  };

export type ServeOptions = {
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: Clock["elapsed"];
  /** This machine's zone data: a difference that it may have made says so. */
  readonly zoneData?: string;
  /** Who answers again instead of the stamp's built-in reader; null: nobody. `store` is shut. */
  readonly readers?: (run: RecordedRun, store: Store) => ReaderSource | null;
  /** The place of a reader's file that was given, for a refusal. */
  readonly readersPlace?: Place;
};

/** Who answers a replay, and what was refused inside a reader that may have swallowed it. */
export type Serving = {
  readonly again: ReaderAgain;
  readonly touched: () => unknown;
  /** The hint of a difference, where the machine may have made it. */
  readonly next: string | undefined;
  /** The time that the run gave its reader for one case; how it is measured here. */
  readonly seconds: number;
  readonly elapsed: () => number;
  /** Of the run: what a decision was told. */
  readonly leverage: number;
};

/** Finds who answers. No door of a replay leads anywhere: the store that it hands on refuses ReplayTouchedStore. */
export async function openServing(
  bundle: RunFiles,
  listing: Listing,
  run: RecordedRun,
  { readers, readersPlace = "reader", zoneData, elapsed = () => 0 }: ServeOptions,
): Promise<Serving> {
  let touched: unknown;
  const open: Store["open"] = ({ subject }) => {
    try {
      return refuse("ReplayTouchedStore", { place: "store", subject });
    } catch (refusal) {
      touched ??= refusal;
      throw refusal;
    }
  };
  const store: Store = { tables: new Map(), view: run.stamp.view as Store["view"], open };
  const again =
    readers === undefined
      ? await readerAgain(bundle, listing, run)
      : await givenReader(readers(run, store), run, readersPlace);
  const { node, zone_data: own } = run.manifest.host;
  const differs = zoneData !== undefined && zoneData !== own;
  const next = differs
    ? `this machine's zone data is ${zoneData}, the run's was ${own}: replay it with Node ${node}`
    : undefined;
  const { deadline_seconds: seconds = limits.deadlineSeconds, execution } = run.profile as {
    deadline_seconds?: number;
    execution?: { leverage?: number };
  };
  return { again, touched: () => touched, next, seconds, elapsed, leverage: execution?.leverage ?? 1 };
}

/**
 * Executes the last attempt of a trajectory again; false where that cannot be. Refuses ReplayRequestUnknown,
 * ReplayResponseUnused, ReplayAnswerMismatch, ReplayTouchedStore.
 */
export async function serveAgain(recorded: Recorded, serving: Serving): Promise<boolean> {
  const { again, next } = serving;
  const readers = again.source;
  if (readers === null || !again.can(recorded.checkpoint)) return false;
  const last = lastAttempt(recorded);
  if (readers.builtIn !== true && isOfTheMoment(last.attempt)) return false;
  const hint = next === undefined ? {} : { next };
  let served = 0;
  let fault: unknown;
  const answer = (tool: string, args: PlainArguments): Answered => {
    const due = last.calls[served];
    const { index, call } =
      due === undefined || due.index > last.end ? { index: last.end, call: undefined } : due;
    const asked = canonical(args.value);
    if (call !== undefined && call.name === tool && isSpelled(call.args, asked)) {
      served++;
      return { ...call, planted: call.planted ?? 0, said: said(recorded.body(call.result), readers) };
    }
    const found = `${tool} ${clip(asked, 200)}`;
    const expected = call === undefined ? "no further call" : callOf(call);
    fault ??= new BlindcastError("ReplayRequestUnknown", {
      place: recorded.placeOf(index),
      found,
      expected,
      ...hint,
    });
    throw fault;
  };
  const { tools } = boundTools(recorded.item.horizon, readerPlantsOf(recorded.plants), answer);
  const { item, repeat, askedDay, tables } = recorded;
  const { leverage } = serving;
  const asked = askedCase(item, { repeat, askedDay, tables, leverage });
  const deadline = createDeadline(serving.seconds, serving.elapsed);
  const { signal, paused } = deadline;
  const opening = { deadline: signal, paused, refusal: () => null, record: () => {} };
  const identity = readers.adapter === undefined ? undefined : await readers.identity(recorded.checkpoint);
  const offered = offeredTools(readers, identity, tools);
  const asking = { asked, tools: offered, opening };
  const found = await ask({ readers, signal: NEVER }, recorded.checkpoint, asking)
    .then(spelled, thrown)
    .finally(deadline.end);
  fault ??= serving.touched();
  if (fault !== undefined) throw fault;
  const unused = last.calls[served];
  if (unused !== undefined)
    refuse("ReplayResponseUnused", { place: recorded.placeOf(unused.index), call: callOf(unused.call) });
  const expected = last.attempt === undefined ? "no attempt" : spelled(last.attempt);
  if (found !== expected)
    refuse("ReplayAnswerMismatch", {
      place: recorded.placeOf(last.end),
      found: clip(found, 300),
      expected: clip(expected, 300),
      ...hint,
    });
  return true;
}

/** What hung on a clock or on a process that died does not happen again when it is wanted: it is scored as it stands. */
const isOfTheMoment = (attempt: AttemptEntry | undefined) =>
  attempt?.kind === "fault" && (attempt.class === "timeout" || attempt.class === "transport");

/** Nothing ends a replay early. */
const NEVER = new AbortController().signal;

type ToolEntry = Entry & { readonly kind: "tool" };
type AttemptEntry = Entry & { readonly kind: "answer" | "decline" | "fault" };

/**
 * Calls and answer of the attempt that stands, by their index in the trajectory; `end`: where the answer is, or should be.
 * A call that stands behind it was made by nobody.
 */
function lastAttempt({ entries }: Recorded) {
  const last = attemptsOf(entries).at(-1) as readonly Entry[];
  const first = entries.length - last.length;
  const calls: { readonly index: number; readonly call: ToolEntry }[] = [];
  let attempt: AttemptEntry | undefined;
  let end = entries.length - 1;
  for (const [i, entry] of last.entries()) {
    if (entry.kind === "tool") calls.push({ index: first + i, call: entry });
    if (entry.kind !== "answer" && entry.kind !== "decline" && entry.kind !== "fault") continue;
    attempt ??= entry;
    end = Math.min(end, first + i);
  }
  return { calls, attempt, end };
}

/** A reader from outside gets a copy of its own: what it does to it is done to nobody else's. */
const said = (body: Json, { builtIn }: ReaderSource): Said =>
  (builtIn === true ? body : structuredClone(body)) as Said;

/** Recorded arguments were parsed from canonical text, and come back so as a rule. */
const isSpelled = (args: Json, text: string) => JSON.stringify(args) === text || canonical(args) === text;

/** Those that the reader's door held: a past plant is for the probe alone. */
const readerPlantsOf = (plants: readonly PlantRecord[]) =>
  plants.filter(({ kind }) => kind === "revision" || kind === "new-key");

/** An attempt in its one spelling, without the time that it took. */
function spelled(attempt: Attempt): string {
  const { kind, usage } = attempt;
  const usual = usage as Json;
  if (kind === "answer") {
    const { probability, positions } = attempt;
    return canonical({ kind, usage: usual, ...(positions === undefined ? { probability } : { positions }) });
  }
  if (kind === "decline") return canonical({ kind, reason: attempt.reason, usage: usual });
  return canonical({ class: attempt.class, kind, message: attempt.message, usage: usual });
}

/** What a reader throws on a record, no run recorded: there it would have been a bug, and ended the run. */
function thrown(error: unknown): string {
  return `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)} (thrown)`;
}
