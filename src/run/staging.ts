/** Staging: one arm's view of a case holds rows that no store has, all available by its horizon; will its reader ask? */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { sha256Hex } from "../core/digest.ts";
import { type Stream, streamOf } from "../core/random.ts";
import { replyText, type Store } from "../store/door.ts";
import { knownNames } from "../store/known-names.ts";
import type { PlantedRow } from "../store/overlay.ts";
import type { Table } from "../store/table.ts";
import { type CasePlants, digestsServed, overlayRows } from "./probe.ts";

/** What is known of a staged arm without its rows: of a run that is planned, and of one that is recorded. */
export type StagedArm = {
  /** Its name, which no other arm has. */
  readonly arm: string;
  /** The table that its reader must ask; of one that never does, nothing is learned. */
  readonly table: string;
  /** Whether such a case passes all the same. */
  readonly waived: boolean;
  /** Whether a case has the arm. */
  readonly concerns: (item: BoundedCase) => boolean;
};

/** A staged arm of a plan, and the cases that have it. */
export type StagedPlan = StagedArm & { readonly cases: ReadonlySet<number> };

/** What is staged for a case. */
export type StagedRows = {
  readonly rows: readonly PlantedRow[];
  /** One of them: a reader that looked must have been served it. */
  readonly must: PlantedRow;
  /** Whom the rows are of: nobody else is. */
  readonly entity: string;
};

/** What rows are made from: `plants` are those of the case's other views, whose names are taken. */
export type StageSet = {
  readonly store: Store;
  readonly zone: string;
  readonly plants: readonly PlantedRow[];
  readonly dice: Stream;
};

/** Another room's staging, passed in as a value. */
export type Staging = StagedArm & {
  /** null where nothing plausible can be made. The same of the same dice. */
  readonly stage: (item: BoundedCase, of: StageSet) => StagedRows | null;
};

/** The rows of a case, drawn from the run's secret as its plants are. */
export function stageCase(
  staging: Staging,
  item: BoundedCase,
  plants: CasePlants,
  { store, zone, secret }: { readonly store: Store; readonly zone: string; readonly secret: string },
): StagedRows | null {
  // No table's name has a newline in it.
  const dice = streamOf(Buffer.from(sha256Hex(`${secret}\n${item.id}\n\nstaged`), "hex"));
  return staging.stage(item, { store, zone, plants: overlayRows(plants, "probe"), dice });
}

/** Entities that plants name and no row of a case's tables does: nobody holds one by right. By table, then name. */
export function plantedEntities(
  { tables }: Store,
  reads: readonly string[],
  plants: CasePlants,
): { readonly table: string; readonly entity: string }[] {
  const real = reads.map((name) => knownNames(tables.get(name) as Table));
  return reads.flatMap((name) => {
    const { entity } = tables.get(name) as Table;
    const own = overlayRows(plants, "probe").filter(({ table }) => table === name);
    const cells = entity === null ? [] : own.map((row) => row.cells[entity] ?? null);
    const strange = cells
      .filter((cell) => cell !== null)
      .map(String)
      .filter((cell) => !real.some((names) => names.has(cell)));
    return [...new Set(strange)].sort().map((each) => ({ table: name, entity: each }));
  });
}

/** The first staged row that a door does not serve at the horizon, and what it said instead; null: it serves all. */
export function unservedRow(
  store: Store,
  { id, horizon, reads }: BoundedCase,
  { rows }: StagedRows,
  plants: CasePlants,
): { readonly row: PlantedRow; readonly found: string } | null {
  const overlay = { view: "reader" as const, rows: [...overlayRows(plants, "reader"), ...rows] };
  const door = store.open({ caseId: id, horizon, tables: reads, overlay, subject: "probe" });
  for (const row of rows) {
    const table = store.tables.get(row.table) as Table;
    const names = table.keyColumns.map((column) => (table.columns[column] as { name: string }).name);
    const where = Object.fromEntries(names.map((name, i) => [name, row.key[i] ?? null]));
    const found = replyText(door.call("rows", { table: row.table, where }));
    if (found === `{"rows":[${row.text}]}`) continue;
    const served = digestsServed(found);
    if (served.length !== 1 || served[0] !== row.digest) return { row, found };
  }
  return null;
}
