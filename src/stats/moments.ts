/** Sums, means and standard deviations, added left to right in the order given. */

/** Σ x, left to right; 0 for none. Throws RangeError at the first value that is not finite. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) throw new RangeError(`values[${i}]: expected a finite number, got ${value}`);
    total += value;
  }
  return total;
}

/** (Σ x)/n, n = all values. Throws RangeError when there are none, or one is not finite. */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new RangeError("mean: expected at least 1 value, got 0");
  return sum(values) / values.length;
}

/**
 * Sample standard deviation √(Σ (x − x̄)²/(n − 1)), ≥ 0; n = all values.
 * Throws RangeError below 2 values, or when one is not finite.
 */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) {
    throw new RangeError(`standardDeviation: expected at least 2 values, got ${values.length}`);
  }
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const deviation = values[i]! - centre;
    squares += deviation * deviation;
  }
  return Math.sqrt(squares / (values.length - 1));
}
