import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  dateOfDay,
  dayNumber,
  formatDay,
  formatInstant,
  type Instant,
  instant,
  parseDay,
  parseInstant,
} from "../../src/core/instant.ts";
import { refused } from "./refused.ts";

const parse = (text: unknown) => parseInstant(text, "a.jsonl:3", "freeze") as Instant;
const instants = fc.maxSafeInteger().map(instant);

test("parseInstant: each refusal names the place, the subject and what was found, and its neighbour is read", () => {
  const pairs: [refused: string, accepted: string, code?: "InstantTooFine"][] = [
    ["2014-06-01T07:00:00", "2014-06-01T07:00:00Z"],
    ["2014-06-01", "2014-06-01T00:00:00Z"],
    ["2014-02-30T00:00:00Z", "2014-02-28T00:00:00Z"],
    ["2015-02-29T00:00:00Z", "2016-02-29T00:00:00Z"],
    ["1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z"],
    ["2014-13-01T00:00:00Z", "2014-12-01T00:00:00Z"],
    ["2014-00-01T00:00:00Z", "2014-01-01T00:00:00Z"],
    ["2014-06-00T00:00:00Z", "2014-06-01T00:00:00Z"],
    ["2014-06-31T00:00:00Z", "2014-06-30T00:00:00Z"],
    ["2014-06-30T23:59:60Z", "2014-06-30T23:59:59Z"],
    ["2014-06-01T07:60:00Z", "2014-06-01T07:59:00Z"],
    ["2014-06-01T24:00:00Z", "2014-06-01T23:00:00Z"],
    ["2014-06-01T07:00:00-00:00", "2014-06-01T07:00:00+00:00"],
    ["2014-06-01T07:00:00+24:00", "2014-06-01T07:00:00+23:59"],
    ["2014-06-01T07:00:00+05:60", "2014-06-01T07:00:00+05:59"],
    ["2014-06-01T07:00:00+0530", "2014-06-01T07:00:00+05:30"],
    ["2014-06-01t07:00:00Z", "2014-06-01T07:00:00Z"],
    ["2014-06-01T07:00:00z", "2014-06-01T07:00:00Z"],
    ["2014-06-01 07:00:00Z", "2014-06-01T07:00:00Z"],
    [" 2014-06-01T07:00:00Z", "2014-06-01T07:00:00Z"],
    ["2014-06-01T07:00:00Z\n", "2014-06-01T07:00:00Z"],
    ["2014-06-01T07:00Z", "2014-06-01T07:00:00Z"],
    ["2014-06-01T07:00:00.Z", "2014-06-01T07:00:00.0Z"],
    ["2014-06-01T07:00:00,5Z", "2014-06-01T07:00:00.5Z"],
    ["+2014-06-01T07:00:00Z", "2014-06-01T07:00:00Z"],
    ["2014-06-01T07:00:00.1234567Z", "2014-06-01T07:00:00.123456Z", "InstantTooFine"],
    ["2014-06-01T07:00:00.1234560Z", "2014-06-01T07:00:00.123456Z", "InstantTooFine"],
    ["2255-06-05T23:47:34.740992Z", "2255-06-05T23:47:34.740991Z"],
    ["1684-07-28T00:12:25.259008Z", "1684-07-28T00:12:25.259009Z"],
    ["9999-12-31T23:59:59Z", "2255-01-01T00:00:00Z"],
    ["0000-01-01T00:00:00Z", "1685-01-01T00:00:00Z"],
  ];
  for (const [bad, good, code] of pairs) {
    const refusal = refused(code ?? "InstantInvalid", () => parse(bad));
    assert.equal(refusal.details.place, "a.jsonl:3");
    assert.equal(refusal.details.subject, "freeze");
    assert.equal(refusal.details.found, bad);
    assert.ok(
      refusal.message.startsWith(`${code ?? "InstantInvalid"}: a.jsonl:3: freeze: "`),
      refusal.message,
    );
    assert.ok(Number.isSafeInteger(parse(good)), good);
  }
  for (const other of [5, null, undefined, {}, ["2014-06-01T07:00:00Z"]])
    refused("InstantInvalid", () => parse(other));
});

test("parseInstant ∘ formatInstant is the identity on every instant, and formatInstant has one spelling", () => {
  fc.assert(
    fc.property(instants, (at) => {
      const text = formatInstant(at);
      assert.equal(parse(text), at);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/);
    }),
    { numRuns: 2000 },
  );
  assert.equal(formatInstant(0), "1970-01-01T00:00:00Z");
  assert.equal(formatInstant(-1), "1969-12-31T23:59:59.999999Z");
  assert.equal(formatInstant(1_500_000), "1970-01-01T00:00:01.5Z");
});

test("parseInstant: agrees with Date on every millisecond and offset that both can hold", () => {
  const millis = fc.integer({ min: -9_007_199_254_740, max: 9_007_199_254_740 });
  const offsets = fc.integer({ min: -1439, max: 1439 }).filter((minutes) => minutes !== 0);
  fc.assert(
    fc.property(millis, offsets, (at, offset) => {
      const shown = new Date(at + offset * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const zone = `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      assert.equal(parse(`${shown}${zone}`), at * 1000);
      assert.equal(Date.parse(`${shown}${zone}`), at);
    }),
    { numRuns: 1000 },
  );
});

test("dayNumber, dateOfDay, formatDay: equal Date.UTC's calendar on each day of 800 years", () => {
  for (let day = dayNumber(1600, 1, 1); day < dayNumber(2400, 1, 1); day++) {
    const date = new Date(day * 86_400_000);
    const { year, month, day: dayOfMonth } = dateOfDay(day);
    assert.equal(year, date.getUTCFullYear());
    assert.equal(month, date.getUTCMonth() + 1);
    assert.equal(dayOfMonth, date.getUTCDate());
    assert.equal(dayNumber(year, month, dayOfMonth), day);
  }
  assert.equal(formatDay(-719_528), "0000-01-01");
});

test("parseDay: reads what Date reads back unchanged, and nothing else", () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 2999 }), part(14), part(33), (year, month, day) => {
      const text = `${year}-${month}-${day}`;
      const date = new Date(Date.UTC(year, Number(month) - 1, Number(day)));
      const real = date.toISOString().slice(0, 10) === text;
      assert.equal(parseDay(text), real ? date.getTime() / 86_400_000 : undefined);
    }),
    { numRuns: 2000 },
  );
  for (const text of ["2014-6-1", "2014-06-01T00:00:00Z", "14-06-01", "2014-06-01 ", ""])
    assert.equal(parseDay(text), undefined, text);
});

test("instant: our own arithmetic beyond the safe integers crashes, without a code", () => {
  for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 9_007_199_254_740_992])
    assert.throws(() => instant(wrong), RangeError);
  assert.equal(instant(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
});
