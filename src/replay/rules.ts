/** Stage `rules`: the plants are those that were committed to, and what the record shows of plants and leaks is reported. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { toHex } from "../core/bytes.ts";
import { nodeHashing } from "../core/digest.ts";
import { formatInstant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Code, type Place, refuse } from "../core/refusal.ts";
import { commitmentOf } from "../ledger/leaves.ts";
import { type CaseRecords, type PlantRecord, partedRecords } from "../run/plant-record.ts";
import { callOf, type Failure } from "../score/failure.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import { type PlantLines, readPlantLines, withoutRow, wrongPlant } from "./plant-lines.ts";
import type { RecordedRun } from "./record.ts";
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
  const lines = readPlantLines(bundle, PLANTS, bytes);
  let at = -1;
  let current: CaseRecords = partedRecords([]);
  return {
    of(caseIndex) {
      while (at < caseIndex) {
        const item = run.cases[++at] as BoundedCase;
        const plan = run.arms.staged?.cases.has(at) === true ? run.arms.staged : null;
        const plants = plantsOf(lines, item);
        current = partedRecords(plan === null ? plants : [...plants, ...stagedOf(lines, item, plan.table)]);
      }
      return current;
    },
    end: lines.end,
  };
}

function plantsOf(lines: PlantLines, item: BoundedCase): PlantRecord[] {
  return item.reads.flatMap((table) => {
    const own = { case: item.id, table };
    const first = lines.next(own);
    if (first.kind === "not exercised") return [first];
    lines.demand(first, { kind: "past" });
    const planted = [
      first,
      lines.next({ ...own, kind: "revision" }),
      lines.next({ ...own, kind: "new-key" }),
    ];
    checkTimes(planted, item, lines.place());
    return planted;
  });
}

/** `table`: the one that the reader of the staged arm must ask. */
function stagedOf(lines: PlantLines, item: BoundedCase, table: string): PlantRecord[] {
  const asked = (kind: PlantRecord["kind"]) => lines.next({ case: item.id, table, kind });
  const read = (kind: PlantRecord["kind"]): PlantRecord => {
    const record = lines.next({ case: item.id, kind });
    checkStagedLine(record, item, lines.place());
    return record;
  };
  const all = (kind: PlantRecord["kind"]): PlantRecord[] => {
    const found: PlantRecord[] = [];
    while (lines.isNext(kind)) {
      if (found.push(read(kind)) > MOST_STAGED)
        refuse("LimitExceeded", {
          place: lines.place(),
          what: `${kind} lines of a case`,
          found: found.length,
          limit: MOST_STAGED,
        });
    }
    return found;
  };
  const own = lines.isNext("staged-none")
    ? [asked("staged-none")]
    : [...all("staged"), read("staged-must"), asked("staged-entity")];
  return [...own, ...all("planted-entity")];
}

/** Lines of one kind that a run writes for a case at most, and more. */
const MOST_STAGED = 4 * limits.stagedRows;

/** A past plant is available at the horizon, the others only after it: else a probe of them would prove nothing. */
function checkTimes(planted: readonly PlantRecord[], { horizon }: BoundedCase, place: Place): void {
  for (const { kind, available_at: text } of planted) {
    const at = parseInstant(text, place, `available_at of the ${kind} plant`) as number;
    if (kind === "past" ? at === horizon : at > horizon) continue;
    const expected = `${kind === "past" ? "" : "after "}${formatInstant(horizon)}, the horizon`;
    wrongPlant(place, `available_at of the ${kind} plant`, text, expected);
  }
}

/** A staged row is one that the case's reader can be served. */
function checkStagedLine(
  { kind, table, available_at: text }: PlantRecord,
  { reads, horizon }: BoundedCase,
  place: Place,
): void {
  if (!reads.includes(table))
    wrongPlant(place, "table", table, `one that the case reads: ${reads.join(", ")}`);
  if (withoutRow.has(kind)) return;
  const field = `available_at of the ${kind} row`;
  if ((parseInstant(text, place, field) as number) <= horizon) return;
  wrongPlant(place, field, text, `at or before ${formatInstant(horizon)}, the horizon`);
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
