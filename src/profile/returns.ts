/** Returns of a run: per which period they are, what they are above, and what a ledger of trials keeps of them. */
import { type Static, Type } from "@sinclair/typebox";
import { digestOfJson } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { round12 } from "../core/round.ts";
import { returnFigures } from "../stats/sharpe.ts";
import type { TrialMeasures } from "./trial-measure.ts";

/** `returns:` of a profile: each case is one period, from its horizon to the next case's, or to its label's end. */
export const ReturnsOnDisk = Type.Object(
  {
    per: Type.String({
      minLength: 1,
      maxLength: limits.nameCharacters,
      description: "what a period is, such as month: trials of one ledger have the same",
    }),
    periods_per_year: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: "a number above 0" }),
    ),
    risk_free: Type.Optional(
      Type.Number({ exclusiveMinimum: -1, maximum: 1, description: "a return of one period, above -1" }),
    ),
  },
  { additionalProperties: false },
);
export type ReturnsOnDisk = Static<typeof ReturnsOnDisk>;

export type ReturnsTerms = {
  readonly per: string;
  /** For yearly figures; null: none are made. */
  readonly periodsPerYear: number | null;
  /** Of one period: returns are excess over it. */
  readonly riskFree: number;
};

export const returnsTerms = (disk: ReturnsOnDisk): ReturnsTerms => ({
  per: disk.per,
  periodsPerYear: disk.periods_per_year ?? null,
  riskFree: disk.risk_free ?? 0,
});

export const returnsOnDisk = ({ per, periodsPerYear, riskFree }: ReturnsTerms): ReturnsOnDisk => ({
  per,
  ...(periodsPerYear === null ? {} : { periods_per_year: periodsPerYear }),
  risk_free: riskFree,
});

/** Excess returns as they are reported, from which every figure is made: a stranger has no others. */
export const excessOf = (returns: readonly number[], riskFree: number): readonly number[] =>
  returns.map((value) => round12(round12(value) - riskFree));

type RepeatMeasure = TrialMeasures["repeats"][number];

/** One repeat's excess returns, null where one of them is not known: then it has no ratio. Rounded as a report is. */
function measureRepeat(seed: number, excess: readonly number[] | null): RepeatMeasure {
  const none = { seed, sharpe: null, skewness: null, kurtosis: null };
  if (excess === null) return { ...none, periods: 0, state: "unknown-return", series: null };
  const returns = excess.map(round12);
  const series = digestOfJson(returns);
  const { n, sharpe, skewness, kurtosis, state } = returnFigures(Float64Array.from(returns));
  if (sharpe === null || skewness === null || kurtosis === null)
    return { ...none, periods: n, state, series };
  const figures = { sharpe: round12(sharpe), skewness: round12(skewness), kurtosis: round12(kurtosis) };
  return { seed, periods: n, ...figures, state, series };
}

/** A row holds 65,535 bytes: some 250 for a repeat, some 20 for a return. */
const WITH_RETURNS = 100;

/** The slice whose returns they are, the instants between which they were made, how often nothing was held in between. */
export type MeasuredOver = {
  readonly slice: string;
  readonly marks: readonly Instant[];
  readonly gaps: number;
};

/**
 * What a ledger's row keeps of a trial; the returns are the means over its repeats, where they are few enough for a row.
 * Returns over something else are not compared.
 */
export function trialMeasures(
  repeats: readonly (readonly number[] | null)[],
  seeds: readonly number[],
  { slice, marks, gaps }: MeasuredOver,
): TrialMeasures {
  const measured = repeats.map((excess, i) => measureRepeat(seeds[i] as number, excess));
  const other = measured.find(({ state }) => state !== "ok");
  const first = repeats[0];
  const means =
    other === undefined &&
    first != null &&
    first.length <= limits.trialReturns &&
    repeats.length <= WITH_RETURNS
      ? first.map((_, t) =>
          round12(repeats.reduce((sum, one) => sum + (one as readonly number[])[t]!, 0) / repeats.length),
        )
      : null;
  const over = digestOfJson(marks.map((mark) => formatInstant(mark)));
  return { repeats: measured, state: other?.state ?? "ok", returns: means, over, slice, gaps };
}
