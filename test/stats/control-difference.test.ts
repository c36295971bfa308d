import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { pairedDifference } from "../../src/stats/cluster-mean.ts";
import { controlDifference } from "../../src/stats/control-difference.ts";
import { mean } from "../../src/stats/moments.ts";
import { minimumDetectableEffect } from "../../src/stats/power.ts";
import { bruteForce } from "./brute-force.ts";
import { close, within } from "./close.ts";
import { byMonth, knowledgeCutoff, monthIndex, sharedEvents } from "./knowledge-cutoff.ts";

type Given = { d: number[]; r: number[]; clusters?: number[] };

function difference({ d, r, clusters }: Given) {
  return controlDifference({
    d: Float64Array.from(d),
    r: Float64Array.from(r),
    ...(clusters === undefined ? {} : { clusters: Int32Array.from(clusters) }),
  });
}

test("controlDifference: treated .10 → .22, control .18 → .21: .09", () => {
  const found = difference({ d: [0.18 - 0.1, 0.18 - 0.1, 0.21 - 0.22, 0.21 - 0.22], r: [-2, -1, 1, 2] });
  within(found.estimate, 0.09, 1e-15);
  within(found.placeboSlope, 0, 1e-15);
  assert.equal(found.state, "degenerate");
});

const cell = fc.record({
  d: fc.integer({ min: -8, max: 8 }).map((v) => v / 8),
  r: fc.integer({ min: -10, max: 10 }).map((v) => v / 2),
  g: fc.integer({ min: 0, max: 9 }),
});
const cases = fc.array(cell, { minLength: 3, maxLength: 40 }).map((all) => ({
  d: all.map(({ d }) => d),
  r: all.map(({ r }) => r),
  clusters: all.map(({ g }) => g),
}));

test("controlDifference: the difference of two means, its errors those of the n×n matrices", () => {
  const met = { compared: 0, refused: 0, inexact: 0 };
  fc.assert(
    fc.property(cases, (given) => {
      const found = difference(given);
      const brute = bruteForce({
        x: Float64Array.from(given.r.flatMap((v) => [1, Number(v < 0)])),
        y: Float64Array.from(given.d),
        clusters: Int32Array.from(given.clusters),
        k: 2,
        contrast: [0, 1],
      });
      assert.equal(Number.isNaN(found.estimate), brute === null);
      const side = (before: boolean) => given.d.filter((_, i) => given.r[i]! < 0 === before);
      assert.deepEqual([found.nPre, found.nPost], [side(true).length, side(false).length]);
      if (brute === null) {
        met.refused += 1;
        assert.equal(found.state, "not estimable");
        return;
      }
      within(found.estimate, mean(side(true)) - mean(side(false)), 1e-12);
      if (brute.gap < 1e-3) {
        met.inexact += 1;
        return;
      }
      met.compared += 1;
      for (const key of ["se", "seCr1", "seHc1"] as const) within(found[key], brute[key], 1e-8, key);
      close(found.df, brute.df, 1e-7, "df");
      assert.deepEqual([found.clusters, found.unitLeverage], [brute.clusters, brute.unitLeverage]);
    }),
    { numRuns: 300 },
  );
  assert.ok(met.compared > 150 && met.refused > 3 && met.inexact < 60, JSON.stringify(met));
});

test("controlDifference: without clusters: HC1 with n − 2, which is the plug-in variance of two means", () => {
  fc.assert(
    fc.property(cases, ({ d, r }) => {
      const found = difference({ d, r });
      if (Number.isNaN(found.se)) return;
      const n = d.length;
      const plain = [true, false].reduce((total, before) => {
        const side = d.filter((_, i) => r[i]! < 0 === before);
        const centre = mean(side);
        return (
          total + side.reduce((a, v) => a + (v - centre) * (v - centre), 0) / (side.length * side.length)
        );
      }, 0);
      within(found.se, Math.sqrt((plain * n) / (n - 2)), 1e-12);
      assert.deepEqual([found.df, found.clusters], [n - 2, n]);
    }),
  );
});

test("controlDifference: the sign turns with d; order and names of clusters change nothing", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const found = difference(given);
      const turned = difference({ ...given, d: given.d.map((v) => -v) });
      assert.equal(turned.state, found.state);
      if (Number.isNaN(found.estimate)) return;
      within(turned.estimate + found.estimate, 0, 1e-14);
      within(turned.se, found.se, 1e-12);
      const moved = difference({
        d: given.d.toReversed(),
        r: given.r.toReversed(),
        clusters: given.clusters.toReversed().map((g) => 40 - 4 * g),
      });
      within(moved.estimate, found.estimate, 1e-12);
      within(moved.se, found.se, 1e-9);
      assert.deepEqual([moved.state, moved.clusters], [found.state, found.clusters]);
    }),
  );
});

