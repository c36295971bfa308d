/** Combinations, their count, and contiguous groups. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { combinationCount, combinations, contiguousGroups } from "../../src/caseset/combinatorial.ts";

test("combinations: every choice once, in order, as many as are counted", () => {
  assert.deepEqual(
    [...combinations(4, 2)],
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ],
  );
  assert.deepEqual([...combinations(3, 3)], [[0, 1, 2]]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(), (n, pick) => {
      const k = 1 + (pick % n);
      const all = [...combinations(n, k)].map((chosen) =>
        chosen.map((i) => String(i).padStart(2, "0")).join(),
      );
      assert.deepEqual(all, [...new Set(all)].sort());
      assert.equal(all.length, combinationCount(n, k, 1e6));
    }),
  );
});

test("combinationCount: exact up to the bound, Infinity above it", () => {
  assert.equal(combinationCount(16, 8, 12870), 12870);
  assert.equal(combinationCount(16, 8, 12869), Number.POSITIVE_INFINITY);
  assert.equal(combinationCount(1000, 999, 1e6), 1000);
  assert.equal(combinationCount(1000, 500, 1e6), Number.POSITIVE_INFINITY);
});

test("contiguousGroups: cover the range in order, the first a case larger", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(200), fc.integer({ min: 1, max: 40 }), (from, size, groups) => {
      const made = contiguousGroups({ from, to: from + size }, groups);
      assert.equal(made.length, groups);
      assert.equal(made[0]?.from, from);
      assert.equal(made.at(-1)?.to, from + size);
      for (const [i, group] of made.entries()) {
        if (i > 0) assert.equal(group.from, made[i - 1]?.to);
        assert.equal(group.to - group.from, Math.floor(size / groups) + (i < size % groups ? 1 : 0));
      }
    }),
  );
});
