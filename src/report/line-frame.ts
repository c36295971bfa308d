/** What a picture of lines over time shows, in fractions of a panel's width and height; a line ends where it is unknown. */
import type { Instant } from "../core/instant.ts";
import { type TimeTick, timeTicks } from "./time-axis.ts";
import { axisRange, axisTicks, heightOn } from "./value-axis.ts";

export type LinePanel = {
  /** What the heights are, with their unit. */
  readonly label: string;
  /** In units of the picture. */
  readonly height: number;
  /** A level line; the axis holds it, and `reach` too. */
  readonly level: number;
  readonly reach: number;
  /** Is what lies between a line and the level shaded? */
  readonly shaded: boolean;
  readonly lines: readonly TimeLine[];
};

export type TimeLine = {
  /** Beside a stroke of the line above the panel; null: it is named in another panel, at the same place in the list. */
  readonly label: string | null;
  /** In time order; null: not known. Nothing is drawn from the first such value on. */
  readonly marks: readonly { readonly at: Instant; readonly value: number | null }[];
};

/** Across: 0 at the first mark of all, 1 at the last. Up: 0 at the foot of the panel, 1 at its top. */
type Place = { readonly across: number; readonly up: number };

export type PanelFrame = {
  readonly spots: readonly {
    readonly places: readonly Place[];
    /** From when on the line is not known; null: it is known to its end. */
    readonly unknown: Instant | null;
  }[];
  readonly level: number;
  readonly ticks: readonly { readonly up: number; readonly label: string }[];
};

export type LineFrame = {
  readonly panels: readonly PanelFrame[];
  readonly ticks: readonly (TimeTick & { readonly across: number })[];
};

const MOST_TICKS = 8;

/** Throws RangeError for no mark, or a value that is not finite. */
export function lineFrame(panels: readonly LinePanel[]): LineFrame {
  let [from, to] = [Infinity, -Infinity];
  for (const { marks } of panels.flatMap(({ lines }) => lines))
    for (const { at } of marks) [from, to] = [Math.min(from, at), Math.max(to, at)];
  if (from > to) throw new RangeError("marks: expected at least 1, got 0");
  const across = (at: number) => (to === from ? 0.5 : (at - from) / (to - from));
  return {
    panels: panels.map((panel) => panelFrame(panel, across)),
    ticks: timeTicks(from, to, MOST_TICKS).map((tick) => ({ ...tick, across: across(tick.at) })),
  };
}

function panelFrame({ lines, level, reach }: LinePanel, across: (at: number) => number): PanelFrame {
  const known = lines.map(({ marks }) => {
    const end = marks.findIndex(({ value }) => value === null);
    const left = end < 0 ? marks : marks.slice(0, end);
    return {
      spots: left as readonly { readonly at: Instant; readonly value: number }[],
      unknown: marks[end]?.at ?? null,
    };
  });
  let [least, most] = [Math.min(level, reach), Math.max(level, reach)];
  for (const { value } of known.flatMap(({ spots }) => spots)) {
    if (!Number.isFinite(value)) throw new RangeError(`value: expected a finite number, got ${value}`);
    [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  const range = axisRange([least, most]);
  return {
    spots: known.map(({ spots, unknown }) => ({
      places: spots.map(({ at, value }) => ({ across: across(at), up: heightOn(value, range) })),
      unknown,
    })),
    level: heightOn(level, range),
    ticks: axisTicks(range).map(({ value, label }) => ({ up: heightOn(value, range), label })),
  };
}
