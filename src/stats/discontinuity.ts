/** The jump of an outcome at a cutoff: a line on each side, the error by cluster, and what the sides hold. */

import { assert } from "../core/assert.ts";
import { contract } from "../core/contract.ts";
import { type BootstrapDraw, percentileBootstrap } from "./bootstrap.ts";
import { type ClusterContrast, clusterContrast } from "./cluster-regression.ts";

/** Which outcome is the better one. */
export type Better = "lower" | "higher";

export type DiscontinuityInput = {
  /** Running variable, the cutoff at 0: r < 0 is before it, r ≥ 0 after. */
  readonly r: Float64Array;
  readonly y: Float64Array;
  readonly better: Better;
  /** Cluster of each, 0..G−1, in the order of their ids' code units; absent: each row is its own. */
  readonly clusters?: Int32Array;
  /** h > 0: rows with |r| < h are in the window. */
  readonly bandwidth: number;
  /** d in [0, h): of the window, rows with |r| ≥ d are kept. */
  readonly donut: number;
};

/** Weighted least-squares line of a side in y's own orientation; NaN below two distinct r. */
export type Line = {
  /** At r = 0. */
  readonly level: number;
  /** Per unit of r. */
  readonly slope: number;
};

/** What stands before (r < 0) and after the cutoff: rows, and clusters with a row there. */
export type CutoffSides = {
  readonly nPre: number;
  readonly nPost: number;
  readonly clustersPre: number;
  readonly clustersPost: number;
  /** Those on both sides once. */
  readonly clusters: number;
};

/** Tested in this order. Spec chapter 42. */
export type CutoffState = "degenerate" | "not estimable" | "estimated";

/** NaN, all of them, where the fit or its error is impossible. */
export type CutoffEstimate = {
  readonly estimate: number;
  /** CR2; HC1 without clusters. */
  readonly se: number;
  /** Bell–McCaffrey; n less the columns without clusters. */
  readonly df: number;
  readonly seCr1: number;
  readonly seHc0: number;
  readonly seHc1: number;
  readonly unitLeverage: number;
};

export type Discontinuity = CutoffEstimate &
  CutoffSides & { readonly state: CutoffState; readonly pre: Line; readonly post: Line };

/**
 * Leak at the cutoff: post.level − pre.level where lower is better, the reverse where higher is; > 0: rows
 * before it look too good. Lines by weighted least squares, w = 1 − |r|/h, on d ≤ |r| < h; n, clusters and
 * sides count those rows alone. An exact fit is "degenerate", and so are residuals that cancel within every
 * cluster: CR2's se² ≤ 1e-20 · seHc0². Fewer than contract.leakClusters clusters or leakCases rows on a side is
 * "not estimable"; the numbers stand where there are any. Throws RangeError for r or y that is not finite, h not
 * > 0, d outside [0, h). Hahn, Todd and van der Klaauw (2001), Econometrica 69(1); spec chapter 42.
 */
export function discontinuity(input: DiscontinuityInput): Discontinuity {
  const rows = windowOf(input);
  const n = rows.r.length;
  const x = new Float64Array(n * 4);
  for (let i = 0; i < n; i++) {
    const before = Number(rows.r[i]! < 0);
    x[i * 4] = 1;
    x[i * 4 + 1] = before;
    x[i * 4 + 2] = rows.r[i]!;
    x[i * 4 + 3] = before * rows.r[i]!;
  }
  const fit = clusterContrast({
    x,
    y: rows.y,
    weights: rows.weights,
    clusters: rows.clusters,
    k: 4,
    contrast: [0, signOf(input.better), 0, 0],
  });
  const sides = cutoffSides(rows.r, rows.clusters);
  const { sums, centres } = sideSums(rows, new Int32Array(n), 1);
  return {
    ...cutoffEstimate(fit, input.clusters !== undefined, 4),
    ...sides,
    state: cutoffState(fit, sides),
    pre: lineOf(sums, PRE, centres),
    post: lineOf(sums, POST, centres),
  };
}

/**
 * Percentile interval of the leak over resamples of the clusters with a row in the window (rows, without
 * clusters), in the order of their numbers, as percentileBootstrap; a resample without a line on each side is
 * redrawn. null: no such cluster, or more than 5 % redrawn. Linear in n + resamples·G. Throws RangeError as
 * discontinuity and percentileBootstrap do. Spec chapters 42, 63.
 */
