/** Random tables as plain rows: few values, so that keys, instants and cells meet; and queries that may fit them. */
import fc from "fast-check";
import type { ColumnType, TableSpec } from "../../src/caseset/table-spec.ts";
import type { Json } from "../../src/core/canonical.ts";
import { digestOfJson } from "../../src/core/digest.ts";
import { addDuration, type Duration, parseDuration } from "../../src/core/duration.ts";
import {
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseInstant,
} from "../../src/core/instant.ts";
import type { Cell } from "../../src/core/row-ref.ts";
import { ColumnBuilder } from "../../src/store/column-builder.ts";
import { indexTable } from "../../src/store/index-table.ts";
import type { Table } from "../../src/store/table.ts";

const HOUR = MICROS_PER_DAY / 24;
/** Two days before the clocks of America/New_York go forward. */
export const START = parseInstant("2014-03-07T05:00:00Z", "test", "start") as Instant;
const ZONE = "America/New_York";

export type Row = {
  readonly valid: Instant;
  readonly available: Instant;
  readonly retracted: boolean;
  readonly cells: Readonly<Record<string, Cell | undefined>>;
};

export type Schema = {
  readonly name: string;
  readonly key: readonly string[];
  readonly entity: string | null;
  readonly text: readonly string[];
  readonly forward: boolean;
  /** Rows are true from `at` until `until`, of which the end may be absent. */
  readonly span: boolean;
  /** Available a fixed delay after the valid time, by rule; else by a column of texts. */
  readonly delay: Duration | null;
};

export type RandomTable = { readonly schema: Schema; readonly rows: readonly Row[] };

const types: Readonly<Record<string, ColumnType>> = {
  at: "string",
  id: "string",
  n: "number",
  released: "string",
  flag: "boolean",
  group: "string",
  rank: "number",
  x: "number",
  "note, #1": "string",
  until: "string",
};
const columnNames = Object.keys(types);
const texts = ["a", "b", "B", "é", "a,b", "😀", "1"];

const keys = [["id"], ["at"], ["id", "at"], ["n"], ["n", "flag"], ["at", "id", "flag"]];
const textColumns = [["note, #1"], ["note, #1", "group"], ["group", "id"], []];
const entities = [null, "id", "group", "rank", "n", "flag"];

const schemas: fc.Arbitrary<Schema> = fc.record({
  name: fc.constantFrom("t", "long name"),
  key: fc.constantFrom(...keys),
  entity: fc.constantFrom(...entities),
  text: fc.constantFrom(...textColumns),
  forward: fc.boolean(),
  span: fc.boolean(),
  delay: fc
    .constantFrom(null, null, "PT0S", "PT6H", "P1D", "P2DT1H")
    .map((text) => (text === null ? null : (parseDuration(text, "test", "delay") as Duration))),
});

const notes = ["", "dry", "wet", 'quo"te\n', "Dry, wet.", "wet wet WET b", "dry 東京 harbour", "a Harbour é"];
const number = fc.constantFrom(-2, 0, 0.1, 0.2, 1, 3, 1.7e308);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const rawRows = fc.record({
  quarter: fc.nat({ max: 20 }),
  lag: fc.constantFrom(0, 0, 1, 6, 24, 25, 48, 100),
  retracted: fc.integer({ min: 0, max: 6 }).map((die) => die === 0),
  hidden: fc.constantFrom<readonly string[]>([], [], ["x"], ["x", "note, #1"], ["group", "rank"], ["until"]),
  id: fc.constantFrom(...texts),
  n: fc.constantFrom(-1, 0, 2, 10),
  flag: fc.boolean(),
  group: maybe(fc.constantFrom("g", "h")),
  rank: maybe(fc.constantFrom(1, 2)),
  x: maybe(number),
  note: maybe(fc.constantFrom(...notes)),
  /** Hours that a row is true for. */
  stay: fc.constantFrom(null, 0, 1, 6, 24, 47, 48, 2400),
});

