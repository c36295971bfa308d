import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { type Files, type Loose, type RecordPlan, usualBodies } from "../support/record-writer.ts";
import { demandPair, edit, type Pair } from "./outcome.ts";

const lines = (by: (lines: string[]) => string[]) =>
  edit("entries.jsonl", (text) =>
    by(text.slice(0, -1).split("\n"))
      .map((line) => `${line}\n`)
      .join(""),
  );
const change = (at: number, by: (line: string) => string) =>
  lines((all) => all.map((line, i) => (i === at ? by(line) : line)));
const swap = (all: string[], a: number, b: number) => all.with(a, all[b] as string).with(b, all[a] as string);

/** By somebody without the ledger's key. */
const rootPairs: Pair[] = [
  {
    name: "the last newline is cut",
    bad: { tamper: edit("entries.jsonl", (text) => text.slice(0, -1)) },
    expected: "root EntriesTruncated",
    says: /entries\.jsonl:10: the last \d{3} bytes/,
    good: {},
  },
  {
    name: "the last line is torn",
    bad: { tamper: edit("entries.jsonl", (text) => text.slice(0, -50)) },
    expected: "root EntriesTruncated",
    good: {},
  },
  {
    name: "the last entry is cut",
    bad: { tamper: lines((all) => all.slice(0, -1)) },
    expected: "root EntryCountMismatch",
    says: /9 lines, the close leaf has 10/,
    good: {},
  },
  {
    name: "all entries are cut",
    bad: { tamper: (files) => files.set("entries.jsonl", new Uint8Array(0)) },
    expected: "root EntryCountMismatch",
    good: { plan: { trajectories: [] } },
  },
  {
    name: "an entry is added",
    bad: { tamper: lines((all) => [...all, all[9] as string]) },
    expected: "root EntryCountMismatch",
    good: {},
  },
  {
    name: "an answer is changed",
    bad: { tamper: change(3, (line) => line.replace('"probability":0.25', '"probability":0.75')) },
    expected: "root RootMismatch",
    says: /entries\.jsonl:5: .*does not follow from those before is 5/,
    good: { plan: { trajectories: [{ case: "rain-1", attempts: [usualBodies(0.75)] }] } },
  },
  {
    name: "the end of the last trajectory is changed, which no line follows",
    bad: { tamper: change(9, (line) => line.replace('"ms"', '"ms"').replace("11:15.123Z", "11:15.124Z")) },
    expected: "root RootMismatch",
    says: /run\/entries\.jsonl: the root of these lines is [^;]*$/,
    good: {},
  },
  {
    name: "two entries are swapped",
    bad: { tamper: lines((all) => swap(all, 1, 2)) },
    expected: "root RootMismatch",
    says: /:2: /,
    good: {},
  },
  {
    name: "an entry stands over another",
    bad: { tamper: lines((all) => all.with(2, all[1] as string)) },
    expected: "root RootMismatch",
    good: {},
  },
  {
    name: "white space in an entry",
    bad: { tamper: change(2, (line) => line.replace(":", ": ")) },
    expected: "root RootMismatch",
    says: /:3: /,
    good: {},
  },
  {
    name: "an entry is made longer than an entry may be",
    bad: { tamper: change(2, (line) => line.replace("weather", "w".repeat(70_000))) },
    expected: "root RootMismatch",
    says: /:3: /,
    good: {},
  },
];

