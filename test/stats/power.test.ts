import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { minimumDetectableEffect } from "../../src/stats/power.ts";
import { close, within } from "./close.ts";

const size = { alpha: 0.05, power: 0.8 };

test("minimumDetectableEffect: the multiplier is 2.8016 (Bloom 1995: 2.8), 2.8316 at 92 df", () => {
  within(minimumDetectableEffect({ se: 1, df: null, ...size }), 2.8016, 5e-5);
  within(minimumDetectableEffect({ se: 1, df: 92, ...size }), 2.8316, 5e-5);
});

test("minimumDetectableEffect: chapter 42's paired and two-sample answers", () => {
  const answer = (se: number) => minimumDetectableEffect({ se, df: null, ...size });
  within(answer(0.25 / Math.sqrt(93)), 0.0726277, 5e-8);
  within(answer(0.25 / Math.sqrt(300)), 0.0404374, 5e-8);
  within(answer(0.25 * Math.sqrt(2 / 150)), 0.0808748, 5e-8);
  within(answer((0.25 * Math.sqrt(2.2)) / Math.sqrt(300)), 0.0599784, 5e-8);
});

test("minimumDetectableEffect: proportional to se; fewer df, more power, a smaller alpha need more", () => {
  const share = fc.double({ min: 0.01, max: 0.5, noNaN: true });
  const df = fc.double({ min: 1, max: 500, noNaN: true });
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 10, noNaN: true }),
      df,
      share,
      share,
      (se, degrees, alpha, miss) => {
        const at = { se, df: degrees, alpha, power: 1 - miss };
        const effect = minimumDetectableEffect(at);
        close(minimumDetectableEffect({ ...at, se: 2 * se }), 2 * effect, 1e-14);
        assert.ok(effect >= minimumDetectableEffect({ ...at, df: null }));
        assert.ok(effect > minimumDetectableEffect({ ...at, alpha: alpha * 1.5 }));
        assert.ok(effect > minimumDetectableEffect({ ...at, power: 1 - miss * 1.5 }));
      },
    ),
  );
});

test("minimumDetectableEffect: refuses what is out of range", () => {
  const fine = { se: 1, df: null, ...size };
  for (const se of [-1, Number.NaN, Infinity]) {
    assert.throws(() => minimumDetectableEffect({ ...fine, se }), RangeError);
  }
  for (const share of [0, 1, Number.NaN]) {
    assert.throws(() => minimumDetectableEffect({ ...fine, alpha: share }), RangeError);
    assert.throws(() => minimumDetectableEffect({ ...fine, power: share }), RangeError);
  }
  assert.throws(() => minimumDetectableEffect({ ...fine, df: 0 }), RangeError);
});
