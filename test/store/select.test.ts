/** The order of selected rows: whatever stands in it, in its reverse, or so but for a few at the end, comes out as sorted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sortedBy } from "../../src/store/select.ts";

const ascending = (a: number, b: number) => a - b;
const distinct = fc.uniqueArray(fc.integer({ min: -50, max: 1000 }), { maxLength: 40 });

test("sortedBy: what sorting gives, for rows in order, in reverse, with others at the end, and in any order; its argument stays", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      distinct,
      fc.constantFrom("rising", "falling", "any"),
      fc.nat({ max: 6 }),
      fc.boolean(),
      (numbers, stand, late, descending) => {
        const compare = descending ? (a: number, b: number) => ascending(b, a) : ascending;
        const head = numbers.slice(0, Math.max(0, numbers.length - late));
        const tail = numbers.slice(head.length);
        if (stand !== "any") head.sort(stand === "rising" ? ascending : (a, b) => ascending(b, a));
        const rows = Int32Array.from([...head, ...tail]);
        const before = [...rows];
        assert.deepEqual([...sortedBy(rows, compare)], [...numbers].sort(compare));
        assert.deepEqual([...rows], before);
        seen.add(`${stand} ${tail.length > 0} ${descending}`);
      },
    ),
    { numRuns: 2000 },
  );
  assert.equal(seen.size, 12);
});

test("sortedBy: one comparison a row where they stand in order or in reverse, and no copy of what is in order", () => {
  const rows = Int32Array.from({ length: 1000 }, (_, i) => i);
  const counted = (of: Int32Array) => {
    let calls = 0;
    const sorted = sortedBy(of, (a, b) => {
      calls++;
      return a - b;
    });
    assert.deepEqual(sorted, rows);
    return calls;
  };
  assert.equal(sortedBy(rows, ascending), rows);
  assert.ok(counted(rows) <= 1001);
  assert.ok(counted(rows.slice().reverse()) <= 1001);
  assert.ok(
    counted(Int32Array.of(...rows.subarray(3).slice().reverse(), 1, 0, 2)) <= 2010,
    "a few planted at the end",
  );
});
