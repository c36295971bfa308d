/** The picture of a cutoff as one self-contained SVG text: mean outcome over time from the cutoff, both lines, the jump. */

import type { Markish } from "@observablehq/plot";
import { clip } from "../core/words.ts";
import type { Interval } from "../stats/cluster-mean.ts";
import { type CutoffFrame, cutoffFrame, type Spot } from "./cutoff-frame.ts";
import type { CutoffSlices } from "./cutoff-slices.ts";
import {
  betterWords,
  binWords,
  type CutoffWords,
  cutoffEnd,
  cutoffMonth,
  declaredRow,
  jumpSentence,
  shownWords,
} from "./cutoff-words.ts";
import { intervalWords } from "./judged-words.ts";
import { EDGE, letteredSvg } from "./lettered-svg.ts";
import { figuresIn, shownAmount } from "./shown-figures.ts";
import { INK, type Plotting, QUIET, textBlock, trueMinus } from "./svg-picture.ts";

const FRAME_HEIGHT = 300;
const LEFT = 68;
const AXIS = 52;
/** Below the least height, as a share of the frame: no point reaches the tick labels. */
const FOOT = 0.045;

/** Dark enough on white for text of their own colour; apart for every common colour blindness. */
const BEFORE = "#a8480f";
const AFTER = "#0b5f96";

/**
 * The SVG of a model's slices, with its own background; 720 wide. Bytes depend on the arguments alone: coordinates
 * have two decimals, and there are no ids, scripts or outside fonts. The plotting library loads on the first call.
 */
export async function cutoffSvg(slices: CutoffSlices, words: CutoffWords): Promise<string> {
  const frame = cutoffFrame(slices.plot, riseOf(slices, words));
  const scales = {
    x: { type: "linear", domain: [-1, 1] },
    y: { type: "linear", domain: [-FOOT, 1] },
    r: { type: "identity" },
  } as const;
  return letteredSvg(
    { title: words.title, caption: captionOf(slices, words, frame) },
    { height: FRAME_HEIGHT, left: LEFT, above: 34, axis: AXIS },
    scales,
    (Plot) => [axisMarks(Plot, frame, slices, words), frameMarks(Plot, frame, slices)],
  );
}

/** The interval of the leak as one of the step up from before to after; null where it is not estimated. */
function riseOf(slices: CutoffSlices, { better }: CutoffWords): Interval | null {
  const { ci95, state } = declaredRow(slices);
  if (ci95 === null || state !== "estimated") return null;
  return better === "lower" ? ci95 : [-ci95[1], -ci95[0]];
}

function axisMarks(Plot: Plotting, frame: CutoffFrame, slices: CutoffSlices, words: CutoffWords): Markish {
  const { h, unit } = slices.plot;
  const labels = new Map(frame.ticks.map(({ up, label }) => [up, label]));
  const ups = [...labels.keys()];
  const quarters = Array.from({ length: 9 }, (_, i) => (i - 4) / 4);
  const arrow = words.better === "higher" ? "↑" : "↓";
  return [
    Plot.gridY(ups, { stroke: "#d9d9d9", strokeOpacity: 1 }),
    Plot.axisY(ups, {
      tickFormat: (up: number) => trueMinus(labels.get(up) ?? ""),
      fontSize: 11,
      label: null,
      color: INK,
    }),
    Plot.axisX(quarters, {
      tickFormat: (part: number) => trueMinus(String(Number((part * 2 * h).toPrecision(4)))),
      fontSize: 11,
      label: `${unit} before (−) and after the cutoff, ${cutoffEnd(slices.cutoff)}`,
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 38,
      color: INK,
    }),
    Plot.ruleY([-FOOT], { stroke: INK }),
    textBlock(
      Plot,
      [`mean ${clip(shownWords(words.outcome), 60)} (${betterWords(words)} ${arrow})`],
      "top-left",
      {
        dx: EDGE - LEFT,
        dy: -34,
        fontSize: 11,
      },
    ),
  ];
}

