import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contract } from "../../src/core/contract.ts";
import {
  type Better,
  type DiscontinuityInput,
  discontinuity,
  discontinuityBootstrap,
} from "../../src/stats/discontinuity.ts";
import { mean } from "../../src/stats/moments.ts";
import { minimumDetectableEffect } from "../../src/stats/power.ts";
import { bruteForce } from "./brute-force.ts";
import { close, within } from "./close.ts";
import { byMonth, knowledgeCutoff } from "./knowledge-cutoff.ts";
import { referenceStream } from "./reference-stream.ts";

const R = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5];
const Y = [0.13, 0.096, 0.142, 0.098, 0.124, 0.196, 0.242, 0.258, 0.224, 0.26];

type Given = { r: number[]; y: number[]; clusters?: number[]; h?: number; donut?: number; better?: Better };

function input({ r, y, clusters, h = 6, donut = 0, better = "lower" }: Given): DiscontinuityInput {
  return {
    r: Float64Array.from(r),
    y: Float64Array.from(y),
    better,
    ...(clusters === undefined ? {} : { clusters: Int32Array.from(clusters) }),
    bandwidth: h,
    donut,
  };
}

const bareGap = (y: number[]) => mean(y.slice(5)) - mean(y.slice(0, 5));

test("discontinuity: chapter 42: leak .078, HC0 .0201286, HC1 .0259859, against a bare gap of .118", () => {
  const found = discontinuity(input({ r: R, y: Y }));
  within(found.estimate, 0.078, 1e-15);
  within(found.seHc0, 0.0201286, 5e-8);
  within(found.seHc1, 0.0259859, 5e-8);
  within(bareGap(Y), 0.118, 1e-15);
  assert.deepEqual([found.se, found.df], [found.seHc1, 6]);
  assert.deepEqual([found.nPre, found.nPost, found.clusters], [5, 5, 10]);
  assert.equal(found.state, "not estimable");
});

test("discontinuity: chapter 42: a trend alone, Y = .15 + .01r, has a gap of .06 and leak 0: degenerate", () => {
  const y = R.map((r) => 0.15 + 0.01 * r);
  const found = discontinuity(input({ r: R, y }));
  within(bareGap(y), 0.06, 1e-15);
  within(found.estimate, 0, 1e-15);
  assert.equal(found.state, "degenerate");
});

test("discontinuity: two lines .10 − .004r and .22 + .006r: jump .12 at h = 6 and at h = 4", () => {
  const y = R.map((r) => (r < 0 ? 0.1 - 0.004 * r : 0.22 + 0.006 * r));
  for (const h of [6, 4]) {
    const { estimate, pre, post } = discontinuity(input({ r: R, y, h }));
    within(estimate, 0.12, 1e-15);
    within(pre.level, 0.1, 1e-15);
    within(pre.slope, -0.004, 1e-15);
    within(post.level, 0.22, 1e-15);
    within(post.slope, 0.006, 1e-15);
  }
});

test("discontinuity: the window: |r| = h is out, |r| = donut is in, r = 0 is after, and the rest counts nowhere", () => {
  const r = [-6, -5, -3, -2, -1, 0, 1, 2, 4, 5, 6];
  const clusters = [9, 0, 0, 1, 2, 3, 2, 4, 4, 4, 10];
  const sides = (donut: number, h: number) => {
    const found = discontinuity(input({ r, y: r.map((v) => v * v), clusters, h, donut }));
    return [found.nPre, found.nPost, found.clustersPre, found.clustersPost, found.clusters];
  };
  assert.deepEqual(sides(0, 6), [4, 5, 3, 3, 5]);
  assert.deepEqual(sides(2, 6), [3, 3, 2, 1, 3]);
  assert.deepEqual(sides(0, 5), [3, 4, 3, 3, 5]);
});

const slope = fc.double({ min: -1, max: 1, noNaN: true });
const places = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 5, maxLength: 30 });

