import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mean, standardDeviation, sum } from "../../src/stats/moments.ts";
import { close } from "./close.ts";
import { oracle } from "./oracle.ts";

const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 40 });

test("sum: left to right, so the order given decides the last bits", () => {
  assert.equal(sum([0.1, 0.2, 0.3]), 0.6000000000000001);
  assert.equal(sum([0.3, 0.2, 0.1]), 0.6);
  assert.equal(sum([1e16, 1, -1e16]), 0);
  assert.equal(sum([]), 0);
});

test("standardDeviation: NIST StRD NumAcc1 and NumAcc2", () => {
  // Certified: sd 1 for 10000001, 10000003, 10000002; 0.1 for 1.2, then 1.1, 1.3 by turns.
  assert.equal(standardDeviation([10000001, 10000003, 10000002]), 1);
  const second = [1.2, ...Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? 1.1 : 1.3))];
  close(standardDeviation(second), 0.1, 1e-12);
  close(mean(second), 1.2, 1e-13);
});

test("moments: agree with jstat", () => {
  fc.assert(
    fc.property(values, (sample) => {
      const size = Math.max(...sample.map(Math.abs));
      assert.ok(Math.abs(mean(sample) - oracle.mean(sample)) <= 1e-12 * size);
      assert.ok(Math.abs(standardDeviation(sample) - oracle.stdev(sample, true)) <= 1e-12 * size);
    }),
  );
});

test("moments: a shift moves the mean and leaves the spread", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: -1000, max: 1000 }), (sample, shift) => {
      const moved = sample.map((value) => value + shift);
      assert.ok(Math.abs(mean(moved) - mean(sample) - shift) <= 1e-9);
      assert.ok(Math.abs(standardDeviation(moved) - standardDeviation(sample)) <= 1e-9);
    }),
  );
});

test("moments: refuse emptiness and what is not finite", () => {
  assert.throws(() => mean([]), RangeError);
  assert.throws(() => standardDeviation([1]), RangeError);
  for (const bad of [Number.NaN, Infinity, -Infinity]) {
    assert.throws(() => sum([1, bad]), /values\[1\]/);
    assert.throws(() => mean([bad]), RangeError);
    assert.throws(() => standardDeviation([1, bad]), RangeError);
  }
});
