/** Selection: which versions, real and planted, a query of one table names at an instant, in which order. */
import type { Cell } from "../core/row-ref.ts";
import { countUpTo, entityKeys, lastVersion, validOrder, visibleVersion } from "./as-of.ts";
import { latestByIndex, namesOne } from "./latest.ts";
import { compareKeyCells, outranks, type PlantedRow } from "./overlay.ts";
import { cellAt, compareEntities, compareKeys, compareRows, stands, validAt } from "./rows.ts";
import { type Column, cellOf, compareCells, type Table } from "./table.ts";

export type Query = {
  /** Column index → the values that it may have (`null`: absent). */
  readonly where: ReadonlyMap<number, readonly Cell[]>;
  /** Closed bounds on valid time. */
  readonly since: number;
  readonly until: number;
  /** Per entity the one of greatest (valid time, key); `since` and `until` bound first, `where` filters after. */
  readonly latest: boolean;
  readonly order: readonly { readonly column: number; readonly descending: boolean }[];
};

/** Rows by number: a version of the table, or -1 - i for the i-th visible plant. */
export type Selection = { readonly rows: Int32Array; readonly plants: readonly PlantedRow[] };

/**
 * Version first, then valid time, `latest` and `where`; ordered by `order`, then by (valid time, key), of a snapshot
 * by (entity, key). O(log n + keys in question).
 */
export function select(table: Table, asOf: number, plants: readonly PlantedRow[], query: Query): Selection {
  const key = query.latest ? undefined : wholeKey(table, query);
  if (key !== undefined) return { rows: selectKey(table, asOf, plants, query, key), plants };
  const wanted = table.entity === null ? undefined : query.where.get(table.entity);
  const unbounded = query.latest && query.since === -Infinity && query.until === Infinity;
  const latest = unbounded ? latestByIndex(table, asOf, plants, wanted) : null;
  if (latest !== null) {
    const rows =
      latest.named && query.where.size === 1 ? latest.rows : filtered(table, plants, query, latest.rows);
    const stand = latest.sorted && query.order.length === 0;
    return { rows: stand ? rows : ordered(table, plants, query, rows), plants };
  }
  const found = candidates(table, asOf, query);
  const rows = plants.length === 0 ? found : withPlants(table, found, plants, asOf, query);
  const chosen = query.latest ? latestOf(table, plants, rows) : rows;
  return { rows: ordered(table, plants, query, filtered(table, plants, query, chosen)), plants };
}

/** Visible versions within the valid bounds: of one key, one entity, a span of valid time, or all keys. */
function candidates(table: Table, asOf: number, query: Query): Int32Array {
  const entities = entityKeys(table);
  const wanted = entities === null ? undefined : query.where.get(table.entity as number);
  if (entities !== null && namesOne(wanted)) {
    const entity = entities.entityOf.get(wanted[0]);
    if (entity === undefined) return new Int32Array(0);
    const from = entities.start[entity] as number;
    return visibleOf(
      table,
      asOf,
      query,
      (entities.start[entity + 1] as number) - from,
      (i) => entities.keys[from + i] as number,
    );
  }
  const byValid = validOrder(table);
  if (byValid === null) return visibleOf(table, asOf, query, table.keys, (i) => i);
  const until = table.forward ? query.until : Math.min(query.until, asOf);
  const from = countBelow(byValid.valid, query.since);
  const to = countUpTo(byValid.valid, until);
  return visibleOf(table, asOf, query, Math.max(0, to - from), (i) => byValid.keys[from + i] as number);
}

function visibleOf(
  table: Table,
  asOf: number,
  query: Query,
  count: number,
  keyAt: (i: number) => number,
): Int32Array {
  const rows = new Int32Array(count);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const version = visibleVersion(table, keyAt(i), asOf);
    if (version < 0) continue;
    const valid = table.valid[version] as number;
    if (valid >= query.since && valid <= query.until) rows[found++] = version;
  }
  return rows.subarray(0, found);
}