test("discontinuity: a noise-free jump is found whatever the slopes, the bandwidth and the donut", () => {
  fc.assert(
    fc.property(slope, slope, slope, slope, places, places, (level, jump, a, b, before, after) => {
      const r = [...before.map((v) => -v), ...after.map((v) => v - 1)];
      const reach = Math.min(Math.max(...before), Math.max(...after));
      const y = r.map((v) => (v < 0 ? level + a * v : level + jump + b * v));
      for (const [h, donut] of [
        [61, 0],
        [reach + 1, 0],
        [200, 0],
        [200, 1],
      ] as const) {
        const found = discontinuity(input({ r, y, h, donut }));
        if (Number.isNaN(found.estimate)) {
          assert.ok(Math.min(found.nPre, found.nPost) < 2, `${h} ${donut}`);
          continue;
        }
        within(found.estimate, jump, 1e-10);
        within(found.pre.slope, a, 1e-10);
        within(found.post.slope, b, 1e-10);
        within(found.post.level - found.pre.level, jump, 1e-10);
        if (Math.abs(level) > 0.01) assert.equal(found.state, "degenerate");
      }
    }),
  );
});

/** Rows on a coarse grid, in clusters that stand on one side or on both. */
const rows = fc.integer({ min: 8, max: 40 }).chain((n) => {
  const array = <T>(cell: fc.Arbitrary<T>) => fc.array(cell, { minLength: n, maxLength: n });
  return fc.record({
    r: array(fc.integer({ min: -12, max: 12 }).map((v) => v / 2)),
    y: array(fc.integer({ min: -8, max: 8 }).map((v) => v / 8)),
    clusters: array(fc.integer({ min: 0, max: 9 })),
    h: fc.constantFrom(3, 4.5, 6.25, 9),
    donut: fc.constantFrom(0, 0, 0.5, 1),
    better: fc.constantFrom<Better>("lower", "higher"),
  });
});

/** As the design reads in chapter 42, with no code of ours. */
function plainDesign({ r, y, clusters, h, donut, better }: Required<Given>) {
  return {
    x: Float64Array.from(r.flatMap((v) => (v < 0 ? [1, 1, v, v] : [1, 0, v, 0]))),
    y: Float64Array.from(y),
    weights: Float64Array.from(r, (v) => (Math.abs(v) < donut ? 0 : Math.max(0, 1 - Math.abs(v) / h))),
    clusters: Int32Array.from(clusters),
    k: 4,
    contrast: [0, better === "lower" ? -1 : 1, 0, 0],
  };
}

test("discontinuity: CR2, Bell–McCaffrey and the rest equal the n×n matrices on the same design", () => {
  const met = { compared: 0, refused: 0, inexact: 0 };
  fc.assert(
    fc.property(rows, (given) => {
      const found = discontinuity(input(given));
      const brute = bruteForce(plainDesign(given));
      assert.equal(Number.isNaN(found.estimate), brute === null);
      if (brute === null) {
        met.refused += 1;
        assert.equal(found.state, "not estimable");
        return;
      }
      if (brute.gap < 1e-3) {
        met.inexact += 1; // so near leverage 1 the matrices are no oracle
        return;
      }
      met.compared += 1;
      within(found.estimate, brute.estimate, 1e-10);
      within(
        found.post.level - found.pre.level,
        given.better === "lower" ? brute.estimate : -brute.estimate,
        1e-10,
      );
      for (const key of ["se", "seCr1", "seHc0", "seHc1"] as const)
        within(found[key], brute[key], 1e-7 * (1 + brute[key]), key);
      close(found.df, brute.df, 1e-7, "df");
      assert.deepEqual([found.clusters, found.unitLeverage], [brute.clusters, brute.unitLeverage]);
      assert.equal(found.nPre + found.nPost, brute.n);
    }),
    { numRuns: 300 },
  );
  assert.ok(met.compared > 150 && met.refused > 3 && met.inexact < 60, JSON.stringify(met));
});

test("discontinuity: without clusters: HC1 with n − 4, and CR1 of rows that are their own clusters is HC1", () => {
  fc.assert(
    fc.property(rows, ({ clusters: _, ...given }) => {
      const found = discontinuity(input(given));
      const own = discontinuity(input({ ...given, clusters: given.r.map((__, i) => i) }));
      assert.deepEqual({ ...found, se: 0, df: 0 }, { ...own, se: 0, df: 0 });
      if (Number.isNaN(found.estimate)) return;
      assert.deepEqual([found.se, found.df], [found.seHc1, found.nPre + found.nPost - 4]);
      within(found.seCr1, found.seHc1, 1e-12);
      assert.deepEqual([found.clustersPre, found.clustersPost], [found.nPre, found.nPost]);
    }),
  );
});

