/** The deflation of a ledger's trials as it stands: each of them counts, and nobody passes a figure in. */
import { contract } from "../core/contract.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { TrialRows } from "../ledger/trial-chain.ts";
import { type Trial, trialsOf } from "../ledger/trial-ledger.ts";
import { type Deflation, deflate } from "./deflation.ts";
import { measureOfTrial, type TrialMeasure } from "./trial-measure.ts";
import { trialName } from "./trial-name.ts";

/**
 * PSR is against 0; yearly figures are made where all trials with a period name as many of them a year. Refuses
 * EvalLedgerUnitsMismatch where two trials are of different periods, and what measureOfTrial refuses. Throws RangeError
 * where the ledger has no trial.
 */
export function deflateLedger({ place, rows, head }: TrialRows): Deflation {
  const trials = trialsOf(rows);
  demandSameUnits(trials, place);
  const options = {
    benchmark: 0,
    blocks: contract.overfittingBlocks,
    periodsPerYear: periodsPerYear(trials),
  };
  const measures = trials.map((trial) => measured(trial, place));
  return deflate(measures, { rows: rows.length, head }, options);
}

/** One that ended under a profile that measures nothing was tried all the same. */
function measured(trial: Trial, place: Place): TrialMeasure {
  const name = trialName(trial);
  if (trial.state !== "ended" || trial.units !== null || trial.measures !== null)
    return measureOfTrial(trial, name, place);
  const none = { ratio: null, series: null, over: null, spread: null };
  return { name, state: "unmeasured", repeats: trial.repeats, ...none };
}

function demandSameUnits(trials: readonly Trial[], place: Place): void {
  const first = trials.find(({ units }) => units !== null);
  const other = trials.find(({ units }) => units !== null && units !== first?.units);
  if (other !== undefined)
    refuse("EvalLedgerUnitsMismatch", {
      place: `${place}:${other.start + 1}`,
      row: other.start,
      found: String(other.units),
      expected: String(first?.units),
    });
}

type Config = { readonly profile?: { readonly returns?: { readonly periods_per_year?: unknown } } } | null;

function periodsPerYear(trials: readonly Trial[]): number | null {
  const named = trials
    .filter(({ units }) => units !== null)
    .map(({ config }) => (config as Config)?.profile?.returns?.periods_per_year);
  const [first] = named;
  return typeof first === "number" && first > 0 && named.every((each) => each === first) ? first : null;
}
