/** What of a run decides how its trajectories are scored beside cases and outcomes; a replay takes it from the record. */
import type { EntityFinder } from "../caseset/entity-names.ts";
import type { LeakRules } from "../run/leak-rules.ts";
import type { StagedPlan } from "../run/staging.ts";

export type ScoreRules = {
  /** Tables whose rows are documents. */
  readonly documents: ReadonlySet<string>;
  /** A judge scored them; else none of them has a score, and none lacks one. */
  readonly judged: boolean;
  /** Of cases that declare none; null: such a case fails by none. */
  readonly threshold: number | null;
  readonly queries: { readonly find: EntityFinder; readonly on: "list" | "fail" } | null;
  /** The plan's staged arm. */
  readonly staged: StagedPlan | null;
};

export function scoreRules(
  { threshold, queries }: LeakRules,
  judged: boolean,
  documents: ReadonlySet<string>,
  find: EntityFinder | null,
  staged: StagedPlan | null = null,
): ScoreRules {
  return {
    documents,
    judged,
    threshold,
    queries: queries === null || find === null ? null : { find, on: queries },
    staged,
  };
}