test("discontinuity: the sign turns with `better`; the order of rows and the names of clusters change nothing", () => {
  let compared = 0;
  fc.assert(
    fc.property(rows, (given) => {
      const found = discontinuity(input(given));
      const turned = discontinuity(
        input({ ...given, better: given.better === "lower" ? "higher" : "lower" }),
      );
      assert.deepEqual({ ...turned, estimate: 0 }, { ...found, estimate: 0 });
      assert.ok(Object.is(turned.estimate + found.estimate, 0) || Number.isNaN(found.estimate));
      const moved = discontinuity(
        input({
          ...given,
          r: given.r.toReversed(),
          y: given.y.toReversed(),
          clusters: given.clusters.toReversed().map((g) => 70 - 3 * g),
        }),
      );
      assert.deepEqual([moved.state, moved.clusters, moved.nPre], [found.state, found.clusters, found.nPre]);
      assert.equal(Number.isNaN(moved.estimate), Number.isNaN(found.estimate));
      const gap = bruteForce(plainDesign(given))?.gap ?? 0;
      if (gap < 1e-3) return;
      compared += 1;
      within(moved.estimate, found.estimate, 1e-10);
      within(moved.se, found.se, 1e-9);
      close(moved.df, found.df, 1e-8);
    }),
  );
  assert.ok(compared > 30, `${compared}`);
});

/** m cases in each of G clusters a side, which is as many distinct r. */
function months(before: number, after: number, m: number, noise: (i: number) => number): Given {
  const at = [...Array(before).keys()]
    .map((i) => -i - 0.5)
    .concat([...Array(after).keys()].map((i) => i + 0.5));
  const r = at.flatMap((v) => new Array<number>(m).fill(v));
  return { r, y: r.map((_, i) => noise(i)), clusters: r.map((_, i) => Math.floor(i / m)), h: 30 };
}
const wobble = (i: number) => ((i * i * 7 + 3 * i) % 11) / 11;

test("discontinuity: states: 5 clusters and 20 cases a side, an exact fit before either", () => {
  assert.deepEqual([contract.leakClusters, contract.leakCases], [5, 20]);
  const state = (before: number, after: number, m: number, noise = wobble) =>
    discontinuity(input(months(before, after, m, noise))).state;
  assert.equal(state(5, 5, 4), "estimated");
  assert.equal(state(4, 9, 6), "not estimable");
  assert.equal(state(9, 4, 6), "not estimable");
  assert.equal(state(19, 20, 1), "not estimable");
  assert.equal(state(20, 20, 1), "estimated");
  assert.equal(
    state(3, 3, 1, () => 0),
    "degenerate",
  );
  assert.equal(
    state(3, 3, 1, () => 0.4),
    "degenerate",
  );
  const few = discontinuity(input(months(4, 9, 6, wobble)));
  assert.ok(few.se > 0 && Number.isFinite(few.estimate) && few.df > 0, "numbers stand beside the state");
});

test("discontinuity: an empty side, or one with a single r, has NaN for numbers and keeps its counts", () => {
  const nan = Number.NaN;
  const empty = discontinuity(input({ r: [1, 2, 3, 4, 5], y: [1, 2, 4, 3, 5], clusters: [0, 1, 2, 3, 4] }));
  const numbers = [empty.estimate, empty.se, empty.df, empty.seCr1, empty.seHc0, empty.seHc1];
  assert.deepEqual([...numbers, empty.pre.level, empty.pre.slope], new Array(8).fill(nan));
  assert.ok(Number.isFinite(empty.post.level));
  assert.deepEqual([empty.nPre, empty.nPost, empty.clustersPost, empty.state], [0, 5, 5, "not estimable"]);
  const single = discontinuity(input({ r: [-1 / 3, -1 / 3, -1 / 3, 1, 2, 3], y: [1, 2, 4, 3, 5, 1] }));
  assert.deepEqual([single.estimate, single.pre.level, single.nPre], [nan, nan, 3]);
  const none = discontinuity(input({ r: [], y: [] }));
  assert.deepEqual([none.clusters, none.state, none.post.level], [0, "not estimable", nan]);
  const saturated = discontinuity(input({ r: [-2, -1, 1, 2], y: [1, 2, 4, 3] }));
  assert.deepEqual([saturated.se, saturated.state], [nan, "not estimable"]);
});

