/** The snapshot by the index of entities: per entity its visible row of greatest (valid time, key), plants included. */
import type { Cell } from "../core/row-ref.ts";
import { countUpTo, type LatestIndex, latestIndex } from "./as-of.ts";
import { outranks, type PlantedRow } from "./overlay.ts";
import { compareRows, stands } from "./rows.ts";
import { cellOf, type Table } from "./table.ts";

/** Rows before `where`: of the one entity that it names, or of all; `sorted` where they stand by entity. */
export type Latest = { readonly rows: Int32Array; readonly named: boolean; readonly sorted: boolean };

/** What plants change: the row of an entity of the index, and of an entity that no row is of. */
type Tops = { readonly known: ReadonlyMap<number, number>; readonly strange: ReadonlyMap<Cell, number> };
const unchanged: Tops = { known: new Map(), strange: new Map() };

/** `wanted`: what `where` asks of the entity. Null where the index cannot answer. O(log n) an entity. */
export function latestByIndex(
  table: Table,
  asOf: number,
  plants: readonly PlantedRow[],
  wanted: readonly Cell[] | undefined,
): Latest | null {
  const index = latestIndex(table);
  const tops = index === null ? null : topsOf(table, index, asOf, plants);
  if (index === null || tops === null) return null;
  if (!namesOne(wanted))
    return { rows: snapshot(index, asOf, tops), named: false, sorted: tops.strange.size === 0 };
  const entity = index.entityOf.get(wanted[0]);
  const top = entity === undefined ? tops.strange.get(wanted[0]) : topOf(index, entity, asOf, tops);
  return { rows: top === undefined ? new Int32Array(0) : Int32Array.of(top), named: true, sorted: true };
}

/** Per entity one binary search and one look at the prefix's best. */
function snapshot(index: LatestIndex, asOf: number, tops: Tops): Int32Array {
  const entities = index.start.length - 1;
  const rows = new Int32Array(entities + tops.strange.size);
  let count = 0;
  for (let entity = 0; entity < entities; entity++) {
    const top = topOf(index, entity, asOf, tops);
    if (top !== undefined) rows[count++] = top;
  }
  for (const row of tops.strange.values()) rows[count++] = row;
  return rows.subarray(0, count);
}

function topOf(index: LatestIndex, entity: number, asOf: number, tops: Tops): number | undefined {
  const planted = tops.known.size === 0 ? undefined : tops.known.get(entity);
  return planted ?? realTop(index, entity, asOf);
}

/** Null where the index cannot tell what a visible plant changes. O(log n) a plant. */
function topsOf(table: Table, index: LatestIndex, asOf: number, plants: readonly PlantedRow[]): Tops | null {
  if (plants.length === 0) return unchanged;
  const known = new Map<number, number>();
  const strange = new Map<Cell, number>();
  for (let i = 0; i < plants.length; i++) {
    const plant = plants[i] as PlantedRow;
    const cell = entityOf(table, plant);
    if (cell === null) return null;
    const entity = numberOf(table, index, cell);
    if (hidesMore(table, index, asOf, plant, entity)) return null;
    if (!stands(table, plants, i, asOf)) continue;
    const row = -1 - i;
    const before =
      entity === undefined ? strange.get(cell) : (known.get(entity) ?? realTop(index, entity, asOf));
    // Of one key and one valid time the plant is the later version.
    if (before !== undefined && compareRows(table, plants, row, before) < 0) continue;
    if (entity === undefined) strange.set(cell, row);
    else known.set(entity, row);
  }
  return { known, strange };
}

/** A plant in the place of an entity's best row is its best as well, unless its valid time is less or its entity another. */
function hidesMore(
  table: Table,
  index: LatestIndex,
  asOf: number,
  plant: PlantedRow,
  entity: number | undefined,
): boolean {
  if (plant.keyId < 0) return false;
  const first = table.keyStart[plant.keyId] as number;
  const cell = table.entity === null ? true : cellOf(table, first, table.entity);
  const own = numberOf(table, index, cell ?? Number.NaN);
  const best = own === undefined ? undefined : realTop(index, own, asOf);
  if (best === undefined || !outranks(plant, table, best)) return false;
  return own !== entity || plant.valid < (table.valid[best] as number);
}

/** A plant's entity; of a table without entities any cell is. */
const entityOf = (table: Table, plant: PlantedRow): Cell =>
  table.entity === null ? true : (plant.cells[table.entity] ?? null);

function numberOf(table: Table, index: LatestIndex, cell: Cell): number | undefined {
  if (table.entity === null) return index.start.length > 1 ? 0 : undefined;
  return index.entityOf.get(typeof cell === "string" ? cell : Number(cell));
}

export function namesOne(wanted: readonly Cell[] | undefined): wanted is readonly [string | number] {
  return (
    wanted !== undefined &&
    wanted.length === 1 &&
    (typeof wanted[0] === "string" || typeof wanted[0] === "number")
  );
}

function realTop(index: LatestIndex, entity: number, asOf: number): number | undefined {
  const from = index.start[entity] as number;
  const visible = countUpTo(index.available, asOf, from, index.start[entity + 1] as number);
  const best = visible === 0 ? -1 : (index.best[from + visible - 1] as number);
  return best < 0 ? undefined : best;
}
