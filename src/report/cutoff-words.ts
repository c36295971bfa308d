/** What a cutoff's slices say: the one sentence of what they mean, and what must stand beside it. */

import { assert } from "../core/assert.ts";
import { contract } from "../core/contract.ts";
import { clip, visible } from "../core/words.ts";
import type { CutoffSlices, DiscontinuityRow } from "./cutoff-slices.ts";
import {
  detectableWords,
  detectedMonths,
  fallingCaution,
  type Judged,
  type JudgedWords,
  movedCaution,
  reachWords,
  sizeWords,
  turnedSizeWords,
} from "./judged-words.ts";
import { counted, figuresIn, shownAmount } from "./shown-figures.ts";

export type CutoffWords = JudgedWords & {
  /** Whose answers to what. */
  readonly title: string;
  /** The outcome's name: `Brier`, `known rate`. */
  readonly outcome: string;
  readonly better: "lower" | "higher";
};

/** Words from outside as a line of text or of XML can hold them. */
export function shownWords(text: string): string {
  return clip(visible(text.toWellFormed()), 240).replace(/[\ufffe\uffff]/g, "\ufffd");
}

/** `higher is better`. */
export function betterWords({ better }: Pick<CutoffWords, "better">): string {
  return `${better} is better`;
}

/** Where r is 0: `the end of 2024-10`; of an interval, the month that it names last, and the interval. */
export function cutoffEnd(span: string): string {
  const month = cutoffMonth(span);
  return `the end of ${month}${month === span ? "" : ` (${span})`}`;
}

/** The month at whose end r is 0. */
export function cutoffMonth(span: string): string {
  return span.slice(-"2024-10".length);
}

/** The row of the declared bandwidth, which the sentence, the lines and the minimum detectable effect are of. */
export function declaredRow({ discontinuity, plot }: CutoffSlices): DiscontinuityRow {
  const row = discontinuity.find(({ h }) => h === plot.h);
  assert(row !== undefined, "a slice has a row of its own bandwidth");
  return row;
}

/** Where all cases lie, if they lie on one side of the cutoff. */
export function sideOf({ n }: CutoffSlices): "before" | "after" | null {
  if (n.pre > 0 && n.post === 0) return "before";
  return n.pre === 0 && n.post > 0 ? "after" : null;
}

/** What the jump at the cutoff means, in one sentence and what must stand beside it. A bound is no certificate. */
export function jumpSentence(slices: CutoffSlices, words: CutoffWords): string {
  const { estimate, ci95, state, ...row } = declaredRow(slices);
  const { range } = slices.plot;
  const figures = figuresIn(range);
  const own = cutoffMonth(slices.cutoff);
  const moved = movedCaution(slices, own, range, words);
  const elsewhere = detectedMonths(slices, own).length > 0 ? moved : "";
  if (sideOf(slices) !== null) return `${oneSided(slices)}${elsewhere}`;
  if (state === "not estimable")
    return `not estimable: ${held(row.n_pre, row.clusters_pre)} before and ${held(row.n_post, row.clusters_post)} after, within ${window(slices)} of the cutoff; ${NEEDED}.${elsewhere}`;
  const fading = fadingCaution(slices, words);
  if (state === "degenerate")
    return `degenerate: the points lie on the lines exactly, or as far above as below within every cluster, so that no error can be estimated: the jump of ${figures.figure(estimate)} cannot be judged.${moved}${fading}`;
  if (ci95 === null || estimate === null)
    return `not judged: an estimate of ${figures.figure(estimate)} without an interval.${moved}${fading}`;
  const said = { estimate, ci95, mde: slices.mde, df: row.df, range };
  if (ci95[0] > 0)
    return `detected: cases before the cutoff look too good by ${sizeWords(said, words)}.${fallingCaution(slices, figures)}`;
  return `not detected: ${undetected(said, words)}.${moved}${fading}`;
}

/** What both sides of an estimate need. */
export const NEEDED = `${contract.leakCases} cases and ${contract.leakClusters} clusters a side are needed`;

/** `all 2 cases lie`, `the only case lies`. */
export function allWords(n: number, what: string): string {
  return n === 1 ? `the only ${what} lies` : `all ${counted(n, what)} lie`;
}

/** `means of bins of 1 month`: what a point of a picture is. */
export function binWords({ h, unit }: CutoffSlices["plot"]): string {
  return `means of bins of ${shownAmount(h / 6, unit)}`;
}

/** Lines of at most `columns`, broken at spaces, but for that of `95 %`; a longer word is cut. Further lines are indented. */
export function wrapWords(text: string, columns: number, indent = ""): string[] {
  const lines: string[] = [];
  let rest = text.trimEnd();
  while (rest.length > columns) {
    let space = rest.lastIndexOf(" ", columns);
    if (rest[space + 1] === "%") space = rest.lastIndexOf(" ", space - 1);
    const pair = /[\ud800-\udbff]/.test(rest[columns - 1] as string) ? 1 : 0;
    const at = space > indent.length ? space : columns - pair;
    lines.push(rest.slice(0, at).trimEnd());
    rest = indent + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** An interval with 0 in it, or one below 0. */
function undetected(said: Judged, words: CutoffWords): string {
  const check = words.flags ? "check --better, or whether" : "check whether";
  const found =
    said.ci95[1] < 0
      ? `cases before the cutoff look worse, by ${turnedSizeWords(said, words)}: ${check} the outcome bends there`
      : reachWords("jump", said, words);
  return `${found}${detectableWords("a jump", said, words)}`;
}

function oneSided({ n, cutoff }: CutoffSlices): string {
  const cases = n.pre + n.post;
  const all = allWords(cases, "case");
  if (n.post === 0)
    return `${all} before its cutoff: each answer may be memory, and nothing is there to compare with.`;
  const latest = /\.\.(.*), stated /.exec(cutoff)?.[1];
  const may = latest === undefined ? "" : `, which may be as late as ${latest}`;
  return `${all} after its stated cutoff${may}: nothing lies before it to compare with.`;
}

function held(cases: number, clusters: number): string {
  return `${counted(cases, "case")} in ${counted(clusters, "cluster")}`;
}

function window({ plot }: CutoffSlices): string {
  const donut = plot.donut > 0 ? `${shownAmount(plot.donut, plot.unit)} to ` : "";
  return `${donut}${shownAmount(plot.h, plot.unit)}`;
}

/** A model's knowledge thins out over the months before a stated cutoff: the limits at the cutoff then agree. */
function fadingCaution(slices: CutoffSlices, { flags }: CutoffWords): string {
  const { gap_not_leakage: gap, plot, sensitivity } = slices;
  const shown = figuresIn(plot.range).figure(gap);
  if (gap === null || !(Number(shown) > 0)) return "";
  const columns = flags && sensitivity.length === 0 ? " (cutoff_lo, cutoff_hi)" : "";
  const control = flags ? " (--control)" : "";
  return ` The bare gap is ${shown}: knowledge that fades out before the stated cutoff leaves a gap and no jump, so this is no proof of absence. Look at the sweep over the cutoff's interval${columns} and at a control${control}.`;
}
