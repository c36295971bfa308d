/** A report on a table of answers for a terminal of 80 columns, for somebody who sees one for the first time. */

import { contract } from "../core/contract.ts";
import { clip, visible } from "../core/words.ts";
import type { AnswersReport } from "./answers-report.ts";
import type { SliceUnit } from "./cutoff-slices.ts";
import { controlText, cutoffText } from "./cutoff-text.ts";
import {
  type CutoffWords,
  declaredRow,
  shownAmount,
  shownFigure,
  shownInterval,
  shownPercent,
  shownWords,
  wrapWords,
} from "./cutoff-words.ts";
import type { PairedRow } from "./paired-rows.ts";

const COLUMNS = 80;

export type AnswersWords = Omit<CutoffWords, "title"> & {
  readonly unit: SliceUnit;
  /** What was read and how, a sentence each. */
  readonly read: readonly string[];
};

/** First what was read, then what is measured, each model, the control, the pairs, and what none of it can say. */
export function answersText(report: AnswersReport, words: AnswersWords): string[] {
  const level = words.level ?? contract.bootstrapLevel;
  return [
    ...words.read.flatMap((sentence) => paragraph(visible(sentence))),
    "",
    ...paragraph(
      "A model may have read how an event ended if it happened before the model's training cutoff. If that helps its " +
        "answers, the events just before the cutoff look better than those just after it. That jump is called the leak: " +
        "above 0, the answers before the cutoff look too good.",
    ),
    ...overview(report, words, level),
    ...report.models.flatMap(({ model, slices }) => ["", ...cutoffText(slices, { ...words, title: model })]),
    ...(report.control.length === 0
      ? []
      : ["", ...controlText(report.control, { ...words, title: "The other models" })]),
    ...pairedText(report.paired, level),
    "",
    ...paragraph(
      "What this cannot say: it bounds leakage and cannot certify its absence. Knowledge that fades out before a stated " +
        "cutoff leaves no jump there, and a bare gap between earlier and later events may be their difficulty.",
    ),
  ];
}

const NAME = 26;

/** A line a model, where there are several. */
function overview({ models }: AnswersReport, { unit }: AnswersWords, level: number): string[] {
  const [first, ...others] = models;
  if (first === undefined || others.length === 0) return [];
  return [
    "",
    `In short: the leak within ${shownAmount(first.slices.plot.h, unit)} of each cutoff, ${shownPercent(level)} interval`,
    ...models.map(({ model, cutoff, slices }) => {
      const { estimate, ci95, state } = declaredRow(slices);
      const name = clip(shownWords(model), NAME - 2).padEnd(NAME);
      const figures = `${shownFigure(estimate).padStart(9)}  ${shownInterval(ci95).padEnd(20)}`;
      return `  ${name}${cutoff}${figures} ${state}`;
    }),
  ];
}

const MOST_PAIRS = 30;

function pairedText(rows: readonly PairedRow[], level: number): string[] {
  if (rows.length === 0) return [];
  return [
    "",
    ...paragraph(
      "Pair by pair: mean of a − b over the events that both answered, outcomes as they stand; a has the later cutoff. " +
        "This is skill and memory together, so by itself not leakage.",
    ),
    ...rows
      .slice(0, MOST_PAIRS)
      .flatMap((row) => [
        ...wrapWords(`  ${shownWords(row.a)} − ${shownWords(row.b)}`, COLUMNS, "    "),
        `    ${shownFigure(row.mean)}, ${shownPercent(level)} interval ${shownInterval(row.ci95)}`,
        ...wrapWords(
          `    standard error ${shownFigure(row.se_clustered)} by cluster (CR1), ${shownFigure(row.se)} as if events were independent; events ${row.n}, clusters ${row.clusters}`,
          COLUMNS,
          "      ",
        ),
      ]),
    ...(rows.length > MOST_PAIRS ? [`  … and ${rows.length - MOST_PAIRS} more pairs with --json`] : []),
  ];
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
