/** Slices as a report has them, made by hand and at random, for the tests of what is printed of them. */
import fc from "fast-check";
import type { ControlRow } from "../../src/report/control-slices.ts";
import type { CutoffSlices, DiscontinuityRow } from "../../src/report/cutoff-slices.ts";
import type { CutoffWords } from "../../src/report/cutoff-words.ts";

export const words: CutoffWords = { title: "arm latest", outcome: "Brier score", better: "lower" };

const estimatedRow: DiscontinuityRow = {
  h: 6,
  estimate: 0.078,
  se: 0.026,
  df: 8.25,
  se_cr1: 0.0241,
  ci95: [0.0184, 0.1376],
  method: "t",
  n_pre: 40,
  n_post: 44,
  clusters_pre: 6,
  clusters_post: 7,
  state: "estimated",
};

/** A row without figures, as too few cases leave it. */
export const emptyRow = (h: number, counts: Partial<DiscontinuityRow> = {}): DiscontinuityRow => ({
  ...estimatedRow,
  h,
  estimate: null,
  se: null,
  df: null,
  se_cr1: null,
  ci95: null,
  state: "not estimable",
  ...counts,
});

/** Six months a side of a line from .1 to .13 before and from .2 to .26 after: a jump of .07. */
export const sixMonths: CutoffSlices = {
  cutoff: "2024-10",
  n: { pre: 60, post: 44 },
  gap_not_leakage: 0.118,
  discontinuity: [
    emptyRow(3, { n_pre: 18, clusters_pre: 3 }),
    estimatedRow,
    { ...estimatedRow, h: 12, estimate: 0.07 },
  ],
  sensitivity: [],
  envelope: null,
  mde: 0.0835,
  plot: {
    unit: "months",
    h: 6,
    donut: 0,
    range: [0.01, 0.36],
    bins: [-8, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7].map((from) => ({
      from,
      to: from + 1,
      mean: from < 0 ? 0.13 + 0.005 * (from + 0.5) : 0.2 + 0.01 * (from + 0.5),
      n: from === 3 ? 16 : 4,
    })),
    fit: { pre: { level: 0.13, slope: 0.005 }, post: { level: 0.2, slope: 0.01 } },
  },
};

export const withRow = (row: Partial<DiscontinuityRow>, more: Partial<CutoffSlices> = {}): CutoffSlices => ({
  ...sixMonths,
  discontinuity: [
    sixMonths.discontinuity[0] as DiscontinuityRow,
    { ...estimatedRow, ...row },
    sixMonths.discontinuity[2] as DiscontinuityRow,
  ],
  ...more,
});

export const controlRow: ControlRow = {
  treated: "latest-2",
  control: "early-1",
  split: "2024-10",
  estimate: 0.0912,
  se: 0.0301,
  df: 11.2,
  se_cr1: 0.0288,
  ci95: [0.0251, 0.1573],
  clusters: 14,
  n_pre: 60,
  n_post: 44,
  placebo_slope: -0.0012,
  placebo_ci95: [-0.0043, 0.0019],
  mde: 0.0926,
  state: "estimated",
  before_cutoff: false,
  range: [0.01, 0.36],
  sensitivity: [],
  envelope: null,
};

/** Ordinary sizes, and the edges of what a number can be. */
const figure = fc.oneof(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    -0,
    1,
    5e-324,
    -5e-324,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    1e15,
    1e15 + 0.125,
    0.00004,
  ),
);
const positive = figure.map((value) => Math.abs(value));
const maybe = (value: fc.Arbitrary<number>) => fc.option(value, { nil: null });
const interval = fc.tuple(figure, figure).map(([a, b]): [number, number] => (a < b ? [a, b] : [b, a]));
const count = fc.oneof(fc.nat(40), fc.nat(5_000_000));
const month = fc.constantFrom("2023-01", "2024-10");
const state = fc.constantFrom("degenerate" as const, "not estimable" as const, "estimated" as const);

