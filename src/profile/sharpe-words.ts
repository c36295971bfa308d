/** What a deflation says: the sentences of what was found of the best trial, of what was computed how, and of what it cannot say. */
import { round12 } from "../core/round.ts";
import { shownWords } from "../report/cutoff-words.ts";
import { counted, shownFigure, shownPercent } from "../report/shown-figures.ts";
import type { BestTrial, Deflation, DerivedState } from "./deflation.ts";

/** A ratio per period, which is small: `0.03999`, `-0.5000`, `12.3457`. */
export function shownRatio(value: number | null): string {
  if (value === null || !(Math.abs(value) < 1)) return shownFigure(value);
  const form = value.toFixed(5);
  return Number(form) === 0 ? form.replace("-", "") : form;
}

/** `0.9004`; `>0.9999` and `<0.0001` where four decimals would say 1 or 0. */
export function shownProbability(value: number | null): string {
  if (value === null) return "–";
  if (value > 0.9999 && value < 1) return ">0.9999";
  if (value < 0.0001 && value > 0) return "<0.0001";
  return value.toFixed(4);
}

/** `0`, `0.05`: a number that somebody gave, as it is. */
export function shownGiven(value: number): string {
  return String(round12(value));
}

/** `3.61` of a number that counts something and need not be whole. */
export function shownCount(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Why a trial has no ratio. */
export function stateWords(state: string): string {
  const words: { readonly [state: string]: string } = {
    constant: "its returns do not vary",
    "too-few": "fewer than 2 periods",
    unfinished: "it began and never ended",
    failed: "it failed",
    unmeasured: "it ended, and no returns were measured",
    "repeats-missing": "not all declared repeats ended with one",
    "periods-differ": "its repeats are over different numbers of periods",
    "unknown-return": "the return of a period is not known",
    ruined: "the equity fell to 0 or below",
  };
  return words[state] ?? state;
}

/** `the 20 trials of the table`, `the 20 trials known at row 41`: what N counts. */
export function trialsKnown({ known_at: at, n_trials: n }: Pick<Deflation, "known_at" | "n_trials">): string {
  return at === null
    ? `the ${counted(n, "trial")} of the table`
    : `the ${counted(n, "trial")} known at row ${at.rows - 1}`;
}

/** How each figure is made. */
export function methodSentence({ units, compared }: Deflation): string {
  const rate = compared?.risk_free ?? null;
  const returns =
    rate === null
      ? "the returns, which are taken to be in excess of cash already"
      : rate === 0
        ? "the returns; no rate is subtracted from them"
        : `the returns above ${shownGiven(rate)} a period`;
  return (
    `Ratios are Sharpe ratios ${units.ratio}, not annualised: mean over standard deviation (ddof ${units.ddof}) of ` +
    `${returns}. Skewness and kurtosis are population moments; kurtosis is plain, 3 for a normal distribution.`
  );
}

/** Which of the trials are compared, where some are not; else nothing. */
export function comparedSentence(deflation: Deflation): string {
  const { compared, n_ratios: ratios, variance_floor: floor } = deflation;
  if (compared === null) return "";
  const { others, again, slice, gaps } = compared;
  const of = slice === null || slice === "all" ? "" : ` of the slice ${slice}`;
  const told = [
    ...(others === 0
      ? []
      : [
          `${counted(others, "trial")} with a ratio ${others === 1 ? "is" : "are"} over other cases, or above another rate: counted in N, and not compared with the ${ratios} over the same ${counted(compared.periods, "period")}${of} (--like ROW: those over the cases of another row).`,
        ]),
    ...(floor === null
      ? []
      : [
          `V is that of ${floor} ratios of all such kinds, each about its kind's mean and for as many periods as these: those that are compared vary less, and N counts all.`,
        ]),
    ...(again === 0
      ? []
      : [`${counted(again, "trial")} had just the returns of an earlier one: counted in N, and not in V.`]),
    ...(gaps === 0
      ? []
      : [`Nothing was held in ${counted(gaps, "gap")} between the cases, so no figure is per year.`]),
  ];
  return told.join(" ");
}

/** Why nothing is known of the best that luck would bring. */
export function noBarSentence(deflation: Pick<Deflation, "n_trials" | "n_ratios" | "compared">): string {
  const { n_trials: n, n_ratios: ratios } = deflation;
  const apart = isApart(deflation);
  return ratios < 2
    ? `${n} trials were begun and ${ratios} has a ratio${apart ? " that is compared" : ""}; how high luck alone would have brought the best of them needs two at least`
    : `${n} trials were begun and all ${ratios} ratios${apart ? " that are compared" : ""} are the same, which says nothing of how luck varies`;
}

/** Are there ratios that V is not over? */
export function isApart({ compared }: Pick<Deflation, "compared">): boolean {
  return compared !== null && compared.others + compared.again > 0;
}

/** Whether the best of N stands out, and at what. A verdict compares what is reported. */
export function bestSentence(deflation: Deflation): string {
  const { best, n_trials: n, sr0, units } = deflation;
  if (best === null) return `No trial has a ratio: of ${trialsKnown(deflation)} nothing can be said.`;
  const name = shownWords(best.name);
  if (best.dsr_state === "not estimable")
    return `not estimable: ${noBarSentence(deflation)}. The PSR of ${name} takes it for the only trial, which it is not.`;
  if (best.dsr === null)
    return `degenerate: the returns of ${name} take two values only, in a way that leaves its ratio without an error to judge it by.`;
  const level = shownProbability(units.level).replace(/0+$/, "");
  const dsr = shownProbability(best.dsr);
  if (n === 1)
    return round12(best.dsr) >= units.level
      ? `${name} is the one trial that is known, so nothing is deflated: its true ratio is above 0 with probability ${dsr}. If others were tried and are not in here, it is less.`
      : `not shown: ${name} is the one trial that is known, and its true ratio is above 0 with probability ${dsr}, below ${level}.`;
  if (best.psr !== null && units.benchmark > (sr0 ?? 0) && round12(best.psr) < units.level)
    return `not shown: that the true ratio of ${name} is above the benchmark ${shownGiven(units.benchmark)}, has probability ${shownProbability(best.psr)}, below ${level}, as if nothing else had been tried; that it is above what the best of ${n} trials without any skill would be expected to reach, ${shownRatio(sr0)}, ${dsr}.`;
  const luck = `${shownRatio(sr0)}, what the best of ${n} trials without any skill would be expected to reach`;
  return round12(best.dsr) >= units.level
    ? `${name} stands out: its true ratio is above ${luck}, with probability ${dsr}. That holds if these ${n} are all that were tried.`
    : `not shown: that the true ratio of ${name} is above ${luck}, has probability ${dsr}, below ${level}. By itself, as if nothing else had been tried, its PSR is ${shownProbability(best.psr)}.`;
}

/** Where taking the best of the past is no better than chance, whatever the best one's own figures; else nothing. */
export function choiceSentence({ pbo }: Deflation): string {
  if (pbo.pbo === null || round12(pbo.pbo) < 0.5) return "";
  return ` Choosing by past ratio among these trials does no better than chance: PBO is ${shownProbability(pbo.pbo)}.`;
}

/** `279 periods against SR0`, or why there is no such number. */
export function recordWords(value: number | null, state: DerivedState, against: string): string {
  if (state === "infinite") return `none is long enough against ${against}, which the ratio is not above`;
  if (value === null) return `${state} against ${against}`;
  const periods = value < 1e15 ? String(Math.ceil(round12(value))) : shownFigure(value);
  return `${periods} periods against ${against}`;
}

/** Of the best: its ratio, also per year where a year's periods are said. */
export function ratioWords({ sharpe }: BestTrial, { units }: Deflation): string {
  const { periods_per_year: year } = units;
  const yearly =
    year === null ? "" : ` (${shownFigure(sharpe * Math.sqrt(year))} per year of ${year} periods)`;
  return `${shownRatio(sharpe)} per period${yearly}`;
}

const METHOD: { readonly [state: string]: string } = {
  "no-trial": "no trial has a ratio",
  "no-series": "of some trials only the digest of the returns is known, not the returns",
  "too-few-trials": "it compares at least 2 trials with a ratio",
  "too-few-periods": "there are fewer than 2 periods a block: fewer blocks are longer",
};

/** Whether the best in sample stays good outside. */
export function overfittingSentence({ pbo }: Deflation): string {
  if (pbo.constant !== null)
    return `not estimable: the returns of ${shownWords(pbo.constant)} do not vary over half of the blocks.`;
  if (pbo.pbo === null) return `not estimable: ${METHOD[pbo.state] ?? pbo.state}.`;
  const zeros = pbo.zero_logits === 0 ? "" : `, ${pbo.zero_logits} of them at the median itself`;
  return `${shownProbability(pbo.pbo)}: chosen by one half of ${pbo.blocks} blocks of time, the best of ${pbo.trials} ends at or below the median of the other half (of equal ones the first is chosen, and equals share the mean of their ranks) in ${shownPercent(pbo.pbo)} of ${pbo.combinations} halvings${zeros}; it loses there in ${shownPercent(pbo.loss_probability as number)}.${
    pbo.dropped === 0
      ? ""
      : ` The first ${counted(pbo.dropped as number, "period")} left out, for blocks of one size.`
  }`;
}

/** How many trials N amounts to where they resemble each other; the headline stays with N. */
export function effectiveSentence({ effective_trials: effective, n_trials: n }: Deflation): string {
  const { by_average_correlation: average, mean_correlation: mean, by_clusters: clusters } = effective;
  if (average === null) return `not estimable: ${METHOD[effective.state] ?? effective.state}.`;
  const correlation = mean === null ? "" : ` (mean correlation ${shownFigure(mean)})`;
  const unclear = effective.clusters_state === "no-structure" ? ", which show no clear groups" : "";
  const grouped =
    clusters === null ? "too many to group" : `${clusters} by clusters of their returns${unclear}`;
  return `${shownCount(average)} by the average correlation${correlation}, ${grouped}. SR0 and DSR are with all ${n}.`;
}

/** What stands at the end of every text of a deflation. */
export function boundSentence({ known_at: at }: Pick<Deflation, "known_at">): string {
  return (
    "What this cannot say: N is a lower bound. " +
    (at === null
      ? "Whatever else was tried and is no column here belongs into it: "
      : "Trials in other copies of the ledger, or from before there was one, are not seen: ") +
    "more trials of such a variance make SR0 higher and the DSR lower. The formulae take periods as independent, and " +
    "past returns as like those to come."
  );
}
