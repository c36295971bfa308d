/** Verdicts again: the floor judge's from the document, a model's from its recorded reply; no judge is called. */
import type { Json } from "../core/canonical.ts";
import { canonical } from "../core/canonical.ts";
import { formatInstant } from "../core/instant.ts";
import { checkZone } from "../core/local-time.ts";
import { refuse } from "../core/refusal.ts";
import { type FloorRules, floorJudge, floorVerdict } from "../model/floor-judge.ts";
import { verdictInReply } from "../model/http-judge.ts";
import type { Verdict } from "../model/judge.ts";
import type { JudgeEntry } from "../run/entry.ts";
import { recordedVerdict } from "../run/judging.ts";
import { type Retrieved, retrieved } from "../run/retrieved.ts";
import type { ScoreRules } from "../score/score-rules.ts";
import { attemptsOf } from "../score/trajectory-check.ts";
import type { RecordedRun } from "./record.ts";
import type { Recorded } from "./serve.ts";

/** Refuses JudgementMismatch. */
export type JudgedAgain = (recorded: Recorded, rules: ScoreRules) => void;

/**
 * Each verdict of the attempt that stands is the one that follows from the record, and is of a document that it served. null
 * where the stamp's judge is neither: then verdicts are taken as they stand.
 */
export function judgedAgain(run: RecordedRun): JudgedAgain | null {
  const judge = run.manifest.stamp["judge"] as { readonly name?: string } | "none";
  const name = judge === "none" ? undefined : judge.name;
  const floor = floorRules(run);
  if (floor === null && !name?.startsWith("http:")) return null;
  return (recorded, { documents }) => {
    const last = attemptsOf(recorded.entries).at(-1) ?? [];
    const first = recorded.entries.length - last.length;
    const served = new Map(retrieved(last, recorded.body, documents).map((each) => [each.digest, each]));
    for (const [i, entry] of last.entries()) {
      if (entry.kind !== "judge") continue;
      const { document, ref } = entry.args as { readonly document?: string; readonly ref?: string };
      const of = served.get(document ?? "");
      const wrong = (found: string, expected: string) =>
        refuse("JudgementMismatch", { place: recorded.placeOf(first + i), ref: ref ?? "", found, expected });
      if (of === undefined) return wrong("a verdict of a document that was not served", "one that was");
      const again =
        floor === null ? repliedVerdict(entry, recorded) : floorVerdict(itemOf(recorded, of), floor);
      if (again === null) continue;
      const expected = recordedVerdict(again);
      if (entry.value !== expected.value || entry.reason !== expected.reason)
        wrong(wordsOf(entry), wordsOf(expected));
    }
  };
}

/** Its identity to the last field, and the entities that it looked for. */
function floorRules({ manifest, entities, kept, stamp }: RecordedRun): FloorRules | null {
  if (entities === null) return null;
  const zone = kept.declared.time_zone ?? "UTC";
  checkZone(zone, "caseset.json", "time_zone");
  const digest = stamp.entities as Parameters<typeof floorJudge>[0]["digest"];
  const { identity } = floorJudge({ names: entities.find, digest, zone });
  const same = canonical(manifest.stamp["judge"] as Json) === canonical(identity as unknown as Json);
  return same ? { names: entities.find, zone } : null;
}

const itemOf = ({ item }: Recorded, { document }: Retrieved) => ({
  dimension: "leak" as const,
  document,
  question: item.question,
  subject: item.subject,
  reference_answer: "",
  horizon: formatInstant(item.horizon),
});

/** What did not come back from the endpoint is no verdict, and nothing follows from it. */
function repliedVerdict(entry: JudgeEntry, { body }: Recorded): Verdict | null {
  if (entry.class !== null && entry.class !== "malformed_output") return null;
  return verdictInReply((body(entry.result) as { readonly reply: string }).reply);
}

const wordsOf = ({ value, reason }: Pick<JudgeEntry, "value" | "reason">): string =>
  `${value === null ? "unscored" : value}${reason === "" ? "" : `: ${reason}`}`;
