/** `blindcast report <run>`: prints a closed run's report, from its folder alone. */

import * as fs from "node:fs";
import * as path from "node:path";
import type { Argv } from "yargs";
import { canonical } from "../core/canonical.ts";
import { readText } from "../core/lines.ts";
import { refuse } from "../core/refusal.ts";
import { decisionPictures } from "../profile/decision-plot.ts";
import { decisionText } from "../profile/decision-text.ts";
import { type Report, reportOf } from "../report/build-report.ts";
import { leakagePlots } from "../report/leakage-plots.ts";
import { renderText } from "../report/render-text.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { writePictures } from "./pictures.ts";
import { emphasis, printData } from "./print.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("run", { type: "string", describe: "a run folder" })
    .option("format", { type: "string", describe: "text (default) or json" })
    .option("plot", {
      type: "string",
      describe:
        "a folder for pictures (SVG): the outcome about each cutoff that the report has slices of; of decisions, what they earned",
    })
    .option("json", { type: "boolean", describe: "the same as --format json" })
    .example("$0 report runs/june", "the report as text")
    .example("$0 report runs/june --plot pictures", "and its pictures as SVG")
    .example("$0 report runs/june --format json", "result and evidence, with both digests");
}

const REPORT_BYTES = 1 << 30;

export async function run(raw: Raw): Promise<number> {
  const folder = text(raw, "run") as string;
  const format = flagged(raw, "json") ? "json" : (text(raw, "format") ?? "text");
  if (format !== "text" && format !== "json")
    refuse("ArgumentInvalid", { place: "--format", found: format, expected: "text or json" });
  const file = path.join(folder, "report.json");
  if (!fs.existsSync(folder))
    refuse("FileUnreadable", { place: folder, cause: "no such folder, expected a run's" });
  if (!fs.existsSync(file)) refuse("RunIncomplete", { place: folder, missing: "report.json" });
  const report = reportOf(readText(file, file, REPORT_BYTES) as string, file);
  const { result, evidence, resultDigest, reportDigest } = report;
  const plots = text(raw, "plot");
  if (plots !== undefined) await drawReport(plots, report);
  if (format === "text") printData(renderText(report, resultDigest, emphasis, decisionText(report)));
  else printData(canonical({ result, evidence, result_digest: resultDigest, report_digest: reportDigest }));
  return (result as { verdict?: string }).verdict === "green" ? 0 : 1;
}

async function drawReport(plots: string, report: Report): Promise<void> {
  const trades = (report.result as { readonly decisions?: unknown }).decisions !== undefined;
  const earned = await decisionPictures(report);
  const pictures = [...earned, ...(await leakagePlots(report.result))];
  writePictures(plots, pictures, trades ? "no case was traded, and no trial has a ratio" : undefined);
}