test("discontinuity and its bootstrap refuse numbers that are not finite, a bandwidth, a donut", () => {
  const draw = { resamples: 10, level: 0.95, seed: 1, path: "x" };
  for (const bad of [
    { r: [Number.NaN, 1], y: [0, 1] },
    { r: [1000, 1], y: [Number.POSITIVE_INFINITY, 1] },
    { r: R, y: Y, h: 0 },
    { r: R, y: Y, h: Number.POSITIVE_INFINITY },
    { r: R, y: Y, h: Number.NaN },
    { r: R, y: Y, donut: -1 },
    { r: R, y: Y, donut: 6 },
    { r: R, y: Y, donut: Number.NaN },
  ]) {
    assert.throws(() => discontinuity(input(bad)), RangeError);
    assert.throws(() => discontinuityBootstrap(input(bad), draw), RangeError);
  }
  assert.throws(() => discontinuityBootstrap(input({ r: R, y: Y }), { ...draw, resamples: 0 }), RangeError);
  assert.throws(() => discontinuity(input({ r: R, y: [1] })), /10 of r, 1 of y/);
});

/** The level at 0 of a side's weighted line, in the plainest way; NaN below two distinct r. */
function plainLevel(side: readonly { r: number; y: number; w: number }[]): number {
  if (new Set(side.map(({ r }) => r)).size < 2) return Number.NaN;
  const weight = side.reduce((a, { w }) => a + w, 0);
  const u = side.reduce((a, { w, r }) => a + w * r, 0) / weight;
  const v = side.reduce((a, { w, y }) => a + w * y, 0) / weight;
  const along = side.reduce((a, { w, r, y }) => a + w * (r - u) * (y - v), 0);
  return v - (along / side.reduce((a, { w, r }) => a + w * (r - u) * (r - u), 0)) * u;
}

function plainBootstrap(given: Required<Given>, draw: { resamples: number; seed: number; path: string }) {
  const kept = given.r
    .map((r, i) => ({ r, y: given.y[i]!, w: 1 - Math.abs(r) / given.h, g: given.clusters[i]! }))
    .filter(({ r, w }) => w > 0 && Math.abs(r) >= given.donut);
  const ids = [...new Set(kept.map(({ g }) => g))].sort((a, b) => a - b);
  const { below } = referenceStream(draw.seed, draw.path);
  const figures: number[] = [];
  let redrawn = 0;
  if (ids.length === 0) return null;
  while (figures.length < draw.resamples) {
    const drawn = ids.map(() => ids[below(ids.length)]!).flatMap((id) => kept.filter(({ g }) => g === id));
    const jump = plainLevel(drawn.filter(({ r }) => r >= 0)) - plainLevel(drawn.filter(({ r }) => r < 0));
    if (Number.isNaN(jump)) redrawn += 1;
    else figures.push(given.better === "lower" ? jump : -jump);
    if (redrawn * 20 > draw.resamples) return null;
  }
  figures.sort((a, b) => a - b);
  const at = (p: number) => {
    const position = (figures.length - 1) * p;
    const low = figures[Math.floor(position)]!;
    const high = figures[Math.min(Math.floor(position) + 1, figures.length - 1)]!;
    return low + (position - Math.floor(position)) * (high - low);
  };
  return { lo: at(0.025), hi: at(0.975), redrawn };
}

