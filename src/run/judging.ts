/** Judging: what a judge says of an attempt that stands, call by call into the record, behind the attempt's answer. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { rowDigest } from "../core/row-ref.ts";
import { clip } from "../core/words.ts";
import type { Judge, JudgeItem, Judgement, Verdict } from "../model/judge.ts";
import { type ModelCall, noUsage } from "../model/reader.ts";
import type { Spending } from "./budget.ts";
import { createDeadline } from "./deadline.ts";
import type { Entry, JudgeEntry } from "./entry.ts";

export type Judging = {
  readonly judge: Judge;
  /** What of an attempt is to be judged, in order: a function of its entries alone, so that a resumed run asks on. */
  readonly items: (
    item: BoundedCase,
    attempt: readonly Entry[],
    body: (digest: Digest) => Json,
  ) => readonly JudgeItem[];
};

export type Judged = {
  readonly call: ModelCall;
  readonly entry: Pick<JudgeEntry, "args" | "value" | "reason">;
};

export type JudgingBounds = {
  readonly spending: Spending;
  /** For one item. */
  readonly seconds: number;
  readonly elapsed: () => number;
};

/**
 * Judges what is left to be judged. Gives why the run must stop (no more may be spent, or no endpoint takes the key), null
 * where all was judged; what failed for another reason is unscored.
 */
export async function judgeAll(
  { judge }: Judging,
  left: readonly JudgeItem[],
  { spending, seconds, elapsed }: JudgingBounds,
  record: (judged: Judged) => void,
): Promise<string | null> {
  for (const item of left) {
    const deadline = createDeadline(seconds, elapsed);
    let call: ModelCall | undefined;
    const opening = {
      deadline: deadline.signal,
      paused: deadline.paused,
      refusal: spending.reached,
      record: (made: ModelCall) => {
        call = made;
      },
    };
    const judgement = await judge.judge(item, opening).finally(deadline.end);
    if (call !== undefined) spending.add(call.usage);
    if (judgement.kind === "fault" && (judgement.class === "budget" || judgement.stops === true))
      return judgement.message;
    record({ call: call ?? uncalled(judge, item), entry: { args: judgedOf(item), ...scoreOf(judgement) } });
  }
  return null;
}

/** A judge that calls nobody. */
const uncalled = ({ identity }: Judge, item: JudgeItem): ModelCall => ({
  name: identity.name,
  model: identity.snapshot,
  served: null,
  request: digestOfJson(item as unknown as Json),
  reply: "",
  status: null,
  class: null,
  retries: [],
  cached: false,
  usage: noUsage,
  ms: 0,
});

/** An item as its entry has it: a document by its digest and its reference; the record has its bytes where it was served. */
export const judgedOf = ({ dimension, document, reference_answer }: JudgeItem): Json => ({
  dimension,
  document: rowDigest(document as unknown as Json),
  ref: clip(document.ref, limits.wordsCharacters),
  reference_answer: clip(reference_answer, limits.wordsCharacters),
});

function scoreOf(judgement: Judgement): Pick<JudgeEntry, "value" | "reason"> {
  if (judgement.kind === "fault")
    return { value: null, reason: clip(`${judgement.class}: ${judgement.message}`, limits.wordsCharacters) };
  return recordedVerdict(judgement.verdict);
}

/** A verdict as its entry has it. */
export function recordedVerdict(verdict: Verdict): Pick<JudgeEntry, "value" | "reason"> {
  if (!verdict.scored) return { value: null, reason: verdict.why };
  return { value: verdict.value, reason: clip(verdict.rationale ?? "", limits.wordsCharacters) };
}
