/** The leakage section for a terminal: slices of each arm, the control, tiers of documents, queries. */
import type { Json } from "../core/canonical.ts";
import { controlText, cutoffText } from "./cutoff-text.ts";
import { type CutoffWords, wrapWords } from "./cutoff-words.ts";
import type { TierRow } from "./leak-tiers.ts";
import type { ArmSlices, LeakageSection } from "./leakage-section.ts";

/** What the slices of a run's arm are of; `level` is that of its intervals. */
export function sliceWords(title: string, { rules }: LeakageSection, level: number): CutoffWords {
  const { power } = (rules as { readonly slices: { readonly power: number } }).slices;
  return { title, outcome: "Brier score", better: "lower", level, power };
}

const COLUMNS = 80;

/** `leakage` of a result, in lines of at most 80 columns unless names are longer; nothing where the profile declared none. */
export function leakageText(leakage: Json, level: number): string[] {
  if (leakage === null) return [];
  const section = leakage as unknown as LeakageSection;
  const { slices, control, documents, queries } = section;
  const controlled = () =>
    controlText([control as NonNullable<typeof control>], {
      ...sliceWords("arm latest", section, level),
      unit: "days",
    });
  return [
    ...Object.entries(slices ?? {}).flatMap(([arm, one]) =>
      armLines(one, () => sliceWords(`arm ${arm}`, section, level)),
    ),
    ...(control === null ? [] : ["", ...controlled()]),
    ...(documents === null ? [] : documentLines(documents)),
    ...(queries === null ? [] : queryLines(queries)),
  ];
}

/** An arm that has cases on one side alone is told among what is not estimated. */
function armLines({ slices, reason }: ArmSlices, words: () => CutoffWords): string[] {
  return slices === null || reason !== null ? [] : ["", ...cutoffText(slices, words())];
}

const MOST_TOLD = 5;

function documentLines(documents: NonNullable<LeakageSection["documents"]>): string[] {
  const { judge, by_score: by, unscored, told, tiers } = documents;
  if (documents.documents === 0) return ["", `Documents, judged by ${judge}: no reader was served any`];
  const counts = by.map((count, score) => `${count} at ${score}`).join(", ");
  const above = told.filter(({ score }) => score !== null);
  return [
    "",
    `Documents that readers were served, judged by ${judge}: do they tell what came`,
    "after the horizon? 0 nothing, or irrelevant · 1 would move nobody · 2 a hint ·",
    "3 a major part of the answer · 4 states it",
    ...(judge === "floor"
      ? [
          "The floor judge matches words and dates and does not read: a plan, a condition,",
          "another's date in the same sentence can score 4, and a hint in words 0.",
        ]
      : []),
    `  ${documents.documents} (document, case) pairs: ${counts}; ${unscored} unscored`,
    ...above
      .toSorted((a, b) => (b.score as number) - (a.score as number))
      .slice(0, MOST_TOLD)
      .map(
        ({ case: id, ref, score, reason }) =>
          `  ${score}  ${ref} in ${id}${reason === "" ? "" : `: ${reason}`}`,
      )
      .flatMap((line) => wrapWords(line, COLUMNS, "     ")),
    ...(above.length > MOST_TOLD ? [`  … and ${above.length - MOST_TOLD} more above 0 in report.json`] : []),
    "Brier by the worst document of a case (observed: cases were not put there by",
    "chance, and a worse document need not mean a better score)",
    ...tierTable(Object.entries(tiers)),
  ];
}

function tierTable(arms: readonly (readonly [arm: string, rows: readonly TierRow[]])[]): string[] {
  const named = arms.flatMap(([arm, rows]) => rows.map((row) => [`${arm}, ${row.tier}`, row] as const));
  const head = "arm, worst document";
  const width = Math.max(...[head, ...named.map(([name]) => name)].map(({ length }) => length)) + 2;
  return [
    `  ${head.padEnd(width)}cases    mean  median  interval`,
    ...named.map(([name, row]) => `  ${name.padEnd(width)}${tierCells(row)}`),
  ];
}

function tierCells({ cases, brier, median }: TierRow): string {
  const figure = (value: number | null) => (value === null ? "–" : value.toFixed(4));
  const shown = (value: number | null) => figure(value).padStart(8);
  const { ci95 } = brier;
  const interval = ci95 === null ? "not estimable" : `[${figure(ci95[0])}, ${figure(ci95[1])}]`;
  return `${String(cases).padStart(5)}${shown(brier.mean)}${shown(median)}  ${interval}`;
}

function queryLines(queries: NonNullable<LeakageSection["queries"]>): string[] {
  const arms = Object.entries(queries).filter(([, one]) => one.queries > 0);
  const head = "Queries that name what was first available after their case's horizon";
  if (arms.length === 0) return ["", head, "  no call had a query"];
  const width = Math.max("arm".length, ...arms.map(([arm]) => arm.length)) + 2;
  return [
    "",
    head,
    "(left out: named by the case itself or in an earlier reply; unknown: in no row)",
    `  ${"arm".padEnd(width)}queries  found  left out  unknown`,
    ...arms.map(([arm, { queries: asked, findings, subtracted, unknown }]) => {
      const counts = [asked, findings, subtracted.case + subtracted.served, unknown];
      return `  ${arm.padEnd(width)}${counts.map((count, i) => String(count).padStart([7, 7, 10, 9][i] as number)).join("")}`;
    }),
  ];
}
