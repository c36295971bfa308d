/** Slices of decisions: cases that choose among a table's members, cases that name their own, and cases without either. */
import type { DecisionCase } from "../caseset/decision-case.ts";

/** Each slice has an account of its own; they never pool. The first that has a case speaks for a trial. */
export const sliceNames = ["universe", "fixed_universe", "all"] as const;
export type SliceName = (typeof sliceNames)[number];

export function sliceOf({ universe, members }: DecisionCase): SliceName {
  return universe !== null ? "universe" : members !== null ? "fixed_universe" : "all";
}
