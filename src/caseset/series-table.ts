/** A table of series without a case set: one row a period, its first column when the period ended, each other one series. */
import {
  dayNumber,
  formatDay,
  formatInstant,
  MICROS_PER_DAY,
  parseDay,
  parseInstant,
} from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { parseWall } from "../core/local-time.ts";
import { parseMonth } from "../core/month.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { cellNumber, openTableRows, type TableRow, type TableRows } from "./table-rows.ts";

export type SeriesTable = {
  readonly place: Place;
  /** The rows' times are days of a calendar, or instants. */
  readonly time: "day" | "instant";
  /** Strictly ascending: microseconds, a day's at its start in UTC. */
  readonly at: Float64Array;
  /** In the order of the columns, each with a value a row. */
  readonly series: readonly { readonly name: string; readonly values: Float64Array }[];
};

/**
 * Reads `.csv` or `.jsonl`: the first column holds days (`2024-03-05`) or instants (RFC 3339), all of one kind, each
 * later than the one before; every further column is a series, and each of its cells a number. An empty cell is refused
 * as every other fault is, with its line: a period is never left out.
 */
export async function readSeries(file: string, place: Place): Promise<SeriesTable> {
  const opened = (await openTableRows(file, place)) as TableRows;
  const columns = [...opened.columns];
  if (columns.length === 0) refuse("SelectionEmpty", { place, selection: "the file", of: 0 });
  checkColumns(columns, place);
  const times = ascendingTimes(place, columns[0] as string);
  const values = columns.slice(1).map((): number[] => []);
  for await (const row of opened.rows) {
    const at = `${place}:${row.line}`;
    if (row.cells.length !== columns.length)
      refuse("UnknownKey", { place: at, key: opened.columns.at(-1) as string, known: columns });
    times.add(row);
    for (const [i, series] of values.entries())
      series.push(numberIn(row.cells[i + 1] ?? null, columns[i + 1] as string, at));
    const found = times.count() * values.length;
    if (found > limits.seriesCells)
      refuse("LimitExceeded", { place: at, what: "cells", found, limit: limits.seriesCells });
  }
  if (times.count() === 0) refuse("SelectionEmpty", { place, selection: "a file without rows", of: 0 });
  const series = values.map((own, i) => ({ name: columns[i + 1] as string, values: Float64Array.from(own) }));
  return { place, ...times.finish(), series };
}

function checkColumns(columns: readonly string[], place: Place): void {
  const header = `${place}:1`;
  const first = columns[0] as string;
  if (isTime(first))
    refuse("FieldInvalid", {
      place: header,
      field: "header",
      found: columns.slice(0, 5).join(", "),
      expected: "the names of the columns, such as `date,rule-a,rule-b`: the rows begin in the second line",
    });
  if (columns.length < 2)
    refuse("FieldInvalid", {
      place: header,
      field: "columns",
      found: columns.join(", "),
      expected:
        "a column of days or instants, and at least one series beside it, with commas between, such as `date,rule-a`",
    });
  if (columns.length - 1 > limits.seriesColumns)
    refuse("LimitExceeded", {
      place: header,
      what: "series",
      found: columns.length - 1,
      limit: limits.seriesColumns,
    });
}

/** A header is names: a day or an instant in its place is a row of a file without one. */
const isTime = (text: string) =>
  parseDay(text) !== undefined || parseWall(text.replace(/(Z|[+-]\d\d:\d\d)$/, "")) !== undefined;

/** Takes the times of rows in the file's order; each is of the first one's kind, and later than the one before. */
function ascendingTimes(place: Place, column: string) {
  const at: number[] = [];
  let time: SeriesTable["time"] = "instant";
  let last = { line: 0, text: "" };
  const add = ({ line, cells }: TableRow) => {
    const here = `${place}:${line}`;
    const cell = cells[0] ?? null;
    const text = cell === null ? "" : String(cell);
    const isDay = parseDay(text) !== undefined;
    if (at.length === 0) time = isDay ? "day" : "instant";
    else if (isDay !== (time === "day"))
      refuse("InstantInvalid", {
        place: here,
        subject: `column ${column}`,
        found: text,
        expected: `${time === "day" ? "a day such as 2024-03-05" : "an instant such as 2024-03-05T21:00:00Z"}, as the rows before it`,
        next: "either all rows have days, or all have instants",
      });
    const value = isDay ? startOfDay(text, here, column) : instantIn(text, here, column);
    const before = at.at(-1);
    if (before !== undefined && value <= before)
      refuse("CellInvalid", {
        place: here,
        column,
        found: text,
        expected: `later than ${last.text}, the row before it (${place}:${last.line})`,
        next: "a row is one period, each once, in the order of time",
      });
    at.push(value);
    last = { line, text };
  };
  return { add, count: () => at.length, finish: () => ({ time, at: Float64Array.from(at) }) };
}

const startOfDay = (day: string, place: Place, column: string): number =>
  parseInstant(`${day}T00:00:00Z`, place, `column ${column}`) as number;

function instantIn(text: string, place: Place, column: string): number {
  const invalid = (expected: string, next: string) =>
    refuse("InstantInvalid", { place, subject: `column ${column}`, found: text, expected, next });
  const month = parseMonth(text);
  if (month !== undefined)
    invalid("a day or an instant", `of a month take its last day, ${formatDay(firstDayOf(month + 1) - 1)}`);
  if (parseWall(text) !== undefined)
    invalid("an offset too, as in 2024-03-05T21:00:00Z", "or days alone, such as 2024-03-05, in all rows");
  if (/^\d{4}-\d{2}-\d{2}$/.test(text))
    invalid("a day of the calendar", "one that there is, such as 2024-02-29");
  if (!/^\d{4}-\d{2}-\d{2}T/i.test(text))
    invalid(
      "a day such as 2024-03-05, or an instant such as 2024-03-05T21:00:00Z",
      "the first column says when each period ended, whatever its name; every other one is a series",
    );
  return parseInstant(text, place, `column ${column}`) as number;
}

const firstDayOf = (month: number) => dayNumber(Math.floor(month / 12), (month % 12) + 1, 1);

function numberIn(cell: Cell, column: string, place: Place): number {
  const value = cellNumber(cell, limits.outcome);
  if (value !== undefined) return value;
  return refuse("CellInvalid", {
    place,
    column,
    found: cell === null ? "" : String(cell),
    expected: `a number from -${limits.outcome} to ${limits.outcome}`,
    next:
      cell === null
        ? "a series has a value in every row: 0 where nothing was held, or let the table begin where every series does"
        : "one number a cell, with a decimal point and without a percent sign",
  });
}

/** `2024-03-05` of a row, or its whole instant where the times are instants. */
export function seriesTime({ time, at }: SeriesTable, row: number): string {
  const value = at[row] as number;
  return time === "day" ? formatDay(value / MICROS_PER_DAY) : formatInstant(value);
}
