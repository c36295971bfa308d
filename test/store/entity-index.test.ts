import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AliasTable, type EntityIndex, entityFinder } from "../../src/caseset/entity-names.ts";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Cell } from "../../src/core/row-ref.ts";
import { ColumnBuilder } from "../../src/store/column-builder.ts";
import { createStore } from "../../src/store/door.ts";
import { entityIndex } from "../../src/store/entity-index.ts";
import { indexTable } from "../../src/store/index-table.ts";
import type { Table } from "../../src/store/table.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";

/** One version: which key, from when on it can be known, whether it withdraws, its cells (absent: not yet available). */
type Row = {
  readonly key: number;
  readonly day: number;
  readonly gone?: boolean;
  readonly line?: Cell | undefined;
  readonly note?: Cell | undefined;
};
type Kind = { readonly entity?: "line" | null; readonly text?: readonly string[] };

const at = (day: number) =>
  parseInstant(`2031-05-${String(day).padStart(2, "0")}T00:00:00Z`, "t", "t") as Instant;
const since = (day: number) => formatInstant(at(day));

function tableOf(name: string, rows: readonly Row[], { entity = "line", text = ["note"] }: Kind = {}): Table {
  const types = { key: "number", line: "string", note: "string" } as const;
  const builders = Object.entries(types).map(([column, type]) => new ColumnBuilder(column, type, false));
  for (const row of rows)
    for (const each of builders) each.push(row[each.name as keyof typeof types] as Cell, "t");
  return indexTable({
    name,
    spec: null,
    zone: null,
    forward: true,
    count: rows.length,
    columns: builders.map((builder) => builder.finish()),
    key: ["key"],
    validColumn: "key",
    endColumn: null,
    availableColumn: null,
    entity,
    text,
    valid: Float64Array.from(rows, () => 0),
    available: Float64Array.from(rows, ({ day }) => at(day)),
    ends: null,
    retracted: Uint8Array.from(rows, ({ gone }) => Number(gone ?? false)),
    lines: null,
    place: `${name}.csv`,
  });
}

const aliasTable: AliasTable = { table: "names", name: "line", alias: "note", place: "caseset.yaml:9:3" };
const indexOf = (tables: readonly Table[], aliases: AliasTable | null = null) =>
  entityIndex(createStore(tables), aliases);
const firsts = (index: EntityIndex) =>
  Object.fromEntries(index.map(({ name, first_available }) => [name, first_available]));

test("entityIndex: the least available time of a row with it in its entity column, whatever a text says", () => {
  const trains = tableOf("trains", [
    { key: 1, day: 9, line: "Harbour Line", note: null },
    { key: 2, day: 5, line: "Red Line", note: "A second harbour line, Harbour Line II, is planned" },
    { key: 3, day: 8, line: "Harbour Line II", note: null },
    { key: 4, day: 7, line: "Ford", note: "They ford the river; Harbour Line." },
    { key: 5, day: 3, line: "Red Line", note: "It may afford a Fordist line" },
  ]);
  assert.deepEqual(firsts(indexOf([trains])), {
    Ford: since(7),
    "Harbour Line": since(9),
    "Harbour Line II": since(8),
    "Red Line": since(3),
  });
  const untold = tableOf(
    "trains",
    [
      { key: 1, day: 9, line: "A", note: "B" },
      { key: 2, day: 3, line: "B", note: "A" },
    ],
    { text: [] },
  );
  assert.deepEqual(
    firsts(indexOf([untold])),
    { A: since(9), B: since(3) },
    "no text column: notes are not read",
  );
});