export const randomTables: fc.Arbitrary<RandomTable> = fc
  .record({
    schema: schemas,
    raw: fc.array(rawRows, { minLength: 1, maxLength: 40 }),
    steady: fc.boolean(),
    whole: fc.boolean(),
  })
  .map(({ schema, raw, steady, whole }) => {
    const taken = new Set<string>();
    const rows: Row[] = [];
    for (const one of raw) {
      // A steady table's valid time and entity follow from the identifier.
      const quarter = steady ? texts.indexOf(one.id) * 3 : one.quarter;
      const valid = instant(START + quarter * 6 * HOUR);
      const back = schema.forward && one.lag === 100 ? -60 : one.lag;
      const available =
        schema.delay === null ? instant(valid + back * HOUR) : addDuration(ZONE, valid, schema.delay);
      const all: Record<string, Cell> = {
        at: formatInstant(valid),
        id: one.id,
        n: steady ? quarter : one.n,
        released: formatInstant(available),
        flag: one.flag,
        group: !steady ? one.group : one.id === "b" ? null : one.id.toUpperCase(),
        rank: !steady ? one.rank : one.id === "b" ? null : quarter % 2,
        x: one.x,
        "note, #1": one.note,
        until: one.stay === null ? null : formatInstant(valid + one.stay * HOUR),
      };
      const hidden = whole ? [] : one.hidden.filter((name) => !schema.key.includes(name));
      const cells = Object.fromEntries(
        Object.entries(all).map(([name, cell]) => [name, hidden.includes(name) ? undefined : cell]),
      );
      const name = JSON.stringify([schema.key.map((column) => all[column]), available]);
      if (taken.has(name)) continue;
      taken.add(name);
      rows.push({ valid, available, retracted: one.retracted, cells });
    }
    return { schema, rows };
  });

const specOf = (schema: Schema): TableSpec => ({
  name: schema.name,
  place: "caseset.yaml:5",
  rows: { file: "t.csv" },
  key: schema.key,
  validColumn: "at",
  endColumn: schema.span ? "until" : null,
  zone: ZONE,
  available:
    schema.delay === null
      ? { kind: "column", column: "released", zone: null }
      : { kind: "after", delay: schema.delay },
  columns: new Map(Object.entries(types)),
  entity: schema.entity,
  text: schema.text,
  forward: schema.forward,
  onDisk: {
    rows: { file: "t.csv" },
    key: [...schema.key],
    valid_time: schema.span ? { from: "at", to: "until" } : { column: "at" },
  },
});

/** By its cell alone: where that is hidden, nobody knows of an end. */
const endOf = ({ cells: { until } }: Row): number =>
  typeof until === "string" ? (parseInstant(until, "test", "until") as number) : Number.POSITIVE_INFINITY;

/** Indexes rows as a loader would; the types are the schema's, so that fewer rows make the same columns. */
export function tableOfRows(schema: Schema, rows: readonly Row[]): Table {
  const builders = columnNames.map((name) => new ColumnBuilder(name, types[name] as ColumnType, false));
  for (const row of rows) {
    for (const builder of builders) builder.push(row.cells[builder.name], "test");
  }
  return indexTable({
    name: schema.name,
    spec: specOf(schema),
    zone: ZONE,
    forward: schema.forward,
    count: rows.length,
    columns: builders.map((builder) => builder.finish()),
    key: schema.key,
    validColumn: "at",
    endColumn: schema.span ? "until" : null,
    availableColumn: schema.delay === null ? "released" : null,
    entity: schema.entity,
    text: schema.text,
    valid: Float64Array.from(rows, (row) => row.valid),
    available: Float64Array.from(rows, (row) => row.available),
    ends: schema.span ? Float64Array.from(rows, endOf) : null,
    retracted: rows.some((row) => row.retracted)
      ? Uint8Array.from(rows, (row) => Number(row.retracted))
      : null,
    lines: null,
    place: "t.csv",
    digest: digestOfJson(schema.name),
  });
}

/** An instant at, just before or just after one at which something happened. */
export const momentsOf = ({ rows }: RandomTable): fc.Arbitrary<Instant> =>
  fc
    .tuple(fc.constantFrom(...rows), fc.boolean(), fc.constantFrom(0, 0, 0, -1, 1, MICROS_PER_DAY))
    .map(([row, late, shift]) => instant((late ? row.available : row.valid) + shift));

const cellsOf: Readonly<Record<ColumnType, readonly Cell[]>> = {
  string: [...texts, "g", "wet", "", "nowhere", null],
  number: [-1, -2, 0, 1, 2, 3, 6, 10, 0.1, 77, null],
  boolean: [true, false, null],
};

