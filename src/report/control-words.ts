/** What a control row says: the lead over the control, before the split against after it, in one sentence. */

import type { Interval } from "../stats/cluster-mean.ts";
import type { ControlRow } from "./control-slices.ts";
import type { SliceUnit } from "./cutoff-slices.ts";
import { allWords, type CutoffWords, cutoffMonth, NEEDED, shownWords } from "./cutoff-words.ts";
import {
  detectableWords,
  detectedMonths,
  fallingCaution,
  intervalWords,
  type Judged,
  movedCaution,
  reachWords,
  sizeWords,
  turnedSizeWords,
} from "./judged-words.ts";
import { counted, type Figures, figuresIn, shownFigure, shownInterval } from "./shown-figures.ts";

export type ControlWords = CutoffWords & {
  /** What the placebo slope is counted in. */
  readonly unit?: SliceUnit;
};

/** What a control row means, and what must stand beside it. */
export function controlSentence(row: ControlRow, words: ControlWords): string {
  const { estimate, ci95, state, range } = row;
  const figures = figuresIn(range);
  const early = splitCaution(row);
  const own = cutoffMonth(row.split);
  const moved = movedCaution(row, own, range, words);
  if (state === "not estimable") return `${missing(row)}.${detectedMonths(row, own).length > 0 ? moved : ""}`;
  if (state === "degenerate")
    return `degenerate: the lead does not vary within a side, or only within clusters, so that no error can be estimated: its excess of ${figures.figure(estimate)} cannot be judged.${moved}${early}`;
  if (ci95 === null || estimate === null)
    return `not judged: an estimate of ${figures.figure(estimate)} without an interval.${moved}${early}`;
  const said = { estimate, ci95, mde: row.mde, df: row.df, range };
  if (ci95[0] > 0)
    return `detected: against the control, ${shownWords(row.treated)} looks too good before the split by ${sizeWords(said, words)}${driftWords(row, words, "so this may be drift")}.${fallingCaution(row, figures)}${early}`;
  return `not detected: ${undetected(row, said, words)}${driftWords(row, words, "so drift may hide an excess")}.${moved}${early}`;
}

/** Where the treated model may remember cases after the split, too: what the row then does not see. Else nothing. */
export function splitCaution({ before_cutoff, treated }: ControlRow): string {
  if (!before_cutoff) return "";
  return ` The split lies before the end of the cutoff of ${shownWords(treated)}: cases after it may be remembered too, and what is remembered on both sides is not seen here.`;
}

/** How the slope of the lead is printed: a day's says something at sizes that are nothing for an outcome. */
export function slopeFiguresIn(range: Interval | null, { unit }: ControlWords): Figures {
  if (unit === "months") return figuresIn(range);
  return { figure: (value) => shownFigure(value, 0), interval: (interval) => shownInterval(interval, 0) };
}

/** What a slope is counted in. */
export function slopeUnit({ unit }: ControlWords): string {
  return unit === undefined ? "unit of time" : unit.slice(0, -1);
}

function missing({ n_pre: pre, n_post: post, clusters }: ControlRow): string {
  if (pre + post > 0 && (pre === 0 || post === 0))
    return `not estimable: ${allWords(pre + post, "shared case")} ${post === 0 ? "before" : "after"} the split, and nothing is there to compare with`;
  return `not estimable: ${counted(pre, "case")} before the split and ${post} after, ${counted(clusters, "cluster")} in all; ${NEEDED}`;
}

/** A lead that is smaller before, or an interval with 0 in it; of a split that comes too early, no bound. */
function undetected({ treated, before_cutoff }: ControlRow, said: Judged, words: ControlWords): string {
  const check = words.flags ? ": check --better, or what else changed there" : "";
  const found =
    said.ci95[1] < 0
      ? `the lead of ${shownWords(treated)} is smaller before the split, by ${turnedSizeWords(said, words)}${check}`
      : reachWords("excess", said, words);
  return `${found}${before_cutoff ? "" : detectableWords("an excess", said, words)}`;
}

/** Where the lead moves after the split, by an interval without 0. */
function driftWords(row: ControlRow, words: ControlWords, meaning: string): string {
  const { placebo_slope: slope, placebo_ci95: ci95, range } = row;
  if (ci95 === null || (ci95[0] <= 0 && ci95[1] >= 0)) return "";
  const { figure } = slopeFiguresIn(range, words);
  return `, but the lead also moves after the split (slope ${figure(slope)} a ${slopeUnit(words)}, ${intervalWords(words)} ${figure(ci95[0])} to ${figure(ci95[1])}): that it is constant does not hold, ${meaning}`;
}