test("entityIndex: a version that withdraws a row names nobody, what it withdraws did; a hidden cell names nobody yet", () => {
  const rows: Row[] = [
    { key: 1, day: 2, gone: true, line: "A", note: "B" },
    { key: 2, day: 4, line: "A", note: "B" },
    { key: 2, day: 6, gone: true, line: "A", note: "B" },
    { key: 3, day: 5, note: "A" },
    { key: 3, day: 8, line: "B", note: "A" },
    { key: 4, day: 9, line: "C" },
  ];
  assert.deepEqual(firsts(indexOf([tableOf("t", rows)])), { A: since(4), B: since(8), C: since(9) });
  const hidden = indexOf([
    tableOf("t", [
      { key: 1, day: 1 },
      { key: 1, day: 3, line: "A", note: "" },
    ]),
  ]);
  assert.deepEqual(firsts(hidden), { A: since(3) });
});

test("entityIndex: aliases of a declared table; its own rows date nobody unless it has an entity column", () => {
  const names: Row[] = [
    { key: 1, day: 1, line: "Harbour Line II", note: "HL2" },
    { key: 2, day: 1, line: "Harbour Line II", note: "New Line" },
    { key: 3, day: 1, line: "Harbour Line II", note: "Harbour Line II" },
    { key: 4, day: 1, line: "Night Line", note: "NL" },
    { key: 5, day: 1, line: "Night Line", note: null },
    { key: 6, day: 1, line: null, note: "Nobody" },
  ];
  const trains = tableOf("trains", [
    { key: 1, day: 9, line: "hl2", note: null },
    { key: 2, day: 8, line: "Red Line", note: "The New Line is late, and so is NL" },
  ]);
  const own = tableOf("names", names, { entity: null, text: ["note"] });
  assert.deepEqual(indexOf([trains, own], aliasTable), [
    { name: "Harbour Line II", aliases: ["HL2", "New Line"], first_available: since(9) },
    { name: "Night Line", aliases: ["NL"], first_available: since(8) },
    { name: "Red Line", aliases: [], first_available: since(8) },
  ]);
  const dated = indexOf([trains, tableOf("names", names.slice(0, 5), { text: [] })], aliasTable);
  assert.deepEqual(firsts(dated), {
    "Harbour Line II": since(1),
    "Night Line": since(1),
    "Red Line": since(8),
  });
});

test("entityIndex: without entity columns and aliases nobody is known; an empty text, a number names nobody", () => {
  assert.deepEqual(indexOf([tableOf("t", [{ key: 1, day: 1, line: "A", note: "A" }], { entity: null })]), []);
  assert.deepEqual(indexOf([tableOf("t", [{ key: 1, day: 1, line: "", note: "A" }])]), []);
  const { columns, ...rest } = tableOf("t", [{ key: 7, day: 1, line: "A", note: "7" }]);
  assert.deepEqual(indexOf([{ ...rest, columns, entity: 0 }]), []);
});

test("entityIndex: a column that the alias table lacks or that holds no texts is refused, and so is too long a name", () => {
  const names = tableOf("names", [{ key: 1, day: 1, line: "A", note: "B" }], { entity: null });
  const unknown = refused("ColumnUnknown", () => indexOf([names], { ...aliasTable, alias: "other" }));
  assert.equal(
    unknown.message,
    "ColumnUnknown: caseset.yaml:9:3: column other: not in the table; it has key, line, note",
  );
  const numbers = refused("FieldInvalid", () => indexOf([names], { ...aliasTable, name: "key" }));
  assert.match(
    numbers.message,
    /caseset\.yaml:9:3: entities\.name: .*key, a column of numbers.*a column of strings/,
  );
  assert.equal(indexOf([names], aliasTable).length, 1);
  const long = (length: number) => tableOf("t", [{ key: 1, day: 1, line: "x".repeat(length), note: null }]);
  refused("LimitExceeded", () => indexOf([long(limits.entityCharacters + 1)]));
  assert.equal(indexOf([long(limits.entityCharacters)]).length, 1);
});

const phrase = fc.constantFrom(
  "A",
  "B",
  "a",
  "A B",
  "B two",
  "The A",
  "it may",
  "May",
  "C",
  "",
  null,
  undefined,
);
const rows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    key: fc.nat({ max: 3 }),
    day: fc.integer({ min: 1, max: 28 }),
    gone: fc.boolean(),
    line: phrase,
    note: phrase,
  }),
  { selector: ({ key, day }) => `${key} ${day}`, maxLength: 12 },
);

