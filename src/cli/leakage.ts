/** `blindcast leakage <answers.csv> --models <models.csv>`: what models may have remembered, from answers alone. */
import type { Argv } from "yargs";
import type { AnswerTable } from "../caseset/answer-table.ts";
import { contract } from "../core/contract.ts";
import { averageDays, type Duration, parseDuration } from "../core/duration.ts";
import { parseMonth } from "../core/month.ts";
import { refuse } from "../core/refusal.ts";
import { type AnswersReport, answersJson, answersReport } from "../report/answers-report.ts";
import { answersText } from "../report/answers-text.ts";
import { splitCaution } from "../report/control-words.ts";
import { cutoffSvg } from "../report/cutoff-plot.ts";
import type { SliceOptions } from "../report/cutoff-slices.ts";
import { shownAmount } from "../report/shown-figures.ts";
import type { Better } from "../stats/discontinuity.ts";
import { checkControl, loadAnswers } from "./answer-inputs.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { writePictures } from "./pictures.ts";
import { printData, printWords } from "./print.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("answers", {
      type: "string",
      describe: "a table (CSV or JSON lines): model, event, month or instant, outcome; perhaps repeat",
    })
    .option("models", {
      type: "string",
      describe: "a table of the models' training cutoffs: model, cutoff; perhaps cutoff_lo, cutoff_hi",
    })
    .option("better", { type: "string", describe: "lower or higher: which outcome is the better one" })
    .option("control", {
      type: "string",
      describe: "a model whose cutoff precedes every event: the others are held against it",
    })
    .option("split", {
      type: "string",
      describe: "with --control: the last month before (YYYY-MM; default each model's own cutoff)",
    })
    .option("bandwidth", {
      type: "string",
      describe: "how far from the cutoff events count (default P6M)",
    })
    .option("donut", { type: "string", describe: "leave out events nearer than this (default P0D)" })
    .option("cluster", {
      type: "string",
      describe: "what is not independent: month (default), none, or a column of the answers",
    })
    .option("plot", { type: "string", describe: "a folder for pictures, one SVG a model" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example(
      "$0 leakage answers.csv --models models.csv --better higher",
      "the outcome about each model's cutoff",
    )
    .example(
      "$0 leakage answers.csv --models models.csv --better lower --control old-model --plot pictures",
      "and against a model that can know none of the events",
    );
}

const BANDWIDTH = "P6M";
const DONUT = "P0D";
const SEED = 1;

/** Exit status: 0 measured, whatever was found; 2 refused. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const flags = flagsOf(raw);
  const loaded = await loadAnswers(flags.answers, flags.models, flags.column);
  const { table, answering } = loaded;
  const slices = sliceOptions(flags, table);
  if (flags.control !== null) checkControl(flags.control.name, loaded);
  const { control, cluster } = flags;
  const report = answersReport(table, answering, { ...slices, control, byMonth: cluster === "month" });
  const read = [...loaded.read, ...howRead(flags, slices)];
  if (json) for (const sentence of [...read, ...splitWarnings(report)]) printWords(sentence);
  const outcome = "outcome";
  const { better, unit } = slices;
  if (flags.plot !== undefined) await plot(flags.plot, report, { outcome, better });
  if (json) printData(JSON.stringify(answersJson(report)));
  else printData(answersText(report, { read, outcome, better, unit, flags: true }).join("\n"));
  return 0;
}

/** What the text says of a split that comes too early, where there is no text. */
function splitWarnings({ control }: AnswersReport): string[] {
  return control.flatMap((row) => {
    const caution = splitCaution(row).trim();
    return caution === "" ? [] : [`${row.treated} against ${row.control}, split at ${row.split}: ${caution}`];
  });
}

type Flags = {
  readonly answers: string;
  readonly models: string;
  readonly better: Better;
  readonly control: {
    readonly name: string;
    readonly split: { lo: number; hi: number; point: number } | null;
  } | null;
  readonly bandwidth: Duration;
  readonly donut: Duration;
  readonly cluster: string;
  /** The column that --cluster names; null where it names none. */
  readonly column: string | null;
  readonly plot: string | undefined;
};

function flagsOf(raw: Raw): Flags {
  const needed = (flag: string, expected: string) =>
    text(raw, flag) ?? refuse("ArgumentInvalid", { place: `--${flag}`, found: "", expected });
  const models = needed("models", "the table of the models' cutoffs: its columns are model, cutoff");
  const better = needed(
    "better",
    "lower (say, of a Brier score) or higher (say, of a share of right answers)",
  );
  if (better !== "lower" && better !== "higher")
    refuse("ArgumentInvalid", { place: "--better", found: better, expected: "lower or higher" });
  const cluster = text(raw, "cluster") ?? "month";
  const length = (flag: string, otherwise: string) =>
    parseDuration(text(raw, flag) ?? otherwise, `--${flag}`, "a duration") as Duration;
  return {
    answers: text(raw, "answers") as string,
    models,
    better: better as Better,
    control: controlOf(raw),
    bandwidth: length("bandwidth", BANDWIDTH),
    donut: length("donut", DONUT),
    cluster,
    column: cluster === "month" || cluster === "none" ? null : cluster,
    plot: text(raw, "plot"),
  };
}

function controlOf(raw: Raw): Flags["control"] {
  const name = text(raw, "control");
  const given = text(raw, "split");
  if (name === undefined) {
    if (given !== undefined)
      refuse("ArgumentInvalid", { place: "--split", found: given, expected: "--control MODEL beside it" });
    return null;
  }
  if (given === undefined) return { name, split: null };
  const month = parseMonth(given);
  if (month === undefined)
    return refuse("ArgumentInvalid", {
      place: "--split",
      found: given,
      expected: "a month such as 2025-08: the last one before the split",
    });
  return { name, split: { lo: month, hi: month, point: month } };
}

/** Lengths in the unit of the table's times. */
function sliceOptions(flags: Flags, table: AnswerTable): SliceOptions {
  const unit = table.time === "month" ? "months" : "days";
  const length = (flag: string, duration: Duration) => {
    if (unit === "days") return averageDays(duration);
    if (duration.days !== 0 || duration.micros !== 0)
      refuse("ArgumentInvalid", {
        place: `--${flag}`,
        found: duration.text,
        expected: `whole months such as P6M, since the events of ${table.place} are known by their months`,
        next: "days need a column `instant` in place of `month`",
      });
    return duration.months;
  };
  const bandwidth = length("bandwidth", flags.bandwidth);
  const donut = length("donut", flags.donut);
  if (!(bandwidth > 0))
    refuse("ArgumentInvalid", {
      place: "--bandwidth",
      found: flags.bandwidth.text,
      expected: "longer than nothing",
    });
  if (!(donut < bandwidth / 2))
    refuse("ArgumentInvalid", {
      place: "--donut",
      found: flags.donut.text,
      expected: `less than half the bandwidth ${flags.bandwidth.text}, since half of it is a window too`,
    });
  return {
    unit,
    bandwidth,
    donut,
    better: flags.better,
    power: contract.power,
    level: contract.bootstrapLevel,
    resamples: contract.bootstrapResamples,
    seed: SEED,
  };
}

const SHARED: { readonly [cluster: string]: string } = {
  month: "events of one month share what a model can know of it, so errors are by month (--cluster month)",
  none: "each event counts as independent of the others (--cluster none)",
};

/** Sentences on the lengths and the clusters that were used. */
function howRead(
  { bandwidth, donut, cluster }: Flags,
  { unit, bandwidth: h, donut: d }: SliceOptions,
): string[] {
  const length = (duration: Duration, amount: number) =>
    unit === "days" && duration.months > 0
      ? `${shownAmount(amount, unit)} (${duration.text}, at 365.2425/12 days a month)`
      : shownAmount(amount, unit);
  const left = d > 0 ? `, those within ${length(donut, d)} of it left out` : "";
  const clusters = SHARED[cluster] ?? `events of one ${cluster} are a cluster (--cluster ${cluster})`;
  return [
    `Events within ${length(bandwidth, h)} of a cutoff, before and after, are compared${left}; ${clusters}.`,
  ];
}

async function plot(
  folder: string,
  { models }: AnswersReport,
  words: { readonly outcome: string; readonly better: Better },
): Promise<void> {
  const pictures = [];
  for (const { model, slices } of models)
    pictures.push({ name: model, svg: await cutoffSvg(slices, { ...words, title: model }) });
  writePictures(folder, pictures);
}
