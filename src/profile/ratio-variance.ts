/** V: how much the ratios of trials vary, which says what luck alone would bring the best of them. */
import { round12 } from "../core/round.ts";
import type { Kind } from "./comparison.ts";

/**
 * Of the compared ratios, ddof 1; null below two. `floor`: of how many ratios of all kinds it is instead, where those that
 * are compared vary less than they do; null: it is its own.
 */
export function comparedVariance(
  own: Kind,
  kinds: readonly Kind[],
): { readonly variance: number | null; readonly floor: number | null } {
  const variance = varianceOf(own);
  const all = kinds.length < 2 ? null : varianceOfAll(kinds, periodsOf(own));
  return variance === null || all === null || round12(all.variance) <= round12(variance)
    ? { variance, floor: null }
    : { variance: all.variance, floor: all.ratios };
}

/**
 * The variance of ratios about their kind's mean, over all kinds, for so many periods: Σ(n − 1)·V·(T − 1) / Σ(n − 1) /
 * (periods − 1), since that of a ratio without skill is about 1/(T − 1). N counts the trials of every kind, and a few alike
 * ones that are chosen to be compared say less of how luck varies than all that were tried.
 */
function varianceOfAll(
  kinds: readonly Kind[],
  periods: number,
): { readonly variance: number; readonly ratios: number } | null {
  let [sum, freedom, ratios] = [0, 0, 0];
  for (const kind of kinds) {
    const variance = varianceOf(kind);
    const length = periodsOf(kind);
    if (variance === null || length < LEAST_PERIODS) continue;
    const { length: n } = kind.distinct;
    sum += (n - 1) * variance * (length - 1);
    freedom += n - 1;
    ratios += n;
  }
  return freedom === 0 || periods < 2 ? null : { variance: sum / freedom / (periods - 1), ratios };
}

/** Ratios of fewer periods have no such variance: of two, it is infinite. */
const LEAST_PERIODS = 12;

const periodsOf = ({ distinct }: Kind): number => distinct[0]?.ratio.periods ?? 0;

/** Σ(x − x̄)²/(n − 1), in the order given; exactly 0 where all are reported the same; null below two. */
function varianceOf({ distinct }: Kind): number | null {
  const values = distinct.map(({ ratio }) => ratio.sharpe);
  if (values.length < 2) return null;
  if (new Set(values.map(round12)).size === 1) return 0;
  const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - centre) * (value - centre), 0);
  return squares / (values.length - 1);
}
