/** The geometry of both pictures, against places worked out by hand and over every number there is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutoffFrame } from "../../src/report/cutoff-frame.ts";
import type { CutoffSlices } from "../../src/report/cutoff-slices.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { sixMonths, someSlices } from "./made-slices.ts";

const near = (a: number | undefined, b: number) => Math.abs((a as number) - b) < 1e-12;

test("cutoffFrame: six months a side stand where arithmetic puts them", () => {
  // Means from .0925 to .275, lines from .1 to .26: half of that span reaches 0, so the frame stands on it.
  const { points, lines, jump, ticks, donut } = cutoffFrame(sixMonths.plot);
  assert.deepEqual(
    ticks.map(({ label }) => label),
    ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25"],
  );
  const top = 0.275 + (0.275 - 0.0925) * 0.06;
  assert.equal(points.length, 14);
  assert.ok(near(points[0]?.across, -7.5 / 12) && near(points[0]?.up, 0.0925 / top));
  assert.deepEqual(
    points.map(({ used }) => used),
    [false, ...Array(12).fill(true), false],
  );
  assert.deepEqual([lines.length, donut], [2, 0]);
  assert.ok(near(lines[0]?.from.across, -0.5) && near(lines[0]?.from.up, 0.1 / top));
  assert.ok(near(lines[1]?.from.across, 0.5) && near(lines[1]?.from.up, 0.26 / top));
  assert.ok(near(jump?.pre, 0.13 / top) && near(jump?.post, 0.2 / top));
});

test("cutoffFrame: a line reaches as far as its points do, and over the donut it is only extended", () => {
  const bins = sixMonths.plot.bins.filter(({ from }) => from >= -3 && from < 2);
  const { lines, points, donut } = cutoffFrame({ ...sixMonths.plot, donut: 1, bins });
  assert.equal(donut, 1 / 12);
  assert.deepEqual(
    lines.map(({ from, to, extended }) =>
      [from.across * 12, to.across * 12, extended].map((each) => each || 0),
    ),
    [
      [-3, -1, 0],
      [-1, 0, true],
      [2, 1, 0],
      [1, 0, true],
    ],
  );
  assert.deepEqual(
    points.map(({ used }) => used),
    [true, true, false, false, true],
  );
});

test("cutoffFrame: without lines no point is one that they use", () => {
  const { points, lines, jump } = cutoffFrame({ ...sixMonths.plot, fit: null });
  assert.deepEqual([points.length, lines, jump], [14, [], null]);
  assertNone(points, ({ used }) => used);
});

test("cutoffFrame: the interval of the step begins where the line before ends, and is cut where it runs far off", () => {
  const { reach, ticks } = cutoffFrame(sixMonths.plot, [0.0184, 0.1376]);
  assert.deepEqual(ticks, cutoffFrame(sixMonths.plot).ticks, "below the greatest mean, .275: the same frame");
  const height = 0.275 + (0.275 - 0.0925) * 0.06;
  assert.ok(near(reach?.lo.up, (0.13 + 0.0184) / height) && near(reach?.hi.up, (0.13 + 0.1376) / height));
  assert.deepEqual([reach?.lo.cut, reach?.hi.cut], [false, false]);
  const wide = cutoffFrame(sixMonths.plot, [-5, 5]).reach;
  assert.deepEqual([wide?.lo.cut, wide?.hi.cut], [true, true]);
  assert.ok((wide?.lo.up as number) < (wide?.hi.up as number));
  assert.equal(cutoffFrame(sixMonths.plot).reach, null);
  assert.equal(cutoffFrame({ ...sixMonths.plot, fit: null }, [0, 1]).reach, null);
});

test("cutoffFrame: outcomes far from 0 do not stretch the frame to it, all equal ones keep a height", () => {
  const labels = (mean: number) =>
    cutoffFrame({ ...sixMonths.plot, fit: null, bins: [{ from: 0, to: 1, mean, n: 1 }] }).ticks.map(
      ({ label }) => label,
    );
  assert.deepEqual(labels(100), ["80", "90", "100", "110", "120"]);
  assert.deepEqual(labels(0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(labels(-4), ["-5.0", "-4.5", "-4.0", "-3.5", "-3.0"]);
});

test("cutoffFrame: whatever is finite lies within the frame, ticks rise and say their own value", () => {
  const inside = (value: number) => value >= 0 && value <= 1;
  fc.assert(
    fc.property(someSlices, ({ plot, discontinuity }: CutoffSlices) => {
      const { points, lines, jump, reach, ticks } = cutoffFrame(plot, discontinuity[1]?.ci95);
      assert.equal(points.length, plot.bins.length);
      const spots = [...points, ...lines.flatMap(({ from, to }) => [from, to])];
      assert.ok(spots.every(({ across, up }) => Math.abs(across) <= 1 + 1e-12 && inside(up)));
      assert.ok(jump === null || (inside(jump.pre) && inside(jump.post)));
      assert.ok(reach === null || (inside(reach.lo.up) && inside(reach.hi.up)));
      assert.ok(ticks.length >= 2 && ticks.length <= 7);
      assertEvery(
        ticks,
        ({ up, label }, i) => inside(up) && label.length <= 11 && up >= (ticks[i - 1]?.up ?? 0),
      );
    }),
  );
});
