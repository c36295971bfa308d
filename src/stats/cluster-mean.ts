/** The mean of clustered values, the paired difference, and their t intervals. */

import { assert } from "../core/assert.ts";
import { clusterContrast } from "./cluster-regression.ts";
import { mean } from "./moments.ts";
import { tails } from "./quantile.ts";
import { studentQuantile } from "./student.ts";

export type Interval = readonly [lo: number, hi: number];

export type ClusterMean = {
  mean: number;
  /** CR2; s/√n when each value is its own cluster. */
  se: number;
  /** Bell–McCaffrey; n − 1 when each value is its own cluster. */
  df: number;
  seCr0: number;
  seCr1: number;
  n: number;
  clusters: number;
};

/**
 * x̄ with its standard error by cluster: the intercept of clusterContrast. n = all values; clusters[i] is the
 * cluster of values[i], 0..G−1, and absent means that each value is its own. null below 2 clusters. Throws
 * RangeError when there is no value, or one is not finite. Bell and McCaffrey (2002).
 */
export function clusterMean(values: Float64Array, clusters?: Int32Array): ClusterMean | null {
  const centre = mean(values);
  const fit = clusterContrast({
    x: new Float64Array(values.length).fill(1),
    y: values,
    clusters: clusters ?? Int32Array.from(values, (_, i) => i),
    k: 1,
    contrast: [1],
  });
  if (fit === null) return null;
  const { se, df, seCr0, seCr1, n } = fit;
  return { mean: centre, se, df, seCr0, seCr1, n, clusters: fit.clusters };
}

/**
 * The mean of a[i] − b[i] over pairs, as clusterMean: negative when a is lower. n = pairs. null below 2
 * clusters. Throws RangeError when there is no pair, or a value is not finite.
 */
export function pairedDifference(
  a: Float64Array,
  b: Float64Array,
  clusters?: Int32Array,
): ClusterMean | null {
  assert(a.length === b.length, `pairedDifference: ${a.length} values against ${b.length}`);
  return clusterMean(
    a.map((value, i) => value - b[i]!),
    clusters,
  );
}

/**
 * estimate ∓ t(1 − (1 − level)/2; df)·se. Throws RangeError for level outside (0, 1), se not finite and ≥ 0,
 * or df not finite and > 0.
 */
export function tInterval(estimate: number, se: number, df: number, level: number): Interval {
  if (!(se >= 0 && Number.isFinite(se))) throw new RangeError(`se: expected a finite number >= 0, got ${se}`);
  const reach = studentQuantile(tails(level).upper, df) * se;
  return [estimate - reach, estimate + reach];
}
