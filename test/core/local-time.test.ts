import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  dateOfDay,
  formatDay,
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseDay,
  parseInstant,
} from "../../src/core/instant.ts";
import {
  checkZone,
  dayOfYear,
  firstInstant,
  localDay,
  localInstant,
  localWall,
  parseWall,
} from "../../src/core/local-time.ts";
import { refused } from "./refused.ts";

const zones = [
  "America/Los_Angeles",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Africa/Monrovia",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Europe/Dublin",
  "Asia/Pyongyang",
  "America/Caracas",
  "Antarctica/Troll",
  "Pacific/Kwajalein",
  "UTC",
];
const at = (text: string) => parseInstant(text, "test", "at") as Instant;
const wall = (text: string) => parseWall(text) as number;
const shown = (zone: string, text: string) => formatInstant(localInstant(zone, wall(text)));
const day = (text: string) => parseDay(text) as number;

/** The zone's wall clock from Intl's parts: a second way to the same zone data, to the second. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function slowWall(zone: string, micros: number): number {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    const fields = { year: "numeric", month: "numeric", day: "numeric" } as const;
    const times = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
    clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...fields, ...times });
    clocks.set(zone, clock);
  }
  const seconds = Math.floor(micros / 1_000_000);
  const part: Record<string, number> = {};
  for (const { type, value } of clock.formatToParts(seconds * 1000)) part[type] = Number(value);
  const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, date, hour, minute, second) * 1000 + (micros - seconds * 1_000_000);
}

const aZone = fc.constantFrom(...zones);
const anInstant = fc
  .integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2060, 0, 1) })
  .chain((millis) => fc.integer({ min: 0, max: 999 }).map((micros) => instant(millis * 1000 + micros)));

test("localInstant: a local time in a gap moves forward by the gap", () => {
  const rows: [zone: string, local: string, utc: string][] = [
    ["America/Los_Angeles", "2014-03-09T01:59:59", "2014-03-09T09:59:59Z"],
    ["America/Los_Angeles", "2014-03-09T02:30", "2014-03-09T10:30:00Z"],
    ["America/Los_Angeles", "2014-03-09T03:30", "2014-03-09T10:30:00Z"],
    ["Europe/Berlin", "2014-03-30T02:00", "2014-03-30T01:00:00Z"],
    ["Australia/Lord_Howe", "2014-10-05T02:15", "2014-10-04T15:45:00Z"],
    ["Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00:00Z"],
  ];
  for (const [zone, local, utc] of rows) assert.equal(shown(zone, local), utc, `${zone} ${local}`);
});

test("localInstant: a local time that comes twice takes the earlier offset", () => {
  const rows: [zone: string, local: string, utc: string][] = [
    ["America/Los_Angeles", "2014-11-02T01:30", "2014-11-02T08:30:00Z"],
    ["America/Los_Angeles", "2014-11-02T02:00", "2014-11-02T10:00:00Z"],
    ["Europe/Berlin", "2014-10-26T02:30", "2014-10-26T00:30:00Z"],
    ["Australia/Lord_Howe", "2014-04-06T01:45", "2014-04-05T14:45:00Z"],
  ];
  for (const [zone, local, utc] of rows) assert.equal(shown(zone, local), utc, `${zone} ${local}`);
});

test("localInstant: zones without daylight saving, and a local mean time with seconds", () => {
  assert.equal(shown("Asia/Kolkata", "2014-06-01"), "2014-05-31T18:30:00Z");
  assert.equal(shown("UTC", "2014-06-01T01:02:03.000004"), "2014-06-01T01:02:03.000004Z");
  // Monrovia kept GMT-00:44:30 until 1972-01-07.
  assert.equal(shown("Africa/Monrovia", "1971-06-01"), "1971-06-01T00:44:30Z");
  assert.equal(shown("Africa/Monrovia", "1972-06-01"), "1972-06-01T00:00:00Z");
  assert.equal(localWall("Africa/Monrovia", at("1971-06-01T00:44:29Z")), wall("1971-05-31T23:59:59"));
});

test("firstInstant: a date is its first instant, also where midnight is skipped or the day is", () => {
  // São Paulo's clocks went from 00:00 to 01:00 on 2014-10-19.
  assert.equal(formatInstant(firstInstant("America/Sao_Paulo", day("2014-10-19"))), "2014-10-19T03:00:00Z");
  assert.equal(localDay("America/Sao_Paulo", at("2014-10-19T03:00:00Z")), day("2014-10-19"));
  assert.equal(localDay("America/Sao_Paulo", at("2014-10-19T02:59:59.999999Z")), day("2014-10-18"));
  // Samoa had no 30 December 2011.
  assert.equal(localDay("Pacific/Apia", at("2011-12-30T09:59:59.999999Z")), day("2011-12-29"));
  assert.equal(localDay("Pacific/Apia", at("2011-12-30T10:00:00Z")), day("2011-12-31"));
  assert.equal(formatInstant(firstInstant("Pacific/Apia", day("2011-12-31"))), "2011-12-30T10:00:00Z");
});

test("firstInstant: days of 23, 24, 25 and 23.5 hours", () => {
  const hours = (zone: string, date: string) =>
    (firstInstant(zone, day(date) + 1) - firstInstant(zone, day(date))) / 3_600_000_000;
  assert.equal(hours("America/Los_Angeles", "2014-03-09"), 23);
  assert.equal(hours("America/Los_Angeles", "2014-06-01"), 24);
  assert.equal(hours("America/Los_Angeles", "2014-11-02"), 25);
  assert.equal(hours("Australia/Lord_Howe", "2014-10-05"), 23.5);
});

test("localWall: equals the wall clock that Intl's parts show; no span of six hours hides a change of offset", () => {
  fc.assert(
    fc.property(aZone, anInstant, (zone, instant) => {
      assert.equal(localWall(zone, instant), slowWall(zone, instant));
    }),
    { numRuns: 3000 },
  );
});

test("localWall: equal within seconds of every change of offset of 1970 to 2037", () => {
  for (const zone of zones) {
    for (const change of changesOf(zone)) {
      for (const seconds of [-21_600, -1, 0, 1, 21_599]) {
        const near = instant((change + seconds) * 1_000_000);
        assert.equal(localWall(zone, near), slowWall(zone, near), `${zone} ${formatInstant(near)}`);
      }
    }
  }
});

const known = new Map<string, number[]>();

/** The seconds at which a zone changes its offset, found by halving between samples four days apart. */
function changesOf(zone: string): number[] {
  const before = known.get(zone);
  if (before !== undefined) return before;
  const offset = (seconds: number) => slowWall(zone, seconds * 1_000_000) / 1_000_000 - seconds;
  const changes: number[] = [];
  const step = 4 * 86_400;
  for (let start = 0, at = offset(0); start < 2_145_916_800; start += step) {
    const next = offset(start + step);
    if (next !== at) {
      let [low, high] = [start, start + step];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (offset(middle) === at) low = middle;
        else high = middle;
      }
      changes.push(high);
    }
    at = next;
  }
  known.set(zone, changes);
  return changes;
}

