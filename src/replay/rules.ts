/** Stage `rules`: the plants are those that were committed to, and what the record shows of plants and leaks is reported. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { toHex } from "../core/bytes.ts";
import type { Json } from "../core/canonical.ts";
import { nodeHashing } from "../core/digest.ts";
import { formatInstant, parseInstant } from "../core/instant.ts";
import type { Line } from "../core/lines.ts";
import { type Code, type Place, refuse } from "../core/refusal.ts";
import { commitmentOf } from "../ledger/leaves.ts";
import { type CaseRecords, type PlantRecord, partedRecords } from "../run/plant-record.ts";
import { callOf, type Failure } from "../score/failure.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import type { RecordedRun } from "./record.ts";
import { canonicalLine, recordedLines } from "./recorded-lines.ts";
import type { Listed } from "./reported.ts";
import type { Recorded } from "./serve.ts";
import type { VerifiedRecord } from "./verify-record.ts";

export const PLANTS = "plants.jsonl";

/** Secret and salt of the close leaf open the commitment of the open leaf. Refuses PlantCommitmentMismatch. */
export async function openCommitment(bundle: RunFiles, { open, close }: VerifiedRecord): Promise<void> {
  const hash = nodeHashing.create();
  for await (const chunk of bundle.chunks(PLANTS)) hash.update(chunk);
  const plants = `sha256:${toHex(hash.digest())}`;
  const found = commitmentOf({ plants, salt: close.salt, secret: close.secret }, nodeHashing.sha256);
  const expected = open.commitment;
  if (found !== expected)
    refuse("PlantCommitmentMismatch", { place: fileIn(bundle, PLANTS), found, expected });
}

export interface RecordedPlants {
  /** Of a case, asked for in the cases' order. Refuses NotCanonical and FieldInvalid where no run wrote its lines. */
  of(caseIndex: number): CaseRecords;
  /** After the last case. */
  end(): void;
}

export function recordedPlants(bundle: RunFiles, run: RecordedRun, bytes: number): RecordedPlants {
  const place = fileIn(bundle, PLANTS);
  const lines = recordedLines(bundle, PLANTS, bytes);
  let at = -1;
  let number = 0;
  let current: CaseRecords = partedRecords([]);
  let ahead: Line | undefined = lines.next().value;
  const next = (): PlantRecord | undefined => {
    const line = ahead;
    if (line === undefined) return undefined;
    ahead = lines.next().value;
    number = line.number;
    return checkRecord(canonicalLine(line, place), `${place}:${number}`);
  };
  const isNext = (kind: PlantRecord["kind"]): boolean =>
    ahead !== undefined && (canonicalLine(ahead, place) as { kind?: Json } | null)?.kind === kind;
  const demand = (record: PlantRecord | undefined, wanted: Partial<PlantRecord>): PlantRecord => {
    for (const [field, expected] of Object.entries(wanted)) {
      const found = record?.[field as keyof PlantRecord];
      if (found === undefined)
        return wrongPlant(`${place}:${number + 1}`, "plant", "no more lines", shown(wanted));
      if (found !== expected) wrongPlant(`${place}:${number}`, field, found, expected);
    }
    return record as PlantRecord;
  };
  const group = (item: BoundedCase): PlantRecord[] =>
    item.reads.flatMap((table) => {
      const own = { case: item.id, table };
      const first = demand(next(), own);
      if (first.kind === "not exercised") return [first];
      demand(first, { kind: "past" });
      const planted = [
        first,
        demand(next(), { ...own, kind: "revision" }),
        demand(next(), { ...own, kind: "new-key" }),
      ];
      checkTimes(planted, item, `${place}:${number}`);
      return planted;
    });
  const names = (item: BoundedCase, kind: PlantRecord["kind"]): PlantRecord[] => {
    const found: PlantRecord[] = [];
    while (isNext(kind))
      found.push(demandRead(demand(next(), { case: item.id, kind }), item, `${place}:${number}`));
    return found;
  };
  const staged = (item: BoundedCase, table: string): PlantRecord[] => {
    const own = { case: item.id };
    const planted = () => names(item, "planted-entity");
    if (isNext("staged-none")) return [demand(next(), { ...own, table, kind: "staged-none" }), ...planted()];
    const rows = names(item, "staged");
    const must = demandRead(demand(next(), { ...own, kind: "staged-must" }), item, `${place}:${number}`);
    const whole = [...rows, must];
    checkStagedTimes(whole, item, `${place}:${number}`);
    return [...whole, demand(next(), { ...own, table, kind: "staged-entity" }), ...planted()];
  };
  return {
    of(caseIndex) {
      while (at < caseIndex) {
        const item = run.cases[++at] as BoundedCase;
        const plan = run.arms.staged;
        const more = () => (plan?.cases.has(at) === true ? staged(item, plan.table) : []);
        current = partedRecords([...group(item), ...more()]);
      }
      return current;
    },
    end() {
      const spare = next();
      if (spare !== undefined) wrongPlant(`${place}:${number}`, "plant", shown(spare), "no more lines");
    },
  };
}

