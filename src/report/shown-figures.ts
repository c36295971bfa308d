/** Figures as they are printed: in so many columns, and none that looks more exact than it is. */

import type { Interval } from "../stats/cluster-mean.ts";
import type { SliceUnit } from "./cutoff-slices.ts";

const FIGURE_COLUMNS = 8;
/** What spans less than this has its information behind the fourth decimal. */
const FINE_SPAN = 0.01;

/**
 * A figure in at most eight columns: `-0.1170`, `1.2e300`; `–` where there is none. `span` is that of what it is in:
 * of a fine one, small figures are `4.8e-5`, otherwise `0.0000`.
 */
export function shownFigure(value: number | null, span = 1): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const scientific = (digits: number) => value.toExponential(digits).replace("e+", "e");
  const small = span < FINE_SPAN && value !== 0 && Math.abs(value) < 0.0005;
  const forms = small ? [] : [4, 2, 0].map((decimals) => fixed(value, decimals));
  const fits = [...forms, scientific(1)].find((form) => form.length <= FIGURE_COLUMNS);
  return fits ?? scientific(0);
}

function fixed(value: number, decimals: number): string {
  const form = value.toFixed(decimals);
  return Number(form) === 0 ? form.replace("-", "") : form;
}

export function shownInterval(interval: Interval | null, span = 1): string {
  return interval === null ? "–" : `[${shownFigure(interval[0], span)}, ${shownFigure(interval[1], span)}]`;
}

export type Figures = {
  readonly figure: (value: number | null) => string;
  /** `[0.0184, 0.1376]`. */
  readonly interval: (interval: Interval | null) => string;
};

/** Of outcomes in this range; null: of none. */
export function figuresIn(range: Interval | null): Figures {
  const span = range === null ? 1 : range[1] - range[0];
  return {
    figure: (value) => shownFigure(value, span),
    interval: (interval) => shownInterval(interval, span),
  };
}

/** `6 months`, `1 day`. */
export function shownAmount(value: number, unit: SliceUnit): string {
  return `${Number(value.toPrecision(4))} ${value === 1 ? unit.slice(0, -1) : unit}`;
}

/** `1 case`, `2 cases`. */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** `95 %`, `97.5 %`. */
export function shownPercent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
