import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Code } from "../../src/core/refusal.ts";
import { parseQuotes, quoteLines } from "../../src/profile/quote-lines.ts";
import type { Quote } from "../../src/profile/quotes.ts";
import { noted, refused } from "../core/refused.ts";
import { quotesOfDays, scenarios } from "./random-account.ts";

const LINES =
  '{"available":"2014-05-14T01:53:20Z","column":"open","entity":"a","first_available":"2014-05-14T01:53:20Z","ref":"a#0","valid":"2014-05-13T16:53:20Z","value":100.5}\n' +
  '{"available":"2014-05-14T12:53:20Z","column":"open","entity":"a","first_available":"2014-05-14T01:53:20Z","ref":"a#0","valid":"2014-05-13T16:53:20Z","value":99}\n' +
  '{"available":"2014-05-14T08:53:20Z","column":"close","entity":"b","first_available":"2014-05-14T08:53:20Z","ref":"b#0","valid":"2014-05-13T16:53:20Z","value":7}\n';
const quotes = quotesOfDays([
  { entity: "b", day: 0, column: "close", value: 7 },
  { day: 0, value: 100.5, restated: [[20, 99]] },
]);

test("quotes are lines of canonical JSON in one order", () => {
  assert.equal(quoteLines(quotes), LINES);
  assert.deepEqual(parseQuotes(LINES, "prices.jsonl"), [quotes[1], quotes[2], quotes[0]]);
  assert.deepEqual([quoteLines([]), parseQuotes("", "prices.jsonl")], ["", []]);
});

test("what is written is read back, whatever the order it came in, and written the same", () => {
  const names = fc.constantFrom("a", "é,#", "😀", "a\n", "__proto__");
  const shuffled = fc
    .tuple(scenarios(), names, fc.double({ min: 1e-100, max: 1e100, noNaN: true }))
    .chain(([{ quotes: some }, name, value]) => {
      const all = some.map((q, i) => ({
        ...q,
        entity: q.entity + name,
        ref: q.ref + name,
        value: i === 0 ? value : q.value,
      }));
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
    });
  const keyOf = (q: Quote) => JSON.stringify([q.ref, q.column, q.available]);
  const sorted = (list: readonly Quote[]) => [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const property = fc.property(shuffled, ([all, mixed]) => {
    const text = quoteLines(mixed);
    assert.deepEqual(sorted(parseQuotes(text, "p")), sorted(all));
    assert.equal(quoteLines(parseQuotes(text, "p")), text);
    assert.equal(quoteLines(all), text);
  });
  fc.assert(property, { numRuns: 200 });
});

const [first, second, third] = LINES.split("\n") as [string, string, string];
const faults: readonly (readonly [why: string, Code, lines: readonly string[], line: number])[] = [
  ["another order of keys", "NotCanonical", [`{"value":100.5,${first.slice(1, first.lastIndexOf(","))}}`], 1],
  ["white space", "NotCanonical", [first, `${second} `], 2],
  ["another spelling of a number", "NotCanonical", [first.replace("100.5", "100.50")], 1],
  [
    "another spelling of an instant",
    "InstantInvalid",
    [first.replace('53:20Z","column', '53:20.0Z","column')],
    1,
  ],
  ["no instant", "InstantInvalid", [first.replace("2014-05-13T16:53:20Z", "2014-05-13")], 1],
  ["no JSON", "JsonInvalid", [first, "{"], 2],
  ["a key too many", "UnknownKey", [first.replace('"ref"', '"note":1,"ref"')], 1],
  ["a key too few", "KeyMissing", [first.replace('"column":"open",', "")], 1],
  ["a key twice", "DuplicateKey", [first.replace('"ref"', '"entity":"a","ref"')], 1],
  ["no price", "PriceInvalid", [first.replace("100.5", "0")], 1],
  ["a price below 0", "PriceInvalid", [first.replace("100.5", "-1")], 1],
  ["a price that is a text", "FieldInvalid", [first.replace("100.5", '"100.5"')], 1],
  ["lines out of order", "FieldInvalid", [third, first], 2],
  ["a line twice", "FieldInvalid", [first, first], 2],
  ["a restatement without its first version", "FieldInvalid", [second], 1],
  ["an empty line", "JsonInvalid", [first, "", second], 2],
];

test("other spellings are refused by their line", () => {
  for (const [why, code, lines, line] of faults) {
    const found = refused(code, () => parseQuotes(`${lines.join("\n")}\n`, "prices.jsonl"));
    assert.match(found.details.place, new RegExp(`^prices.jsonl:${line}(:|$)`), why);
  }
  assert.equal(parseQuotes(`${[first, second, third].join("\n")}\n`, "prices.jsonl").length, 3);
});

test("a torn last line is told, and every other fault is noted too", () => {
  assert.equal(
    refused("EntriesTruncated", () => parseQuotes(LINES.slice(0, -1), "p")).details.bytes,
    third.length,
  );
  const all = noted((complain) => parseQuotes(`${first.replace("100.5", "0")}\n{\n${third}`, "p", complain));
  assert.deepEqual(all, ["EntriesTruncated p", "PriceInvalid p:1", "JsonInvalid p:2"]);
});

test("any byte of the lines that is another is seen: refused, or another quote", () => {
  const property = fc.property(
    fc.nat(LINES.length - 1),
    fc.constantFrom(...'09aZ "{}:,.-e\n'),
    (at, byte) => {
      if (LINES[at] === byte) return;
      let read: readonly Quote[] | undefined;
      const codes = noted((complain) => {
        read = parseQuotes(LINES.slice(0, at) + byte + LINES.slice(at + 1), "p", complain);
      });
      if (codes.length === 0) assert.notDeepEqual(read, parseQuotes(LINES, "p"));
    },
  );
  fc.assert(property, { numRuns: 1000 });
});
