/** Eigenvalues and eigenvectors of a small symmetric matrix. */

import { assert } from "../core/assert.ts";

const SIZE_MAX = 1024;
const SWEEPS_MAX = 60;

/**
 * A = V diag(values) V' for a symmetric k×k matrix, row-major, k small (only the upper triangle is
 * believed); column j of the row-major `vectors` belongs to values[j], in no order. Cyclic Jacobi rotations:
 * Golub and Van Loan, Matrix Computations (4th ed.), 8.5.
 */
export function eigenSymmetric(
  matrix: Float64Array,
  k: number,
): { values: Float64Array; vectors: Float64Array } {
  assert(
    k >= 1 && k <= SIZE_MAX && matrix.length === k * k,
    `eigenSymmetric: ${matrix.length} cells for k ${k}`,
  );
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(k * k);
  for (let i = 0; i < k; i++) vectors[i * k + i] = 1;
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    if (rotateAll(a, vectors, k) === 0) {
      const values = new Float64Array(k);
      for (let i = 0; i < k; i++) values[i] = a[i * k + i]!;
      return { values, vectors };
    }
  }
  assert(false, "eigenSymmetric: the rotations did not settle");
}

/** One sweep over the upper triangle; the number of rotations that still mattered. */
function rotateAll(a: Float64Array, vectors: Float64Array, k: number): number {
  let rotations = 0;
  for (let p = 0; p < k - 1; p++) {
    for (let q = p + 1; q < k; q++) {
      const off = a[p * k + q]!;
      const app = a[p * k + p]!;
      const aqq = a[q * k + q]!;
      const size = Math.abs(app) + Math.abs(aqq);
      if (size + Math.abs(off) === size) continue;
      rotations += 1;
      const theta = (aqq - app) / (2 * off);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const cosine = 1 / Math.sqrt(t * t + 1);
      rotate(a, vectors, k, p, q, cosine, t * cosine);
      a[p * k + p] = app - t * off;
      a[q * k + q] = aqq + t * off;
      a[p * k + q] = 0;
      a[q * k + p] = 0;
    }
  }
  return rotations;
}

function rotate(
  a: Float64Array,
  vectors: Float64Array,
  k: number,
  p: number,
  q: number,
  cosine: number,
  sine: number,
): void {
  for (let i = 0; i < k; i++) {
    if (i !== p && i !== q) {
      const ip = i < p ? i * k + p : p * k + i;
      const iq = i < q ? i * k + q : q * k + i;
      const left = a[ip]!;
      const right = a[iq]!;
      a[ip] = cosine * left - sine * right;
      a[iq] = sine * left + cosine * right;
    }
    const left = vectors[i * k + p]!;
    const right = vectors[i * k + q]!;
    vectors[i * k + p] = cosine * left - sine * right;
    vectors[i * k + q] = sine * left + cosine * right;
  }
}
