/** The stages of a replay: in one order, each passed, skipped or failed, and the first that fails is the last. */
import { assert } from "../core/assert.ts";
import { type BlindcastError, type Code, isRefusal } from "../core/refusal.ts";

/** All of them, in order; `verify` ends after `entries`. */
export const stageNames = [
  "files",
  "policy",
  "note",
  "signature",
  "quorum",
  "state",
  "inclusion",
  "manifest",
  "root",
  "entries",
  "bounds",
  "blobs",
  "re-serve",
  "rules",
  "score",
] as const;
export type StageName = (typeof stageNames)[number];

/** What became of a stage; `reason` says why one was skipped, and stands nowhere else. */
export type StageReport = {
  readonly stage: StageName;
  readonly state: "passed" | "skipped" | "failed";
  readonly reason?: string;
};

/** Where it ended, and why: the refusal's code, its one line, the next step if there is one. */
export type Failure = {
  readonly stage: StageName;
  readonly code: Code;
  readonly message: string;
  readonly hint: string | null;
};

export interface Stages {
  /**
   * Runs a stage: it passes with what `work` gives, or fails with what it refuses. A stage that has less to look at than
   * its name says is reported as skipped, with the reason, where it does not fail.
   */
  run<T>(stage: StageName, work: () => T | Promise<T>, skipped?: string): Promise<T>;
  /** A stage that has nothing to look at. */
  skip(stage: StageName, reason: string): void;
}

/** `value` is null exactly where `failure` is not. */
export type Staged<T> = { readonly stages: readonly StageReport[] } & (
  | { readonly failure: null; readonly value: T }
  | { readonly failure: Failure; readonly value: null }
);

/** Runs `work`, which calls its stages in their order. A refusal inside a stage ends it; any other error is a bug, and thrown. */
export async function inStages<T>(work: (stages: Stages) => Promise<T>): Promise<Staged<T>> {
  const reports: StageReport[] = [];
  const follow = (stage: StageName) => {
    const before = stageNames.indexOf(reports.at(-1)?.stage ?? stage);
    assert(reports.length === 0 || before < stageNames.indexOf(stage), `stage ${stage} out of its order`);
  };
  const stages: Stages = {
    async run(stage, work, skipped) {
      follow(stage);
      try {
        const value = await work();
        reports.push(
          skipped === undefined ? { stage, state: "passed" } : { stage, state: "skipped", reason: skipped },
        );
        return value;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        reports.push({ stage, state: "failed" });
        throw new StageFailed(stage, error);
      }
    },
    skip(stage, reason) {
      follow(stage);
      reports.push({ stage, state: "skipped", reason });
    },
  };
  try {
    return { stages: reports, failure: null, value: await work(stages) };
  } catch (error) {
    if (!(error instanceof StageFailed)) throw error;
    const { stage, refusal } = error;
    const failure = { stage, code: refusal.code, message: refusal.message, hint: refusal.hint ?? null };
    return { stages: reports, failure, value: null };
  }
}

class StageFailed extends Error {
  readonly stage: StageName;
  readonly refusal: BlindcastError;
  constructor(stage: StageName, refusal: BlindcastError) {
    super(`${stage}: ${refusal.message}`);
    this.stage = stage;
    this.refusal = refusal;
  }
}
