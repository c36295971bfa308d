import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bootstrapMean, groupByCluster } from "../../src/stats/bootstrap.ts";
import { referenceStream } from "./reference-stream.ts";

const ones = (n: number) => new Float64Array(n).fill(1);
const plan = { level: 0.95, resamples: 1000, seed: 42, path: "headline.brier" };

// The intervals of an independent Python program (hashlib, its own generator and its own type 7 quantile).
test("bootstrapMean: an independent program's interval, bit for bit, one case a cluster", () => {
  const scores = Float64Array.of(0.04, 0.25, 0.09, 0.36, 0.01, 0.16, 0.49);
  const expected = { state: "estimated", lo: 0.09282142857142858, hi: 0.34717857142857134, redrawn: 0 };
  assert.deepEqual(bootstrapMean({ ...plan, scores, counts: ones(7) }), expected);
});

test("bootstrapMean: an independent program's interval, bit for bit, unequal clusters", () => {
  const scores = Float64Array.of(0.3, 1.2, 0.05, 0.7, 2.1);
  const counts = Float64Array.of(3, 4, 1, 2, 5);
  const result = bootstrapMean({ ...plan, scores, counts, seed: 7, path: "arms.routed.brier" });
  assert.deepEqual(result, { state: "estimated", lo: 0.14, hi: 0.3777777777777778, redrawn: 0 });
});

test("bootstrapMean: 39 of 1000 resamples without the figure are redrawn, 51 make it not estimable", () => {
  const few = bootstrapMean({
    ...plan,
    scores: Float64Array.of(0.3, 0, 0.7),
    counts: Float64Array.of(1, 0, 2),
    seed: 7,
    path: "x",
  });
  assert.deepEqual(few, { state: "estimated", lo: 0.3, hi: 0.35, redrawn: 39 });
  const many = bootstrapMean({
    ...plan,
    scores: Float64Array.of(0.3, 0, 0.7, 0),
    counts: Float64Array.of(1, 0, 2, 0),
    seed: 7,
    path: "x",
  });
  assert.deepEqual(many, { state: "not estimable", redrawn: 51 });
});

test("bootstrapMean: no cluster, or none with the figure, is not estimable", () => {
  assert.equal(bootstrapMean({ ...plan, scores: ones(0), counts: ones(0) }).state, "not estimable");
  const empty = bootstrapMean({ ...plan, scores: new Float64Array(3), counts: new Float64Array(3) });
  assert.deepEqual(empty, { state: "not estimable", redrawn: 51 });
});

const clusters = fc.array(
  fc.record({ score: fc.double({ min: 0, max: 5, noNaN: true }), n: fc.integer({ min: 1, max: 5 }) }),
  { minLength: 1, maxLength: 12 },
);

test("bootstrapMean: equals a plain program over the reference generator, for any clusters and seed", () => {
  fc.assert(
    fc.property(clusters, fc.nat(), fc.string({ maxLength: 12 }), (rows, seed, path) => {
      const resamples = 40;
      const scores = Float64Array.from(rows, (row) => row.score);
      const counts = Float64Array.from(rows, (row) => row.n);
      const { below } = referenceStream(seed, path);
      const figures: number[] = [];
      for (let r = 0; r < resamples; r++) {
        const drawn = rows.map(() => rows[below(rows.length)]!);
        figures.push(drawn.reduce((a, row) => a + row.score, 0) / drawn.reduce((a, row) => a + row.n, 0));
      }
      figures.sort((a, b) => a - b);
      const at = (p: number) => {
        const i = Math.floor(39 * p);
        const [a, b] = [figures[i]!, figures[Math.min(i + 1, 39)]!];
        return a === b ? a : a + (39 * p - i) * (b - a);
      };
      const result = bootstrapMean({ scores, counts, level: 0.95, resamples, seed, path });
      assert.deepEqual(result, { state: "estimated", lo: at(0.025), hi: at(0.975), redrawn: 0 });
    }),
  );
});

test("bootstrapMean: the interval lies between the least and the greatest cluster mean", () => {
  fc.assert(
    fc.property(clusters, fc.nat(), (rows, seed) => {
      const result = bootstrapMean({
        scores: Float64Array.from(rows, (row) => row.score),
        counts: Float64Array.from(rows, (row) => row.n),
        level: 0.9,
        resamples: 60,
        seed,
        path: "p",
      });
      assert.ok(result.state === "estimated");
      const means = rows.map((row) => row.score / row.n);
      assert.ok(result.lo <= result.hi);
      assert.ok(result.lo >= Math.min(...means) - 1e-12 && result.hi <= Math.max(...means) + 1e-12);
    }),
  );
});

test("bootstrapMean: refuses a level or a number of resamples that is none", () => {
  const input = { ...plan, scores: ones(2), counts: ones(2) };
  for (const resamples of [0, -1, 1.5])
    assert.throws(() => bootstrapMean({ ...input, resamples }), RangeError);
  for (const level of [0, 1]) assert.throws(() => bootstrapMean({ ...input, level }), RangeError);
});

test("groupByCluster: ids in code units, so U+1F600 (a surrogate pair) comes before U+FF5E", () => {
  const rows = ["～", "😀", "b", "B", "é", "b"].map((cluster, i) => ({ cluster, value: i + 1 }));
  const groups = groupByCluster(rows);
  assert.deepEqual(groups.ids, ["B", "b", "é", "😀", "～"]);
  assert.deepEqual([...groups.sums], [4, 9, 5, 2, 1]);
  assert.deepEqual([...groups.counts], [1, 2, 1, 1, 1]);
});

test("groupByCluster: sums inside a cluster run in the order given", () => {
  const of = (values: number[]) => groupByCluster(values.map((value) => ({ cluster: "a", value }))).sums[0];
  assert.equal(of([0.1, 0.2, 0.3]), 0.6000000000000001);
  assert.equal(of([0.3, 0.2, 0.1]), 0.6);
});

test("groupByCluster: counts add to n, whatever the order of the rows", () => {
  const rows = fc.array(fc.record({ cluster: fc.string({ maxLength: 2 }), value: fc.integer() }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(rows, (given) => {
      const groups = groupByCluster(given);
      assert.equal(
        groups.counts.reduce((a, b) => a + b, 0),
        given.length,
      );
      assert.deepEqual(groupByCluster([...given].reverse()), groups);
      for (let i = 1; i < groups.ids.length; i++) assert.ok(groups.ids[i - 1]! < groups.ids[i]!);
    }),
  );
});
