import assert from "node:assert/strict";
import { test } from "node:test";
import {
  firstPriceAfter,
  firstValue,
  type PriceSeries,
  priceAt,
  pricesAfter,
  type Quote,
  quotesBetween,
  quotesOf,
} from "../../src/profile/quotes.ts";
import { noted, refused } from "../core/refused.ts";
import { COLUMNS, type DayPrice, hour, quotesOfDays } from "./random-account.ts";

const seriesOf = (days: readonly DayPrice[]) =>
  quotesOf(quotesOfDays(days), COLUMNS).series.get("a") as PriceSeries;
const valuesOf = (series: PriceSeries) => series.refs.map((_, i) => firstValue(series, i));

test("a path is ordered by first availability; at one instant by valid time, then in the order of the columns", () => {
  const weekly = [
    { day: 2, column: "close", value: 22, after: 24 },
    { day: 2, column: "open", value: 21, after: 24 },
    { day: 1, column: "close", value: 12, after: 48 },
    { day: 1, column: "open", value: 11, after: 48 },
  ];
  const series = seriesOf(weekly);
  assert.deepEqual(valuesOf(series), [11, 12, 21, 22]);
  assert.equal(firstValue(series, firstPriceAfter(series, hour(71))), 11);
  assert.equal(priceAt(series, hour(72)), 22);
});

test("a price is found by its instant: strictly after for an order, at or before for a mark", () => {
  const series = seriesOf([
    {
      day: 1,
      value: 100,
      restated: [
        [20, 90],
        [30, 80],
      ],
    },
    { day: 3, value: 200 },
  ]);
  assert.equal(firstPriceAfter(series, hour(33)), 1);
  assert.equal(firstPriceAfter(series, hour(32)), 0);
  assert.equal(firstPriceAfter(series, hour(81)), -1);
  assert.ok(Number.isNaN(priceAt(series, hour(32))));
  const seen = [33, 43, 44, 54, 80, 81].map((hours) => priceAt(series, hour(hours)));
  assert.deepEqual(seen, [100, 100, 90, 80, 80, 200]);
});

test("history that came late is on no path; what comes with its day in another order is", () => {
  const late = { day: 1, value: 1, after: 24 * 5 };
  assert.deepEqual(valuesOf(seriesOf([late, { day: 2, value: 2 }])), [2]);
  assert.deepEqual(
    valuesOf(
      seriesOf([
        { ...late, day: 3 },
        { day: 2, value: 2 },
      ]),
    ),
    [2, 1],
  );
  const evening = [
    { day: 1, column: "close", value: 5, after: 8 },
    { day: 1, column: "open", value: 6, after: 9 },
  ];
  assert.deepEqual(valuesOf(seriesOf(evening)), [5, 6]);
});

test("PriceInvalid: a price is a number above 0, and the refusal names its row, entity and column", () => {
  for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-101, 1e101]) {
    const { details } = refused("PriceInvalid", () => seriesOf([{ day: 1, value }]));
    assert.deepEqual(details, { place: "a#1", entity: "a", column: "open", found: String(value) });
  }
  assert.deepEqual(
    valuesOf(
      seriesOf([
        { day: 1, value: 1e-100 },
        { day: 2, value: 1e100 },
      ]),
    ),
    [1e-100, 1e100],
  );
});

test("PriceDuplicate: two rows of one entity, column and valid instant, or two versions of one instant", () => {
  const [quote] = quotesOfDays([{ day: 1, value: 100 }]) as [Quote];
  const twin = { ...quote, ref: "b-row#1", value: 101 };
  const { details, message } = refused("PriceDuplicate", () => quotesOf([quote, twin], COLUMNS));
  assert.deepEqual([details.place, details.first], ["b-row#1", "a#1"]);
  assert.match(
    message,
    /^PriceDuplicate: b-row#1: a: open: a second one at 2014-05-14T16:53:20Z, the first is a#1$/,
  );
  const again = { ...quote, value: 101 };
  assert.equal(refused("PriceDuplicate", () => quotesOf([quote, again], COLUMNS)).details.place, "a#1");
  const accepted = [
    { ...twin, entity: "b" },
    { ...twin, column: "close" },
    { ...twin, valid: hour(25) },
    { ...again, available: hour(34) },
  ];
  for (const near of accepted) assert.ok(quotesOf([quote, near], COLUMNS).series.has("a"));
});

test("FieldInvalid: a column that is none of the prices; each refusal is noted where one goes on", () => {
  const [quote] = quotesOfDays([{ day: 1, value: 100 }]) as [Quote];
  const foreign = { ...quote, column: "volume" };
  assert.equal(refused("FieldInvalid", () => quotesOf([foreign], COLUMNS)).details.found, "volume");
  const all = noted((complain) => quotesOf([foreign, { ...quote, value: 0 }, quote], COLUMNS, complain));
  assert.deepEqual(all, ["FieldInvalid a#1", "PriceInvalid a#1"]);
});

test("a cell whose first version is not there is our own mistake", () => {
  const [quote] = quotesOfDays([{ day: 1, value: 100 }]) as [Quote];
  assert.throws(() => quotesOf([{ ...quote, available: hour(40) }], COLUMNS), RangeError);
  assert.equal(quotesOf([], COLUMNS).series.size, 0);
});

test("prices after an instant, and quotes between two, in their versions by then", () => {
  const days: DayPrice[] = [
    { day: 1, value: 100 },
    {
      day: 2,
      value: 110,
      restated: [
        [20, 115],
        [90, 120],
      ],
    },
    { day: 3, value: 130 },
    { entity: "b", day: 2, value: 7 },
  ];
  const quotes = quotesOf(quotesOfDays(days), COLUMNS);
  assert.deepEqual(
    [...pricesAfter(quotes, "a", hour(33))].map(({ value }) => value),
    [110, 130],
  );
  assert.deepEqual([...pricesAfter(quotes, "nobody", 0)], []);
  const between = (entities: string[]) => [...quotesBetween(quotes, entities, hour(33), hour(70))];
  assert.deepEqual(between(["a", "nobody"]), quotesOfDays(days.slice(1, 2)).slice(0, 2));
  assert.deepEqual(
    between(["b", "a"]).map(({ value }) => value),
    [110, 115, 7],
  );
});
