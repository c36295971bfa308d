/** What the best of many trials is worth, given how many there were: the deflated Sharpe ratio and what stands beside it. */
import { contract } from "../core/contract.ts";
import { round12 } from "../core/round.ts";
import { effectiveByClusters, effectiveByCorrelation } from "../stats/effective-trials.ts";
import { benjaminiHochberg, holm } from "../stats/multiple-tests.ts";
import { backtestOverfitting } from "../stats/overfitting.ts";
import {
  deflationBar,
  minimumBacktestYears,
  minimumTrackRecord,
  probabilisticSharpe,
  type SharpeRatio,
  sharpeError,
  sharpeTail,
} from "../stats/sharpe.ts";
import { type Comparison, comparedTrials, type WithRatio } from "./comparison.ts";
import { comparedVariance } from "./ratio-variance.ts";
import type { TrialMeasure } from "./trial-measure.ts";

/** Where the trials are from: a ledger of so many rows, whose last has this digest. */
export type KnownAt = { readonly rows: number; readonly head: string };

export type DeflationOptions = {
  /** The Sharpe ratio per period that PSR and MinTRL are against; 0 unless one is asked for. */
  readonly benchmark: number;
  /** Blocks of the probability of backtest overfitting; even. */
  readonly blocks: number;
  /** For yearly figures; null: none are made. */
  readonly periodsPerYear: number | null;
  /** Index of the trial with which the others are compared; null: the kind of trials that there are most of. */
  readonly like: number | null;
};

/** Spelled as `--json` prints it. Every figure is per period unless its name says otherwise; null: none, and a state says why. */
export type Deflation = {
  /** null where the trials are the columns of a table. */
  readonly known_at: KnownAt | null;
  readonly units: Units;
  /** What the ratios are of that V, the best, PBO and the effective number are over; null where no trial has one. */
  readonly compared: Comparison | null;
  /** Of each compared trial; null where there is none. */
  readonly periods: number | null;
  /** In the order given. */
  readonly trials: readonly DeflatedTrial[];
  /** N: every trial that was begun, with a ratio or without. A lower bound: trials that nobody recorded are not in it. */
  readonly n_trials: number;
  /** How many ratios are compared: V is over these. */
  readonly n_ratios: number;
  /** V: of those ratios, ddof 1. Needs two. */
  readonly variance: number | null;
  /** Of how many ratios of all kinds V is, where those that are compared vary less than they; null: it is of those alone. */
  readonly variance_floor: number | null;
  /** √V · E[max of N]; 0 where N is 1; null where N is more and V is not known, or 0: then nothing says how luck varies. */
  readonly sr0: number | null;
  /** The first of greatest ratio, as reported; null where no trial has one. */
  readonly best: BestTrial | null;
  readonly min_backtest: MinimumBacktest;
  readonly pbo: OverfittingFigures;
  readonly effective_trials: EffectiveFigures;
};

export type Units = {
  readonly ratio: "per period";
  readonly ddof: 1;
  readonly skewness: "population";
  readonly kurtosis: "population, plain (a normal has 3)";
  readonly benchmark: number;
  readonly periods_per_year: number | null;
  /** Of MinTRL. */
  readonly level: number;
};

export type DeflatedTrial = {
  readonly name: string;
  readonly state: string;
  /** Is its ratio among those compared? Then there is a DSR of it. */
  readonly compared: boolean;
  readonly periods: number | null;
  readonly sharpe: number | null;
  /** Standard error of the ratio; null where degenerate. */
  readonly error: number | null;
  /** sharpe · √periods_per_year. */
  readonly sharpe_per_year: number | null;
  readonly skewness: number | null;
  readonly kurtosis: number | null;
  /** P(true ratio > benchmark), in [0, 1]. */
  readonly psr: number | null;
  /** PSR against sr0. */
  readonly dsr: number | null;
  /** 1 − PSR(0), and the same adjusted over all N trials, those without one as 1. */
  readonly p: number | null;
  readonly p_holm: number | null;
  readonly p_bh: number | null;
  /** Declared repeats, and the least and greatest ratio of them. */
  readonly repeats: number;
  readonly spread: readonly [number, number] | null;
};

export type BestTrial = {
  readonly name: string;
  readonly sharpe: number;
  readonly periods: number;
  readonly psr: number | null;
  readonly dsr: number | null;
  /** `ok`; `not estimable`: N is more than 1 and V unknown; `degenerate`: the squared scale of PSR is 0. */
  readonly dsr_state: DerivedState;
  /** Periods until PSR(benchmark) passes the level; null where the ratio is not above it (`infinite`). */
  readonly min_trl: number | null;
  readonly min_trl_state: DerivedState;
  /** The same against sr0. */
  readonly min_trl_deflated: number | null;
  readonly min_trl_deflated_state: DerivedState;
};

