/** From a table's file to columns: types inferred once and then enforced, local times turned into instants. */
import { openTableRows, type TableRow, type TableRows } from "../caseset/table-rows.ts";
import type { ColumnType, TableSpec } from "../caseset/table-spec.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { addDuration } from "../core/duration.ts";
import { formatInstant, type Instant, MICROS_PER_DAY, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { localInstant, parseWall } from "../core/local-time.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { ColumnBuilder } from "./column-builder.ts";
import { indexTable } from "./index-table.ts";
import type { Table } from "./table.ts";

/** Reads and indexes one table; `file` holds bytes whose SHA-256 is `sha256`. */
export async function readTable(
  spec: TableSpec,
  file: string,
  place: Place,
  sha256: string,
  complain: Complain = strict,
): Promise<Table | undefined> {
  const opened = await openTableRows(file, place, complain);
  if (opened === undefined) return undefined;
  const reader = columnsOf(spec, opened, place, complain);
  if (reader === undefined) return undefined;
  for await (const row of opened.rows) {
    reader.add(row);
    if (reader.count() > limits.rows) {
      complain("LimitExceeded", {
        place: `${place}:${row.line}`,
        what: "rows",
        found: reader.count(),
        limit: limits.rows,
      });
      return undefined;
    }
  }
  const digest = digestOfJson({
    bytes: `sha256:${sha256}`,
    declared: spec.onDisk as never,
    table: spec.name,
  });
  return reader.finish(digest);
}

function columnsOf(spec: TableSpec, opened: TableRows, place: Place, complain: Complain) {
  const wanted: [string, readonly string[]][] = [
    ["key", spec.key],
    ["valid_time", [spec.validColumn, ...(spec.endColumn === null ? [] : [spec.endColumn])]],
    ["available_time", spec.available.kind === "column" ? [spec.available.column] : []],
    ["columns", [...spec.columns.keys()].filter((column) => column !== "retracted")],
    ["entity", spec.entity === null ? [] : [spec.entity]],
    ["text", spec.text],
  ];
  const known = opened.columns.filter((column) => column !== "retracted");
  if (known.length === 0) {
    complain("CsvInvalid", { place, problem: "no rows, expected at least one" });
    return undefined;
  }
  let faulty = false;
  for (const [, names] of wanted) {
    for (const column of names) {
      if (known.includes(column)) continue;
      faulty = true;
      complain("ColumnUnknown", { place: spec.place, column, known });
    }
  }
  if (spec.available.kind === "per-column") {
    const dated = new Set([...spec.available.delays.keys(), ...spec.key, spec.validColumn]);
    const unknown = [...spec.available.delays.keys()].find((column) => !known.includes(column));
    if (unknown !== undefined) complain("ColumnUnknown", { place: spec.place, column: unknown, known });
    const empty = spec.available.delays.size === 0 ? spec.validColumn : undefined;
    const undated = known.find((column) => !dated.has(column)) ?? empty;
    if (undated !== undefined)
      complain("TableAvailableTimeMissing", { place: spec.place, table: spec.name, column: undated });
    faulty ||= undated !== undefined || unknown !== undefined;
  }
  return faulty ? undefined : tableReader(spec, opened, known, place, complain);
}

function tableReader(
  spec: TableSpec,
  opened: TableRows,
  known: readonly string[],
  place: Place,
  complain: Complain,
) {
  const builders = known.map(
    (column) => new ColumnBuilder(column, declaredType(spec, column), opened.format === "csv"),
  );
  const positions = known.map((column) => opened.columns.indexOf(column));
  const valid = new ColumnBuilder("valid", "number", false);
  const available = new ColumnBuilder("available", "number", false);
  const ends = new ColumnBuilder("ends", "number", false);
  const retracted = new ColumnBuilder("retracted", "number", false);
  const lines = new ColumnBuilder("line", "number", false);
  let anyRetracted = false;

  const push = (row: TableRow, { validTime, end, gone }: RowTimes, { at, shown }: Stage) => {
    builders.forEach((builder, i) => {
      builder.push(
        shown(builder.name) ? (row.cells[positions[i] as number] ?? null) : undefined,
        `${place}:${row.line}`,
        complain,
      );
    });
    valid.push(validTime, place, complain);
    available.push(at, place, complain);
    if (spec.endColumn !== null) ends.push(shown(spec.endColumn) ? end : null, place, complain);
    retracted.push(gone ? 1 : 0, place, complain);
    lines.push(row.line, place, complain);
    anyRetracted ||= gone;
  };

  const timesOf = rowTimes(spec, opened, place, complain);
  const add = (row: TableRow) => {
    const times = timesOf(row);
    if (times === undefined) return;
    for (const stage of times.stages) push(row, times, stage);
  };

  const finish = (digest: Digest): Table =>
    indexTable(
      {
        name: spec.name,
        spec,
        zone: spec.zone,
        forward: spec.forward,
        count: valid.count,
        columns: builders.map((builder) => builder.finish()),
        key: spec.key,
        validColumn: spec.validColumn,
        endColumn: spec.endColumn,
        availableColumn: spec.available.kind === "column" ? spec.available.column : null,
        entity: spec.entity,
        text: spec.text,
        valid: valid.numbers(),
        available: available.numbers(),
        ends:
          spec.endColumn === null ? null : ends.numbers().map((end) => (Number.isNaN(end) ? Infinity : end)),
        retracted: anyRetracted ? Uint8Array.from(retracted.numbers()) : null,
        lines: Int32Array.from(lines.numbers()),
        place,
        digest,
      },
      complain,
    );
  return { add, finish, count: () => valid.count };
}

/** When a row is true of the world, when it (or its cells, one after the other) became available, whether it is withdrawn. */
type RowTimes = {
  readonly validTime: Instant;
  /** null: none is known. */
  readonly end: Instant | null;
  readonly gone: boolean;
  readonly stages: readonly Stage[];
};

/** What must stand in every row: its key, its entity (unless it is withdrawn), its times; undefined where it is refused. */
function rowTimes(spec: TableSpec, opened: TableRows, place: Place, complain: Complain) {
  const validAt = opened.columns.indexOf(spec.validColumn);
  const endAt = spec.endColumn === null ? -1 : opened.columns.indexOf(spec.endColumn);
  const keyAt = spec.key.map((column) => opened.columns.indexOf(column));
  const entityAt = spec.entity === null ? -1 : opened.columns.indexOf(spec.entity);
  const availableAt = spec.available.kind === "column" ? opened.columns.indexOf(spec.available.column) : -1;
  const zone = spec.zone ?? "UTC";
  let zoneTold = false;
  return (row: TableRow): RowTimes | undefined => {
    const at = `${place}:${row.line}`;
    const missing = (column: string, what: string) => {
      const expected = `${what}, which may not be empty`;
      complain("CellInvalid", { place: at, column, found: "", expected });
      return undefined;
    };
    const empty = keyAt.findIndex((column) => (row.cells[column] ?? null) === null);
    if (empty >= 0) return missing(spec.key[empty] as string, "a key");
    const gone = isRetracted(row, opened.columns.indexOf("retracted"), at, complain);
    if (gone === false && entityAt >= 0 && (row.cells[entityAt] ?? null) === null)
      return missing(spec.entity as string, "an entity");
    if (
      spec.zone === null &&
      !zoneTold &&
      isLocal([validAt, endAt, availableAt].map((column) => row.cells[column]))
    ) {
      zoneTold = true;
      const key = `tables.${spec.name}.valid_time.zone`;
      complain("KeyMissing", { place: spec.place, key, present: Object.keys(spec.onDisk.valid_time) });
    }
    const validTime = timeOf(row.cells[validAt] ?? null, zone, at, spec.validColumn, complain);
    if (validTime === undefined || gone === undefined) return undefined;
    const end = endOf(spec, row.cells[endAt] ?? null, validTime, zone, at, complain);
    if (end === undefined) return undefined;
    const stages = availableStages(spec, row, opened, validTime, zone, at, complain);
    return { validTime, end, gone, stages };
  };
}

/** The end of a span, which is not before its start; null where no cell says it. */
function endOf(
  spec: TableSpec,
  cell: Cell,
  start: Instant,
  zone: string,
  place: Place,
  complain: Complain,
): Instant | null | undefined {
  if (spec.endColumn === null || cell === null) return null;
  const end = timeOf(cell, zone, place, spec.endColumn, complain);
  if (end === undefined || end >= start) return end;
  const expected = `an instant at or after the start in ${spec.validColumn}, ${formatInstant(start)}`;
  complain("CellInvalid", { place, column: spec.endColumn, found: String(cell), expected });
  return undefined;
}

/** Columns that hold times, or that are searched, are texts, whatever their first cell looks like. */
function declaredType(spec: TableSpec, column: string): ColumnType | null {
  const declared = spec.columns.get(column);
  if (declared !== undefined) return declared;
  const available = spec.available.kind === "column" ? spec.available.column : null;
  const times: readonly (string | null)[] = [spec.validColumn, spec.endColumn, available];
  return times.includes(column) || spec.text.includes(column) ? "string" : null;
}

type Stage = { readonly at: Instant; readonly shown: (column: string) => boolean };
const everything = () => true;

/** A delay is at most a century long. */
const CENTURY = 36_600 * MICROS_PER_DAY;

/** The instants at which a row, or its cells one after the other, became available. */
function availableStages(
  spec: TableSpec,
  row: TableRow,
  opened: TableRows,
  valid: Instant,
  zone: string,
  place: Place,
  complain: Complain,
): Stage[] {
  const { available } = spec;
  if (available.kind !== "column" && !Number.isSafeInteger(valid + CENTURY)) {
    const expected = "a valid time a century before the end of time in 2255, since a delay is added to it";
    complain("CellInvalid", { place, column: spec.validColumn, found: formatInstant(valid), expected });
    return [];
  }
  if (available.kind === "after")
    return [{ at: addDuration(zone, valid, available.delay), shown: everything }];
  if (available.kind === "column") {
    const cell = row.cells[opened.columns.indexOf(available.column)] ?? null;
    if (cell === null) {
      complain("RowAvailableTimeMissing", { place, table: spec.name, column: available.column });
      return [];
    }
    const at = timeOf(cell, available.zone ?? zone, place, available.column, complain);
    return at === undefined ? [] : [{ at, shown: everything }];
  }
  const instants = new Map(
    [...available.delays].map(([column, delay]) => [column, addDuration(zone, valid, delay)]),
  );
  // A row is there once its key and its valid time can be known.
  const first = Math.max(
    ...[...spec.key, spec.validColumn].map((column) => instants.get(column) ?? -Infinity),
  );
  const stages = [...new Set([...instants.values()].map((at) => Math.max(at, first) as Instant))];
  return stages
    .sort((a, b) => a - b)
    .map((at) => ({ at, shown: (column) => (instants.get(column) ?? at) <= at }));
}

/** Local dates need a time zone: of a set and table that name none, nobody knows when they begin. */
const isLocal = (cells: readonly (Cell | undefined)[]): boolean =>
  cells.some((cell) => typeof cell === "string" && parseWall(cell) !== undefined);

/** An instant with an offset, or a local date or date-time of the table's zone. */
function timeOf(
  cell: Cell,
  zone: string,
  place: Place,
  column: string,
  complain: Complain,
): Instant | undefined {
  if (typeof cell === "string") {
    const wall = parseWall(cell);
    if (wall !== undefined && Number.isSafeInteger(wall + 2 * MICROS_PER_DAY))
      return localInstant(zone, wall);
    if (/[Zz]$|[+-]\d{2}:\d{2}$/.test(cell)) return parseInstant(cell, place, `column ${column}`, complain);
  }
  complain("CellInvalid", {
    place,
    column,
    found: String(cell),
    expected: "a date, a local date-time or an RFC 3339 instant",
  });
  return undefined;
}

function isRetracted(row: TableRow, at: number, place: Place, complain: Complain): boolean | undefined {
  const cell = at < 0 ? null : (row.cells[at] ?? null);
  if (cell === null || cell === false || cell === "false") return false;
  if (cell === true || cell === "true") return true;
  complain("CellInvalid", { place, column: "retracted", found: String(cell), expected: "true or false" });
  return undefined;
}
