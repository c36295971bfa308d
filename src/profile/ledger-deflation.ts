/** The deflation of a ledger's trials as it stands: each of them counts, and nobody passes a figure in. */
import { contract } from "../core/contract.ts";
import type { Place } from "../core/refusal.ts";
import type { TrialRows } from "../ledger/trial-chain.ts";
import { demandOneUnit, type Trial, trialsOf } from "../ledger/trial-ledger.ts";
import { type Deflation, deflate } from "./deflation.ts";
import { configuredReturns } from "./trial-config.ts";
import { measureOfTrial, type TrialMeasure, UNSAID } from "./trial-measure.ts";
import { trialNames } from "./trial-name.ts";

/**
 * PSR is against 0; yearly figures are made where all trials with a period name as many of them a year. `like`: the start
 * row of a trial, with which the compared ones compare; null, or where it has no ratio: the kind that most are of. Refuses
 * EvalLedgerUnitsMismatch where two trials are of different periods, and what measureOfTrial refuses. Throws RangeError
 * where the ledger has no trial.
 */
export function deflateLedger(
  { place, rows, head }: TrialRows,
  like: number | null = null,
  blocks: number = contract.overfittingBlocks,
): Deflation {
  const trials = trialsOf(rows);
  demandOneUnit(trials, place);
  const index = trials.findIndex(({ start }) => start === like);
  const options = {
    benchmark: 0,
    blocks,
    periodsPerYear: periodsPerYear(trials),
    like: index < 0 ? null : index,
  };
  return deflate(measuresOf(trials, place), { rows: rows.length, head }, options);
}

function measuresOf(trials: readonly Trial[], place: Place): TrialMeasure[] {
  const names = trialNames(trials);
  return trials.map((trial, i) => measured(trial, names[i] as string, place));
}

/** One that ended under a profile that measures nothing was tried all the same. */
function measured(trial: Trial, name: string, place: Place): TrialMeasure {
  if (trial.state !== "ended" || trial.units !== null || trial.measures !== null)
    return measureOfTrial(trial, name, place);
  const none = { ...UNSAID, ratio: null, series: null, spread: null };
  return { name, state: "unmeasured", repeats: trial.repeats, ...none };
}

function periodsPerYear(trials: readonly Trial[]): number | null {
  const named = trials
    .filter(({ units }) => units !== null)
    .map((trial) => configuredReturns(trial, "periods_per_year"));
  const first = named[0] ?? null;
  return first !== null && first > 0 && named.every((each) => each === first) ? first : null;
}
