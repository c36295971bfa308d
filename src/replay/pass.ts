/** One pass over the record: each trajectory bounded, its bodies proven, its reader executed again, its answer scored. */

import { toHex } from "../core/bytes.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { nodeHashing } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { type BlindcastError, isRefusal, type Place, refuse } from "../core/refusal.ts";
import { givenAnswer, type Wanted } from "../model/given-answer.ts";
import { breather } from "../run/breathe.ts";
import type { Entry } from "../run/entry.ts";
import type { RunRecord } from "../run/record.ts";
import { type Clock, type Progress, silent } from "../run/world.ts";
import { type ScoreRules, scoreRules } from "../score/score-rules.ts";
import { scoreTrajectory, type TrajectoryScore } from "../score/score-trajectory.ts";
import { PACK, readBlobIndex } from "./blob-index.ts";
import { type Bodies, createBodies } from "./bodies.ts";
import { createBounds, type Planned, type TrajectoryLines } from "./bounds.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import type { RecordedEntry } from "./entry-shape.ts";
import { ENTRIES } from "./files.ts";
import { judgedAgain } from "./judged-again.ts";
import type { RecordedRun } from "./record.ts";
import { recordedLines } from "./recorded-lines.ts";
import type { ReportedRun } from "./reported.ts";
import { demandListed, openCommitment, PLANTS, recordedPlants } from "./rules.ts";
import { type Recorded, type Serving, serveAgain } from "./serve.ts";
import { demandTraining } from "./served-training.ts";
import type { VerifiedRecord } from "./verify-record.ts";

/** What one pass decides, in the order of the stages; `plants` is of the stage `rules`, and re-serving needs them. */
export type PassStage = "bounds" | "blobs" | "plants" | "re-serve" | "rules";
const order: readonly PassStage[] = ["bounds", "blobs", "plants", "re-serve", "rules"];

/** Whether each trajectory of an arm was answered again and the same, or scored as it stands. */
export type ArmVerdict = "re-executed" | "re-scored";

export type Pass = {
  /** The first fault of each stage, in the record's order; of stages after the first that has one, perhaps none. */
  readonly faults: ReadonlyMap<PassStage, BlindcastError>;
  readonly scores: readonly TrajectoryScore[];
  readonly arms: { readonly [arm: string]: ArmVerdict };
  readonly record: Omit<RunRecord, "trajectories">;
};

export type PassInput = {
  readonly bundle: RunFiles;
  readonly verified: VerifiedRecord;
  readonly run: RecordedRun;
  readonly reported: ReportedRun;
  readonly serving: Serving;
};
/** Absent: nothing is shown, and nobody else has a turn until the last trajectory. */
export type PassOptions = { readonly progress?: Progress; readonly elapsed?: Clock["elapsed"] };

/**
 * Every entry is parsed once and every body is proven at its first use; memory is that of one trajectory beside the
 * index of the pack and the scores. A fault ends the stages after its own; those before it are looked at to the end.
 */
export async function passOver(
  input: PassInput,
  { progress = silent, elapsed = () => 0 }: PassOptions,
): Promise<Pass> {
  const { bundle, verified, run, reported, serving } = input;
  const { listing, close } = verified;
  const place = fileIn(bundle, ENTRIES);
  const { faults, guard } = createFaults();
  await guard("plants", () => openCommitment(bundle, verified));
  const bodies = await guard("blobs", () => bodiesOf(input));
  const bounds = createBounds(run, place, reported.listed);
  const plants = recordedPlants(bundle, run, listing.files.get(PLANTS) as number);
  const scores: TrajectoryScore[] = [];
  const executed = new Map<string, boolean>();
  const rules = rulesOf(run);
  const judged = judgedAgain(run);
  const arrival = arrivals();
  const breathe = breather(elapsed);
  progress.stage("replaying", run.trajectories);
  try {
    for (const found of trajectoriesOf(bundle, listing.files.get(ENTRIES) as number)) {
      await breathe();
      const planned = await guard("bounds", () => bounds.take(found));
      if (planned === undefined) break;
      arrival.take(found.entries);
      const placeOf = (index: number) => `${place}:${found.line + index}`;
      await guard("blobs", () => proveBodies(found, bodies as Bodies, placeOf));
      const own = await guard("plants", () => plants.of(planned.caseIndex));
      if (own === undefined) continue;
      const entries = found.entries as readonly Entry[];
      await guard("bounds", () => demandAnswers(entries, wantedOf(planned.item, serving), placeOf));
      const recorded: Recorded = {
        ...planned,
        entries,
        askedDay: run.askedDays[planned.caseIndex] as string,
        tables: run.kept.tables,
        ...own,
        body: (digest) => (bodies as Bodies).again(digest) as Json,
        placeOf,
      };
      const again = await guard("re-serve", () => serveAgain(recorded, serving));
      executed.set(planned.arm, (executed.get(planned.arm) ?? true) && again === true);
      await guard("rules", () => judged?.(recorded, rules));
      await guard("rules", () => demandTraining(recorded, run.folds));
      const score = await guard("rules", () => scoreListed(recorded, run, rules, reported));
      if (score !== undefined) scores.push(score);
      progress.done(scores.length, 0);
    }
  } finally {
    progress.end();
  }
  await guard("bounds", () => bounds.end());
  await guard("blobs", () => provePack(input, bodies as Bodies, close.pack));
  await guard("plants", () => plants.end());
  return {
    faults,
    scores,
    arms: verdictsOf(executed),
    record: { ...arrival.instants(), size: close.entries, root: close.root },
  };
}

