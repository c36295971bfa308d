/** The world: everything that is not deterministic stands behind a door that is passed in as a value. */
import type { AuditLedger } from "../ledger/audit-ledger.ts";
import type { TrialLedger } from "../ledger/trial-ledger.ts";
import type { ReaderSource } from "../model/reader.ts";
import type { Store } from "../store/door.ts";
import type { Judging } from "./judging.ts";
import type { Host } from "./manifest.ts";
import type { Sink } from "./sink.ts";

export type Clock = {
  /** Milliseconds since 1970, for `at`: a claim, not evidence. */
  readonly now: () => number;
  /** Milliseconds of a clock that never steps back, for durations. */
  readonly elapsed: () => number;
};

/** Words on the way: the command line shows them on stderr, a test collects or ignores them. */
export type Progress = {
  readonly stage: (text: string, total: number) => void;
  /** `cost`: spent so far, where it is known. */
  readonly done: (count: number, failed: number, cost?: number) => void;
  readonly end: () => void;
};

export type World = {
  readonly clock: Clock;
  /** Bytes that nobody can guess: the run id and the plants' secret. */
  readonly random: (bytes: number) => Uint8Array;
  readonly store: Store;
  readonly readers: ReaderSource;
  /** Absent: nothing is judged. */
  readonly judging?: Judging;
  readonly sink: Sink;
  /** Where the run's leaves go, and its secret until it closes. */
  readonly ledger: AuditLedger;
  /** Where trials on the case set are counted; absent: nowhere. */
  readonly trials?: TrialLedger;
  /** The machine, for the manifest. */
  readonly host: Host;
  /** Ends the run after the trajectories in flight. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
};

export const silent: Progress = { stage: () => {}, done: () => {}, end: () => {} };