export function discontinuityBootstrap(
  input: DiscontinuityInput,
  draw: BootstrapDraw,
): { lo: number; hi: number; redrawn: number } | null {
  const rows = windowOf(input);
  const { numbers, count } = renumbered(rows.clusters);
  const { sums, centres } = sideSums(rows, numbers, count);
  const sign = signOf(input.better);
  const total = new Float64Array(WIDTH);
  const result = percentileBootstrap(count, draw, (drawn) => {
    addSide(sums, drawn, PRE, total);
    addSide(sums, drawn, POST, total);
    return sign * (lineOf(total, PRE, centres).level - lineOf(total, POST, centres).level);
  });
  return result.state === "estimated" ? { lo: result.lo, hi: result.hi, redrawn: result.redrawn } : null;
}

/** Counts by side of the cutoff; clusters[i] ≥ 0 is the cluster of r[i]. */
export function cutoffSides(r: Float64Array, clusters: Int32Array): CutoffSides {
  const seen = new Uint8Array(last(clusters) + 1);
  let nPre = 0;
  for (let i = 0; i < r.length; i++) {
    const before = r[i]! < 0;
    if (before) nPre += 1;
    seen[clusters[i]!] = seen[clusters[i]!]! | (before ? 1 : 2);
  }
  const having = (sides: number) =>
    seen.reduce((count, cluster) => count + Number((cluster & sides) !== 0), 0);
  return {
    nPre,
    nPost: r.length - nPre,
    clustersPre: having(1),
    clustersPost: having(2),
    clusters: having(3),
  };
}

/** A fit whose error says nothing first, then whether each side holds enough. */
export function cutoffState(fit: ClusterContrast | null, sides: CutoffSides): CutoffState {
  if (fit === null) return "not estimable";
  if (saysNothing(fit)) return "degenerate";
  const clusters = Math.min(sides.clustersPre, sides.clustersPost);
  const cases = Math.min(sides.nPre, sides.nPost);
  return clusters < contract.leakClusters || cases < contract.leakCases ? "not estimable" : "estimated";
}

/** Below this share of HC0's, the clusters' variance is rounding: their residuals sum to 0 in each. */
const CANCELLED_SHARE = 1e-20;

/** An exact fit, or residuals that cancel within every cluster. */
export function saysNothing({ degenerate, se, seHc0 }: ClusterContrast): boolean {
  return degenerate || se * se <= CANCELLED_SHARE * seHc0 * seHc0;
}

export function cutoffEstimate(fit: ClusterContrast | null, clustered: boolean, k: number): CutoffEstimate {
  const none = Number.NaN;
  if (fit === null) {
    return { estimate: none, se: none, df: none, seCr1: none, seHc0: none, seHc1: none, unitLeverage: none };
  }
  const { estimate, seCr1, seHc0, seHc1, unitLeverage } = fit;
  const { se, df } = clustered ? fit : { se: seHc1, df: fit.n - k };
  return { estimate, se, df, seCr1, seHc0, seHc1, unitLeverage };
}

/** Of the coefficient of "before". */
function signOf(better: Better): number {
  return better === "lower" ? -1 : 1;
}

type Rows = { r: Float64Array; y: Float64Array; weights: Float64Array; clusters: Int32Array };

/** Rows of positive weight; without clusters each is numbered by its place. */
function windowOf({ r, y, clusters, bandwidth: h, donut }: DiscontinuityInput): Rows {
  assert(
    y.length === r.length && (clusters === undefined || clusters.length === r.length),
    `discontinuity: ${r.length} of r, ${y.length} of y, ${clusters?.length ?? "no"} clusters`,
  );
  if (!(h > 0 && Number.isFinite(h)))
    throw new RangeError(`bandwidth: expected a finite number > 0, got ${h}`);
  if (!(donut >= 0 && donut < h)) throw new RangeError(`donut: expected a number in [0, ${h}), got ${donut}`);
  const rows: Rows = {
    r: new Float64Array(r.length),
    y: new Float64Array(r.length),
    weights: new Float64Array(r.length),
    clusters: new Int32Array(r.length),
  };
  let n = 0;
  for (let i = 0; i < r.length; i++) {
    if (!Number.isFinite(r[i]!)) throw new RangeError(`r[${i}]: expected a finite number, got ${r[i]}`);
    if (!Number.isFinite(y[i]!)) throw new RangeError(`y[${i}]: expected a finite number, got ${y[i]}`);
    const weight = 1 - Math.abs(r[i]!) / h;
    if (weight <= 0 || Math.abs(r[i]!) < donut) continue;
    rows.r[n] = r[i]!;
    rows.y[n] = y[i]!;
    rows.weights[n] = weight;
    rows.clusters[n] = clusters === undefined ? i : clusters[i]!;
    n += 1;
  }
  return {
    r: rows.r.subarray(0, n),
    y: rows.y.subarray(0, n),
    weights: rows.weights.subarray(0, n),
    clusters: rows.clusters.subarray(0, n),
  };
}

