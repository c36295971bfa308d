/** `blindcast sharpe <returns.csv>`: what the best of a table's return series is worth, given how many there are. */
import type { Argv } from "yargs";
import { readSeries, type SeriesTable, seriesTime } from "../caseset/series-table.ts";
import { cellNumber } from "../caseset/table-rows.ts";
import type { Json } from "../core/canonical.ts";
import { contract } from "../core/contract.ts";
import { refuse } from "../core/refusal.ts";
import { roundAll } from "../core/round.ts";
import { type Deflation, type DeflationOptions, deflate } from "../profile/deflation.ts";
import { looksLikePrices } from "../profile/return-doubts.ts";
import { deflationSvg } from "../profile/sharpe-plot.ts";
import { deflationText } from "../profile/sharpe-text.ts";
import { measureOfSeries } from "../profile/trial-measure.ts";
import { counted } from "../report/shown-figures.ts";
import { blocksOf, flagged, integer, type Raw, text } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import { writePictures } from "./pictures.ts";
import { printData, printWords } from "./print.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("returns", {
      type: "string",
      describe: "a table (CSV or JSON lines): a day or an instant, then a column of excess returns a trial",
    })
    .option("benchmark", {
      type: "string",
      describe: "the Sharpe ratio per period that PSR and MinTRL are against (default 0)",
    })
    .option("periods-per-year", {
      type: "string",
      describe: "how many rows a year has, for yearly figures; without it there are none",
    })
    .option("blocks", {
      type: "string",
      describe: `into how many blocks PBO cuts the rows: even (default ${contract.overfittingBlocks})`,
    })
    .option("plot", { type: "string", describe: "a folder for a picture, sharpe.svg" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 sharpe returns.csv", "which of the trials is the best, and is that more than luck?")
    .example(
      "$0 sharpe returns.csv --periods-per-year 252 --plot pictures",
      "with yearly figures and a picture",
    );
}

/** Exit status: 0 computed, whatever was found; 2 refused. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const options = optionsOf(raw);
  const folder = text(raw, "plot");
  const file = text(raw, "returns") as string;
  const table = await readSeries(file, file);
  const deflation = deflate(
    table.series.map(({ name, values }) => measureOfSeries(name, values)),
    null,
    options,
  );
  const read = readSentence(table);
  if (json) printWords(read);
  tellPrices(table);
  if (folder !== undefined) await plot(folder, deflation);
  const { first, last } = spanOf(table);
  if (json) printData(JSON.stringify(roundAll({ first, last, ...deflation } as unknown as Json)));
  else printData(deflationText(deflation, [read]).join("\n"));
  return exitStatus.green;
}

function optionsOf(raw: Raw): DeflationOptions {
  return {
    benchmark: benchmarkOf(raw),
    blocks: blocksOf(raw),
    periodsPerYear: integer(raw, "periods-per-year", 1, MOST_PERIODS) ?? null,
    like: null,
  };
}

/** Seconds of a leap year. */
const MOST_PERIODS = 31_622_400;
const MOST_BENCHMARK = 1000;

function benchmarkOf(raw: Raw): number {
  const given = text(raw, "benchmark");
  if (given === undefined) return 0;
  return (
    cellNumber(given, MOST_BENCHMARK) ??
    refuse("ArgumentInvalid", {
      place: "--benchmark",
      found: given,
      expected: `a Sharpe ratio per period: a number from -${MOST_BENCHMARK} to ${MOST_BENCHMARK}`,
    })
  );
}

function spanOf(table: SeriesTable): { readonly first: string; readonly last: string } {
  return { first: seriesTime(table, 0), last: seriesTime(table, table.at.length - 1) };
}

function readSentence(table: SeriesTable): string {
  const { first, last } = spanOf(table);
  const span = first === last ? first : `${first} to ${last}`;
  return `${table.place}: ${counted(table.at.length, "period")}, ${span}, of ${counted(table.series.length, "trial")}, one a column.`;
}

/** A table of prices gives ratios too, and none of them means anything. */
function tellPrices({ place, series }: SeriesTable): void {
  const like = series.flatMap(({ name, values }) => (looksLikePrices(values) ? [name] : []));
  if (like.length === 0) return;
  const names = like.slice(0, 5).join(", ");
  const more = like.length > 5 ? ` and ${like.length - 5} more` : "";
  printWords(
    `warning: ${place}: ${counted(like.length, "column")} ${like.length === 1 ? "looks" : "look"} like prices, not returns: ${names}${more}\nhint: every value is above 0 and near the one before it; a return is p(t)/p(t-1) - 1, in excess of cash`,
  );
}

async function plot(folder: string, deflation: Deflation): Promise<void> {
  const svg = await deflationSvg(deflation);
  if (svg === null) printWords("no picture: no trial has a ratio");
  else writePictures(folder, [{ name: "sharpe", svg }]);
}
