/** What can be said of an estimate with its interval: its size, what could have been seen, what its sweep shows. */

import { contract } from "../core/contract.ts";
import type { Interval } from "../stats/cluster-mean.ts";
import type { Envelope, SensitivityRow } from "./fit-figures.ts";
import { type Figures, figuresIn, shownPercent } from "./shown-figures.ts";

export type JudgedWords = {
  /** Of the intervals; absent: the contract's. */
  readonly level?: number;
  /** Of the minimum detectable effect; absent: the contract's. */
  readonly power?: number;
  /** Whether sentences may name the flags and columns of `blindcast leakage`. */
  readonly flags?: boolean;
};

/** An estimate that can be judged. */
export type Judged = {
  readonly estimate: number;
  readonly ci95: Interval;
  readonly mde: number | null;
  /** Of its error. */
  readonly df: number | null;
  /** Of the outcome. */
  readonly range: Interval | null;
};

/** `95 % interval`. */
export function intervalWords({ level }: JudgedWords): string {
  return `${shownPercent(level ?? contract.bootstrapLevel)} interval`;
}

/** `80 % power`. */
export function powerWords({ power }: JudgedWords): string {
  return `${shownPercent(power ?? contract.power)} power`;
}

/** `0.0780 (95 % interval 0.0184 to 0.1376)`. */
export function sizeWords({ estimate, ci95, range }: Omit<Judged, "mde" | "df">, words: JudgedWords): string {
  const { figure } = figuresIn(range);
  return `${figure(estimate)} (${intervalWords(words)} ${figure(ci95[0])} to ${figure(ci95[1])})`;
}

/** The same as a size of the other sign. */
export function turnedSizeWords({ estimate, ci95: [lo, hi], range }: Judged, words: JudgedWords): string {
  return sizeWords({ estimate: -estimate, ci95: [-hi, -lo], range }, words);
}

/** How far up the interval of an undetected jump or excess goes. */
export function reachWords(what: string, { ci95, range }: Judged, words: JudgedWords): string {
  return `the ${intervalWords(words)} of the ${what} reaches ${figuresIn(range).figure(ci95[1])}`;
}

/** What the cases could have shown, with the comma before it. Beyond what the outcome spans it is as good as nothing. */
export function detectableWords(what: string, { mde, df, range }: Judged, words: JudgedWords): string {
  if (mde === null) return "";
  const { figure } = figuresIn(range);
  if (range !== null && mde >= range[1] - range[0])
    return `, and these cases cannot tell: even ${what} over the whole range of the outcome (${figure(range[0])} to ${figure(range[1])}) would often be missed`;
  const rough =
    df !== null && df < ROUGH_DF
      ? ` (roughly: its error has ${df.toFixed(1)} degrees of freedom, and is itself uncertain)`
      : "";
  return `; at ${powerWords(words)} ${what} above ${figure(mde)} would have been detected${rough}`;
}

/** Below it the power at the stated effect is some points short of what it says (test/simulate). */
const ROUGH_DF = 10;

type Swept = {
  readonly sensitivity: readonly SensitivityRow[];
  readonly envelope: Envelope | null;
};

/** Beside what was detected: an interval of the cutoff may hold months at which nothing is seen. */
export function fallingCaution({ envelope }: Swept, { figure }: Figures): string {
  if (envelope === null || envelope.lo > 0) return "";
  return ` Over the cutoff's interval the estimate falls to ${figure(envelope.lo)}, so this depends on the month.`;
}

/** The months of a sweep, but for the estimate's own, whose interval lies above 0. */
export function detectedMonths({ sensitivity }: Swept, own: string): SensitivityRow[] {
  return othersOf(sensitivity, own).filter(({ ci95 }) => ci95 !== null && ci95[0] > 0);
}

/** Beside what was not detected: at which other months of the interval it is, or that it is at none. */
export function movedCaution(swept: Swept, own: string, range: Interval | null, words: JudgedWords): string {
  const others = swept.sensitivity.filter(({ cutoff }) => cutoff !== own);
  const judged = othersOf(swept.sensitivity, own);
  const found = detectedMonths(swept, own);
  if (others.length === 0) return "";
  if (judged.length === 0) return " At no other month of the interval can it be estimated.";
  if (found.length > 0)
    return ` Moved to ${listed(found)} it is detected: ${sizesOf(found, range, words)}; a stated interval may not be searched for its greatest month.`;
  const of =
    judged.length === others.length ? "" : ` (${judged.length} of ${others.length} can be estimated)`;
  return ` Moved to any other month of the interval${of} it is not detected either.`;
}

function othersOf(sensitivity: readonly SensitivityRow[], own: string): SensitivityRow[] {
  return sensitivity.filter(({ cutoff, state }) => cutoff !== own && state === "estimated");
}

function sizesOf(rows: readonly SensitivityRow[], range: Interval | null, words: JudgedWords): string {
  const { figure } = figuresIn(range);
  const [first] = rows;
  if (rows.length === 1 && first?.estimate != null && first.ci95 !== null)
    return sizeWords({ estimate: first.estimate, ci95: first.ci95, range }, words);
  const estimates = rows.flatMap(({ estimate }) => (estimate === null ? [] : [estimate]));
  return `${figure(Math.min(...estimates))} to ${figure(Math.max(...estimates))}`;
}

const MOST_LISTED = 6;

/** `2023-02`, `2023-02 and 2023-03`, and no more than six of many. */
function listed(rows: readonly SensitivityRow[]): string {
  const shown = rows.slice(0, MOST_LISTED).map(({ cutoff }) => cutoff);
  const more = rows.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length === 1 ? (all[0] as string) : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
