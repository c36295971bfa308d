import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rowRef } from "../../src/core/row-ref.ts";

test("rowRef: table#k1,k2", () => {
  assert.equal(rowRef("weather", ["2014-05-31"]), "weather#2014-05-31");
  assert.equal(rowRef("prices", ["ACME", "2014-06-02"]), "prices#ACME,2014-06-02");
  assert.equal(rowRef("t", ["a,b", "c#d", "50%"]), "t#a%2Cb,c%23d,50%25");
  assert.equal(rowRef("t", [1.5, true, null]), "t#1.5,true,null");
});

test("rowRef: two tables or two keys of texts never share a reference, and it can be taken apart", () => {
  const text = fc.string({ unit: fc.constantFrom("a", ",", "#", "%", "2", "C", "é"), maxLength: 6 });
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (table, key) => {
      const [head, tail, ...more] = rowRef(table, key).split("#") as [string, string];
      assert.equal(more.length, 0);
      assert.equal(decodeURIComponent(head), table);
      assert.deepEqual(tail.split(",").map(decodeURIComponent), key);
    }),
    { numRuns: 1000 },
  );
});