function countBelow(sorted: Float64Array, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The key that `where` names whole, undefined where it does not name one. */
function wholeKey(table: Table, query: Query): Cell[] | undefined {
  if (query.where.size < table.keyColumns.length) return undefined;
  const wanted: Cell[] = [];
  for (const column of table.keyColumns) {
    const values = query.where.get(column);
    if (values === undefined || values.length !== 1) return undefined;
    wanted.push(values[0] as Cell);
  }
  return wanted;
}

/** The one row of a key, real or planted, where the rest of the query fits it: no list is made or sorted. */
function selectKey(
  table: Table,
  asOf: number,
  plants: readonly PlantedRow[],
  query: Query,
  key: readonly Cell[],
): Int32Array {
  const id = findKey(table, key);
  const last = id < 0 ? -1 : lastVersion(table, id, asOf);
  let row = id < 0 ? -1 : visibleVersion(table, id, asOf);
  let found = row >= 0;
  let since = last < 0 ? -Infinity : (table.available[last] as number);
  for (let i = 0; i < plants.length; i++) {
    const plant = plants[i] as PlantedRow;
    if (plant.available < since || compareKeyCells(plant.key, key) !== 0) continue;
    row = -1 - i;
    found = true;
    since = plant.available;
  }
  if (!found) return NO_ROWS;
  const valid = validAt(table, plants, row);
  if (valid < query.since || valid > query.until) return NO_ROWS;
  for (const [column, values] of query.where) {
    const cell = cellAt(table, plants, row, column);
    if (cell === undefined || !values.includes(cell)) return NO_ROWS;
  }
  return Int32Array.of(row);
}

const NO_ROWS = new Int32Array(0);

/** The number of a key, or -1. O(log keys). */
export function findKey(table: Table, key: readonly Cell[]): number {
  let low = 0;
  let high = table.keys - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const d = compareKeyAt(table, table.keyStart[middle] as number, key);
    if (d === 0) return middle;
    if (d < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function compareKeyAt(table: Table, version: number, key: readonly Cell[]): number {
  for (let i = 0; i < key.length; i++) {
    const d = compareCells(cellOf(table, version, table.keyColumns[i] as number), key[i]);
    if (d !== 0) return d;
  }
  return 0;
}

/** Plants take the place of the versions that they outrank, and give way to later ones. */
function withPlants(
  table: Table,
  rows: Int32Array,
  plants: readonly PlantedRow[],
  asOf: number,
  query: Query,
): Int32Array {
  const revised = plants.filter(({ keyId }) => keyId >= 0);
  const kept = rows.filter((version) => !revised.some((plant) => outranks(plant, table, version)));
  const added: number[] = [];
  plants.forEach((plant, i) => {
    const fits = plant.valid >= query.since && plant.valid <= query.until;
    if (fits && stands(table, plants, i, asOf)) added.push(-1 - i);
  });
  const all = new Int32Array(kept.length + added.length);
  all.set(kept);
  all.set(added, kept.length);
  return all;
}

/** Of each entity the row of greatest (valid time, key); a table without entities is one. */
function latestOf(table: Table, plants: readonly PlantedRow[], rows: Int32Array): Int32Array {
  const best = new Map<Cell, number>();
  for (const row of rows) {
    const entity = table.entity === null ? null : (cellAt(table, plants, row, table.entity) ?? null);
    const known = best.get(entity);
    if (known === undefined || compareRows(table, plants, row, known) > 0) best.set(entity, row);
  }
  return Int32Array.from(best.values());
}

function filtered(table: Table, plants: readonly PlantedRow[], query: Query, rows: Int32Array): Int32Array {
  if (query.where.size === 0) return rows;
  const tests = [...query.where].map(([column, values]) => matcher(table, plants, column, values));
  return rows.filter((row) => tests.every((test) => test(row)));
}

function matcher(
  table: Table,
  plants: readonly PlantedRow[],
  column: number,
  values: readonly Cell[],
): (row: number) => boolean {
  const wanted = new Set(values);
  const c = table.columns[column] as Column;
  if (c.codes === null || c.hidden !== null)
    return (row) => matches(wanted, cellAt(table, plants, row, column));
  const { codes, dictionary } = c;
  return (row) => {
    if (row < 0) return matches(wanted, cellAt(table, plants, row, column));
    const code = codes[row] as number;
    return wanted.has(code < 0 ? null : (dictionary[code] as string));
  };
}

function matches(wanted: ReadonlySet<Cell>, cell: Cell | undefined): boolean {
  return cell !== undefined && wanted.has(cell);
}

function ordered(table: Table, plants: readonly PlantedRow[], query: Query, rows: Int32Array): Int32Array {
  if (plants.length === 0 && query.order.length === 0 && !query.latest && isInOrder(table, rows)) return rows;
  const compare = (a: number, b: number): number => {
    for (const { column, descending } of query.order) {
      const [x, y] = [cellAt(table, plants, a, column) ?? null, cellAt(table, plants, b, column) ?? null];
      const d = compareCells(x, y);
      if (d !== 0) return descending && x !== null && y !== null ? -d : d;
    }
    const byEntity = query.latest ? compareEntities(table, plants, a, b) : 0;
    return byEntity !== 0
      ? byEntity
      : query.latest
        ? compareKeys(table, plants, a, b)
        : compareRows(table, plants, a, b);
  };
  return sortedBy(rows, compare);
}

/** By an order that is total over these rows: one pass where they stand in it, or in its reverse, but for a few at the end. */
export function sortedBy(rows: Int32Array, compare: (a: number, b: number) => number): Int32Array {
  const falling = rows.length > 1 && compare(rows[0] as number, rows[1] as number) > 0;
  let run = Math.min(1, rows.length);
  while (run < rows.length && compare(rows[run - 1] as number, rows[run] as number) > 0 === falling) run++;
  if (run === rows.length) return falling ? rows.slice().reverse() : rows;
  if (run < rows.length * LONG_RUN) return rows.slice().sort(compare);
  const head = falling ? rows.slice(0, run).reverse() : rows.subarray(0, run);
  return merged(head, rows.slice(run).sort(compare), compare);
}

/** Below this share of the rows a run spares no work. */
const LONG_RUN = 0.75;

/** Two sorted lists as one. */
function merged(a: Int32Array, b: Int32Array, compare: (a: number, b: number) => number): Int32Array {
  const all = new Int32Array(a.length + b.length);
  for (let i = 0, j = 0; i + j < all.length; ) {
    const takeA = j === b.length || (i < a.length && compare(a[i] as number, b[j] as number) <= 0);
    all[i + j] = (takeA ? a[i] : b[j]) as number;
    if (takeA) i++;
    else j++;
  }
  return all;
}

/** Real rows by (valid time, key): what most candidates already are. */
function isInOrder({ valid, keyOf }: Table, rows: Int32Array): boolean {
  for (let i = 1; i < rows.length; i++) {
    const [a, b] = [rows[i - 1] as number, rows[i] as number];
    const d = (valid[a] as number) - (valid[b] as number);
    if (d > 0 || (d === 0 && (keyOf[a] as number) > (keyOf[b] as number))) return false;
  }
  return true;
}
