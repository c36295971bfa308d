/** The percentile bootstrap over clusters, of a mean or of any figure, reproducible bit for bit. */

import { assert } from "../core/assert.ts";
import { contract } from "../core/contract.ts";
import { stream } from "../core/random.ts";
import { quantileSorted, tails } from "./quantile.ts";

export type ClusterSums = {
  /** Distinct cluster ids, sorted by UTF-16 code units; index g in the arrays beside is ids[g]. */
  ids: string[];
  /** Σ value of each cluster, added in the order given. */
  sums: Float64Array;
  /** n of each cluster. */
  counts: Float64Array;
};

/** The sum and the count of each cluster, clusters sorted by id in code units. */
export function groupByCluster(values: readonly { cluster: string; value: number }[]): ClusterSums {
  const ids = [...new Set(values.map((row) => row.cluster))].sort();
  const index = new Map(ids.map((id, g) => [id, g]));
  const sums = new Float64Array(ids.length);
  const counts = new Float64Array(ids.length);
  for (const row of values) {
    const g = index.get(row.cluster)!;
    sums[g] = sums[g]! + row.value;
    counts[g] = counts[g]! + 1;
  }
  return { ids, sums, counts };
}

/** Each name's number, 0 and up, in the order of their code units. */
export function clusterNumbers(names: readonly string[]): Int32Array {
  const numbers = new Map([...new Set(names)].sort().map((name, g) => [name, g]));
  const clusters = new Int32Array(names.length);
  for (let i = 0; i < clusters.length; i++) clusters[i] = numbers.get(names[i] as string) as number;
  return clusters;
}

export type BootstrapInput = {
  /** Σ score of each cluster, clusters sorted by id in code units. */
  scores: Float64Array;
  /** n of each cluster, in the same order; 0 for a cluster without the figure. */
  counts: Float64Array;
} & BootstrapDraw;

export type BootstrapDraw = {
  /** Coverage of the interval, 0.95 for ci95. */
  level: number;
  resamples: number;
  seed: number;
  /** The figure's dotted path in `result`, as `headline.brier`: it names the stream. */
  path: string;
};

export type BootstrapResult =
  | { state: "estimated"; lo: number; hi: number; redrawn: number }
  | { state: "not estimable"; redrawn: number };

/**
 * Percentile interval of (Σ scores)/(Σ n), as percentileBootstrap; a resample with Σ n = 0 is without it.
 * Throws RangeError for a bad level or for resamples not an integer ≥ 1.
 */
export function bootstrapMean(input: BootstrapInput): BootstrapResult {
  const { scores, counts } = input;
  assert(scores.length === counts.length, `bootstrapMean: ${scores.length} scores, ${counts.length} counts`);
  return percentileBootstrap(scores.length, input, (drawn) => {
    let total = 0;
    let n = 0;
    for (let i = 0; i < drawn.length; i++) {
      total += scores[drawn[i]!]!;
      n += counts[drawn[i]!]!;
    }
    return n > 0 ? total / n : Number.NaN;
  });
}

/**
 * Percentile interval of a figure over resamples that each draw G of the G clusters, in order, from
 * stream(seed, path); type 7 quantiles at (1 ∓ level)/2. `figure` is given the clusters drawn, 0..G−1, and
 * answers NaN where they have none: that resample is drawn again and counted in `redrawn`; more than 5 % of
 * the resamples, or no cluster at all, is "not estimable". Throws RangeError for a bad level or for resamples
 * not an integer ≥ 1. Spec chapter 63; Efron (1979), Annals of Statistics 7(1).
 */
export function percentileBootstrap(
  clusters: number,
  draw: BootstrapDraw,
  figure: (drawn: Int32Array) => number,
): BootstrapResult {
  const { resamples } = draw;
  if (!(Number.isSafeInteger(resamples) && resamples >= 1)) {
    throw new RangeError(`resamples: expected an integer >= 1, got ${resamples}`);
  }
  const { lower, upper } = tails(draw.level);
  if (clusters === 0) return { state: "not estimable", redrawn: 0 };
  const { below } = stream(draw.seed, draw.path);
  const drawn = new Int32Array(clusters);
  const figures = new Float64Array(resamples);
  let redrawn = 0;
  let kept = 0;
  while (kept < resamples) {
    for (let i = 0; i < clusters; i++) drawn[i] = below(clusters);
    const value = figure(drawn);
    if (!Number.isNaN(value)) {
      figures[kept] = value;
      kept += 1;
    } else {
      redrawn += 1;
      if (redrawn * contract.bootstrapRedrawnPer > resamples) return { state: "not estimable", redrawn };
    }
  }
  figures.sort();
  return {
    state: "estimated",
    lo: quantileSorted(figures, lower),
    hi: quantileSorted(figures, upper),
    redrawn,
  };
}