/** −1 for none. */
function last(clusters: Int32Array): number {
  return clusters.reduce((greatest, cluster) => Math.max(greatest, cluster), -1);
}

/** The numbers that occur, as 0, 1, 2… in their order. */
function renumbered(clusters: Int32Array): { numbers: Int32Array; count: number } {
  const rank = new Int32Array(last(clusters) + 1);
  for (const cluster of clusters) rank[cluster] = 1;
  let count = 0;
  for (let cluster = 0; cluster < rank.length; cluster++) {
    if (rank[cluster] === 1) rank[cluster] = count++;
  }
  return { numbers: clusters.map((cluster) => rank[cluster]!), count };
}

/** Of a side: Σ w, Σ w·u, Σ w·u², Σ w·v, Σ w·u·v, where u = r − r̄ and v = y − ȳ, the side's own means. */
const PRE = 0;
const POST = 5;
const WIDTH = 10;

type SideSums = {
  /** WIDTH for each group. */
  sums: Float64Array;
  /** r̄ and ȳ of a side stand where its Σ w·u and Σ w·v do. */
  centres: Float64Array;
};

function sideSums({ r, y, weights }: Rows, group: Int32Array, groups: number): SideSums {
  const centres = new Float64Array(WIDTH);
  for (let i = 0; i < r.length; i++) {
    const side = r[i]! < 0 ? PRE : POST;
    centres[side] = centres[side]! + weights[i]!;
    centres[side + 1] = centres[side + 1]! + weights[i]! * r[i]!;
    centres[side + 3] = centres[side + 3]! + weights[i]! * y[i]!;
  }
  for (const side of [PRE, POST]) {
    centres[side + 1] = centres[side + 1]! / centres[side]!;
    centres[side + 3] = centres[side + 3]! / centres[side]!;
  }
  const sums = new Float64Array(groups * WIDTH);
  for (let i = 0; i < r.length; i++) {
    const side = r[i]! < 0 ? PRE : POST;
    const at = group[i]! * WIDTH + side;
    const w = weights[i]!;
    const u = r[i]! - centres[side + 1]!;
    const v = y[i]! - centres[side + 3]!;
    sums[at] = sums[at]! + w;
    sums[at + 1] = sums[at + 1]! + w * u;
    sums[at + 2] = sums[at + 2]! + w * u * u;
    sums[at + 3] = sums[at + 3]! + w * v;
    sums[at + 4] = sums[at + 4]! + w * u * v;
  }
  return { sums, centres };
}

/** The sums of a side over the groups drawn, each in a variable of its own: a bootstrap spends its time here. */
function addSide(sums: Float64Array, drawn: Int32Array, side: number, total: Float64Array): void {
  let [w, u, uu, v, uv] = [0, 0, 0, 0, 0];
  for (let i = 0; i < drawn.length; i++) {
    const at = drawn[i]! * WIDTH + side;
    w += sums[at]!;
    u += sums[at + 1]!;
    uu += sums[at + 2]!;
    v += sums[at + 3]!;
    uv += sums[at + 4]!;
  }
  total[side] = w;
  total[side + 1] = u;
  total[side + 2] = uu;
  total[side + 3] = v;
  total[side + 4] = uv;
}

/** Below this share of Σ w·u², what is left of it about the mean is rounding: all r are one. */
const SPREAD_SHARE = 1e-10;

function lineOf(sums: Float64Array, side: number, centres: Float64Array): Line {
  const u = sums[side + 1]! / sums[side]!;
  const v = sums[side + 3]! / sums[side]!;
  const spread = sums[side + 2]! - sums[side + 1]! * u;
  if (!(spread > SPREAD_SHARE * sums[side + 2]!)) return { level: Number.NaN, slope: Number.NaN };
  const slope = (sums[side + 4]! - sums[side + 1]! * v) / spread;
  return { level: centres[side + 3]! + v - slope * (centres[side + 1]! + u), slope };
}