const shown = ({ case: id, table, kind }: Partial<PlantRecord>) =>
  `case ${id}, table ${table}${kind === undefined ? "" : `, ${kind}`}`;

/** Kinds of lines that are of no row. */
const withoutRow: ReadonlySet<string> = new Set<PlantRecord["kind"]>([
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

/** A past plant is available at the horizon, the others only after it: else a probe of them would prove nothing. */
function checkTimes(planted: readonly PlantRecord[], { horizon }: BoundedCase, place: Place): void {
  for (const { kind, available_at: text } of planted) {
    const at = parseInstant(text, place, `available_at of the ${kind} plant`) as number;
    if (kind === "past" ? at === horizon : at > horizon) continue;
    const expected = `${kind === "past" ? "" : "after "}${formatInstant(horizon)}, the horizon`;
    wrongPlant(place, `available_at of the ${kind} plant`, text, expected);
  }
}

/** Staged rows are those that a reader can be served. */
function checkStagedTimes(rows: readonly PlantRecord[], { horizon }: BoundedCase, place: Place): void {
  for (const { kind, available_at: text } of rows) {
    const field = `available_at of the ${kind} row`;
    if ((parseInstant(text, place, field) as number) <= horizon) continue;
    wrongPlant(place, field, text, `at or before ${formatInstant(horizon)}, the horizon`);
  }
}

function demandRead(record: PlantRecord, { reads }: BoundedCase, place: Place): PlantRecord {
  if (!reads.includes(record.table))
    wrongPlant(place, "table", record.table, `one that the case reads: ${reads.join(", ")}`);
  return record;
}

function wrongPlant(place: Place, field: string, found: string, expected: string): never {
  return refuse("FieldInvalid", { place, field, found, expected });
}

const codes: ReadonlyMap<string, Code & ("PlantServed" | "LeakServed" | "PlantUnproven")> = new Map([
  ["plant-served", "PlantServed"],
  ["plant-shows", "PlantServed"],
  ["row-after-horizon", "LeakServed"],
  ["plant-unproven", "PlantUnproven"],
]);

/** What the scorer found and the report does not list. Refuses PlantServed, LeakServed, PlantUnproven. */
export function demandListed(
  { item, arm, repeat, entries, placeOf }: Recorded,
  failures: readonly Failure[],
  listed: Listed,
): void {
  for (const { rule, step, call, detail: problem } of failures) {
    const code = codes.get(rule);
    if (code === undefined || listed(item.id, arm, repeat, step, rule)) continue;
    const own = entries.findIndex((entry) => entry.step === step && callOf(entry) === call);
    const index = own >= 0 ? own : entries.findLastIndex((entry) => entry.step === step);
    refuse(code, { place: placeOf(index), call, problem });
  }
}