test("discontinuityBootstrap: equals a refit of each resample, over the reference generator", () => {
  const met = { none: 0, redrawn: 0, straight: 0 };
  fc.assert(
    fc.property(rows, fc.nat(), fc.string({ maxLength: 9 }), (given, seed, path) => {
      const draw = { resamples: 40, level: 0.95, seed, path };
      const found = discontinuityBootstrap(input(given), draw);
      const plain = plainBootstrap(given, draw);
      assert.equal(found === null, plain === null);
      if (found === null || plain === null) {
        met.none += 1;
        return;
      }
      met[found.redrawn > 0 ? "redrawn" : "straight"] += 1;
      assert.equal(found.redrawn, plain.redrawn);
      within(found.lo, plain.lo, 1e-10 * (1 + Math.abs(plain.lo)));
      within(found.hi, plain.hi, 1e-10 * (1 + Math.abs(plain.hi)));
    }),
    { numRuns: 200 },
  );
  for (const [what, count] of Object.entries(met)) assert.ok(count > 5, `${what}: ${count}`);
});

test("discontinuityBootstrap: draws the window's clusters alone; rows without clusters are their own", () => {
  const draw = { resamples: 200, level: 0.9, seed: 3, path: "leakage" };
  const given = months(12, 12, 3, wobble);
  const inside = discontinuityBootstrap(input(given), draw);
  assert.ok(inside !== null && inside.lo < inside.hi);
  const more = { ...given, r: [-40, 50, ...given.r], y: [9, 9, ...given.y] };
  const clusters = [0, 99, ...given.clusters!.map((g) => g + 5)];
  assert.deepEqual(discontinuityBootstrap(input({ ...more, clusters }), draw), inside);
  const own = { ...given, clusters: given.r.map((_, i) => i) };
  const { clusters: _, ...without } = given;
  assert.deepEqual(discontinuityBootstrap(input(without), draw), discontinuityBootstrap(input(own), draw));
  const one = { ...given, clusters: given.r.map((v) => Number(v > 0)) };
  assert.equal(discontinuityBootstrap(input(one), draw), null, "half of the draws have one side");
  assert.equal(discontinuityBootstrap(input({ r: [], y: [] }), draw), null);
});

test("discontinuity: six real models at their documented cutoffs, h = 6 months, clustered by month", (t) => {
  const data = knowledgeCutoff(t);
  if (data === undefined) return;
  const at = (model: string, h: number) => {
    const mine = data.answers.filter((row) => row.model === model);
    const r = mine.map(({ month }) => month - data.documented.get(model)! - 0.5);
    const y = mine.map(({ known }) => known);
    const found = discontinuity(input({ r, y, clusters: [...byMonth(mine)], h, better: "higher" }));
    const side = (before: boolean) => y.filter((_, i) => r[i]! < 0 === before);
    return { ...found, gap: side(true).length === 0 ? Number.NaN : mean(side(true)) - mean(side(false)) };
  };
  // data/README.md, "knowledge-cutoff": model, bare gap, leak, CR1
  for (const [model, gap, leak, cr1] of [
    ["claude-sonnet-5", 0.749, -0.117, 0.057],
    ["gpt-5.5", 0.869, -0.079, 0.024],
    ["gpt-5.4", 0.828, 0.035, 0.119],
    ["gemini-3.5-flash", 0.892, 0.052, 0.155],
  ] as const) {
    const found = at(model, 6);
    within(found.gap, gap, 5e-4, model);
    within(found.estimate, leak, 5e-4, model);
    within(found.seCr1, cr1, 5.1e-4, model);
    assert.ok(found.se > found.seCr1 && found.df < found.clusters - 1, `${model}: CR2 is wider`);
    assert.equal(found.state, "estimated");
    const { se, df } = found;
    assert.ok(
      minimumDetectableEffect({ se, df, alpha: 0.05, power: 0.8 }) > 0.1,
      "a jump of 0 says little here",
    );
  }
  const flash = [3, 6, 12].map((h) => at("gemini-3.6-flash", h));
  assert.deepEqual(
    flash.map(({ state, clustersPost }) => [state, clustersPost]),
    [
      ["degenerate", 3],
      ["degenerate", 3],
      ["not estimable", 3],
    ],
  );
  within(flash[1]!.gap, 0.472, 5e-4);
  assert.equal(flash[1]!.estimate, 0);
  const before = at("gpt-4o", 6);
  assert.deepEqual([before.state, before.nPre, before.estimate], ["not estimable", 0, Number.NaN]);
});
