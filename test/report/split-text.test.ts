/** The text of splits and of their audit: every line fits, the figures are the sets' sizes, no word of what is not there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelIntervals } from "../../src/caseset/label-intervals.ts";
import { auditSplits } from "../../src/caseset/split-audit.ts";
import type { SplitDefinition } from "../../src/caseset/split-definition.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { splitAuditText } from "../../src/report/split-audit-text.ts";
import { splitRow } from "../../src/report/split-rows.ts";
import { MOST_ROWS, SKETCH_COLUMNS, splitText } from "../../src/report/split-text.ts";
import { daily, intervalsOf } from "../caseset/naive-split.ts";
import { assertEvery } from "../support/all.ts";

const run = (n: number, length: number) =>
  intervalsOf(daily(Array.from({ length: n }, (_, i) => [i, i + length])));

function textOf(cases: LabelIntervals, definition: SplitDefinition): string[] {
  const made = splitCases(cases, definition);
  const rows = [...made.splits].map((split) => splitRow(split, SKETCH_COLUMNS));
  return splitText(rows.slice(0, MOST_ROWS), {
    read: ["Read some cases."],
    cases: cases.ids.length,
    splits: rows.length,
    embargo: definition.embargo ?? null,
    digest: made.digest,
  });
}
const fits = (lines: readonly string[]) => assertEvery(lines, (line) => [...line].length <= 80);

test("splitText: sizes, picture and key of case A", () => {
  const lines = textOf(run(10, 2), { kind: "kfold", folds: 2, embargo: "P1D" });
  assert.deepEqual(lines.slice(2, 5), [
    "   split       train        test      purged   embargoed",
    "       0           2           5           2           1",
    "       1           3           5           2           0",
  ]);
  assert.deepEqual(lines.slice(6, 9), [
    "       0  █████××░──",
    "       1  ───××█████",
    "          in start order: ─ train, █ test, × purged, ░ embargoed",
  ]);
  const told = lines.join(" ");
  assert.match(told, /Embargoed: one that starts within P1D after a block of test cases ends\./);
  assert.match(lines.at(-1) as string, /^ {2}sha256:[0-9a-f]{64}$/);
  fits(lines);
});

test("splitText: nothing is said of an embargo, or of unused cases, where there is none", () => {
  const without = textOf(run(10, 0), { kind: "kfold", folds: 2 }).join(" ");
  assert.doesNotMatch(without, /Embargoed:|unused|×|░/);
  const forward = textOf(run(100, 1), { kind: "walk-forward", folds: 3 });
  assert.match(
    forward.join(" "),
    /unused.*blank unused; a column is\s+1\s+to 2 cases, × where one of them is/,
  );
  fits(forward);
});

test("splitText: of many splits the first, and how many more there are", () => {
  const lines = textOf(run(300, 3), { kind: "combinatorial", groups: 16, test_groups: 4, embargo: "P9D" });
  assert.ok(lines.includes(`  … and ${1820 - MOST_ROWS} more with --json`));
  assert.ok(lines.length < 3 * MOST_ROWS);
  fits(lines);
});

test("splitAuditText: each leak by its rule, the rest counted; and what no leak means", () => {
  const cases = run(40, 2);
  const lists = [
    { train: ["a5", "a6", "a7", "a4"], test: ["a2", "a3", "a4"] },
    { train: cases.ids.slice(10), test: cases.ids.slice(0, 10) },
    { train: cases.ids.slice(0, 30), test: cases.ids.slice(25) },
  ];
  const span = "P1D";
  const words = { read: ["Read."], ids: cases.ids, embargo: "P1D" };
  const audits = [...auditSplits(lists, cases, span)];
  const lines = splitAuditText(audits, words);
  for (const line of [
    "split 0: 4 train, 3 test, 34 in neither; 4 leaks; 6 pairs of intervals that meet",
    "  a4: a test case too",
    "  a5: meets a3 and 1 more",
    "  a6: meets a4",
    "  a7: starts within P1D after the test block that ends with a4",
    "split 1: 30 train, 10 test, 0 in neither; 3 leaks; 3 pairs of intervals that",
    "  a23: meets a25",
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
  assert.match(lines.join(" "), /14 training cases in 3 of 3 splits may know a test case's label/);
  fits(lines);
  const clean = splitAuditText([...auditSplits([{ train: ["a0"], test: ["a9"] }], cases, span)], words).join(
    " ",
  );
  assert.match(clean, /No leak in 1 split: .* none starts within P1D/);
  const bare = splitAuditText([...auditSplits([{ train: ["a0"], test: ["a9"] }], cases, span)], {
    ...words,
    embargo: null,
  });
  assert.doesNotMatch(bare.join(" "), /starts within/);
});

test("splitAuditText: names that would move a terminal, and long ones, are made visible and wrapped", () => {
  const cases = intervalsOf([
    { id: "\u001b[2Ja", t0: 0, t1: 5 },
    { id: "x".repeat(300), t0: 1, t1: 5 },
  ]);
  const audits = [...auditSplits([{ train: [cases.ids[0]!], test: [cases.ids[1]!] }], cases, "P0D")];
  const lines = splitAuditText(audits, { read: ["Read."], ids: cases.ids, embargo: null });
  assert.ok(lines.some((line) => line.includes("\ufffd[2Ja: meets")));
  assert.ok(!lines.join("").includes("\u001b"));
  fits(lines);
});
