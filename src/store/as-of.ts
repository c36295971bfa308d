/** Available-as-of: per key, the version with the greatest available time at or before an instant; then valid time. */
import { rankOf, sortedOrder } from "./index-table.ts";
import type { Column, Table } from "./table.ts";

/**
 * The version of a key that is visible at `asOf` (inclusive), or -1: none yet, withdrawn, or not yet valid. Version
 * first, then filter: an older version is never looked at because a newer one did not fit.
 */
export function visibleVersion(table: Table, key: number, asOf: number): number {
  const version = lastVersion(table, key, asOf);
  if (version < 0 || (table.retracted !== null && table.retracted[version] === 1)) return -1;
  return table.forward || (table.valid[version] as number) <= asOf ? version : -1;
}

/** The last version of a key available at `asOf`, withdrawn or not, or -1. O(log versions). */
export function lastVersion(table: Table, key: number, asOf: number): number {
  const first = table.keyStart[key] as number;
  let low = first;
  let high = table.keyStart[key + 1] as number;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((table.available[middle] as number) <= asOf) low = middle + 1;
    else high = middle;
  }
  return low > first ? low - 1 : -1;
}

/** Keys in (valid time, key) order with their valid times; null where a key's versions differ in valid time. */
export type ValidOrder = { readonly keys: Int32Array; readonly valid: Float64Array };

/** All versions in the order in which they became available, with the one and the next of greatest (valid time, key). */
export type AvailableOrder = {
  readonly versions: Int32Array;
  readonly available: Float64Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
};

/** Per entity: its versions by available time, and at each the visible one with the greatest (valid time, key). */
export type LatestIndex = {
  readonly start: Int32Array;
  readonly available: Float64Array;
  readonly best: Int32Array;
  readonly entityOf: ReadonlyMap<string | number, number>;
};

type Indexes = {
  valid?: ValidOrder | null;
  available?: AvailableOrder;
  latest?: LatestIndex | null;
  byEntity?: EntityKeys;
};
const indexes = new WeakMap<Table, Indexes>();

function indexesOf(table: Table): Indexes {
  let known = indexes.get(table);
  if (known === undefined) {
    known = {};
    indexes.set(table, known);
  }
  return known;
}

export function validOrder(table: Table): ValidOrder | null {
  const known = indexesOf(table);
  if (known.valid === undefined) known.valid = buildValidOrder(table);
  return known.valid;
}

function buildValidOrder(table: Table): ValidOrder | null {
  if (!table.constantValid) return null;
  const validOf = (key: number) => table.valid[table.keyStart[key] as number] as number;
  const keys = sortedOrder(table.keys, (a, b) => validOf(a) - validOf(b) || a - b);
  const valid = new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) valid[i] = validOf(keys[i] as number);
  return { keys, valid };
}

/** Built at first use, O(n log n) once; every plant is then drawn in O(log n). */
export function availableOrder(table: Table): AvailableOrder {
  const known = indexesOf(table);
  if (known.available === undefined) {
    const versions = sortedOrder(
      table.count,
      (a, b) => (table.available[a] as number) - (table.available[b] as number) || a - b,
    );
    const available = new Float64Array(versions.length);
    for (let i = 0; i < versions.length; i++) available[i] = table.available[versions[i] as number] as number;
    known.available = { versions, available, ...prefixTops(table, versions, 0, versions.length) };
  }
  return known.available;
}

/** How many of a sorted list are at or before `asOf`. */
export function countUpTo(sorted: Float64Array, asOf: number, from = 0, to = sorted.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= asOf) low = middle + 1;
    else high = middle;
  }
  return low - from;
}

/** Entities as ranks in cell order, each with its keys; null where a key changes its entity between versions. */
export function latestIndex(table: Table): LatestIndex | null {
  const known = indexesOf(table);
  if (known.latest === undefined) known.latest = table.constantEntity ? buildLatestIndex(table) : null;
  return known.latest;
}

function buildLatestIndex(table: Table): LatestIndex {
  const column = table.entity === null ? null : (table.columns[table.entity] as Column);
  const rank = column === null ? null : rankOf(column, table.count);
  const entity = (version: number) => (rank === null ? 0 : (rank[version] as number));
  const order = sortedOrder(
    table.count,
    (a, b) =>
      entity(a) - entity(b) || (table.available[a] as number) - (table.available[b] as number) || a - b,
  );
  const starts: number[] = [];
  const entityOf = new Map<string | number, number>();
  for (let i = 0; i < order.length; i++) {
    const version = order[i] as number;
    if (i > 0 && entity(order[i - 1] as number) === entity(version)) continue;
    if (column !== null) entityOf.set(entityCell(column, version), starts.length);
    starts.push(i);
  }
  starts.push(order.length);
  const available = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) available[i] = table.available[order[i] as number] as number;
  const best = new Int32Array(order.length);
  for (let e = 0; e + 1 < starts.length; e++) {
    const from = starts[e] as number;
    best.set(prefixTops(table, order, from, starts[e + 1] as number).first, from);
  }
  return { start: Int32Array.from(starts), available, best, entityOf };
}

