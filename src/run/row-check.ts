/** What a served row must not be: a plant of its case, or a row that was not available at the horizon. */
import type { Json } from "../core/canonical.ts";
import { formatInstant, type Instant, isBy } from "../core/instant.ts";
import { rowDigest } from "../core/row-ref.ts";
import type { ServedRow } from "../model/reader.ts";

/** `plants`: a case's planted rows, reference to digest; no two have one reference. */
export function rowCheck(
  horizon: Instant,
  plants: readonly { readonly ref: string; readonly digest: string }[],
): (row: ServedRow) => "planted" | "after-horizon" | null {
  const digests = new Map(plants.map((plant) => [plant.ref, plant.digest]));
  const horizonText = formatInstant(horizon);
  return (row) => {
    const planted = digests.get(row.ref);
    if (planted !== undefined && planted === rowDigest(row as unknown as Json)) return "planted";
    return isBy(row.available_at, horizon, horizonText) ? null : "after-horizon";
  };
}
