import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readSeries, seriesTime } from "../../src/caseset/series-table.ts";
import { formatInstant, MICROS_PER_DAY, parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Code } from "../../src/core/refusal.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";

const folder = temporary();
const read = (text: string, name = "s.csv") => readSeries(written(folder, name, text), name);

const DAYS = "day,a,b\n2024-02-28,.5,-1\n2024-02-29,1e-05,0\n";

test("readSeries: the first column is the time whatever its name, every other one a series, in their order", async () => {
  const table = await read(DAYS);
  assert.deepEqual([table.time, table.place], ["day", "s.csv"]);
  assert.deepEqual(
    table.series.map(({ name, values }) => [name, [...values]]),
    [
      ["a", [0.5, 1e-5]],
      ["b", [-1, 0]],
    ],
  );
  const first = parseInstant("2024-02-28T00:00:00Z", "", "") as number;
  assert.deepEqual([...table.at], [first, first + MICROS_PER_DAY]);
  assert.deepEqual([seriesTime(table, 0), seriesTime(table, 1)], ["2024-02-28", "2024-02-29"]);
});

test("readSeries: instants of any offset, ordered as instants; JSON lines hold numbers", async () => {
  const table = await read("t,a\n2024-03-05T01:00:00+01:00,1\n2024-03-05T00:00:00.000001Z,2\n");
  assert.equal(table.time, "instant");
  assert.deepEqual(
    [seriesTime(table, 0), seriesTime(table, 1)],
    ["2024-03-05T00:00:00Z", "2024-03-05T00:00:00.000001Z"],
  );
  const lines = await read('{"t":"2024-03-05","a":0.25}\n{"a":-1,"t":"2024-03-06"}\n', "s.jsonl");
  assert.deepEqual([...(lines.series[0]?.values ?? [])], [0.25, -1]);
});

test("readSeries: any table that it is given comes back, value for value", async () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 4 })
        .chain((width) =>
          fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
        ),
      fc.integer({ min: -5_000, max: 20_000 }),
      fc.boolean(),
      async (rows, first, days) => {
        const time = (i: number) => {
          const text = formatInstant((first + i) * MICROS_PER_DAY);
          return days ? text.slice(0, 10) : text;
        };
        const width = (rows[0] as number[]).length;
        const head = ["when", ...Array.from({ length: width }, (_, i) => `c${i}`)].join(",");
        const text = `${head}\n${rows.map((row, i) => [time(i), ...row.map(String)].join(",")).join("\n")}\n`;
        const table = await read(text, "p.csv");
        for (let c = 0; c < width; c++)
          assert.deepEqual(
            [...(table.series[c]?.values ?? [])],
            rows.map((row) => Number(String(row[c]))),
          );
        assert.deepEqual(
          [...table.at],
          rows.map((_, i) => (first + i) * MICROS_PER_DAY),
        );
      },
    ),
    { numRuns: 40 },
  );
});

