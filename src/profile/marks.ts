/** Marks: the instants at which an account is valued, between which its returns are. */
import type { DecisionCase } from "../caseset/decision-case.ts";
import type { Instant } from "../core/instant.ts";

/** `cases` by horizon: each horizon, and the end of the last one's label; one more than there are cases. */
export function marksOf(cases: readonly DecisionCase[]): Instant[] {
  const last = cases.at(-1);
  return last === undefined ? [] : [...cases.map(({ horizon }) => horizon), last.labelInterval[1]];
}
