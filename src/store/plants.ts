/** Plants: rows of one case that a door must not serve before their instant, and one that it must serve at it. */
import { sha256Hex } from "../core/digest.ts";
import { addDuration, type Duration, parseDuration } from "../core/duration.ts";
import { type Instant, instant, MICROS_PER_DAY } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Stream, streamOf } from "../core/random.ts";
import type { Cell } from "../core/row-ref.ts";
import { availableOrder, countUpTo } from "./as-of.ts";
import { compareKeyCells, overlayRow, type PlantedRow, type PlantKind } from "./overlay.ts";
import { findKey } from "./select.ts";
import { cellOf, keyCells, rowText, type Table } from "./table.ts";
import { spelledLike } from "./time-spelling.ts";

/** The plants of one case in one table, and the real row that the revision would hide: its bytes and their digest. */
export type TablePlants = {
  readonly past: PlantedRow;
  readonly revision: PlantedRow;
  readonly newKey: PlantedRow;
  readonly real: { readonly text: string; readonly digest: string };
  /**
   * A cell of the row that the past plant replaces, which the plant has not: asked for by it, a door that chooses the
   * version before it filters answers with nothing. null where the plant replaces no row, or no cell differs.
   */
  readonly replaced: { readonly column: number; readonly cell: Cell } | null;
};

const ONE_DAY = parseDuration("P1D", "plants", "new key") as Duration;

/**
 * The plants of a case, drawn from the secret, the case's id and the table's name; null where no row is visible at
 * the horizon, or all keys that its columns can spell are taken (`not exercised`). Values come, per column, from
 * versions available at the horizon. O(log n).
 */
export function plantTable(
  table: Table,
  horizon: Instant,
  zone: string,
  secret: string,
  caseId: string,
): TablePlants | null {
  const order = availableOrder(table);
  const seen = countUpTo(order.available, horizon);
  const top = seen === 0 ? -1 : (order.first[seen - 1] as number);
  if (top < 0) return null;
  const next = order.second[seen - 1] as number;
  const garden = new Garden(
    table,
    horizon,
    table.zone ?? zone,
    order.versions.subarray(0, seen),
    streamOf(Buffer.from(sha256Hex(`${secret}\n${caseId}\n${table.name}`), "hex")),
  );
  const revised = next < 0 ? top : next;
  const revision = garden.revise(revised, "revision", instant(horizon + 1));
  // A version of nothing but its key, published at the horizon itself, has no other bytes: a new key stands in.
  const later = next < 0 ? null : garden.revise(top, "past", horizon);
  const past = later ?? garden.newKey("past", horizon, []);
  if (past === null || revision === null) return null;
  const newKey = garden.newKey("new-key", addDuration(garden.zone, horizon, ONE_DAY), [past.key]);
  if (newKey === null) return null;
  const text = rowText(table, revised);
  return {
    past,
    revision,
    newKey,
    real: { text, digest: sha256Hex(text) },
    replaced: later === null ? null : replacedCell(table, top, later),
  };
}

function replacedCell(table: Table, version: number, plant: PlantedRow): TablePlants["replaced"] {
  for (const [column] of table.columns.entries()) {
    const cell = cellOf(table, version, column);
    if (cell !== undefined && cell !== null && cell !== plant.cells[column]) return { column, cell };
  }
  return null;
}

/** How far a new key's valid time is moved at most while it is taken. */
const MOST_DAYS = 36_500;

class Garden {
  readonly zone: string;
  readonly #table: Table;
  readonly #horizon: Instant;
  readonly #versions: Int32Array;
  readonly #dice: Stream;
  constructor(table: Table, horizon: Instant, zone: string, versions: Int32Array, dice: Stream) {
    this.#table = table;
    this.#horizon = horizon;
    this.zone = zone;
    this.#versions = versions;
    this.#dice = dice;
  }

