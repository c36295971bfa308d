/** Probes: the engine's own reads that prove a case's plants, presence before absence, through the door under test. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Json } from "../core/canonical.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { type Cell, rowDigest } from "../core/row-ref.ts";
import { type Door, type OpenRequest, replyText, type Store } from "../store/door.ts";
import type { PlantedRow } from "../store/overlay.ts";
import { plantTable, probePlants, readerPlants, type TablePlants } from "../store/plants.ts";
import type { Table } from "../store/table.ts";

/** The plants of one case: per table it reads, or null where nothing is visible yet (`not exercised`). */
export type CasePlants = ReadonlyMap<string, TablePlants | null>;

export function plantCase(
  store: Store,
  caseId: string,
  horizon: Instant,
  reads: readonly string[],
  zone: string,
  secret: string,
): CasePlants {
  return new Map(
    reads.map((name) => [name, plantTable(store.tables.get(name) as Table, horizon, zone, secret, caseId)]),
  );
}

export function overlayRows(plants: CasePlants, view: "reader" | "probe"): PlantedRow[] {
  const rows: PlantedRow[] = [];
  for (const table of plants.values())
    if (table !== null) rows.push(...(view === "reader" ? readerPlants(table) : probePlants(table)));
  return rows;
}

/** What one probe asked and was told; `fault` names the first answer that was not as it must be. */
export type Probe = {
  readonly name: "presence" | "absence";
  readonly table: string;
  readonly asOf: Instant;
  /** The body of its entry, made when asked for. */
  readonly text: () => string;
  readonly fault: { readonly of: string; readonly expected: string; readonly found: string } | null;
};

/** All probes of a case, table by table, each asked when it is taken. */
export function* probeCase(store: Store, item: BoundedCase, plants: CasePlants): Generator<Probe> {
  const request = { caseId: item.id, horizon: item.horizon, tables: item.reads, subject: "probe" };
  for (const [name, table] of plants) {
    if (table !== null) yield* probeTable(store, request, store.tables.get(name) as Table, table, plants);
  }
}

/**
 * `presence`: each plant is served at its own instant. `absence`: at the horizon the past plant alone is, under the
 * revision's key the real row stands, the new key is not there, and neither is the row that the past plant replaces,
 * though it is asked for by a cell of its own: the version comes first, then the filter.
 */
function probeTable(
  store: Store,
  request: Omit<OpenRequest, "overlay">,
  table: Table,
  plants: TablePlants,
  all: CasePlants,
): Probe[] {
  const overlay = { view: "probe" as const, rows: overlayRows(all, "probe") };
  const names = table.keyColumns.map((column) => (table.columns[column] as { name: string }).name);
  const horizonDoor = store.open({ ...request, overlay });
  const ask = (plant: PlantedRow, door: Door, more: Record<string, Cell> = {}) => {
    const where: Record<string, Cell> = { ...more };
    for (let i = 0; i < names.length; i++) where[names[i] as string] = plant.key[i] as Cell;
    return replyText(door.call("rows", { table: table.name, where }));
  };
  const { past, revision, newKey } = plants;
  const presence = [past, revision, newKey].map((plant) => {
    const door =
      plant.available === request.horizon
        ? horizonDoor
        : store.open({ ...request, horizon: plant.available, overlay });
    return { plant, text: ask(plant, door), expected: plant };
  });
  const absence: Asked[] = [
    { plant: past, text: ask(past, horizonDoor), expected: past },
    { plant: revision, text: ask(revision, horizonDoor), expected: plants.real },
    { plant: newKey, text: ask(newKey, horizonDoor), expected: null },
  ];
  if (plants.replaced !== null) {
    const { column, cell } = plants.replaced;
    const more = { [(table.columns[column] as { name: string }).name]: cell };
    absence.push({ plant: past, kind: "replaced", text: ask(past, horizonDoor, more), expected: null });
  }
  const last = plants.newKey.available;
  return [
    {
      name: "presence",
      table: table.name,
      asOf: last,
      text: () => bodyOf(presence),
      fault: faultOf(presence, "presence"),
    },
    {
      name: "absence",
      table: table.name,
      asOf: request.horizon,
      text: () => bodyOf(absence),
      fault: faultOf(absence, "absence"),
    },
  ];
}

type Asked = {
  readonly plant: PlantedRow;
  /** `replaced`: under the past plant's key, asked for by a cell that only the row behind it has. */
  readonly kind?: "replaced";
  readonly text: string;
  readonly expected: { readonly text: string; readonly digest: string } | null;
};

/** `[{"kind":"past","ref":…,"reply":{"rows":[…]}},…]`: the body of a probe entry. */
function bodyOf(asked: readonly Asked[]): string {
  return `[${asked.map(({ plant, kind, text }) => `{"at":"${formatInstant(plant.available)}","kind":"${kind ?? plant.kind}","ref":${JSON.stringify(plant.ref)},"reply":${text}}`).join(",")}]`;
}

function faultOf(asked: readonly Asked[], name: string): Probe["fault"] {
  for (const { plant, kind, text, expected } of asked) {
    // The canonical answer is right as it stands; any other spelling of the same rows is looked at row by row.
    if (text === `{"rows":[${expected?.text ?? ""}]}`) continue;
    const served = digestsServed(text);
    const right =
      expected === null ? served.length === 0 : served.length === 1 && served[0] === expected.digest;
    if (right) continue;
    const wanted =
      expected === null
        ? "no row"
        : expected === plant
          ? `the ${plant.kind} plant`
          : "the real row under the revision's key";
    return {
      of: `${name} of ${kind === "replaced" ? "the row behind " : ""}the ${plant.kind} plant ${plant.ref} (available ${formatInstant(plant.available)})`,
      expected: wanted,
      found: brief(text),
    };
  }
  return null;
}

/** Row digests of a reply, each SHA-256 of the row's canonical bytes. */
export function digestsServed(text: string): string[] {
  const reply = JSON.parse(text) as { rows?: Json[] };
  return (reply.rows ?? []).map((row) => rowDigest(row));
}

function brief(text: string): string {
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
