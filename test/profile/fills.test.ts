import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Order, sizeBatch } from "../../src/profile/fills.ts";
import { termsWith } from "./random-account.ts";

const free = termsWith();
const order = (weight: number, held: number, quoted: number, entity = "a"): Order => ({
  entity,
  weight,
  held,
  quoted,
});

const batches = fc.record({
  orders: fc.array(
    fc.record({
      tenths: fc.integer({ min: -10, max: 10 }),
      held: fc.integer({ min: -100, max: 100 }).map((halves) => halves / 2),
      quoted: fc.double({ min: 0.5, max: 200, noNaN: true }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  cash: fc.double({ min: 20_000, max: 50_000, noNaN: true }),
  basisPoints: fc.constantFrom(0, 7, 300),
  halfSpread: fc.constantFrom(0, 3, 200),
  fixed: fc.constantFrom(0, 1.5),
});

test("after a batch that fills at once each position is worth its weight of the equity that is left", () => {
  const property = fc.property(batches, ({ orders: drawn, cash, basisPoints, halfSpread, fixed }) => {
    const size = drawn.reduce((sum, { tenths }) => sum + Math.abs(tenths), 0);
    const orders = drawn.map(({ tenths, held, quoted }, i) =>
      order(size === 0 ? 0 : tenths / Math.max(size, 10), held, quoted, `e${i}`),
    );
    // An order to hold nothing of nothing is none.
    if (orders.some(({ weight, held }) => weight === 0 && held === 0)) return;
    const equity = orders.reduce((sum, { held, quoted }) => sum + held * quoted, cash);
    const terms = { ...free, costs: { basisPoints, halfSpread, fixed } };
    const sized = sizeBatch(orders, equity, 0, terms);
    let left = equity;
    sized.forEach(({ units }, i) => {
      const { quoted } = orders[i] as Order;
      const price = quoted * (1 + (Math.sign(units) * halfSpread) / 10_000);
      if (units !== 0)
        left -= Math.abs(units) * (Math.abs(price - quoted) + (price * basisPoints) / 10_000) + fixed;
    });
    sized.forEach(({ units, reason }, i) => {
      const { weight, held, quoted } = orders[i] as Order;
      assert.equal(reason, null);
      assert.ok(
        Math.abs((held + units) * quoted - weight * left) <= 1e-8 * equity + fixed * Math.abs(weight),
      );
    });
  });
  fc.assert(property, { numRuns: 500 });
});

test("with lots no position is larger than its weight says, and less than one lot below it", () => {
  const property = fc.property(batches, fc.constantFrom(1, 5), ({ orders: drawn, cash }, lot) => {
    const size = drawn.reduce((sum, { tenths }) => sum + Math.abs(tenths), 0);
    const orders = drawn.map(({ tenths, quoted }, i) =>
      order(tenths / Math.max(size, 10), 0, quoted, `e${i}`),
    );
    sizeBatch(orders, cash, 0, { ...free, lot }).forEach(({ units }, i) => {
      const { weight, quoted } = orders[i] as Order;
      const wanted = (Math.abs(weight) * cash) / quoted;
      assert.ok(units === 0 || Math.sign(units) === Math.sign(weight));
      assert.equal(Math.abs(units) % lot, 0);
      assert.ok(Math.abs(units) <= wanted * (1 + 1e-8) && Math.abs(units) > wanted - lot - 1e-6);
    });
  });
  fc.assert(property, { numRuns: 500 });
});

test("what is held at its weight already is not traded: a fixed fee is not paid for a rounding", () => {
  const costs = { basisPoints: 0, halfSpread: 0, fixed: 5 };
  const held = 10_000 / 3;
  assert.deepEqual(sizeBatch([order(1, held, 3)], held * 3 + 1e-8, 0, { ...free, costs }), [
    { entity: "a", units: 0, reason: null },
  ]);
  assert.notEqual(sizeBatch([order(1, held - 10, 3)], held * 3, 0, { ...free, costs })[0]?.units, 0);
});

test("what is held outside the batch leaves less room to grow, and none to shrink", () => {
  const sized = (weight: number, held: number, rest: number, leverage = 1) =>
    sizeBatch([order(weight, held, 100)], 10_000, rest, { ...free, leverage })[0];
  assert.deepEqual(sized(0.5, 0, 5_000), { entity: "a", units: 50, reason: null });
  assert.deepEqual(sized(0.5, 0, 8_000), { entity: "a", units: 20, reason: "leverage" });
  assert.deepEqual(sized(-0.5, 0, 8_000), { entity: "a", units: -20, reason: "leverage" });
  assert.deepEqual(sized(0.5, 0, 10_000), { entity: "a", units: 0, reason: "leverage" });
  assert.deepEqual(sized(0.5, 0, 10_000, 2), { entity: "a", units: 50, reason: null });
  assert.deepEqual(sized(0.3, 80, 10_000), { entity: "a", units: -50, reason: null });
  assert.deepEqual(sized(0, 80, 30_000), { entity: "a", units: -80, reason: null });
  assert.deepEqual(sized(-0.5, 80, 9_000), { entity: "a", units: -90, reason: "leverage" });
});

test("without equity nothing is weighed, what shall be nothing is sold, and no number is lost", () => {
  for (const equity of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e101]) {
    const sized = sizeBatch([order(0.5, 2, 100), order(0, 3, 100, "b")], equity, 0, free);
    assert.deepEqual(sized, [
      { entity: "a", units: 0, reason: "no-equity" },
      { entity: "b", units: -3, reason: null },
    ]);
  }
  const costs = { basisPoints: 0, halfSpread: 0, fixed: 11 };
  assert.equal(sizeBatch([order(0.5, 0, 1)], 10, 0, { ...free, costs })[0]?.reason, "no-equity");
  assert.equal(sizeBatch([order(0.5, 0, 1)], 12, 0, { ...free, costs })[0]?.units, 0.5);
});
