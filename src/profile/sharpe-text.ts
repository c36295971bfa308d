/** A deflation for a terminal of 80 columns: the trials, the picture in characters, the best one, and what it means. */
import { round12 } from "../core/round.ts";
import { shownWords, wrapWords } from "../report/cutoff-words.ts";
import type { Dots } from "../report/dot-range.ts";
import { dotSketch } from "../report/dot-sketch.ts";
import { counted, shownFigure } from "../report/shown-figures.ts";
import type { BestTrial, DeflatedTrial, Deflation } from "./deflation.ts";
import { ratioDot, ratioLines } from "./ratio-dots.ts";
import {
  bestSentence,
  boundSentence,
  choiceSentence,
  comparedSentence,
  effectiveSentence,
  isApart,
  methodSentence,
  overfittingSentence,
  ratioWords,
  recordWords,
  shownCount,
  shownGiven,
  shownProbability,
  shownRatio,
  stateWords,
  trialsKnown,
} from "./sharpe-words.ts";

const COLUMNS = 80;
const MOST = 20;

/** `read`: sentences on where the trials are from. */
export function deflationText(deflation: Deflation, read: readonly string[]): string[] {
  const trials = byRatio(deflation);
  const absent = deflation.trials.filter(({ sharpe }) => sharpe === null);
  const others = deflation.trials.filter(({ sharpe, compared }) => sharpe !== null && !compared);
  const { best, known_at: at } = deflation;
  const dots = deflationDots(deflation);
  return [
    ...read.flatMap(paragraph),
    ...(at === null ? [] : paragraph(`Deflated for ${trialsKnown(deflation)}, head ${at.head}.`)),
    "",
    ...paragraph(methodSentence(deflation)),
    ...optional(comparedSentence(deflation)),
    ...(trials.length === 0 ? [] : ["", ...trialLines(trials)]),
    ...listLines("Without a ratio, counted in N and not in V", absent, ({ state }) => stateWords(state)),
    ...listLines(
      "Not compared, counted in N and not in V",
      others,
      ({ sharpe, periods }) => `${shownRatio(sharpe)} over ${counted(periods as number, "period")}`,
    ),
    ...(dots === null ? [] : ["", ...dotSketch(dots, MOST)]),
    "",
    ...(best === null ? [] : bestLines(best, deflation)),
    ...hanging("overfitting (PBO): ", overfittingSentence(deflation)),
    ...hanging("effective trials: ", effectiveSentence(deflation)),
    "",
    ...paragraph(`${bestSentence(deflation)}${choiceSentence(deflation)}`),
    ...optional(fewSentence(deflation)),
    "",
    ...paragraph(boundSentence(deflation)),
  ];
}

/** Compared trials, the greatest ratio first. */
function byRatio({ trials }: Deflation): DeflatedTrial[] {
  return trials
    .filter(({ compared }) => compared)
    .sort((a, b) => round12(b.sharpe as number) - round12(a.sharpe as number));
}

/** Each trial's ratio with 1.96 standard errors a side, against the benchmark and SR0; null where no trial has one. */
export function deflationDots(deflation: Deflation): Dots | null {
  const trials = byRatio(deflation);
  const { sr0, n_trials: n, units } = deflation;
  if (trials.length === 0) return null;
  return {
    dots: trials.map(({ name, sharpe, error }) => ratioDot(name, sharpe as number, error, sr0)),
    lines: ratioLines(units.benchmark, sr0, n),
  };
}

/** Of the figures beside a name, and all of them. */
const WIDTHS = [9, 9, 9, 8, 8, 8, 8];
const FIGURES = 59;

