/** Row versions as plain data, real and planted alike: their order, their groups, their bytes. */
import type { Json } from "../../src/core/canonical.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { type Cell, rowRef } from "../../src/core/row-ref.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import { cellOf, type Table } from "../../src/store/table.ts";

/** A row version as plain data; a planted one knows its plant. */
export type Version = {
  readonly key: readonly Cell[];
  readonly valid: number;
  readonly available: number;
  readonly retracted: boolean;
  readonly cells: readonly (Cell | undefined)[];
  readonly ref: string;
  readonly plant: PlantedRow | null;
};

/** Which version of one key is seen: `fits` is the query's own filter, which an honest rule does not look at. */
export type Rule = (
  versions: readonly Version[],
  asOf: number,
  forward: boolean,
  fits: (version: Version) => boolean,
) => Version | undefined;

/** The whole table as rows, in its own order. */
export function versionsOf(table: Table): Version[] {
  return Array.from({ length: table.count }, (_, version) => {
    const cells = table.columns.map((_c, column) => cellOf(table, version, column));
    const key = table.keyColumns.map((column) => cells[column] ?? null);
    return {
      key,
      valid: table.valid[version] as number,
      available: table.available[version] as number,
      retracted: table.retracted !== null && table.retracted[version] === 1,
      cells,
      ref: rowRef(table.name, key),
      plant: null,
    };
  });
}

export function plantedVersion(plant: PlantedRow): Version {
  const { key, valid, available, cells, ref } = plant;
  return { key, valid, available, retracted: false, cells, ref, plant };
}

export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

/** Absent last, then by size, code units, false before true. */
export function byCell(a: Cell, b: Cell): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return a === b ? 0 : a < b ? -1 : 1;
}

export function byKeyCells(a: Version, b: Version): number {
  for (let i = 0; i < a.key.length; i++) {
    const d = byCell(a.key[i] as Cell, b.key[i] as Cell);
    if (d !== 0) return d;
  }
  return 0;
}

export const byValidAndKey = (a: Version, b: Version) => a.valid - b.valid || byKeyCells(a, b);

export function servedRow(table: Table, { available, cells, ref }: Version): Json {
  const body = table.columns.flatMap(({ name }, i) => (cells[i] === undefined ? [] : [[name, cells[i]]]));
  return { available_at: formatInstant(available), body: Object.fromEntries(body) as Json, ref };
}
