/** The rows of a table's file as a stream of cells, each row with its line. */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { countLines, readBlocks, readLines } from "../core/lines.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { parseJson } from "../core/strict-json.ts";

/** The columns in the file's order, then the rows. CSV cells are texts (`""` is absent); JSON cells keep their types. */
export type TableRows = {
  readonly format: "csv" | "jsonl";
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<TableRow> | Iterable<TableRow>;
};
export type TableRow = { readonly line: number; readonly cells: readonly Cell[] };

/** As JSON spells a number, or without its first 0. */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number that a cell holds or spells, of at most this size; undefined where it is none. */
export function cellNumber(cell: Cell, most: number): number | undefined {
  const value = typeof cell === "string" && NUMBER.test(cell) ? Number(cell) : cell;
  return typeof value === "number" && Math.abs(value) <= most ? value : undefined;
}

/** Opens `.csv` or `.jsonl`. A row with more or fewer cells than the header, or an unknown key, is refused. */
export async function openTableRows(
  file: string,
  place: Place,
  complain: Complain = strict,
): Promise<TableRows | undefined> {
  if (file.endsWith(".csv")) return openCsv(file, place, complain);
  if (file.endsWith(".jsonl")) return openJsonLines(file, place, complain);
  complain("FieldInvalid", {
    place,
    field: "rows",
    found: file.slice(file.lastIndexOf("/") + 1),
    expected: "a file that ends in .csv or .jsonl",
  });
  return undefined;
}

type CsvRecord = { record: string[]; info: { lines: number } };

async function openCsv(file: string, place: Place, complain: Complain): Promise<TableRows | undefined> {
  const records = csvRecords(file, place, complain);
  const first = await records.next();
  if (first.done) {
    complain("CsvInvalid", { place: `${place}:1`, problem: "no header line, expected the columns' names" });
    return undefined;
  }
  const columns = first.value.record;
  const twice = columns.find((column, i) => column === "" || columns.indexOf(column) !== i);
  if (twice !== undefined) {
    complain("CsvInvalid", {
      place: `${place}:1`,
      problem: twice === "" ? "a column without a name" : `two columns named ${twice}`,
    });
    return undefined;
  }
  return { format: "csv", columns, rows: csvRows(records, first.value, place, complain) };
}

async function* csvRows(
  records: AsyncGenerator<CsvRecord>,
  header: CsvRecord,
  place: Place,
  complain: Complain,
): AsyncGenerator<TableRow> {
  let last = header.info.lines;
  let returns = count(header.record, "\r");
  for await (const { record, info } of records) {
    const simple = info.lines === last + 1;
    last = info.lines;
    if (!simple) returns += count(record, "\r");
    const line = info.lines - returns - (simple ? 0 : count(record, "\n"));
    if (record.length === header.record.length)
      yield { line, cells: record.map((cell) => (cell === "" ? null : cell)) };
    else
      complain("CsvInvalid", {
        place: `${place}:${line}`,
        problem: `${record.length} cells, expected ${header.record.length} as in the header`,
      });
  }
}

/**
 * csv-parse counts lines at a record's end, and in a cell CR and LF as one each: a record over several lines is named
 * by its first, and the returns of all cells so far are taken off.
 */
const count = (record: readonly string[], character: string): number =>
  record.reduce((sum, cell) => sum + cell.split(character).length - 1, 0);

async function* csvRecords(file: string, place: Place, complain: Complain): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n"],
  });
  const input = Readable.from(utf8Blocks(file, place, complain));
  input.on("error", (error) => parser.destroy(error));
  try {
    for await (const record of input.pipe(parser)) yield record as CsvRecord;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (error as CsvError & { lines?: number }).lines;
    complain("CsvInvalid", {
      place: `${place}:${line ?? 1}`,
      problem: error.message.replace(/ (on|at) line \d+$/, ""),
    });
  }
}

/** csv-parse would replace what is not UTF-8 by question marks: it is refused by its line, and the file ends there. */
function* utf8Blocks(file: string, place: Place, complain: Complain): Generator<Buffer> {
  let lines = 0;
  for (const block of readBlocks(file, place, complain)) {
    if (!isUtf8(block)) {
      const fault = block
        .toString("latin1")
        .split("\n")
        .findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
      complain("FileUnreadable", { place: `${place}:${lines + fault + 1}`, cause: "not UTF-8" });
      return;
    }
    yield block;
    lines += countLines(block);
  }
}

function openJsonLines(file: string, place: Place, complain: Complain): TableRows | undefined {
  const objects = jsonObjects(file, place, complain);
  const first = objects.next();
  if (first.done) return { format: "jsonl", columns: [], rows: [] };
  const columns = Object.keys(first.value.object);
  const known = new Map(columns.map((column, i) => [column, i]));
  const rows = function* (): Generator<TableRow> {
    for (let next = first as IteratorResult<JsonRow>; !next.done; next = objects.next()) {
      const { line, object } = next.value;
      const cells = new Array<Cell>(known.size).fill(null);
      for (const [key, cell] of Object.entries(object)) {
        let i = known.get(key);
        if (i === undefined && key === "retracted") {
          i = known.size;
          known.set(key, i);
          (columns as string[]).push(key);
        }
        if (i === undefined) complain("UnknownKey", { place: `${place}:${line}`, key, known: columns });
        else cells[i] = cell;
      }
      yield { line, cells };
    }
  };
  return { format: "jsonl", columns, rows: rows() };
}

type JsonRow = { line: number; object: Record<string, Cell> };

function* jsonObjects(file: string, place: Place, complain: Complain): Generator<JsonRow> {
  for (const { text, number } of readLines(file, place, complain)) {
    if (text.trim() === "") continue;
    const at = `${place}:${number}`;
    const value = parseJson(text, at, complain);
    if (value === undefined) continue;
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      complain("JsonInvalid", { place: at, problem: "a row is one JSON object" });
      continue;
    }
    const nested = Object.entries(value).find(([, cell]) => cell !== null && typeof cell === "object");
    if (nested !== undefined) {
      complain("CellInvalid", {
        place: at,
        column: nested[0],
        found: JSON.stringify(nested[1]),
        expected: "a text, a number, true, false or null",
      });
      continue;
    }
    yield { line: number, object: value as Record<string, Cell> };
  }
}