/** Keys of each entity, for reads of one entity. */
export type EntityKeys = {
  readonly start: Int32Array;
  readonly keys: Int32Array;
  readonly entityOf: ReadonlyMap<string | number, number>;
};

export function entityKeys(table: Table): EntityKeys | null {
  if (table.entity === null || !table.constantEntity) return null;
  const known = indexesOf(table);
  known.byEntity ??= buildEntityKeys(table, table.columns[table.entity] as Column);
  return known.byEntity;
}

function buildEntityKeys(table: Table, column: Column): EntityKeys {
  const rank = rankOf(column, table.count);
  const of = (key: number) => rank[table.keyStart[key] as number] as number;
  const keys = sortedOrder(table.keys, (a, b) => of(a) - of(b) || a - b);
  const starts: number[] = [];
  const entityOf = new Map<string | number, number>();
  for (let i = 0; i < keys.length; i++) {
    if (i > 0 && of(keys[i - 1] as number) === of(keys[i] as number)) continue;
    entityOf.set(entityCell(column, table.keyStart[keys[i] as number] as number), starts.length);
    starts.push(i);
  }
  starts.push(keys.length);
  return { start: Int32Array.from(starts), keys, entityOf };
}

/** An entity's name as a map's key; the absent entity (NaN, or code -1) is one of its own. */
function entityCell(column: Column, version: number): string | number {
  if (column.codes === null) return (column.numbers as Float64Array)[version] as number;
  const code = column.codes[version] as number;
  return code < 0 ? Number.NaN : (column.dictionary[code] as string);
}

/**
 * After each version of `order[from..to)`, which arrives in available order: the visible version of greatest
 * (valid time, key), and the next, or -1. A heap with lazy deletion follows withdrawals and moved valid times.
 */
function prefixTops(
  table: Table,
  order: Int32Array,
  from: number,
  to: number,
): { first: Int32Array; second: Int32Array } {
  const first = new Int32Array(to - from).fill(-1);
  const second = new Int32Array(to - from).fill(-1);
  const above = (a: number, b: number) =>
    (table.valid[a] as number) > (table.valid[b] as number) ||
    (table.valid[a] === table.valid[b] && (table.keyOf[a] as number) > (table.keyOf[b] as number));
  if (table.constantValid && table.retracted === null) {
    let one = -1;
    let two = -1;
    for (let i = from; i < to; i++) {
      const version = order[i] as number;
      const key = table.keyOf[version];
      if (one >= 0 && table.keyOf[one] === key) one = version;
      else if (two >= 0 && table.keyOf[two] === key) two = version;
      else if (one < 0 || above(version, one)) {
        two = one;
        one = version;
      } else if (two < 0 || above(version, two)) two = version;
      first[i - from] = one;
      second[i - from] = two;
    }
    return { first, second };
  }
  const current = new Map<number, number>();
  const heap = new VersionHeap(above, (version) => current.get(table.keyOf[version] as number) === version);
  for (let i = from; i < to; i++) {
    const version = order[i] as number;
    const gone = table.retracted !== null && table.retracted[version] === 1;
    current.set(table.keyOf[version] as number, gone ? -1 : version);
    if (!gone) heap.push(version);
    const one = heap.top();
    first[i - from] = one;
    if (one < 0) continue;
    heap.pop();
    second[i - from] = heap.top();
    heap.push(one);
  }
  return { first, second };
}

/** A binary heap whose top is looked at only while it is alive. */
class VersionHeap {
  readonly #items: number[] = [];
  readonly #above: (a: number, b: number) => boolean;
  readonly #alive: (version: number) => boolean;
  constructor(above: (a: number, b: number) => boolean, alive: (version: number) => boolean) {
    this.#above = above;
    this.#alive = alive;
  }

  top(): number {
    while (this.#items.length > 0 && !this.#alive(this.#items[0] as number)) this.pop();
    return this.#items[0] ?? -1;
  }

  push(version: number): void {
    const items = this.#items;
    let i = items.push(version) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#above(items[i] as number, items[parent] as number)) return;
      [items[i], items[parent]] = [items[parent] as number, items[i] as number];
      i = parent;
    }
  }

  pop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    items[0] = last;
    for (let i = 0; ; ) {
      let largest = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < items.length && this.#above(items[child] as number, items[largest] as number))
          largest = child;
      }
      if (largest === i) return;
      [items[i], items[largest]] = [items[largest] as number, items[i] as number];
      i = largest;
    }
  }
}
