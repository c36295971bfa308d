/** A table of label intervals without a case set: id, t0, t1. */
import { type Instant, parseDay, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { firstInstant } from "../core/local-time.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { type LabelIntervals, labelIntervals } from "./label-intervals.ts";
import { openTableRows, type TableRows } from "./table-rows.ts";

/** One kind in all cells of a table. */
type TimeKind = "instant" | "date" | "day";

const KNOWN = "a table of label intervals has the columns id, t0, t1";

/**
 * Reads `.csv` or `.jsonl` with columns id, t0, t1; others are let be. Times are RFC 3339 instants, or local dates
 * (their first instant in `zone`), or whole numbers of days on a calendar of their own. Every fault is refused with its line.
 */
export async function readIntervals(file: string, place: Place, zone: string): Promise<LabelIntervals> {
  const { columns, rows } = (await openTableRows(file, place)) as TableRows;
  if (columns.length === 0) refuse("SelectionEmpty", { place, selection: "the file", of: 0 });
  const [id, start, end] = ["id", "t0", "t1"].map((column) => columns.indexOf(column)) as unknown as Triple;
  if (id < 0) refuse("ColumnUnknown", { place: `${place}:1`, column: "id", known: columns, next: KNOWN });
  const ids: string[] = [];
  const lines: number[] = [];
  const t0: number[] = [];
  const t1: number[] = [];
  const times = timeReader(place, zone);
  for await (const { line, cells } of rows) {
    const at = `${place}:${line}`;
    if (ids.length >= limits.cases)
      refuse("LimitExceeded", { place: at, what: "cases", found: limits.cases + 1, limit: limits.cases });
    const name = idIn(cells[id] ?? null, at);
    if (start < 0 || end < 0) refuse("EvalLabelIntervalMissing", { place: at, id: name, columns });
    ids.push(name);
    lines.push(line);
    t0.push(times.read(cells[start] ?? null, line, "t0"));
    t1.push(times.read(cells[end] ?? null, line, "t1"));
  }
  return labelIntervals(
    { ids, t0: Float64Array.from(t0), t1: Float64Array.from(t1) },
    times.unit() === "day" ? { unit: "day", zone: "UTC" } : { unit: "instant", zone },
    (index) => (index < lines.length ? `${place}:${lines[index]}` : place),
  );
}

type Triple = readonly [number, number, number];

function idIn(cell: Cell, place: Place): string {
  if (typeof cell === "string" && cell !== "") return cell;
  return refuse("CellInvalid", {
    place,
    column: "id",
    found: cell === null ? "" : String(cell),
    expected: "a text: the case's name",
    next: "each case has an id of its own",
  });
}

const KINDS: { readonly [kind in TimeKind]: string } = {
  instant: "an instant",
  date: "a date",
  day: "a whole number of days",
};

/** Reads cells of the kind that the first of them has; NaN where there is none. */
function timeReader(place: Place, zone: string) {
  let kind: TimeKind | null = null;
  let first = 0;
  const read = (cell: Cell, line: number, column: string): number => {
    if (cell === null || cell === "") return Number.NaN;
    const [at, text, own] = [`${place}:${line}`, String(cell), kindOf(cell)];
    if (kind === null) [kind, first] = [own, line];
    if (own !== kind)
      refuse("CellInvalid", {
        place: at,
        column,
        found: text,
        expected: `${KINDS[kind]}, as the first time of the table is (line ${first})`,
        next: "all times of a table are instants (2024-03-05T14:00:00Z), dates, or whole numbers of days",
      });
    if (kind === "instant") return parseInstant(text, at, `column ${column}`) as Instant;
    return kind === "date" ? dateIn(text, at, column, zone) : dayIn(text, at, column);
  };
  return { read, unit: (): "instant" | "day" => (kind === "day" ? "day" : "instant") };
}

function kindOf(cell: string | number | boolean): TimeKind {
  const text = String(cell);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return "date";
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? "day" : "instant";
}

function dateIn(text: string, place: Place, column: string, zone: string): number {
  const day = parseDay(text);
  if (day !== undefined && Math.abs(day) < MOST_DAYS) return firstInstant(zone, day);
  return refuse("InstantInvalid", {
    place,
    subject: `column ${column}`,
    found: text,
    expected: "a day of the calendar, between the years 1685 and 2254",
  });
}

/** Of 1970: their first instants are safe integers of microseconds in every zone. */
const MOST_DAYS = 104_000;

/** Beyond some 27,000 years a number is no day: it is a date run together, or the seconds of a clock. */
function dayIn(text: string, place: Place, column: string): number {
  const day = /^(0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(day) <= limits.dayNumber) return day;
  return refuse("CellInvalid", {
    place,
    column,
    found: text,
    expected: `a whole number of days from -${limits.dayNumber} to ${limits.dayNumber}`,
    next: "a number counts days; a date is written 2024-03-05, an instant 2024-03-05T14:00:00Z",
  });
}
