/** What a staged row is made with: cells of rows as they stood at a horizon, and the times that its table would give it. */
import { addDuration } from "../core/duration.ts";
import { type Instant, instant, MICROS_PER_DAY } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Stream } from "../core/random.ts";
import { type Cell, rowRef } from "../core/row-ref.ts";
import { availableOrder, countUpTo } from "./as-of.ts";
import { overlayRow, type PlantedRow } from "./overlay.ts";
import { findKey } from "./select.ts";
import { type Column, cellOf, type Table } from "./table.ts";
import { spelledLike } from "./time-spelling.ts";

/** An instant as a table writes it, and the one that this spelling says: a date is its first instant. */
export type Spelled = { readonly at: Instant; readonly cell: Cell };

/** As the cells of a column are written, of an empty one as those of the valid time. Any row shows how, and nothing else. */
export function spelledAs(table: Table, column: number, zone: string, at: Instant): Spelled {
  const look = firstText(table, column) ?? firstText(table, table.validColumn);
  return look === null ? { at, cell: null } : spelledLike(look, zone, at);
}

/**
 * When a row of a valid time becomes available, whole; of a table whose rows say it themselves, at `said`, and what their
 * column says (else no cell).
 */
export function availableAs(
  table: Table,
  zone: string,
  valid: Instant,
  said: Instant,
): { readonly at: Instant; readonly cell?: Cell } {
  const available = table.spec?.available;
  if (available === undefined) return { at: said };
  if (available.kind === "after") return { at: addDuration(zone, valid, available.delay) };
  if (available.kind === "column") {
    const column = table.availableColumn as number;
    const spelled = spelledAs(table, column, available.zone ?? zone, said);
    // A date of another zone begins at another time: a row is not there before it is true.
    return spelled.at >= valid || table.forward
      ? spelled
      : spelledAs(table, column, available.zone ?? zone, instant(said + MICROS_PER_DAY));
  }
  const stages = [...available.delays.values()].map((delay) => addDuration(zone, valid, delay));
  return { at: instant(Math.max(...stages)) };
}

/** A staged row's times, and its cells by column; one that is not there is of some row available by the horizon. */
export type StagedParts = {
  readonly valid: Instant;
  readonly end: number;
  readonly available: Instant;
  readonly cells: ReadonlyMap<number, Cell>;
};

export type StagedDraw = {
  readonly horizon: Instant;
  readonly dice: Stream;
  /** References that are taken; the row's own is added. */
  readonly taken: Set<string>;
};

/**
 * The row, under a key that no row of the table has and that is not taken: columns of the key that are neither the entity
 * nor the valid time are drawn until it is; null where none is found.
 */
export function stagedRow(table: Table, parts: StagedParts, draw: StagedDraw): PlantedRow | null {
  const { valid, end, available } = parts;
  const { dice, taken } = draw;
  const cells = table.columns.map((_, column) =>
    parts.cells.has(column) ? (parts.cells.get(column) as Cell) : drawCell(table, column, draw),
  );
  for (let tries = 0; tries < limits.plantDraws; tries++) {
    for (const column of table.keyColumns) {
      const stands = column === table.entity || column === table.validColumn;
      if (cells[column] === null) cells[column] = someKey(table, column, dice);
      else if (tries > 0 && !stands) cells[column] = another(cells[column] as Cell, dice);
    }
    const key = table.keyColumns.map((column) => cells[column] as Cell);
    const ref = rowRef(table.name, key);
    if (findKey(table, key) >= 0 || taken.has(ref)) continue;
    taken.add(ref);
    return overlayRow(table, { kind: "staged", keyId: -1, key, valid, end, available, cells });
  }
  return null;
}

/** Of a version available at the horizon, drawn; null where none has the cell. */
function drawCell(table: Table, column: number, { horizon, dice }: StagedDraw): Cell {
  const order = availableOrder(table);
  const seen = countUpTo(order.available, horizon);
  for (let i = 0; seen > 0 && i < limits.plantDraws; i++) {
    const version = order.versions[dice.below(seen)] as number;
    const cell = cellOf(table, version, column);
    if (cell !== undefined && table.retracted?.[version] !== 1) return cell;
  }
  return null;
}

function someKey(table: Table, column: number, dice: Stream): Cell {
  const { type } = table.columns[column] as Column;
  if (type === "string") return redrawn(firstText(table, column) ?? "a", dice);
  return type === "number" ? 1 : false;
}

function another(cell: Cell, dice: Stream): Cell {
  if (typeof cell === "number") return cell + 1 + dice.below(1000);
  return typeof cell === "string" ? redrawn(cell, dice) : !cell;
}

const alphabets = ["0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The same look: a digit for a digit, a letter for a letter; other characters stand. */
export function redrawn(text: string, dice: Stream): string {
  return [...text]
    .map((character) => {
      const alphabet = alphabets.find((each) => each.includes(character));
      return alphabet === undefined ? character : (alphabet[dice.below(alphabet.length)] as string);
    })
    .join("");
}

const texts = new WeakMap<Table, (string | null)[]>();

/** The first text of a column; null where it has none. */
function firstText(table: Table, column: number): string | null {
  const known = texts.get(table) ?? [];
  texts.set(table, known);
  known[column] ??= searchText(table, column);
  return known[column] as string | null;
}

function searchText(table: Table, column: number): string | null {
  for (let version = 0; version < table.count; version++) {
    const cell = cellOf(table, version, column);
    if (typeof cell === "string") return cell;
  }
  return null;
}
