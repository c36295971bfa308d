/** The prices of a member that never was: those of a real one as known at a horizon, times a drawn factor. */
import type { Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Stream } from "../core/random.ts";
import type { Cell } from "../core/row-ref.ts";
import { select } from "../store/select.ts";
import { cellOf, type Table } from "../store/table.ts";
import { isPrice } from "./quotes.ts";

/** A member's price rows by valid time: the last before a window, and the first in it. */
export type PricePath = { readonly before: readonly number[]; readonly within: readonly number[] };

/** Rows before the window at most. */
const EARLIER = 20;

/** Rows that are whole and have a price at the horizon; null where fewer than two of them are in the window. */
export function pricePath(
  table: Table,
  columns: readonly number[],
  member: Cell,
  {
    horizon,
    window: [since, until],
  }: { readonly horizon: Instant; readonly window: readonly [Instant, Instant] },
): PricePath | null {
  const where = new Map([[table.entity as number, [member]]]);
  const query = { where, since: Number.NEGATIVE_INFINITY, until, latest: false, order: [] };
  const isPriced = (version: number) =>
    columns.some((column) => {
      const cell = cellOf(table, version, column);
      return typeof cell === "number" && isPrice(cell);
    });
  const isWhole = (version: number) =>
    table.columns.every((_, column) => cellOf(table, version, column) !== undefined);
  const rows = [...select(table, horizon, [], query).rows].filter(
    (version) => isWhole(version) && isPriced(version),
  );
  const first = rows.findIndex((version) => (table.valid[version] as number) >= since);
  if (first < 0 || rows.length - first < 2) return null;
  const within = rows.slice(first, first + limits.stagedRows - EARLIER);
  return { before: rows.slice(Math.max(0, first - EARLIER), first), within };
}

/**
 * The cells of a path's rows, prices and whatever else of numbers moves along it times one factor from a half to two, with
 * as many decimals as before.
 */
export function scaledCells(
  table: Table,
  columns: readonly number[],
  { before, within }: PricePath,
  dice: Stream,
): (version: number) => Map<number, Cell> {
  const factor = 0.5 + (1.5 * dice.below(1 << 30)) / (1 << 30);
  const rows = [...before, ...within];
  const moves = table.columns.map(({ type }, column) => {
    if (type !== "number" || table.keyColumns.includes(column)) return false;
    const seen = new Set(rows.map((version) => cellOf(table, version, column)));
    return columns.includes(column) || seen.size > 1;
  });
  return (version) =>
    new Map(
      table.columns.map((_, column) => {
        const cell = cellOf(table, version, column) ?? null;
        return [column, moves[column] && typeof cell === "number" ? scaled(cell, factor) : cell];
      }),
    );
}

/** What was above 0 stays so. */
function scaled(value: number, factor: number): number {
  const decimals = /^-?\d+(?:\.(\d+))?$/.exec(String(value));
  if (decimals === null) return value * factor;
  const digits = decimals[1]?.length ?? 0;
  const rounded = Number((value * factor).toFixed(digits));
  return rounded === 0 && value > 0 ? Number(`1e-${digits}`) : rounded;
}
