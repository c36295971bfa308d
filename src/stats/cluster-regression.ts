/** A contrast of a weighted least-squares fit, with standard errors by cluster (CR2, Bell–McCaffrey). */

import { assert } from "../core/assert.ts";
import { orthonormalise } from "./orthonormal.ts";
import { eigenSymmetric } from "./symmetric.ts";

const UNIT_LEVERAGE_GAP = 1e-10; // 1 − λ below this is leverage 1
const CARRIED_MIN = 1e-10; // share of the contrast that clusters below leverage 1 must carry
const DEGENERATE_SHARE = 1e-20; // chapter 42: Σ w·e² ≤ 1e-20 · Σ w·Y²

export type ClusterContrastInput = {
  /** Design, row-major n×k. */
  x: Float64Array;
  y: Float64Array;
  /** One per row, ≥ 0; a row of weight 0 is left out of everything, n and clusters too. Absent: 1. */
  weights?: Float64Array;
  /** Cluster of each row, 0..G−1. */
  clusters: Int32Array;
  /** Columns: few, each of them a pass over the rows. */
  k: number;
  contrast: readonly number[];
};

export type ClusterContrast = {
  estimate: number;
  /** CR2. */
  se: number;
  /** Bell–McCaffrey (Satterthwaite) degrees of freedom of se. */
  df: number;
  seCr0: number;
  seCr1: number;
  seHc0: number;
  seHc1: number;
  /** G, clusters with a row of positive weight. */
  clusters: number;
  /** Rows of positive weight. */
  n: number;
  /** Eigenvalues, over all clusters, at leverage 1 (the generalised inverse leaves them out). */
  unitLeverage: number;
  /** Σ w·e² ≤ 1e-20 · Σ w·Y², or so over the rows that the contrast looks at: its errors say nothing. */
  degenerate: boolean;
};

/**
 * c'β̂ of weighted least squares. CR2 with identity working covariance on √w-scaled X and y: variance Σ_g
 * (a_g'e_g)², a_g = (I − H_gg)^(−½) X_g (X'X)⁻¹ c with the symmetric root, generalised inverse at leverage 1;
 * df = (Σ p_g'p_g)² / Σ_gh (p_g'p_h)², p_g = (I − H)_g' a_g. CR1 = CR0 · G/(G−1) · (n−1)/(n−k) and HC1 = HC0
 * · n/(n−k), in the variance. Linear in n: no n×n and no G×G matrix. null where no error can be estimated:
 * fewer than 2 clusters, n ≤ k, dependent columns, or no cluster below leverage 1 that carries the contrast.
 * Throws RangeError for a number that is not finite or a negative weight. Bell and McCaffrey (2002), Survey
 * Methodology 28(2); Pustejovsky and Tipton (2018), JBES 36(4).
 */
export function clusterContrast(input: ClusterContrastInput): ClusterContrast | null {
  const design = scaled(input);
  const { y, group, clusters, n, k } = design;
  if (clusters < 2 || n <= k) return null;
  // X = QR, so with Q for X: (X'X)⁻¹ is I, the contrast is R⁻ᵀc, and S_g = Q_g'Q_g has the leverages of
  // cluster g.
  const basis = orthonormalise(design.x, n, k);
  if (basis === null) return null;
  const { q } = basis;
  const c = basis.solveTransposed(input.contrast);
  const { estimate, residuals } = leastSquares(q, y, c);
  const sums = accumulate(q, residuals, group, clusters, c);
  const { hc0 } = sums;
  const corrected = correct(sums, clusters, c);
  if (corrected === null) return null;
  const inflation = (clusters / (clusters - 1)) * ((n - 1) / (n - k));
  return {
    estimate,
    se: Math.sqrt(corrected.cr2),
    df: corrected.df,
    seCr0: Math.sqrt(corrected.cr0),
    seCr1: Math.sqrt(corrected.cr0 * inflation),
    seHc0: Math.sqrt(hc0),
    seHc1: Math.sqrt((hc0 * n) / (n - k)),
    clusters,
    n,
    unitLeverage: corrected.unitLeverage,
    degenerate: Math.min(dot(residuals, residuals), hc0 / dot(c, c)) <= DEGENERATE_SHARE * dot(y, y),
  };
}

type Design = {
  x: Float64Array;
  y: Float64Array;
  group: Int32Array;
  clusters: number;
  n: number;
  k: number;
};

/** Rows of positive weight times √w, their clusters renumbered in order of first appearance. */
function scaled(input: ClusterContrastInput): Design {
  const { k, weights } = input;
  const rows = input.y.length;
  assert(
    input.x.length === rows * k && input.clusters.length === rows && input.contrast.length === k,
    `clusterContrast: ${rows} rows need ${rows * k} design cells, ${rows} clusters, ${k} contrast cells`,
  );
  assert(weights === undefined || weights.length === rows, "clusterContrast: one weight for each row");
  const x = new Float64Array(rows * k);
  const y = new Float64Array(rows);
  const group = new Int32Array(rows);
  const seen = new Map<number, number>();
  let n = 0;
  for (let row = 0; row < rows; row++) {
    const weight = weights === undefined ? 1 : weights[row]!;
    if (!(weight >= 0 && Number.isFinite(weight))) {
      throw new RangeError(`weights[${row}]: expected a finite number >= 0, got ${weight}`);
    }
    if (weight === 0) continue;
    const root = Math.sqrt(weight);
    for (let j = 0; j < k; j++) x[n * k + j] = finite(input.x[row * k + j]!, "x", row) * root;
    y[n] = finite(input.y[row]!, "y", row) * root;
    const cluster = input.clusters[row]!;
    if (!seen.has(cluster)) seen.set(cluster, seen.size);
    group[n] = seen.get(cluster)!;
    n += 1;
  }
  return { x, y: y.subarray(0, n), group: group.subarray(0, n), clusters: seen.size, n, k };
}

