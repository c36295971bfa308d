import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { contract } from "../../src/core/contract.ts";
import { MICROS_PER_DAY, parseInstant } from "../../src/core/instant.ts";
import { parseMonth } from "../../src/core/month.ts";
import { roundAll } from "../../src/core/round.ts";
import {
  type CutoffSlices,
  cutoffSlices,
  runningVariable,
  type SliceCase,
  type SliceOptions,
} from "../../src/report/cutoff-slices.ts";
import { clusterNumbers } from "../../src/stats/bootstrap.ts";
import { tInterval } from "../../src/stats/cluster-mean.ts";
import { discontinuityBootstrap } from "../../src/stats/discontinuity.ts";
import { within } from "../stats/close.ts";
import { assertEvery, assertNone } from "../support/all.ts";

const CUTOFF = parseMonth("2024-10") as number;
const END = parseInstant("2024-11-01T00:00:00Z", "test", "end") as number;
const at = { lo: CUTOFF, hi: CUTOFF };

const days: SliceOptions = {
  unit: "days",
  bandwidth: 6,
  donut: 0,
  better: "lower",
  power: contract.power,
  level: contract.bootstrapLevel,
  resamples: 200,
  seed: 1,
};

/** Cases r days from the cutoff's end, each its own cluster unless it is named. */
const casesOf = (r: readonly number[], y: readonly number[], cluster = (i: number) => `c${i}`): SliceCase[] =>
  r.map((value, i) => ({ at: END + value * MICROS_PER_DAY, outcome: y[i] as number, cluster: cluster(i) }));

const repeated = (values: readonly number[], times: number) =>
  Array.from({ length: times }, () => values).flat();

const R = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5];
const Y = [0.13, 0.096, 0.142, 0.098, 0.124, 0.196, 0.242, 0.258, 0.224, 0.26];

const atH = (slices: CutoffSlices) => slices.discontinuity[1] as CutoffSlices["discontinuity"][number];

test("runningVariable: months from half a month after the cutoff's, days from the first instant after it", () => {
  assert.equal(runningVariable(CUTOFF, CUTOFF, "months"), -0.5);
  assert.equal(runningVariable(CUTOFF + 1, CUTOFF, "months"), 0.5);
  assert.equal(runningVariable(END, CUTOFF, "days"), 0);
  assert.equal(runningVariable(END - MICROS_PER_DAY / 2, CUTOFF, "days"), -0.5);
  const december = parseMonth("2023-12") as number;
  assert.equal(runningVariable(parseInstant("2024-01-02T00:00:00Z", "", "") as number, december, "days"), 1);
});

test("cutoffSlices: chapter 42: leak .078 and bare gap .118, four times over so that there are 20 cases a side", () => {
  const slices = cutoffSlices(casesOf(repeated(R, 4), repeated(Y, 4)), at, days, "models.0");
  within(atH(slices).estimate as number, 0.078, 1e-12);
  within(slices.gap_not_leakage as number, 0.118, 1e-12);
  assert.deepEqual([atH(slices).n_pre, atH(slices).n_post, atH(slices).state], [20, 20, "estimated"]);
  assert.deepEqual(slices.n, { pre: 20, post: 20 });
  assert.deepEqual(
    slices.discontinuity.map(({ h }) => h),
    [3, 6, 12],
  );
  assert.equal(slices.cutoff, "2024-10");
});

test("cutoffSlices: a trend alone, Y = .15 + .01r ± .01: gap .06, leak 0, estimated", () => {
  const r = repeated(R, 4);
  const y = r.map((value, i) => 0.15 + 0.01 * value + (i < 20 ? 0.01 : -0.01));
  const slices = cutoffSlices(casesOf(r, y), at, days, "models.0");
  within(slices.gap_not_leakage as number, 0.06, 1e-12);
  within(atH(slices).estimate as number, 0, 1e-12);
  assert.equal(atH(slices).state, "estimated");
  assert.ok((slices.mde as number) > 0 && (atH(slices).se as number) > 0);
});

test("cutoffSlices: any slopes, any bandwidth, noise-free: the exact jump in either orientation, and degenerate", () => {
  const slope = fc.double({ min: -0.1, max: 0.1, noNaN: true });
  const level = fc.double({ min: -1, max: 1, noNaN: true });
  const input = fc.record({
    before: slope,
    after: slope,
    pre: level,
    post: level,
    h: fc.integer({ min: 4, max: 40 }),
  });
  fc.assert(
    fc.property(input, fc.constantFrom("lower" as const, "higher" as const), ({ h, ...line }, better) => {
      const r = Array.from({ length: 120 }, (_, i) => (i - 60) / 2 + 0.25);
      const y = r.map((x) => (x < 0 ? line.pre + line.before * x : line.post + line.after * x));
      fc.pre(y.some((value) => Math.abs(value) > 1e-3));
      const slices = cutoffSlices(casesOf(r, y), at, { ...days, bandwidth: h, better }, "models.0");
      const jump = (line.post - line.pre) * (better === "lower" ? 1 : -1);
      for (const row of slices.discontinuity) {
        assert.equal(row.state, "degenerate");
        within(row.estimate as number, jump, 1e-9);
        assert.deepEqual(row.ci95, [row.estimate, row.estimate]);
      }
      assert.equal(slices.mde, null);
      within(slices.plot.fit?.pre.level as number, line.pre, 1e-9);
      within(slices.plot.fit?.post.slope as number, line.after, 1e-9);
    }),
    { numRuns: 50 },
  );
});

