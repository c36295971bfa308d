/** A cutoff's slices and its control for a terminal of 80 columns: the table, the picture in characters, the sentence. */

import { contract } from "../core/contract.ts";
import type { ControlRow } from "./control-slices.ts";
import { cutoffSketch } from "./cutoff-sketch.ts";
import type { CutoffSlices, DiscontinuityRow, SensitivityRow, SliceUnit } from "./cutoff-slices.ts";
import {
  betterWords,
  type CutoffWords,
  controlSentence,
  cutoffEnd,
  jumpSentence,
  shownAmount,
  shownFigure,
  shownInterval,
  shownPercent,
  shownWords,
  wrapWords,
} from "./cutoff-words.ts";
import type { Envelope } from "./fit-figures.ts";

const COLUMNS = 80;

/** Lines of at most 80 columns: what was measured, the bare gap, the jump at h/2, h and 2h, the picture, the sweep, what it means. */
export function cutoffText(slices: CutoffSlices, words: CutoffWords): string[] {
  const { discontinuity, plot, n, gap_not_leakage: gap } = slices;
  const headings = discontinuity.map(({ h }) => `h = ${shownAmount(h, plot.unit)}`);
  const donut = plot.donut > 0 ? `, donut ${shownAmount(plot.donut, plot.unit)}` : "";
  const sweep = sweepLines(slices, `Cutoff moved over its interval, h = ${shownAmount(plot.h, plot.unit)}`);
  return [
    `${shownWords(words.title)}: ${shownWords(words.outcome)}, ${betterWords(words)}`,
    `Cutoff ${slices.cutoff}: cases before it ${n.pre}, after it ${n.post}; time in ${plot.unit}`,
    `Bare gap, all cases: ${shownFigure(gap)}${gap === null ? "" : " (> 0: before looks better)"}; by itself not leakage`,
    "",
    "Leak: the jump at the cutoff; > 0: cases before it look too good",
    `Local lines, triangular weights${donut}; counts are before / after`,
    ...columns(headings, discontinuity, jumpCells(words)),
    `Minimum detectable effect, h = ${shownAmount(plot.h, plot.unit)}: ${detectableWords(slices.mde, words)}`,
    "",
    ...cutoffSketch(slices, words),
    "",
    ...sweep,
    jumpSentence(slices, words),
  ].flatMap(fitted);
}

export type ControlWords = CutoffWords & {
  /** What the placebo slope is counted in. */
  readonly unit?: SliceUnit;
};

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
  const per = words.unit === undefined ? "unit of time" : words.unit.slice(0, -1);
  return [
    `${shownWords(row.treated)} against ${shownWords(row.control)}, split at ${cutoffEnd(row.split)}`,
    ...columns([], [row], controlCells(words, per)),
    ...sweepLines(row, "Split moved over its interval"),
    controlSentence(row, words),
  ];
}

type Cells<Row> = readonly (readonly [label: string, cell: (row: Row) => string])[];

function jumpCells(words: CutoffWords): Cells<DiscontinuityRow> {
  return [
    ...errorCells(words),
    ["cases", (row) => `${row.n_pre} / ${row.n_post}`],
    ["clusters", (row) => `${row.clusters_pre} / ${row.clusters_post}`],
    ["state", (row) => row.state],
  ];
}

function controlCells(words: CutoffWords, per: string): Cells<ControlRow> {
  return [
    ...errorCells(words),
    ["cases", (row) => `${row.n_pre} / ${row.n_post}`],
    ["clusters", (row) => `${row.clusters} in all`],
    [
      "placebo slope",
      (row) => `${shownFigure(row.placebo_slope)} a ${per} after the split; 0 if the lead is skill alone`,
    ],
    ["detectable", (row) => detectableWords(row.mde, words)],
    ["state", (row) => row.state],
  ];
}

type Errors = Pick<DiscontinuityRow, "estimate" | "se" | "df" | "se_cr1" | "ci95">;

const errorCells = (words: CutoffWords): Cells<Errors> => [
  ["leak", (row) => shownFigure(row.estimate)],
  [`${shownPercent(words.level ?? contract.bootstrapLevel)} interval`, (row) => shownInterval(row.ci95)],
  ["standard error", (row) => shownFigure(row.se)],
  ["df", (row) => (row.df === null ? "–" : row.df.toFixed(1))],
  ["CR1, to compare", (row) => shownFigure(row.se_cr1)],
];

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

function detectableWords(mde: number | null, words: CutoffWords): string {
  return mde === null ? "–" : `${shownFigure(mde)} at ${shownPercent(words.power ?? contract.power)} power`;
}

type Swept = { readonly sensitivity: readonly SensitivityRow[]; readonly envelope: Envelope | null };

const MOST_MONTHS = 24;
const MONTHS_A_LINE = 3;

/** Every month beside the others, so that the greatest never stands alone. */
function sweepLines({ sensitivity, envelope }: Swept, heading: string): string[] {
  if (sensitivity.length === 0) return [];
  const shown = sensitivity.slice(0, MOST_MONTHS).map(({ cutoff, estimate, se, state }) => {
    const figure = state === "estimated" ? `${shownFigure(estimate)} (${shownFigure(se)})` : state;
    return `${cutoff} ${figure}`.padEnd(26);
  });
  const lines = Array.from({ length: Math.ceil(shown.length / MONTHS_A_LINE) }, (_, i) =>
    `  ${shown.slice(i * MONTHS_A_LINE, (i + 1) * MONTHS_A_LINE).join("")}`.trimEnd(),
  );
  const more = sensitivity.length - shown.length;
  return [
    `${heading}: leak (standard error)`,
    ...lines,
    ...(more > 0 ? [`  … and ${more} more months`] : []),
    envelope === null
      ? `  envelope: none of the ${sensitivity.length} months can be estimated`
      : `  envelope: ${shownFigure(envelope.lo)} to ${shownFigure(envelope.hi)} over the ${envelope.estimated} of ${envelope.of} months that can be estimated`,
    "",
  ];
}

/** Words wrap; figures are laid out to fit. */
function fitted(line: string): string[] {
  return wrapWords(line, COLUMNS, /^ */.exec(line)?.[0] ?? "").map((one) => one.trimEnd());
}
