/** A trial ledger as a run knows it: what was tried on one case set, each trial counted when it begins. */
import type { Json } from "../core/canonical.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { TrialRows } from "./trial-chain.ts";
import type { TrialEnd, TrialFail, TrialRow, TrialStart } from "./trial-row.ts";

export interface TrialLedger {
  /** Of the case set. */
  readonly name: string;
  /** As a person would name it: a file, or `memory`. */
  readonly place: string;
  /** Each appends one row, which is on the disk when it resolves; refuses TrialLedgerBroken, LedgerBusy, LimitExceeded. */
  start(start: TrialStart): Promise<TrialMark>;
  end(end: TrialEnd): Promise<TrialMark>;
  fail(fail: TrialFail): Promise<TrialMark>;
  /** The lines of the first so many rows, each with its newline; refuses TrialLedgerBroken where there are fewer. */
  prefix(rows: number): Promise<string>;
  read(): Promise<LedgerRows>;
}

/** A row that was appended. */
export type TrialMark = {
  readonly row: number;
  /** How many there are with it, and the digest of its line: what the ledger was then. */
  readonly rows: number;
  readonly head: string;
  /** Without its newline. */
  readonly line: string;
};

/** `torn`: bytes after the last newline, which are no row: a process was killed while it wrote them, or writes now. */
export type LedgerRows = TrialRows & { readonly torn: number };

/**
 * One start row, and what became of it. The declared repeats of one base seed are one trial; another seed is another
 * one, and so is the same run again.
 */
export type Trial = {
  /** The number of its start row. */
  readonly start: number;
  readonly at: string;
  readonly run: string;
  readonly identity: string;
  readonly seed: number;
  readonly repeats: number;
  readonly units: string | null;
  readonly config: Json;
  /** The first start row of the same identity and seed; its own where it is that. */
  readonly first: number;
  readonly state: "ended" | "unfinished" | "failed";
  /** The row that ended it; null: none did. */
  readonly end: number | null;
  readonly measures: Json | null;
  readonly series: string | null;
  /** Why it failed; null: it did not. */
  readonly reason: string | null;
};

/**
 * Refuses EvalLedgerUnitsMismatch where two trials were measured per different units, or one per others than `units`, by
 * the row of the later trial, or that from which `units` differ. What measures nothing has none.
 */
export function demandOneUnit(
  trials: readonly Pick<Trial, "start" | "units">[],
  place: Place,
  units: string | null = null,
): void {
  const measured = trials.filter((trial) => trial.units !== null);
  const [first] = measured;
  if (first === undefined) return;
  const mismatch = (start: number, found: string | null) =>
    refuse("EvalLedgerUnitsMismatch", {
      place: `${place}:${start + 1}`,
      row: start,
      found: String(found),
      expected: String(first.units),
    });
  const other = measured.find((trial) => trial.units !== first.units);
  if (other !== undefined) mismatch(other.start, other.units);
  if (units !== null && units !== first.units) mismatch(first.start, units);
}

/** Every trial, in the order of their start rows. Throws RangeError for rows that no chain took. */
export function trialsOf(rows: readonly TrialRow[]): readonly Trial[] {
  const trials = new Map<number, Trial>();
  const firsts = new Map<string, number>();
  for (const row of rows) {
    if (row.kind === "start") {
      const { row: start, at, run, identity, seed, repeats, units, config } = row;
      const key = `${identity} ${seed}`;
      const first = firsts.get(key) ?? start;
      firsts.set(key, first);
      const begun = { start, at, run, identity, seed, repeats, units, config, first };
      const unended = { state: "unfinished", end: null, measures: null, series: null, reason: null } as const;
      trials.set(start, { ...begun, ...unended });
      continue;
    }
    const trial = trials.get(row.start);
    if (trial === undefined) throw new RangeError(`row ${row.row} ends row ${row.start}, which is no start`);
    trials.set(
      row.start,
      row.kind === "end"
        ? { ...trial, state: "ended", end: row.row, measures: row.measures, series: row.series }
        : { ...trial, state: "failed", end: row.row, reason: row.reason },
    );
  }
  return [...trials.values()];
}
