/** The SVG of splits: bars where arithmetic puts them, the same bytes again, well-formed for any words and many splits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SplitDefinition } from "../../src/caseset/split-definition.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { splitSvg } from "../../src/report/split-plot.ts";
import { splitRow } from "../../src/report/split-rows.ts";
import { type Case, daily, intervalsOf, someCases, someDefinition } from "../caseset/naive-split.ts";
import { textsOf, xmlFault } from "./well-formed.ts";

const picture = { title: "2 folds", cases: 10, splits: 2, span: ["0", "9"] } as const;
const rowsOf = (cases: readonly Case[], definition: SplitDefinition, zone: string | null = null) =>
  [...splitCases(intervalsOf(cases, zone), definition).splits].map((split) => splitRow(split, 320));
const caseA = rowsOf(daily(Array.from({ length: 10 }, (_, i) => [i, i + 2])), {
  kind: "kfold",
  folds: 2,
  embargo: "P1D",
});

test("splitSvg: a bar for each run of a set, where it stands in start order", async () => {
  const svg = await splitSvg(caseA, picture);
  // 720 wide, 56 left and 24 right: a case is 64; rows of 20 from 70 down, .08 of each left free on either side.
  const bars = [
    ...svg.matchAll(/<rect fill="(#\w+)" height="16.8" width="([\d.]+)" y="([\d.]+)" x="([\d.]+)"/g),
  ];
  const [train, tested, purged, embargoed] = ["#bcd0de", "#0b4f80", "#c24e12", "#f0b53c"];
  assert.deepEqual(
    bars.map(([, colour, width, y, x]) => [Number(x), Number(width), Number(y), colour]),
    [
      [56, 320, 71.6, tested],
      [376, 128, 71.6, purged],
      [504, 64, 71.6, embargoed],
      [568, 128, 71.6, train],
      [56, 192, 91.6, train],
      [248, 128, 91.6, purged],
      [376, 320, 91.6, tested],
    ],
    svg,
  );
  const told = textsOf(svg);
  for (const each of [
    "2 folds",
    "0",
    "1",
    "9",
    "train",
    "test",
    "purged",
    "embargoed",
    "cases in start order",
    "10 cases.",
  ])
    assert.ok(told.includes(each), each);
  assert.ok(!told.includes("unused"));
});

test("splitSvg: the same rows give the same bytes, well-formed, whatever the words are", async () => {
  await fc.assert(
    fc.asyncProperty(
      someCases,
      someDefinition,
      fc.string({ unit: "binary" }),
      async ({ cases, zone }, definition, title) => {
        const rows = rowsOf(cases, definition, zone).slice(0, 60);
        const told = { title, cases: cases.length, splits: rows.length + 1, span: [title, "9"] as const };
        const svg = await splitSvg(rows, told);
        assert.equal(xmlFault(svg), null);
        assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
        assert.equal(await splitSvg(rows, told), svg);
      },
    ),
    { numRuns: 6 },
  );
});

test("splitSvg: sixty splits of a million cases are a small picture that says what a column is", async () => {
  const columns = Array.from(
    { length: 320 },
    (_, i) => (i % 2 === 0 ? "train" : "purged") as "train" | "purged",
  );
  const sizes = { train: 9, test: 0, purged: 9, embargoed: 0, unused: 0 };
  const rows = Array.from({ length: 60 }, (_, number) => ({ number, groups: [0], sizes, columns }));
  const svg = await splitSvg(rows, { ...picture, cases: 1_000_000, splits: 12870 });
  assert.match(textsOf(svg).join(" "), /A column is 3125 cases, .* The first 60 of 12870 splits\./);
  assert.ok(svg.length < 2_000_000);
});
