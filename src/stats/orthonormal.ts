/** The thin QR factorisation of a tall matrix with few columns. */

const DEPENDENT_SHARE = 1e-12; // a column this close to the span of those before it is dependent

export type Orthonormal = {
  /** Orthonormal columns, row-major n×k. */
  q: Float64Array;
  /** z with R'z = c, R the triangular factor. */
  solveTransposed(c: readonly number[]): Float64Array;
};

/**
 * X = QR by Gram–Schmidt, each column cleared twice ("twice is enough": Giraud, Langou and Rozložník 2005,
 * Numer. Math. 101). x is row-major, its first n rows are read. null when a column depends on those before
 * it.
 */
export function orthonormalise(x: Float64Array, n: number, k: number): Orthonormal | null {
  const q = x.slice(0, n * k);
  const r = new Float64Array(k * k);
  for (let j = 0; j < k; j++) {
    const before = norm(q, n, k, j);
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < j; i++) {
        let along = 0;
        for (let row = 0; row < n; row++) along += q[row * k + i]! * q[row * k + j]!;
        for (let row = 0; row < n; row++) q[row * k + j] = q[row * k + j]! - along * q[row * k + i]!;
        r[i * k + j] = r[i * k + j]! + along;
      }
    }
    const length = norm(q, n, k, j);
    if (length <= DEPENDENT_SHARE * before) return null;
    for (let row = 0; row < n; row++) q[row * k + j] = q[row * k + j]! / length;
    r[j * k + j] = length;
  }
  return { q, solveTransposed: (c) => forward(r, k, c) };
}

function norm(q: Float64Array, n: number, k: number, column: number): number {
  let squares = 0;
  for (let row = 0; row < n; row++) squares += q[row * k + column]! * q[row * k + column]!;
  return Math.sqrt(squares);
}

function forward(r: Float64Array, k: number, c: readonly number[]): Float64Array {
  const z = new Float64Array(k);
  for (let j = 0; j < k; j++) {
    let rest = c[j]!;
    for (let i = 0; i < j; i++) rest -= r[i * k + j]! * z[i]!;
    z[j] = rest / r[j * k + j]!;
  }
  return z;
}
