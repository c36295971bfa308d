/** Trials of drawn returns, and of figures that are given, for the tests of what is derived from them. */
import fc from "fast-check";
import { measureOfSeries, type TrialMeasure, UNSAID } from "../../src/profile/trial-measure.ts";
import type { SharpeRatio } from "../../src/stats/sharpe.ts";

/** A trial of whose returns nothing but these figures is known. */
export const given = (name: string, ratio: SharpeRatio): TrialMeasure => ({
  name,
  state: "ok",
  ratio,
  series: null,
  ...UNSAID,
  repeats: 1,
  spread: [ratio.sharpe, ratio.sharpe],
});

/** A trial without a ratio. */
export const without = (name: string, state = "unfinished"): TrialMeasure => ({
  name,
  state,
  ratio: null,
  series: null,
  ...UNSAID,
  repeats: 1,
  spread: null,
});

export const normal = (sharpe: number, periods = 250): SharpeRatio => ({
  sharpe,
  periods,
  skewness: 0,
  kurtosis: 3,
});

/** Returns of every kind that a table may hold: constant ones, of two values, far from 0, very small, drawn. */
const aReturn = fc.oneof(
  fc.double({ min: -0.5, max: 0.5, noNaN: true }),
  fc.constantFrom(0, 0.01, -0.01, 1, 1 + 1e-6, 1e-30, 1e30, -1e100),
);

export const someSeries = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 24 }))
  .chain(([trials, periods]) =>
    fc.array(fc.array(aReturn, { minLength: periods, maxLength: periods }), {
      minLength: trials,
      maxLength: trials,
    }),
  );

/** Of such a table, and perhaps of a ledger: then some trials have no ratio, or no series. */
export const someMeasures = fc
  .tuple(
    someSeries,
    fc.array(fc.constantFrom("failed", "unfinished", "unknown-return"), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([series, states, digests]) => [
    ...series.map((returns, i) => {
      const measure = measureOfSeries(`trial ${i}`, Float64Array.from(returns));
      return digests ? { ...measure, series: null } : measure;
    }),
    ...states.map((state, i) => without(`other ${i}`, state)),
  ]);
