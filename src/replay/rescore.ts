/** Stage `score`: the report made again from the record, and held against the one that was signed. */
import type { Json } from "../core/canonical.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { CloseLeaf } from "../ledger/leaves.ts";
import { buildReport, type Report } from "../report/build-report.ts";
import { firstDifference } from "../run/resume.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import type { Pass } from "./pass.ts";
import type { RecordedRun } from "./record.ts";
import { REPORT, type ReportedRun } from "./reported.ts";

/**
 * The report as the record gives it. Refuses ReportDigestMismatch where report.json is not the one that the close leaf
 * names, RescoreMismatch where it is, and says something else: the first path that differs, and both values.
 */
export function rescore(
  bundle: RunFiles,
  close: CloseLeaf,
  run: RecordedRun,
  { scores, record }: Pass,
  reported: ReportedRun,
): Report {
  const place = fileIn(bundle, REPORT);
  const { digest } = reported;
  if (digest !== close.report)
    refuse("ReportDigestMismatch", { place, found: digest, expected: close.report });
  const report = buildReport(run, run.outcomes, scores, record);
  if (report.reportDigest !== close.report) refuseOther(place, report, reported);
  if (report.resultDigest !== close.result) {
    const details = { field: "result", found: report.resultDigest, recorded: close.result };
    refuse("RescoreMismatch", { place: fileIn(bundle, "close.json"), ...details });
  }
  return report;
}

function refuseOther(place: string, report: Report, reported: ReportedRun): never {
  const { result, evidence } = report;
  const recorded = reported.json();
  const whole = { field: "the whole", found: report.reportDigest, recorded: reported.digest };
  const other =
    (recorded === undefined ? undefined : firstDifference({ evidence, result } as Json, recorded)) ?? whole;
  return refuse("RescoreMismatch", {
    place,
    field: clip(other.field, 200),
    found: clip(other.found, 200),
    recorded: clip(other.recorded, 200),
  });
}
