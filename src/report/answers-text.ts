/** A report on a table of answers for a terminal of 80 columns, for somebody who sees one for the first time. */

import { visible } from "../core/words.ts";
import type { AnswersReport } from "./answers-report.ts";
import type { CutoffSlices, SliceUnit } from "./cutoff-slices.ts";
import { controlText, cutoffText } from "./cutoff-text.ts";
import { betterWords, type CutoffWords, declaredRow, shownWords, sideOf, wrapWords } from "./cutoff-words.ts";
import { rangeOf } from "./fit-figures.ts";
import { intervalWords } from "./judged-words.ts";
import { figuresIn, shownAmount } from "./shown-figures.ts";

const COLUMNS = 80;

export type AnswersWords = Omit<CutoffWords, "title"> & {
  readonly unit: SliceUnit;
  /** What was read and how, a sentence each. */
  readonly read: readonly string[];
};

/** First what was read, then what is measured, each model, the control, the pairs, and what none of it can say. */
export function answersText(report: AnswersReport, words: AnswersWords): string[] {
  return [
    ...words.read.flatMap((sentence) => paragraph(visible(sentence))),
    "",
    ...paragraph(
      "A model may have read how an event ended if it happened before the model's training cutoff. If that helps its " +
        "answers, the events just before the cutoff look better than those just after it. That jump is called the leak: " +
        "above 0, the answers before the cutoff look too good.",
    ),
    ...overview(report, words),
    ...report.models.flatMap(({ model, slices }) => ["", ...cutoffText(slices, { ...words, title: model })]),
    ...(report.control.length === 0
      ? []
      : ["", ...controlText(report.control, { ...words, title: "The other models" })]),
    ...pairedText(report, words),
    "",
    ...paragraph(
      "What this cannot say: it bounds leakage and cannot certify its absence. Knowledge that fades out before a stated " +
        "cutoff leaves no jump there, and a bare gap between earlier and later events may be their difficulty.",
    ),
  ];
}

/** Of the figures beside a name: cutoff, jump, interval, and the leak against the control. */
const FIGURES = 48;
const MOST_NAME = COLUMNS - FIGURES - 4;

/** A line a model, where there are several; a longer name stands above its figures, whole. */
function overview({ models, control }: AnswersReport, words: AnswersWords): string[] {
  const [first, ...others] = models;
  if (first === undefined || others.length === 0) return [];
  const names = toldApart(models.map(({ model }) => model));
  const width = Math.max(...names.map(({ length }) => length).filter((length) => length <= MOST_NAME), 5) + 2;
  const line = (
    name: string,
    [cutoff, jump, interval, against]: readonly [string, string, string, string],
  ) => [
    ...(name.length > width ? wrapWords(`  ${name}`, COLUMNS, "    ") : []),
    `  ${(name.length > width ? "" : name).padEnd(width)}${cutoff}${jump.padStart(10)}  ${interval.padEnd(20)}${against.padStart(9)}`,
  ];
  return [
    "",
    ...paragraph(
      `In short: the jump of the outcome within ${shownAmount(first.slices.plot.h, words.unit)} of each cutoff, its ${intervalWords(words)}, and the leak against the control (– where there is none):`,
    ),
    ...line("model", ["cutoff ", "jump", "interval", "control"]),
    ...models.flatMap(({ model, cutoff, slices }, i) => {
      const { figure } = figuresIn(slices.plot.range);
      const against = control.find(({ treated }) => treated === model)?.estimate ?? null;
      const { estimate } = declaredRow(slices);
      return line(names[i] as string, [cutoff, figure(estimate), judgedCell(slices), figure(against)]);
    }),
  ];
}

/** As shownWords has them, but whole where two would come to look alike. */
function toldApart(names: readonly string[]): string[] {
  const shown = names.map(shownWords);
  return new Set(shown).size === shown.length ? shown : names.map((name) => visible(name.toWellFormed()));
}

/** The interval of the jump, or why there is none. */
function judgedCell(slices: CutoffSlices): string {
  const { ci95, state } = declaredRow(slices);
  const side = sideOf(slices);
  if (side !== null) return `all cases ${side}`;
  return state === "estimated" ? figuresIn(slices.plot.range).interval(ci95) : state;
}

const MOST_PAIRS = 30;

function pairedText({ models, paired: rows }: AnswersReport, words: AnswersWords): string[] {
  if (rows.length === 0) return [];
  const { figure, interval } = figuresIn(rangeOf(models.flatMap(({ slices }) => slices.plot.range ?? [])));
  const sign = words.better === "lower" ? "below" : "above";
  return [
    "",
    ...paragraph(
      `Pair by pair: mean of a − b over the events that both answered, outcomes as they stand; a has the later cutoff. Since ${betterWords(words)}, a is the better one where it is ${sign} 0. This is skill and memory together, so by itself not leakage. Pairs stand in the order of the table of models: its first with each one below it, then its second, and so on.`,
    ),
    ...rows
      .slice(0, MOST_PAIRS)
      .flatMap((row) => [
        ...wrapWords(`  ${shownWords(row.a)} − ${shownWords(row.b)}`, COLUMNS, "    "),
        `    ${figure(row.mean)}, ${intervalWords(words)} ${interval(row.ci95)}`,
        ...wrapWords(
          `    standard error ${figure(row.se_clustered)} by cluster (CR1), ${figure(row.se)} as if events were independent; events ${row.n}, clusters ${row.clusters}`,
          COLUMNS,
          "      ",
        ),
      ]),
    ...(rows.length > MOST_PAIRS ? [`  … and ${rows.length - MOST_PAIRS} more pairs with --json`] : []),
  ];
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
