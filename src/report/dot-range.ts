/** What a picture of dots spans: all its values and lines, and of their reaches as much as leaves the values apart. */

export type Dots = {
  /** From the top; `strong` ones are drawn full. */
  readonly dots: readonly Dot[];
  /** Upright lines; the first is dashed. */
  readonly lines: readonly { readonly label: string; readonly value: number }[];
};

export type Dot = {
  readonly label: string;
  readonly value: number;
  /** null: none is drawn. */
  readonly reach: readonly [number, number] | null;
  readonly strong: boolean;
};

export type DotRange = { readonly lo: number; readonly hi: number };

/** How far beyond the values, in their span, a reach is drawn; and the margin beyond all that is drawn. */
const BEYOND = 0.6;
const MARGIN = 0.05;

/** lo < hi, both finite. Throws RangeError for no dot, or a value that is not finite. */
export function dotRange({ dots, lines }: Dots): DotRange {
  if (dots.length === 0) throw new RangeError("dots: expected at least 1, got 0");
  const values = [...dots, ...lines].map(({ value }) => value);
  const wrong = values.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw new RangeError(`value: expected a finite number, got ${wrong}`);
  // Halves do not overflow.
  const least = values.reduce((a, b) => Math.min(a, b)) / 2;
  const most = values.reduce((a, b) => Math.max(a, b)) / 2;
  const size = Math.max(Math.abs(least), Math.abs(most));
  const span = spanOf(most - least, size);
  const ends = dots.flatMap(({ reach }) => reach ?? []).map((end) => end / 2);
  const lo = Math.max(least - BEYOND * span, Math.min(least, ...ends)) - MARGIN * span;
  const hi = Math.min(most + BEYOND * span, Math.max(most, ...ends)) + MARGIN * span;
  const bounded = (half: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, 2 * half));
  return { lo: bounded(lo), hi: bounded(hi) };
}

/** Beside a size with too few digits left to divide it by, all values are 0. */
const NO_SIZE = 1e-300;

/** Values that lie together have a span of their size. */
function spanOf(span: number, size: number): number {
  if (size < NO_SIZE) return 0.5;
  return span > size * 1e-9 ? span : size / 2;
}