/** Clustered cases with noise, by a stream that needs no die. */
function noisy(n: number, clusters: number): SliceCase[] {
  const r = Array.from({ length: n }, (_, i) => ((i * 7919) % n) * (24 / n) - 12);
  const y = r.map((x, i) => 0.2 + 0.01 * x + (x < 0 ? -0.1 : 0) + Math.sin(i * 12.9898) / 5);
  return casesOf(r, y, (i) => `g${(i * 31) % clusters}`);
}

test("cutoffSlices: not estimable below 5 clusters or 20 cases a side: null, and the counts stand", () => {
  const few = cutoffSlices(noisy(400, 4), at, days, "models.0");
  const enough = cutoffSlices(noisy(400, 5), at, days, "models.0");
  assert.deepEqual([atH(few).clusters_pre, atH(few).clusters_post, atH(few).state], [4, 4, "not estimable"]);
  const { estimate, se, df, se_cr1, ci95 } = atH(few);
  assert.deepEqual(
    { estimate, se, df, se_cr1, ci95 },
    { estimate: null, se: null, df: null, se_cr1: null, ci95: null },
  );
  assert.deepEqual([few.mde, few.plot.fit], [null, null]);
  assert.equal(atH(enough).state, "estimated");
  assert.ok(enough.plot.fit !== null && enough.mde !== null);
  const thin = cutoffSlices(casesOf(repeated(R, 3), repeated(Y, 3)), at, days, "models.0");
  assert.deepEqual([atH(thin).n_pre, atH(thin).state], [15, "not estimable"]);
});

test("cutoffSlices: no case before the cutoff: the gap is null, and nothing is estimated", () => {
  const after = noisy(400, 40).filter(({ at: when }) => when >= END);
  const slices = cutoffSlices(after, at, days, "models.0");
  assert.deepEqual([slices.gap_not_leakage, slices.n.pre, slices.n.post], [null, 0, after.length]);
  assertEvery(slices.discontinuity, ({ state, estimate }) => state === "not estimable" && estimate === null);
  const none = cutoffSlices([], at, days, "models.0");
  assert.deepEqual([none.gap_not_leakage, none.plot.bins], [null, []]);
});

test("cutoffSlices: from 100 clusters on the interval is the bootstrap's, of the stream of its own path", () => {
  const cases = noisy(800, 120);
  const options = days;
  const slices = cutoffSlices(cases, at, options, "models.3");
  const input = {
    r: Float64Array.from(cases, (one) => runningVariable(one.at, CUTOFF, "days")),
    y: Float64Array.from(cases, ({ outcome }) => outcome),
    better: "lower" as const,
    clusters: clusterNumbers(cases.map(({ cluster }) => cluster)),
    bandwidth: 6,
    donut: 0,
  };
  const draw = { resamples: 200, level: 0.95, seed: 1 };
  const drawn = discontinuityBootstrap(input, { ...draw, path: "models.3.discontinuity.1" });
  assert.ok(drawn !== null);
  assert.deepEqual(atH(slices).ci95, roundAll([drawn.lo, drawn.hi]));
  const other = discontinuityBootstrap(input, { ...draw, path: "models.3.discontinuity.0" });
  assert.notDeepEqual(other, drawn, "another path is another stream");
  assert.deepEqual(
    slices.discontinuity.map(({ method }) => method),
    ["bootstrap", "bootstrap", "bootstrap"],
  );
  const below = cutoffSlices(noisy(800, 99), at, options, "models.3");
  const { estimate, ci95, method } = atH(below);
  assert.equal(method, "t");
  const [lo, hi] = ci95 as [number, number];
  within(hi - (estimate as number), (estimate as number) - lo, 1e-11);
});

