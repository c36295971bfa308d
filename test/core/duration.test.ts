import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addDuration, type Duration, parseDuration } from "../../src/core/duration.ts";
import {
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseInstant,
} from "../../src/core/instant.ts";
import { localInstant, localWall } from "../../src/core/local-time.ts";
import { refused } from "./refused.ts";

const parse = (text: unknown) => parseDuration(text, "c.yaml:2:8", "grace") as Duration;
const LA = "America/Los_Angeles";
const add = (zone: string, at: string, duration: string, sign: 1 | -1 = 1) =>
  formatInstant(addDuration(zone, parseInstant(at, "test", "at") as Instant, parse(duration), sign));

test("parseDuration: reads calendar and exact parts", () => {
  const parts = (text: string) => {
    const { months, days, micros } = parse(text);
    return [months, days, micros];
  };
  assert.deepEqual(parts("P1D"), [0, 1, 0]);
  assert.deepEqual(parts("P0D"), [0, 0, 0]);
  assert.deepEqual(parts("P1Y2M3W4D"), [14, 25, 0]);
  assert.deepEqual(parts("PT9H30M"), [0, 0, 34_200_000_000]);
  assert.deepEqual(parts("P1DT0.000001S"), [0, 1, 1]);
  assert.deepEqual(parts("PT1.5S"), [0, 0, 1_500_000]);
  assert.deepEqual(parts("PT36H"), [0, 0, 129_600_000_000]);
  assert.equal(parse("PT60M").text, "PT60M");
});

test("parseDuration: refuses every other spelling, beside its nearest neighbour", () => {
  const pairs = [
    ["P", "P0D"],
    ["PT", "PT0S"],
    ["P1DT", "P1D"],
    ["1D", "P1D"],
    ["p1d", "P1D"],
    ["P1H", "PT1H"],
    ["PT1D", "P1D"],
    ["P1.5D", "PT36H"],
    ["P-1D", "P1D"],
    ["-P1D", "P1D"],
    ["+P1D", "P1D"],
    ["P1D ", "P1D"],
    ["P1D\n", "P1D"],
    ["P1D1M", "P1M1D"],
    ["PT0.0000001S", "PT0.000001S"],
    ["PT1,5S", "PT1.5S"],
    ["", "P0D"],
  ] as const;
  for (const [bad, good] of pairs) {
    const { details, message } = refused("DurationInvalid", () => parse(bad));
    assert.deepEqual(details, { place: "c.yaml:2:8", subject: "grace", found: bad });
    assert.match(message, /^DurationInvalid: c\.yaml:2:8: grace: /);
    assert.equal(parse(good).text, good);
  }
  for (const other of [1, null, undefined, {}]) refused("DurationInvalid", () => parse(other));
});

test("parseDuration: the hint says how a number and a unit are spelled, and a hint is always a duration", () => {
  const hints = [
    ["5d", "P5D"],
    ["5 Days", "P5D"],
    ["90m", undefined],
    ["90 min", "PT90M"],
    ["2w", "P2W"],
    ["6mo", "P6M"],
    ["1y", "P1Y"],
    ["12hours", "PT12H"],
    ["30s", "PT30S"],
    ["p1dt2h", "P1DT2H"],
    ["p1d1m", undefined],
    ["five days", undefined],
    ["pt", undefined],
  ] as const;
  for (const [bad, good] of hints) {
    const { hint } = refused("DurationInvalid", () => parse(bad));
    assert.equal(/^write (\S+)/.exec(hint ?? "")?.[1], good, bad);
    if (good !== undefined) assert.equal(parse(good).text, good);
  }
});

test("parseDuration: a delay of more than a century is refused before any sum can overflow", () => {
  const { details } = refused("LimitExceeded", () => parse("P99999Y"));
  assert.equal(details.place, "c.yaml:2:8");
  for (const over of ["P101Y", "P37201D", "PT893000H"]) refused("LimitExceeded", () => parse(over));
  for (const within of ["P100Y", "P36525D", "PT99999999S"]) assert.equal(parse(within).text, within);
});

test("addDuration: a day is a local day, hours are exact", () => {
  assert.equal(add(LA, "2014-03-08T20:00:00Z", "P1D"), "2014-03-09T19:00:00Z");
  assert.equal(add(LA, "2014-03-08T20:00:00Z", "PT24H"), "2014-03-09T20:00:00Z");
  assert.equal(add(LA, "2014-11-01T19:00:00Z", "P1D"), "2014-11-02T20:00:00Z");
  assert.equal(add(LA, "2014-11-02T20:00:00Z", "P1D", -1), "2014-11-01T19:00:00Z");
  assert.equal(add(LA, "2014-03-08T10:30:00Z", "P1D"), "2014-03-09T10:30:00Z", "02:30 is skipped: 03:30 PDT");
  assert.equal(add("UTC", "2014-03-08T20:00:00.000001Z", "P1DT1H"), "2014-03-09T21:00:00.000001Z");
});

test("addDuration: a month ends where its month ends", () => {
  assert.equal(add("UTC", "2014-01-31T12:00:00Z", "P1M"), "2014-02-28T12:00:00Z");
  assert.equal(add("UTC", "2016-01-31T12:00:00Z", "P1M"), "2016-02-29T12:00:00Z");
  assert.equal(add("UTC", "2014-03-31T12:00:00Z", "P1M", -1), "2014-02-28T12:00:00Z");
  assert.equal(add("UTC", "2014-01-31T12:00:00Z", "P2M"), "2014-03-31T12:00:00Z");
  assert.equal(add("UTC", "2016-02-29T00:00:00Z", "P1Y"), "2017-02-28T00:00:00Z");
  assert.equal(
    add("UTC", "2014-01-31T00:00:00Z", "P1M1D"),
    "2014-03-01T00:00:00Z",
    "months first, then days",
  );
  assert.equal(add("UTC", "1969-12-31T23:59:59.999999Z", "P1M"), "1970-01-31T23:59:59.999999Z");
});

test("addDuration: P0D changes nothing, and n days are n calendar days of the wall clock", () => {
  const instants = fc
    .integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2050, 0, 1) })
    .map((millis) => instant(millis * 1000));
  const zones = fc.constantFrom("UTC", LA, "Asia/Kolkata", "Pacific/Apia");
  fc.assert(
    fc.property(zones, instants, fc.integer({ min: 0, max: 800 }), (zone, at, days) => {
      assert.equal(addDuration(zone, at, parse("P0D")), at);
      const expected = localInstant(zone, localWall(zone, at) + days * MICROS_PER_DAY);
      if (days > 0) assert.equal(addDuration(zone, at, parse(`P${days}D`)), expected);
      assert.equal(addDuration("UTC", at, parse(`P${days}D`)), at + days * MICROS_PER_DAY);
      const hours = parse(`PT${days}H`);
      assert.equal(addDuration(zone, addDuration(zone, at, hours), hours, -1), at);
    }),
  );
});