test("controlDifference: the placebo slope is that of d on r after the cutoff, whatever stands before it", () => {
  const number = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(number, number, number, (level, slope, before) => {
      const r = [-3, -2, -1, 0, 1, 2.5, 4];
      const d = r.map((v, i) => (v < 0 ? before * i : level + slope * v));
      within(difference({ d, r }).placeboSlope, slope, 1e-13);
    }),
  );
  // By hand: r̄ = 1, d̄ = 2; Σ(r − r̄)(d − d̄) = 1 + 0 + 2, Σ(r − r̄)² = 2
  assert.equal(difference({ d: [7, 1, 1, 4], r: [-1, 0, 1, 2] }).placeboSlope, 1.5);
  for (const r of [
    [-1, -2, -3],
    [-1, -2, 3],
    [-1, 0.1, 0.1],
  ])
    assert.ok(Number.isNaN(difference({ d: [1, 2, 4], r }).placeboSlope));
});

test("controlDifference: the placebo's error by hand: residuals .5, −1, .5 about .5 + 1.5r", () => {
  const given = { d: [7, 1, 1, 4], r: [-1, 0, 1, 2] };
  // HC0 Σ (r − r̄)²e²/Σ(r − r̄)²² = (.25 + .25)/4, HC1 3/(3 − 2) of it, on one degree of freedom.
  const alone = difference(given);
  within(alone.placeboSe, Math.sqrt(0.375), 1e-15);
  assert.equal(alone.placeboDf, 1);
  // CR2 of single cases divides e² by 1 − h = 1/6 at either end; one residual's freedom is left.
  const single = difference({ ...given, clusters: [0, 1, 2, 3] });
  within(single.placeboSe, Math.sqrt(0.75), 1e-14);
  within(single.placeboDf, 1, 1e-13);
});

/** claude-sonnet-5 against gpt-4o on the events that both answered, split after 2025-08, by month. */
function realDifference(t: TestContext) {
  const data = knowledgeCutoff(t);
  if (data === undefined) return undefined;
  const events = sharedEvents(data.answers, "claude-sonnet-5", "gpt-4o");
  return difference({
    d: events.map(({ a, b }) => a - b),
    r: events.map(({ month }) => month - monthIndex("2025-08") - 0.5),
    clusters: [...byMonth(events)],
  });
}

test("controlDifference: real answers: the placebo slope of claude-sonnet-5 against gpt-4o with its errors", (t) => {
  const found = realDifference(t);
  if (found === undefined) return;
  // CR2 and Bell–McCaffrey written out with numpy's matrices on the same rows.
  within(found.placeboSlope, -0.03999198557403326, 1e-12);
  within(found.placeboSe, 0.013125331601482744, 1e-12);
  within(found.placeboDf, 4.29062447352045, 1e-9);
});

test("controlDifference: the placebo's error is that of the n×n matrices over the cases after, whatever stands before", () => {
  const met = { compared: 0, none: 0 };
  fc.assert(
    fc.property(cases, fc.boolean(), (given, clustered) => {
      const { clusters, ...alone } = given;
      const of = clustered ? given : alone;
      const found = difference(of);
      const after = [...given.r.keys()].filter((i) => given.r[i]! >= 0);
      const brute = bruteForce({
        x: Float64Array.from(after.flatMap((i) => [1, given.r[i]!])),
        y: Float64Array.from(after, (i) => given.d[i]!),
        clusters: Int32Array.from(after, (i) => (clustered ? clusters[i]! : i)),
        k: 2,
        contrast: [0, 1],
      });
      // Residuals may be none at all, or cancel within every cluster: then there is no error to state.
      if (brute === null || brute.seHc0 < 1e-9 || (clustered && brute.se < 1e-9 * brute.seHc0)) {
        met.none += 1;
        assert.deepEqual([found.placeboSe, found.placeboDf], [Number.NaN, Number.NaN]);
        return;
      }
      if (clustered && brute.gap < 1e-3) return;
      met.compared += 1;
      within(found.placeboSlope, brute.estimate, 1e-12);
      within(found.placeboSe, clustered ? brute.se : brute.seHc1, 1e-8);
      close(found.placeboDf, clustered ? brute.df : after.length - 2, 1e-7, "df");
      const moved = difference({ ...of, d: given.d.map((v, i) => (given.r[i]! < 0 ? 3 - v : v)) });
      assert.deepEqual([moved.placeboSe, moved.placeboDf], [found.placeboSe, found.placeboDf]);
      const scaled = difference({ ...of, r: given.r.map((v) => 4 * v) });
      within(4 * scaled.placeboSe, found.placeboSe, 1e-12);
    }),
    { numRuns: 300 },
  );
  assert.ok(met.compared > 100 && met.none > 5, JSON.stringify(met));
});

