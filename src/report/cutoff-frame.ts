/** What a picture of a cutoff shows, in fractions of its width and height: points, lines, the jump, the axis. */

import type { Interval } from "../stats/cluster-mean.ts";
import type { CutoffPlot, SideLine } from "./cutoff-slices.ts";
import { axisRange, axisTicks, heightOn } from "./value-axis.ts";

/** Across: −1 at 2h before the cutoff, 0 at it, 1 at 2h after. Up: 0 at the foot of the frame, 1 at its top. */
export type Spot = { readonly across: number; readonly up: number };

export type CutoffFrame = {
  /** Means of bins; `used`: within the window of the lines, if there are lines. */
  readonly points: readonly (Spot & { readonly n: number; readonly used: boolean })[];
  /** The lines where they were fitted, as far as there are points, and `extended` over the donut to the cutoff. */
  readonly lines: readonly { readonly from: Spot; readonly to: Spot; readonly extended: boolean }[];
  /** The lines' values at the cutoff. */
  readonly jump: { readonly pre: number; readonly post: number } | null;
  /** Between which heights the line after the cutoff may begin, seen from where the one before ends; `cut` by the frame. */
  readonly reach: { readonly lo: End; readonly hi: End } | null;
  /** Half the width of the gap at the cutoff, as a fraction of 2h. */
  readonly donut: number;
  readonly ticks: readonly { readonly up: number; readonly label: string }[];
};

type End = { readonly up: number; readonly cut: boolean };

/** Of any finite input every number of it is finite. `rise`: the interval of post.level − pre.level, where it is drawn. */
export function cutoffFrame(plot: CutoffPlot, rise: Interval | null = null): CutoffFrame {
  const reach = 2 * plot.h;
  const bins = plot.bins.filter(({ mean }) => Number.isFinite(mean));
  const { donut } = plot;
  const used = (bin: CutoffPlot["bins"][number]) =>
    plot.fit !== null && Math.abs(bin.from + bin.to) / 2 < plot.h && Math.max(-bin.from, bin.to) > donut;
  const fitted = bins.filter(used);
  const first = Math.max(-plot.h, Math.min(-donut, ...fitted.map(({ from }) => from)));
  const last = Math.min(plot.h, Math.max(donut, ...fitted.map(({ to }) => to)));
  const strokes =
    plot.fit === null
      ? []
      : [
          ...strokesOf(plot.fit.pre, first, -donut).map((stroke) => ({ ...stroke, pre: true })),
          ...strokesOf(plot.fit.post, last, donut).map((stroke) => ({ ...stroke, pre: false })),
        ];
  const values = [...bins.map(({ mean }) => mean), ...strokes.flatMap(({ from, to }) => [from.y, to.y])];
  const level = (pre: boolean) => strokes.find((stroke) => stroke.pre === pre && stroke.to.x === 0)?.to.y;
  const [pre, post] = [level(true), level(false)];
  const ends = pre === undefined || rise === null ? [] : rise.map((end) => within(pre + end, values));
  const range = axisRange([...values, ...ends.map(({ value }) => value)]);
  const spot = ({ x, y }: Mark): Spot => ({ across: x / reach, up: heightOn(y, range) });
  const [lo, hi] = ends.map(({ value, cut }) => ({ up: heightOn(value, range), cut }));
  return {
    points: bins.map((bin) => ({
      ...spot({ x: (bin.from + bin.to) / 2, y: bin.mean }),
      n: bin.n,
      used: used(bin),
    })),
    lines: strokes.map(({ from, to, extended }) => ({ from: spot(from), to: spot(to), extended })),
    jump:
      pre === undefined || post === undefined
        ? null
        : { pre: heightOn(pre, range), post: heightOn(post, range) },
    reach: lo === undefined || hi === undefined ? null : { lo, hi },
    donut: donut / reach,
    ticks: axisTicks(range).map(({ value, label }) => ({ up: heightOn(value, range), label })),
  };
}

type Mark = { readonly x: number; readonly y: number };

/** From the outer end to the donut, and from there to the cutoff. */
function strokesOf({ level, slope }: SideLine, outer: number, inner: number) {
  const at = (x: number): Mark => ({ x, y: x === 0 ? level : level + slope * x });
  const strokes = [
    { from: at(outer), to: at(inner), extended: false },
    ...(inner === 0 ? [] : [{ from: at(inner), to: at(0), extended: true }]),
  ];
  return strokes.filter(({ from, to }) => Number.isFinite(from.y) && Number.isFinite(to.y));
}

/** No further from the values than half their span: a wide interval does not flatten the picture. */
function within(value: number, values: readonly number[]): { readonly value: number; readonly cut: boolean } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most / 2 - least / 2;
  const half = span > Math.abs(most) * 1e-9 ? span : Math.abs(most) / 4;
  const [floor, roof] = [Math.max(least - half, -Number.MAX_VALUE), Math.min(most + half, Number.MAX_VALUE)];
  return { value: Math.min(roof, Math.max(floor, value)), cut: value < floor || value > roof };
}
