/** Quantiles of a sorted sample, and the two tails of a level. */

/**
 * Type 7 quantile: x[⌊h⌋] + (h − ⌊h⌋)(x[⌊h⌋+1] − x[⌊h⌋]) with h = (n − 1)p, x sorted ascending from index 0.
 * Between the least and the greatest value; n = all values. Throws RangeError when there are none or p is
 * outside [0, 1]. Hyndman and Fan (1996), The American Statistician 50(4).
 */
export function quantileSorted(sorted: Float64Array, p: number): number {
  if (sorted.length === 0) throw new RangeError("quantileSorted: expected at least 1 value, got 0");
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p: expected a number in [0, 1], got ${p}`);
  const position = (sorted.length - 1) * p;
  const index = Math.floor(position);
  const low = sorted[index]!;
  const high = sorted[Math.min(index + 1, sorted.length - 1)]!;
  return low === high ? low : low + (position - index) * (high - low);
}

/**
 * The tail probabilities of a central interval: 0.95 gives 0.025 and 0.975, each the double nearest that
 * decimal ((1 − 0.95)/2 alone is not). Throws RangeError outside (0, 1).
 */
export function tails(level: number): { lower: number; upper: number } {
  if (!(level > 0 && level < 1)) throw new RangeError(`level: expected a number in (0, 1), got ${level}`);
  const lower = Math.round(((1 - level) / 2) * 1e12) / 1e12;
  return { lower, upper: 1 - lower };
}
