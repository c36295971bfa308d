/** Asking a reader: one new instance a trajectory; whatever comes back is made an attempt that a record can hold. */
import { limits } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import {
  type AskedCase,
  type Attempt,
  type FaultClass,
  faultClasses,
  type Tools,
  type Usage,
} from "../model/reader.ts";
import type { Assignment } from "./arms.ts";
import { BoundViolation } from "./tool-host.ts";
import type { World } from "./world.ts";

/** What a reader from outside throws is a fault of its own, and the run goes on; a built-in's is our bug. */
export async function ask(
  world: Pick<World, "readers" | "signal">,
  assignment: Assignment,
  asked: AskedCase,
  tools: Tools,
): Promise<Attempt> {
  const reader = world.readers.open(assignment.checkpoint);
  try {
    return checkAttempt(await reader.answer(asked, tools, world.signal));
  } catch (error) {
    if (error instanceof BoundViolation) return fault("aborted", error.message);
    if (world.readers.builtIn === true || isRefusal(error)) throw error; // ours, or the disk's: not the reader's
    return fault("protocol", `the reader threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An answer outside 0 to 1, usage that is no count, or no attempt at all is `malformed_output`, never a score. */
export function checkAttempt(given: unknown): Attempt {
  const attempt = (given ?? {}) as Partial<
    Record<"kind" | "probability" | "reason" | "class" | "message" | "usage", unknown>
  >;
  const usage = checkUsage(attempt.usage);
  if (usage === undefined) return fault("malformed_output", "usage holds what is no count");
  if (attempt.kind === "answer") {
    const { probability } = attempt;
    if (typeof probability === "number" && probability >= 0 && probability <= 1)
      return { kind: "answer", probability: probability + 0, usage };
    return fault(
      "malformed_output",
      `probability ${String(probability)}, expected a number from 0 to 1`,
      usage,
    );
  }
  if (attempt.kind === "decline") return { kind: "decline", reason: words(attempt.reason), usage };
  if (attempt.kind === "fault" && faultClasses.includes(attempt.class as FaultClass)) {
    return fault(attempt.class as FaultClass, words(attempt.message), usage);
  }
  return fault("malformed_output", `no attempt: kind ${String(attempt.kind)}`, usage);
}

const counts = ["input_tokens", "output_tokens", "cost"] as const;

/** Absent is null, not 0; undefined where a count is none. */
function checkUsage(given: unknown): Usage | null | undefined {
  if (given === null || given === undefined) return null;
  const usage: Record<string, number | null> = {};
  for (const name of counts) {
    const value = (given as Record<string, unknown>)[name] ?? null;
    if (value !== null && !(typeof value === "number" && value >= 0 && Number.isFinite(value)))
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