test("localInstant ∘ localWall is the identity outside repeats, and the earlier instant within", () => {
  const nearChanges = zones.flatMap((zone) => changesOf(zone).map((change) => ({ zone, change })));
  assert.ok(nearChanges.length > 500);
  const near = fc
    .constantFrom(...nearChanges)
    .chain(({ zone, change }) =>
      fc
        .integer({ min: -100_000, max: 100_000 })
        .map((seconds) => ({ zone, instant: instant((change + seconds) * 1_000_000) })),
    );
  const anywhere = fc.record({ zone: aZone, instant: anInstant });
  fc.assert(
    fc.property(fc.oneof(near, anywhere), ({ zone, instant: t }) => {
      const reading = localWall(zone, t);
      const back = localInstant(zone, reading);
      assert.equal(localWall(zone, back), reading, "the same reading");
      // An earlier instant shows the same reading where, and only where, the clock was set back in between.
      const twins = [900, 1200, 1800, 3600, 7200, 10_800, 86_400].map((seconds) =>
        instant(t - seconds * 1_000_000),
      );
      const earlier = twins.filter((twin) => localWall(zone, twin) === reading);
      assert.equal(back, Math.min(t, ...earlier));
    }),
    { numRuns: 3000 },
  );
});

test("localInstant: in a gap the clock shows the reading plus the gap, never one before it", () => {
  const gaps = zones.flatMap((zone) =>
    changesOf(zone).flatMap((change) => {
      const after = instant(change * 1_000_000);
      const jump = localWall(zone, after) - localWall(zone, instant(after - 1)) - 1;
      return jump > 0 ? [{ zone, after, jump }] : [];
    }),
  );
  assert.ok(gaps.length > 200);
  for (const { zone, after, jump } of gaps) {
    for (const share of [0, 0.5, 1 - 1e-9]) {
      const into = Math.floor(jump * share);
      const reading = localWall(zone, after) - jump + into;
      assert.equal(localInstant(zone, reading), after + into, `${zone} ${formatInstant(after)}`);
    }
  }
});

test("checkZone: refuses what is no IANA zone, with its place", () => {
  const details = refused("ZoneUnknown", () =>
    checkZone("America/Los_Angles", "c.yaml:4:3", "time_zone"),
  ).details;
  assert.deepEqual(details, { place: "c.yaml:4:3", subject: "time_zone", found: "America/Los_Angles" });
  for (const wrong of ["", "+05:00", "-0800", " UTC", "PST8PDTT"])
    refused("ZoneUnknown", () => checkZone(wrong, "p", "s"));
  for (const zone of zones) assert.equal(checkZone(zone, "p", "s"), true);
});

test("parseWall: a date or a local date-time, and nothing that has an offset or is no day", () => {
  assert.equal(wall("1970-01-02"), MICROS_PER_DAY);
  assert.equal(wall("1970-01-01T00:00:00.000001"), 1);
  assert.equal(wall("1970-01-01T23:59"), 86_340_000_000);
  for (const text of [
    "2014-02-30",
    "2014-06-01T24:00",
    "2014-06-01T07:60",
    "2014-06-01T07:00:60",
    "2014-06-01T07:00:00Z",
    "2014-06-01T07:00:00.1234567",
    "2014-06-01T07",
    "",
  ])
    assert.equal(parseWall(text), undefined, text);
});

test("dayOfYear: 1 for 1 January, 366 for the last of a leap year, else the count of the days so far", () => {
  fc.assert(
    fc.property(fc.integer({ min: -40_000, max: 60_000 }), (number) => {
      const { year } = dateOfDay(number);
      assert.equal(dayOfYear(number), number - day(`${year}-01-01`) + 1);
      const isLast = formatDay(number).endsWith("-12-31");
      const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
      if (isLast) assert.equal(dayOfYear(number), isLeap ? 366 : 365);
    }),
  );
});