  /** A later version of a visible row: its key, entity and valid time, other values drawn. */
  revise(version: number, kind: PlantKind, available: Instant): PlantedRow | null {
    const table = this.#table;
    const key = keyCells(table, version);
    return this.#grow(
      kind,
      version,
      key,
      instant(table.valid[version] as number),
      cellOf(table, version, table.validColumn) ?? null,
      available,
    );
  }

  /** A row whose key no version available at the horizon has; it may be the key of a real row still to come. */
  newKey(kind: PlantKind, available: Instant, taken: readonly (readonly Cell[])[]): PlantedRow | null {
    const table = this.#table;
    const dated = table.keyColumns.includes(table.validColumn);
    for (let tries = 0; tries < 10 * limits.plantDraws; tries++) {
      const template = this.#drawVersion();
      const { at, cell } = this.#validTime(template, available, dated ? tries : 0);
      const key = table.keyColumns.map((column) => {
        if (column === table.validColumn) return cell;
        const old = cellOf(table, template, column) ?? null;
        return dated && tries < limits.plantDraws / 2 ? old : this.#mutate(column, old, tries);
      });
      const known = findKey(table, key);
      const free = known < 0 || (table.available[table.keyStart[known] as number] as number) > this.#horizon;
      if (!free || taken.some((other) => compareKeyCells(other, key) === 0)) continue;
      const grown = this.#grow(kind, template, key, at, cell, available);
      if (grown !== null) return grown;
    }
    return null;
  }

  /** Draws the free cells until no real row has the same bytes, by which alone the plant is known; null where none. */
  #grow(
    kind: PlantKind,
    template: number,
    key: readonly Cell[],
    valid: Instant,
    validCell: Cell,
    available: Instant,
  ): PlantedRow | null {
    const table = this.#table;
    const keyId = findKey(table, key);
    for (let draws = 0; draws < limits.plantDraws; draws++) {
      const end = this.#end(template, available);
      const cells = table.columns.map((_, column) =>
        column === table.endColumn ? end.cell : this.#cell(template, column, key, validCell, available),
      );
      const grown = overlayRow(table, { kind, keyId, key, valid, end: end.at, available, cells });
      if (!this.#isReal(keyId, available, grown.text)) return grown;
    }
    return null;
  }

  #cell(template: number, column: number, key: readonly Cell[], validCell: Cell, available: Instant): Cell {
    const table = this.#table;
    const inKey = table.keyColumns.indexOf(column);
    if (inKey >= 0) return key[inKey] as Cell;
    if (column === table.validColumn) return validCell;
    const own = cellOf(table, template, column) ?? null;
    if (column === table.availableColumn)
      return typeof own === "string" ? spelledLike(own, this.#availableZone(), available).cell : own;
    if (column === table.entity) return own;
    for (let i = 0; i < limits.plantDraws; i++) {
      const cell = cellOf(table, this.#drawVersion(), column);
      if (cell !== undefined) return cell;
    }
    return null;
  }

  /** Of a table of spans: an end after the plant's available time, of some version, or none: a member as soon as it is there. */
  #end(template: number, available: Instant): { at: number; cell: Cell } {
    const table = this.#table;
    const none = { at: Number.POSITIVE_INFINITY, cell: null };
    if (table.ends === null) return none;
    const column = table.endColumn as number;
    if (column === table.availableColumn) {
      const own = cellOf(table, template, column);
      return typeof own === "string" ? spelledLike(own, this.#availableZone(), available) : none;
    }
    for (let draws = 0; draws < limits.plantDraws; draws++) {
      const version = this.#drawVersion();
      const at = table.ends[version] as number;
      if (at > available) return { at, cell: cellOf(table, version, column) ?? null };
    }
    return none;
  }

  #availableZone(): string {
    const declared = this.#table.spec?.available;
    return declared?.kind === "column" ? (declared.zone ?? this.zone) : this.zone;
  }

  #isReal(keyId: number, available: Instant, text: string): boolean {
    const table = this.#table;
    if (keyId < 0) return false;
    for (let v = table.keyStart[keyId] as number; v < (table.keyStart[keyId + 1] as number); v++) {
      if (table.available[v] === available && rowText(table, v) === text) return true;
    }
    return false;
  }

  #drawVersion(): number {
    const { retracted } = this.#table;
    for (let i = 0; ; i++) {
      const version = this.#versions[this.#dice.below(this.#versions.length)] as number;
      if (retracted === null || retracted[version] === 0 || i >= limits.plantDraws) return version;
    }
  }

  /**
   * As far before the plant's available time as the table's rows are, spelled as its rows are; while those keys are
   * taken, later and earlier in turn, but not after the available time where the table does not speak of the future.
   */
  #validTime(template: number, available: Instant, tries: number): { at: Instant; cell: Cell } {
    const table = this.#table;
    const away = tries < 10 ? 0 : Math.ceil((tries - 9) / 2);
    const shift = Math.min(away * away, MOST_DAYS) * MICROS_PER_DAY * (tries % 2 === 0 ? 1 : -1);
    const delay = table.spec?.available.kind === "after" ? table.spec.available.delay : null;
    const lag = (table.available[template] as number) - (table.valid[template] as number);
    const moved = (delay === null ? available - lag : addDuration(this.zone, available, delay, -1)) + shift;
    const at = instant(table.forward ? moved : Math.min(moved, available));
    const cell = cellOf(table, template, table.validColumn) ?? null;
    return typeof cell === "string" ? spelledLike(cell, this.zone, at) : { at, cell };
  }

  /** Another key of the same look: other digits, a number near by, letters in another order, then more of them. */
  #mutate(column: number, cell: Cell, tries: number): Cell {
    if (typeof cell === "boolean") return this.#dice.below(2) === 1;
    if (typeof cell === "number") {
      const step = 1 + this.#dice.below(1000 * (tries + 1));
      return Number.isSafeInteger(Math.trunc(cell)) ? cell + step : cell / (1 + step);
    }
    if (cell === null) return cell;
    if (/\d/.test(cell) && tries < limits.plantDraws)
      return cell.replace(/\d/g, () => String(this.#dice.below(10)));
    const letters = [...cell];
    for (let i = letters.length - 1; i > 0; i--) {
      const j = this.#dice.below(i + 1);
      [letters[i], letters[j]] = [letters[j] as string, letters[i] as string];
    }
    if (tries < 10) return letters.join("");
    const donor = [...String(cellOf(this.#table, this.#drawVersion(), column) ?? ""), ...letters];
    const more = Array.from({ length: 1 + this.#dice.below(tries) }, () =>
      donor.length === 0 ? "a" : (donor[this.#dice.below(donor.length)] as string),
    );
    return letters.join("") + more.join("");
  }
}

/** The plants that a reader's door holds, and those of the probe's. */
export const readerPlants = (plants: TablePlants): readonly PlantedRow[] => [plants.revision, plants.newKey];
export const probePlants = (plants: TablePlants): readonly PlantedRow[] => [
  plants.past,
  plants.revision,
  plants.newKey,
];
