/** Verdicts again: the floor judge's from the document, a model's from its recorded reply; no judge is called. */
import { canonical } from "../core/canonical.ts";
import { formatInstant } from "../core/instant.ts";
import { refuse } from "../core/refusal.ts";
import { type FloorRules, floorVerdict } from "../model/floor-judge.ts";
import { verdictInReply } from "../model/http-judge.ts";
import type { JudgeItem, Verdict } from "../model/judge.ts";
import type { JudgeEntry } from "../run/entry.ts";
import { judgedOf, recordedVerdict } from "../run/judging.ts";
import { type Retrieved, retrieved } from "../run/retrieved.ts";
import type { ScoreRules } from "../score/score-rules.ts";
import { attemptsOf } from "../score/trajectory-check.ts";
import type { RecordedRun } from "./record.ts";
import type { Recorded } from "./serve.ts";

/** Refuses JudgementMismatch. */
export type JudgedAgain = (recorded: Recorded, rules: ScoreRules) => void;

/**
 * The verdicts of the attempt that stands are of the documents that it served, each once and in their order, and each is the
 * one that follows from the record. null where the stamp's judge is neither: then verdicts are taken as they stand.
 */
export function judgedAgain(run: RecordedRun): JudgedAgain | null {
  const { judge } = run.stamp;
  const floor = floorRules(run);
  if (judge === "none" || (floor === null && !judge.name.startsWith("http:"))) return null;
  return (recorded, { documents }) => {
    const last = attemptsOf(recorded.entries).at(-1) ?? [];
    const first = recorded.entries.length - last.length;
    const due = retrieved(last, recorded.body, documents);
    let judged = 0;
    for (const [i, entry] of last.entries()) {
      const of = due[judged];
      const wrong = (ref: string, found: string, expected: string) =>
        refuse("JudgementMismatch", { place: recorded.placeOf(first + i), ref, found, expected });
      if (entry.kind === "end" && entry.steps !== undefined && of !== undefined)
        wrong(of.document.ref, "no verdict", "one, since it was served");
      if (entry.kind !== "judge") continue;
      judged++;
      const { ref, reference_answer: known } = entry.args as Judged;
      if (of === undefined) return wrong(ref, "one more verdict", "one a document that was served");
      const item = itemOf(recorded, of, known);
      if (canonical(entry.args) !== canonical(judgedOf(item)))
        wrong(ref, "a verdict of it here", `one of ${of.document.ref}, ${of.digest}, as it was served`);
      const expected = floor === null ? repliedVerdict(entry, recorded) : floorVerdict(item, floor);
      const again = expected === null ? { value: null, reason: entry.reason } : recordedVerdict(expected);
      if (entry.value !== again.value || entry.reason !== again.reason)
        wrong(ref, wordsOf(entry), wordsOf(again));
    }
  };
}

/** Where the judge is the floor judge; then the stamp has its entities. */
function floorRules({ entities, kept, stamp }: RecordedRun): FloorRules | null {
  if (entities === null || stamp.judge === "none" || stamp.judge.name !== "floor") return null;
  return { names: entities.find, zone: kept.declared.time_zone ?? "UTC" };
}

type Judged = { readonly ref: string; readonly reference_answer: string };

/** What was known before is nowhere in the record but in the entry. */
const itemOf = ({ item }: Recorded, { document }: Retrieved, known: string): JudgeItem => ({
  dimension: "leak",
  document,
  question: item.question,
  subject: item.subject,
  reference_answer: known,
  horizon: formatInstant(item.horizon),
});

/** What did not come back from the endpoint is no verdict, and nothing but that follows from it. */
function repliedVerdict(entry: JudgeEntry, { body }: Recorded): Verdict | null {
  if (entry.class !== null && entry.class !== "malformed_output") return null;
  return verdictInReply((body(entry.result) as { readonly reply: string }).reply);
}

const wordsOf = ({ value, reason }: Pick<JudgeEntry, "value" | "reason">): string =>
  `${value === null ? "unscored" : value}${reason === "" ? "" : `: ${reason}`}`;
