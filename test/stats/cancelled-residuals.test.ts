/** Residuals that cancel within every cluster: both estimators at the cutoff have rounding for an error, and say so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controlDifference } from "../../src/stats/control-difference.ts";
import { discontinuity } from "../../src/stats/discontinuity.ts";

const input = ({ r, y, h }: { r: number[]; y: number[]; h: number }) => ({
  r: Float64Array.from(r),
  y: Float64Array.from(y),
  better: "lower" as const,
  bandwidth: h,
  donut: 0,
});

test("discontinuity: every month with the same mix of outcomes: residuals cancel within each: degenerate", () => {
  for (const mix of [
    [0, 1, 1, 0],
    [0.1, 0.7, 0.3, 0.2, 0.9],
    [0, 0, 1],
  ])
    for (const h of [7, 12, 30]) {
      const r = Array.from({ length: 24 * mix.length }, (_, i) => Math.floor(i / mix.length) - 11.5);
      const clusters = Int32Array.from(r, (v) => v + 11.5);
      const given = { r, y: r.map((_, i) => mix[i % mix.length]!), h };
      const found = discontinuity({ ...input(given), clusters });
      assert.equal(found.state, "degenerate", `${mix} ${h}`);
      assert.ok(found.seHc0 > 0.05 && found.se < 1e-13, "rows vary, clusters do not");
      assert.notEqual(discontinuity(input(given)).state, "degenerate", "each row its own");
      const one = discontinuity({
        ...input({ ...given, y: given.y.map((v, i) => v + (i === 36 ? 1e-6 : 0)) }),
        clusters,
      });
      assert.notEqual(one.state, "degenerate", "a millionth more in one month is more than rounding");
    }
});

test("controlDifference: every month with the same mix of leads: degenerate, and the placebo has no error", () => {
  for (const mix of [
    [-0.5, 0.5, 0.25, 0],
    [0.1, 0.7, -0.3, 0.2, 0.9],
  ]) {
    const r = Float64Array.from({ length: 24 * mix.length }, (_, i) => Math.floor(i / mix.length) - 11.5);
    const d = r.map((_, i) => mix[i % mix.length]!);
    const clusters = Int32Array.from(r, (v) => v + 11.5);
    const found = controlDifference({ d, r, clusters });
    assert.equal(found.state, "degenerate");
    assert.ok(found.seHc0 > 0.02 && found.se < 1e-14);
    assert.deepEqual([found.placeboSe, found.placeboDf], [Number.NaN, Number.NaN]);
    assert.equal(controlDifference({ d, r }).state, "estimated", "each case its own");
  }
});

test("controlDifference: the slope's error is none where the rows that it looks at lie on the line: ±.25 at r̄ alone", () => {
  const off = { d: [0.375, -0.375, 0.625, -0.125], r: [2.5, 0.5, 4.5, 2.5] }; // slope .25 about (2.5, .125)
  const of = (d: number[]) => controlDifference({ d: Float64Array.from(d), r: Float64Array.from(off.r) });
  assert.deepEqual([of(off.d).placeboSlope, of(off.d).placeboSe], [0.25, Number.NaN]);
  const moved = of(off.d.with(2, 0.625 + 1e-6));
  assert.ok(moved.placeboSe > 0, "a millionth at an end is more than rounding");
});
