/** Lines of plants.jsonl, one after the other, each what a run writes. */
import type { Json } from "../core/canonical.ts";
import type { Line } from "../core/lines.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { PlantRecord } from "../run/plant-record.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import { canonicalLine, recordedLines } from "./recorded-lines.ts";

export interface PlantLines {
  /** The next record; refuses NotCanonical, and FieldInvalid where it is none of a run's, or another than wanted. */
  next(wanted: Partial<PlantRecord>): PlantRecord;
  /** Whether the next line's record is of a kind. */
  isNext(kind: PlantRecord["kind"]): boolean;
  demand(record: PlantRecord, wanted: Partial<PlantRecord>): void;
  /** Of the last record. */
  place(): Place;
  /** Refuses FieldInvalid where there is one more. */
  end(): void;
}

export function readPlantLines(bundle: RunFiles, name: string, bytes: number): PlantLines {
  const file = fileIn(bundle, name);
  const lines = recordedLines(bundle, name, bytes);
  /** A line that was looked at and is not taken; null: none was. */
  let ahead: { readonly line: Line | undefined } | null = null;
  let number = 0;
  const take = (): PlantRecord | undefined => {
    const line = ahead === null ? lines.next().value : ahead.line;
    ahead = null;
    if (line === undefined) return undefined;
    number = line.number;
    return checkRecord(canonicalLine(line, file), `${file}:${number}`);
  };
  const place = () => `${file}:${number}`;
  const demand = (record: PlantRecord, wanted: Partial<PlantRecord>) => {
    for (const [field, expected] of Object.entries(wanted)) {
      const found = record[field as keyof PlantRecord];
      if (found !== expected) wrongPlant(place(), field, found, expected);
    }
  };
  return {
    next(wanted) {
      const record = take();
      if (record === undefined)
        return wrongPlant(`${file}:${number + 1}`, "plant", "no more lines", shown(wanted));
      demand(record, wanted);
      return record;
    },
    isNext(kind) {
      ahead ??= { line: lines.next().value };
      const { line } = ahead;
      return line !== undefined && (canonicalLine(line, file) as { kind?: Json } | null)?.kind === kind;
    },
    demand,
    place,
    end() {
      const spare = take();
      if (spare !== undefined) wrongPlant(place(), "plant", shown(spare), "no more lines");
    },
  };
}

const shown = ({ case: id, table, kind }: Partial<PlantRecord>) =>
  `case ${id}, table ${table}${kind === undefined ? "" : `, ${kind}`}`;

/** Kinds of lines that are of no row. */
export const withoutRow: ReadonlySet<string> = new Set<PlantRecord["kind"]>([
  "not exercised",
  "staged-none",
  "staged-entity",
  "planted-entity",
]);

const DIGEST = /^[0-9a-f]{64}$/;
const fields = ["available_at", "case", "digest", "kind", "real", "ref", "table"];

function checkRecord(value: Json, place: Place): PlantRecord {
  const record = value as { readonly [field: string]: Json } | null;
  const present = typeof record === "object" && record !== null ? Object.keys(record) : [];
  if (present.join() !== fields.join())
    wrongPlant(place, "plant", JSON.stringify(present).slice(0, 120), `the fields ${fields.join(", ")}`);
  const plant = record as unknown as PlantRecord;
  const odd = fields.find((field) => typeof plant[field as keyof PlantRecord] !== "string");
  if (odd !== undefined) wrongPlant(place, odd, JSON.stringify(record?.[odd]).slice(0, 120), "a text");
  const none = withoutRow.has(plant.kind);
  const holds = (text: string, wanted: boolean) => (wanted ? DIGEST.test(text) : text === "");
  if (!holds(plant.digest, !none)) wrongPlant(place, "digest", plant.digest, none ? "nothing" : "64 digits");
  const revised = plant.kind === "revision";
  if (!holds(plant.real, revised)) wrongPlant(place, "real", plant.real, revised ? "64 digits" : "nothing");
  return plant;
}

export function wrongPlant(place: Place, field: string, found: string, expected: string): never {
  return refuse("FieldInvalid", { place, field, found, expected });
}
