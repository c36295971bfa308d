/** Splits as they are shown: each column shows what its cases are, the rare before the many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Split } from "../../src/caseset/splits.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { type Band, bands, splitRow } from "../../src/report/split-rows.ts";
import { daily, intervalsOf, someCases, someDefinition } from "../caseset/naive-split.ts";

test("splitRow: with a column a case, the sets themselves", () => {
  const cases = intervalsOf(daily(Array.from({ length: 10 }, (_, i) => [i, i + 2])));
  const [first, second] = [...splitCases(cases, { kind: "kfold", folds: 2, embargo: "P1D" }).splits] as [
    Split,
    Split,
  ];
  const told = (split: Split) =>
    splitRow(split, 99)
      .columns.map((band) => band.slice(0, 2))
      .join(" ");
  assert.equal(told(first), "te te te te te pu pu em tr tr");
  assert.equal(told(second), "tr tr tr pu pu te te te te te");
  assert.deepEqual(splitRow(first, 99).sizes, { train: 2, test: 5, purged: 2, embargoed: 1, unused: 0 });
});

test("splitRow: a purged case is seen in its column, then an embargoed one, else what most are", () => {
  fc.assert(
    fc.property(
      someCases,
      someDefinition,
      fc.integer({ min: 1, max: 9 }),
      ({ cases, zone }, definition, width) => {
        for (const split of splitCases(intervalsOf(cases, zone), definition).splits) {
          const { columns, sizes } = splitRow(split, width);
          assert.equal(columns.length, Math.min(width, cases.length));
          for (const band of bands) assert.equal(sizes[band], split[band].length);
          for (const [column, shown] of columns.entries()) {
            const inside = (band: Band) =>
              split[band].filter((at) => Math.floor((at * columns.length) / cases.length) === column).length;
            if (inside("purged") > 0) assert.equal(shown, "purged");
            else if (inside("embargoed") > 0) assert.equal(shown, "embargoed");
            else assert.equal(inside(shown), Math.max(...bands.map(inside)));
            assert.ok(inside(shown) > 0);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});
