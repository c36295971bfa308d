import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseInstant } from "../../src/core/instant.ts";
import { isRefusal, noting } from "../../src/core/refusal.ts";
import { ColumnBuilder } from "../../src/store/column-builder.ts";
import { indexTable, type RawTable, rankOf, sortedOrder } from "../../src/store/index-table.ts";
import { rowText } from "../../src/store/table.ts";
import { randomTables, tableOfRows } from "../support/random-table.ts";

const textsOf = (table: ReturnType<typeof tableOfRows>) =>
  Array.from({ length: table.count }, (_, version) => `${table.keyOf[version]} ${rowText(table, version)}`);

test("a table does not depend on the order of its rows, and byte-equal rows are one", () => {
  const cases = randomTables.chain(({ schema, rows }) =>
    fc.record({
      schema: fc.constant(schema),
      rows: fc.constant(rows),
      mixed: fc.shuffledSubarray([...rows, ...rows.slice(0, 5)], {
        minLength: rows.length + Math.min(5, rows.length),
      }),
    }),
  );
  const property = fc.property(cases, ({ schema, rows, mixed }) => {
    const [a, b] = [tableOfRows(schema, rows), tableOfRows(schema, mixed)];
    assert.deepEqual(textsOf(b), textsOf(a));
    assert.deepEqual([...b.keyStart], [...a.keyStart]);
    assert.deepEqual([...(b.retracted ?? [])], [...(a.retracted ?? [])]);
  });
  fc.assert(property, { numRuns: 300 });
});

type Line = {
  readonly key: string;
  readonly x: number | null | undefined;
  readonly valid?: string;
  readonly available: string;
  readonly gone?: boolean;
};

function rawOf(lines: readonly Line[], forward = false): RawTable {
  const [key, x] = [new ColumnBuilder("key", "string", false), new ColumnBuilder("x", "number", false)];
  for (const line of lines) {
    key.push(line.key, "t");
    x.push(line.x, "t");
  }
  const micros = (text: string) => parseInstant(text, "t", "t") as number;
  return {
    name: "t",
    spec: null,
    zone: null,
    forward,
    count: lines.length,
    columns: [key.finish(), x.finish()],
    key: ["key"],
    validColumn: "key",
    endColumn: null,
    availableColumn: null,
    entity: null,
    text: [],
    valid: Float64Array.from(lines, (line) => micros(line.valid ?? "2014-03-01T00:00:00Z")),
    available: Float64Array.from(lines, (line) => micros(line.available)),
    ends: null,
    retracted: lines.some((line) => line.gone)
      ? Uint8Array.from(lines, (line) => Number(line.gone ?? false))
      : null,
    lines: Int32Array.from(lines, (_, i) => i + 2),
    place: "t.csv",
  };
}

const NOON = "2014-03-02T12:00:00Z";
const refusalsOf = (lines: readonly Line[], forward = false) => {
  const { complain, refusals } = noting(10);
  const table = indexTable(rawOf(lines, forward), complain);
  return { table, refusals };
};

test("two rows of one key and one available time are refused by both their lines, unless they are byte-equal", () => {
  const a = { key: "a", x: 1, available: NOON };
  const same = refusalsOf([a, { key: "b", x: 1, available: NOON }, a]);
  assert.deepEqual([same.refusals.length, same.table.count], [0, 2]);
  for (const other of [{ x: 2 }, { x: null }, { x: undefined }, { gone: true }]) {
    const { refusals } = refusalsOf([a, { key: "b", x: 1, available: NOON }, { ...a, ...other }]);
    assert.deepEqual(
      refusals.map((one) => one.message),
      [
        `RowVersionAmbiguous: t.csv:4: t#a: another version with the same available time ${NOON} stands at t.csv:2`,
      ],
    );
  }
  const later = refusalsOf([a, { ...a, x: 2, available: "2014-03-02T12:00:00.000001Z" }]);
  assert.deepEqual([later.refusals.length, later.table.count, later.table.keys], [0, 2, 1]);
});

test("a row available before its valid time is refused by its line, unless the table speaks of the future", () => {
  const early = { key: "a", x: 1, available: "2014-02-28T23:59:59.999999Z" };
  assert.throws(
    () => indexTable(rawOf([{ key: "b", x: 1, available: NOON }, early])),
    (error) =>
      isRefusal(error, "RowAvailableBeforeValid") &&
      error.message.startsWith("RowAvailableBeforeValid: t.csv:3: table t: "),
  );
  assert.equal(indexTable(rawOf([early], true)).count, 1);
  assert.equal(indexTable(rawOf([{ ...early, available: "2014-03-01T00:00:00Z" }])).count, 1);
});

test("rankOf: cells in their order, absent last", () => {
  const cell = fc.option(fc.constantFrom("b", "a", "é", "", "B", "😀"));
  const property = fc.property(
    fc.array(cell, { minLength: 1 }),
    fc.array(fc.option(fc.integer()), { minLength: 1 }),
    (texts, numbers) => {
      for (const [type, cells] of [
        ["string", texts],
        ["number", numbers],
      ] as const) {
        const builder = new ColumnBuilder("c", type, false);
        for (const one of cells) builder.push(one, "t");
        const rank = rankOf(builder.finish(), cells.length);
        for (let i = 1; i < cells.length; i++) {
          const [a, b] = [cells[i - 1] ?? null, cells[i] ?? null];
          const [x, y] = [rank[i - 1] as number, rank[i] as number];
          const wanted = a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;
          assert.equal(x === y ? 0 : x < y ? -1 : 1, wanted);
        }
      }
    },
  );
  fc.assert(property);
});

test("sortedOrder: a stable sort of positions", () => {
  const property = fc.property(fc.array(fc.nat({ max: 5 })), (values) => {
    const order = sortedOrder(
      values.length,
      (a, b) => (values[a] as number) - (values[b] as number) || a - b,
    );
    const wanted = values
      .map((_, i) => i)
      .sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
    assert.deepEqual([...order], wanted);
  });
  fc.assert(property);
});
