/** Plants: rows of one case that a door must not serve before their instant, and one that it must serve at it. */
import { sha256Hex } from "../core/digest.ts";
import { addDuration, type Duration, parseDuration } from "../core/duration.ts";
import { formatDay, formatInstant, type Instant, instant, MICROS_PER_DAY } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { firstInstant, localDay, localInstant, localWall } from "../core/local-time.ts";
import { type Stream, streamOf } from "../core/random.ts";
import { type Cell, rowRef } from "../core/row-ref.ts";
import { availableOrder, countUpTo } from "./as-of.ts";
import { compareKeyCells, type PlantedRow, type PlantKind } from "./overlay.ts";
import { findKey } from "./select.ts";
import { cellOf, keyCells, rowText, servedRowText, type Table } from "./table.ts";

/** The plants of one case in one table, and the real row that the revision would hide: its bytes and their digest. */
export type TablePlants = {
  readonly past: PlantedRow;
  readonly revision: PlantedRow;
  readonly newKey: PlantedRow;
  readonly real: { readonly text: string; readonly digest: string };
};

const ONE_DAY = parseDuration("P1D", "plants", "new key") as Duration;

/**
 * The plants of a case, drawn from the secret, the case's id and the table's name; null where no row is visible at
 * the horizon (`not exercised`). Values come, per column, from versions available at the horizon. O(log n).
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
  const past = next < 0 ? garden.newKey("past", horizon, []) : garden.revise(top, "past", horizon);
  const newKey = garden.newKey("new-key", addDuration(garden.zone, horizon, ONE_DAY), [past.key]);
  const text = rowText(table, revised);
  return { past, revision, newKey, real: { text, digest: sha256Hex(text) } };
}

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
  revise(version: number, kind: PlantKind, available: Instant): PlantedRow {
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
  newKey(kind: PlantKind, available: Instant, taken: readonly (readonly Cell[])[]): PlantedRow {
    const table = this.#table;
    for (let tries = 0; ; tries++) {
      const template = this.#drawVersion();
      const { at, cell } = this.#validTime(template, available, tries);
      const key = table.keyColumns.map((column) => {
        if (column === table.validColumn) return cell;
        const old = cellOf(table, template, column) ?? null;
        return table.keyColumns.includes(table.validColumn) && tries < limits.plantDraws / 2
          ? old
          : this.#mutate(old, tries);
      });
      const known = findKey(table, key);
      const free = known < 0 || (table.available[table.keyStart[known] as number] as number) > this.#horizon;
      if (free && taken.every((other) => compareKeyCells(other, key) !== 0))
        return this.#grow(kind, template, key, at, cell, available);
      if (tries > 10 * limits.plantDraws) throw new RangeError(`no new key found for table ${table.name}`);
    }
  }

  /** Draws the free cells until no real row has the same bytes; the plant is known by its digest alone. */
  #grow(
    kind: PlantKind,
    template: number,
    key: readonly Cell[],
    valid: Instant,
    validCell: Cell,
    available: Instant,
  ): PlantedRow {
    const table = this.#table;
    const keyId = findKey(table, key);
    const ref = rowRef(table.name, key);
    for (let draws = 0; ; draws++) {
      const cells = table.columns.map((_, column) => this.#cell(template, column, key, validCell, available));
      const text = servedRowText(ref, available, table, (column) => cells[column]);
      if (!this.#isReal(keyId, available, text)) {
        return {
          table: table.name,
          kind,
          keyId,
          key,
          valid,
          available,
          cells,
          ref,
          text,
          digest: sha256Hex(text),
        };
      }
      if (draws >= limits.plantDraws) throw new RangeError(`every plant drawn for ${ref} is a real row`);
    }
  }

  #cell(template: number, column: number, key: readonly Cell[], validCell: Cell, available: Instant): Cell {
    const table = this.#table;
    const inKey = table.keyColumns.indexOf(column);
    if (inKey >= 0) return key[inKey] as Cell;
    if (column === table.validColumn) return validCell;
    const own = cellOf(table, template, column) ?? null;
    if (column === table.availableColumn)
      return typeof own === "string" ? spelledLike(own, this.zone, available).cell : own;
    if (column === table.entity) return own;
    for (let i = 0; i < limits.plantDraws; i++) {
      const cell = cellOf(table, this.#drawVersion(), column);
      if (cell !== undefined) return cell;
    }
    return null;
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

  /** As far before the plant's available time as the table's rows are, spelled as its rows are. */
  #validTime(template: number, available: Instant, tries: number): { at: Instant; cell: Cell } {
    const table = this.#table;
    const shift = tries < 10 ? 0 : (tries - 9) * MICROS_PER_DAY;
    const delay = table.spec?.available.kind === "after" ? table.spec.available.delay : null;
    const lag = (table.available[template] as number) - (table.valid[template] as number);
    const at = instant(
      (delay === null ? available - lag : addDuration(this.zone, available, delay, -1)) + shift,
    );
    const cell = cellOf(table, template, table.validColumn) ?? null;
    return typeof cell === "string" ? spelledLike(cell, this.zone, at) : { at, cell };
  }

  /** Another key of the same look: other digits, a number near by, letters in another order. */
  #mutate(cell: Cell, tries: number): Cell {
    if (typeof cell === "number") return cell + 1 + this.#dice.below(1000 * (tries + 1));
    if (typeof cell !== "string") return cell;
    if (/\d/.test(cell) && tries < limits.plantDraws)
      return cell.replace(/\d/g, () => String(this.#dice.below(10)));
    const letters = [...cell];
    for (let i = letters.length - 1; i > 0; i--) {
      const j = this.#dice.below(i + 1);
      [letters[i], letters[j]] = [letters[j] as string, letters[i] as string];
    }
    const donor = [...String(keyCells(this.#table, this.#drawVersion())[0])];
    return tries < 10
      ? letters.join("")
      : letters.join("") + donor.slice(0, 1 + this.#dice.below(donor.length)).join("");
  }
}

/** An instant in the spelling of another cell: a date (its first instant then counts), a local time, or RFC 3339. */
function spelledLike(cell: string, zone: string, at: Instant): { at: Instant; cell: string } {
  if (/^\d{4}-\d{2}-\d{2}$/.test(cell)) {
    const day = localDay(zone, at);
    return { at: firstInstant(zone, day), cell: formatDay(day) };
  }
  if (/Z$|[+-]\d{2}:\d{2}$/.test(cell)) return { at, cell: formatInstant(at) };
  const wall = Math.floor(localWall(zone, at) / 1_000_000) * 1_000_000;
  return { at: localInstant(zone, wall), cell: formatInstant(wall).slice(0, cell.length < 19 ? 16 : 19) };
}

/** The plants that a reader's door holds, and those of the probe's. */
export const readerPlants = (plants: TablePlants): readonly PlantedRow[] => [plants.revision, plants.newKey];
export const probePlants = (plants: TablePlants): readonly PlantedRow[] => [
  plants.past,
  plants.revision,
  plants.newKey,
];
