/** Staged rows on the record: whether the reader of the staged arm was served the row that it must, and who holds what is not there. */
import { isRow, tableOfRef } from "../core/row-ref.ts";
import type { Positions } from "../model/given-answer.ts";
import type { ServedRow } from "../model/reader.ts";
import type { Entry } from "../run/entry.ts";
import type { Trajectory } from "../run/record.ts";
import type { StagedPlan } from "../run/staging.ts";
import type { Failure } from "./failure.ts";

/** Of the attempt that stands. `not-asked`, its reader never asked the table, and `not-staged`, nothing could be: not exercised. */
export type StagedState = "served" | "not-served" | "not-asked" | "not-staged";

/** Why a state teaches nothing of the reader; null where it does. */
export function whyNotExercised(state: StagedState, table: string): string | null {
  if (state === "not-asked") return `the reader never asked ${table}`;
  return state === "not-staged" ? "no row that could be staged" : null;
}

export type StagedScore = {
  /** null in the other arms of the case. */
  readonly state: StagedState | null;
  readonly failures: readonly Failure[];
};

/**
 * null for a case without a staged arm. In that arm: `staged-not-served` where no reply holds the row that must be served,
 * `staged-not-exercised` unless that is waived. In the others: `position-in-plant`, a holding of whom no real row is.
 */
export function checkStaged(
  trajectory: Trajectory,
  attempt: readonly Entry[],
  positions: Positions | null,
  plan: StagedPlan | null,
): StagedScore | null {
  const { arm, caseIndex, staged } = trajectory;
  if (plan === null || !plan.cases.has(caseIndex)) return null;
  if (arm !== plan.arm) return { state: null, failures: heldPlants(staged, attempt, positions) };
  const must = staged.find(({ kind }) => kind === "staged-must");
  const state = must === undefined ? "not-staged" : servedState(must, plan.table, attempt, trajectory.body);
  return { state, failures: failuresOf(state, plan) };
}

function servedState(
  must: Trajectory["staged"][number],
  table: string,
  attempt: readonly Entry[],
  body: Trajectory["body"],
): StagedState {
  let asked = false;
  for (const entry of attempt) {
    if (entry.kind !== "tool") continue;
    const { rows = [] } = body(entry.result) as { readonly rows?: readonly ServedRow[] };
    if (rows.some((row) => row.ref === must.ref && isRow(row, must.digest))) return "served";
    asked ||= namesTable(entry, table) || rows.some(({ ref }) => tableOfRef(ref) === table);
  }
  return asked ? "not-served" : "not-asked";
}

const namesTable = ({ args }: Entry & { readonly kind: "tool" }, table: string): boolean =>
  (args as { readonly table?: unknown } | null)?.table === table;

/** Nothing in them is drawn, nor hangs on how many calls were made: two runs that fail alike have one result. */
function failuresOf(state: StagedState, { table, waived }: StagedPlan): readonly Failure[] {
  const of = (rule: string, detail: string) => [{ rule, step: 0, call: "the attempt", detail }];
  if (state === "not-served")
    return of("staged-not-served", "no reply holds the row that a reader of the staged rows must be served");
  const why = whyNotExercised(state, table);
  return why === null || waived ? [] : of("staged-not-exercised", why);
}

function heldPlants(
  staged: Trajectory["staged"],
  attempt: readonly Entry[],
  positions: Positions | null,
): readonly Failure[] {
  const planted = staged.filter(({ kind }) => kind === "staged-entity" || kind === "planted-entity");
  const held = planted.filter(
    ({ ref }) => positions !== null && Object.hasOwn(positions, ref) && positions[ref] !== 0,
  );
  const answer = attempt.find(({ kind }) => kind === "answer");
  if (held.length === 0 || answer === undefined) return [];
  const detail = `${held.length} of its positions are in what no real row names`;
  return [{ rule: "position-in-plant", step: answer.step, call: "answer", detail }];
}