/** What the case's question wanted for an answer. */
const wantedOf = (item: Planned["item"], { leverage }: Serving): Wanted =>
  item.kind === "decision"
    ? { answer: item.answer, leverage, members: item.members }
    : { answer: item.answer };

/** An answer of the kind that was wanted, as a run would have taken it. Refuses EntryShapeWrong. */
function demandAnswers(entries: readonly Entry[], wanted: Wanted, placeOf: (index: number) => Place): void {
  for (const [i, entry] of entries.entries()) {
    if (entry.kind !== "answer") continue;
    const answer = givenAnswer(entry, wanted);
    if (typeof answer !== "string") continue;
    const found = canonical((entry.positions ?? entry.probability ?? null) as Json).slice(0, 200);
    refuse("EntryShapeWrong", {
      place: placeOf(i),
      field: wanted.answer,
      found,
      expected: `an answer: ${answer}`,
    });
  }
}

/** By what the record says of itself: its profile, its tables with text, its entities. */
function rulesOf({ leak, kept, entities, manifest, arms }: RecordedRun): ScoreRules {
  const tables = Object.keys(kept.tables).filter((name) => kept.tables[name]?.text !== undefined);
  const judged = manifest.stamp["judge"] !== "none";
  return scoreRules(leak, judged, new Set(tables), entities?.find ?? null, arms.staged);
}

function scoreListed(
  recorded: Recorded,
  run: RecordedRun,
  rules: ScoreRules,
  reported: ReportedRun,
): TrajectoryScore {
  const outcome = run.outcomes[recorded.caseIndex] as RecordedRun["outcomes"][number];
  const score = scoreTrajectory(recorded.item, outcome, recorded, rules);
  demandListed(recorded, score.failures, reported.listed);
  return score;
}

/** A stage's work, or undefined where it or one before it has a fault already, or gets one now. */
function createFaults() {
  const faults = new Map<PassStage, BlindcastError>();
  const guard = async <T>(stage: PassStage, work: () => T | Promise<T>): Promise<T | undefined> => {
    for (const before of order) {
      if (faults.has(before)) return undefined;
      if (before === stage) break;
    }
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      faults.set(stage, error);
      return undefined;
    }
  };
  return { faults, guard };
}

/** What the stage `entries` let through: each trajectory begins with step 0 of attempt 0. */
function* trajectoriesOf(bundle: RunFiles, bytes: number): Generator<TrajectoryLines> {
  let entries: RecordedEntry[] = [];
  let line = 1;
  for (const { text, number } of recordedLines(bundle, ENTRIES, bytes)) {
    const entry = JSON.parse(text) as RecordedEntry;
    if (entry.step === 0 && entry.attempt === 0 && entries.length > 0) {
      yield { entries, line };
      entries = [];
      line = number;
    }
    if (entries.push(entry) > limits.trajectoryEntries)
      refuse("LimitExceeded", {
        place: `${fileIn(bundle, ENTRIES)}:${number}`,
        what: "entries of a trajectory",
        found: entries.length,
        limit: limits.trajectoryEntries,
      });
  }
  if (entries.length > 0) yield { entries, line };
}

/** When the first and the last entry arrived, by `seq`. */
function arrivals() {
  let first = { seq: Number.POSITIVE_INFINITY, at: "" };
  let last = { seq: -1, at: "" };
  return {
    take(entries: readonly RecordedEntry[]) {
      for (const { seq, at } of entries) {
        if (seq < first.seq) first = { seq, at };
        if (seq > last.seq) last = { seq, at };
      }
    },
    instants: () => ({ instants: { started: first.at, ended: last.at } }),
  };
}

function bodiesOf({ bundle, verified: { listing } }: PassInput): Bodies {
  return createBodies(bundle, readBlobIndex(bundle, listing), listing.files.get(PACK) as number);
}

function proveBodies({ entries }: TrajectoryLines, bodies: Bodies, placeOf: (index: number) => Place): void {
  for (const [i, entry] of entries.entries()) if ("result" in entry) bodies.of(entry, placeOf(i));
}

/** No body is spare, and the pack as a file is the one that the close leaf names. */
async function provePack({ bundle }: PassInput, bodies: Bodies, expected: string): Promise<void> {
  bodies.end();
  const hash = nodeHashing.create();
  for await (const chunk of bundle.chunks(PACK)) hash.update(chunk);
  const found = `sha256:${toHex(hash.digest())}`;
  if (found !== expected) refuse("BlobDigestMismatch", { place: fileIn(bundle, PACK), found, expected });
}

const verdictsOf = (executed: ReadonlyMap<string, boolean>): Pass["arms"] =>
  Object.fromEntries(
    [...executed.keys()].sort().map((arm) => [arm, executed.get(arm) ? "re-executed" : "re-scored"]),
  );
