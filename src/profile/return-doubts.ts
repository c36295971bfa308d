/** Does a series that is taken for returns look like prices? A doubt, never a refusal. */

/** Fewer rows say nothing of this kind. */
const LEAST = 12;
/** The usual step from row to row, as a part of the usual value: of prices a few hundredths. */
const SMOOTH = 0.2;

/**
 * True where all of 12 values and more are above 0 and the median step from row to row is less than a fifth of the median
 * value, 0 not among them. Unrelated returns step by some √2 standard deviations, so that they look so only where their
 * ratio per period is about 5 and more; fractions, percent and basis points are one to it. Returns that do not vary at
 * all are told elsewhere.
 */
export function looksLikePrices(values: Float64Array): boolean {
  if (values.length < LEAST || !values.every((value) => value > 0)) return false;
  const steps = values.subarray(1).map((value, i) => Math.abs(value - (values[i] as number)));
  return steps.some((step) => step > 0) && upperMedian(steps) < SMOOTH * upperMedian(values);
}

const upperMedian = (values: Float64Array): number =>
  Float64Array.from(values).sort()[values.length >> 1] as number;
