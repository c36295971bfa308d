/** Stage `score`: the report made again from the record, and held against the one that was signed. */
import type { Json } from "../core/canonical.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import { buildReport, buildResult, type Report } from "../report/build-report.ts";
import { namedSection } from "../report/section.ts";
import { trialEvidence, trialOutcome } from "../report/trial-evidence.ts";
import { firstDifference } from "../run/resume.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import type { Pass } from "./pass.ts";
import type { RecordedRun } from "./record.ts";
import { demandOutcome, recordedTrials } from "./recorded-trials.ts";
import { REPORT, type ReportedRun } from "./reported.ts";
import type { VerifiedRecord } from "./verify-record.ts";

/**
 * The report as the record gives it. Refuses ReportDigestMismatch where report.json is not the one that the close leaf
 * names, RescoreMismatch where it is, and says something else: the first path that differs, and both values.
 */
export async function rescore(
  bundle: RunFiles,
  { listing, open, close }: VerifiedRecord,
  run: RecordedRun,
  { scores, record }: Pass,
  reported: ReportedRun,
): Promise<Report> {
  const place = fileIn(bundle, REPORT);
  const { digest } = reported;
  if (digest !== close.report)
    refuse("ReportDigestMismatch", { place, found: digest, expected: close.report });
  const { section, cases, stamp } = run;
  const made = namedSection(section, { cases, scores, seed: stamp.seed });
  const subject = { ...run, made };
  const result = buildResult(subject, run.outcomes, scores);
  const trial = await recordedTrials(bundle, listing, { open, close }, run);
  if (trial !== null) demandOutcome(trial, trialOutcome(result, made));
  const report = buildReport(subject, result, scores, record, trial && trialEvidence(trial, section));
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