export type DerivedState = "ok" | "not estimable" | "degenerate" | "infinite";

/** Years below which the best of N trials without skill is expected to have the target ratio per year: (E[max]/target)². */
export type MinimumBacktest = {
  readonly years: number;
  readonly target_per_year: number;
  /** Of the trials: periods / periods_per_year. */
  readonly own_years: number | null;
};

export type OverfittingFigures = {
  /** `ok`, or why there is none. */
  readonly state: string;
  /** Share of combinations in which the best in sample is no better than the median outside, in [0, 1]. */
  readonly pbo: number | null;
  readonly blocks: number;
  readonly combinations: number | null;
  /** First periods left out, so that the blocks are of one size. */
  readonly dropped: number | null;
  readonly zero_logits: number | null;
  /** Share of combinations in which the best in sample loses outside. */
  readonly loss_probability: number | null;
  /** Trials that were compared. */
  readonly trials: number;
  /** The trial in the way where the state is `constant`: its returns do not vary over half of the blocks. */
  readonly constant: string | null;
};

/** How many unrelated trials the M compared ones amount to, by two methods; N itself stays in the headline. */
export type EffectiveFigures = {
  /** `ok`; `no-trial`: none has a ratio; `no-series`: not all returns are known. */
  readonly state: string;
  /** M. */
  readonly trials: number;
  /** ρ̄ + (1 − ρ̄)·M, in [1, M]; ρ̄ is the mean correlation of all pairs. */
  readonly by_average_correlation: number | null;
  readonly mean_correlation: number | null;
  /** Clusters of the returns, in 1..M, by average linkage of √(½(1 − ρ)); their number by silhouettes. */
  readonly by_clusters: number | null;
  /** `ok`; `no-structure`: the silhouettes show no clusters, so that each counts but for duplicates; `too-many`: none are made. */
  readonly clusters_state: string | null;
  readonly mean_silhouette: number | null;
};

/** `knownAt`: where the trials stand; null: in a table. Throws RangeError for no trial, or for blocks that are odd. */
export function deflate(
  measures: readonly TrialMeasure[],
  knownAt: KnownAt | null,
  options: DeflationOptions,
): Deflation {
  if (measures.length === 0) throw new RangeError("measures: expected at least 1 trial, got 0");
  const { benchmark } = options;
  const n = measures.length;
  const { of, own: kind, kinds } = comparedTrials(measures, options.like);
  const trials = kind.distinct;
  const { variance, floor } = comparedVariance(kind, kinds);
  const sr0 = barOf(n, variance);
  const own = of?.periods ?? null;
  const periodsPerYear = of !== null && of.gaps > 0 ? null : options.periodsPerYear;
  const best = bestOf(trials);
  return {
    known_at: knownAt,
    units: {
      ratio: "per period",
      ddof: 1,
      skewness: "population",
      kurtosis: "population, plain (a normal has 3)",
      benchmark,
      periods_per_year: periodsPerYear,
      level: contract.trackRecordLevel,
    },
    compared: of,
    periods: own,
    trials: trialRows(measures, new Set<TrialMeasure>(kind.all), sr0, { benchmark, periodsPerYear }),
    n_trials: n,
    n_ratios: trials.length,
    variance,
    variance_floor: floor,
    sr0,
    best: best && bestFigures(best.name, best.ratio, sr0, benchmark),
    min_backtest: {
      years: minimumBacktestYears(n, TARGET_PER_YEAR),
      target_per_year: TARGET_PER_YEAR,
      own_years: own === null || periodsPerYear === null ? null : own / periodsPerYear,
    },
    pbo: overfittingOf(trials, options.blocks),
    effective_trials: effectiveOf(trials),
  };
}

const TARGET_PER_YEAR = 1;

/** Never that of one trial where there are more. */
function barOf(n: number, variance: number | null): number | null {
  if (n === 1) return 0;
  return variance === null || variance === 0 ? null : deflationBar(n, variance);
}

function bestOf(trials: readonly WithRatio[]): WithRatio | null {
  return trials.reduce<WithRatio | null>(
    (best, each) => (best === null || round12(each.ratio.sharpe) > round12(best.ratio.sharpe) ? each : best),
    null,
  );
}

/** NaN, which says degenerate, is no figure. */
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

