/** Lines over time as one self-contained SVG text: panels one below another on one axis of time, in UTC. */

import type { Markish } from "@observablehq/plot";
import { formatInstant, type Instant } from "../core/instant.ts";
import { clip } from "../core/words.ts";
import { shownWords } from "./cutoff-words.ts";
import { CAPTION_LINE, EDGE, letteredSvg } from "./lettered-svg.ts";
import { type LineFrame, type LinePanel, lineFrame, type PanelFrame } from "./line-frame.ts";
import { INK, type Plotting, trueMinus } from "./svg-picture.ts";

const LEFT = 68;
const AXIS = 52;
/** Between a panel and the words above the next. */
const GAP = 14;
/** Of a stroke beside its words, as a fraction of the width. */
const STROKE = 0.035;

/** A fraction of the width, beyond which words at a point stand left of it. */
const ROOM = 0.72;

/** Dark enough on white for text; apart for every common colour blindness. Further lines are dashed. */
const COLOURS = ["#0b5f96", "#a8480f", "#1c7a55", "#6a3d9a", "#555555"];
const DASHES = ["none", "6 3", "2 2.5", "8 2 2 2"];

export type LinePlotWords = {
  readonly title: string;
  /** Sentences below the picture. */
  readonly caption: readonly string[];
};

/** A panel and where it stands: the top of its words and of its frame, below the top of the picture's frame. */
type Laid = {
  readonly panel: LinePanel;
  readonly frame: PanelFrame;
  readonly words: number;
  readonly top: number;
};

/**
 * The SVG of panels from the top in the order given; 720 wide. Bytes depend on the arguments alone. A line ends in a
 * cross where it becomes unknown. Throws RangeError for no mark, or a value that is not finite.
 */
export async function lineSvg(panels: readonly LinePanel[], words: LinePlotWords): Promise<string> {
  const frame = lineFrame(panels);
  const laid = layPanels(panels, frame);
  const tall = laid.reduce((most, { top, panel }) => Math.max(most, top + panel.height), 0);
  const scales = {
    x: { type: "linear", domain: [0, 1], axis: null },
    y: { type: "linear", domain: [tall, 0], axis: null },
  } as const;
  const { title, caption } = words;
  return letteredSvg(
    { title, caption: caption.map(trueMinus) },
    { height: tall, left: LEFT, above: 0, axis: AXIS },
    scales,
    (Plot) => [
      laid.map((one) => axisMarks(Plot, one, frame)),
      laid.map((one) => lineMarks(Plot, one)),
      laid.map((one) => keyMarks(Plot, one)),
      timeMarks(Plot, frame, tall),
    ],
  );
}

const namesOf = ({ lines }: LinePanel) =>
  lines.flatMap(({ label }, i) => (label === null ? [] : [{ label: clip(shownWords(label), 104), i }]));

function layPanels(panels: readonly LinePanel[], { panels: frames }: LineFrame): Laid[] {
  let at = 0;
  return panels.map((panel, i) => {
    const words = at;
    const top = words + CAPTION_LINE * (1 + namesOf(panel).length) + 6;
    at = top + panel.height + GAP;
    return { panel, frame: frames[i] as PanelFrame, words, top };
  });
}

const heightOf = ({ panel, top }: Laid, up: number) => top + panel.height * (1 - up);

function axisMarks(Plot: Plotting, laid: Laid, { ticks }: LineFrame): Markish {
  const { panel, frame, top } = laid;
  const foot = top + panel.height;
  const heights = frame.ticks.map(({ up, label }) => ({ y: heightOf(laid, up), label: trueMinus(label) }));
  return [
    Plot.ruleY(heights, { x1: 0, x2: 1, y: "y", stroke: "#d9d9d9" }),
    Plot.ruleX(ticks, { x: "across", y1: top, y2: foot, stroke: "#ececec" }),
    Plot.ruleY([foot], { x1: 0, x2: 1, stroke: INK }),
    Plot.ruleY([heightOf(laid, frame.level)], { x1: 0, x2: 1, stroke: INK, strokeDasharray: "4 3" }),
    Plot.text(heights, {
      x: () => 0,
      y: "y",
      text: "label",
      textAnchor: "end",
      dx: -6,
      fontSize: 11,
      fill: INK,
    }),
  ];
}

function lineMarks(Plot: Plotting, laid: Laid): Markish {
  const { panel, frame } = laid;
  const level = heightOf(laid, frame.level);
  return frame.spots.map(({ places, unknown }, i) => {
    const spots = places.map(({ across, up }) => ({ x: across, y: heightOf(laid, up) }));
    const last = spots.at(-1);
    return [
      ...(panel.shaded
        ? [Plot.areaY(spots, { x: "x", y1: level, y2: "y", fill: colourOf(i), fillOpacity: 0.12 })]
        : []),
      Plot.line(spots, { x: "x", y: "y", ...strokeOf(i), strokeWidth: 1.6 }),
      ...(unknown === null || last === undefined ? [] : [endMarks(Plot, last, unknown, i, panel.shaded)]),
    ];
  });
}

/** A cross, and from when on nothing is known: to its right, where most often nothing is drawn. */
function endMarks(
  Plot: Plotting,
  last: { readonly x: number; readonly y: number },
  unknown: Instant,
  i: number,
  bare: boolean,
): Markish {
  const right = last.x < ROOM;
  const words = bare ? [] : [`not known from ${formatInstant(unknown).slice(0, "2014-06-02".length)}`];
  return [
    Plot.dot([last], { x: "x", y: "y", symbol: "times", r: 5, stroke: colourOf(i), strokeWidth: 2 }),
    Plot.text(words, {
      x: () => last.x,
      y: () => last.y,
      dx: right ? 9 : -9,
      textAnchor: right ? "start" : "end",
      fontSize: 11,
      fill: colourOf(i),
      stroke: "white",
      strokeWidth: 3,
    }),
  ];
}

const colourOf = (i: number): string => COLOURS[i % COLOURS.length] as string;
const strokeOf = (i: number) => ({
  stroke: colourOf(i),
  strokeLinecap: "butt" as const,
  strokeDasharray: DASHES[Math.floor(i / COLOURS.length) % DASHES.length] as string,
});

/** What the heights are, and below it each line's words beside a stroke of it. */
function keyMarks(Plot: Plotting, { panel, words }: Laid): Markish {
  const rows = namesOf(panel).map((row, n) => ({ ...row, y: words + CAPTION_LINE * (n + 1.5) }));
  const lettering = { textAnchor: "start", fontSize: 11, fill: INK } as const;
  return [
    Plot.text([trueMinus(clip(shownWords(panel.label), 110))], {
      ...lettering,
      x: () => 0,
      y: () => words + CAPTION_LINE / 2,
      dx: EDGE - LEFT,
    }),
    rows.map(({ i, y }) => Plot.ruleY([y], { x1: 0, x2: STROKE, ...strokeOf(i), strokeWidth: 2 })),
    Plot.text(rows, {
      ...lettering,
      x: () => STROKE,
      y: "y",
      text: ({ label }: { label: string }) => trueMinus(label),
      dx: 7,
    }),
  ];
}

function timeMarks(Plot: Plotting, { ticks }: LineFrame, foot: number): Markish {
  const lettering = { y: () => foot, fontSize: 11, fill: INK } as const;
  return [
    Plot.text(ticks, { ...lettering, x: "across", text: "label", dy: 14 }),
    Plot.text(["time (UTC)"], { ...lettering, x: () => 0.5, dy: 34 }),
  ];
}
