/** The summary: one flat JSON object of a report, for scripts; the last line that `--json` prints. */
import type { Json } from "../core/canonical.ts";

type Fields = { readonly [key: string]: Json };

/** Every figure is the report's own; nothing is computed here. `brier` is the routed arm's. */
export function summaryOf(
  result: Json,
  evidence: Json,
  digests: { result: string; report: string },
  out: string,
): Json {
  const r = result as Fields;
  const e = evidence as Fields;
  const headline = r["headline"] as Fields;
  return {
    run: e["run"] as Json,
    out,
    signed: e["signed"] as Json,
    origin: e["ledger"] as Json,
    result_digest: digests.result,
    report_digest: digests.report,
    verdict: r["verdict"] as Json,
    n: headline["n"] as Json,
    brier: headline["brier"] as Json,
    ...(r["decisions"] === undefined
      ? {}
      : { decisions: headline["decisions"] as Json, trials: e["trials"] ?? null }),
    arms: r["arms"] as Json,
    premium: r["premium"] as Json,
    plants: { ...(r["plants"] as Fields), in_reach: (e["plants"] as Fields)["in_reach"] as Json },
    failed_cases: r["failed_cases"] as Json,
    findings: r["findings"] as Json,
    leakage: r["leakage"] as Json,
    not_estimated: r["not_estimated"] as Json,
    unsettled: r["unsettled"] as Json,
    tally: r["tally"] as Json,
    models: e["models"] ?? null,
    usage: e["usage"] ?? null,
  };
}
