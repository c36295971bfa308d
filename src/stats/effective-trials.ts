/** How many unrelated trials a set of correlated ones amounts to. */

import { limits } from "../core/limits.ts";
import { returnFigures } from "./sharpe.ts";

export type CorrelationTrials = {
  readonly method: "average-correlation";
  /** M: trials whose returns vary over two periods or more; n of ρ̄ is their pairs. */
  readonly trials: number;
  /** The rest, which have no correlation with any and are not in M. */
  readonly constant: number;
  /** ρ̄ + (1 − ρ̄)·M, at least 1 and at most M; null where M = 0. */
  readonly effective: number | null;
  /** ρ̄; null below two trials that vary. */
  readonly correlation: number | null;
};

/**
 * Mean Pearson correlation ρ̄ over all pairs of trials whose returns vary, in [−1, 1]; NaN below two of them.
 * Throws RangeError for a value that is not finite, and unless all trials are of one length.
 */
export function averageCorrelation(trials: readonly Float64Array[]): number {
  const unit = unitSeries(trials);
  const m = unit.length;
  if (m < 2) return Number.NaN;
  // Σᵢⱼ zᵢ·zⱼ = |Σ zᵢ|²: no matrix of pairs is needed.
  const total = new Float64Array(unit[0]!.length);
  let own = 0;
  for (const z of unit) {
    own += dot(z, z);
    for (let t = 0; t < z.length; t++) total[t] = total[t]! + z[t]!;
  }
  return Math.min(1, Math.max(-1, (dot(total, total) - own) / (m * (m - 1))));
}

/**
 * Effective number of trials by their average correlation: ρ̄ + (1 − ρ̄)·M, M trials that vary; from 1 (all alike) to
 * M (unrelated, or ρ̄ < 0). RangeError as for `averageCorrelation`. Bailey and López de Prado (2014), JPM 40(5),
 * appendix.
 */
export function effectiveByCorrelation(trials: readonly Float64Array[]): CorrelationTrials {
  const m = unitSeries(trials).length;
  const mean = averageCorrelation(trials);
  const share = Number.isNaN(mean) ? null : mean;
  const effective = share === null ? m : Math.min(m, Math.max(1, share + (1 - share) * m));
  return {
    method: "average-correlation",
    trials: m,
    constant: trials.length - m,
    effective: m === 0 ? null : effective,
    correlation: share,
  };
}

export type ClusteredTrials = {
  readonly method: "clusters";
  /** M: trials whose returns vary over two periods or more. */
  readonly trials: number;
  /** The rest, which have no correlation with any and are not in M. */
  readonly constant: number;
  /** The number of clusters, from 1 to M; null where state is "none" or "too-many". */
  readonly effective: number | null;
  /** Of each trial, in the order given: its cluster, numbered from 0 by first member; −1 without one. */
  readonly clusters: Int32Array;
  /** Mean silhouette of the best partition, in [−1, 1], whether believed or not; null where there is none. */
  readonly silhouette: number | null;
  /**
   * "no-structure": the silhouette is too low to believe in clusters, so that each series counts but for
   * duplicates; "none": M = 0; "too-many": M above 1,000.
   */
  readonly state: "ok" | "no-structure" | "none" | "too-many";
};

/** The best mean silhouette up to here is no substantial structure: Kaufman and Rousseeuw (1990), table 4. */
const STRUCTURE = 0.25;
/** A reasonable structure begins here: the same table. */
const REASONABLE = 0.5;
/** Distance √(½(1 − ρ)) of unrelated series. */
const UNRELATED = Math.SQRT1_2;
/** Series nearer than this are duplicates: 1 − ρ of rounding. */
const DUPLICATE = 1e-6;

/**
 * Effective number of trials by clusters of their returns: average linkage on the distance √(½(1 − ρ)), cut into the
 * number of clusters in 2..M − 1 with the greatest mean silhouette (of equals the most; a single member has 0). One
 * cluster, which has no neighbour, is held against unrelated series at √½, and is chosen when that is greater still
 * and at least 0.5. Where the best is below 0.25, nothing is taken off M but duplicates. No die is thrown, unlike the
 * k-means of López de Prado and Lewis (2019), Quantitative Finance 19(9), whose use of silhouettes this follows;
 * Rousseeuw (1987), J. Comput. Appl. Math. 20. With fewer than about 20 periods chance alone makes clusters.
 * RangeError as for `averageCorrelation`.
 */
export function effectiveByClusters(trials: readonly Float64Array[]): ClusteredTrials {
  const varying = trials.map((trial) => returnFigures(trial).state === "ok");
  const unit = unitSeries(trials);
  const m = unit.length;
  const answer = { method: "clusters", trials: m, constant: trials.length - m } as const;
  if (m === 0 || m > limits.clusteredTrials) {
    const clusters = new Int32Array(trials.length).fill(-1);
    return { ...answer, effective: null, clusters, silhouette: null, state: m === 0 ? "none" : "too-many" };
  }
  const { members, silhouette, believed } = partition(distances(unit), m);
  const names = new Map<number, number>();
  let next = 0;
  const clusters = Int32Array.from(varying, (varies) => {
    if (!varies) return -1;
    const member = members[next++]!;
    if (!names.has(member)) names.set(member, names.size);
    return names.get(member)!;
  });
  return { ...answer, effective: names.size, clusters, silhouette, state: believed ? "ok" : "no-structure" };
}

