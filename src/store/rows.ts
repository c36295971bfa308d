/** Selected rows by number, real and planted alike: their cells, keys and order. */
import type { Cell } from "../core/row-ref.ts";
import { lastVersion } from "./as-of.ts";
import { compareKeyCells, type PlantedRow } from "./overlay.ts";
import { cellOf, compareCells, keyCells, type Table } from "./table.ts";

export function compareEntities(table: Table, plants: readonly PlantedRow[], a: number, b: number): number {
  return table.entity === null
    ? 0
    : compareCells(cellAt(table, plants, a, table.entity), cellAt(table, plants, b, table.entity));
}

/** (valid time, key), which no two visible rows share. */
export function compareRows(table: Table, plants: readonly PlantedRow[], a: number, b: number): number {
  const byValid = validAt(table, plants, a) - validAt(table, plants, b);
  return byValid !== 0 ? byValid : compareKeys(table, plants, a, b);
}

export function compareKeys(table: Table, plants: readonly PlantedRow[], a: number, b: number): number {
  if (a >= 0 && b >= 0) return (table.keyOf[a] as number) - (table.keyOf[b] as number);
  return compareKeyCells(keyAt(table, plants, a), keyAt(table, plants, b));
}

export function validAt(table: Table, plants: readonly PlantedRow[], row: number): number {
  return row >= 0 ? (table.valid[row] as number) : (plants[-1 - row] as PlantedRow).valid;
}

/** The instant from which a row of a table with spans is no longer true; Infinity: none is known. */
export function endAt(table: Table, plants: readonly PlantedRow[], row: number): number {
  return row >= 0 ? ((table.ends as Float64Array)[row] as number) : (plants[-1 - row] as PlantedRow).end;
}

function keyAt(table: Table, plants: readonly PlantedRow[], row: number): readonly Cell[] {
  return row >= 0 ? keyCells(table, row) : (plants[-1 - row] as PlantedRow).key;
}

/** The cell of a selected row, real or planted. */
export function cellAt(
  table: Table,
  plants: readonly PlantedRow[],
  row: number,
  column: number,
): Cell | undefined {
  return row >= 0 ? cellOf(table, row, column) : (plants[-1 - row] as PlantedRow).cells[column];
}

/** Whether a visible plant is the last version of its key: none, real or planted, came after it. */
export function stands(table: Table, plants: readonly PlantedRow[], i: number, asOf: number): boolean {
  const plant = plants[i] as PlantedRow;
  const last = plant.keyId < 0 ? -1 : lastVersion(table, plant.keyId, asOf);
  if (last >= 0 && (table.available[last] as number) > plant.available) return false;
  return !plants.some(
    (other, j) =>
      compareKeyCells(other.key, plant.key) === 0 &&
      (other.available > plant.available || (other.available === plant.available && j > i)),
  );
}
