/** Plants as the run folder keeps them: what was planted for which case, by reference and digest, never by value. */
import { formatInstant } from "../core/instant.ts";
import type { PlantedRow, PlantKind } from "../store/overlay.ts";
import type { CasePlants } from "./probe.ts";
import type { plantedEntities, StagedRows } from "./staging.ts";

/**
 * Of a case with a staged arm, after its plants: its rows (`staged`), the one that must be served (`staged-must`) and whose
 * they are (`staged-entity`, the name in `ref`), or `staged-none`; then names that only plants have (`planted-entity`).
 */
export type StagedKind = "staged" | "staged-must" | "staged-none" | "staged-entity" | "planted-entity";

/** A line of `plants.jsonl`, keys in canonical order; `real` (of a revision): the digest of the row that it would hide. */
export type PlantRecord = {
  readonly available_at: string;
  readonly case: string;
  readonly digest: string;
  readonly kind: PlantKind | "not exercised" | StagedKind;
  readonly real: string;
  readonly ref: string;
  readonly table: string;
};

/** Its canonical line: the keys of a record stand in order, and its texts are well formed since the door. */
export const plantLine = (record: PlantRecord): string => JSON.stringify(record);

export function plantRecords(caseId: string, plants: CasePlants): PlantRecord[] {
  return [...plants].flatMap(([table, planted]): PlantRecord[] => {
    if (planted === null) return [nameRecord(caseId, "not exercised", table, "")];
    return [planted.past, planted.revision, planted.newKey].map((row) =>
      rowRecord(caseId, row, row.kind, row.kind === "revision" ? planted.real.digest : ""),
    );
  });
}

/** `table`: the one that the reader must ask. */
export function stagedRecords(
  caseId: string,
  table: string,
  staged: StagedRows | null,
  planted: ReturnType<typeof plantedEntities>,
): PlantRecord[] {
  const names = planted.map((one) => nameRecord(caseId, "planted-entity", one.table, one.entity));
  if (staged === null) return [nameRecord(caseId, "staged-none", table, ""), ...names];
  const { rows, must, entity } = staged;
  return [
    ...rows.filter((row) => row !== must).map((row) => rowRecord(caseId, row, "staged", "")),
    rowRecord(caseId, must, "staged-must", ""),
    nameRecord(caseId, "staged-entity", table, entity),
    ...names,
  ];
}

function rowRecord(
  caseId: string,
  { available, digest, ref, table }: PlantedRow,
  kind: PlantRecord["kind"],
  real: string,
): PlantRecord {
  return { available_at: formatInstant(available), case: caseId, digest, kind, real, ref, table };
}

function nameRecord(caseId: string, kind: PlantRecord["kind"], table: string, ref: string): PlantRecord {
  return { available_at: "", case: caseId, digest: "", kind, real: "", ref, table };
}

const stagedKinds: ReadonlySet<string> = new Set<StagedKind>([
  "staged",
  "staged-must",
  "staged-none",
  "staged-entity",
  "planted-entity",
]);

/** A case's plants, and what was staged for it beside them. */
export type CaseRecords = {
  readonly plants: readonly PlantRecord[];
  readonly staged: readonly PlantRecord[];
};

export function partedRecords(records: readonly PlantRecord[]): CaseRecords {
  return {
    plants: records.filter(({ kind }) => !stagedKinds.has(kind)),
    staged: records.filter(({ kind }) => stagedKinds.has(kind)),
  };
}
