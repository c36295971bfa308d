/** The picture of a cutoff in characters: points, the lines, the cutoff as an upright, the donut in grey. */

import { cutoffFrame, type Spot } from "./cutoff-frame.ts";
import type { CutoffSlices } from "./cutoff-slices.ts";
import { betterWords, binWords, type CutoffWords, cutoffEnd, shownWords } from "./cutoff-words.ts";

const HALF = 30;
const ROWS = 13;
const POINT = "●";
const UNUSED = "○";
const LINE = "─";
const EXTENDED = "╌";
const SHADE = "░";

/** 13 rows of 61 columns within 2h of the cutoff, with both axes and a key. */
export function cutoffSketch(slices: CutoffSlices, words: CutoffWords): string[] {
  const { plot } = slices;
  const frame = cutoffFrame(plot);
  const cells = Array.from({ length: ROWS }, () => new Array<string>(2 * HALF + 1).fill(" "));
  const put = ({ across, up }: Spot, mark: string) => {
    const row = cells[ROWS - 1 - Math.round(up * (ROWS - 1))];
    const column = HALF + Math.round(across * HALF);
    if (row?.[column] !== undefined) row[column] = mark;
  };
  const shaded = frame.donut > 0 ? Math.max(1, Math.round(frame.donut * HALF)) : 0;
  for (const row of cells) {
    row.fill(SHADE, HALF - shaded, HALF + shaded + 1);
    row[HALF] = "│";
  }
  for (const { from, to, extended } of frame.lines)
    for (const spot of along(from, to)) put(spot, extended ? EXTENDED : LINE);
  for (const point of frame.points) put(point, point.used ? POINT : UNUSED);
  const ticks = new Map(frame.ticks.map(({ up, label }) => [ROWS - 1 - Math.round(up * (ROWS - 1)), label]));
  const width = Math.max(6, ...frame.ticks.map(({ label }) => label.length));
  return [
    `mean ${shownWords(words.outcome)} (${betterWords(words)}: ${words.better === "higher" ? "up" : "down"})`,
    ...cells.map((row, i) => {
      const label = ticks.get(i);
      return `  ${(label ?? "").padStart(width)} ${label === undefined ? "│" : "┤"}${row.join("")}`.trimEnd();
    }),
    ...keyOf(slices, frame.points, shaded > 0, width + 4),
  ];
}

/** One spot a column, both ends included; the cutoff's own column stays free. */
function along(from: Spot, to: Spot): Spot[] {
  const width = Math.max(1, Math.abs(Math.round(to.across * HALF) - Math.round(from.across * HALF)));
  return Array.from({ length: width + 1 }, (_, i) => ({
    across: from.across + ((to.across - from.across) * i) / width,
    up: from.up + ((to.up - from.up) * i) / width,
  })).filter(({ across }) => Math.round(across * HALF) !== 0);
}

/** The axis below: its ticks at 2h, h and 0, and what they count. */
function keyOf(slices: CutoffSlices, points: readonly { used: boolean }[], shaded: boolean, margin: number) {
  const { h, unit, fit } = slices.plot;
  const stops = [-2, -1, 0, 1, 2].map((times) => ({
    column: HALF + (times * HALF) / 2,
    label: String(Number((times * h).toPrecision(4))),
  }));
  const axis = new Array<string>(2 * HALF + 1).fill("─");
  const labels = new Array<string>(2 * HALF + 1 + margin).fill(" ");
  for (const { column, label } of stops) {
    axis[column] = "┬";
    const from = margin + column - Math.floor(label.length / 2);
    for (const [i, letter] of [...label].entries()) labels[from + i] = letter;
  }
  const told = [
    `${unit} before (-) and after the cutoff, ${cutoffEnd(slices.cutoff)}`,
    ...pointWords(slices.plot, points),
    ...(fit === null ? [] : [`${LINE} the lines at h`]),
    ...(shaded ? [`${SHADE} the donut, left out${fit === null ? "" : ` (${EXTENDED} lines extended)`}`] : []),
  ];
  return [`${" ".repeat(margin - 1)}└${axis.join("")}`, labels.join("").trimEnd(), `  ${told.join("; ")}`];
}

function pointWords(plot: CutoffSlices["plot"], points: readonly { used: boolean }[]): string[] {
  if (plot.fit === null) return points.length === 0 ? [] : [`${UNUSED} ${binWords(plot)}`];
  return [
    ...(points.some(({ used }) => used) ? [`${POINT} ${binWords(plot)}`] : []),
    ...(points.some(({ used }) => !used) ? [`${UNUSED} the same, not used by the lines`] : []),
  ];
}
