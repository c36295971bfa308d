/** Planted rows: versions that the engine adds to one case's view of a table, and to nothing else. */
import { sha256Hex } from "../core/digest.ts";
import type { Instant } from "../core/instant.ts";
import { type Cell, rowRef } from "../core/row-ref.ts";
import { compareCells, servedRowText, type Table } from "./table.ts";

/**
 * `revision` and `new-key` become available after the horizon; `past` at the horizon, and only the probe sees it. `staged`
 * is no plant: available by the horizon, in the view of one arm alone, which serves it as it serves a real row.
 */
export type PlantKind = "past" | "revision" | "new-key" | "staged";

export type PlantedRow = {
  readonly table: string;
  readonly kind: PlantKind;
  /** The table's key number where the key exists in the table, else -1. */
  readonly keyId: number;
  readonly key: readonly Cell[];
  readonly valid: Instant;
  /** As a table's `ends`; Infinity of a table without spans. */
  readonly end: number;
  readonly available: Instant;
  /** One cell a column, in the table's order. */
  readonly cells: readonly Cell[];
  readonly ref: string;
  /** Canonical bytes as served, and the hexadecimal SHA-256 of them. */
  readonly text: string;
  readonly digest: string;
};

/** The plants of one case as one door shows them: to its reader, or (with the past plants) to the engine's probe. */
export type Overlay = { readonly view: "reader" | "probe"; readonly rows: readonly PlantedRow[] };

/** A row for an overlay: its reference, its bytes and their digest follow from the rest. */
export function overlayRow(
  table: Table,
  row: Omit<PlantedRow, "table" | "ref" | "text" | "digest">,
): PlantedRow {
  const ref = rowRef(table.name, row.key);
  const text = servedRowText(ref, row.available, table, (column) => row.cells[column]);
  return { ...row, table: table.name, ref, text, digest: sha256Hex(text) };
}

/** Whether an answer may never be made from it. */
export const isPlant = ({ kind }: PlantedRow): boolean => kind !== "staged";

const none: readonly PlantedRow[] = [];

/** The planted rows of a table that are visible at `asOf`; version first, so the last of a key wins. */
export function visiblePlants(overlay: Overlay | null, table: Table, asOf: number): readonly PlantedRow[] {
  if (overlay === null) return none;
  let visible: PlantedRow[] | null = null;
  for (const row of overlay.rows) {
    if (row.table !== table.name || row.available > asOf) continue;
    if (!table.forward && row.valid > asOf) continue;
    visible ??= [];
    visible.push(row);
  }
  return visible ?? none;
}

/** A plant outranks a real version of its key that became available no later than itself. */
export function outranks(plant: PlantedRow, table: Table, version: number): boolean {
  return table.keyOf[version] === plant.keyId && (table.available[version] as number) <= plant.available;
}

export function compareKeyCells(a: readonly Cell[], b: readonly Cell[]): number {
  for (let i = 0; i < a.length; i++) {
    const d = compareCells(a[i], b[i]);
    if (d !== 0) return d;
  }
  return 0;
}
