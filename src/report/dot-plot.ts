/** Values side by side as one self-contained SVG text: a dot a line, each with its reach, against upright reference lines. */

import type { Markish } from "@observablehq/plot";
import { clip } from "../core/words.ts";
import { shownWords } from "./cutoff-words.ts";
import { type DotRange, type Dots, dotRange } from "./dot-range.ts";
import { CAPTION_LINE, letteredSvg } from "./lettered-svg.ts";
import { INK, type Plotting, QUIET, trueMinus } from "./svg-picture.ts";

/** Room for the names: so much for a letter, and never less than the title's margin needs. */
const LETTER = 6.2;
const LEAST_LEFT = 90;
const NAME = 36;
const AXIS = 52;
/** All lines of dots together, and one of them at most. */
const FRAME_HEIGHT = 900;
const ROW = 18;
/** A lower line has no room for a name. */
const NAMED_ROW = 11;

/** Apart for every common colour blindness, and one is hollow. */
const STRONG = "#0b5f96";
const PLAIN = "#a8480f";

export type DotPlotWords = {
  readonly title: string;
  /** What the values are, below the axis. */
  readonly axis: string;
  /** Sentences below the picture. */
  readonly caption: readonly string[];
};

/**
 * The SVG of dots from the top in the order given; 720 wide. Bytes depend on the arguments alone. Beyond some eighty dots
 * only the first and the last are named. Throws RangeError for no dot, or a value that is not finite.
 */
export async function dotSvg(dots: Dots, words: DotPlotWords): Promise<string> {
  const range = dotRange(dots);
  const named = dots.dots.map(({ label }) => clip(shownWords(label), NAME));
  const left = Math.round(Math.max(LEAST_LEFT, 24 + LETTER * Math.max(...named.map(({ length }) => length))));
  const row = Math.min(ROW, FRAME_HEIGHT / dots.dots.length);
  const scales = {
    x: { type: "linear", domain: [range.lo, range.hi] },
    y: { type: "linear", domain: [dots.dots.length - 0.5 + 5 / row, -0.5 - 5 / row], axis: null },
    r: { type: "identity" },
  } as const;
  const { title, caption } = words;
  return letteredSvg(
    { title, caption: caption.map(trueMinus) },
    {
      height: row * dots.dots.length + 10,
      left,
      above: CAPTION_LINE * dots.lines.length + 6,
      axis: AXIS,
    },
    scales,
    (Plot) => [
      axisMarks(Plot, words.axis),
      lineMarks(Plot, dots.lines, range),
      dotMarks(Plot, dots, range, row),
    ],
  );
}

function axisMarks(Plot: Plotting, axis: string): Markish {
  return [
    Plot.gridX({ stroke: "#d9d9d9", strokeOpacity: 1 }),
    Plot.axisX({
      tickFormat: (value: number) => trueMinus(String(Number(value.toPrecision(4)))),
      fontSize: 11,
      label: axis,
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 38,
      color: INK,
    }),
  ];
}

/** Each line's words stand on a height of their own above the frame, on the side that has room. */
function lineMarks(Plot: Plotting, lines: Dots["lines"], { lo, hi }: DotRange): Markish {
  return lines.flatMap(({ value, label }, i) => [
    Plot.ruleX([value], { stroke: INK, strokeWidth: 1.4, ...(i === 0 ? { strokeDasharray: "4 3" } : {}) }),
    Plot.text([trueMinus(clip(shownWords(label), 80))], {
      x: () => value,
      frameAnchor: "top",
      textAnchor: value / 2 - lo / 2 < (hi / 2 - lo / 2) / 2 ? "start" : "end",
      dy: -9 - CAPTION_LINE * (lines.length - 1 - i),
      fontSize: 11,
      fill: INK,
    }),
  ]);
}

function dotMarks(Plot: Plotting, { dots }: Dots, range: DotRange, row: number): Markish {
  const radius = Math.max(1.2, Math.min(4.5, row / 2.2));
  const spots = dots.map(({ label, value, reach, strong }, up) => ({
    label: clip(shownWords(label), NAME),
    value,
    up,
    from: Math.max(range.lo, reach?.[0] ?? value),
    to: Math.min(range.hi, reach?.[1] ?? value),
    colour: strong ? STRONG : PLAIN,
    inside: strong ? STRONG : "white",
  }));
  const named = spots.filter(({ up }) => row >= NAMED_ROW || up === 0 || up === dots.length - 1);
  return [
    Plot.link(
      spots.filter(({ from, to }) => from < to),
      { x1: "from", x2: "to", y1: "up", y2: "up", stroke: "colour", strokeWidth: Math.min(1.2, row / 3) },
    ),
    Plot.dot(spots, { x: "value", y: "up", r: radius, stroke: "colour", fill: "inside", strokeWidth: 1.4 }),
    Plot.text(named, {
      y: "up",
      frameAnchor: "left",
      text: "label",
      textAnchor: "end",
      dx: -8,
      fontSize: 11,
      fill: row >= NAMED_ROW ? INK : QUIET,
    }),
  ];
}
