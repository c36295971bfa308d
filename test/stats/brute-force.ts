/**
 * CR2 and Bell–McCaffrey spelled out with n×n matrices, sharing only the small eigen-decomposition with ours.
 */

import type { ClusterContrastInput } from "../../src/stats/cluster-regression.ts";
import { eigenSymmetric } from "../../src/stats/symmetric.ts";

type Matrix = number[][];

export type BruteForce = {
  estimate: number;
  se: number;
  df: number;
  seCr0: number;
  seCr1: number;
  seHc0: number;
  seHc1: number;
  clusters: number;
  n: number;
  unitLeverage: number;
  /** Smallest eigenvalue of I − H_gg above 0: with it small, these matrices are too inexact to be an oracle. */
  gap: number;
};

const transpose = (a: Matrix): Matrix => a[0]!.map((_, j) => a.map((row) => row[j]!));
const inner = (a: number[], b: number[]) => a.reduce((total, value, i) => total + value * b[i]!, 0);
const apply = (a: Matrix, v: number[]) => a.map((row) => inner(row, v));
const times = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => transpose(b).map((column) => inner(row, column)));

/** Gauss–Jordan with partial pivots; null when singular. */
function inverse(a: Matrix): Matrix | null {
  const k = a.length;
  const work = a.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))]);
  for (let column = 0; column < k; column++) {
    let pivot = column;
    for (let row = column; row < k; row++) {
      if (Math.abs(work[row]![column]!) > Math.abs(work[pivot]![column]!)) pivot = row;
    }
    if (Math.abs(work[pivot]![column]!) < 1e-9) return null;
    [work[column], work[pivot]] = [work[pivot]!, work[column]!];
    const scale = work[column]![column]!;
    work[column] = work[column]!.map((value) => value / scale);
    for (let row = 0; row < k; row++) {
      const factor = work[row]![column]!;
      if (row !== column) work[row] = work[row]!.map((value, j) => value - factor * work[column]![j]!);
    }
  }
  return work.map((row) => row.slice(k));
}

/** (symmetric)^(−½) with 0 in place of 1/√0, how many were 0, and the least that was not. At most 8 rows. */
function inverseRoot(a: Matrix): { root: Matrix; zeros: number; least: number } {
  const m = a.length;
  const { values, vectors } = eigenSymmetric(Float64Array.from(a.flat()), m);
  const powers = Array.from(values, (value) => (value < 1e-9 ? 0 : 1 / Math.sqrt(value)));
  const v = a.map((_, i) => a.map((__, j) => vectors[i * m + j]!));
  const root = times(
    v.map((row) => row.map((value, j) => value * powers[j]!)),
    transpose(v),
  );
  const least = Math.min(...values.filter((value) => value >= 1e-9));
  return { root, zeros: powers.filter((power) => power === 0).length, least };
}

export function bruteForce(input: ClusterContrastInput): BruteForce | null {
  const { k, contrast } = input;
  const kept = [...input.y.keys()].filter((i) => (input.weights?.[i] ?? 1) > 0);
  const n = kept.length;
  const ids = [...new Set(kept.map((i) => input.clusters[i]!))];
  if (ids.length < 2 || n <= k) return null;
  const root = kept.map((i) => Math.sqrt(input.weights?.[i] ?? 1));
  const x = kept.map((i, at) => [...input.x.subarray(i * k, (i + 1) * k)].map((cell) => cell * root[at]!));
  const y = kept.map((i, at) => input.y[i]! * root[at]!);
  const bread = inverse(times(transpose(x), x));
  if (bread === null) return null;
  const beta = apply(bread, apply(transpose(x), y));
  const hat = times(times(x, bread), transpose(x));
  const maker = hat.map((row, i) => row.map((value, j) => Number(i === j) - value)); // I − H
  const e = apply(maker, y);
  const influence = apply(x, apply(bread, [...contrast]));
  const projected: number[][] = [];
  let [cr2, cr0, unitLeverage, gap] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (const id of ids) {
    const rows = kept.flatMap((i, at) => (input.clusters[i] === id ? [at] : []));
    const own = rows.map((i) => rows.map((j) => maker[i]![j]!));
    const { root: adjust, zeros, least } = inverseRoot(own);
    gap = Math.min(gap, least);
    const share = rows.map((i) => influence[i]!);
    const a = apply(adjust, share);
    const residuals = rows.map((i) => e[i]!);
    const [corrected, plain] = [inner(a, residuals), inner(share, residuals)];
    cr2 += corrected * corrected;
    cr0 += plain * plain;
    unitLeverage += zeros;
    const columns = maker.map((row) => rows.map((i) => row[i]!));
    projected.push(apply(columns, a));
  }
  let trace = 0;
  let squares = 0;
  for (const p of projected) {
    trace += inner(p, p);
    for (const q of projected) squares += inner(p, q) * inner(p, q);
  }
  if (trace < 1e-9 * inner(influence, influence)) return null;
  const hc0 = e.reduce(
    (total, residual, i) => total + residual * influence[i]! * (residual * influence[i]!),
    0,
  );
  const groups = ids.length;
  return {
    estimate: inner([...contrast], beta),
    se: Math.sqrt(cr2),
    df: (trace * trace) / squares,
    seCr0: Math.sqrt(cr0),
    seCr1: Math.sqrt(((cr0 * groups) / (groups - 1)) * ((n - 1) / (n - k))),
    seHc0: Math.sqrt(hc0),
    seHc1: Math.sqrt((hc0 * n) / (n - k)),
    clusters: groups,
    n,
    unitLeverage,
    gap,
  };
}
