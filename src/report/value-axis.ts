/** The upright axis of a picture: what it spans, how high a value stands on it, and where its ticks are. */

export type AxisRange = { readonly lo: number; readonly hi: number };

const MARGIN = 0.12;
/** Spans below this have too few digits left for ticks. */
const NO_SPAN = 1e-300;

/** Of finite values a little more than they span, and 0 where they are near it. Halves do not overflow. */
export function axisRange(values: readonly number[]): AxisRange {
  const [least, most] = values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
  const half = most / 2 - least / 2;
  const pad = half > Math.abs(most) * 1e-9 ? half * MARGIN : Math.abs(most) / 4;
  const lo = least >= 0 && least < half + 2 * pad ? 0 : Math.max(least - pad, -Number.MAX_VALUE);
  const hi = most <= 0 && most > -half - 2 * pad ? 0 : Math.min(most + pad, Number.MAX_VALUE);
  return hi / 2 - lo / 2 > NO_SPAN ? { lo, hi } : { lo: least < 0 ? -1 : 0, hi: 1 };
}

/** 0 at the foot of the axis, 1 at its top; what is beyond them stands at them. */
export function heightOn(value: number, { lo, hi }: AxisRange): number {
  return Math.min(1, Math.max(0, (value / 2 - lo / 2) / (hi / 2 - lo / 2)));
}

type Tick = { readonly value: number; readonly label: string };

const TICKS = 6;
const LABEL_COLUMNS = 10;

/** Multiples of 1, 2 or 5 times a power of ten, each read from its decimal text. */
export function axisTicks({ lo, hi }: AxisRange): Tick[] {
  const least = ((hi / 2 - lo / 2) / TICKS) * 2;
  const [digits, power] = least.toExponential().split("e").map(Number) as [number, number];
  const [factor, exponent] = digits > 5 ? [1, power + 1] : [digits > 2 ? 5 : digits > 1 ? 2 : 1, power];
  const step = Number(`${factor}e${exponent}`);
  const first = Math.ceil(lo / step);
  if (!Number.isSafeInteger(first * factor * 10))
    return [lo, hi].map((value) => ({ value, label: labelOf(value, 0) }));
  return Array.from({ length: TICKS + 1 }, (_, i) => Number(`${(first + i) * factor}e${exponent}`))
    .filter((value) => value <= hi)
    .map((value) => ({ value, label: labelOf(value, Math.max(0, -exponent)) }));
}

function labelOf(value: number, decimals: number): string {
  const fixed = decimals <= LABEL_COLUMNS ? value.toFixed(decimals) : "";
  if (fixed !== "" && fixed.length <= LABEL_COLUMNS) return fixed;
  const shortest = value.toExponential();
  return (shortest.length <= LABEL_COLUMNS ? shortest : value.toExponential(3)).replace("e+", "e");
}
