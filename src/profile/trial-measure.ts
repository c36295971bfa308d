/** What the inference needs of one trial: its ratio and moments from its returns, or from what a ledger's rows measured. */
import { type Static, Type } from "@sinclair/typebox";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { misfit } from "../core/schema.ts";
import type { Trial } from "../ledger/trial-ledger.ts";
import { returnFigures, type SharpeRatio } from "../stats/sharpe.ts";
import { configuredReturns } from "./trial-config.ts";

export type TrialMeasure = {
  readonly name: string;
  /** `ok`; else why there is no ratio: `constant`, `too-few`, `unfinished`, `failed`, `repeats-missing`, `periods-differ`. */
  readonly state: string;
  /** Per period; of repeats the means. null unless the state is `ok`. */
  readonly ratio: SharpeRatio | null;
  /** Returns of a period, in time order; null where only their digest is known. */
  readonly series: Float64Array | null;
  /** Digest of the instants of those periods; null where nothing says them. */
  readonly over: string | null;
  /** Of the cases, where there are several; null where nothing says it. */
  readonly slice: string | null;
  /** The rate per period that the returns are above; null where nothing says it. */
  readonly riskFree: number | null;
  /** How often nothing was held between two periods. */
  readonly gaps: number;
  /** Of the returns of all its repeats; null where they are not known so. */
  readonly returnsDigest: string | null;
  /** Declared repeats. */
  readonly repeats: number;
  /** The least and the greatest ratio of the repeats; null unless the state is `ok`. */
  readonly spread: readonly [number, number] | null;
};

/** Of a trial of which nothing but its returns is known, or not even they. */
export const UNSAID = {
  over: null,
  slice: null,
  riskFree: null,
  gaps: 0,
  returnsDigest: null,
} as const;

/** Of one series of excess returns, whose ratio is it alone. Throws RangeError where one is not finite. */
export function measureOfSeries(name: string, returns: Float64Array): TrialMeasure {
  const { n, sharpe, skewness, kurtosis, state } = returnFigures(returns);
  const own = { ...UNSAID, name, state, series: returns, repeats: 1 };
  if (sharpe === null || skewness === null || kurtosis === null) return { ...own, ratio: null, spread: null };
  return {
    ...own,
    ratio: { sharpe, periods: n, skewness, kurtosis },
    spread: [sharpe, sharpe],
  };
}

const digest = Type.String({ pattern: "^sha256:[0-9a-f]{64}$" });
const figure = Type.Union([Type.Number(), Type.Null()]);

/** `measures` of a ledger's end row, spelled as in the row. */
export const TrialMeasures = Type.Object(
  {
    repeats: Type.Array(
      Type.Object(
        {
          seed: Type.Integer({ minimum: 0 }),
          sharpe: figure,
          periods: Type.Integer({ minimum: 0 }),
          skewness: figure,
          kurtosis: figure,
          state: Type.String(),
          series: Type.Union([digest, Type.Null()]),
        },
        { additionalProperties: false },
      ),
      { maxItems: limits.repeats },
    ),
    state: Type.String(),
    /** Of each period, the mean over the repeats, in time order; null where a row cannot hold them, or some are not known. */
    returns: Type.Union([Type.Array(Type.Number(), { maxItems: limits.trialReturns }), Type.Null()]),
    /** Of those periods' instants, where it is said: returns of different periods are not compared. */
    over: Type.Optional(digest),
    /** What of the cases was measured, and how often nothing was held between two periods. */
    slice: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
    gaps: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);
export type TrialMeasures = Static<typeof TrialMeasures>;

/**
 * Of a trial of a ledger, by what its end row measured. It has a ratio only when all its declared repeats ended with
 * one, over as many periods: the mean of theirs, as are its skewness and kurtosis. Refuses TrialLedgerBroken where the
 * measures are of another shape, or no returns can have them.
 */
export function measureOfTrial(trial: Trial, name: string, ledger: Place): TrialMeasure {
  const { state, repeats, measures, end } = trial;
  const none = { ...UNSAID, name, ratio: null, series: null, repeats, spread: null };
  if (state !== "ended") return { ...none, state };
  const broken: Broken = (found, expected) =>
    refuse("TrialLedgerBroken", {
      place: `${ledger}:${Number(end) + 1}`,
      subject: `row ${end}: measures`,
      found,
      expected,
    });
  const fault = misfit(TrialMeasures, measures);
  if (fault !== undefined) return broken(fault, "the measures of a run of returns");
  const { repeats: ended, returns, over = null, slice = null, gaps = 0 } = measures as TrialMeasures;
  const other = ended.find((one) => one.state !== "ok");
  if (other !== undefined) return { ...none, state: other.state };
  if (ended.length > repeats) broken(`${ended.length} repeats`, `at most the ${repeats} declared`);
  if (ended.length < repeats) return { ...none, state: "repeats-missing" };
  const ratios = ended.map((repeat, i) => ratioOf(repeat, `repeat ${i}`, broken));
  const { periods } = ratios[0] as SharpeRatio;
  if (ratios.some((ratio) => ratio.periods !== periods)) return { ...none, state: "periods-differ" };
  if (returns !== null && returns.length !== periods)
    broken(`${returns.length} returns`, `one of each of ${periods} periods`);
  const meanOf = (key: "sharpe" | "skewness" | "kurtosis") =>
    ratios.reduce((sum, ratio) => sum + ratio[key], 0) / ratios.length;
  const own = ratios.map(({ sharpe }) => sharpe);
  return {
    name,
    state: "ok",
    ratio: {
      sharpe: meanOf("sharpe"),
      periods,
      skewness: meanOf("skewness"),
      kurtosis: meanOf("kurtosis"),
    },
    series: returns === null ? null : Float64Array.from(returns),
    over,
    slice,
    riskFree: configuredReturns(trial, "risk_free"),
    gaps,
    returnsDigest: digestsOf(ended),
    repeats,
    spread: [Math.min(...own), Math.max(...own)],
  };
}

/** null where one is not said. */
function digestsOf(repeats: readonly Repeat[]): string | null {
  const digests = repeats.map(({ series }) => series);
  return digests.includes(null) ? null : digests.join(" ");
}

type Broken = (found: string, expected: string) => never;
type Repeat = TrialMeasures["repeats"][number];

function ratioOf({ sharpe, periods, skewness, kurtosis }: Repeat, name: string, broken: Broken): SharpeRatio {
  if (sharpe === null || skewness === null || kurtosis === null)
    return broken(`${name}: ok without a figure`, "sharpe, skewness and kurtosis of a repeat that is ok");
  if (periods < 2) return broken(`${name}: ok over ${periods} periods`, "at least 2");
  if (Math.abs(sharpe) > MOST_RATIO) return broken(`${name}: sharpe ${sharpe}`, `at most ${MOST_RATIO}`);
  const least = 1 + skewness * skewness - ROUNDING * kurtosis;
  if (kurtosis < least || kurtosis > periods)
    return broken(
      `${name}: skewness ${skewness}, kurtosis ${kurtosis} of ${periods} periods`,
      "a kurtosis from 1 + skewness² to the number of periods, as all returns have",
    );
  return { sharpe, periods, skewness, kurtosis };
}

/** Rows hold figures of twelve digits. */
const ROUNDING = 2e-11;
/** Returns whose ratio is greater are constant to twelve digits. */
const MOST_RATIO = 1e14;
