/** p values adjusted for how many were looked at. */

/**
 * Holm's adjusted p values, in the order given: max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎), m = all values. A value
 * ≤ α rejects with the chance of any false rejection at most α, however the tests depend on each other. Throws
 * RangeError for a value outside [0, 1]. Holm (1979), Scandinavian Journal of Statistics 6(2).
 */
export function holm(p: Float64Array): Float64Array {
  const adjusted = new Float64Array(p.length);
  let running = 0;
  for (const [rank, i] of ascending(p).entries()) {
    running = Math.max(running, Math.min(1, (p.length - rank) * p[i]!));
    adjusted[i] = running;
  }
  return adjusted;
}

/**
 * Benjamini and Hochberg's adjusted p values, in the order given: min over j ≥ i of min(1, m/j·p₍ⱼ₎), m = all values.
 * A value ≤ α rejects with an expected share of false rejections of at most α, for independent or positively
 * dependent tests. Throws RangeError for a value outside [0, 1]. Benjamini and Hochberg (1995), JRSS B 57(1).
 */
export function benjaminiHochberg(p: Float64Array): Float64Array {
  const adjusted = new Float64Array(p.length);
  let running = 1;
  for (const [back, i] of ascending(p).reverse().entries()) {
    running = Math.min(running, (p.length / (p.length - back)) * p[i]!);
    adjusted[i] = running;
  }
  return adjusted;
}

/** Indices by value; equals stand as given. */
function ascending(p: Float64Array): number[] {
  for (const [i, value] of p.entries()) {
    if (!(value >= 0 && value <= 1)) {
      throw new RangeError(`p[${i}]: expected a number in [0, 1], got ${value}`);
    }
  }
  return [...p.keys()].sort((a, b) => p[a]! - p[b]!);
}
