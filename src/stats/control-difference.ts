/** How much more a model beats a control before its cutoff than after it. */

import { assert } from "../core/assert.ts";
import { clusterContrast } from "./cluster-regression.ts";
import {
  type CutoffEstimate,
  type CutoffSides,
  type CutoffState,
  cutoffEstimate,
  cutoffSides,
  cutoffState,
  saysNothing,
} from "./discontinuity.ts";

export type ControlDifferenceInput = {
  /** How much better the treated is than the control on each case: > 0 better. */
  readonly d: Float64Array;
  /** Running variable, the cutoff at 0: r < 0 is before it, r ≥ 0 after. */
  readonly r: Float64Array;
  /** Cluster of each, 0..G−1; absent: each case is its own. */
  readonly clusters?: Int32Array;
};

export type ControlDifference = CutoffEstimate &
  CutoffSides & {
    /**
     * Least-squares slope of d on r over r ≥ 0, near 0 where the edge over the control is constant; NaN below
     * two distinct r.
     */
    readonly placeboSlope: number;
    /** Of that slope, over the rows r ≥ 0: CR2; HC1 without clusters. NaN where it has none, as on an exact line. */
    readonly placeboSe: number;
    /** Of placeboSe: Bell–McCaffrey; n − 2 without clusters. NaN where that is. */
    readonly placeboDf: number;
    readonly state: CutoffState;
  };

/**
 * Difference in differences: mean(d | r < 0) − mean(d | r ≥ 0); > 0: cases before the cutoff look too good,
 * against a control that knows none. n = all cases; errors and states as those of discontinuity, with 2
 * columns: "degenerate" too where CR2's se² ≤ 1e-20 · seHc0², as where d cancels within every cluster. Throws
 * RangeError for d or r that is not finite. Bertrand, Duflo and Mullainathan (2004), QJE 119(1), on its errors;
 * spec chapter 42.
 */
export function controlDifference({ d, r, clusters }: ControlDifferenceInput): ControlDifference {
  assert(
    d.length === r.length && (clusters === undefined || clusters.length === r.length),
    `controlDifference: ${d.length} of d, ${r.length} of r, ${clusters?.length ?? "no"} clusters`,
  );
  const groups = clusters ?? Int32Array.from(r, (_, i) => i);
  const x = new Float64Array(r.length * 2);
  for (let i = 0; i < r.length; i++) {
    if (!Number.isFinite(r[i]!)) throw new RangeError(`r[${i}]: expected a finite number, got ${r[i]}`);
    if (!Number.isFinite(d[i]!)) throw new RangeError(`d[${i}]: expected a finite number, got ${d[i]}`);
    x[i * 2 + (r[i]! < 0 ? 0 : 1)] = 1;
  }
  const fit = clusterContrast({ x, y: d, clusters: groups, k: 2, contrast: [1, -1] });
  const sides = cutoffSides(r, groups);
  const after = [...r.keys()].filter((i) => r[i]! >= 0);
  return {
    ...cutoffEstimate(fit, clusters !== undefined, 2),
    ...sides,
    placeboSlope: slopeOver(after, d, r),
    ...slopeError(after, { d, r, clusters: groups }, clusters !== undefined),
    state: cutoffState(fit, sides),
  };
}

type Cases = Required<ControlDifferenceInput>;

function slopeError(rows: readonly number[], { d, r, clusters }: Cases, clustered: boolean) {
  const fit = clusterContrast({
    x: Float64Array.from(rows.flatMap((i) => [1, r[i]!])),
    y: Float64Array.from(rows, (i) => d[i]!),
    clusters: Int32Array.from(rows, (i) => clusters[i]!),
    k: 2,
    contrast: [0, 1],
  });
  const { se, df } = cutoffEstimate(fit === null || saysNothing(fit) ? null : fit, clustered, 2);
  return { placeboSe: se, placeboDf: df };
}

function slopeOver(rows: readonly number[], d: Float64Array, r: Float64Array): number {
  const first = rows[0];
  if (first === undefined || rows.every((i) => r[i] === r[first])) return Number.NaN;
  const mean = (of: Float64Array) => rows.reduce((total, i) => total + of[i]!, 0) / rows.length;
  const [centre, level] = [mean(r), mean(d)];
  let spread = 0;
  let along = 0;
  for (const i of rows) {
    spread += (r[i]! - centre) * (r[i]! - centre);
    along += (r[i]! - centre) * (d[i]! - level);
  }
  return along / spread;
}
