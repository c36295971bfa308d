/** What a cutoff's slices say: numbers as they are printed, and the one sentence of what they mean. */

import { assert } from "../core/assert.ts";
import { contract } from "../core/contract.ts";
import { clip, visible } from "../core/words.ts";
import type { ControlRow } from "./control-slices.ts";
import type { CutoffSlices, DiscontinuityRow, SliceUnit } from "./cutoff-slices.ts";

export type CutoffWords = {
  /** Whose answers to what. */
  readonly title: string;
  /** The outcome's name: `Brier`, `known rate`. */
  readonly outcome: string;
  readonly better: "lower" | "higher";
  /** Of the intervals; absent: the contract's. */
  readonly level?: number;
  /** Of the minimum detectable effect; absent: the contract's. */
  readonly power?: number;
};

/** Words from outside as a line of text or of XML can hold them. */
export function shownWords(text: string): string {
  return clip(visible(text.toWellFormed()), 240).replace(/[\ufffe\uffff]/g, "\ufffd");
}

const FIGURE_COLUMNS = 8;

/** A figure in at most eight columns: `-0.1170`, `1.2e300`; `–` where there is none. */
export function shownFigure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const scientific = (digits: number) => value.toExponential(digits).replace("e+", "e");
  const small = value !== 0 && Math.abs(value) < 0.0005;
  const forms = small ? [] : [value.toFixed(4), value.toFixed(2), value.toFixed(0)];
  const fits = [...forms, scientific(1)].find((form) => form.length <= FIGURE_COLUMNS);
  return fits ?? scientific(0);
}

/** `6 months`, `1 day`. */
export function shownAmount(value: number, unit: SliceUnit): string {
  return `${Number(value.toPrecision(4))} ${value === 1 ? unit.slice(0, -1) : unit}`;
}

/** `95 %`, `97.5 %`. */
export function shownPercent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

export function shownInterval(interval: readonly [number, number] | null): string {
  return interval === null ? "–" : `[${shownFigure(interval[0])}, ${shownFigure(interval[1])}]`;
}

/** `higher is better`. */
export function betterWords({ better }: CutoffWords): string {
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

/** What the jump at the cutoff means, in one sentence and what must stand beside it. A bound is no certificate. */
export function jumpSentence(slices: CutoffSlices, words: CutoffWords): string {
  const row = declaredRow(slices);
  if (row.state === "not estimable")
    return `not estimable: ${side(row.n_pre, row.clusters_pre)} before and ${side(row.n_post, row.clusters_post)} after, within ${window(slices)} of the cutoff; ${NEEDED}.`;
  const fading = (bound: number) => fadingCaution(slices.gap_not_leakage, bound);
  if (row.state === "degenerate")
    return `degenerate: every outcome in the window lies on its side's line, so the jump of ${shownFigure(row.estimate)} has no error to judge it by.${fading(row.estimate ?? 0)}`;
  if (row.ci95 === null || row.estimate === null)
    return `not judged: an estimate of ${shownFigure(row.estimate)} without an interval.`;
  const [lo, hi] = row.ci95;
  if (lo > 0)
    return `detected: cases before the cutoff look too good by ${estimated(row, words)}.${sweepCaution(slices)}`;
  const bound = Math.max(hi, slices.mde ?? hi);
  const found =
    hi < 0
      ? `not detected: cases before the cutoff look worse, by ${estimated({ ...row, estimate: -row.estimate, ci95: [-hi, -lo] }, words)}`
      : "no jump detected at the cutoff";
  return `${found}; ${excluded("a jump", bound, slices.mde, words)}.${fading(bound)}`;
}

/** What a control row means: the treated model's lead over the control, before the split against after it. */
export function controlSentence(row: ControlRow, words: CutoffWords): string {
  const treated = shownWords(row.treated);
  if (row.state === "not estimable")
    return `not estimable: ${counted(row.n_pre, "case")} before the split and ${row.n_post} after, ${counted(row.clusters, "cluster")} in all; ${NEEDED}.`;
  if (row.state === "degenerate")
    return `degenerate: the lead does not vary within a side, so its excess of ${shownFigure(row.estimate)} has no error to judge it by.`;
  if (row.ci95 === null || row.estimate === null)
    return `not judged: an estimate of ${shownFigure(row.estimate)} without an interval.`;
  const [lo, hi] = row.ci95;
  if (lo > 0)
    return `detected: against the control, ${treated} looks too good before the split by ${estimated(row, words)}.${sweepCaution(row)}`;
  const bound = Math.max(hi, row.mde ?? hi);
  const found =
    hi < 0
      ? `not detected: the lead of ${treated} is smaller before the split, by ${estimated({ ...row, estimate: -row.estimate, ci95: [-hi, -lo] }, words)}`
      : "no excess detected before the split";
  return `${found}; ${excluded("an excess", bound, row.mde, words)}.`;
}

const NEEDED = `${contract.leakCases} cases and ${contract.leakClusters} clusters a side are needed`;

function side(cases: number, clusters: number): string {
  return `${counted(cases, "case")} in ${counted(clusters, "cluster")}`;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

function window({ plot }: CutoffSlices): string {
  const donut = plot.donut > 0 ? `${shownAmount(plot.donut, plot.unit)} to ` : "";
  return `${donut}${shownAmount(plot.h, plot.unit)}`;
}

function estimated({ estimate, ci95 }: Pick<DiscontinuityRow, "estimate" | "ci95">, words: CutoffWords) {
  const [lo, hi] = ci95 as readonly [number, number];
  return `${shownFigure(estimate)} (${shownPercent(words.level ?? contract.bootstrapLevel)} interval ${shownFigure(lo)} to ${shownFigure(hi)})`;
}

function excluded(what: string, bound: number, mde: number | null, words: CutoffWords): string {
  return mde === null
    ? `the interval reaches ${shownFigure(bound)}`
    : `${what} above ${shownFigure(bound)} is ruled out at ${shownPercent(words.power ?? contract.power)} power`;
}

/** A model's knowledge thins out over the months before a stated cutoff: the limits at the cutoff then agree. */
function fadingCaution(gap: number | null, bound: number): string {
  if (gap === null || !(gap > bound)) return "";
  return ` The bare gap of ${shownFigure(gap)} is larger: knowledge that fades out before the stated cutoff leaves a gap and no jump, so this is no proof of absence.`;
}

/** An interval of the cutoff may hold months at which nothing is seen. */
function sweepCaution({ envelope }: Pick<CutoffSlices, "envelope">): string {
  if (envelope === null || envelope.lo > 0) return "";
  return ` Over the cutoff's interval the estimate falls to ${shownFigure(envelope.lo)}, so this depends on the month.`;
}

/** `means of bins of 1 month`: what a point of a picture is. */
export function binWords({ h, unit }: CutoffSlices["plot"]): string {
  return `means of bins of ${shownAmount(h / 6, unit)}`;
}

/** Lines of at most `columns`, broken at spaces; a longer word is cut. Further lines are indented. */
export function wrapWords(text: string, columns: number, indent = ""): string[] {
  const lines: string[] = [];
  let rest = text.trimEnd();
  while (rest.length > columns) {
    const space = rest.lastIndexOf(" ", columns);
    const pair = /[\ud800-\udbff]/.test(rest[columns - 1] as string) ? 1 : 0;
    const at = space > indent.length ? space : columns - pair;
    lines.push(rest.slice(0, at).trimEnd());
    rest = indent + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