const LARGEST = 9;
const LEAST = 2;

function frameMarks(Plot: Plotting, frame: CutoffFrame, slices: CutoffSlices): Markish {
  const most = Math.max(1, ...frame.points.map(({ n }) => n));
  const radius = ({ n }: { n: number }) => Math.max(LEAST, LARGEST * Math.sqrt(n / most));
  const colour = ({ across }: Spot) => (across < 0 ? BEFORE : AFTER);
  const side = { x: "across", y: "up", stroke: colour, r: radius, strokeWidth: 1.4 } as const;
  const lines = frame.lines.map(({ from, to, extended }) => ({
    x1: from.across,
    y1: from.up,
    x2: to.across,
    y2: to.up,
    stroke: from.across < 0 ? BEFORE : AFTER,
    extended,
  }));
  const ends = { x1: "x1", y1: "y1", x2: "x2", y2: "y2", stroke: "stroke", strokeWidth: 2 } as const;
  return [
    frame.donut > 0
      ? Plot.rectX([frame.donut], { x1: (d: number) => -d, x2: (d: number) => d, fill: "#ececec" })
      : null,
    Plot.ruleX([0], { stroke: INK, strokeDasharray: "4 3" }),
    Plot.dot(
      frame.points.filter(({ used }) => !used),
      { ...side, fill: "white" },
    ),
    Plot.dot(
      frame.points.filter(({ used }) => used),
      { ...side, fill: colour, fillOpacity: 0.55 },
    ),
    Plot.link(
      lines.filter(({ extended }) => !extended),
      ends,
    ),
    Plot.link(
      lines.filter(({ extended }) => extended),
      { ...ends, strokeDasharray: "3 3" },
    ),
    jumpMarks(Plot, frame, slices),
    ...[
      { x: -0.5, text: "before the cutoff", fill: BEFORE, fontWeight: "normal" },
      { x: 0, text: `cutoff ${cutoffMonth(slices.cutoff)}`, fill: INK, fontWeight: "bold" },
      { x: 0.5, text: "after the cutoff", fill: AFTER, fontWeight: "normal" },
    ].map(({ x, text, fill, fontWeight }) =>
      Plot.text([text], { x: () => x, frameAnchor: "top", dy: -9, fontSize: 11, fill, fontWeight }),
    ),
  ];
}

/** The jump itself and its interval beside it, or why there is none to see. */
function jumpMarks(Plot: Plotting, frame: CutoffFrame, slices: CutoffSlices): Markish {
  const { jump, points } = frame;
  const { estimate, state } = declaredRow(slices);
  const lettering = { stroke: "white", strokeWidth: 4, fontSize: 11, x: () => 0, y: (up: number) => up };
  if (jump === null || state === "not estimable") {
    const why = points.length === 0 ? "no case this near the cutoff" : "not estimable";
    const up = freeHeight(frame, { middle: 0.9, from: -0.3, to: 0.3 });
    return Plot.text([up], { ...lettering, text: () => why, fill: QUIET });
  }
  const up = freeHeight(frame, { middle: (jump.pre + jump.post) / 2, from: 0, to: 0.36 });
  return [
    Plot.link([jump], { x1: () => 0, x2: () => 0, y1: "pre", y2: "post", stroke: INK, strokeWidth: 4 }),
    intervalMarks(Plot, frame),
    Plot.text([up], {
      ...lettering,
      text: () => trueMinus(`leak ${figuresIn(slices.plot.range).figure(estimate)}`),
      dx: 10,
      textAnchor: "start",
      fontWeight: "bold",
      fill: INK,
    }),
  ];
}

/**
 * Left of the cutoff, where the points of a large jump are at its other end; in fractions of 2h: about 8 and 3 of the
 * picture's units.
 */
const BESIDE = -0.026;
const END = 0.01;

