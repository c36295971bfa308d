/** Evidence of a ledger of trials: what it was at the run's last row, and what a section derives from it. */
import type { Json } from "../core/canonical.ts";
import type { EndedTrial, TrialOutcome } from "../run/trials.ts";
import type { NamedSection, Section } from "./section.ts";

export type TrialEvidence = {
  readonly ledger: string;
  readonly rows: number;
  readonly head: string;
  /** The run's own first row. */
  readonly row: number;
  readonly figures: Json;
};

/** What of a run goes into its ledger's last row: a run whose verdict is red has no measure that counts. */
export function trialOutcome(
  { verdict }: { readonly verdict: "green" | "red" },
  named: NamedSection | null,
): TrialOutcome {
  if (verdict === "red") return { failed: "the verdict is red" };
  return named?.made.trial ?? { measures: null, series: null };
}

export function trialEvidence({ begun, mark, ledger }: EndedTrial, section: Section | null): TrialEvidence {
  const figures = section === null ? null : section.ofTrials(ledger, begun.start);
  return { ledger: begun.mark.ledger, ...mark, row: begun.start, figures };
}
