import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { stream } from "../../src/core/random.ts";
import { looksLikePrices } from "../../src/profile/return-doubts.ts";
import { repository } from "../core/refused.ts";

/** Normal returns, n of them, of a ratio per period. */
function returnsOf(seed: number, n: number, ratio: number): Float64Array {
  const dice = stream(seed, "returns");
  const unit = () => (dice.nextUint32() + 0.5) / 2 ** 32;
  return Float64Array.from(
    { length: n },
    () => 0.01 * (ratio + Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit())),
  );
}

test("looksLikePrices: a path of prices does, at any scale, and its returns do not", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 24, max: 200 }),
      fc.double({ min: -2, max: 1, noNaN: true }),
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      (seed, n, ratio, scale) => {
        const returns = returnsOf(seed, n, ratio);
        let level = scale;
        const prices = returns.map((value) => {
          level *= Math.max(0.5, 1 + value);
          return level;
        });
        assert.equal(looksLikePrices(prices), true);
        assert.equal(looksLikePrices(returns), false);
      },
    ),
  );
});

test("looksLikePrices: good returns without a loss do not; too few values, and the same one always, say nothing", () => {
  const good = Float64Array.from({ length: 12 }, (_, i) => 0.01 + 0.006 * Math.sin(7 * i));
  assert.ok(good.every((value) => value > 0));
  assert.equal(looksLikePrices(good), false);
  const prices = Float64Array.from({ length: 12 }, (_, i) => 100 + i);
  assert.equal(looksLikePrices(prices), true);
  assert.equal(looksLikePrices(prices.subarray(1)), false);
  assert.equal(looksLikePrices(new Float64Array(12).fill(100)), false);
});

test("looksLikePrices: none of the twenty dice of docs/sharpe does", () => {
  const text = fs.readFileSync(path.join(repository, "docs/sharpe/returns.csv"), "utf8");
  const rows = text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").slice(1).map(Number));
  assert.equal(rows[0]?.length, 20);
  const columns = (rows[0] as number[]).map((_, i) => Float64Array.from(rows, (row) => row[i] as number));
  assert.deepEqual(columns.filter(looksLikePrices), []);
});
