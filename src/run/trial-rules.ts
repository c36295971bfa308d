/** What a profile says of its run as a trial, and whether a ledger of trials can take it. */
import { refuse } from "../core/refusal.ts";
import type { TrialLedger } from "../ledger/trial-ledger.ts";

/** What a run's profile says of its trial. */
export type TrialRules = {
  /** What its measures are per: a ledger holds one kind. */
  readonly units: string;
};

/** Refuses EvalLedgerUnitsMismatch where the ledger's trials were measured per something else. */
export async function demandUnits(units: string | null, ledger: TrialLedger): Promise<void> {
  if (units === null) return;
  const { rows } = await ledger.read();
  for (const row of rows)
    if (row.kind === "start" && row.units !== null && row.units !== units)
      refuse("EvalLedgerUnitsMismatch", {
        place: `${ledger.place}:${row.row + 1}`,
        row: row.row,
        found: units,
        expected: row.units,
      });
}
