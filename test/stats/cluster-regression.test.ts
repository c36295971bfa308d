import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ClusterContrastInput, clusterContrast } from "../../src/stats/cluster-regression.ts";
import { type BruteForce, bruteForce } from "./brute-force.ts";
import { close, within } from "./close.ts";

const R = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5];

/** Chapter 42's design: intercept, pre, r, pre·r with triangular weights; leak = −(coefficient of pre). */
function discontinuity(y: number[], h: number): ClusterContrastInput {
  return {
    x: Float64Array.from(R.flatMap((r) => (r < 0 ? [1, 1, r, r] : [1, 0, r, 0]))),
    y: Float64Array.from(y),
    weights: Float64Array.from(R, (r) => Math.max(0, 1 - Math.abs(r) / h)),
    clusters: Int32Array.from(R, (_, i) => i),
    k: 4,
    contrast: [0, -1, 0, 0],
  };
}

test("clusterContrast: chapter 42's local linear answers: leak .078, HC0 .0201286, HC1 .0259859", () => {
  const y = [0.13, 0.096, 0.142, 0.098, 0.124, 0.196, 0.242, 0.258, 0.224, 0.26];
  const fit = clusterContrast(discontinuity(y, 6))!;
  within(fit.estimate, 0.078, 1e-15);
  within(fit.seHc0, 0.0201286, 5e-8);
  within(fit.seHc1, 0.0259859, 5e-8);
  assert.equal(fit.degenerate, false);
});

test("clusterContrast: a trend alone is leak 0, and the exact fit is degenerate", () => {
  const fit = clusterContrast(
    discontinuity(
      R.map((r) => 0.15 + 0.01 * r),
      6,
    ),
  )!;
  within(fit.estimate, 0, 1e-15);
  assert.equal(fit.degenerate, true);
});

test("clusterContrast: a noise-free jump is found whatever the slopes and the bandwidth", () => {
  const slope = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(slope, slope, slope, fc.integer({ min: 4, max: 30 }), (before, after, jump, h) => {
      const y = R.map((r) => (r < 0 ? 0.1 + before * r : 0.1 + jump + after * r));
      const fit = clusterContrast(discontinuity(y, h))!;
      within(fit.estimate, jump, 1e-13);
      assert.equal(fit.n, R.filter((r) => Math.abs(r) < h).length);
    }),
  );
});

test("clusterContrast: two groups: Welch's error, Imbens and Kolesár's df (2016, REStat 98(4))", () => {
  const size = fc.integer({ min: 2, max: 27 });
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const samples = fc
    .tuple(size, size)
    .chain(([a, b]) =>
      fc.tuple(
        fc.array(value, { minLength: a, maxLength: a }),
        fc.array(value, { minLength: b, maxLength: b }),
      ),
    );
  const variance = (sample: number[]) => {
    const mean = sample.reduce((s, v) => s + v, 0) / sample.length;
    return sample.reduce((s, v) => s + (v - mean) * (v - mean), 0) / (sample.length - 1);
  };
  const check = (zero: number[], one: number[]) => {
    const fit = clusterContrast({
      x: Float64Array.from([...zero.flatMap(() => [1, 0]), ...one.flatMap(() => [1, 1])]),
      y: Float64Array.from([...zero, ...one]),
      clusters: Int32Array.from([...zero, ...one], (_, i) => i),
      k: 2,
      contrast: [0, 1],
    })!;
    const [n0, n1] = [zero.length, one.length];
    within(fit.se, Math.sqrt(variance(zero) / n0 + variance(one) / n1), 1e-13);
    const df = ((n0 + n1) * (n0 + n1) * (n0 - 1) * (n1 - 1)) / (n1 * n1 * (n1 - 1) + n0 * n0 * (n0 - 1));
    close(fit.df, df, 1e-11);
    return fit.df;
  };
  fc.assert(fc.property(samples, ([zero, one]) => void check(zero, one)));
  const wobble = (n: number) => Array.from({ length: n }, (_, i) => (i * i) % 7);
  within(check(wobble(27), wobble(3)), 2.4668, 5e-5); // their Table 1: 2.5 at N0 = 27, N1 = 3
});

/** Small designs on a coarse grid: exactly dependent or well apart; clusters overlap dummies or own them. */
const designs = fc
  .record({
    n: fc.integer({ min: 4, max: 18 }),
    k: fc.integer({ min: 1, max: 4 }),
    groups: fc.integer({ min: 2, max: 7 }),
  })
  .chain(({ n, k, groups }) => {
    const rows = <T>(cell: fc.Arbitrary<T>) => fc.array(cell, { minLength: n, maxLength: n });
    const dummy = fc.constantFrom(0, 0, 1);
    const number = fc.integer({ min: -8, max: 8 }).map((v) => v / 4);
    return fc.record({
      columns: fc.array(fc.oneof(rows(dummy), rows(number), fc.constant("own" as const)), {
        minLength: k - 1,
        maxLength: k - 1,
      }),
      y: rows(number),
      weights: fc.option(rows(fc.constantFrom(0, 0.25, 0.5, 1, 1, 2)), { nil: undefined }),
      clusters: rows(fc.integer({ min: 0, max: groups - 1 })),
      contrast: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: k, maxLength: k }),
    });
  })
  .map(({ columns, y, weights, clusters, contrast }): ClusterContrastInput => {
    // "own": a dummy that is 1 throughout one cluster, which therefore has leverage 1
    const cell = (column: number[] | "own", i: number, j: number) =>
      column === "own" ? Number(clusters[i] === j) : column[i]!;
    return {
      x: Float64Array.from(y.flatMap((_, i) => [1, ...columns.map((column, j) => cell(column, i, j))])),
      y: Float64Array.from(y),
      ...(weights === undefined ? {} : { weights: Float64Array.from(weights) }),
      clusters: Int32Array.from(clusters),
      k: contrast.length,
      contrast,
    };
  })
  .filter(({ contrast, clusters }) => {
    const largest = Math.max(...[...clusters].map((id) => clusters.filter((other) => other === id).length));
    return largest <= 8 && contrast.some((cell) => cell !== 0);
  });

