/** From a table of the store to quotes: each cell that is a price, each version of it, with its own available instant. */

import { averageDays } from "../core/duration.ts";
import type { Instant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { rowRef } from "../core/row-ref.ts";
import { dotted, type PlaceOf } from "../core/schema.ts";
import { cellOf, keyCells, rowPlace, type Table } from "../store/table.ts";
import { isPrice, type Quote } from "./quotes.ts";

/** Where a profile names the columns, as a JSON pointer. */
const COLUMNS = "/execution/prices/columns";

/**
 * The prices of a table's columns, key by key, by available time. An entity is the cell of the table's entity column; a
 * table without one is one entity, by its name. An empty cell is no price, a version that changes none is no version,
 * and a price that was withdrawn stands until the next. `entities`: only these. `place`: where the columns are named, or
 * the profile that does. Refuses ColumnUnknown, FieldInvalid for a column that is not of numbers and for columns that the
 * table has in another order of a day, and PriceInvalid with the line of the row.
 */
export function quotesOfTable(
  table: Table,
  columns: readonly string[],
  entities: ReadonlySet<string> | null = null,
  place: Place | PlaceOf = table.spec?.place ?? table.name,
  complain: Complain = strict,
): Iterable<Quote> {
  const indexes: number[] = [];
  for (const [i, column] of columns.entries()) {
    const at =
      typeof place === "string"
        ? { place, field: column }
        : { place: place(`${COLUMNS}/${i}`), field: dotted(`${COLUMNS}/${i}`) };
    const index = table.columnIndex.get(column);
    const type = table.columns[index ?? -1]?.type;
    if (index === undefined)
      complain("ColumnUnknown", {
        place: at.place,
        column,
        known: table.columns.map(({ name }) => name),
        ...(typeof place === "string" ? {} : { field: at.field }),
      });
    else if (type !== "number")
      complain("FieldInvalid", {
        ...at,
        found: typeof place === "string" ? `a column of ${type}s` : `${column}, a column of ${type}s`,
        expected: "a column of numbers",
      });
    else indexes.push(index);
  }
  checkDayOrder(table, columns, typeof place === "string" ? place : place(COLUMNS), complain);
  return quotesOfColumns(table, indexes, entities, complain);
}

/** Where each column has an available time of its own, none is known before one that is named before it. */
function checkDayOrder(
  { name, spec }: Table,
  columns: readonly string[],
  place: Place,
  complain: Complain,
): void {
  if (spec?.available.kind !== "per-column") return;
  const { delays } = spec.available;
  const dated = columns.flatMap((column) => {
    const delay = delays.get(column);
    return delay === undefined ? [] : [{ column, delay, days: averageDays(delay) }];
  });
  const inOrder = [...dated].sort((a, b) => a.days - b.days);
  if (dated.every(({ days }, i) => days === inOrder[i]?.days)) return;
  complain("FieldInvalid", {
    place,
    field: dotted(COLUMNS),
    found: columns.join(", "),
    expected: `the order of a day, ${inOrder.map(({ column, delay }) => `${column} (${delay.text})`).join(", ")}, as available_time of the table ${name} has it`,
  });
}

function* quotesOfColumns(
  table: Table,
  columns: readonly number[],
  entities: ReadonlySet<string> | null,
  complain: Complain,
) {
  for (let key = 0; key < table.keys; key++) {
    const last: (Quote | undefined)[] = columns.map(() => undefined);
    for (let v = table.keyStart[key] as number; v < (table.keyStart[key + 1] as number); v++) {
      const entity = table.retracted?.[v] === 1 ? null : entityOf(table, v);
      if (entity === null || entities?.has(entity) === false) continue;
      for (const [i, column] of columns.entries()) {
        const value = cellOf(table, v, column);
        if (typeof value !== "number") continue;
        if (!isPrice(value)) {
          const name = (table.columns[column] as Table["columns"][number]).name;
          complain("PriceInvalid", { place: rowPlace(table, v), entity, column: name, found: String(value) });
          continue;
        }
        const quote = nextQuote(table, v, entity, columns[i] as number, value, last[i]);
        if (quote === undefined) continue;
        last[i] = quote;
        yield quote;
      }
    }
  }
}

/** undefined where the version says what the one before it did. */
function nextQuote(
  table: Table,
  version: number,
  entity: string,
  column: number,
  value: number,
  before: Quote | undefined,
): Quote | undefined {
  const valid = table.valid[version] as Instant;
  const available = table.available[version] as Instant;
  const same = before?.entity === entity ? before : undefined;
  if (same !== undefined && same.value === value && same.valid === valid) return undefined;
  return {
    ref: same?.ref ?? rowRef(table.name, keyCells(table, version)),
    entity,
    column: (table.columns[column] as Table["columns"][number]).name,
    valid,
    available,
    firstAvailable: same?.firstAvailable ?? available,
    value,
  };
}

function entityOf(table: Table, version: number): string | null {
  if (table.entity === null) return table.name;
  const cell = cellOf(table, version, table.entity) ?? null;
  return cell === null ? null : String(cell);
}
