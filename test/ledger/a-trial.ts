/** Trial ledgers as tests look at them: contents to append, ledgers of a few rows, and the lines of one. */
import { nodeHashing } from "../../src/core/digest.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import { parseTrialRows, type TrialRows } from "../../src/ledger/trial-chain.ts";
import type { TrialLedger } from "../../src/ledger/trial-ledger.ts";
import type { TrialEnd, TrialFail, TrialStart } from "../../src/ledger/trial-row.ts";
import { runOf } from "./a-ledger.ts";

export const { sha256 } = nodeHashing;
const AT = "2026-01-05T09:00:00Z";
export const identityOf = (n: number) => `sha256:${String(n).padStart(64, "0")}`;

export const start = (n: number, more: Partial<TrialStart> = {}): TrialStart => ({
  at: AT,
  run: runOf(n),
  identity: identityOf(n),
  seed: 1,
  repeats: 1,
  units: "P1D",
  config: { profile: "returns" },
  ...more,
});
export const end = (row: number, n: number, more: Partial<TrialEnd> = {}): TrialEnd => ({
  at: AT,
  run: runOf(n),
  start: row,
  measures: { repeats: [{ seed: 1, ratio: 0.1 }] },
  series: null,
  ...more,
});
export const fail = (row: number, n: number, reason = "a reason"): TrialFail => ({
  at: AT,
  run: runOf(n),
  start: row,
  reason,
});

/** Begins and ends so many trials, the rows 0 and 1, 2 and 3, and so on. */
export async function tried(ledger: TrialLedger, trials: number): Promise<TrialLedger> {
  for (let n = 0; n < trials; n++) {
    const { row } = await ledger.start(start(n));
    await ledger.end(end(row, n));
  }
  return ledger;
}

/** The lines of a ledger of so many trials that ended. */
export async function someLines(trials: number): Promise<string[]> {
  const text = await (await tried(memoryTrialLedger("x"), trials)).prefix(2 * trials);
  return text.split("\n").slice(0, -1);
}

export const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

export const parsed = (lines: readonly string[], place = "x.jsonl"): TrialRows =>
  parseTrialRows(textOf(lines), place, sha256);
