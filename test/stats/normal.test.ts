import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalCdf, normalQuantile } from "../../src/stats/normal.ts";
import { close, within } from "./close.ts";
import { oracle } from "./oracle.ts";

// mpmath 1.3 at 40 digits: erfc(−x/√2)/2.
const CDF = [
  [-37.5, 4.605353009581955e-308],
  [-20, 2.7536241186062337e-89],
  [-10, 7.619853024160525e-24],
  [-6, 9.86587645037698e-10],
  [-5.5, 1.8989562465887718e-8],
  [-3, 0.0013498980316300946],
  [-1, 0.15865525393145705],
  [-0.5, 0.3085375387259869],
  [0.5, 0.6914624612740131],
  [1.96, 0.9750021048517795],
] as const;

// mpmath 1.3 at 40 digits: the root of the above.
const QUANTILE = [
  [1e-300, -37.0470962993612],
  [1e-20, -9.262340089798407],
  [1e-10, -6.361340902404057],
  [0.001, -3.0902323061678136],
  [0.025, -1.9599639845400543],
  [0.075, -1.439531470938456],
  [0.3, -0.5244005127080408],
  [0.8, 0.8416212335729142],
  [0.975, 1.9599639845400543],
] as const;

test("normalCdf: 1e-13 relative to mpmath, tails included", () => {
  for (const [x, expected] of CDF) close(normalCdf(x), expected, 1e-13, `Φ(${x})`);
  assert.deepEqual([normalCdf(-Infinity), normalCdf(0), normalCdf(Infinity)], [0, 0.5, 1]);
});

test("normalQuantile: 2e-15 relative to mpmath, tails included", () => {
  for (const [p, expected] of QUANTILE) close(normalQuantile(p), expected, 2e-15, `Φ⁻¹(${p})`);
  assert.deepEqual([normalQuantile(0), normalQuantile(0.5), normalQuantile(1)], [-Infinity, 0, Infinity]);
});

test("normal: the cdf undoes the quantile, down to the smallest tails", () => {
  fc.assert(
    fc.property(fc.double({ min: -690, max: -0.7, noNaN: true }), (logP) => {
      const p = Math.exp(logP);
      close(normalCdf(normalQuantile(p)), p, 1e-12, `p ${p}`);
    }),
  );
});

test("normal: Φ rises, and Φ(−x) = 1 − Φ(x)", () => {
  const x = fc.double({ min: -38, max: 38, noNaN: true });
  fc.assert(
    fc.property(x, x, (a, b) => {
      assert.ok(a <= b === normalCdf(a) <= normalCdf(b) || normalCdf(a) === normalCdf(b));
      within(normalCdf(-a), 1 - normalCdf(a), 2e-16);
    }),
  );
});

test("normal: agrees with jstat at jstat's accuracy", () => {
  fc.assert(
    fc.property(fc.double({ min: -5, max: 5, noNaN: true }), (x) => {
      within(normalCdf(x), oracle.normal.cdf(x, 0, 1), 1e-12);
    }),
  );
});

test("normal: refuses NaN and what is not a probability", () => {
  assert.throws(() => normalCdf(Number.NaN), RangeError);
  for (const p of [-1e-9, 1 + 1e-9, Number.NaN]) assert.throws(() => normalQuantile(p), RangeError);
});
