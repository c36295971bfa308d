import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dateOfDay, dayNumber, formatDay, type Instant, parseInstant } from "../../src/core/instant.ts";
import { datesIn, isDateAfter, type NamedDate, yearOfDate } from "../../src/core/text-dates.ts";
import { assertEvery } from "../support/all.ts";

/** `grain first-day "words"` of each date. */
const named = (text: string) =>
  datesIn(text).map(
    ({ grain, day, from, to }) => `${grain} ${formatDay(day)} ${text.normalize("NFKC").slice(from, to)}`,
  );
const at = (text: string) => parseInstant(text, "t", "t") as Instant;

test("datesIn: every spelling that it says it takes, with its first day, grain and words", () => {
  const rows: [text: string, ...found: string[]][] = [
    ["It opened on 2031-06-03.", "day 2031-06-03 2031-06-03"],
    ["2031/06/03: opened", "day 2031-06-03 2031/06/03"],
    ["from 2031-06-03/2031-06-09", "day 2031-06-03 2031-06-03", "day 2031-06-09 2031-06-09"],
    ["vintage 2031-06 was revised", "month 2031-06-01 2031-06"],
    ["at 2031-06-03T23:30:00-07:00 sharp", "instant 2031-06-03 2031-06-03T23:30:00-07:00"],
    ["at 2031-06-03t23:30:00.1234567z", "instant 2031-06-03 2031-06-03t23:30:00.1234567z"],
    ["at 2031-06-03T10:00 local", "day 2031-06-03 2031-06-03T10"],
    ["on 3 May 2024,", "day 2024-05-03 3 May 2024"],
    ["the 3rd of May 2024", "day 2024-05-03 3rd of May 2024"],
    ["22nd Sept., 2024 and 1-jan-2025", "day 2024-09-22 22nd Sept., 2024", "day 2025-01-01 1-jan-2025"],
    ["May 3, 2024; December 31st 2024", "day 2024-05-03 May 3, 2024", "day 2024-12-31 December 31st 2024"],
    ["May 3-5, 2024 and June 7 – 9, 2024", "day 2024-05-03 May 3-5, 2024", "day 2024-06-07 June 7 – 9, 2024"],
    ["in May 2024, or June of 2024", "month 2024-05-01 May 2024", "month 2024-06-01 June of 2024"],
    [
      "Q2 2024, Q3 of 2024, 2024-Q4, 2025Q1",
      "quarter 2024-04-01 Q2 2024",
      "quarter 2024-07-01 Q3 of 2024",
      "quarter 2024-10-01 2024-Q4",
      "quarter 2025-01-01 2025Q1",
    ],
    [
      "in 2031 or by 2032, the year 2033",
      "year 2031-01-01 2031",
      "year 2032-01-01 2032",
      "year 2033-01-01 2033",
    ],
    [
      "since 2001 until 2002 during 2003",
      "year 2001-01-01 2001",
      "year 2002-01-01 2002",
      "year 2003-01-01 2003",
    ],
    [
      "before 1999, after 1998, from 1997 to 2031",
      "year 1999-01-01 1999",
      "year 1998-01-01 1998",
      "year 1997-01-01 1997",
      "year 2031-01-01 2031",
    ],
    ["the elections of 2031; mid-2032", "year 2031-01-01 2031", "year 2032-01-01 2032"],
    ["WHAT HAPPENED ON 3 MAY 2024", "day 2024-05-03 3 MAY 2024"],
    ["Ｍａｙ ３， ２０２４", "day 2024-05-03 May 3, 2024"],
    [
      "on 2031\u201006\u201003, 2031\u201106\u201103",
      "day 2031-06-03 2031‐06‐03",
      "day 2031-06-03 2031‐06‐03",
    ],
    ["2031\u201206\u201203; 2031\u201306\u201303", "day 2031-06-03 2031‒06‒03", "day 2031-06-03 2031–06–03"],
    ["vintage 2031\u201006, 2031-06\u201303", "month 2031-06-01 2031‐06", "day 2031-06-03 2031-06–03"],
    ["at 2031\u201006\u201103T23:30:00\u201007:00", "instant 2031-06-03 2031‐06‐03T23:30:00‐07:00"],
    ["2031-06-03\u20132031-06-09", "day 2031-06-03 2031-06-03", "day 2031-06-09 2031-06-09"],
    ["29 February 2024", "day 2024-02-29 29 February 2024"],
    ["29 February 2023", "month 2023-02-01 February 2023"],
  ];
  for (const [text, ...found] of rows) assert.deepEqual(named(text), found, text);
});

test("datesIn: what is no date, or does not say its year", () => {
  const texts = [
    "",
    "It may rain, and they march on 3 May.",
    "03/05/2024 or 3.5.2024 depends on the country",
    "order 12-2031-06-03, part 2031-06-03-4, version 1.2031-06",
    "order 12\u20102031\u201006\u201003, part 2031\u201306\u201303\u20134, minus 2031\u221206\u221203",
    "a crowd of 2500, up from 2200.5, 2031 people, to 2031% of it, to 2,031",
    "the 2030s; in '31; 31 May 99; week 2014-W22; 2031-13; 2031-06-31; 2031/32",
    "model 2031x, B2031, room 2031, in 12031",
    "Q5 2024, Q2 of it, 2024 quarters",
    "32 May 1024x, May the 4th",
  ];
  for (const text of texts) assert.deepEqual(named(text), [], text);
});

