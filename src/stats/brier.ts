/** The Brier score of one binary forecast. */

/**
 * Brier score: (p − o)², o in {0, 1}. Best 0, worst 1; lower is better. One forecast, so n is the caller's.
 * Throws RangeError for p outside [0, 1] or NaN. Brier (1950), Mon. Weather Rev. 78(1).
 */
export function brier(probability: number, outcome: 0 | 1): number {
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`probability: expected a number in [0, 1], got ${probability}`);
  }
  const miss = probability - outcome;
  return miss * miss;
}
