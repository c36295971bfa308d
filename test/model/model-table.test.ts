import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../src/core/limits.ts";
import { formatMonth } from "../../src/core/month.ts";
import type { Code } from "../../src/core/refusal.ts";
import { readModels } from "../../src/model/model-table.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";

const folder = temporary();
const read = (text: string, name = "m.csv") => readModels(written(folder, name, text), name);
const shown = async (text: string, name?: string) =>
  (await read(text, name)).map(({ name: model, place, cutoff: { lo, point, hi } }) => [
    model,
    place,
    ...[lo, point, hi].map(formatMonth),
  ]);

test("readModels: a month alone, with its interval, with one bound; other columns are let be; the file's order", async () => {
  const text =
    "model,cutoff,cutoff_lo,cutoff_hi,note\nz,2026-01,2025-06,2026-03,x\na,2025-01,,,\nb,2025-01,2024-11,,\nc,2025-01,,2025-02,\n";
  assert.deepEqual(await shown(text), [
    ["z", "m.csv:2", "2025-06", "2026-01", "2026-03"],
    ["a", "m.csv:3", "2025-01", "2025-01", "2025-01"],
    ["b", "m.csv:4", "2024-11", "2025-01", "2025-01"],
    ["c", "m.csv:5", "2025-01", "2025-01", "2025-02"],
  ]);
});

test("readModels: a cutoff as a family file has it; of an interval the end is the cutoff", async () => {
  const text = "model,cutoff\na,2024-10:documented\nb,2024-06..2024-10:estimated\n";
  assert.deepEqual(await shown(text), [
    ["a", "m.csv:2", "2024-10", "2024-10", "2024-10"],
    ["b", "m.csv:3", "2024-06", "2024-10", "2024-10"],
  ]);
  const jsonl = '{"model":"a","cutoff":"2024-10"}\n';
  assert.deepEqual(await shown(jsonl, "m.jsonl"), [["a", "m.jsonl:1", "2024-10", "2024-10", "2024-10"]]);
});

const WIDE = "model,cutoff,cutoff_lo,cutoff_hi\n";
const faults: readonly (readonly [name: string, text: string, code: Code, place: string, words: RegExp])[] = [
  ["no row", "model,cutoff\n", "SelectionEmpty", "m.csv", /0 of 0/],
  ["no cutoff's column", "model,cut\na,2024-10\n", "ColumnUnknown", "m.csv:1", /cutoff.*model, cut/s],
  ["no name", "model,cutoff\n,2024-10\n", "CellInvalid", "m.csv:2", /column model/],
  [
    "a model twice",
    "model,cutoff\na,2024-10\nb,2024-10\na,2024-11\n",
    "CellInvalid",
    "m.csv:4",
    /"a".*m\.csv:2/s,
  ],
  ["no month", "model,cutoff\na,soon\n", "CutoffInvalid", "m.csv:2", /"soon".*YYYY-MM/],
  ["a cutoff that is empty", "model,cutoff\na,\n", "CutoffInvalid", "m.csv:2", /"".*YYYY-MM/],
  [
    "a thirteenth month",
    "model,cutoff\na,2024-13:documented\n",
    "CutoffInvalid",
    "m.csv:2",
    /"2024-13:documented"/,
  ],
  [
    "an interval that ends before it begins",
    "model,cutoff\na,2024-10..2024-06:estimated\n",
    "CutoffInvalid",
    "m.csv:2",
    /2024-10\.\.2024-06/,
  ],
  [
    "bounds the wrong way round",
    `${WIDE}a,2024-10,2024-12,2024-06\n`,
    "CutoffInvalid",
    "m.csv:2",
    /2024-12\.\.2024-06.*cutoff_lo ≤ cutoff/,
  ],
  [
    "a cutoff outside its interval",
    `${WIDE}a,2025-01,2024-06,2024-10\n`,
    "CutoffInvalid",
    "m.csv:2",
    /2025-01.*2024-06\.\.2024-10/,
  ],
  [
    "a bound that is no month",
    `${WIDE}a,2024-10,2024,2024-10\n`,
    "CutoffInvalid",
    "m.csv:2",
    /"2024".*cutoff_lo/,
  ],
  [
    "an interval in two places",
    `${WIDE}a,2024-10:documented,2024-06,2024-10\n`,
    "CutoffInvalid",
    "m.csv:2",
    /2024-06\.\.2024-10.*one place/,
  ],
];

for (const [name, text, code, place, words] of faults)
  test(`readModels: refused by its line: ${name}`, async () => {
    const { details, message } = await refusedLater(code, () => read(text));
    assert.equal(details.place, place);
    assert.match(message, words);
  });

test("readModels: as many models as the limit, and not one more", async () => {
  const rows = (n: number) =>
    `model,cutoff\n${Array.from({ length: n }, (_, i) => `m${i},2024-01\n`).join("")}`;
  assert.equal((await read(rows(limits.listedModels))).length, limits.listedModels);
  const { details } = await refusedLater("LimitExceeded", () => read(rows(limits.listedModels + 1)));
  assert.equal(details.found, limits.listedModels + 1);
});

test("readModels: an interval of as many months as the limit, and not one more", async () => {
  const text = (months: number) => `${WIDE}a,2020-01,2020-01,${formatMonth(2020 * 12 + months - 1)}\n`;
  assert.equal((await read(text(limits.cutoffMonths)))[0]?.cutoff.hi, 2020 * 12 + limits.cutoffMonths - 1);
  const { details } = await refusedLater("LimitExceeded", () => read(text(limits.cutoffMonths + 1)));
  assert.deepEqual([details.found, details.place], [limits.cutoffMonths + 1, "m.csv:2"]);
});
