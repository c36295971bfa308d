/** Plants as the run folder keeps them: what was planted for which case, by reference and digest, never by value. */
import { formatInstant } from "../core/instant.ts";
import type { PlantKind } from "../store/overlay.ts";
import type { CasePlants } from "./probe.ts";

/** A line of `plants.jsonl`, keys in canonical order; `real` (of a revision): the digest of the row that it would hide. */
export type PlantRecord = {
  readonly available_at: string;
  readonly case: string;
  readonly digest: string;
  readonly kind: PlantKind | "not exercised";
  readonly real: string;
  readonly ref: string;
  readonly table: string;
};

/** Its canonical line: the keys of a record stand in order, and its texts are well formed since the door. */
export const plantLine = (record: PlantRecord): string => JSON.stringify(record);

export function plantRecords(caseId: string, plants: CasePlants): PlantRecord[] {
  return [...plants].flatMap(([table, planted]): PlantRecord[] => {
    if (planted === null) {
      return [
        { available_at: "", case: caseId, digest: "", kind: "not exercised", real: "", ref: "", table },
      ];
    }
    return [planted.past, planted.revision, planted.newKey].map((row) => ({
      available_at: formatInstant(row.available),
      case: caseId,
      digest: row.digest,
      kind: row.kind,
      real: row.kind === "revision" ? planted.real.digest : "",
      ref: row.ref,
      table,
    }));
  });
}