/** A thin upright with a stroke at each end that the frame does not cut. */
function intervalMarks(Plot: Plotting, { reach }: CutoffFrame): Markish {
  if (reach === null) return null;
  const upright = { x1: BESIDE, x2: BESIDE, y1: reach.lo.up, y2: reach.hi.up };
  const ends = [reach.lo, reach.hi]
    .filter(({ cut }) => !cut)
    .map(({ up }) => ({ x1: BESIDE - END, x2: BESIDE + END, y1: up, y2: up }));
  const sides = { x1: "x1", x2: "x2", y1: "y1", y2: "y2" } as const;
  return Plot.link([upright, ...ends], { ...sides, stroke: INK, strokeWidth: 1.2 });
}

const CLEARANCE = 0.055;

type Place = { readonly middle: number; readonly from: number; readonly to: number };

/** Where words from here to there cover no point and no line: the nearest such height, or the middle itself. */
function freeHeight({ points, lines }: CutoffFrame, { middle, from: left, to: right }: Place): number {
  const steps = Array.from({ length: 9 }, (_, i) => i / 8);
  const along = lines.flatMap(({ from, to }) =>
    steps.map((t) => ({
      across: from.across + (to.across - from.across) * t,
      up: from.up + (to.up - from.up) * t,
    })),
  );
  const near = [...points, ...along].filter(({ across }) => across >= left && across <= right);
  const free = (up: number) =>
    up > 0.03 && up < 0.97 && near.every((spot) => Math.abs(spot.up - up) > CLEARANCE);
  const offsets = Array.from({ length: 30 }, (_, i) => (i / 2) * CLEARANCE);
  return offsets.flatMap((offset) => [middle + offset, middle - offset]).find(free) ?? middle;
}

function captionOf(slices: CutoffSlices, words: CutoffWords, frame: CutoffFrame): string[] {
  const row = declaredRow(slices);
  const { plot, gap_not_leakage: gap } = slices;
  const { figure, interval } = figuresIn(plot.range);
  // An interval on one side of 0 stands in the sentence.
  const beside = row.state === "estimated" && row.ci95 !== null && row.ci95[0] <= 0 && row.ci95[1] >= 0;
  const leak = beside
    ? `Leak ${figure(row.estimate)}, ${intervalWords(words)} ${interval(row.ci95)}; > 0: cases before the cutoff look too good. `
    : "";
  const window =
    row.state === "not estimable"
      ? ""
      : `Window of ${shownAmount(plot.h, plot.unit)} a side: ${row.n_pre} cases in ${row.clusters_pre} clusters before, ${row.n_post} in ${row.clusters_post} after; ${row.state}. `;
  const bare = gap === null ? "" : `Bare gap over all cases ${figure(gap)}: by itself not leakage.`;
  const figures = `${leak}${window}${bare}`.trimEnd();
  const sentence = jumpSentence(slices, words);
  return [
    `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`,
    ...(figures === "" ? [] : [figures]),
    ...legendOf(slices.plot, words, frame),
  ].map(trueMinus);
}

function legendOf(plot: CutoffSlices["plot"], words: CutoffWords, { reach, jump }: CutoffFrame): string[] {
  const sizes = plot.bins.map(({ n }) => n);
  if (sizes.length === 0) return [];
  const points = `Points: ${binWords(plot)}, area by cases (${Math.min(...sizes)} to ${Math.max(...sizes)})`;
  const shaded = plot.donut > 0 ? ` Shaded: donut of ${shownAmount(plot.donut, plot.unit)}, left out` : "";
  if (plot.fit === null) return [`${points}.${shaded === "" ? "" : `${shaded}.`}`];
  const hollow = `hollow: outside the window${shaded === "" ? "" : " or in the donut"}`;
  const cut = reach?.lo.cut || reach?.hi.cut ? ", cut where it has no end stroke" : "";
  const bar =
    reach === null || jump === null ? "" : ` Thin bar: the ${intervalWords(words)} of the step${cut}.`;
  return [`${points}; ${hollow}.${shaded === "" ? "" : `${shaded}; lines dashed.`}${bar}`];
}