function finite(value: number, what: string, row: number): number {
  if (!Number.isFinite(value))
    throw new RangeError(`${what}[${row}]: expected a finite number, got ${value}`);
  return value;
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i]! * b[i]!;
  return total;
}

function leastSquares(q: Float64Array, y: Float64Array, c: Float64Array) {
  const k = c.length;
  const beta = new Float64Array(k);
  for (let i = 0; i < y.length; i++) {
    for (let j = 0; j < k; j++) beta[j] = beta[j]! + q[i * k + j]! * y[i]!;
  }
  const residuals = Float64Array.from(y);
  for (let i = 0; i < y.length; i++) {
    for (let j = 0; j < k; j++) residuals[i] = residuals[i]! - q[i * k + j]! * beta[j]!;
  }
  return { estimate: dot(c, beta), residuals };
}

type Eigen = ReturnType<typeof eigenSymmetric>;
type Sums = Pick<ReturnType<typeof accumulate>, "counts" | "grams" | "scores">;

/** By cluster: S_g = Q_g'Q_g (k×k each) and Q_g'e_g (k each); and the HC0 variance Σ (q_i'c · e_i)². */
function accumulate(
  q: Float64Array,
  residuals: Float64Array,
  group: Int32Array,
  clusters: number,
  c: Float64Array,
) {
  const k = c.length;
  const counts = new Int32Array(clusters);
  const grams = new Float64Array(clusters * k * k);
  const scores = new Float64Array(clusters * k);
  let hc0 = 0;
  for (let i = 0; i < residuals.length; i++) {
    const g = group[i]!;
    counts[g]! += 1;
    const residual = residuals[i]!;
    let influence = 0;
    for (let r = 0; r < k; r++) {
      const left = q[i * k + r]!;
      influence += left * c[r]!;
      scores[g * k + r] = scores[g * k + r]! + left * residual;
      for (let s = 0; s < k; s++) {
        const cell = (g * k + r) * k + s;
        grams[cell] = grams[cell]! + left * q[i * k + s]!;
      }
    }
    hc0 += influence * residual * (influence * residual);
  }
  return { counts, grams, scores, hc0 };
}

/** Of qq', a cluster of one row, all but one eigenvalue are 0: that one, and its vector as the first column. */
function eigenOfOne(gram: Float64Array, k: number, pair: Eigen): Eigen {
  let most = 0;
  let value = 0;
  for (let j = 0; j < k; j++) {
    value += gram[j * k + j]!;
    if (gram[j * k + j]! > gram[most * k + most]!) most = j;
  }
  const length = Math.sqrt(gram[most * k + most]! * value);
  pair.values[0] = value;
  for (let r = 0; r < k; r++) pair.vectors[r * k] = length === 0 ? 0 : gram[r * k + most]! / length;
  return pair;
}

/**
 * With S_g = V Λ V': b_g = V (I − Λ)^(−½) V'c, u_g = S_g b_g. p_g'p_h = −u_g'u_h for g ≠ h, and p_g'p_g is
 * b_g'S_g b_g − u_g'u_g = Σ λ_j (V'c)_j² over λ_j < 1; so Σ_gh (p_g'p_h)² = Σ_g ((p_g'p_g)² − (u_g'u_g)²) +
 * ‖Σ u_g u_g'‖².
 */
function correct({ counts, grams, scores }: Sums, clusters: number, c: Float64Array) {
  const k = c.length;
  const one = { values: new Float64Array(1), vectors: new Float64Array(k * k) };
  const outer = new Float64Array(k * k);
  const u = new Float64Array(k);
  let cr0 = 0;
  let cr2 = 0;
  let trace = 0;
  let squares = 0;
  let unitLeverage = 0;
  for (let g = 0; g < clusters; g++) {
    const score = scores.subarray(g * k, (g + 1) * k);
    const gram = grams.subarray(g * k * k, (g + 1) * k * k);
    const { values, vectors } = counts[g] === 1 ? eigenOfOne(gram, k, one) : eigenSymmetric(gram, k);
    const plain = dot(c, score);
    cr0 += plain * plain;
    u.fill(0);
    let own = 0;
    let part = 0;
    for (let j = 0; j < values.length; j++) {
      const leverage = Math.max(0, values[j]!);
      if (1 - leverage < UNIT_LEVERAGE_GAP) {
        unitLeverage += 1;
        continue;
      }
      let along = 0;
      let scored = 0;
      for (let r = 0; r < k; r++) {
        along += vectors[r * k + j]! * c[r]!;
        scored += vectors[r * k + j]! * score[r]!;
      }
      const b = along / Math.sqrt(1 - leverage);
      part += b * scored;
      own += leverage * along * along;
      for (let r = 0; r < k; r++) u[r] = u[r]! + vectors[r * k + j]! * leverage * b;
    }
    cr2 += part * part;
    trace += own;
    const length = dot(u, u);
    squares += own * own - length * length;
    for (let r = 0; r < k; r++) {
      for (let s = 0; s < k; s++) outer[r * k + s] = outer[r * k + s]! + u[r]! * u[s]!;
    }
  }
  if (trace <= CARRIED_MIN * dot(c, c)) return null;
  return { cr0, cr2, df: (trace * trace) / (squares + dot(outer, outer)), unitLeverage };
}
