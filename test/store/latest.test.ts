import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { type Instant, instant, MICROS_PER_DAY, parseInstant } from "../../src/core/instant.ts";
import { type Cell, rowRef } from "../../src/core/row-ref.ts";
import { latestIndex } from "../../src/store/as-of.ts";
import { createStore, replyText } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import { findKey } from "../../src/store/select.ts";
import { servedRowText } from "../../src/store/table.ts";
import { honest, naiveStore } from "../support/naive-store.ts";
import { type Row, randomTables, type Schema, tableOfRows } from "../support/random-table.ts";

test("a snapshot at each instant at which anything happened is the naive one, whole and of one entity", () => {
  const indexed = new Set<boolean>();
  const property = fc.property(randomTables, ({ schema, rows }) => {
    const table = tableOfRows(schema, rows);
    indexed.add(latestIndex(table) !== null);
    const instants = new Set(rows.flatMap(({ available, valid }) => [available - 1, available, valid]));
    const one = schema.entity === null ? {} : { [schema.entity]: rows[0]?.cells[schema.entity] ?? null };
    for (const at of instants) {
      const request = {
        caseId: "c",
        horizon: instant(at),
        tables: [schema.name],
        overlay: null,
        subject: "test",
      };
      const doors = [createStore([table]), naiveStore([table], () => honest)].map((store) =>
        store.open(request),
      );
      for (const where of [{}, one]) {
        const [ours, naive] = doors.map((door) =>
          replyText(door.call("rows", { table: schema.name, latest: true, where })),
        );
        assert.equal(ours, naive);
      }
    }
  });
  fc.assert(property, { numRuns: 300 });
  assert.equal(indexed.size, 2);
});

const day = (n: number): Instant =>
  instant((parseInstant("2014-03-01T00:00:00Z", "t", "t") as number) + n * MICROS_PER_DAY);
const schema: Schema = {
  name: "t",
  key: ["n"],
  entity: "group",
  text: [],
  forward: false,
  span: false,
  delay: null,
};

/** A row of key `n`, entity `group`, true since day `valid`, known since day `available`. */
const row = (
  n: number,
  group: string | null,
  valid: number,
  available: number,
  more: Record<string, Cell> = {},
  retracted = false,
): Row => ({
  valid: day(valid),
  available: day(available),
  retracted,
  cells: {
    at: `${valid}`,
    released: `${available}`,
    id: "",
    n,
    flag: null,
    group,
    rank: null,
    x: null,
    "note, #1": null,
    until: null,
    ...more,
  },
});

function snapshot(
  rows: readonly Row[],
  at: number,
  args: { readonly [name: string]: Json } = {},
  of: Schema = schema,
): number[] {
  const door = createStore([tableOfRows(of, rows)]).open({
    caseId: "c",
    horizon: day(at),
    tables: ["t"],
    overlay: null,
    subject: "test",
  });
  const reply = JSON.parse(replyText(door.call("rows", { table: "t", latest: true, ...args }))) as {
    rows: { body: { n: number } }[];
  };
  return reply.rows.map(({ body }) => body.n);
}

test("per entity the visible row of greatest valid time, of equal ones the greatest key; by (entity, key)", () => {
  const rows = [
    row(1, "b", 1, 1),
    row(2, "b", 2, 3),
    row(3, "a", 1, 1),
    row(4, "a", 1, 2),
    row(5, "c", 9, 9),
  ];
  assert.deepEqual(snapshot(rows, 0), []);
  assert.deepEqual(snapshot(rows, 1), [3, 1]);
  assert.deepEqual(snapshot(rows, 2), [4, 1]);
  assert.deepEqual(snapshot(rows, 3), [4, 2]);
  assert.deepEqual(snapshot(rows, 9), [4, 2, 5]);
});

test("a row that is withdrawn, or whose valid time moves back, gives way to the one before it", () => {
  const withdrawn = [row(1, "a", 1, 1), row(2, "a", 2, 2), row(2, "a", 2, 4, {}, true)];
  assert.deepEqual(
    [1, 2, 3, 4].map((at) => snapshot(withdrawn, at)),
    [[1], [2], [2], [1]],
  );
  const moved = [row(1, "a", 2, 2), row(2, "a", 3, 3), row(2, "a", 1, 4)];
  assert.deepEqual(
    [2, 3, 4].map((at) => snapshot(moved, at)),
    [[1], [2], [1]],
  );
  const changed = [row(1, "a", 1, 1), row(2, "a", 2, 2), row(2, "b", 2, 4)];
  assert.deepEqual(
    [2, 4].map((at) => snapshot(changed, at)),
    [[2], [1, 2]],
  );
});

