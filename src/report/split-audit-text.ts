/** The audit of somebody's splits for a terminal of 80 columns: each leak with the rule and the case that it breaks it by. */
import type { Leak, SplitAudit } from "../caseset/split-audit.ts";
import { visible } from "../core/words.ts";
import { wrapWords } from "./cutoff-words.ts";
import { counted } from "./shown-figures.ts";

const COLUMNS = 80;
const MOST_SPLITS = 60;
const MOST_LEAKS = 10;

export type AuditWords = {
  /** What was read, a sentence each. */
  readonly read: readonly string[];
  /** By position in start order. */
  readonly ids: readonly string[];
  /** null: none. */
  readonly embargo: string | null;
};

export function splitAuditText(audits: readonly SplitAudit[], words: AuditWords): string[] {
  const leaks = audits.reduce((sum, audit) => sum + audit.leaks.length, 0);
  const leaking = audits.filter((audit) => audit.leaks.length > 0).length;
  const shown = audits.slice(0, MOST_SPLITS);
  return [
    ...words.read.flatMap((sentence) => paragraph(visible(sentence))),
    "",
    ...shown.flatMap((audit, number) => auditLines(audit, number, words)),
    ...(audits.length > shown.length
      ? [`… and ${audits.length - shown.length} more splits with --json`]
      : []),
    "",
    ...paragraph(
      leaks === 0
        ? `No leak in ${counted(audits.length, "split")}: no training case is a test case, and no label interval of one meets a test case's, both ends included${words.embargo === null ? "" : `, and none starts within ${words.embargo} after a block of test cases ends`}.`
        : `${counted(leaks, "training case")} in ${leaking} of ${counted(audits.length, "split")} may know a test case's label: each is to leave the training set.`,
    ),
    ...paragraph(
      "What this cannot say: it looks at label intervals alone, and not at what a model was given to learn from.",
    ),
  ];
}

function auditLines(
  { train, test, neither, leaks, pairs }: SplitAudit,
  number: number,
  words: AuditWords,
): string[] {
  const met = pairs > 0 ? `; ${counted(pairs, "pair")} of intervals that meet` : "";
  const told = `split ${number}: ${train} train, ${test} test, ${neither} in neither; ${counted(leaks.length, "leak")}${met}`;
  const more = leaks.length - MOST_LEAKS;
  return [
    ...paragraph(told),
    ...leaks
      .slice(0, MOST_LEAKS)
      .flatMap((leak) => wrapWords(`  ${visible(leakWords(leak, words))}`, COLUMNS, "    ")),
    ...(more > 0 ? [`  … and ${more} more with --json`] : []),
  ];
}

function leakWords({ rule, train, by, overlaps }: Leak, { ids, embargo }: AuditWords): string {
  if (rule === "both") return `${ids[train]}: a test case too`;
  if (rule === "embargo")
    return `${ids[train]}: starts within ${embargo} after the test block that ends with ${ids[by]}`;
  return `${ids[train]}: meets ${ids[by]}${overlaps > 1 ? ` and ${overlaps - 1} more` : ""}`;
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
