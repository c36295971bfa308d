/** Which of a ledger's trials compare: ratios over the same periods of one slice, above one rate, each tried thing once. */
import type { SharpeRatio } from "../stats/sharpe.ts";
import type { TrialMeasure } from "./trial-measure.ts";

/** What the ratios are of that are compared. Trials of another kind count in N, and neither in V nor as the best. */
export type Comparison = {
  /** null: trials that name none. */
  readonly slice: string | null;
  /** The rate per period that was subtracted; null: nobody says one. */
  readonly risk_free: number | null;
  readonly periods: number;
  /** Digest of the instants of the periods; null: nobody says them. */
  readonly over: string | null;
  /** How often nothing was held between two periods: then no figure is per year. */
  readonly gaps: number;
  /** With a ratio, but of another kind. */
  readonly others: number;
  /** With the ratio of an earlier trial of the same identity and seed: the same once more. */
  readonly again: number;
};

export type WithRatio = TrialMeasure & { readonly ratio: SharpeRatio };

/**
 * The trials that compare with `like`, an index of `measures` with a ratio; null: the kind that most trials are of, of two
 * as many the one that was tried last. `of` is null where no trial has a ratio.
 */
export function comparedTrials(
  measures: readonly TrialMeasure[],
  like: number | null,
): { readonly of: Comparison | null; readonly trials: readonly WithRatio[] } {
  const all = measures.filter((measure): measure is WithRatio => measure.ratio !== null);
  const chosen = (like === null ? undefined : measures[like]) as WithRatio | undefined;
  const key = chosen?.ratio ? kindOf(chosen) : commonest(all.map(kindOf));
  const own = all.filter((measure) => kindOf(measure) === key);
  const trials = own.filter(({ again }) => !again);
  const [first] = own;
  if (first === undefined) return { of: null, trials };
  const { slice, riskFree, over, gaps, ratio } = first;
  const counts = { others: all.length - own.length, again: own.length - trials.length };
  return { of: { slice, risk_free: riskFree, periods: ratio.periods, over, gaps, ...counts }, trials };
}

function kindOf({ slice, riskFree, over, gaps, ratio }: WithRatio): string {
  return JSON.stringify([slice, riskFree, over, gaps, ratio.periods]);
}

function commonest(kinds: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return kinds.findLast((kind) => counts.get(kind) === most);
}
