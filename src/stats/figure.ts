/** A report's figure: a mean with its n, its interval, and how far the interval can be believed. */

import { contract } from "../core/contract.ts";
import { bootstrapMean, type ClusterSums, groupByCluster } from "./bootstrap.ts";
import { clusterMean, type Interval, tInterval } from "./cluster-mean.ts";
import { mean, standardDeviation } from "./moments.ts";

/**
 * As on disk:
 * `{"mean":0.14,"ci95":[0.11,0.17],"method":"bootstrap","clusters":240,"n":240,"state":"estimated"}`.
 */
export type Figure = {
  /** null when n = 0. */
  mean: number | null;
  /** The interval at the level asked for (0.95 in a report); null when not estimable. */
  ci95: Interval | null;
  method: "bootstrap" | "t";
  clusters: number;
  n: number;
  state: "estimated" | "degenerate" | "too few clusters" | "not estimable";
  /** Beside a t interval: the bootstrap over clusters, for comparison. */
  bootstrap_ci95?: Interval | null;
  /** Where a cluster holds more than one value: the bootstrap over single values, in the order given. */
  iid_ci95?: Interval | null;
  /** (clustered standard error ÷ the one that takes values as independent)²; null where the latter is 0. */
  design_effect?: number | null;
};

export type FigureInput = {
  values: readonly { value: number; cluster: string }[];
  /**
   * The figure's dotted path in `result`; it names the stream, and `path + ".iid"` that of the iid interval.
   */
  path: string;
  seed: number;
  level: number;
  resamples: number;
};

/**
 * The mean of the values with its interval: percentile bootstrap over clusters from 100 clusters on, below
 * that the t interval by CR2 and Bell–McCaffrey. n = values. States, in this order: "not estimable" (fewer
 * than 2 clusters, or no value), "degenerate" (all values equal or all cluster means equal: [m, m]), "too few
 * clusters", "estimated". Throws RangeError for a value that is not finite. Spec chapters 25, 42, 63.
 */
export function meanFigure(input: FigureInput): Figure {
  const values = Float64Array.from(input.values, (row) => row.value);
  const groups = groupByCluster(input.values);
  const n = values.length;
  const clusters = groups.ids.length;
  const method = clusters >= contract.bootstrapClusters ? "bootstrap" : "t";
  const centre = n === 0 ? null : mean(values);
  if (centre === null || clusters < 2) {
    return { mean: centre, ci95: null, method, clusters, n, state: "not estimable" };
  }
  const varied = values.some((value) => value !== values[0]);
  const spread = varied && clusterMeansDiffer(groups);
  const fit = spread ? clusterMean(values, clusterIndex(input, groups)) : null;
  const point: Interval = [centre, centre];
  const resampled = spread ? resample(input, groups.sums, groups.counts, input.path) : point;
  const byT = fit === null ? point : tInterval(centre, fit.se, fit.df, input.level);
  const decided = method === "t" ? "too few clusters" : "estimated";
  return {
    mean: centre,
    ci95: method === "t" ? byT : resampled,
    method,
    clusters,
    n,
    state: spread ? decided : "degenerate",
    ...(method === "t" ? { bootstrap_ci95: resampled } : {}),
    ...(clusters < n ? (varied ? besideClusters(input, values, fit?.se ?? 0) : unvaried(point)) : {}),
  };
}

function clusterIndex(input: FigureInput, groups: ClusterSums): Int32Array {
  const index = new Map(groups.ids.map((id, g) => [id, g]));
  return Int32Array.from(input.values, (row) => index.get(row.cluster)!);
}

function clusterMeansDiffer({ sums, counts }: ClusterSums): boolean {
  const first = sums[0]! / counts[0]!;
  return sums.some((total, g) => total / counts[g]! !== first);
}

function resample(
  input: FigureInput,
  scores: Float64Array,
  counts: Float64Array,
  path: string,
): Interval | null {
  const { level, resamples, seed } = input;
  const result = bootstrapMean({ scores, counts, level, resamples, seed, path });
  return result.state === "estimated" ? [result.lo, result.hi] : null;
}

function besideClusters(input: FigureInput, values: Float64Array, clusteredSe: number) {
  const ratio = clusteredSe / (standardDeviation(values) / Math.sqrt(values.length));
  return {
    iid_ci95: resample(input, values, new Float64Array(values.length).fill(1), `${input.path}.iid`),
    design_effect: ratio * ratio,
  };
}

function unvaried(point: Interval) {
  return { iid_ci95: point, design_effect: null };
}