test("entityIndex: as a naive scan has it, every entity against every version", () => {
  const kinds: readonly Kind[] = [{}, { entity: null }, { text: [] }, { text: ["note", "line"] }];
  let dated = 0;
  const property = fc.property(
    rows,
    rows,
    fc.constantFrom(...kinds),
    fc.boolean(),
    fc.boolean(),
    (some, others, kind, withAliases, ownEntity) => {
      const aliases = withAliases ? aliasTable : null;
      const ownKind: Kind = ownEntity ? {} : { entity: null };
      const tables = [tableOf("t", some, kind), tableOf("names", others, ownKind)];
      const index = indexOf(tables, aliases);
      const scanned = [
        { list: some, kind, isAlias: false },
        { list: others, kind: ownKind, isAlias: withAliases },
      ]
        .filter((one) => !one.isAlias || one.kind.entity !== null)
        .map((one) => ({ ...one, entity: one.kind.entity !== null, text: one.kind.text ?? ["note"] }));
      const gives = withAliases ? others.filter(({ gone, line }) => !gone && line) : [];
      const declared = new Set(gives.map(({ line }) => String(line)));
      const aliasesOf = (name: string) =>
        gives
          .filter(({ line, note }) => line === name && note && note !== name)
          .map(({ note }) => String(note));
      const fold = (text: string) => text.toLowerCase();
      const meant = (cell: string) => {
        const names = [...declared].filter((name) =>
          aliasesOf(name).some((alias) => fold(alias) === fold(cell)),
        );
        return declared.has(cell) || names.length === 0 ? [cell] : names;
      };
      const live = scanned.flatMap(({ list, entity, text }) =>
        list.filter(({ gone }) => !gone).map((row) => ({ ...row, entity, text })),
      );
      const cells = live.filter(({ entity, line }) => entity && line).map(({ line }) => String(line));
      const names = [...new Set([...declared, ...cells.flatMap(meant)])].sort();
      const bare = names.map((name) => ({
        name,
        aliases: [...new Set(aliasesOf(name))].sort(),
        first_available: null,
      }));
      const find = entityFinder(bare);
      const wanted = bare.map(({ name, aliases: own }) => {
        const having = live.filter((row) => row.entity && row.line && meant(String(row.line)).includes(name));
        const told = live.filter((row) =>
          row.text.some((column) =>
            find(String(row[column as "note"] ?? "")).some((one) => [one.name, ...one.shared].includes(name)),
          ),
        );
        const days = (having.length > 0 ? having : told).map(({ day }) => day);
        return { name, aliases: own, first_available: days.length === 0 ? null : since(Math.min(...days)) };
      });
      dated += wanted.filter(({ first_available }) => first_available !== null).length;
      assert.deepEqual(index, wanted);
    },
  );
  fc.assert(property, { numRuns: 400 });
  assert.ok(dated > 400, "entities were dated at all");
});

test("entityIndex: the order of tables and of rows is nothing", () => {
  const property = fc.property(rows, rows, (some, others) => {
    const tables = [tableOf("t", some), tableOf("names", others)];
    const turned = [tableOf("names", [...others].reverse()), tableOf("t", [...some].reverse())];
    assert.deepEqual(indexOf(turned, aliasTable), indexOf(tables, aliasTable));
  });
  fc.assert(property);
});

test("entityIndex: names in order, so that its text is one that is read again", () => {
  const index = indexOf([
    tableOf(
      "t",
      ["b", "B", "é", "a", "😀"].map((line, i) => ({ key: i, day: 1, line, note: null })),
    ),
  ]);
  assert.equal(index.length, 5);
  assertEvery(index, ({ name }, i) => i === 0 || (index[i - 1]?.name as string) < name);
});