const errors = {
  estimate: maybe(figure),
  se: maybe(positive),
  df: maybe(fc.double({ min: 1, max: 1e6, noNaN: true })),
  se_cr1: maybe(positive),
  ci95: fc.option(interval, { nil: null }),
  method: fc.constantFrom("t" as const, "bootstrap" as const),
  n_pre: count,
  n_post: count,
};

const row = (h: number): fc.Arbitrary<DiscontinuityRow> =>
  state.chain((one) =>
    fc
      .record({ ...errors, clusters_pre: count, clusters_post: count })
      .map((made) => (one === "not estimable" ? emptyRow(h, countsOf(made)) : { h, ...made, state: one })),
  );

const countsOf = ({ n_pre, n_post }: { n_pre: number; n_post: number }) => ({ n_pre, n_post });

const range = fc.option(interval, { nil: null });

const swept = fc.record({
  cutoff: month,
  estimate: maybe(figure),
  se: maybe(positive),
  df: maybe(positive),
  ci95: range,
  state,
});

const sweep = {
  sensitivity: fc.array(swept, { maxLength: 30 }),
  envelope: fc.option(
    interval.map(([lo, hi]) => ({ lo, hi, estimated: 3, of: 5 })),
    { nil: null },
  ),
};

const side = fc.record({ level: figure, slope: figure });

const plot = fc
  .record({
    unit: fc.constantFrom("months" as const, "days" as const),
    h: fc.oneof(fc.constantFrom(1, 6, 7, 180), fc.double({ min: 1e-3, max: 1e6, noNaN: true })),
    gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.99, noNaN: true })),
    places: fc.uniqueArray(fc.integer({ min: -12, max: 11 })),
    means: fc.array(figure, { minLength: 24, maxLength: 24 }),
    sizes: fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 24, maxLength: 24 }),
    fit: fc.option(fc.record({ pre: side, post: side }), { nil: null }),
    range,
  })
  .map(({ unit, h, gap, places, means, sizes, fit, range: outcomes }) => ({
    unit,
    h,
    donut: gap * h,
    range: outcomes,
    bins: places
      .sort((a, b) => a - b)
      .map((place) => ({
        from: (place * h) / 6,
        to: ((place + 1) * h) / 6,
        mean: means[place + 12] as number,
        n: sizes[place + 12] as number,
      })),
    fit,
  }));

/** Whatever a report could hold, and more than it would. */
export const someSlices: fc.Arbitrary<CutoffSlices> = plot.chain((drawn) =>
  fc.record({
    cutoff: fc.constantFrom("2026-01", "2024-06..2024-10", "2024-06..2024-12, stated 2024-10"),
    n: fc.record({ pre: count, post: count }),
    gap_not_leakage: maybe(figure),
    discontinuity: fc.tuple(row(drawn.h / 2), row(drawn.h), row(drawn.h * 2)),
    mde: maybe(positive),
    plot: fc.constant(drawn),
    ...sweep,
  }),
);

const { method: _, ...controlErrors } = errors;

export const someControl: fc.Arbitrary<ControlRow> = fc.record({
  ...controlErrors,
  treated: fc.string({ unit: "binary", maxLength: 120 }),
  control: fc.constant("early-1"),
  split: fc.constantFrom("2026-01", "2024-06..2024-10"),
  clusters: count,
  placebo_slope: maybe(figure),
  placebo_ci95: range,
  mde: maybe(positive),
  state,
  before_cutoff: fc.boolean(),
  range,
  ...sweep,
});

export const someWords: fc.Arbitrary<CutoffWords> = fc.record({
  title: fc.oneof(fc.constant("arm latest"), fc.string({ unit: "grapheme", maxLength: 300 })),
  outcome: fc.constantFrom(
    "Brier score",
    "known rate",
    "an outcome whose name is told at some length, and more",
  ),
  better: fc.constantFrom("lower" as const, "higher" as const),
});
