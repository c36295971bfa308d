import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseInstant } from "../../src/core/instant.ts";
import { FIRST_YEAR, formatMonth, LAST_YEAR, monthOfInstant, parseMonth } from "../../src/core/month.ts";
import { assertEvery } from "../support/all.ts";

test("parseMonth: a month of the years that have instants, spelled one way", () => {
  assert.equal(parseMonth("2024-01"), 2024 * 12);
  assert.equal(parseMonth(`${FIRST_YEAR}-01`), FIRST_YEAR * 12);
  assert.equal(parseMonth(`${LAST_YEAR}-12`), LAST_YEAR * 12 + 11);
  const others = [
    "2024",
    "2024-1",
    "2024-00",
    "2024-13",
    "24-01",
    "2024-01-05",
    " 2024-01",
    "2024-01 ",
    "1684-12",
    "2255-01",
    "",
  ];
  assertEvery(others, (text) => parseMonth(text) === undefined);
});

test("a month is read back as it was written, and an instant is of the month that it is written with", () => {
  const month = fc.integer({ min: FIRST_YEAR * 12, max: LAST_YEAR * 12 + 11 });
  fc.assert(
    fc.property(month, (value) => {
      const text = formatMonth(value);
      assert.equal(parseMonth(text), value);
      assert.equal(monthOfInstant(parseInstant(`${text}-01T00:00:00Z`, "", "") as number), value);
      assert.equal(monthOfInstant((parseInstant(`${text}-01T00:00:00Z`, "", "") as number) - 1), value - 1);
    }),
  );
});
