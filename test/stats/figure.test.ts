import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bootstrapMean, groupByCluster } from "../../src/stats/bootstrap.ts";
import { type FigureInput, meanFigure } from "../../src/stats/figure.ts";
import { close, within } from "./close.ts";

const plan = { path: "headline.brier", seed: 42, level: 0.95, resamples: 200 };
const DIFFERENCES = [-0.21, -0.07, -0.2, -0.08, 0, -0.12];

const alone = (values: number[]) =>
  values.map((value, i) => ({ value, cluster: `case-${String(i).padStart(4, "0")}` }));
const grouped = (values: number[], size: number) =>
  values.map((value, i) => ({ value, cluster: `c${String(Math.floor(i / size)).padStart(4, "0")}` }));
const spread = (n: number) => Array.from({ length: n }, (_, i) => ((i * 37) % 101) / 101);
const figure = (values: FigureInput["values"]) => meanFigure({ ...plan, values });

test("meanFigure: chapter 42's paired answers, by t, with the bootstrap beside", () => {
  const result = figure(alone(DIFFERENCES));
  within(result.mean!, -0.1133333, 5e-8);
  within(result.ci95![0], -0.198245, 5e-7);
  within(result.ci95![1], -0.028422, 5e-7);
  assert.deepEqual([result.method, result.state, result.clusters, result.n], ["t", "too few clusters", 6, 6]);
  assert.ok(result.bootstrap_ci95![0] >= -0.21 && result.bootstrap_ci95![1] <= 0);
  assert.ok(!("iid_ci95" in result) && !("design_effect" in result));
});

test("meanFigure: 99 clusters by t, 100 by the bootstrap of the same path", () => {
  const short = figure(alone(spread(99)));
  assert.deepEqual([short.method, short.state], ["t", "too few clusters"]);
  const values = alone(spread(100));
  const long = figure(values);
  assert.deepEqual([long.method, long.state], ["bootstrap", "estimated"]);
  const { sums, counts } = groupByCluster(values);
  const direct = bootstrapMean({ ...plan, scores: sums, counts });
  assert.ok(direct.state === "estimated");
  assert.deepEqual(long.ci95, [direct.lo, direct.hi]);
  assert.ok(!("bootstrap_ci95" in long));
});

test("meanFigure: chapter 42's clusters shrink the error: design effect (.0266667 ÷ .0330320)²", () => {
  const result = figure(grouped(DIFFERENCES, 2));
  within(result.design_effect!, (0.0266667 / 0.033032) * (0.0266667 / 0.033032), 2e-6);
  const iid = bootstrapMean({
    ...plan,
    path: "headline.brier.iid",
    scores: Float64Array.from(DIFFERENCES),
    counts: new Float64Array(6).fill(1),
  });
  assert.ok(iid.state === "estimated");
  assert.deepEqual(result.iid_ci95, [iid.lo, iid.hi]);
});

test("meanFigure: identical copies in a cluster have a design effect of about their number", () => {
  const copies = 4;
  const result = figure(
    spread(150).flatMap((value, i) =>
      grouped([value, value, value, value], 4).map((row) => ({
        ...row,
        cluster: `c${i}`,
      })),
    ),
  );
  assert.equal(result.n, 600);
  assert.equal(result.clusters, 150);
  within(result.design_effect!, copies, 0.05);
  const width = ([lo, hi]: readonly [number, number]) => hi - lo;
  assert.ok(width(result.iid_ci95!) < 0.7 * width(result.ci95!));
});

test("meanFigure: no value, or one cluster, is not estimable", () => {
  const none = { ci95: null, method: "t", state: "not estimable" };
  assert.deepEqual(figure([]), { mean: null, ...none, clusters: 0, n: 0 });
  assert.deepEqual(figure(alone([0.25])), { mean: 0.25, ...none, clusters: 1, n: 1 });
  assert.deepEqual(figure(grouped([0.25, 0.75], 2)), { mean: 0.5, ...none, clusters: 1, n: 2 });
});

test("meanFigure: zero spread is [m, m] and degenerate, over values and over cluster means", () => {
  const equal = figure(alone([0.25, 0.25, 0.25]));
  assert.deepEqual([equal.ci95, equal.state, equal.method], [[0.25, 0.25], "degenerate", "t"]);
  const many = figure(alone(Array.from({ length: 120 }, () => 0.1)));
  assert.deepEqual([many.ci95, many.state, many.method], [[many.mean, many.mean], "degenerate", "bootstrap"]);
  const balanced = figure(grouped([0, 1, 1, 0, 0, 1], 2));
  assert.deepEqual([balanced.ci95, balanced.state, balanced.design_effect], [[0.5, 0.5], "degenerate", 0]);
  const copies = figure(grouped([0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 3));
  assert.deepEqual([copies.state, copies.iid_ci95, copies.design_effect], ["degenerate", copies.ci95, null]);
});

const rows = fc.array(
  fc.record({ value: fc.double({ min: 0, max: 1, noNaN: true }), cluster: fc.string({ maxLength: 2 }) }),
  { maxLength: 60 },
);

test("meanFigure: same inputs, same figure; states, counts and intervals agree with one another", () => {
  fc.assert(
    fc.property(rows, (values) => {
      const result = figure(values);
      assert.deepEqual(figure(values), result);
      assert.equal(result.n, values.length);
      assert.equal(result.clusters, new Set(values.map((row) => row.cluster)).size);
      assert.equal(result.ci95 === null, result.state === "not estimable");
      assert.equal(result.mean === null, values.length === 0);
      if (result.ci95 === null) return;
      assert.ok(result.ci95[0] <= result.mean! && result.mean! <= result.ci95[1]);
      assert.equal("iid_ci95" in result, result.clusters < result.n);
      assert.equal("bootstrap_ci95" in result, result.method === "t");
    }),
  );
});

test("meanFigure: by t, an affine change of the values moves the figure with it", () => {
  const some = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 30 });
  fc.assert(
    fc.property(
      some,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: -50, max: 50 }),
      (values, scale, shift) => {
        fc.pre(new Set(values).size > 1);
        const before = figure(alone(values));
        const after = figure(alone(values.map((value) => value * scale + shift)));
        within(after.mean!, before.mean! * scale + shift, 1e-9);
        within(after.ci95![0], before.ci95![0] * scale + shift, 1e-8);
        close(after.ci95![1] - after.ci95![0], scale * (before.ci95![1] - before.ci95![0]), 1e-9);
      },
    ),
  );
});

test("meanFigure: refuses a value that is not finite", () => {
  for (const bad of [Number.NaN, Infinity]) assert.throws(() => figure(alone([0.1, bad])), RangeError);
});