/** By the operator, who signs it. */
const linePairs: Pair[] = [
  {
    name: "a duplicate key",
    bad: { plan: { lines: (all) => all.with(2, (all[2] as string).replace("{", '{"args":1,')) } },
    expected: "entries NotCanonical",
    says: /entries\.jsonl:3:9: /,
    good: {},
  },
  {
    name: "0.30 for 0.3",
    bad: {
      plan: { lines: (all) => all.map((line) => line.replace('"probability":0.25', '"probability":0.30')) },
    },
    expected: "entries NotCanonical",
    says: /entries\.jsonl:4:\d+: "….*0\.30,.*expected "….*0\.3,/,
    good: {
      plan: {
        entries: (all) =>
          all.map((entry) => ({ ...entry, ...("probability" in entry && { probability: 0.3 }) })),
      },
    },
  },
  {
    name: "a lone surrogate in a query",
    bad: { plan: { lines: (all) => all.map((line) => line.replace('"weather"', '"\\ud800"')) } },
    expected: "entries NotCanonical",
    says: /entries\.jsonl:1:/,
    good: {
      plan: { entries: (all) => all.map((entry) => ({ ...entry, ...("args" in entry && { args: "😀" }) })) },
    },
  },
  {
    name: "a line that is no JSON",
    bad: { plan: { lines: (all) => all.with(9, "{") } },
    expected: "entries NotCanonical",
    good: {},
  },
  {
    name: "an empty line",
    bad: { plan: { lines: (all) => all.with(9, "") } },
    expected: "entries NotCanonical",
    good: {},
  },
  {
    name: "CRLF",
    bad: { plan: { lines: (all) => all.map((line) => `${line}\r`) } },
    expected: "entries NotCanonical",
    good: {},
  },
  {
    name: "an entry of one byte more than the limit",
    bad: { plan: padded(limits.entryBytes + 1) },
    expected: "entries EntryTooLarge",
    says: /entries\.jsonl:3: 65536 bytes, at most 65535/,
    good: { plan: padded(limits.entryBytes) },
  },
  {
    name: "an entry of another type",
    bad: { plan: { entries: set(2, { v: "blindcast.entry/2" }) } },
    expected: "entries EntryTypeUnknown",
    says: /v: "blindcast\.entry\/2", expected blindcast\.entry\/1/,
    good: {},
  },
  {
    name: "a line that is no object",
    bad: { plan: { lines: (all) => all.with(2, "[]") } },
    expected: "entries EntryTypeUnknown",
    good: {},
  },
  {
    name: "a field of another kind",
    bad: { plan: { entries: set(2, { ms: -1 }) } },
    expected: "entries EntryShapeWrong",
    says: /entries\.jsonl:3: ms: -1, expected a count/,
    good: { plan: { entries: set(2, { ms: 0 }) } },
  },
];

/** Entries with one of them given other fields. */
function set(at: number, fields: Loose): (entries: Loose[]) => Loose[] {
  return (entries) => entries.map((entry, i) => (i === at ? { ...entry, ...fields } : entry));
}

/** The third entry's line has so many bytes. */
function padded(bytes: number): RecordPlan {
  const prev = "0".repeat(64);
  return {
    entries: (all) => {
      const short = utf8(JSON.stringify({ ...all[2], args: "", prev })).length;
      return set(2, { args: "a".repeat(bytes - short) })(all);
    },
  };
}

for (const pair of [...rootPairs, ...linePairs]) test(`entries: ${pair.name}`, () => demandPair(pair));

test("entries: a fault of the root is told before any of the lines", () =>
  demandPair({
    name: "both",
    bad: {
      plan: { entries: set(1, { v: "x" }) },
      tamper: change(5, (line) => line.replace("routed", "router")),
    },
    expected: "root RootMismatch",
    says: /:2: /,
    good: { plan: { entries: set(1, { v: "x" }) } },
    neighbour: "entries EntryTypeUnknown",
  }));

test("entries: a line that is not UTF-8", async () => {
  const broken = (files: Files) => {
    const bytes = (files.get("entries.jsonl") as Uint8Array).slice();
    bytes[20] = 0xff;
    files.set("entries.jsonl", bytes);
  };
  await demandPair({
    name: "not UTF-8",
    bad: { tamper: broken },
    expected: "root RootMismatch",
    says: /:1: /,
    good: {},
  });
  assert.ok(broken);
});
