import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pricesAfter, quotesOf } from "../../src/profile/quotes.ts";
import { limitFill, stopFill } from "../../src/profile/trigger-fills.ts";
import { COLUMNS, hour, quotesOfDays } from "./random-account.ts";

const pathOf = (values: readonly number[]) => [
  ...pricesAfter(
    quotesOf(quotesOfDays(values.map((value, day) => ({ day, value }))), COLUMNS),
    "a",
    -Infinity,
  ),
];
const gap = pathOf([100, 100, 100, 50, 50]);

test("a stop through a gap fills at the first price there was: 100, 100, 100, 50, 50 with a stop at 90 is 50", () => {
  const sell = { side: "sell", level: 90, after: hour(0) } as const;
  assert.deepEqual(stopFill(gap, sell), { available: hour(3 * 24 + 9), value: 50 });
  assert.equal(stopFill(pathOf([100, 90, 80]), sell)?.value, 90);
  assert.equal(stopFill(pathOf([100, 90.01]), sell), undefined);
  assert.equal(stopFill(pathOf([100, 150]), { side: "buy", level: 110, after: hour(0) })?.value, 150);
});

test("a limit through a gap fills at the better price there was, and never at its level where nobody quoted it", () => {
  assert.equal(limitFill(gap, { side: "buy", level: 90, after: hour(0) })?.value, 50);
  assert.equal(limitFill(pathOf([100, 150]), { side: "sell", level: 110, after: hour(0) })?.value, 150);
  assert.equal(limitFill(gap, { side: "sell", level: 100.01, after: hour(0) }), undefined);
});

test("what was available at the decision is before it: a stop does not fill at the price it was decided by", () => {
  const at = hour(3 * 24 + 9);
  assert.equal(stopFill(gap, { side: "sell", level: 90, after: at })?.available, hour(4 * 24 + 9));
  assert.equal(stopFill(gap, { side: "sell", level: 90, after: hour(4 * 24 + 9) }), undefined);
});

test("a stop is filled at its level or worse, a limit at its level or better, always at a price of the path", () => {
  const property = fc.property(
    fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 }),
    fc.constantFrom("buy", "sell"),
    fc.integer({ min: 1, max: 20 }),
    fc.nat(200),
    (values, side, level, hours) => {
      const path = pathOf(values);
      const order = { side, level, after: hour(hours) } as const;
      const up = side === "buy" ? 1 : -1;
      const [stop, limit] = [stopFill(path, order), limitFill(path, order)];
      for (const found of [stop, limit])
        assert.ok(found === undefined || (path.includes(found) && found.available > order.after));
      assert.ok(stop === undefined || up * (stop.value - level) >= 0);
      assert.ok(limit === undefined || up * (limit.value - level) <= 0);
      const later = path.filter(({ available }) => available > order.after);
      assert.equal(stop === undefined && limit === undefined, later.length === 0);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