/** What is refused, where, with what in its line; and the nearest that is not. */
const faults: readonly (readonly [
  name: string,
  bad: string,
  code: Code,
  place: string,
  said: string,
  good: string,
])[] = [
  [
    "an empty cell",
    "d,a,b\n2024-01-01,1,2\n2024-01-02,,2\n",
    "CellInvalid",
    "s.csv:3",
    "column a",
    "d,a,b\n2024-01-01,1,2\n2024-01-02,0,2\n",
  ],
  ["words in a cell", "d,a\n2024-01-01,nan\n", "CellInvalid", "s.csv:2", "nan", "d,a\n2024-01-01,-.5\n"],
  ["percent signs", "d,a\n2024-01-01,1.5%\n", "CellInvalid", "s.csv:2", "1.5%", "d,a\n2024-01-01,1.5\n"],
  [
    "a number too large to square",
    "d,a\n2024-01-01,1e101\n",
    "CellInvalid",
    "s.csv:2",
    "1e101",
    "d,a\n2024-01-01,1e100\n",
  ],
  [
    "a day twice",
    "d,a\n2024-01-01,1\n2024-01-01,2\n",
    "CellInvalid",
    "s.csv:3",
    "s.csv:2",
    "d,a\n2024-01-01,1\n2024-01-02,2\n",
  ],
  [
    "days in no order",
    "d,a\n2024-01-02,1\n2024-01-01,2\n",
    "CellInvalid",
    "s.csv:3",
    "later than 2024-01-02",
    "d,a\n2024-01-01,1\n2024-01-02,2\n",
  ],
  [
    "one instant twice, in two spellings",
    "d,a\n2024-01-01T00:00:00Z,1\n2024-01-01T01:00:00+01:00,2\n",
    "CellInvalid",
    "s.csv:3",
    "s.csv:2",
    "d,a\n2024-01-01T00:00:00Z,1\n2024-01-01T01:00:01+01:00,2\n",
  ],
  [
    "a day among instants",
    "d,a\n2024-01-01T00:00:00Z,1\n2024-01-02,2\n",
    "InstantInvalid",
    "s.csv:3",
    "an instant such as",
    "d,a\n2024-01-01T00:00:00Z,1\n2024-01-02T00:00:00Z,2\n",
  ],
  [
    "an instant among days",
    "d,a\n2024-01-01,1\n2024-01-02T00:00:00Z,2\n",
    "InstantInvalid",
    "s.csv:3",
    "a day such as",
    "d,a\n2024-01-01,1\n2024-01-02,2\n",
  ],
  [
    "an instant without an offset",
    "d,a\n2024-01-01T09:00:00,1\n",
    "InstantInvalid",
    "s.csv:2",
    "an offset too",
    "d,a\n2024-01-01T09:00:00Z,1\n",
  ],
  ["a month", "d,a\n2024-02,1\n", "InstantInvalid", "s.csv:2", "a day or an instant", "d,a\n2024-02-29,1\n"],
  [
    "another country's date",
    "d,a\n03/29/2024,1\n",
    "InstantInvalid",
    "s.csv:2",
    "expected a day such as 2024-03-05, or an instant such as",
    "d,a\n2024-03-29,1\n",
  ],
  [
    "a number of the row",
    "n,a\n0,1\n",
    "InstantInvalid",
    "s.csv:2",
    "expected a day such as 2024-03-05",
    "n,a\n2024-03-29,1\n",
  ],
  [
    "a file without a header",
    "2024-02-28,1\n2024-02-29,1\n",
    "FieldInvalid",
    "s.csv:1",
    "header: 2024-02-28, 1, expected the names of the columns",
    "d,1\n2024-02-29,1\n",
  ],
  [
    "a file of instants without a header",
    "2024-02-28T00:00:00Z,1\n2024-02-29T00:00:00Z,1\n",
    "FieldInvalid",
    "s.csv:1",
    "expected the names of the columns",
    "d,1\n2024-02-29T00:00:00Z,1\n",
  ],
  [
    "semicolons",
    "d;a\n2024-02-29;1\n",
    "FieldInvalid",
    "s.csv:1",
    "with commas between",
    "d,a\n2024-02-29,1\n",
  ],
  ["no time at all", "d,a\n,1\n", "InstantInvalid", "s.csv:2", '""', "d,a\n2024-02-29,1\n"],
  [
    "a day that the calendar lacks",
    "d,a\n2023-02-29,1\n",
    "InstantInvalid",
    "s.csv:2",
    "2023-02-29",
    "d,a\n2024-02-29,1\n",
  ],
  [
    "a day before all instants",
    "d,a\n1500-02-01,1\n",
    "InstantInvalid",
    "s.csv:2",
    "1684",
    "d,a\n1700-02-01,1\n",
  ],
  ["no series", "d\n2024-01-01\n", "FieldInvalid", "s.csv:1", "at least one series", "d,a\n2024-01-01,1\n"],
  ["no row", "d,a\n", "SelectionEmpty", "s.csv", "without rows", "d,a\n2024-01-01,1\n"],
  [
    "two series of one name",
    "d,a,a\n2024-01-01,1,2\n",
    "CsvInvalid",
    "s.csv:1",
    "two columns named a",
    "d,a,A\n2024-01-01,1,2\n",
  ],
  [
    "a row that is too short",
    "d,a,b\n2024-01-01,1\n",
    "CsvInvalid",
    "s.csv:2",
    "2 cells, expected 3",
    "d,a,b\n2024-01-01,1,1\n",
  ],
];

for (const [name, bad, code, place, said, good] of faults)
  test(`readSeries: ${name} is refused with its line (${code})`, async () => {
    const { details, message } = await refusedLater(code, () => read(bad));
    assert.equal(details.place, place);
    assert.ok(message.includes(said), message);
    await read(good);
  });

test("readSeries: the hint for a month is its last day, in a leap year too", async () => {
  const hint = async (month: string) =>
    (await refusedLater("InstantInvalid", () => read(`d,a\n${month},1\n`))).hint;
  assert.match((await hint("2024-02")) ?? "", /2024-02-29/);
  assert.match((await hint("2023-12")) ?? "", /2023-12-31/);
});

test("readSeries: more series than the limit are refused before a row is read, and a key that no other line has", async () => {
  const wide = (n: number) =>
    `d,${Array.from({ length: n }, (_, i) => `c${i}`).join(",")}\n2024-01-01,${"1,".repeat(n - 1)}1\n`;
  assert.equal((await read(wide(limits.seriesColumns))).series.length, limits.seriesColumns);
  await refusedLater("LimitExceeded", () => read(wide(limits.seriesColumns + 1)));
  const line = (more: string) => `{"t":"2024-03-05","a":1}\n{"t":"2024-03-06","a":1${more}}\n`;
  await refusedLater("UnknownKey", () => read(line(',"retracted":true'), "s.jsonl"));
  await refusedLater("UnknownKey", () => read(line(',"b":1'), "s.jsonl"));
  assert.equal((await read(line(""), "s.jsonl")).at.length, 2);
});