type Partition = {
  /** Of each series, a number that it shares with its cluster. */
  readonly members: Int32Array;
  readonly silhouette: number | null;
  readonly believed: boolean;
};

function partition(distance: Float64Array, m: number): Partition {
  const linkage = singles(distance, m);
  let distinct = linkage.member.slice();
  let best = { members: distinct, silhouette: -Infinity };
  while (linkage.clusters.length > 1) {
    const height = mergeNearest(linkage);
    if (height <= DUPLICATE) distinct = linkage.member.slice();
    const silhouette = meanSilhouette(linkage);
    const eligible = linkage.clusters.length > 1 || silhouette >= REASONABLE;
    if (eligible && silhouette > best.silhouette) best = { members: linkage.member.slice(), silhouette };
  }
  const believed = m === 1 || best.silhouette >= STRUCTURE;
  const silhouette = best.silhouette === -Infinity ? null : best.silhouette;
  return { members: believed ? best.members : distinct, silhouette, believed };
}

/** A cluster goes by its first member's index. */
type Linkage = {
  readonly m: number;
  /** Of each series, its cluster. */
  readonly member: Int32Array;
  /** Those there are, ascending. */
  readonly clusters: number[];
  readonly sizes: Float64Array;
  /** [series·m + cluster]: the series' mean distance to the cluster's members, itself at 0 among its own. */
  readonly toCluster: Float64Array;
  /** [cluster·m + cluster]: the mean distance between their members. */
  readonly between: Float64Array;
};

const singles = (distance: Float64Array, m: number): Linkage => ({
  m,
  member: Int32Array.from({ length: m }, (_, i) => i),
  clusters: Array.from({ length: m }, (_, i) => i),
  sizes: new Float64Array(m).fill(1),
  toCluster: distance.slice(),
  between: distance.slice(),
});

/** Joins the two clusters whose members are nearest on average, of equals the first; that distance. */
function mergeNearest(linkage: Linkage): number {
  const { m, member, clusters, toCluster, between, sizes } = linkage;
  const { a, b, height } = nearestPair(linkage);
  const size = sizes[a]! + sizes[b]!;
  const [ofA, ofB] = [sizes[a]! / size, sizes[b]! / size];
  clusters.splice(clusters.indexOf(b), 1);
  for (const c of clusters) {
    const mean = ofA * between[a * m + c]! + ofB * between[b * m + c]!;
    between[a * m + c] = mean;
    between[c * m + a] = mean;
  }
  for (let i = 0; i < m; i++) {
    if (member[i] === b) member[i] = a;
    toCluster[i * m + a] = ofA * toCluster[i * m + a]! + ofB * toCluster[i * m + b]!;
  }
  sizes[a] = size;
  return height;
}

function nearestPair({ m, clusters, between }: Linkage): { a: number; b: number; height: number } {
  let [a, b, height] = [0, 0, Infinity];
  for (let x = 0; x < clusters.length; x++) {
    const one = clusters[x]!;
    for (let y = x + 1; y < clusters.length; y++) {
      const mean = between[one * m + clusters[y]!]!;
      if (mean < height) [a, b, height] = [one, clusters[y]!, mean];
    }
  }
  return { a, b, height };
}

/** Mean over series of (b − a)/max(a, b): a the mean distance to its own cluster's others, b to the nearest cluster. */
function meanSilhouette({ m, member, clusters, toCluster, sizes }: Linkage): number {
  let total = 0;
  for (let i = 0; i < m; i++) {
    const own = member[i]!;
    const size = sizes[own]!;
    if (size === 1) continue;
    const inside = toCluster[i * m + own]! * (size / (size - 1));
    let outside = clusters.length === 1 ? UNRELATED : Infinity;
    for (const c of clusters) {
      if (c !== own) outside = Math.min(outside, toCluster[i * m + c]!);
    }
    const greater = Math.max(inside, outside);
    if (greater > 0) total += (outside - inside) / greater;
  }
  return total / m;
}

function distances(unit: readonly Float64Array[]): Float64Array {
  const m = unit.length;
  const distance = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = i + 1; j < m; j++) {
      const correlation = Math.min(1, dot(unit[i]!, unit[j]!));
      const apart = Math.sqrt((1 - correlation) / 2);
      distance[i * m + j] = apart;
      distance[j * m + i] = apart;
    }
  }
  return distance;
}

/** The series that vary, each about its mean and of length 1: their products are correlations. */
function unitSeries(trials: readonly Float64Array[]): Float64Array[] {
  const rows = trials[0]?.length ?? 0;
  return trials.flatMap((trial, i) => {
    if (trial.length !== rows) {
      throw new RangeError(`trials[${i}]: expected ${rows} periods as trials[0], got ${trial.length}`);
    }
    const { state, mean, sd } = returnFigures(trial);
    if (state !== "ok") return [];
    const z = trial.map((value) => (value - mean) / sd);
    const length = Math.sqrt(dot(z, z));
    return [z.map((value) => value / length)];
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let t = 0; t < a.length; t++) total += a[t]! * b[t]!;
  return total;
}
