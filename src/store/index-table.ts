/** From columns in any order to a table: sorted, grouped by key, ambiguous versions refused, doubles dropped. */
import type { TableSpec } from "../caseset/table-spec.ts";
import { type Digest, digestOf } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { rowRef } from "../core/row-ref.ts";
import { type Column, cellOf, type Table } from "./table.ts";

/** Columns as they were read; `lines` names each row's line for refusals. Arrays may be longer than `count`. */
export type RawTable = {
  readonly name: string;
  readonly spec: TableSpec | null;
  readonly zone: string | null;
  readonly forward: boolean;
  readonly count: number;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly validColumn: string;
  readonly endColumn: string | null;
  readonly availableColumn: string | null;
  readonly entity: string | null;
  readonly text: readonly string[];
  readonly valid: Float64Array;
  readonly available: Float64Array;
  /** Of a table with an end column: Infinity where a row's cell is absent or not yet available. */
  readonly ends: Float64Array | null;
  readonly retracted: Uint8Array | null;
  readonly lines: Int32Array | null;
  readonly place: Place;
  readonly digest?: Digest;
};

/** Sorts by (key, available time), O(n log n) or O(n) where the rows came sorted; memory: one copy, column by column. */
export function indexTable(raw: RawTable, complain: Complain = strict): Table {
  const at = new Map(raw.columns.map((column, i) => [column.name, i]));
  const keyColumns = raw.key.map((name) => at.get(name) as number);
  const ranks = keyColumns.map((column) => rankOf(raw.columns[column] as Column, raw.count));
  const compareKeys = (a: number, b: number): number => {
    for (const rank of ranks) {
      const d = (rank[a] as number) - (rank[b] as number);
      if (d !== 0) return d;
    }
    return 0;
  };
  const compare = (a: number, b: number) =>
    compareKeys(a, b) || (raw.available[a] as number) - (raw.available[b] as number) || a - b;
  checkAvailable(raw, complain);
  const order = sortedOrder(raw.count, compare);
  const kept = dropDoubles(raw, order, compareKeys, complain);
  const columns = raw.columns.map((column) => permuteColumn(column, kept));
  const { keyOf, keyStart, keys } = groupByKey(kept, compareKeys);
  const valid = permute(raw.valid, kept);
  const entity = raw.entity === null ? null : (at.get(raw.entity) as number);
  const entityCells = entity === null ? null : rankOf(columns[entity] as Column, kept.length);
  return {
    name: raw.name,
    zone: raw.zone,
    forward: raw.forward,
    spec: raw.spec,
    columns,
    columnIndex: at,
    keyColumns,
    validColumn: at.get(raw.validColumn) as number,
    endColumn: raw.endColumn === null ? null : (at.get(raw.endColumn) as number),
    availableColumn: raw.availableColumn === null ? null : (at.get(raw.availableColumn) ?? null),
    entity,
    text: raw.text.map((name) => at.get(name) as number),
    count: kept.length,
    keys,
    valid,
    available: permute(raw.available, kept),
    ends: raw.ends === null ? null : permute(raw.ends, kept),
    retracted: raw.retracted === null ? null : permuteBytes(raw.retracted, kept),
    keyOf,
    keyStart,
    constantValid: isConstant(valid, keyOf),
    constantEntity: entityCells === null || isConstant(entityCells, keyOf),
    place: raw.place,
    lines: raw.lines === null ? null : permuteCodes(raw.lines, kept),
    bodyOrder: [...raw.columns.keys()].sort((a, b) => (nameAt(raw, a) < nameAt(raw, b) ? -1 : 1)),
    digest: raw.digest ?? digestOf(""),
  };
}

const nameAt = (raw: RawTable, i: number) => (raw.columns[i] as Column).name;

/** What is true of the world before it could be known is bounded by both; only `forward` tables speak of later times. */
function checkAvailable(raw: RawTable, complain: Complain): void {
  for (let i = 0; i < raw.count && !raw.forward; i++) {
    const [valid, available] = [raw.valid[i] as number, raw.available[i] as number];
    if (available >= valid) continue;
    complain("RowAvailableBeforeValid", {
      place: lineOf(raw, i),
      table: raw.name,
      valid: formatInstant(valid),
      available: formatInstant(available),
    });
  }
}

