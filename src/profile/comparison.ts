/** Which of a ledger's trials compare: ratios over the same periods of one slice, above one rate, each series once. */
import { round12 } from "../core/round.ts";
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
  /** With the returns of an earlier trial of the kind: the same once more. */
  readonly again: number;
};

export type WithRatio = TrialMeasure & { readonly ratio: SharpeRatio };

/** Trials of one kind: all of them, and of equal returns the first. */
export type Kind = { readonly all: readonly WithRatio[]; readonly distinct: readonly WithRatio[] };

/**
 * The trials that compare with `like`, an index of `measures`; without it, or where it has no ratio, those of the kind of
 * most different ratios, of two with as many the one that was tried last. `of` is null where no trial has a ratio.
 */
export function comparedTrials(
  measures: readonly TrialMeasure[],
  like: number | null,
): { readonly of: Comparison | null; readonly own: Kind; readonly kinds: readonly Kind[] } {
  const found = new Map<string, WithRatio[]>();
  for (const measure of measures) {
    if (!hasRatio(measure)) continue;
    const key = keyOf(measure);
    const known = found.get(key) ?? [];
    known.push(measure);
    found.delete(key); // the one that was tried last comes last
    found.set(key, known);
  }
  const kinds = [...found.values()].map(kindOf);
  const chosen = like === null ? undefined : measures[like];
  const own = kinds.find(({ all }) => all.includes(chosen as WithRatio)) ?? richest(kinds);
  const [first] = own.all;
  if (first === undefined) return { of: null, own, kinds };
  const { slice, riskFree, over, gaps, ratio } = first;
  const withRatio = kinds.reduce((sum, { all }) => sum + all.length, 0);
  const counts = { others: withRatio - own.all.length, again: own.all.length - own.distinct.length };
  return {
    of: { slice, risk_free: riskFree, periods: ratio.periods, over, gaps, ...counts },
    own,
    kinds,
  };
}

const hasRatio = (measure: TrialMeasure): measure is WithRatio => measure.ratio !== null;

const keyOf = ({ slice, riskFree, over, gaps, ratio }: WithRatio): string =>
  JSON.stringify([slice, riskFree, over, gaps, ratio.periods]);

/** Returns that nobody can tell apart are one: another seed, or another name, adds nothing that V could be over. */
function kindOf(all: readonly WithRatio[]): Kind {
  const seen = new Set<string>();
  const distinct = all.filter(({ returnsDigest }) => {
    if (returnsDigest === null) return true;
    const isNew = !seen.has(returnsDigest);
    seen.add(returnsDigest);
    return isNew;
  });
  return { all, distinct };
}

/** The last of those with the most different ratios. */
function richest(kinds: readonly Kind[]): Kind {
  const counts = kinds.map(
    ({ distinct }) => new Set(distinct.map(({ ratio }) => round12(ratio.sharpe))).size,
  );
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  return kinds[counts.lastIndexOf(most)] ?? { all: [], distinct: [] };
}