/** The degrees of freedom lose digits as 1/gap² on the way to leverage 1: nearer, two right answers differ by more. */
const GAP_MIN = 1e-3;

test("clusterContrast: equals the n×n matrices, with weights, shared dummies, leverage 1", () => {
  const met = { estimated: 0, refused: 0, unit: 0, clustered: 0, inexact: 0 };
  const agree = (fit: ReturnType<typeof clusterContrast>, brute: BruteForce | null) => {
    assert.equal(fit === null, brute === null);
    if (fit === null || brute === null) {
      met.refused += 1;
      return;
    }
    if (brute.gap < GAP_MIN) {
      met.inexact += 1;
      return;
    }
    met.estimated += 1;
    met.unit += Number(fit.unitLeverage > 0);
    met.clustered += Number(fit.clusters < fit.n);
    within(fit.estimate, brute.estimate, 1e-10);
    for (const key of ["se", "seCr0", "seCr1", "seHc0", "seHc1"] as const) {
      within(fit[key], brute[key], 1e-7 * (1 + brute[key]), key);
    }
    close(fit.df, brute.df, 1e-7, "df");
    assert.deepEqual([fit.clusters, fit.n, fit.unitLeverage], [brute.clusters, brute.n, brute.unitLeverage]);
  };
  fc.assert(
    fc.property(designs, (input) => agree(clusterContrast(input), bruteForce(input))),
    { numRuns: 400 },
  );
  const { inexact, ...seen } = met;
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 5, `${what}: only ${count} designs`);
  assert.ok(inexact < 40, `${inexact} designs too near leverage 1 for the matrices`);
});

test("clusterContrast: units, labels and the order of rows change nothing", () => {
  let compared = 0;
  fc.assert(
    fc.property(designs, fc.integer({ min: 2, max: 1000 }), (input, times) => {
      const fit = clusterContrast(input);
      fc.pre(fit !== null && !fit.degenerate && (bruteForce(input)?.gap ?? 0) >= GAP_MIN);
      const { k } = input;
      const n = input.y.length;
      const back = (row: number) => n - 1 - row;
      const moved = clusterContrast({
        x: Float64Array.from(input.x, (_, at) => input.x[back(Math.floor(at / k)) * k + (at % k)]! * times),
        y: Float64Array.from(input.y, (_, row) => input.y[back(row)]!),
        weights: Float64Array.from(input.y, (_, row) => (input.weights?.[back(row)] ?? 1) * times),
        clusters: Int32Array.from(input.y, (_, row) => 50 - input.clusters[back(row)]!),
        k,
        contrast: input.contrast.map((cell) => cell * times),
      })!;
      within(moved.estimate, fit.estimate, 1e-9);
      within(moved.se, fit.se, 1e-9 * (1 + fit.se));
      close(moved.df, fit.df, 1e-8);
      compared += 1;
    }),
  );
  assert.ok(compared > 5);
});

test("clusterContrast: null where no error can be estimated", () => {
  const base = { y: Float64Array.of(1, 2, 4), clusters: Int32Array.of(0, 1, 2), k: 1, contrast: [1] };
  const ones = new Float64Array(3).fill(1);
  assert.notEqual(clusterContrast({ ...base, x: ones }), null);
  assert.equal(clusterContrast({ ...base, x: ones, clusters: Int32Array.of(4, 4, 4) }), null);
  assert.equal(clusterContrast({ ...base, x: ones, weights: Float64Array.of(1, 0, 0) }), null);
  assert.equal(clusterContrast({ ...base, x: new Float64Array(3) }), null);
  const dummies = Float64Array.of(1, 0, 1, 0, 0, 1); // each cluster owns its column
  const owned = { ...base, x: dummies, clusters: Int32Array.of(0, 0, 1), k: 2 };
  assert.equal(clusterContrast({ ...owned, contrast: [1, -1] }), null);
});

test("clusterContrast: refuses numbers that are not finite and negative weights", () => {
  const base = { y: Float64Array.of(1, 2), clusters: Int32Array.of(0, 1), k: 1, contrast: [1] };
  const x = Float64Array.of(1, 1);
  assert.throws(() => clusterContrast({ ...base, x: Float64Array.of(1, Number.NaN) }), /x\[1\]/);
  assert.throws(() => clusterContrast({ ...base, x, y: Float64Array.of(Infinity, 1) }), /y\[0\]/);
  assert.throws(() => clusterContrast({ ...base, x, weights: Float64Array.of(1, -1) }), /weights\[1\]/);
  assert.throws(() => clusterContrast({ ...base, x: Float64Array.of(1) }), /design cells/);
});
