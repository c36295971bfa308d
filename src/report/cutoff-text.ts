/** A cutoff's slices and its control for a terminal of 80 columns: the table, the picture in characters, the sentence. */

import type { ControlRow } from "./control-slices.ts";
import { type ControlWords, controlSentence, slopeFiguresIn, slopeUnit } from "./control-words.ts";
import { cutoffSketch } from "./cutoff-sketch.ts";
import type { CutoffSlices, DiscontinuityRow, SensitivityRow } from "./cutoff-slices.ts";
import {
  betterWords,
  type CutoffWords,
  cutoffEnd,
  jumpSentence,
  shownWords,
  sideOf,
  wrapWords,
} from "./cutoff-words.ts";
import type { Envelope } from "./fit-figures.ts";
import { intervalWords, type JudgedWords, powerWords } from "./judged-words.ts";
import { type Figures, figuresIn, shownAmount } from "./shown-figures.ts";

const COLUMNS = 80;

/** Lines of at most 80 columns: what was measured, the bare gap, the jump at h/2, h and 2h, the picture, the sweep, what it means. */
export function cutoffText(slices: CutoffSlices, words: CutoffWords): string[] {
  const { discontinuity, plot, n, gap_not_leakage: gap } = slices;
  const figures = figuresIn(plot.range);
  const amount = `h = ${shownAmount(plot.h, plot.unit)}`;
  const sweep = sweepLines(slices, `Cutoff moved over its interval, ${amount}`, figures, words);
  const title = `${shownWords(words.title)}: ${shownWords(words.outcome)}, ${betterWords(words)}`;
  const meaning = jumpSentence(slices, words);
  if (sideOf(slices) !== null) {
    const moved = slices.sensitivity.some(({ state }) => state !== "not estimable") ? sweep : [];
    return [title, ...moved, `Cutoff ${slices.cutoff}: ${meaning}`].flatMap(fitted);
  }
  const headings = discontinuity.map(({ h }) => `h = ${shownAmount(h, plot.unit)}`);
  const donut = plot.donut > 0 ? `, donut ${shownAmount(plot.donut, plot.unit)}` : "";
  return [
    title,
    `Cutoff ${slices.cutoff}: cases before it ${n.pre}, after it ${n.post}; time in ${plot.unit}`,
    `Bare gap, all cases: ${figures.figure(gap)}${gap === null ? "" : " (> 0: before looks better)"}; by itself not leakage`,
    "",
    "Leak: the jump at the cutoff; > 0: cases before it look too good",
    `Local lines, triangular weights${donut}; counts are before / after`,
    ...columns(headings, discontinuity, jumpCells(discontinuity, figures, words)),
    `Minimum detectable effect, ${amount}: ${effectCell(slices.mde, figures, words)}`,
    "",
    ...cutoffSketch(slices, words),
    "",
    ...sweep,
    meaning,
  ].flatMap(fitted);
}

/** Lines of at most 80 columns: each treated model's lead over its control, before the split against after, and what it means. */
export function controlText(rows: readonly ControlRow[], words: ControlWords): string[] {
  const title = `${shownWords(words.title)}: ${shownWords(words.outcome)}, ${betterWords(words)}, against a control`;
  return [
    title,
    "Leak: the treated model's lead over the control, before the split less after it",
    "Assumed: but for what it remembers, its lead is the same before and after",
    ...rows.flatMap((row) => ["", ...controlLines(row, words)]),
  ].flatMap(fitted);
}

function controlLines(row: ControlRow, words: ControlWords): string[] {
  const figures = figuresIn(row.range);
  const empty = row.n_pre === 0 || row.n_post === 0;
  return [
    `${shownWords(row.treated)} against ${shownWords(row.control)}, split at ${cutoffEnd(row.split)}`,
    ...(empty ? [] : columns([], [row], controlCells(row, figures, words))),
    ...(empty && row.sensitivity.every(({ state }) => state === "not estimable")
      ? []
      : sweepLines(row, "Split moved over its interval", figures, words)),
    controlSentence(row, words),
  ];
}

type Cells<Row> = readonly (readonly [label: string, cell: (row: Row) => string])[];

function jumpCells(
  rows: readonly DiscontinuityRow[],
  figures: Figures,
  words: CutoffWords,
): Cells<DiscontinuityRow> {
  const [leak, interval, ...errors] = errorCells(figures, words);
  const method = (row: DiscontinuityRow) => (hasInterval(row) ? row.method : "–");
  return [
    leak,
    interval,
    ...(rows.every((row) => row.method === "t") ? [] : [["interval by", method] as const]),
    ...errors,
    ["cases", (row) => `${row.n_pre} / ${row.n_post}`],
    ["clusters", (row) => `${row.clusters_pre} / ${row.clusters_post}`],
    ["state", (row) => row.state],
  ];
}

