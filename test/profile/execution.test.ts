import assert from "node:assert/strict";
import { test } from "node:test";
import type { Code } from "../../src/core/refusal.ts";
import { fit } from "../../src/core/schema.ts";
import {
  ExecutionOnDisk,
  executionOnDisk,
  executionTerms,
  positionsFault,
  sideCosts,
} from "../../src/profile/execution.ts";
import { refused } from "../core/refused.ts";

const least = {
  component: "next-available-price",
  prices: { table: "index", columns: ["open", "close"] },
  costs: {},
};
const parsed = (disk: unknown) => {
  const fitted = fit(ExecutionOnDisk, disk, "p.yaml:3") as ExecutionOnDisk;
  return executionTerms(fitted, "p.yaml:3");
};

test("what an execution does not say: no latency, fractions, no leverage, a capital of 10,000", () => {
  const terms = parsed(least);
  assert.deepEqual(terms && { ...terms, latency: terms.latency.micros }, {
    component: "next-available-price",
    prices: { table: "index", columns: ["open", "close"] },
    latency: 0,
    costs: { basisPoints: 0, fixed: 0, halfSpread: 0 },
    lot: 0,
    leverage: 1,
    capital: 10_000,
  });
});

test("terms go to disk with every key said, and come back", () => {
  const whole = {
    ...least,
    latency: "PT5M",
    costs: { basis_points: 5, fixed: 0.5, half_spread: 1 },
    lot: 1,
    leverage: 1.5,
    capital: 250,
  };
  const terms = parsed(whole);
  assert.ok(terms !== undefined);
  assert.deepEqual(executionOnDisk(terms), whole);
  assert.deepEqual(parsed(executionOnDisk(terms)), terms);
  const said = executionOnDisk(parsed(least) as NonNullable<typeof terms>);
  assert.deepEqual(Object.keys(said).sort(), Object.keys(whole).sort());
});

const { costs: _, ...costless } = least;
const faults: readonly (readonly [Code, disk: object])[] = [
  ["FieldInvalid", { ...least, component: "same-bar-close" }],
  ["KeyMissing", costless],
  ["UnknownKey", { ...least, slippage: 1 }],
  ["UnknownKey", { ...least, costs: { bps: 5 } }],
  ["FieldInvalid", { ...least, costs: { basis_points: -1 } }],
  ["FieldInvalid", { ...least, costs: { fixed: Number.NaN } }],
  ["FieldInvalid", { ...least, prices: { table: "index", columns: [] } }],
  ["FieldInvalid", { ...least, prices: { table: "index", columns: ["open", "open"] } }],
  ["FieldInvalid", { ...least, leverage: 0 }],
  ["FieldInvalid", { ...least, capital: 0 }],
  ["FieldInvalid", { ...least, lot: -1 }],
  ["DurationInvalid", { ...least, latency: "5 minutes" }],
  ["FieldInvalid", { ...least, latency: "P1D" }],
  ["FieldInvalid", { ...least, costs: { basis_points: 5_000 } }],
  ["FieldInvalid", { ...least, leverage: 10, costs: { basis_points: 500 } }],
];

test("an execution that is none is refused; its nearest neighbours are taken", () => {
  for (const [code, disk] of faults)
    assert.equal(refused(code, () => parsed(disk)).details.place, "p.yaml:3");
  for (const disk of [
    { ...least, latency: "PT24H" },
    { ...least, costs: { basis_points: 4_999 } },
    { ...least, leverage: 10, costs: { basis_points: 499 } },
    { ...least, latency: "PT0S", lot: 0, costs: { fixed: 0 } },
    { ...least, prices: { table: "index", columns: ["close"] } },
  ])
    assert.ok(parsed(disk) !== undefined);
});

test("what a side costs: the half-spread first, the fee on the price that is paid", () => {
  const { buy, sell } = sideCosts({ costs: { basisPoints: 10, halfSpread: 20, fixed: 9 } });
  assert.ok(Math.abs(buy - (1.002 * 1.001 - 1)) < 1e-15 && Math.abs(sell - (1 - 0.998 * 0.999)) < 1e-15);
  assert.deepEqual(sideCosts({ costs: { basisPoints: 0, halfSpread: 0, fixed: 9 } }), { buy: 0, sell: 0 });
});

test("positions over the leverage are no answer, and are told, not thrown", () => {
  assert.equal(
    positionsFault({ a: 0.6, b: -0.5 }, 1),
    "the sizes of the weights sum to 1.1, expected at most 1",
  );
  assert.equal(positionsFault({ a: Number.NaN }, 1), "a: NaN, expected a number");
  assert.equal(positionsFault({ a: Number.NEGATIVE_INFINITY }, 1), "a: -Infinity, expected a number");
  for (const fine of [{}, { a: 0.6, b: -0.4 }, { a: 0.1, b: 0.2, c: 0.7 }, { a: -1 }])
    assert.equal(positionsFault(fine, 1), undefined);
  assert.equal(positionsFault({ a: 0.6, b: -0.5 }, 1.1), undefined);
});
