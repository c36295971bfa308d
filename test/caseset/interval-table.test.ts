/** Tables of label intervals: three kinds of times, each fault with its line, the nearest neighbour accepted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readIntervals } from "../../src/caseset/interval-table.ts";
import { parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Code } from "../../src/core/refusal.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";

const folder = temporary();
const read = (text: string, { zone = "UTC", name = "i.csv" } = {}) =>
  readIntervals(written(folder, name, text), name, zone);
const HEAD = "id,t0,t1\n";
const at = (text: string) => parseInstant(text, "", "");

describe("readIntervals", () => {
  it("whole numbers are days, sorted, in any order of columns and with others beside them", async () => {
    const { ids, t0, t1, unit, zone } = await read("t1,note,id,t0\n12,x,b,10\n-1,,a,-3\n");
    assert.deepEqual([ids, [...t0], [...t1], unit, zone], [["a", "b"], [-3, 10], [-1, 12], "day", "UTC"]);
  });

  it("instants of any offset are microseconds", async () => {
    const { t0, t1, unit, zone } = await read(
      `${HEAD}a,2024-03-05T01:00:00+01:00,2024-03-05T00:00:00.000001Z\n`,
      { zone: "Asia/Tokyo" },
    );
    assert.deepEqual([t0[0], unit, zone], [at("2024-03-05T00:00:00Z"), "instant", "Asia/Tokyo"]);
    assert.equal((t1[0] as number) - (t0[0] as number), 1);
  });

  it("dates are their first instants in the zone", async () => {
    const { t0, t1, unit } = await read(`${HEAD}a,2024-03-10,2024-03-11\n`, { zone: "America/New_York" });
    assert.deepEqual(
      [t0[0], t1[0], unit],
      [at("2024-03-10T05:00:00Z"), at("2024-03-11T04:00:00Z"), "instant"],
    );
  });

  it("JSON lines hold numbers or texts", async () => {
    const text = '{"id":"a","t0":1,"t1":2}\n{"id":"b","t0":"1","t1":3}\n';
    const { ids, t1, unit } = await read(text, { name: "i.jsonl" });
    assert.deepEqual([ids, [...t1], unit], [["a", "b"], [2, 3], "day"]);
  });
});

type Fault = readonly [
  name: string,
  bad: string,
  code: Code,
  place: string,
  values: readonly string[],
  good: string,
];
const faults: readonly Fault[] = [
  ["no end", "a,1,2\nb,1,\n", "EvalLabelIntervalMissing", "i.csv:3", ["case b"], "a,1,2\nb,1,1\n"],
  ["no start", "a,,2\n", "EvalLabelIntervalMissing", "i.csv:2", ["case a"], "a,0,2\n"],
  [
    "an end before its start",
    "a,1,2\nb,3,2\n",
    "EvalLabelIntervalInvalid",
    "i.csv:3",
    ["case b", "2", "3"],
    "a,1,2\nb,3,3\n",
  ],
  [
    "an id twice",
    "a,1,2\nb,1,2\na,5,6\n",
    "CaseDuplicate",
    "i.csv:4",
    ["case a", "i.csv:2"],
    "a,1,2\nb,1,2\nA,5,6\n",
  ],
  ["no id", "a,1,2\n,1,2\n", "CellInvalid", "i.csv:3", ["column id"], "a,1,2\n0,1,2\n"],
  [
    "a part of a day",
    "a,1,2.5\n",
    "CellInvalid",
    "i.csv:2",
    ["column t1", "2.5", "a whole number"],
    "a,1,2\n",
  ],
  ["a number in another spelling", "a,01,2\n", "CellInvalid", "i.csv:2", ["column t0", "01"], "a,1,2\n"],
  [
    "a date run together",
    "a,20240305,20240306\n",
    "CellInvalid",
    "i.csv:2",
    ["20240305", "10000000"],
    "a,10000000,10000000\n",
  ],
  ["seconds of a clock", "a,-1709596800,1\n", "CellInvalid", "i.csv:2", ["-1709596800"], "a,-10000000,1\n"],
  [
    "days and instants",
    "a,1,2024-03-05T00:00:00Z\n",
    "CellInvalid",
    "i.csv:2",
    ["column t1", "whole number of days", "line 2"],
    "a,1,2\n",
  ],
  [
    "dates and instants",
    "a,2024-03-05,2024-03-06\nb,2024-03-05T00:00:00Z,2024-03-06\n",
    "CellInvalid",
    "i.csv:3",
    ["column t0", "a date", "line 2"],
    "a,2024-03-05,2024-03-06\nb,2024-03-05,2024-03-06\n",
  ],
  [
    "a wall clock's time",
    "a,2024-03-05T00:00:00,2024-03-06T00:00:00Z\n",
    "InstantInvalid",
    "i.csv:2",
    ["column t0", "offset"],
    "a,2024-03-05T00:00:00Z,2024-03-06T00:00:00Z\n",
  ],
  [
    "an instant too fine",
    "a,2024-03-05T00:00:00.1234567Z,2024-03-06T00:00:00Z\n",
    "InstantTooFine",
    "i.csv:2",
    ["column t0"],
    "a,2024-03-05T00:00:00.123456Z,2024-03-06T00:00:00Z\n",
  ],
  [
    "a date that the calendar lacks",
    "a,2024-02-28,2024-02-30\n",
    "InstantInvalid",
    "i.csv:2",
    ["column t1", "2024-02-30"],
    "a,2024-02-28,2024-02-29\n",
  ],
  [
    "a date outside of time",
    "a,2024-02-28,9999-12-31\n",
    "InstantInvalid",
    "i.csv:2",
    ["9999-12-31", "2254"],
    "a,2024-02-28,2254-09-28\n",
  ],
  ["a row too short", "a,1\n", "CsvInvalid", "i.csv:2", ["2 cells"], "a,1,1\n"],
  ["no row", "", "SelectionEmpty", "i.csv", ["0"], "a,1,1\n"],
];

describe("readIntervals refuses", () => {
  for (const [name, bad, code, place, values, good] of faults)
    it(`refusal.${code}: ${name}`, async () => {
      const { message } = await refusedLater(code, () => read(HEAD + bad));
      assert.ok(message.startsWith(`${code}: ${place}: `), message);
      for (const value of values) assert.ok(message.includes(value), `${value} in ${message}`);
      await read(HEAD + good);
    });

  it("refusal.EvalLabelIntervalMissing: a table without ends purges nothing silently", async () => {
    const { message, hint } = await refusedLater("EvalLabelIntervalMissing", () =>
      read("id,t0,end\na,1,2\n"),
    );
    assert.match(
      message,
      /^EvalLabelIntervalMissing: i\.csv:2: case a: no label_interval in the columns id, t0, end, /,
    );
    assert.match(hint as string, /purging/);
    await read("id,t0,t1\na,1,2\n");
  });

  it("refusal.ColumnUnknown: no column id; refusal.FieldInvalid: another kind of file", async () => {
    const { message } = await refusedLater("ColumnUnknown", () => read("case,t0,t1\na,1,2\n"));
    assert.match(message, /^ColumnUnknown: i\.csv:1: column id: not in the table; it has case, t0, t1$/);
    await refusedLater("FieldInvalid", () => read(`${HEAD}a,1,2\n`, { name: "i.txt" }));
    await refusedLater("CellInvalid", () => read('{"id":7,"t0":1,"t1":2}\n', { name: "i.jsonl" }));
    await refusedLater("SelectionEmpty", () => read("", { name: "i.jsonl" }));
  });

  it("refusal.LimitExceeded: more cases than the limit", async () => {
    const { cases } = limits;
    try {
      (limits as { cases: number }).cases = 2;
      await read(`${HEAD}a,1,1\nb,1,1\n`);
      const { message } = await refusedLater("LimitExceeded", () => read(`${HEAD}a,1,1\nb,1,1\nc,1,1\n`));
      assert.match(message, /^LimitExceeded: i\.csv:4: cases: 3, at most 2/);
    } finally {
      (limits as { cases: number }).cases = cases;
    }
  });
});