function filtersOf(table: RandomTable): fc.Arbitrary<Json> {
  const wanted = (name: string): fc.Arbitrary<Json> => {
    const known = table.rows.map((row) => row.cells[name] ?? null);
    const cell = fc.constantFrom(...known, ...known, ...(cellsOf[types[name] as ColumnType] as Cell[]));
    return fc.oneof(
      { weight: 3, arbitrary: cell },
      { weight: 1, arbitrary: fc.array(cell, { maxLength: 4 }) },
    );
  };
  const some = fc
    .subarray(columnNames, { maxLength: 2 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, wanted(name)]))));
  const whole = fc.record(Object.fromEntries(table.schema.key.map((name) => [name, wanted(name)])));
  const rowKey = fc
    .constantFrom(...table.rows)
    .map((row) => Object.fromEntries(table.schema.key.map((name) => [name, row.cells[name] ?? null])));
  const entity =
    table.schema.entity === null ? some : fc.record({ [table.schema.entity]: wanted(table.schema.entity) });
  return fc.oneof(some, whole, rowKey, entity) as fc.Arbitrary<Json>;
}

export const queries = [
  "dry",
  "wet",
  "Wet",
  "harbour",
  "a",
  "b",
  "é",
  "quo",
  "te",
  "東",
  "g",
  "h",
  "1",
  "nowhere",
  "—",
];

export type Call = { readonly tool: "rows" | "aggregate" | "search" | "members"; readonly args: Json };

export function callsOf(table: RandomTable): fc.Arbitrary<Call> {
  const bound = momentsOf(table).map((at) => formatInstant(at));
  const names = fc.constantFrom(...columnNames);
  const shared = {
    where: filtersOf(table),
    since: bound,
    until: bound,
  };
  const required = { table: fc.constant(table.schema.name) };
  const rows = fc.record(
    {
      ...required,
      ...shared,
      order: fc.array(
        fc.tuple(fc.boolean(), names).map(([down, name]) => (down ? `-${name}` : name)),
        { maxLength: 3 },
      ),
      offset: fc.nat({ max: 8 }),
      limit: fc.integer({ min: 1, max: 8 }),
      latest: fc.boolean(),
    },
    { requiredKeys: ["table"] },
  );
  const snapshot = fc.record(
    { ...required, latest: fc.constant(true), where: shared.where, limit: fc.constantFrom(2, 100) },
    { requiredKeys: ["table", "latest"] },
  );
  const aggregate = fc.record(
    {
      ...required,
      ...shared,
      measure: fc.constantFrom("count", "sum", "mean", "min", "max"),
      column: fc.oneof({ weight: 3, arbitrary: fc.constant("x") }, { weight: 2, arbitrary: names }),
      by: fc.array(names, { maxLength: 2 }),
    },
    { requiredKeys: ["table", "measure"] },
  );
  const search = fc.record(
    {
      query: fc
        .array(fc.constantFrom(...queries), { minLength: 1, maxLength: 4 })
        .map((all) => all.join(" ")),
      k: fc.integer({ min: 1, max: 4 }),
      tables: fc.constant([table.schema.name]),
    },
    { requiredKeys: ["query"] },
  );
  const members = fc.record(
    { ...required, at: bound, offset: fc.nat({ max: 3 }), limit: fc.constantFrom(1, 2, 100) },
    { requiredKeys: ["table"] },
  );
  return fc.oneof(
    { weight: 3, arbitrary: members.map((args) => ({ tool: "members" as const, args: args as Json })) },
    { weight: 3, arbitrary: rows.map((args) => ({ tool: "rows" as const, args: args as Json })) },
    { weight: 1, arbitrary: snapshot.map((args) => ({ tool: "rows" as const, args: args as Json })) },
    { weight: 2, arbitrary: aggregate.map((args) => ({ tool: "aggregate" as const, args: args as Json })) },
    { weight: 3, arbitrary: search.map((args) => ({ tool: "search" as const, args: args as Json })) },
  );
}

/** A table, an instant and some calls. */
export type Scene = {
  readonly table: RandomTable;
  readonly horizon: Instant;
  readonly calls: readonly Call[];
};

export const scenes: fc.Arbitrary<Scene> = randomTables.chain((table) =>
  fc.record({
    table: fc.constant(table),
    horizon: momentsOf(table),
    calls: fc.array(callsOf(table), { minLength: 4, maxLength: 8 }),
  }),
);