test("controlDifference: the placebo has no error on an exact line, and where there is no slope", () => {
  const exact = difference({ d: [0, 0.5, 0.75, 1, 1.25], r: [-1, 0, 1, 2, 3] });
  within(exact.placeboSlope, 0.25, 1e-15);
  assert.deepEqual([exact.placeboSe, exact.placeboDf], [Number.NaN, Number.NaN]);
  for (const r of [
    [-1, -2, -3],
    [-1, 0.1, 0.1],
    [-1, 0, 1],
  ]) {
    const { placeboSe, placeboDf } = difference({ d: [1, 2, 4], r, clusters: [0, 1, 2] });
    assert.deepEqual([placeboSe, placeboDf], [Number.NaN, Number.NaN]);
  }
});

test("controlDifference: states as the discontinuity's, and numbers that are not finite are refused", () => {
  const side = (sign: number, clusters: number, m: number) =>
    [...Array(clusters * m).keys()].map((i) => sign * (Math.floor(i / m) + 0.5));
  const state = (before: number, after: number, m: number, flat = false) => {
    const r = [...side(-1, before, m), ...side(1, after, m)];
    const d = r.map((_, i) => (flat ? 0.25 : ((i * i) % 7) / 7));
    return difference({ d, r, clusters: r.map((_, i) => Math.floor(i / m)) }).state;
  };
  assert.equal(state(5, 5, 4), "estimated");
  assert.equal(state(4, 8, 5), "not estimable");
  assert.equal(state(8, 4, 5), "not estimable");
  assert.equal(state(6, 6, 3), "not estimable");
  assert.equal(state(2, 2, 1, true), "degenerate");
  const empty = difference({ d: [1, 2, 3], r: [1, 2, 3], clusters: [0, 1, 2] });
  assert.deepEqual([empty.estimate, empty.state, empty.nPre], [Number.NaN, "not estimable", 0]);
  assert.throws(() => difference({ d: [1, Number.NaN], r: [-1, 1] }), RangeError);
  assert.throws(() => difference({ d: [1, 2], r: [-1, Number.NEGATIVE_INFINITY] }), RangeError);
  assert.throws(() => difference({ d: [1], r: [-1, 1] }), /1 of d, 2 of r/);
});

test("controlDifference: real answers: claude-sonnet-5 against gpt-4o, split after 2025-08: .7912, CR1 .0572", (t) => {
  const found = realDifference(t);
  if (found === undefined) return;
  within(found.estimate, 0.7912, 5e-5);
  within(found.seCr1, 0.0572, 5e-5);
  assert.deepEqual([found.clusters, found.nPre, found.nPost, found.state], [30, 186, 94, "estimated"]);
  // research/leakage.md 2.2: MDE80 .160, by the normal quantiles
  within(minimumDetectableEffect({ se: found.seCr1, df: null, alpha: 0.05, power: 0.8 }), 0.16, 5e-4);
});

test("pairedDifference: real answers, events clustered by month: means with both errors", (t) => {
  const data = knowledgeCutoff(t);
  if (data === undefined) return;
  // data/README.md and research/leakage.md §5, row 16: mean, error, error by month
  for (const [a, b, centre, single, clustered] of [
    ["claude-sonnet-5", "gpt-4o", 0.6107, 0.0292, 0.075],
    ["gpt-5.5", "gpt-5.4", 0.1286, 0.0213, 0.0388],
    ["gemini-3.6-flash", "gemini-3.5-flash", 0.0071, 0.005, 0.005],
  ] as const) {
    const events = sharedEvents(data.answers, a, b);
    const [left, right] = [
      Float64Array.from(events, (row) => row.a),
      Float64Array.from(events, (row) => row.b),
    ];
    const alone = pairedDifference(left, right)!;
    const months = pairedDifference(left, right, byMonth(events))!;
    within(alone.mean, centre, 5e-5, a);
    within(alone.se, single, 5e-5, a);
    within(months.seCr1, clustered, 5e-5, a);
  }
});
