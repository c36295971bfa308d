import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orthonormalise } from "../../src/stats/orthonormal.ts";
import { within } from "./close.ts";

test("orthonormalise: an intercept and days by the thousand are as orthogonal as they get", () => {
  const n = 50;
  const x = new Float64Array(n * 3);
  for (let i = 0; i < n; i++) {
    const day = 20000 + i;
    x.set([1, day, day * day], i * 3);
  }
  const { q } = orthonormalise(x, n, 3)!;
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) {
      let inner = 0;
      for (let i = 0; i < n; i++) inner += q[i * 3 + a]! * q[i * 3 + b]!;
      within(inner, a === b ? 1 : 0, 1e-14);
    }
  }
});

test("orthonormalise: q_i'z is x_i'β for the c that solves R'z = c, on Pythagorean columns", () => {
  // X = [[3, 0], [4, 5]]: q1 = (.6, .8), R = [[5, 4], [0, 3]], q2 = (−.8, .6).
  const { q, solveTransposed } = orthonormalise(Float64Array.of(3, 0, 4, 5), 2, 2)!;
  for (const [i, expected] of [0.6, -0.8, 0.8, 0.6].entries()) within(q[i]!, expected, 1e-15);
  const z = solveTransposed([5, 10]);
  within(z[0]!, 1, 1e-15);
  within(z[1]!, 2, 1e-15);
});

test("orthonormalise: null when a column is a sum of the others, or zero", () => {
  const column = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(column, column, fc.integer({ min: -3, max: 3 }), (a, b, times) => {
      const x = Float64Array.from(a.flatMap((value, i) => [value, b[i]!, value + times * b[i]!]));
      assert.equal(orthonormalise(x, 5, 3), null);
    }),
  );
  assert.equal(orthonormalise(new Float64Array(4), 4, 1), null);
});