function trialLines(trials: readonly DeflatedTrial[]): string[] {
  const shown = trials.slice(0, MOST);
  const names = shown.map(({ name }) => shownWords(name));
  const most = COLUMNS - FIGURES - 2;
  const width = Math.max(5, ...names.map(({ length }) => length).filter((length) => length <= most));
  const line = (name: string, cells: readonly string[]) => [
    ...(name.length > width ? wrapWords(`  ${name}`, COLUMNS, "    ") : []),
    `  ${(name.length > width ? "" : name).padEnd(width)}${cells.map((cell, i) => cell.padStart(WIDTHS[i] as number)).join("")}`,
  ];
  return [
    ...line("trial", ["ratio", "skewness", "kurtosis", "PSR", "DSR", "p Holm", "p BH"]),
    ...shown.flatMap((trial, i) =>
      line(names[i] as string, [
        shownRatio(trial.sharpe),
        shownFigure(trial.skewness),
        shownFigure(trial.kurtosis),
        shownProbability(trial.psr),
        shownProbability(trial.dsr),
        shownProbability(trial.p_holm),
        shownProbability(trial.p_bh),
      ]),
    ),
    ...(trials.length > MOST ? [`  … and ${trials.length - MOST} more with --json`] : []),
  ];
}

/** Below three years of months. */
const FEW_PERIODS = 36;
const SHORT_BLOCK = 4;

/** What few periods make rough, and blocks of few; else nothing. */
function fewSentence({ periods, pbo }: Deflation): string {
  if (periods === null) return "";
  const few =
    periods < FEW_PERIODS
      ? [
          `Few periods: the formulae are for many, and of ${periods} the skewness and the kurtosis, and with them every PSR and DSR, are rough.`,
        ]
      : [];
  const length = Math.floor(periods / pbo.blocks);
  const short =
    pbo.pbo !== null && length < SHORT_BLOCK
      ? [`Blocks of ${counted(length, "period")} are short for PBO: fewer blocks are longer.`]
      : [];
  return [...few, ...short].join(" ");
}

const MOST_LISTED = 10;

function listLines(
  title: string,
  trials: readonly DeflatedTrial[],
  words: (trial: DeflatedTrial) => string,
): string[] {
  if (trials.length === 0) return [];
  const told = trials.slice(0, MOST_LISTED).map((trial) => `${shownWords(trial.name)} (${words(trial)})`);
  const more = trials.length > MOST_LISTED ? ` and ${trials.length - MOST_LISTED} more with --json` : "";
  return paragraph(`${title}: ${told.join(", ")}${more}.`);
}

function bestLines(best: BestTrial, deflation: Deflation): string[] {
  const { n_trials: n, n_ratios: ratios, variance, sr0, units, min_backtest: backtest } = deflation;
  const benchmark = `the benchmark ${shownGiven(units.benchmark)}`;
  const level = units.level * 100;
  const own = backtest.own_years === null ? "" : `; it has ${shownCount(backtest.own_years)}`;
  return [
    ...hanging(
      "best: ",
      `${shownWords(best.name)}, ratio ${ratioWords(best, deflation)} over ${counted(best.periods, "period")}`,
    ),
    ...hanging("PSR: ", `${shownProbability(best.psr)} against ${benchmark}`),
    ...hanging(
      "N: ",
      `${counted(n, "trial")}, ${ratios} of them with a ratio${isApart(deflation) ? " that is compared" : ""}; V, ${deflation.variance_floor === null ? "the variance of those" : "the variance of more"}: ${variance === null ? "none" : shownSmall(variance)}`,
    ),
    ...hanging(
      "SR0: ",
      sr0 === null
        ? "not estimable"
        : `${shownRatio(sr0)}${n === 1 ? ", since it is the only trial" : `, the expected greatest ratio of ${n} trials without skill`}`,
    ),
    ...hanging(
      "DSR: ",
      best.dsr === null ? best.dsr_state : `${shownProbability(best.dsr)} (PSR against SR0)`,
    ),
    ...hanging(
      "minimum track record: ",
      `for ${level} %, ${recordWords(best.min_trl, best.min_trl_state, benchmark)}; ${recordWords(best.min_trl_deflated, best.min_trl_deflated_state, "SR0")}`,
    ),
    ...hanging(
      "minimum backtest: ",
      `${shownCount(backtest.years)} years for a ratio of ${backtest.target_per_year} per year${own}`,
    ),
  ];
}

const shownSmall = (value: number): string => String(Number(value.toPrecision(4)));

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
const optional = (text: string): string[] => (text === "" ? [] : paragraph(text));

/** `  name: words`, further lines below the words. */
const hanging = (name: string, words: string): string[] => wrapWords(`  ${name}${words}`, COLUMNS, "    ");
