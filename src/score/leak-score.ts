/** Leak scores: how far each document that an attempt was served tells what came to be known after the case's horizon. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Entry, JudgeEntry } from "../run/entry.ts";
import type { Trajectory } from "../run/record.ts";
import { retrieved } from "../run/retrieved.ts";
import { callOf, type Failure } from "./failure.ts";
import type { ScoreRules } from "./score-rules.ts";

/** 0 nothing later, or irrelevant · 1 later, would move nobody · 2 a vague hint · 3 a major part · 4 states or fixes it. */
export type DocumentScore = {
  /** The row's digest. */
  readonly document: string;
  readonly ref: string;
  /** null: unscored, for the reason; never dropped, and never a number in its stead. */
  readonly value: number | null;
  readonly reason: string;
};

/** The greatest score of a trajectory's documents; `unscored`: it was served some, and none has a score. */
export type Tier = 0 | 1 | 2 | 3 | 4 | "unscored" | "no retrieval";

export type LeakScore = {
  readonly documents: readonly DocumentScore[];
  readonly tier: Tier;
  /** A document at or above the case's threshold: `leak-threshold`, at the call that served it first. */
  readonly failures: readonly Failure[];
};

/**
 * Of the attempt that stands. A document that the record has no verdict of is unscored; a replay refuses a record that
 * lacks one. null where nothing was judged.
 */
export function scoreLeaks(
  item: BoundedCase,
  attempt: readonly Entry[],
  body: Trajectory["body"],
  { documents: tables, judged, threshold }: ScoreRules,
): LeakScore | null {
  if (!judged) return null;
  const verdicts = new Map<string, JudgeEntry>();
  for (const entry of attempt) {
    const { document } = (entry.kind === "judge" ? entry.args : {}) as { document?: string };
    if (entry.kind === "judge" && document !== undefined && !verdicts.has(document))
      verdicts.set(document, entry);
  }
  const most = item.leakThreshold ?? threshold;
  const failures: Failure[] = [];
  const documents = retrieved(attempt, body, tables).map(({ document: { ref }, digest, entry }) => {
    const { value, reason } = verdicts.get(digest) ?? { value: null, reason: "no verdict in the record" };
    if (value !== null && most !== null && value >= most) {
      const detail = `${ref} scored ${value}, at or above the threshold ${most}${reason === "" ? "" : `: ${reason}`}`;
      failures.push({ rule: "leak-threshold", step: entry.step, call: callOf(entry), detail });
    }
    return { document: digest, ref, value, reason };
  });
  return { documents, tier: tierOf(documents), failures };
}

export function tierOf(documents: readonly Pick<DocumentScore, "value">[]): Tier {
  if (documents.length === 0) return "no retrieval";
  const values = documents.flatMap(({ value }) => (value === null ? [] : [value]));
  return values.length === 0 ? "unscored" : (Math.max(...values) as Tier);
}
