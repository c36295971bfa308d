import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AnswerTable, readAnswers } from "../../src/caseset/answer-table.ts";
import { parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import { parseMonth } from "../../src/core/month.ts";
import type { Code } from "../../src/core/refusal.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";

const folder = temporary();
const read = (text: string, cluster: string | null = null, name = "a.csv") =>
  readAnswers(written(folder, name, text), name, cluster);

const HEAD = "model,event,month,outcome\n";
const month = (text: string) => parseMonth(text) as number;

/** model → event → outcome. */
function answersOf({ models, events }: AnswerTable): { [model: string]: { [event: string]: number } } {
  return Object.fromEntries(
    models.map(({ name, events: own, outcomes }) => [
      name,
      Object.fromEntries([...own].map((event, i) => [events.names[event] as string, outcomes[i] as number])),
    ]),
  );
}

test("readAnswers: models and events in the order of their first rows, other columns let be, in any order of columns", async () => {
  const table = await read(
    "note,outcome,event,month,model\nx,1,e2,2024-02,b\n,0,e1,2024-01,b\ny,.5,e1,2024-01,a\n",
  );
  assert.deepEqual(answersOf(table), { b: { e2: 1, e1: 0 }, a: { e1: 0.5 } });
  assert.deepEqual(
    table.models.map(({ name, line }) => [name, line]),
    [
      ["b", 2],
      ["a", 4],
    ],
  );
  assert.deepEqual(table.events.names, ["e2", "e1"]);
  assert.deepEqual([...table.events.at], [month("2024-02"), month("2024-01")]);
  assert.deepEqual([...table.events.lines], [2, 3]);
  assert.deepEqual([table.time, table.rows, table.missing, table.repeated], ["month", 3, 0, false]);
  assert.equal(table.events.clusters, null);
});

test("readAnswers: instants are microseconds, of any offset; a cluster is the cell of the column that is asked for", async () => {
  const text =
    "model,event,instant,outcome,topic\na,e1,2024-03-05T01:00:00+01:00,1,x\nb,e1,2024-03-05T00:00:00Z,2e-1,x\n";
  const table = await read(text, "topic");
  assert.deepEqual([...table.events.at], [parseInstant("2024-03-05T00:00:00Z", "", "")]);
  assert.deepEqual([table.time, table.events.clusters], ["instant", ["x"]]);
  assert.deepEqual(answersOf(table), { a: { e1: 1 }, b: { e1: 0.2 } });
});

test("readAnswers: JSON lines hold numbers and texts", async () => {
  const text =
    '{"model":"a","event":7,"month":"2024-01","outcome":0.25}\n{"model":"a","event":8,"month":"2024-01","outcome":null}\n';
  const table = await read(text, null, "a.jsonl");
  assert.deepEqual(answersOf(table), { a: { 7: 0.25 } });
  assert.equal(table.missing, 1);
});

test("readAnswers: an empty outcome is no answer: counted by model, left out, and its event still held to one month", async () => {
  const table = await read(`${HEAD}a,e1,2024-01,\na,e2,2024-02,1\nb,e1,2024-01,\n`);
  assert.deepEqual(answersOf(table), { a: { e2: 1 }, b: {} });
  assert.deepEqual([table.rows, table.missing], [3, 2]);
  assert.deepEqual(
    table.models.map(({ missing }) => missing),
    [1, 1],
  );
  await refusedLater("CellInvalid", () => read(`${HEAD}a,e1,2024-01,\nb,e1,2024-02,1\n`));
});

test("readAnswers: repeats are averaged within their model and event first, those without an outcome left out", async () => {
  const text =
    "model,event,month,repeat,outcome\na,e1,2024-01,1,1\na,e2,2024-01,1,0\na,e1,2024-01,2,0\na,e1,2024-01,3,\nb,e1,2024-01,1,\n";
  const table = await read(text);
  assert.deepEqual(answersOf(table), { a: { e1: 0.5, e2: 0 }, b: {} });
  assert.deepEqual([table.repeated, table.missing], [true, 2]);
});

test("readAnswers: the mean of repeats is the same to the last bit in any order of their rows", async () => {
  const rows = [0.1, 0.2, 0.3].map((outcome, repeat) => `a,e1,2024-03,${repeat},${outcome}`);
  const mean = async (order: readonly number[]) => {
    const table = await read(`model,event,month,repeat,outcome\n${order.map((i) => rows[i]).join("\n")}\n`);
    return answersOf(table)["a"];
  };
  const first = await mean([0, 1, 2]);
  assert.notEqual(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
  for (const order of [
    [2, 1, 0],
    [1, 2, 0],
  ])
    assert.deepEqual(await mean(order), first);
});

test("readAnswers: the order of the rows changes no answer", async () => {
  const row = fc.record({
    model: fc.constantFrom("a", "b", "c"),
    event: fc.constantFrom("e1", "e2", "e3", "e4", "e5"),
    repeat: fc.integer({ min: 1, max: 3 }),
    outcome: fc.option(fc.integer({ min: -8, max: 8 }).map((n) => n / 8)),
  });
  const rows = fc.uniqueArray(row, {
    minLength: 1,
    maxLength: 30,
    selector: ({ model, event, repeat }) => `${model} ${event} ${repeat}`,
  });
  const text = (given: readonly { model: string; event: string; repeat: number; outcome: number | null }[]) =>
    `model,event,month,repeat,outcome\n${given.map((one) => `${one.model},${one.event},2024-0${one.event[1]},${one.repeat},${one.outcome ?? ""}`).join("\n")}\n`;
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(), async (given, shift) => {
      fc.pre(given.some(({ outcome }) => outcome !== null));
      const at = shift % given.length;
      const first = answersOf(await read(text(given)));
      const moved = answersOf(await read(text([...given.slice(at), ...given.slice(0, at)])));
      assert.deepEqual(moved, first);
      for (const model of Object.keys(first)) {
        for (const [event, outcome] of Object.entries(first[model] as { [event: string]: number })) {
          const own = given.filter(
            (one) => one.model === model && one.event === event && one.outcome !== null,
          );
          assert.equal(outcome, own.reduce((sum, one) => sum + (one.outcome as number), 0) / own.length);
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** What is refused, where, and words that must stand in the line or its hint. */
const faults: readonly (readonly [name: string, text: string, code: Code, place: string, words: RegExp])[] = [
  ["no file's worth", "", "CsvInvalid", "a.csv:1", /no header line/],
  ["no row", HEAD, "SelectionEmpty", "a.csv", /0 of 0/],
  ["no outcome in any row", `${HEAD}a,e1,2024-01,\n`, "SelectionEmpty", "a.csv", /0 of 1/],
  [
    "no column outcome",
    "model,event,month\na,e1,2024-01\n",
    "ColumnUnknown",
    "a.csv:1",
    /outcome.*model, event, month/s,
  ],
  ["no time", "model,event,outcome\na,e1,1\n", "ColumnUnknown", "a.csv:1", /month or instant/],
  [
    "two times",
    "model,event,month,instant,outcome\na,e1,2024-01,2024-01-01T00:00:00Z,1\n",
    "FieldInvalid",
    "a.csv:1",
    /month and instant, expected one/,
  ],
  [
    "no number",
    `${HEAD}a,e1,2024-01,1\na,e2,2024-01,yes\n`,
    "CellInvalid",
    "a.csv:3",
    /"yes".*leave the cell empty/s,
  ],
  ["a number spelled otherwise", `${HEAD}a,e1,2024-01,0x1\n`, "CellInvalid", "a.csv:2", /"0x1"/],
  ["no finite number", `${HEAD}a,e1,2024-01,1e999\n`, "CellInvalid", "a.csv:2", /"1e999"/],
  ["no month", `${HEAD}a,e1,2024-13,1\n`, "CellInvalid", "a.csv:2", /"2024-13".*2024-03/],
  [
    "a date in place of a month",
    `${HEAD}a,e1,2024-01-05,1\n`,
    "CellInvalid",
    "a.csv:2",
    /"2024-01-05".*instant/s,
  ],
  [
    "a date in place of an instant",
    "model,event,instant,outcome\na,e1,2024-01-05,1\n",
    "InstantInvalid",
    "a.csv:2",
    /"2024-01-05".*2024-03-05T00:00:00Z.*hint|UTC/s,
  ],
  [
    "a month in place of an instant",
    "model,event,instant,outcome\na,e1,2024-01,1\n",
    "InstantInvalid",
    "a.csv:2",
    /"2024-01".*named `month`/s,
  ],
  [
    "an instant that is none",
    "model,event,instant,outcome\na,e1,soon,1\n",
    "InstantInvalid",
    "a.csv:2",
    /"soon"/,
  ],
  ["nobody's answer", `${HEAD},e1,2024-01,1\n`, "CellInvalid", "a.csv:2", /column model/],
  ["an answer to nothing", `${HEAD}a,,2024-01,1\n`, "CellInvalid", "a.csv:2", /column event/],
  [
    "two answers to one event",
    `${HEAD}a,e1,2024-01,1\nb,e1,2024-01,1\na,e1,2024-01,0\n`,
    "CellInvalid",
    "a.csv:4",
    /"e1".*a\.csv:2.*repeat/s,
  ],
  [
    "one event in two months",
    `${HEAD}a,e1,2024-01,1\nb,e1,2024-02,1\n`,
    "CellInvalid",
    "a.csv:3",
    /"2024-02".*2024-01.*a\.csv:2/s,
  ],
  [
    "a repeat twice",
    "model,event,month,repeat,outcome\na,e1,2024-01,r,1\na,e1,2024-01,r,0\n",
    "CellInvalid",
    "a.csv:3",
    /"r".*a\.csv:2/s,
  ],
  ["a row that is too short", `${HEAD}a,e1,2024-01\n`, "CsvInvalid", "a.csv:2", /3 cells, expected 4/],
];

for (const [name, text, code, place, words] of faults)
  test(`readAnswers: refused by its line: ${name}`, async () => {
    const { details, message, hint } = await refusedLater(code, () => read(text));
    assert.equal(details.place, place);
    assert.match(`${message}\n${hint ?? ""}`, words);
  });

test("readAnswers: a cluster's column must be there, and have one value for each event", async () => {
  const text = "model,event,month,outcome,topic\na,e1,2024-01,1,x\nb,e1,2024-01,1,y\n";
  const unknown = await refusedLater("ColumnUnknown", () => read(text, "theme"));
  assert.match(`${unknown.message}\n${unknown.hint}`, /theme.*topic.*--cluster/s);
  const { details, message } = await refusedLater("CellInvalid", () => read(text, "topic"));
  assert.equal(details.place, "a.csv:3");
  assert.match(message, /"y".*x, which the same event has at a\.csv:2/);
  assert.deepEqual((await read(text.replace(",y", ",x"), "topic")).events.clusters, ["x"]);
});

test("readAnswers: as many models as the limit, and not one more", async () => {
  const rows = (n: number) => HEAD + Array.from({ length: n }, (_, i) => `m${i},e1,2024-01,1\n`).join("");
  assert.equal((await read(rows(limits.answeringModels))).models.length, limits.answeringModels);
  const { details } = await refusedLater("LimitExceeded", () => read(rows(limits.answeringModels + 1)));
  assert.deepEqual(
    [details.found, details.place],
    [limits.answeringModels + 1, `a.csv:${limits.answeringModels + 2}`],
  );
});
