/** Probes: the engine's own reads that prove a case's plants, presence before absence, through the door under test. */
import { canonical, type Json } from "../core/canonical.ts";
import { sha256Hex } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import type { Cell } from "../core/row-ref.ts";
import { replyText, type OpenRequest, type Store } from "../store/door.ts";
import type { PlantedRow } from "../store/overlay.ts";
import { type TablePlants, plantTable, probePlants, readerPlants } from "../store/plants.ts";
import type { Table } from "../store/table.ts";

/** The plants of one case: per table it reads, or null where nothing is visible yet (`not exercised`). */
export type CasePlants = ReadonlyMap<string, TablePlants | null>;

export function plantCase(store: Store, caseId: string, horizon: Instant, reads: readonly string[], zone: string, secret: Uint8Array): CasePlants {
  return new Map(reads.map((name) => [name, plantTable(store.tables.get(name) as Table, horizon, zone, secret, caseId)]));
}

export function overlayRows(plants: CasePlants, view: "reader" | "probe"): PlantedRow[] {
  const rows: PlantedRow[] = [];
  for (const table of plants.values()) if (table !== null) rows.push(...(view === "reader" ? readerPlants(table) : probePlants(table)));
  return rows;
}

/** What one probe asked and was told; `fault` names the first answer that was not as it must be. */
export type Probe = {
  readonly name: "presence" | "absence";
  readonly table: string;
  readonly asOf: Instant;
  readonly text: string;
  readonly fault: { readonly of: string; readonly expected: string; readonly found: string } | null;
};

/**
 * `presence`: each plant is served at its own instant. `absence`: at the horizon the past plant alone is, under the
 * revision's key the real row stands, and the new key is not there.
 */
export function probeTable(store: Store, request: Omit<OpenRequest, "overlay">, table: Table, plants: TablePlants, all: CasePlants): Probe[] {
  const overlay = { view: "probe" as const, rows: overlayRows(all, "probe") };
  const ask = (plant: PlantedRow, horizon: Instant) => {
    const where = Object.fromEntries(table.keyColumns.map((column, i) => [table.columns[column]?.name as string, plant.key[i] as Cell]));
    return replyText(store.open({ ...request, horizon, overlay }).call("rows", { table: table.name, where }));
  };
  const presence = [plants.past, plants.revision, plants.newKey].map((plant) => ({ plant, text: ask(plant, plant.available), expected: plant.digest }));
  const absence = [
    { plant: plants.past, text: ask(plants.past, request.horizon), expected: plants.past.digest },
    { plant: plants.revision, text: ask(plants.revision, request.horizon), expected: plants.real },
    { plant: plants.newKey, text: ask(plants.newKey, request.horizon), expected: null },
  ];
  const last = plants.newKey.available;
  return [
    { name: "presence", table: table.name, asOf: last, text: bodyOf(presence), fault: faultOf(presence, "presence") },
    { name: "absence", table: table.name, asOf: request.horizon, text: bodyOf(absence), fault: faultOf(absence, "absence") },
  ];
}

type Asked = { readonly plant: PlantedRow; readonly text: string; readonly expected: string | null };

/** `[{"kind":"past","ref":…,"reply":{"rows":[…]}},…]`: the body of a probe entry. */
function bodyOf(asked: readonly Asked[]): string {
  return `[${asked.map(({ plant, text }) => `{"at":"${formatInstant(plant.available)}","kind":"${plant.kind}","ref":${JSON.stringify(plant.ref)},"reply":${text}}`).join(",")}]`;
}

function faultOf(asked: readonly Asked[], name: string): Probe["fault"] {
  for (const { plant, text, expected } of asked) {
    const served = digestsServed(text);
    const right = expected === null ? served.length === 0 : served.length === 1 && served[0] === expected;
    if (right) continue;
    const wanted = expected === null ? "no row" : expected === plant.digest ? `the ${plant.kind} plant` : "the real row under the revision's key";
    return { of: `${name} of the ${plant.kind} plant ${plant.ref} (available ${formatInstant(plant.available)})`, expected: wanted, found: brief(text) };
  }
  return null;
}

/** Row digests of a reply, each SHA-256 of the row's canonical bytes. */
export function digestsServed(text: string): string[] {
  const reply = JSON.parse(text) as { rows?: Json[] };
  return (reply.rows ?? []).map((row) => sha256Hex(canonical(row)));
}

function brief(text: string): string {
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
