/** Plants on the record: proven before the reader ran, served to nobody, and nothing served from after the horizon. */
import type { Json } from "../core/canonical.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { isRow, rowDigest } from "../core/row-ref.ts";
import type { ServedRow } from "../model/reader.ts";
import type { Entry } from "../run/entry.ts";
import type { PlantRecord } from "../run/plant-record.ts";
import type { Trajectory } from "../run/record.ts";
import { rowCheck } from "../run/row-check.ts";
import { callOf, type Failure } from "./failure.ts";

export type PlantScore = {
  /** Tables of the case with plants, those of them proven by both probes, and those with nothing visible yet. */
  readonly tables: number;
  readonly proven: number;
  readonly notExercised: number;
  /** Calls that served a plant, or an answer that a plant changed. */
  readonly served: number;
  /** Calls that a door without a bound would have answered with a plant. */
  readonly inReach: number;
  readonly failures: readonly Failure[];
};

type ProbeReply = {
  readonly kind: string;
  readonly ref: string;
  readonly reply: { readonly rows?: readonly Json[] };
};

/**
 * `horizon` is the case's own: what an entry says of it is checked elsewhere, and believed nowhere. Plants are proven by
 * the attempt that stands, the `last`; a call that met one counts in whichever attempt it was made.
 */
export function scorePlants(horizon: Instant, trajectory: Trajectory, last: readonly Entry[]): PlantScore {
  const { entries, plants, body } = trajectory;
  const tables = [
    ...new Set(plants.filter((plant) => plant.kind !== "not exercised").map((plant) => plant.table)),
  ];
  const failures: Failure[] = [];
  let proven = 0;
  for (const table of tables) {
    const before = failures.length;
    const own = plants.filter((plant) => plant.table === table);
    for (const name of ["presence", "absence"] as const)
      failures.push(...checkProbe(name, table, own, last, body));
    if (failures.length === before) proven++;
  }
  let served = 0;
  let inReach = 0;
  for (const entry of entries) {
    if (entry.kind !== "tool") continue;
    if (entry.in_reach) inReach++;
    const found = checkCall(entry, horizon, plants, body);
    failures.push(...found);
    if (found.some((failure) => failure.rule === "plant-served" || failure.rule === "plant-shows")) served++;
  }
  return {
    tables: tables.length,
    proven,
    notExercised: plants.filter((plant) => plant.kind === "not exercised").length,
    served,
    inReach,
    failures,
  };
}

/** The probe stands before the reader's first call, and its answers are what the plants say. */
function checkProbe(
  name: "presence" | "absence",
  table: string,
  plants: readonly PlantRecord[],
  entries: readonly Entry[],
  body: Trajectory["body"],
): Failure[] {
  const at = entries.findIndex(
    (entry) =>
      entry.kind === "probe" &&
      entry.name === name &&
      (entry.args as { table?: string } | null)?.table === table,
  );
  const first = entries.findIndex((entry) => entry.kind !== "probe");
  const entry = entries[at];
  const fail = (detail: string): Failure[] => [
    { rule: "plant-unproven", step: entry?.step ?? 0, call: `${name} ${table}`, detail },
  ];
  if (entry?.kind !== "probe") return fail("no such probe");
  if (at > first) return fail("the probe came after the reader's first call");
  const replies = body(entry.result) as unknown as readonly ProbeReply[];
  const behind = replies.find((reply) => reply.kind === "replaced" && reply.reply.rows?.length !== 0);
  if (behind !== undefined) return fail(`the row behind the past plant ${behind.ref} was served`);
  for (const plant of plants) {
    const reply = replies.find((candidate) => candidate.kind === plant.kind && candidate.ref === plant.ref);
    const wanted = expectedDigest(name, plant);
    const rows = reply?.reply.rows ?? [];
    const right =
      reply !== undefined &&
      (wanted === null ? rows.length === 0 : rows.length === 1 && isRow(rows[0] as Json, wanted));
    if (!right)
      return fail(
        `${plant.kind} plant ${plant.ref}: expected ${wanted === null ? "no row" : `row ${wanted.slice(0, 12)}`}, found ${rows.map((row) => rowDigest(row).slice(0, 12)).join(", ") || "none"}`,
      );
  }
  return [];
}

function expectedDigest(name: "presence" | "absence", plant: PlantRecord): string | null {
  if (name === "presence" || plant.kind === "past") return plant.digest;
  return plant.kind === "revision" ? plant.real : null;
}

function checkCall(
  entry: Entry & { kind: "tool" },
  horizon: Instant,
  plants: readonly PlantRecord[],
  body: Trajectory["body"],
): Failure[] {
  const failures: Failure[] = [];
  const fail = (rule: string, detail: string) =>
    failures.push({ rule, step: entry.step, call: callOf(entry), detail });
  const rows = (body(entry.result) as { rows?: readonly ServedRow[] }).rows ?? [];
  const check = rowCheck(horizon, plants);
  for (const row of rows) {
    const fault = check(row);
    const said = `${row.ref}, available ${row.available_at}`;
    if (fault === "planted") fail("plant-served", `the planted row ${said}`);
    else if (fault === "after-horizon")
      fail("row-after-horizon", `${said}, after the horizon ${formatInstant(horizon)}`);
  }
  if ((entry.planted ?? 0) > 0 && failures.length === 0) {
    fail("plant-served", `the answer was made from ${entry.planted} planted rows`);
  }
  if (entry.unplanted !== entry.result && !failures.some((failure) => failure.rule === "plant-served")) {
    fail("plant-shows", "the answer changes with the case's plants");
  }
  return failures;
}