function trialRows(
  measures: readonly TrialMeasure[],
  compared: ReadonlySet<TrialMeasure>,
  sr0: number | null,
  { benchmark, periodsPerYear }: Pick<DeflationOptions, "benchmark" | "periodsPerYear">,
): DeflatedTrial[] {
  const p = measures.map(({ ratio }) => (ratio === null ? null : known(sharpeTail(ratio, 0))));
  const tested = Float64Array.from(p, (value) => value ?? 1);
  const [byHolm, byBh] = [holm(tested), benjaminiHochberg(tested)];
  return measures.map((measure, i) => {
    const { name, state, ratio, gaps, repeats, spread } = measure;
    const isCompared = compared.has(measure);
    return {
      name,
      state,
      compared: isCompared,
      periods: ratio?.periods ?? null,
      sharpe: ratio?.sharpe ?? null,
      error: ratio && known(sharpeError(ratio)),
      sharpe_per_year:
        ratio === null || periodsPerYear === null || gaps > 0
          ? null
          : ratio.sharpe * Math.sqrt(periodsPerYear),
      skewness: ratio?.skewness ?? null,
      kurtosis: ratio?.kurtosis ?? null,
      psr: ratio && known(probabilisticSharpe(ratio, benchmark)),
      dsr: ratio && isCompared && sr0 !== null ? known(probabilisticSharpe(ratio, sr0)) : null,
      p: p[i] as number | null,
      p_holm: p[i] === null ? null : (byHolm[i] as number),
      p_bh: p[i] === null ? null : (byBh[i] as number),
      repeats,
      spread,
    };
  });
}

function bestFigures(name: string, ratio: SharpeRatio, sr0: number | null, benchmark: number): BestTrial {
  const psr = probabilisticSharpe(ratio, benchmark);
  const dsr = sr0 === null ? null : probabilisticSharpe(ratio, sr0);
  const record = trackRecord(ratio, benchmark);
  const deflated = trackRecord(ratio, sr0);
  return {
    name,
    sharpe: ratio.sharpe,
    periods: ratio.periods,
    psr: known(psr),
    dsr: dsr === null ? null : known(dsr),
    dsr_state: stateOf(dsr),
    min_trl: record.value,
    min_trl_state: record.state,
    min_trl_deflated: deflated.value,
    min_trl_deflated_state: deflated.state,
  };
}

function trackRecord(ratio: SharpeRatio, benchmark: number | null) {
  const value = benchmark === null ? null : minimumTrackRecord(ratio, benchmark, contract.trackRecordLevel);
  return { value: value === null ? null : known(value), state: stateOf(value) };
}

function stateOf(value: number | null): DerivedState {
  if (value === null) return "not estimable";
  if (Number.isNaN(value)) return "degenerate";
  return Number.isFinite(value) ? "ok" : "infinite";
}

type NoSeries = "no-trial" | "no-series";

/** The returns of the compared trials; why not, where there are none. */
function seriesOf(trials: readonly WithRatio[]): readonly Float64Array[] | NoSeries {
  if (trials.length === 0) return "no-trial";
  const series = trials.flatMap((trial) => (trial.series === null ? [] : [trial.series]));
  return series.length < trials.length ? "no-series" : series;
}

function overfittingOf(trials: readonly WithRatio[], blocks: number): OverfittingFigures {
  const none = { pbo: null, blocks, combinations: null, dropped: null, zero_logits: null };
  const absent = { ...none, loss_probability: null, trials: trials.length };
  const series = seriesOf(trials);
  if (typeof series === "string") return { state: series, ...absent, constant: null };
  const found = backtestOverfitting(series, blocks);
  if (found.state === "constant")
    return { state: "constant", ...absent, constant: (trials[found.trial] as WithRatio).name };
  if (found.state !== "ok") return { state: found.state, ...absent, constant: null };
  return {
    state: "ok",
    pbo: found.pbo,
    blocks,
    combinations: found.combinations,
    dropped: found.dropped,
    zero_logits: found.zeroLogits,
    loss_probability: found.lossProbability,
    trials: trials.length,
    constant: null,
  };
}

function effectiveOf(compared: readonly WithRatio[]): EffectiveFigures {
  const trials = compared.length;
  const series = seriesOf(compared);
  if (typeof series === "string")
    return {
      state: series,
      trials,
      by_average_correlation: null,
      mean_correlation: null,
      by_clusters: null,
      clusters_state: null,
      mean_silhouette: null,
    };
  const byCorrelation = effectiveByCorrelation(series);
  const byClusters = effectiveByClusters(series);
  return {
    state: "ok",
    trials,
    by_average_correlation: byCorrelation.effective,
    mean_correlation: byCorrelation.correlation,
    by_clusters: byClusters.effective,
    clusters_state: byClusters.state,
    mean_silhouette: byClusters.silhouette,
  };
}