/** Numbers that order a column's cells, absent last: the numbers themselves, or the ranks of its texts by code units. */
export function rankOf(column: Column, count: number): Float64Array | Int32Array {
  if (column.numbers !== null) {
    if (!column.numbers.subarray(0, count).includes(Number.NaN)) return column.numbers;
    return column.numbers.map((value) => (Number.isNaN(value) ? Infinity : value));
  }
  const codes = column.codes as Int32Array;
  const sorted = [...column.dictionary.keys()].sort((a, b) =>
    (column.dictionary[a] as string) < (column.dictionary[b] as string) ? -1 : 1,
  );
  const isWhole = !codes.subarray(0, count).includes(-1);
  if (isWhole && sorted.every((code, i) => code === i)) return codes;
  const rank = new Int32Array(sorted.length);
  sorted.forEach((code, i) => {
    rank[code] = i;
  });
  return codes.map((code) => (code < 0 ? sorted.length : (rank[code] as number)));
}

/** Positions in order; a run that is already sorted is found in one pass. */
export function sortedOrder(count: number, compare: (a: number, b: number) => number): Int32Array {
  const order = new Int32Array(count);
  let sorted = true;
  for (let i = 0; i < count; i++) {
    order[i] = i;
    if (i > 0 && sorted && compare(i - 1, i) > 0) sorted = false;
  }
  return sorted ? order : order.sort(compare);
}

/** One key and one available time: byte-equal rows are one row, others cannot be told apart and are refused. */
function dropDoubles(
  raw: RawTable,
  order: Int32Array,
  compareKeys: (a: number, b: number) => number,
  complain: Complain,
): Int32Array {
  const kept = new Int32Array(order.length);
  let count = 0;
  for (const position of order) {
    const before = count === 0 ? -1 : (kept[count - 1] as number);
    if (
      before < 0 ||
      raw.available[before] !== raw.available[position] ||
      compareKeys(before, position) !== 0
    ) {
      kept[count++] = position;
      continue;
    }
    if (sameRow(raw, before, position)) continue;
    const ref = rowRef(
      raw.name,
      raw.key.map((name) => rawCell(raw, position, name)),
    );
    complain("RowVersionAmbiguous", {
      place: lineOf(raw, position),
      ref,
      available: formatInstant(raw.available[position] as number),
      first: lineOf(raw, before),
    });
  }
  return kept.slice(0, count);
}

function sameRow(raw: RawTable, a: number, b: number): boolean {
  if (raw.retracted !== null && raw.retracted[a] !== raw.retracted[b]) return false;
  return raw.columns.every((column) => {
    if (column.hidden !== null && column.hidden[a] !== column.hidden[b]) return false;
    return column.codes !== null
      ? column.codes[a] === column.codes[b]
      : Object.is(column.numbers?.[a], column.numbers?.[b]);
  });
}

function rawCell(raw: RawTable, position: number, name: string) {
  const column = raw.columns.findIndex((c) => c.name === name);
  return cellOf(raw as unknown as Table, position, column) ?? null;
}

const lineOf = (raw: RawTable, position: number): Place =>
  raw.lines === null ? raw.place : `${raw.place}:${raw.lines[position]}`;

function groupByKey(order: Int32Array, compareKeys: (a: number, b: number) => number) {
  const keyOf = new Int32Array(order.length);
  const starts = new Int32Array(order.length + 1);
  let keys = 0;
  for (let i = 0; i < order.length; i++) {
    if (i === 0 || compareKeys(order[i - 1] as number, order[i] as number) !== 0) starts[keys++] = i;
    keyOf[i] = keys - 1;
  }
  starts[keys] = order.length;
  return { keyOf, keyStart: starts.slice(0, keys + 1), keys };
}

function isConstant(values: Float64Array | Int32Array, keyOf: Int32Array): boolean {
  for (let i = 1; i < keyOf.length; i++) {
    if (keyOf[i] === keyOf[i - 1] && values[i] !== values[i - 1]) return false;
  }
  return true;
}

function permuteColumn(column: Column, order: Int32Array): Column {
  return {
    ...column,
    numbers: column.numbers === null ? null : permute(column.numbers, order),
    codes: column.codes === null ? null : permuteCodes(column.codes, order),
    hidden: column.hidden === null ? null : permuteBytes(column.hidden, order),
  };
}

function permute(values: Float64Array, order: Int32Array): Float64Array {
  const out = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i] as number] as number;
  return out;
}

function permuteCodes(values: Int32Array, order: Int32Array): Int32Array {
  const out = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i] as number] as number;
  return out;
}

function permuteBytes(values: Uint8Array, order: Int32Array): Uint8Array {
  const out = new Uint8Array(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i] as number] as number;
  return out;
}
