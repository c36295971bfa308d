/** Tables in memory: columns of row versions, sorted by key and then by the instant at which each became available. */
import type { ColumnType, TableSpec } from "../caseset/table-spec.ts";
import { canonical } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Place } from "../core/refusal.ts";
import { type Cell, rowRef } from "../core/row-ref.ts";

/** One column over all versions: numbers (NaN = absent; booleans as 0 and 1), or codes into a dictionary (-1 = absent). */
export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly numbers: Float64Array | null;
  readonly codes: Int32Array | null;
  readonly dictionary: readonly string[];
  /** 1 where this version's cell was not yet available; null where the table has no such cells. */
  readonly hidden: Uint8Array | null;
};

export type Table = {
  readonly name: string;
  readonly zone: string | null;
  readonly forward: boolean;
  /** How a row's available time follows from its valid time, for plants. */
  readonly spec: TableSpec | null;
  readonly columns: readonly Column[];
  readonly columnIndex: ReadonlyMap<string, number>;
  readonly keyColumns: readonly number[];
  readonly validColumn: number;
  readonly endColumn: number | null;
  readonly availableColumn: number | null;
  readonly entity: number | null;
  /** Columns of texts that are searched. */
  readonly text: readonly number[];
  readonly count: number;
  readonly keys: number;
  readonly valid: Float64Array;
  readonly available: Float64Array;
  /** Where the valid time is a span, the instant from which a version is no longer true; Infinity: none is known. */
  readonly ends: Float64Array | null;
  readonly retracted: Uint8Array | null;
  /** Version → key; key → its versions, `keyStart[k]` to `keyStart[k + 1]`, by available time. */
  readonly keyOf: Int32Array;
  readonly keyStart: Int32Array;
  /** All versions of a key have one valid time, one entity. */
  readonly constantValid: boolean;
  readonly constantEntity: boolean;
  /** Column indexes in the order of canonical JSON. */
  readonly bodyOrder: readonly number[];
  /** Where its rows were read, and the line of each version; null: they stand in no lines. */
  readonly place: Place;
  readonly lines: Int32Array | null;
  readonly digest: Digest;
};

/** A version's cell: `undefined` where it was not yet available, `null` where it is absent. */
export function cellOf(table: Table, version: number, column: number): Cell | undefined {
  const c = table.columns[column] as Column;
  if (c.hidden !== null && c.hidden[version] === 1) return undefined;
  if (c.codes !== null) {
    const code = c.codes[version] as number;
    return code < 0 ? null : (c.dictionary[code] as string);
  }
  const value = (c.numbers as Float64Array)[version] as number;
  if (Number.isNaN(value)) return null;
  return c.type === "boolean" ? value === 1 : value;
}

/** `index.csv:12`: where a version's row stands. */
export function rowPlace({ place, lines }: Table, version: number): Place {
  return lines === null ? place : `${place}:${lines[version]}`;
}

export function keyCells(table: Table, version: number): Cell[] {
  return table.keyColumns.map((column) => cellOf(table, version, column) ?? null);
}

/** The canonical bytes of a served row: `{"available_at":…,"body":{…},"ref":"weather#2014-05-31"}`. */
export function rowText(table: Table, version: number): string {
  const texts = textsOf(table);
  const known = texts?.[version];
  if (known !== undefined) return known;
  const ref = rowRef(table.name, keyCells(table, version));
  const text = servedText(ref, table.available[version] as number, bodyText(table, version));
  if (texts !== null) texts[version] = text;
  return text;
}

const rendered = new WeakMap<Table, (string | undefined)[]>();

/** Small tables keep the text of each row, since one row is served to many cases; large ones do not. */
function textsOf(table: Table): (string | undefined)[] | null {
  if (table.count > limits.renderedRows) return null;
  let texts = rendered.get(table);
  if (texts === undefined) {
    texts = [];
    rendered.set(table, texts);
  }
  return texts;
}

export function servedRowText(
  ref: string,
  available: number,
  table: Table,
  cell: (column: number) => Cell | undefined,
): string {
  const { heads } = writtenOf(table);
  let body = "";
  for (const column of table.bodyOrder) {
    const value = cell(column);
    if (value === undefined) continue;
    body += (body === "" ? "" : ",") + heads[column] + canonical(value);
  }
  return servedText(ref, available, body);
}

function servedText(ref: string, available: number, body: string): string {
  return `{"available_at":"${formatInstant(available)}","body":{${body}},"ref":${JSON.stringify(ref)}}`;
}

/** The same bytes for a version of the table: a column's name, and a text of its dictionary, are written once. */
function bodyText(table: Table, version: number): string {
  const { heads, cells } = writtenOf(table);
  let body = "";
  for (const column of table.bodyOrder) {
    const c = table.columns[column] as Column;
    if (c.hidden !== null && c.hidden[version] === 1) continue;
    const code = c.codes === null ? -1 : (c.codes[version] as number);
    const known = code < 0 ? undefined : cells[column]?.[code];
    const text = known ?? (heads[column] as string) + canonical(cellOf(table, version, column) as Cell);
    if (known === undefined && code >= 0 && c.dictionary.length <= limits.renderedRows)
      (cells[column] as string[])[code] = text;
    body += body === "" ? text : `,${text}`;
  }
  return body;
}

/** Per column `"date":`, and by code `"date":"2014-05-31"`. */
type Written = { readonly heads: readonly string[]; readonly cells: readonly string[][] };
const written = new WeakMap<Table, Written>();

function writtenOf(table: Table): Written {
  let known = written.get(table);
  if (known === undefined) {
    known = {
      heads: table.columns.map(({ name }) => `${JSON.stringify(name)}:`),
      cells: table.columns.map(() => []),
    };
    written.set(table, known);
  }
  return known;
}

/** Order of cells: absent last, numbers by size, texts by code units, false before true. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
  const noA = a === undefined || a === null;
  const noB = b === undefined || b === null;
  if (noA || noB) return noA ? (noB ? 0 : 1) : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
