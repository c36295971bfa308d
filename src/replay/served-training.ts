/** What the tool `training` served, held against the labels, cases and split of the record. */
import type { Json } from "../core/canonical.ts";
import { digestOf } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { RunFolds } from "../run/folds.ts";
import { TRAINING, trainingReply } from "../run/training.ts";
import { callOf } from "../score/failure.ts";
import { replyText } from "../store/door.ts";
import type { Recorded } from "./serve.ts";

/**
 * What `training` answered in a trajectory is what the folds give, whoever asked; without a split no label was served. Refuses
 * TrainingMismatch.
 */
export function demandTraining(
  { caseIndex, item, entries, body, placeOf }: Recorded,
  folds: RunFolds | null,
): void {
  const training = folds?.trainingOf(caseIndex) ?? null;
  for (const [i, entry] of entries.entries()) {
    if (entry.kind !== "tool" || entry.name !== TRAINING) continue;
    const due = training === null ? null : trainingReply(training, item.horizon, entry.args);
    const text = due?.ok === true ? replyText(due) : null;
    if (text !== null && digestOf(text) === entry.result) continue;
    const served = body(entry.result) as { readonly fault?: Json; readonly rows?: readonly Json[] };
    // A fault says no more than that there was none to serve; its words are not made again.
    if (text === null && served.fault !== undefined && served.rows === undefined) continue;
    refuse("TrainingMismatch", {
      place: placeOf(i),
      call: callOf(entry),
      found: clip(JSON.stringify(served), 200),
      expected: text === null ? "a fault" : clip(text, 200),
    });
  }
}
