import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import {
  averageCorrelation,
  effectiveByClusters,
  effectiveByCorrelation,
} from "../../src/stats/effective-trials.ts";
import { draws } from "../simulate/draws.ts";
import { close, within } from "./close.ts";

/** Eight series of forty whole and half numbers; those of one family share most of what moves them. */
function made(families: readonly number[], own: number): Float64Array[] {
  return families.map((family, i) =>
    Float64Array.from(
      { length: 40 },
      (_, t) =>
        ((t * t * (family * 7 + 3) + t * (family * 5 + 11)) % 31) -
        15 +
        ((((t + 1) * (t + 3) * (i + 2) * 13 + i * t * 7) % 17) - 8) * own,
    ),
  );
}

/** Families of a common factor each: ρ within, 0 between. */
function related(seed: number, sizes: readonly number[], rho: number, periods: number): Float64Array[] {
  const draw = draws(seed, "families");
  const series = () => Float64Array.from({ length: periods }, () => draw.normal());
  return sizes.flatMap((size) => {
    const factor = series();
    return Array.from({ length: size }, () =>
      series().map((own, t) => Math.sqrt(rho) * factor[t]! + Math.sqrt(1 - rho) * own),
    );
  });
}

// numpy 2.4 corrcoef; scipy 1.17 linkage(…, "average"), fcluster by number, silhouettes by their definition.
const VECTORS = [
  {
    families: [0, 0, 0, 1, 1, 1, 2, 2],
    own: 0.5,
    correlation: 0.4572191019533643,
    effective: 3,
    silhouette: 0.6457837293732098,
    clusters: [0, 0, 0, 1, 1, 1, 2, 2],
  },
  {
    families: [0, 0, 0, 1, 1, 1, 2, 2],
    own: 1,
    correlation: 0.40954042134912133,
    effective: 2,
    silhouette: 0.4140081088685162,
    clusters: [0, 0, 0, 1, 1, 1, 0, 0],
  },
  {
    families: [0, 1, 2, 3, 4, 5, 6, 7],
    own: 1,
    correlation: 0.08901137917256265,
    effective: 8,
    silhouette: 0.15985674764040778,
    clusters: [0, 1, 2, 3, 4, 5, 6, 7],
  },
];

test("effective trials: what numpy and scipy give on three made tables", () => {
  for (const { families, own, correlation, effective, silhouette, clusters } of VECTORS) {
    const trials = made(families, own);
    close(averageCorrelation(trials), correlation, 1e-13);
    close(effectiveByCorrelation(trials).effective!, correlation + (1 - correlation) * 8, 1e-13);
    const byClusters = effectiveByClusters(trials);
    assert.equal(byClusters.effective, effective);
    close(byClusters.silhouette!, silhouette, 1e-12);
    assert.deepEqual([...byClusters.clusters], clusters);
    assert.equal(byClusters.state, effective === 8 ? "no-structure" : "ok");
  }
});

const family = fc.record({
  seed: fc.nat(),
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  rho: fc.double({ min: 0, max: 0.95, noNaN: true }),
  periods: fc.integer({ min: 3, max: 60 }),
});

function pearson(a: Float64Array, b: Float64Array): number {
  const mean = (of: Float64Array) => of.reduce((total, value) => total + value, 0) / of.length;
  const [x, y] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [t, value] of a.entries()) {
    ab += (value - x) * (b[t]! - y);
    aa += (value - x) * (value - x);
    bb += (b[t]! - y) * (b[t]! - y);
  }
  return ab / Math.sqrt(aa * bb);
}

test("averageCorrelation: the mean over pairs", () => {
  fc.assert(
    fc.property(family, ({ seed, sizes, rho, periods }) => {
      const trials = related(seed, sizes, rho, periods);
      const pairs = trials.flatMap((a, i) => trials.slice(i + 1).map((b) => pearson(a, b)));
      if (pairs.length === 0) return assert.ok(Number.isNaN(averageCorrelation(trials)));
      within(averageCorrelation(trials), pairs.reduce((a, b) => a + b) / pairs.length, 1e-12);
    }),
  );
});

/** Average linkage and silhouettes from their definitions, each time from the distances. */
function clustersByHand(trials: readonly Float64Array[]): { members: number[][]; silhouette: number } {
  const apart = trials.map((a) => trials.map((b) => Math.sqrt(Math.max(0, (1 - pearson(a, b)) / 2))));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const between = (a: readonly number[], b: readonly number[]) =>
    mean(a.flatMap((i) => b.map((j) => apart[i]![j]!)));
  const silhouetteOf = (members: readonly number[][]) =>
    mean(
      members.flatMap((own) =>
        own.map((i) => {
          if (own.length === 1) return 0;
          const a = between(
            [i],
            own.filter((j) => j !== i),
          );
          const b = Math.min(...members.filter((each) => each !== own).map((each) => between([i], each)));
          return (b - a) / Math.max(a, b);
        }),
      ),
    );
  let members = trials.map((_, i) => [i]);
  let best = { members, silhouette: -Infinity };
  while (members.length > 2) {
    const pairs = members.flatMap((a, i) =>
      members.slice(i + 1).map((b) => ({ a, b, height: between(a, b) })),
    );
    const { a, b } = pairs.reduce((least, pair) => (pair.height < least.height ? pair : least));
    members = [...members.filter((each) => each !== a && each !== b), [...a, ...b].sort((x, y) => x - y)];
    const silhouette = silhouetteOf(members);
    if (silhouette > best.silhouette) best = { members, silhouette };
  }
  return best;
}

