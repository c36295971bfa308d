import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { brier } from "../../src/stats/brier.ts";

const probability = fc.double({ min: 0, max: 1, noNaN: true });

test("brier: the four forecasts of scikit-learn's brier_score_loss docs have mean .0375", () => {
  const total = brier(0.1, 0) + brier(0.9, 1) + brier(0.8, 1) + brier(0.3, 0);
  assert.ok(Math.abs(total / 4 - 0.0375) < 1e-15);
});

test("brier: best 0 at certainty that is right, worst 1 at certainty that is wrong", () => {
  assert.deepEqual([brier(1, 1), brier(0, 0), brier(1, 0), brier(0, 1)], [0, 0, 1, 1]);
});

test("brier: stays in [0, 1], and the two outcomes mirror each other", () => {
  fc.assert(
    fc.property(probability, (p) => {
      const score = brier(p, 1);
      assert.ok(score >= 0 && score <= 1);
      assert.ok(Math.abs(brier(1 - p, 0) - score) <= 4e-16);
    }),
  );
});

test("brier: proper, the expected score is least at the true probability", () => {
  fc.assert(
    fc.property(probability, probability, (truth, said) => {
      const expected = (p: number) => truth * brier(p, 1) + (1 - truth) * brier(p, 0);
      assert.ok(expected(truth) <= expected(said) + 1e-15);
    }),
  );
});

test("brier: refuses what is not a probability", () => {
  for (const p of [-1e-9, 1 + 1e-9, Number.NaN, Infinity]) assert.throws(() => brier(p, 1), RangeError);
});
