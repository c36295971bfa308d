/** From a table of the store to quotes: each cell that is a price, each version of it, with its own available instant. */
import type { Instant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { rowRef } from "../core/row-ref.ts";
import { cellOf, keyCells, type Table } from "../store/table.ts";
import type { Quote } from "./quotes.ts";

/**
 * The prices of a table's columns, key by key, by available time. An entity is the cell of the table's entity column; a
 * table without one is one entity, by its name. An empty cell is no price, a version that changes none is no version,
 * and a price that was withdrawn stands until the next. `entities`: only these. Refuses ColumnUnknown, and FieldInvalid
 * for a column that is not of numbers.
 */
export function quotesOfTable(
  table: Table,
  columns: readonly string[],
  entities: ReadonlySet<string> | null = null,
  place: Place = table.spec?.place ?? table.name,
  complain: Complain = strict,
): Iterable<Quote> {
  const indexes: number[] = [];
  for (const column of columns) {
    const index = table.columnIndex.get(column);
    const type = table.columns[index ?? -1]?.type;
    if (index === undefined)
      complain("ColumnUnknown", { place, column, known: table.columns.map(({ name }) => name) });
    else if (type !== "number")
      complain("FieldInvalid", {
        place,
        field: column,
        found: `a column of ${type}s`,
        expected: "a column of numbers",
      });
    else indexes.push(index);
  }
  return quotesOfColumns(table, indexes, entities);
}

function* quotesOfColumns(table: Table, columns: readonly number[], entities: ReadonlySet<string> | null) {
  for (let key = 0; key < table.keys; key++) {
    const last: (Quote | undefined)[] = columns.map(() => undefined);
    for (let v = table.keyStart[key] as number; v < (table.keyStart[key + 1] as number); v++) {
      const entity = table.retracted?.[v] === 1 ? null : entityOf(table, v);
      if (entity === null || entities?.has(entity) === false) continue;
      for (const [i, column] of columns.entries()) {
        const value = cellOf(table, v, column);
        if (typeof value !== "number") continue;
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