test("`where` filters after: a snapshot is never an older row that fits, also where it names the whole key", () => {
  const rows = [row(1, "a", 1, 1, { x: 5 }), row(2, "a", 2, 2, { x: 7 })];
  assert.deepEqual(snapshot(rows, 1, { where: { x: 5 } }), [1]);
  assert.deepEqual(snapshot(rows, 2, { where: { x: 5 } }), []);
  assert.deepEqual(snapshot(rows, 2, { where: { n: 1 } }), []);
  assert.deepEqual(snapshot(rows, 2, { where: { n: 2 } }), [2]);
  assert.deepEqual(snapshot(rows, 2, { where: { n: 1 }, latest: false }), [1]);
});

test("`since` and `until` bound before the latest is taken", () => {
  const rows = [row(1, "a", 1, 1), row(2, "a", 2, 2), row(3, "b", 2, 2)];
  assert.deepEqual(snapshot(rows, 5, { until: "2014-03-02T00:00:00Z" }), [1]);
  assert.deepEqual(snapshot(rows, 5, { since: "2014-03-03T00:00:00Z" }), [2, 3]);
});

test("a table without entities is one entity; rows without an entity are one, and stand last", () => {
  const rows = [row(1, "b", 1, 1), row(2, null, 1, 1), row(3, null, 2, 2), row(4, "a", 1, 1)];
  assert.deepEqual(snapshot(rows, 2), [4, 1, 3]);
  assert.deepEqual(snapshot(rows, 2, { where: { group: null } }), [3]);
  assert.deepEqual(snapshot(rows, 2, {}, { ...schema, entity: null }), [3]);
  const ranked = [
    row(1, "", 1, 1, { rank: 2 }),
    row(2, "", 1, 1),
    row(3, "", 2, 2),
    row(4, "", 1, 1, { rank: 1 }),
    row(5, "", 3, 3, { rank: 2 }),
  ];
  assert.deepEqual(snapshot(ranked, 3, {}, { ...schema, entity: "rank" }), [4, 5, 3]);
});

test("a visible plant in the place of an entity's best row: worse, better, of another entity, of a new one", () => {
  const table = tableOfRows(schema, [row(1, "a", 1, 1), row(2, "a", 5, 5), row(3, "b", 3, 3)]);
  const at = day(10);
  const planted = (n: number, group: string, valid: number): PlantedRow => {
    const cells = table.columns.map(({ name }) => row(n, group, valid, 9).cells[name] ?? null);
    const ref = rowRef("t", [n]);
    const text = servedRowText(ref, day(9), table, (column) => cells[column]);
    const key = [n];
    return {
      table: "t",
      kind: "revision",
      keyId: findKey(table, key),
      key,
      valid: day(valid),
      end: Number.POSITIVE_INFINITY,
      available: day(9),
      cells,
      ref,
      text,
      digest: "",
    };
  };
  const situations = {
    "the best, now earlier than the next": [planted(2, "a", 0)],
    "the best, now later": [planted(2, "a", 7)],
    "the best, now of another entity": [planted(2, "b", 5)],
    "another row, now the best": [planted(1, "a", 8)],
    "an entity of its own": [planted(9, "c", 4)],
    "two at once": [planted(2, "a", 0), planted(9, "b", 6)],
  };
  const replies = Object.entries(situations).map(([name, rows]) => {
    const request = {
      caseId: "c",
      horizon: at,
      tables: ["t"],
      overlay: { view: "probe" as const, rows },
      subject: "test",
    };
    for (const where of [{}, { group: "a" }, { group: "b" }, { group: "c" }]) {
      const [ours, naive] = [createStore([table]), naiveStore([table], () => honest)].map((store) =>
        replyText(store.open(request).call("rows", { table: "t", latest: true, where })),
      );
      assert.equal(ours, naive, `${name}, ${JSON.stringify(where)}`);
    }
    return replyText(createStore([table]).open(request).call("rows", { table: "t", latest: true }));
  });
  assert.equal(new Set(replies).size, replies.length, "each situation has an answer of its own");
});
