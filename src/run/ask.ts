/** Asking a reader: whatever comes back, or does not, is made an attempt that a record can hold. */
import { limits } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { ModelCheckpoint } from "../model/family.ts";
import { givenAnswer, type Wanted } from "../model/given-answer.ts";
import {
  type AskedCase,
  type Attempt,
  type FaultClass,
  faultClasses,
  noUsage,
  type Opening,
  OUT_OF_TIME,
  type Reader,
  type ReaderIdentity,
  type ReaderSource,
  type Tools,
  type Usage,
} from "../model/reader.ts";
import { BoundViolation } from "./tool-host.ts";
import type { World } from "./world.ts";

/** What an ask needs of its trajectory. */
export type Asking = {
  readonly asked: AskedCase;
  /** null: its identity says that it uses none. */
  readonly tools: Tools | null;
  readonly opening: Opening;
};

/**
 * Asks an instance. What a reader from outside throws is a fault of its own, and the run goes on; a built-in's is our bug.
 * An instance that is no adapter's, and does not end when its time is over, is left behind.
 */
export async function askInstance(
  { readers, signal }: Pick<World, "readers" | "signal">,
  reader: Reader,
  { asked, tools, opening }: Asking,
): Promise<Attempt> {
  try {
    const answer = reader.answer(asked, tools, signal);
    const ends = readers.builtIn === true || readers.adapter !== undefined;
    return checkAttempt(await (ends ? answer : beforeDeadline(answer, opening.deadline())), asked);
  } catch (error) {
    if (error instanceof BoundViolation) return fault("aborted", error.message);
    // An adapter makes a fault of all that its reader does: what it throws is ours, or the disk's.
    if (readers.builtIn === true || readers.adapter !== undefined || isRefusal(error)) throw error;
    return fault("protocol", `the reader threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A reader from outside that says it uses no tools is given none: the track that it stands in hangs on it. */
export const offeredTools = (readers: ReaderSource, identity: ReaderIdentity | undefined, tools: Tools) =>
  readers.adapter !== undefined && identity?.uses_tools === false ? null : tools;

/** Asks a new instance, which then ends: what it says after its answer undoes it. */
export async function ask(
  world: Pick<World, "readers" | "signal">,
  checkpoint: ModelCheckpoint | null,
  asking: Asking,
): Promise<Attempt> {
  const reader = world.readers.open(checkpoint, asking.opening);
  const attempt = await askInstance(world, reader, asking);
  const late = (await reader.end?.()) ?? null;
  return late === null ? attempt : fault("protocol", late, attempt.usage);
}

async function beforeDeadline(answer: Promise<Attempt>, deadline: AbortSignal): Promise<Attempt> {
  answer.catch(() => {}); // of one that was left behind
  let over = () => {};
  const late = new Promise<Attempt>((resolve) => {
    over = () => resolve(fault("timeout", OUT_OF_TIME));
    deadline.addEventListener("abort", over, { once: true });
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    deadline.removeEventListener("abort", over);
  }
}

/** No answer of the kind that is wanted, usage that is no count, or no attempt at all is `malformed_output`, never a score. */
export function checkAttempt(given: unknown, wanted: Wanted): Attempt {
  const attempt = (given ?? {}) as Partial<
    Record<"kind" | "probability" | "positions" | "reason" | "class" | "message" | "usage" | "stops", unknown>
  >;
  const usage = checkUsage(attempt.usage);
  if (usage === undefined) return fault("malformed_output", "usage holds what is no count");
  if (attempt.kind === "answer") {
    const answer = givenAnswer(attempt, wanted);
    return typeof answer === "string"
      ? fault("malformed_output", answer, usage)
      : { kind: "answer", ...answer, usage };
  }
  if (attempt.kind === "decline") return { kind: "decline", reason: words(attempt.reason), usage };
  if (attempt.kind === "fault" && faultClasses.includes(attempt.class as FaultClass)) {
    const stated = fault(attempt.class as FaultClass, words(attempt.message), usage);
    return attempt.stops === true ? ({ ...stated, stops: true } as Attempt) : stated;
  }
  return fault("malformed_output", `no attempt: kind ${String(attempt.kind)}`, usage);
}

const counts = Object.keys(noUsage) as readonly (keyof Usage)[];

/** Absent is null, not 0; undefined where a count is none. */
function checkUsage(given: unknown): Usage | null | undefined {
  if (given === null || given === undefined) return null;
  const usage: Record<string, number | null> = {};
  for (const name of counts) {
    const value = (given as Record<string, unknown>)[name] ?? null;
    if (value !== null && !(typeof value === "number" && value >= 0 && value <= limits.usage))
      return undefined;
    usage[name] = value;
  }
  return usage as Usage;
}

function fault(of: FaultClass, message: string, usage: Usage | null = null): Attempt {
  return { kind: "fault", class: of, message: words(message), usage };
}

function words(given: unknown): string {
  return clip(String(given ?? ""), limits.wordsCharacters);
}