test("effectiveByClusters: the partition of greatest silhouette, from the definitions", () => {
  let believed = 0;
  fc.assert(
    fc.property(family, ({ seed, sizes, rho, periods }) => {
      fc.pre(sizes.length > 1);
      const trials = related(seed, sizes, rho, periods);
      fc.pre(trials.length > 2);
      const { members, silhouette } = clustersByHand(trials);
      const result = effectiveByClusters(trials);
      if (result.effective === 1) return assert.ok(result.silhouette! >= Math.max(0.5, silhouette));
      close(result.silhouette!, silhouette, 1e-9);
      if (silhouette < 0.25) return assert.equal(result.effective, trials.length);
      believed += 1;
      const ours = new Map<number, number[]>();
      for (const [i, c] of result.clusters.entries()) ours.set(c, [...(ours.get(c) ?? []), i]);
      const first = (a: readonly number[], b: readonly number[]) => a[0]! - b[0]!;
      assert.deepEqual([...ours.values()], members.slice().sort(first));
    }),
  );
  assert.ok(believed > 0);
});

test("effective trials: within 1..M, whatever the order or the leverage", () => {
  fc.assert(
    fc.property(family, ({ seed, sizes, rho, periods }) => {
      const trials = related(seed, sizes, rho, periods);
      const other = trials.map((values, i) => values.map((value) => (i + 1) * value + i)).reverse();
      for (const count of [effectiveByCorrelation, effectiveByClusters]) {
        const { effective, trials: m } = count(trials);
        assert.ok(effective! >= 1 && effective! <= m && m === trials.length);
        close(count(other).effective!, effective!, 1e-9);
      }
    }),
  );
});

test("effective trials: copies are one trial, opposites and unrelated ones are two", () => {
  const [one, other] = related(1, [1, 1], 0, 250) as [Float64Array, Float64Array];
  const copies = [one, one, one.map((value) => 2 * value), one.map((value) => value / 3 + 0.01)];
  within(effectiveByCorrelation(copies).effective!, 1, 1e-12);
  assert.equal(effectiveByClusters(copies).effective, 1);
  for (const pair of [
    [one, other],
    [one, one.map((value) => -value)],
  ]) {
    assert.equal(effectiveByClusters(pair).effective, 2);
    within(effectiveByCorrelation(pair).effective!, 2, 0.1);
  }
  assert.equal(effectiveByCorrelation([one, one.map((value) => -value)]).effective, 2);
  // Nothing is believed of twenty unrelated ones, but the copy among them is one.
  const unrelated = related(2, new Array(20).fill(1), 0, 250);
  const { effective, state, clusters } = effectiveByClusters([...unrelated, unrelated[4]!]);
  assert.deepEqual([effective, state, clusters[20]], [20, "no-structure", 4]);
});

test("effectiveByClusters: four families of five are four at ρ .5 and .9; at .1 nothing is taken off", () => {
  const sizes = [5, 5, 5, 5];
  for (const [rho, expected] of [
    [0.1, 20],
    [0.5, 4],
    [0.9, 4],
  ] as const)
    assert.equal(effectiveByClusters(related(3, sizes, rho, 250)).effective, expected, `ρ ${rho}`);
  // One family: hardly two different trials at .95; at .5 too far apart to be called one.
  assert.equal(effectiveByClusters(related(4, [20], 0.95, 250)).effective, 1);
  assert.equal(effectiveByClusters(related(4, [20], 0.5, 250)).effective, 20);
});

test("effective trials: constant series have no correlation and stand apart", () => {
  const [one, other] = related(5, [2], 0.9, 100) as [Float64Array, Float64Array];
  const flat = new Float64Array(100).fill(0.01);
  const with3 = effectiveByCorrelation([one, flat, other]);
  assert.deepEqual([with3.trials, with3.constant], [2, 1]);
  assert.equal(with3.effective, effectiveByCorrelation([one, other]).effective);
  const clustered = effectiveByClusters([one, flat, other]);
  assert.deepEqual([...clustered.clusters], [0, -1, 0]);
  assert.deepEqual([clustered.trials, clustered.constant, clustered.effective], [2, 1, 1]);
});

test("effective trials: one, none, and more than are clustered", () => {
  const [one] = related(6, [1], 0, 10) as [Float64Array];
  assert.ok(Number.isNaN(averageCorrelation([one])));
  const { effective, correlation } = effectiveByCorrelation([one]);
  assert.deepEqual([effective, correlation], [1, null]);
  const alone = effectiveByClusters([one]);
  assert.deepEqual([alone.effective, alone.silhouette, alone.state], [1, null, "ok"]);
  for (const none of [[], [new Float64Array(10)], [Float64Array.of(1)]]) {
    assert.equal(effectiveByCorrelation(none).effective, null);
    const { effective: number, state } = effectiveByClusters(none);
    assert.deepEqual([number, state], [null, "none"]);
  }
  const many = Array.from({ length: limits.clusteredTrials + 1 }, (_, i) => Float64Array.of(0, 1, i));
  const tooMany = effectiveByClusters(many);
  assert.deepEqual([tooMany.effective, tooMany.state, tooMany.clusters[0]], [null, "too-many", -1]);
  assert.ok(effectiveByCorrelation(many).effective !== null);
});

test("effective trials: refuse ragged series and what is not finite", () => {
  const [one, other] = related(7, [2], 0.5, 10) as [Float64Array, Float64Array];
  for (const count of [averageCorrelation, effectiveByCorrelation, effectiveByClusters]) {
    assert.throws(() => count([one, other.subarray(1)]), /RangeError.*trials\[1\]/);
    assert.throws(() => count([one, other.with(2, Number.NaN)]), RangeError);
  }
});