test("cutoffSlices: each month of the sweep is the slice at that month, and the envelope spans the estimated ones", () => {
  const hi = CUTOFF + 2;
  const lo = CUTOFF - 2;
  const options: SliceOptions = { ...days, bandwidth: 40 };
  const r = Array.from({ length: 600 }, (_, i) => i / 2 - 150.25);
  const y = r.map((x, i) => (x < -20 ? 0.1 : 0.3) + Math.sin(i * 78.233) / 9);
  const cases = casesOf(r, y, (i) => `w${Math.floor(i / 14)}`);
  const swept = cutoffSlices(cases, { lo, hi, point: CUTOFF }, options, "models.0");
  assert.equal(swept.cutoff, "2024-08..2024-12, stated 2024-10");
  assert.deepEqual(
    swept.sensitivity.map(({ cutoff }) => cutoff),
    ["2024-08", "2024-09", "2024-10", "2024-11", "2024-12"],
  );
  for (const [i, row] of swept.sensitivity.entries()) {
    const alone = cutoffSlices(cases, { lo: lo + i, hi: lo + i }, options, "models.0");
    const { estimate, se, df, ci95, state, method } = atH(alone);
    assert.equal(method, "t");
    assert.deepEqual(row, { cutoff: alone.cutoff, estimate, se, df, ci95, state });
    assert.deepEqual([alone.sensitivity, alone.envelope], [[], null]);
  }
  assert.deepEqual(
    atH(swept),
    atH(cutoffSlices(cases, at, options, "models.0")),
    "the main estimate is at the point",
  );
  const estimates = swept.sensitivity.map(({ estimate }) => estimate as number);
  assert.deepEqual(swept.envelope, {
    lo: Math.min(...estimates),
    hi: Math.max(...estimates),
    estimated: 5,
    of: 5,
  });
  const ended = cutoffSlices(cases, { lo, hi }, options, "models.0");
  assert.equal(ended.cutoff, "2024-08..2024-12");
  assert.equal(atH(ended).estimate, estimates[4], "without a point, at the interval's end");
});

test("cutoffSlices: a sweep's interval is t's at any number of clusters, and none where nothing is estimated", () => {
  const swept = cutoffSlices(noisy(800, 120), { lo: CUTOFF - 1, hi: CUTOFF }, days, "models.0");
  const [other, own] = swept.sensitivity;
  assert.deepEqual([other?.state, other?.df, other?.ci95], ["not estimable", null, null]);
  const { estimate, se, df, ci95 } = own as (typeof swept.sensitivity)[number];
  assert.deepEqual([estimate, se, df], [atH(swept).estimate, atH(swept).se, atH(swept).df]);
  const interval = tInterval(estimate as number, se as number, df as number, days.level);
  for (const [i, end] of interval.entries()) within(ci95?.[i] as number, end, 1e-9);
});

test("cutoffSlices: the outcome's range is of all cases, in no window; of none there is none", () => {
  const cases = [...noisy(400, 40), ...casesOf([-300, 400], [-7, 9])];
  assert.deepEqual(cutoffSlices(cases, at, days, "models.0").plot.range, [-7, 9]);
  assert.equal(cutoffSlices([], at, days, "models.0").plot.range, null);
});

test("cutoffSlices: the picture's bins are h/6 wide from 0 outward, hold every case within 2h, and their means", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (r, h) => {
        const cases = casesOf(r, r.map(Math.abs));
        const { bins } = cutoffSlices(cases, at, { ...days, bandwidth: h }, "models.0").plot;
        const distances = cases.map((one) => runningVariable(one.at, CUTOFF, "days"));
        const inside = distances.filter((x) => x >= -2 * h && x < 2 * h);
        assert.equal(
          bins.reduce((sum, { n }) => sum + n, 0),
          inside.length,
        );
        for (const { from, to, n, mean } of bins) {
          within(to - from, h / 6, 1e-9);
          within(Math.round(from / (h / 6)) * (h / 6), from, 1e-9);
          assert.ok(n > 0 && mean >= Math.min(Math.abs(from), Math.abs(to)) - 1e-9);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("cutoffSlices: a donut leaves its cases out of the lines, and keeps them in the picture", () => {
  const cases = noisy(400, 40);
  const whole = cutoffSlices(cases, at, days, "models.0");
  const holed = cutoffSlices(cases, at, { ...days, donut: 1 }, "models.0");
  assert.ok(atH(holed).n_pre < atH(whole).n_pre && atH(holed).n_post < atH(whole).n_post);
  assert.deepEqual(holed.plot.bins, whole.plot.bins);
  assert.deepEqual(holed.n, whole.n);
});

test("cutoffSlices: every number carries the report's digits, and the same cases give the same bytes", () => {
  const cases = noisy(500, 130);
  const slices = cutoffSlices(cases, { lo: CUTOFF - 1, hi: CUTOFF }, days, "models.0");
  assert.deepEqual(slices, roundAll(slices as Json));
  assertNone(Object.values(atH(slices)), (value) => typeof value === "number" && !Number.isFinite(value));
  const again = cutoffSlices(cases, { lo: CUTOFF - 1, hi: CUTOFF }, days, "models.0");
  assert.equal(JSON.stringify(slices), JSON.stringify(again));
});
