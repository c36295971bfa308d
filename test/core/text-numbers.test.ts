import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { numbersIn } from "../../src/core/text-numbers.ts";

const numbers = (text: string) =>
  numbersIn(text).map(({ from, to }) => text.normalize("NFKC").slice(from, to));

test("numbersIn: values as an English text spells them", () => {
  const rows: [text: string, ...found: string[]][] = [
    ["level 4.5, then 41,200 people", "4.5", "41,200"],
    ["it cost $4.5bn and $2031, up 3% or 25bps", "4.5bn", "2031", "3", "25bps"],
    ["won 3-1, 10 of 12", "3", "1", "10", "12"],
    ["a crowd of 2031%", "2031"],
    ["12500 people, 7K, 3MW", "12500", "7K", "3MW"],
    ["４１，２００", "41,200"],
  ];
  for (const [text, ...found] of rows) assert.deepEqual(numbers(text), found, text);
});

test("numbersIn: years, times, ordinals, versions and parts of names are none", () => {
  const texts = [
    "in 2031, the 2030s",
    "at 10:30 or 10:30:15",
    "the 3rd, a 21st",
    "version 1.2.3, on 3.6.2031, 1,2,3",
    "B52, Q2, x1, 5G, 737MAX, #7",
    "note-021, item_7, covid-19, room/3",
    "Terminal 3, Line 66, platform No. 5",
    "",
    "9".repeat(100),
  ];
  for (const text of texts) assert.deepEqual(numbers(text), [], text);
});

test("numbersIn: any number that a text plainly gives is found, but for what may be a year", () => {
  const value = fc.oneof(
    fc.nat(),
    fc.double({ min: 0.01, max: 1e6, noNaN: true }).map((x) => Number(x.toFixed(2))),
  );
  const property = fc.property(value, (number) => {
    const isYear = Number.isInteger(number) && number >= 1900 && number <= 2199;
    assert.deepEqual(numbers(`the level was ${number} then`), isYear ? [] : [String(number)]);
  });
  fc.assert(property);
});

test("numbersIn: a hostile text takes time in its length", () => {
  const started = process.hrtime.bigint();
  for (const piece of ["1", "1,", "1.", "1:", "1,000", "a1 ", " "])
    numbersIn(piece.repeat(300_000 / piece.length));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  assert.ok(seconds < 10, `${seconds} s for 7 texts of 300,000 characters`);
});
