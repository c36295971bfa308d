/** What the built-in readers read: one table, one event over its rows, page by page, never truncated. */

import type { CaseSet } from "../../caseset/load.ts";
import type { ColumnType } from "../../caseset/table-spec.ts";
import type { Json } from "../../core/canonical.ts";
import { type Event, happened, parseEvent } from "../../core/expression.ts";
import { formatInstant, type Instant, parseInstant } from "../../core/instant.ts";
import { limits } from "../../core/limits.ts";
import { localDay, parseWall } from "../../core/local-time.ts";
import { type Place, refuse } from "../../core/refusal.ts";
import type { Store } from "../../store/door.ts";
import type { Column } from "../../store/table.ts";
import type { ServedRow, ToolAnswer, Tools } from "../reader.ts";

export type TableReads = {
  readonly table: string;
  readonly event: Event;
  readonly validColumn: string;
  readonly zone: string;
  /** The table holds statements about times after they were made. */
  readonly forward: boolean;
};

/** A table as a reader must know it, and a run keeps it: its columns with their types as they were read. */
export type KnownTable = {
  readonly zone: string | null;
  readonly forward: boolean;
  readonly valid_column: string;
  readonly columns: { readonly [name: string]: ColumnType };
  /** Columns that are searched; absent: its rows are no documents. */
  readonly text?: readonly string[];
};

/** What the built-in readers need to know of a case set. */
export type ReaderContext = {
  readonly zone: string;
  readonly tables: ReadonlyMap<string, KnownTable>;
  readonly readers: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  readonly placeOf: (pointer: string) => Place;
};

export function readerContext(set: CaseSet, store: Store): ReaderContext {
  const tables = new Map(Object.entries(knownTables(store)));
  return { zone: set.zone, tables, readers: set.readers, placeOf: set.placeOf };
}

export function knownTables(store: Store): { readonly [table: string]: KnownTable } {
  return Object.fromEntries(
    [...store.tables.values()].map(({ name, zone, forward, columns, validColumn, text }) => {
      const types = Object.fromEntries(columns.map((column) => [column.name, column.type]));
      const nameOf = (column: number) => (columns[column] as Column).name;
      const known = { zone, forward, valid_column: nameOf(validColumn), columns: types };
      return [name, text.length === 0 ? known : { ...known, text: text.map(nameOf) }];
    }),
  );
}

/** `readers: {climatology: {table: weather, event: "precipitation > 0"}}`, overridden by `--param`. */
export function tableReads(
  reader: string,
  context: ReaderContext,
  params: Readonly<Record<string, string>>,
): TableReads {
  const place = context.placeOf(`/readers/${reader}`);
  const declared = { ...context.readers[reader], ...params };
  const missing = ["table", "event"].find((key) => declared[key] === undefined);
  if (missing !== undefined)
    refuse("KeyMissing", { place, key: `readers.${reader}.${missing}`, present: Object.keys(declared) });
  const name = String(declared["table"]);
  const spec = context.tables.get(name);
  if (spec === undefined) refuse("TableUnknown", { place, found: name, known: [...context.tables.keys()] });
  const event = parseEvent(String(declared["event"]), place, `readers.${reader}.event`) as Event;
  const type = new Map(Object.entries(spec.columns)).get(event.column);
  if (type === undefined)
    return refuse("ColumnUnknown", { place, column: event.column, known: Object.keys(spec.columns) });
  if (type !== typeof event.literal)
    refuse("FieldInvalid", {
      place,
      field: `readers.${reader}.event`,
      found: `${event.text}, whose literal is a ${typeof event.literal}`,
      expected: `a ${type}, as column ${event.column} is`,
    });
  const { valid_column: validColumn, forward } = spec;
  return { table: name, event, validColumn, zone: spec.zone ?? context.zone, forward };
}

/** A served row's local day, and whether the event happened on it (undefined where its cell is absent). */
export function dayAndState(row: ServedRow, reads: TableReads): { day: number; state: boolean | undefined } {
  const cell = row.body[reads.validColumn];
  const wall = parseWall(String(cell));
  const day =
    wall === undefined
      ? localDay(reads.zone, parseInstant(cell, row.ref, reads.validColumn) as Instant)
      : Math.floor(wall / 86_400_000_000);
  return { day, state: happened(reads.event, row.body[reads.event.column]) };
}

/** The first visible row by valid time and key, if there is one. */
export async function firstRow(reads: TableReads, tools: Tools): Promise<ServedRow | undefined> {
  return rowsOf(await tools.call("rows", { table: reads.table, limit: 1 }))[0];
}

/** The visible row of greatest (valid time, key), of a table that has one: by pages to the last. */
export async function lastRow(reads: TableReads, tools: Tools): Promise<ServedRow | undefined> {
  const head = await tools.call("rows", { table: reads.table, limit: 1 });
  const total = head.ok ? (head.total ?? 1) : 1;
  return rowsOf(await tools.call("rows", { table: reads.table, limit: 1, offset: total - 1 }))[0];
}

/** All visible rows of a span of valid time, or of all time. */
export async function allRows(
  reads: TableReads,
  tools: Tools,
  span: { since: Instant; until: Instant } | null,
): Promise<ServedRow[]> {
  const rows: ServedRow[] = [];
  for (;;) {
    const bounds: Json =
      span === null ? {} : { since: formatInstant(span.since), until: formatInstant(span.until) };
    const answer = await tools.call("rows", {
      table: reads.table,
      ...bounds,
      limit: limits.replyRows,
      ...(rows.length === 0 ? {} : { offset: rows.length }),
    });
    const page = rowsOf(answer);
    for (const row of page) rows.push(row);
    if (!(answer.ok && answer.truncated) || page.length === 0) return rows;
  }
}

function rowsOf(answer: ToolAnswer): readonly ServedRow[] {
  if (answer.ok) return answer.rows ?? [];
  throw new ToolFault(answer.fault.message);
}

/** A tool refused a built-in reader's call: the attempt is a fault, the run goes on. */
export class ToolFault extends Error {}