const months = "January February March April May June July August September October November December".split(
  " ",
);
const spellings: readonly ((date: { year: number; month: number; day: number }) => string)[] = [
  ({ year, month, day }) => formatDay(dayNumber(year, month, day)),
  ({ year, month, day }) => `${day} ${months[month - 1]} ${year}`,
  ({ year, month, day }) => `${day}th of ${(months[month - 1] as string).toUpperCase()} ${year}`,
  ({ year, month, day }) => `${(months[month - 1] as string).slice(0, 3)}. ${day}, ${year}`,
];

test("datesIn: any day from 1000 to 2999 is found in any spelling, whatever stands around it", () => {
  const day = fc.integer({ min: dayNumber(1000, 1, 1), max: dayNumber(2999, 12, 31) });
  const around = fc.constantFrom("", "It opened on ", "(", "Harbour Line: ", "東京、", "… ");
  const property = fc.property(day, fc.constantFrom(...spellings), around, around, (number, spell, a, b) => {
    const text = `${a}${spell(dateOfDay(number))} ${b}`;
    const found = datesIn(text);
    assert.deepEqual([found.length, found[0]?.day, found[0]?.grain], [1, number, "day"], text);
    assert.equal(yearOfDate(found[0] as NamedDate), dateOfDay(number).year);
  });
  fc.assert(property);
});

test("datesIn: in any text, spans in order that do not meet, the same for its NFKC form", () => {
  const pieces = [
    "2031",
    "-06",
    "-",
    "/",
    " ",
    "May",
    "3",
    "rd",
    "of",
    "Q2",
    ",",
    ".",
    "in",
    "T10:00:00Z",
    "é",
    "\ud800",
    "１",
  ];
  const property = fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), (parts) => {
    const text = parts.join("");
    const found = datesIn(text);
    let end = 0;
    for (const { from, to } of found) {
      assert.ok(from >= end && to > from && to <= text.normalize("NFKC").length);
      end = to;
    }
    assert.deepEqual(datesIn(text.normalize("NFKC")), found);
  });
  fc.assert(property, { numRuns: 2000 });
});

test("datesIn: a hostile text takes time in its length", () => {
  const length = 300_000;
  const texts = [
    "2031-",
    "May ",
    "in ",
    "3 of ",
    "2031-06-03T00:00:00.",
    "9",
    " ",
    "May 3-",
    "q1 of ",
    "-",
  ].map((piece) => piece.repeat(length / piece.length));
  const started = process.hrtime.bigint();
  for (const text of texts) datesIn(text);
  for (const digits of [`2031-06-03T00:00:00.${"1".repeat(length)}`, `in${" ".repeat(length)}2031`])
    datesIn(digits);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  assert.ok(seconds < 20, `${seconds} s for 12 texts of 300,000 characters`);
});

const dateOf = (text: string) => datesIn(text)[0] as NamedDate;

test("isDateAfter: a date is later where its first instant in the zone is; what holds the horizon is not", () => {
  const horizon = at("2031-06-15T12:00:00Z");
  const later = [
    "2031-06-16",
    "16 June 2031",
    "2031-07",
    "Q3 2031",
    "in 2032",
    "2031-06-15T12:00:01Z",
    "2999-01-01",
  ];
  const not = [
    "2031-06-15",
    "2031-06",
    "June 2031",
    "Q2 2031",
    "in 2031",
    "2031-06-15T12:00:00Z",
    "1000-01-01",
  ];
  assertEvery(later, (text) => isDateAfter(dateOf(text), horizon, "UTC"));
  assertEvery(not, (text) => !isDateAfter(dateOf(text), horizon, "UTC"));
  const midnight = at("2031-07-01T00:00:00Z");
  const exactly = ["2031-07-01", "2031-07", "Q3 2031", "2031-07-01T00:00:00Z"];
  assertEvery(exactly, (text) => !isDateAfter(dateOf(text), midnight, "UTC"));
  assertEvery(exactly, (text) => isDateAfter(dateOf(text), (midnight - 1) as Instant, "UTC"));
});

test("isDateAfter: near the horizon the zone decides, and an instant's own offset", () => {
  const day = dateOf("2031-06-16");
  const edge = at("2031-06-15T15:00:00Z"); // the first instant of that day in Tokyo
  assert.equal(isDateAfter(day, edge, "Asia/Tokyo"), false);
  assert.equal(isDateAfter(day, (edge - 1) as Instant, "Asia/Tokyo"), true);
  assert.equal(isDateAfter(day, edge, "UTC"), true);
  assert.equal(isDateAfter(day, at("2031-06-16T06:59:59Z"), "America/Los_Angeles"), true);
  assert.equal(isDateAfter(day, at("2031-06-16T07:00:00Z"), "America/Los_Angeles"), false);
  assert.equal(isDateAfter(dateOf("2031-06-16T00:00:00+09:00"), edge, "America/Los_Angeles"), false);
  const last = at("2255-06-05T23:47:34.740991Z"); // the last instant there is
  assert.equal(isDateAfter(dateOf("2255-06-06"), last, "UTC"), true);
});
