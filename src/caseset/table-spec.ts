/** A table as a case set declares it: key, valid time, available time, column types, labels. */
import { type Static, Type } from "@sinclair/typebox";
import { type Duration, parseDuration } from "../core/duration.ts";
import { checkZone } from "../core/local-time.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import type { PlaceOf } from "../core/schema.ts";

const strictly = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200, description: "a name" });

const columnList = Type.Array(name, {
  minItems: 1,
  maxItems: 16,
  uniqueItems: true,
  description: "a list of columns, each once",
});

/** As it stands on disk under `tables:`. */
export const TableOnDisk = Type.Object(
  {
    rows: Type.Union([Type.Object({ source: name }, strictly), Type.Object({ file: name }, strictly)], {
      description: "{source: NAME} or {file: PATH}",
    }),
    key: columnList,
    valid_time: Type.Union(
      [
        Type.Object({ column: name, zone: Type.Optional(name) }, strictly),
        Type.Object({ from: name, to: name, zone: Type.Optional(name) }, strictly),
      ],
      { description: "{column: NAME, zone: ZONE} or {from: NAME, to: NAME}" },
    ),
    available_time: Type.Optional(
      Type.Union(
        [
          Type.Object({ after: Type.Literal("valid_time"), delay: Type.String() }, strictly),
          Type.Object({ column: name, zone: Type.Optional(name) }, strictly),
          Type.Record(Type.String(), Type.String({ pattern: "^P" }), strictly),
        ],
        { description: "{after: valid_time, delay: P1D}, {column: NAME}, or a delay for each column" },
      ),
    ),
    columns: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.Literal("string"), Type.Literal("number"), Type.Literal("boolean")], {
          description: "string, number or boolean",
        }),
        strictly,
      ),
    ),
    entity: Type.Optional(name),
    text: Type.Optional(columnList),
    zone: Type.Optional(name),
    row_policy: Type.Optional(name),
    forward: Type.Optional(Type.Boolean()),
  },
  strictly,
);
export type TableOnDisk = Static<typeof TableOnDisk>;

export type ColumnType = "string" | "number" | "boolean";

export type AvailableTime =
  | { readonly kind: "after"; readonly delay: Duration }
  | { readonly kind: "column"; readonly column: string; readonly zone: string | null }
  | { readonly kind: "per-column"; readonly delays: ReadonlyMap<string, Duration> };

export type TableSpec = {
  readonly name: string;
  readonly place: Place;
  readonly rows: TableOnDisk["rows"];
  readonly key: readonly string[];
  /** Column of the valid time (the start, where it is a span), and the zone of its local dates. */
  readonly validColumn: string;
  /** Column of the instant from which a row is no longer true; null: its valid time is no span. */
  readonly endColumn: string | null;
  readonly zone: string | null;
  readonly available: AvailableTime;
  readonly columns: ReadonlyMap<string, ColumnType>;
  readonly entity: string | null;
  /** Columns of texts that are searched; none: the table is not searched. */
  readonly text: readonly string[];
  /** Rows may speak of times after they were available; their valid time is then not bounded. */
  readonly forward: boolean;
  readonly onDisk: TableOnDisk;
};

/** Checks what a schema cannot: zones, durations, that an available time is declared. */
export function parseTableSpec(
  table: string,
  disk: TableOnDisk,
  zone: string | null,
  placeOf: PlaceOf,
  complain: Complain = strict,
): TableSpec | undefined {
  const base = `/tables/${table.replace(/~/g, "~0").replace(/\//g, "~1")}`;
  const own = disk.valid_time.zone;
  const subject = `tables.${table}.valid_time.zone`;
  const known = own === undefined || checkZone(own, placeOf(`${base}/valid_time/zone`), subject, complain);
  const available = parseAvailable(table, disk, base, placeOf, complain);
  const texts = checkText(table, disk, placeOf(`${base}/text`), complain);
  const spans = checkSpan(table, disk, placeOf(`${base}/valid_time`), complain);
  if (available === undefined || !known || !texts || !spans) return undefined;
  return {
    name: table,
    place: placeOf(base),
    rows: disk.rows,
    key: disk.key,
    validColumn: "column" in disk.valid_time ? disk.valid_time.column : disk.valid_time.from,
    endColumn: "to" in disk.valid_time ? disk.valid_time.to : null,
    zone: own ?? zone,
    available,
    columns: new Map(Object.entries(disk.columns ?? {})),
    entity: disk.entity ?? null,
    text: disk.text ?? [],
    forward: disk.forward ?? false,
    onDisk: disk,
  };
}

/** Whether each text column may hold texts: none is declared to hold something else. */
function checkText(table: string, disk: TableOnDisk, place: Place, complain: Complain): boolean {
  const other = disk.text?.find((column) => (disk.columns?.[column] ?? "string") !== "string");
  if (other === undefined) return true;
  const found = `${other}, a column of ${disk.columns?.[other]}s`;
  complain("FieldInvalid", { place, field: `tables.${table}.text`, found, expected: "columns of strings" });
  return false;
}

/** Whether a span's end is another column than its start, and none of the key: a corrected end is a version of the same row. */
function checkSpan(
  table: string,
  { key, valid_time }: TableOnDisk,
  place: Place,
  complain: Complain,
): boolean {
  if (!("to" in valid_time)) return true;
  const { from, to } = valid_time;
  if (to !== from && !key.includes(to)) return true;
  const found = `${to}, ${to === from ? "which is `from` as well" : "a column of the key"}`;
  const expected = "a column of its own, since a corrected end is a version of the same row";
  complain("FieldInvalid", { place, field: `tables.${table}.valid_time.to`, found, expected });
  return false;
}

function parseAvailable(
  table: string,
  disk: TableOnDisk,
  base: string,
  placeOf: PlaceOf,
  complain: Complain,
): AvailableTime | undefined {
  const declared = disk.available_time;
  if (declared === undefined) {
    complain("TableAvailableTimeMissing", { place: placeOf(base), table });
    return undefined;
  }
  const place = placeOf(`${base}/available_time`);
  const subject = `tables.${table}.available_time`;
  if ("after" in declared && declared.after === "valid_time") {
    const delay = parseDuration(declared["delay"], place, `${subject}.delay`, complain);
    return delay && { kind: "after", delay };
  }
  if ("column" in declared && !String(declared.column).startsWith("P")) {
    const { column, zone } = declared as { column: string; zone?: string };
    const known =
      zone === undefined ||
      checkZone(zone, placeOf(`${base}/available_time/zone`), `${subject}.zone`, complain);
    if (!known) return undefined;
    return { kind: "column", column, zone: zone ?? null };
  }
  const delays = new Map<string, Duration>();
  for (const [column, text] of Object.entries(declared as Record<string, string>)) {
    const delay = parseDuration(text, place, `${subject}.${column}`, complain);
    if (delay === undefined) return undefined;
    delays.set(column, delay);
  }
  return { kind: "per-column", delays };
}