function controlCells(row: ControlRow, figures: Figures, words: ControlWords): Cells<ControlRow> {
  const slopes = slopeFiguresIn(row.range, words);
  return [
    ...errorCells(figures, words),
    ["cases", ({ n_pre, n_post }) => `${n_pre} / ${n_post}`],
    ["clusters", ({ clusters }) => `${clusters} in all`],
    [
      "placebo slope",
      ({ placebo_slope: slope }) =>
        `${slopes.figure(slope)} a ${slopeUnit(words)} after the split; 0 if the lead is skill alone`,
    ],
    ["slope interval", ({ placebo_ci95: ci95 }) => slopes.interval(ci95)],
    // What could have been seen is no bound where cases after the split may be remembered, too.
    ["detectable", ({ mde, before_cutoff: early }) => (early ? "–" : effectCell(mde, figures, words))],
    ["state", ({ state }) => state],
  ];
}

type Errors = Pick<DiscontinuityRow, "estimate" | "se" | "df" | "se_cr1" | "ci95" | "state">;
type ErrorCell = readonly [label: string, cell: (row: Errors) => string];

/** Of a degenerate fit the estimate alone: its errors are those of rounding. */
function errorCells({ figure, interval }: Figures, words: JudgedWords) {
  const error = (value: (row: Errors) => string) => (row: Errors) => (hasError(row) ? value(row) : "–");
  const cells: readonly [ErrorCell, ErrorCell, ...ErrorCell[]] = [
    ["leak", (row) => figure(row.estimate)],
    [intervalWords(words), (row) => (hasInterval(row) ? interval(row.ci95) : "–")],
    ["standard error", error((row) => figure(row.se))],
    ["df", error((row) => (row.df === null ? "–" : row.df.toFixed(1)))],
    ["CR1, to compare", error((row) => figure(row.se_cr1))],
  ];
  return cells;
}

const hasError = ({ state }: Errors): boolean => state === "estimated";
const hasInterval = (row: Errors): boolean => hasError(row) && row.ci95 !== null;

const LABEL = 17;
const CELL = 21;

/** A table on its side: one row of it a column, so that every figure has room. */
function columns<Row>(headings: readonly string[], rows: readonly Row[], cells: Cells<Row>): string[] {
  const line = (label: string, shown: readonly string[]) =>
    `  ${label.padEnd(LABEL - 2)}${shown.length === 1 ? `  ${shown[0]}` : shown.map((one) => one.padStart(CELL)).join("")}`;
  return [
    ...(headings.length === 0 ? [] : [line("", headings)]),
    ...cells.map(([label, cell]) => line(label, rows.map(cell))),
  ];
}

function effectCell(mde: number | null, { figure }: Figures, words: JudgedWords): string {
  return mde === null ? "–" : `${figure(mde)} at ${powerWords(words)}`;
}

type Swept = { readonly sensitivity: readonly SensitivityRow[]; readonly envelope: Envelope | null };

const MOST_MONTHS = 24;
const MONTHS_A_LINE = 2;
const MONTH_COLUMNS = 39;

/** Every month beside the others, so that the greatest never stands alone. */
function sweepLines(swept: Swept, heading: string, figures: Figures, words: JudgedWords): string[] {
  const { sensitivity, envelope } = swept;
  if (sensitivity.length === 0) return [];
  const { figure, interval } = figures;
  const shown = sensitivity.slice(0, MOST_MONTHS).map(({ cutoff, estimate, ci95, state }) => {
    const known = state === "not estimable" ? "" : `${figure(estimate).padStart(8)} `;
    return `${cutoff} ${known}${state === "estimated" ? interval(ci95) : state}`.padEnd(MONTH_COLUMNS);
  });
  const lines = Array.from({ length: Math.ceil(shown.length / MONTHS_A_LINE) }, (_, i) =>
    `  ${shown.slice(i * MONTHS_A_LINE, (i + 1) * MONTHS_A_LINE).join("")}`.trimEnd(),
  );
  const more = sensitivity.length - shown.length;
  return [
    `${heading}: leak [${intervalWords(words)}]`,
    ...lines,
    ...(more > 0 ? [`  … and ${more} more months`] : []),
    envelope === null
      ? `  envelope: none of the ${sensitivity.length} months can be estimated`
      : `  envelope: ${figure(envelope.lo)} to ${figure(envelope.hi)} over the ${envelope.estimated} of ${envelope.of} months that can be estimated`,
    "",
  ];
}

/** Words wrap; figures are laid out to fit. */
function fitted(line: string): string[] {
  return wrapWords(line, COLUMNS, /^ */.exec(line)?.[0] ?? "").map((one) => one.trimEnd());
}
