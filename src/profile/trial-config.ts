/** What a trial's row says of its configuration, which the ledger itself does not read. */
import type { Trial } from "../ledger/trial-ledger.ts";

/** Other programs may write rows: any part may be missing, or of another type. */
export type TrialConfig = {
  readonly reader?: { readonly name?: unknown; readonly params?: unknown };
  readonly profile?: {
    readonly name?: unknown;
    readonly returns?: { readonly risk_free?: unknown; readonly periods_per_year?: unknown };
  };
  /** Of the case set: `--filter` and `--limit`. */
  readonly cases?: { readonly filters?: unknown; readonly limit?: unknown };
} | null;

/** A number of the profile's `returns`; null where there is none. */
export function configuredReturns(
  { config }: Pick<Trial, "config">,
  key: "risk_free" | "periods_per_year",
): number | null {
  const value = (config as TrialConfig)?.profile?.returns?.[key];
  return typeof value === "number" ? value : null;
}
