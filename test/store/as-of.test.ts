import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  availableOrder,
  countUpTo,
  entityKeys,
  lastVersion,
  validOrder,
  visibleVersion,
} from "../../src/store/as-of.ts";
import { compareKeyCells } from "../../src/store/overlay.ts";
import { findKey } from "../../src/store/select.ts";
import { type Column, cellOf, keyCells, type Table } from "../../src/store/table.ts";
import { assertEvery } from "../support/all.ts";
import { honest } from "../support/naive-store.ts";
import { type Version, versionsOf } from "../support/naive-versions.ts";
import { momentsOf, randomTables, tableOfRows } from "../support/random-table.ts";

const moments = randomTables.chain((random) =>
  momentsOf(random).map((at) => ({ table: tableOfRows(random.schema, random.rows), at })),
);

/** Each key's versions as plain data, with their numbers in the table. */
function byKey(table: Table): (Version & { readonly index: number })[][] {
  const keys: (Version & { readonly index: number })[][] = [];
  versionsOf(table).forEach((version, index) => {
    const key = table.keyOf[index] as number;
    const own = keys[key] ?? [];
    own.push({ ...version, index });
    keys[key] = own;
  });
  return keys;
}

const indexOf = (versions: readonly (Version & { readonly index: number })[], found: Version | undefined) =>
  versions.find((version) => version === found)?.index ?? -1;

test("the visible version of each key is the naive one, withdrawn and not yet valid ones are not seen", () => {
  const property = fc.property(moments, ({ table, at }) => {
    byKey(table).forEach((versions, key) => {
      const seen = honest(versions, at, table.forward, () => true);
      assert.equal(visibleVersion(table, key, at), indexOf(versions, seen));
      const available = versions.filter((version) => version.available <= at);
      assert.equal(lastVersion(table, key, at), available.at(-1)?.index ?? -1);
    });
  });
  fc.assert(property, { numRuns: 500 });
});

test("the greatest and the next visible row by (valid time, key), at every instant", () => {
  let pairs = 0;
  const property = fc.property(moments, ({ table, at }) => {
    const visible = byKey(table)
      .map((versions) =>
        indexOf(
          versions,
          honest(versions, at, table.forward, () => true),
        ),
      )
      .filter((version) => version >= 0)
      .sort(
        (a, b) =>
          (table.valid[a] as number) - (table.valid[b] as number) ||
          compareKeyCells(keyCells(table, a), keyCells(table, b)),
      );
    const { available, first, second } = availableOrder(table);
    const seen = countUpTo(available, at);
    assert.equal(seen, versionsOf(table).filter((version) => version.available <= at).length);
    if (seen === 0) return;
    assert.equal(first[seen - 1], visible.at(-1) ?? -1);
    assert.equal(second[seen - 1], visible.at(-2) ?? -1);
    if (visible.length > 1) pairs++;
  });
  fc.assert(property, { numRuns: 1000 });
  assert.ok(pairs > 100);
});

test("keys in (valid time, key) order where a key keeps its valid time, none where it moves", () => {
  const kinds = new Set<boolean>();
  const property = fc.property(moments, ({ table }) => {
    const order = validOrder(table);
    const moved = byKey(table).some((versions) => versions.some((one) => one.valid !== versions[0]?.valid));
    kinds.add(moved);
    assert.equal(order === null, moved);
    if (order === null) return;
    assert.deepEqual(
      [...order.keys].sort((a, b) => a - b),
      [...Array(table.keys).keys()],
    );
    const after = (i: number) =>
      (order.valid[i] as number) - (order.valid[i - 1] as number) ||
      (order.keys[i] as number) - (order.keys[i - 1] as number);
    for (let i = 1; i < table.keys; i++) assert.ok(after(i) > 0);
  });
  fc.assert(property, { numRuns: 300 });
  assert.equal(kinds.size, 2);
});

test("each entity's keys, also where a key has no entity", () => {
  let looked = 0;
  const property = fc.property(moments, ({ table }) => {
    const index = entityKeys(table);
    if (index === null) return;
    looked++;
    const own = (key: number) => cellOf(table, table.keyStart[key] as number, table.entity as number) ?? null;
    for (const [name, entity] of index.entityOf) {
      const keys: number[] = [...index.keys.subarray(index.start[entity], index.start[entity + 1])];
      const wanted = [...Array(table.keys).keys()].filter((key) => {
        const cell = own(key);
        return Number.isNaN(name) ? cell === null : cell === (typeof cell === "boolean" ? name === 1 : name);
      });
      assert.deepEqual(keys, wanted);
    }
    assert.equal(index.keys.length, table.keys);
  });
  fc.assert(property, { numRuns: 300 });
  assert.ok(looked > 50);
});

test("a key is found by its cells, and no other is", () => {
  const property = fc.property(moments, ({ table }) => {
    assertEvery(
      Array(table.keys).keys(),
      (key) => findKey(table, keyCells(table, table.keyStart[key] as number)) === key,
    );
    const nowhere = { string: "nowhere", number: 12_345, boolean: true } as const;
    const absent = table.keyColumns.map((column) => nowhere[(table.columns[column] as Column).type]);
    assert.equal(findKey(table, absent), -1);
  });
  fc.assert(property, { numRuns: 200 });
});

test("countUpTo: how many are at or before, within a part", () => {
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 9 })),
    fc.nat(),
    fc.nat(),
    fc.integer({ min: -1, max: 10 }),
    (list, a, b, at) => {
      const sorted = Float64Array.from(list).sort();
      const [from, to] = [a, b]
        .map((n) => (list.length === 0 ? 0 : n % (list.length + 1)))
        .sort((x, y) => x - y) as [number, number];
      assert.equal(
        countUpTo(sorted, at, from, to),
        sorted.subarray(from, to).filter((one) => one <= at).length,
      );
    },
  );
  fc.assert(property);
});
