import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { quantileSorted, tails } from "../../src/stats/quantile.ts";
import { within } from "./close.ts";
import { oracle } from "./oracle.ts";

const sorted = fc
  .array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 50 })
  .map((values) => Float64Array.from(values).sort());
const share = fc.double({ min: 0, max: 1, noNaN: true });

test("quantileSorted: R's quantile(c(1, 2, 4, 9), type = 7) at .3 is 1.9", () => {
  within(quantileSorted(Float64Array.of(1, 2, 4, 9), 0.3), 1.9, 1e-15);
  assert.equal(quantileSorted(Float64Array.of(1, 2, 4, 9), 0.5), 3);
  assert.equal(quantileSorted(Float64Array.of(5), 0.975), 5);
});

test("quantileSorted: agrees with jstat's alphap = betap = 1", () => {
  fc.assert(
    fc.property(sorted, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (values, p) => {
      fc.pre(values.length > 1);
      const [expected] = oracle.quantiles([...values], [p], 1, 1);
      within(quantileSorted(values, p), expected!, 1e-11);
    }),
  );
});

test("quantileSorted: ends are the least and the greatest, and it rises between", () => {
  fc.assert(
    fc.property(sorted, share, share, (values, a, b) => {
      assert.ok(quantileSorted(values, 0) === values[0]); // −0 is 0 here
      assert.ok(quantileSorted(values, 1) === values[values.length - 1]);
      const [low, high] = a < b ? [a, b] : [b, a];
      assert.ok(quantileSorted(values, low) <= quantileSorted(values, high) + 1e-12);
    }),
  );
});

test("tails: .95 is exactly .025 and .975", () => {
  assert.deepEqual(tails(0.95), { lower: 0.025, upper: 0.975 });
  assert.deepEqual(tails(0.9), { lower: 0.05, upper: 0.95 });
  for (const level of [0, 1, -1, Number.NaN]) assert.throws(() => tails(level), RangeError);
});

test("quantileSorted: refuses emptiness and what is not a probability", () => {
  assert.throws(() => quantileSorted(new Float64Array(0), 0.5), RangeError);
  for (const p of [-0.1, 1.1, Number.NaN])
    assert.throws(() => quantileSorted(Float64Array.of(1), p), RangeError);
});
