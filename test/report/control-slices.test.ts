import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { contract } from "../../src/core/contract.ts";
import { parseMonth } from "../../src/core/month.ts";
import { roundAll } from "../../src/core/round.ts";
import { type ControlCase, controlSlice } from "../../src/report/control-slices.ts";
import type { SliceCutoff } from "../../src/report/cutoff-slices.ts";
import { tInterval } from "../../src/stats/cluster-mean.ts";
import { controlDifference } from "../../src/stats/control-difference.ts";
import { within } from "../stats/close.ts";

const SPLIT = parseMonth("2025-08") as number;
const options = {
  unit: "months" as const,
  better: "lower" as const,
  power: contract.power,
  level: contract.bootstrapLevel,
};
const names = { treated: "new", control: "old", split: { lo: SPLIT, hi: SPLIT } };

/** `a` cases a month of the six months before and after: outcomes of both, before and after, and what is added to each. */
function monthly(
  means: { t: [number, number]; c: [number, number] },
  added = (_i: number) => 0,
): ControlCase[] {
  return Array.from({ length: 12 }, (_, m) => m - 5).flatMap((month) =>
    Array.from({ length: 5 }, (_, i) => ({
      at: SPLIT + month,
      treated: means.t[month <= 0 ? 0 : 1] + added(month * 5 + i),
      control: means.c[month <= 0 ? 0 : 1],
      cluster: `m${month}`,
    })),
  );
}

test("controlSlice: treated .10 then .22, control .18 then .21, lower is better: .08 − (−.01) = .09", () => {
  const row = controlSlice({ ...names, cases: monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }) }, options);
  within(row.estimate as number, 0.09, 1e-12);
  assert.deepEqual([row.state, row.mde, row.ci95], ["degenerate", null, [row.estimate, row.estimate]]);
  assert.deepEqual([row.n_pre, row.n_post, row.clusters, row.split], [30, 30, 12, "2025-08"]);
});

test("controlSlice: outcomes turned round with the orientation give the same row", () => {
  const wave = (i: number) => Math.sin(i * 12.9898) / 20;
  const cases = monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }, wave);
  const turned = cases.map((one) => ({ ...one, treated: -one.treated, control: -one.control }));
  const row = controlSlice({ ...names, cases }, options);
  const [least, greatest] = row.range as [number, number];
  assert.deepEqual(controlSlice({ ...names, cases: turned }, { ...options, better: "higher" }), {
    ...row,
    range: [-greatest, -least],
  });
  assert.equal(row.state, "estimated");
  const [lo, hi] = row.ci95 as [number, number];
  assert.ok(lo < (row.estimate as number) && (row.estimate as number) < hi && (row.mde as number) > 0);
  assert.deepEqual(row, roundAll(row as unknown as Json));
});

test("controlSlice: a lead that does not change with the split is no leak, whatever the eras are like", () => {
  const level = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(level, level, level, (era, later, lead) => {
      const cases = monthly({ t: [era - lead, later - lead], c: [era, later] }, (i) => Math.cos(i * 78.233));
      const noise = controlSlice(
        { ...names, cases: monthly({ t: [0, 0], c: [0, 0] }, (i) => Math.cos(i * 78.233)) },
        options,
      );
      within(controlSlice({ ...names, cases }, options).estimate as number, noise.estimate as number, 1e-9);
    }),
    { numRuns: 50 },
  );
});

test("controlSlice: few clusters on a side: null, the counts stand; one month of cases after has no placebo slope", () => {
  const all = monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }, (i) => Math.sin(i));
  const cases = all.filter(({ at }) => at <= SPLIT + 1);
  const row = controlSlice({ ...names, cases }, options);
  const { estimate, se, df, se_cr1, ci95, placebo_slope, mde } = row;
  assert.deepEqual([estimate, se, df, se_cr1, ci95, placebo_slope, mde], Array(7).fill(null));
  assert.deepEqual([row.n_pre, row.n_post, row.clusters, row.state], [30, 5, 7, "not estimable"]);
  assert.equal(typeof controlSlice({ ...names, cases: all }, options).placebo_slope, "number");
});

test("controlSlice: where the split is a cutoff with an interval, each month of it is the row at that split", () => {
  const cases = monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }, (i) => Math.sin(i * 12.9898) / 20);
  const swept = controlSlice(
    { ...names, cases, split: { lo: SPLIT - 1, hi: SPLIT + 1, point: SPLIT } },
    options,
  );
  assert.equal(swept.sensitivity.length, 3);
  for (const [i, row] of swept.sensitivity.entries()) {
    const month = SPLIT - 1 + i;
    const alone = controlSlice({ ...names, cases, split: { lo: month, hi: month } }, options);
    const { estimate, se, df, ci95, state } = alone;
    assert.deepEqual(row, { cutoff: alone.split, estimate, se, df, ci95, state });
    assert.deepEqual([alone.sensitivity, alone.envelope], [[], null]);
  }
  assert.equal(swept.estimate, swept.sensitivity[1]?.estimate);
  assert.deepEqual([swept.envelope?.estimated, swept.envelope?.of], [3, 3]);
});

test("controlSlice: the placebo's interval is t's of the slope after the split; without an error there is none", () => {
  const wave = (i: number) => Math.sin(i * 12.9898) / 20;
  const cases = monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }, wave);
  const row = controlSlice({ ...names, cases }, options);
  const fit = controlDifference({
    d: Float64Array.from(cases, ({ treated, control }) => control - treated),
    r: Float64Array.from(cases, ({ at }) => at - SPLIT - 0.5),
    clusters: Int32Array.from(cases, ({ at }) => at - SPLIT + 5),
  });
  const expected = tInterval(fit.placeboSlope, fit.placeboSe, fit.placeboDf, options.level);
  for (const [i, end] of expected.entries()) within(row.placebo_ci95?.[i] as number, end, 1e-9);
  assert.ok((row.placebo_ci95?.[0] as number) < (row.placebo_slope as number));
  const flat = controlSlice({ ...names, cases: monthly({ t: [0.1, 0.22], c: [0.18, 0.21] }) }, options);
  assert.deepEqual([flat.state, flat.placebo_ci95], ["degenerate", null]);
  const few = controlSlice({ ...names, cases: cases.filter(({ at }) => at <= SPLIT + 2) }, options);
  assert.deepEqual([few.state, few.placebo_ci95], ["not estimable", null]);
});

test("controlSlice: before_cutoff: whether the treated model's cutoff may lie after the split; range: of both models", () => {
  const cases = monthly({ t: [0.1, 0.22], c: [0.18, 0.21] });
  const early = (split: SliceCutoff, cutoffEnd?: number) =>
    controlSlice({ ...names, cases, split, ...(cutoffEnd === undefined ? {} : { cutoffEnd }) }, options)
      .before_cutoff;
  const one = { lo: SPLIT, hi: SPLIT };
  assert.deepEqual(
    [early(one), early(one, SPLIT), early(one, SPLIT - 1), early(one, SPLIT + 1)],
    [false, false, false, true],
  );
  const stated = { lo: SPLIT - 2, hi: SPLIT + 2, point: SPLIT };
  assert.deepEqual([early(stated), early({ ...stated, point: SPLIT + 2 })], [true, false]);
  assert.deepEqual(controlSlice({ ...names, cases }, options).range, [0.1, 0.22]);
});
