import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openTableRows, type TableRow } from "../../src/caseset/table-rows.ts";
import type { Complain } from "../../src/core/refusal.ts";
import { notedLater, refusedLater, temporary, written } from "../core/refused.ts";

const folder = temporary();

async function rowsOf(name: string, data: string | Uint8Array, complain?: Complain) {
  const opened = await openTableRows(written(folder, name, data), name, complain);
  const rows: TableRow[] = [];
  if (opened !== undefined) for await (const row of opened.rows) rows.push(row);
  return { columns: opened?.columns, rows: rows.map(({ line, cells }) => [line, ...cells]) };
}
const csv = (data: string | Uint8Array, complain?: Complain) => rowsOf("t.csv", data, complain);
const jsonl = (data: string, complain?: Complain) => rowsOf("t.jsonl", data, complain);

test("CSV: quotes, commas and newlines in quotes; an empty cell is absent; each row has the line it begins on", async () => {
  const text = 'a,b\n1,"x, ""y"""\n2,"two\nlines"\n\n3,\n"4\n\n4",z\n5,w';
  assert.deepEqual(await csv(text), {
    columns: ["a", "b"],
    rows: [
      [2, "1", 'x, "y"'],
      [3, "2", "two\nlines"],
      [6, "3", null],
      [7, "4\n\n4", "z"],
      [10, "5", "w"],
    ],
  });
});

test("CSV: a byte order mark and either newline, also mixed, change nothing", async () => {
  const expected = {
    columns: ["a", "b"],
    rows: [
      [2, "1", "x"],
      [3, "2", "y"],
    ],
  };
  for (const text of [
    "a,b\n1,x\n2,y\n",
    "\ufeffa,b\r\n1,x\r\n2,y\r\n",
    "a,b\r\n1,x\n2,y",
    "a,b\n1,x\r\n2,y\r\n",
  ])
    assert.deepEqual(await csv(text), expected, JSON.stringify(text));
});

test("CSV: every ragged row is refused by its line, with both counts", async () => {
  const text = 'a,b\n1,x\n2\n3,"y\ny",z\n4,w\n5,,\n';
  const { details, message } = await refusedLater("CsvInvalid", () => csv(text));
  assert.equal(details.place, "t.csv:3");
  assert.match(message, /1 cells, expected 2/);
  let rows: unknown[] = [];
  const refusals = await notedLater(async (complain) => {
    rows = (await csv(text, complain)).rows;
  });
  assert.deepEqual(refusals, ["CsvInvalid t.csv:3", "CsvInvalid t.csv:4", "CsvInvalid t.csv:7"]);
  assert.deepEqual(rows, [
    [2, "1", "x"],
    [6, "4", "w"],
  ]);
});

test("CSV: a header that is absent, unnamed or doubled, and a quote that is not closed", async () => {
  for (const [text, place, words] of [
    ["", "t.csv:1", /no header line/],
    ["a,,c\n", "t.csv:1", /without a name/],
    ["a,b,a\n", "t.csv:1", /two columns named a/],
    ['a,b\n1,x\n2,"y\n', "t.csv:3", /[Qq]uot/],
    ['a,b\n1,"x"y\n', "t.csv:2", /[Qq]uot/],
  ] as const) {
    const refusal = await refusedLater("CsvInvalid", () => csv(text));
    assert.equal(refusal.details.place, place, text);
    assert.match(refusal.message, words);
  }
  assert.deepEqual(await csv("a,b\n"), { columns: ["a", "b"], rows: [] });
});

test("CSV: what is not UTF-8 is refused by its line, never replaced", async () => {
  const { details } = await refusedLater("FileUnreadable", () =>
    csv(Buffer.from("a\nx\ncaf\xe9\ny\n", "latin1")),
  );
  assert.deepEqual(details, { place: "t.csv:3", cause: "not UTF-8" });
  assert.deepEqual((await csv("a\ncafé\n")).rows, [[2, "café"]]);
  await refusedLater("FileUnreadable", () => openTableRows(`${folder}/absent.csv`, "absent.csv"));
});

test("CSV: reads back what any quoting of any cells says", async () => {
  const unit = fc.constantFrom("a", '"', ",", "\n", "\r\n", " ", "é", "😀");
  const cell = fc.string({ unit, maxLength: 6 });
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 6 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const text = ["x,y", ...rows.map((cells) => cells.map(quoted).join(","))].join("\n");
      const read = await csv(text);
      assert.deepEqual(
        read.rows.map(([, ...cells]) => cells),
        rows.map((cells) => cells.map((one) => (one === "" ? null : one))),
      );
      let line = 2;
      const lines = rows.map((cells) => {
        const here = line;
        line += 1 + cells.join("").split("\n").length - 1;
        return here;
      });
      assert.deepEqual(
        read.rows.map(([at]) => at),
        lines,
      );
    }),
    { numRuns: 60 },
  );
});

test("JSONL: cells keep their types, absent keys are absent, blank lines are passed over", async () => {
  const text = '{"a":1,"b":"x"}\n\n{"b":null,"a":-2.5}\r\n{"a":true}\n';
  assert.deepEqual(await jsonl(text), {
    columns: ["a", "b"],
    rows: [
      [1, 1, "x"],
      [3, -2.5, null],
      [4, true, null],
    ],
  });
  assert.deepEqual(await jsonl(""), { columns: [], rows: [] });
});

test("JSONL: retracted may appear later; any other new key is refused by its line", async () => {
  assert.deepEqual((await jsonl('{"a":1}\n{"a":1,"retracted":true}\n')).rows, [
    [1, 1],
    [2, 1, true],
  ]);
  const { details } = await refusedLater("UnknownKey", () => jsonl('{"a":1}\n{"a":2}\n{"a":3,"b":4}\n'));
  assert.deepEqual(details, { place: "t.jsonl:3", key: "b", known: ["a"] });
});

test("JSONL: bad JSON, a doubled key, what is no object, and a nested cell, each by its line", async () => {
  const text = '{"a":1}\n{"a":2\n{"a":1,"a":2}\n[1]\n{"a":[1]}\n{"a":{"b":1}}\n{"a":3}\n';
  let rows: unknown[] = [];
  const refusals = await notedLater(async (complain) => {
    rows = (await jsonl(text, complain)).rows;
  });
  assert.deepEqual(refusals, [
    "JsonInvalid t.jsonl:2",
    "DuplicateKey t.jsonl:3:8",
    "JsonInvalid t.jsonl:4",
    "CellInvalid t.jsonl:5",
    "CellInvalid t.jsonl:6",
  ]);
  assert.deepEqual(rows, [
    [1, 1],
    [7, 3],
  ]);
});

test("a file of another kind is refused by its name", async () => {
  const { details } = await refusedLater("FieldInvalid", () => rowsOf("t.tsv", "a\n"));
  assert.deepEqual(details, {
    place: "t.tsv",
    field: "rows",
    found: "t.tsv",
    expected: "a file that ends in .csv or .jsonl",
  });
});
