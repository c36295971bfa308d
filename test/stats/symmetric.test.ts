import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eigenSymmetric } from "../../src/stats/symmetric.ts";
import { within } from "./close.ts";

const square = fc.integer({ min: 1, max: 8 }).chain((k) =>
  fc
    .array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: k * k, maxLength: k * k })
    .map((cells) => {
      const a = Float64Array.from(cells);
      for (let i = 0; i < k; i++) for (let j = 0; j < i; j++) a[i * k + j] = a[j * k + i]!;
      return { a, k };
    }),
);

test("eigenSymmetric: [[2,1],[1,2]] has 1 and 3; the second-difference matrix has 2 − 2cos(jπ/(k+1))", () => {
  const { values } = eigenSymmetric(Float64Array.of(2, 1, 1, 2), 2);
  within(Math.min(...values), 1, 1e-15);
  within(Math.max(...values), 3, 1e-15);
  const k = 6;
  const path = new Float64Array(k * k);
  for (let i = 0; i < k; i++) {
    path[i * k + i] = 2;
    if (i > 0) path[i * k + i - 1] = path[(i - 1) * k + i] = -1;
  }
  const sorted = eigenSymmetric(path, k).values.sort();
  for (let j = 0; j < k; j++) within(sorted[j]!, 2 - 2 * Math.cos(((j + 1) * Math.PI) / (k + 1)), 4e-15);
});

test("eigenSymmetric: V diag(values) V' is the matrix again, and V'V is I", () => {
  fc.assert(
    fc.property(square, ({ a, k }) => {
      const { values, vectors } = eigenSymmetric(a, k);
      for (let i = 0; i < k; i++) {
        for (let j = 0; j < k; j++) {
          let cell = 0;
          let inner = 0;
          for (let l = 0; l < k; l++) {
            cell += vectors[i * k + l]! * values[l]! * vectors[j * k + l]!;
            inner += vectors[l * k + i]! * vectors[l * k + j]!;
          }
          within(cell, a[i * k + j]!, 1e-12);
          within(inner, i === j ? 1 : 0, 1e-13);
        }
      }
    }),
  );
});

test("eigenSymmetric: the input is left as it was, and a wrong size is our bug", () => {
  const a = Float64Array.of(2, 1, 1, 2);
  eigenSymmetric(a, 2);
  assert.deepEqual([...a], [2, 1, 1, 2]);
  assert.throws(() => eigenSymmetric(a, 3));
  assert.throws(() => eigenSymmetric(new Float64Array(80), 9));
});
