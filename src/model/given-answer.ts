/** What a reader gives for an answer: the probability of what is asked, or positions; and what is wrong with one that is none. */
import { type TSchema, Type } from "@sinclair/typebox";
import { limits } from "../core/limits.ts";
import { clip } from "../core/words.ts";

/** Target weights of what is held, by entity; absent: 0. Below 0: owed. */
export type Positions = { readonly [entity: string]: number };
export type Given =
  | { readonly probability: number; readonly positions?: never }
  | { readonly positions: Positions; readonly probability?: never };

/**
 * What a question wants for an answer; `leverage`: the most that the weights' sizes may add up to; `members`: whom alone
 * they may name, null: anybody.
 */
export type Wanted =
  | { readonly answer: "probability" }
  | { readonly answer: "positions"; readonly leverage: number; readonly members: readonly string[] | null };

/** Sums of decimal weights are rounded: 0.1 + 0.2 + 0.7, or thirds, may come out a little above 1. */
const ROUNDING = 1e-9;

/** May the sizes of weights add up to so much? */
export const fitsLeverage = (size: number, leverage: number): boolean => size <= leverage + ROUNDING;

/** The answer, or what is wrong with what stands for one. Finite weights of the members, their sizes within the leverage. */
export function givenAnswer(
  said: { readonly probability?: unknown; readonly positions?: unknown },
  wanted: Wanted,
): Given | string {
  const other = wanted.answer === "probability" ? said.positions : said.probability;
  if (other !== undefined) return `an answer of another kind, expected ${expectedOf(wanted)}`;
  if (wanted.answer === "positions") return givenPositions(said.positions, wanted);
  const { probability } = said;
  if (typeof probability === "number" && probability >= 0 && probability <= 1)
    return { probability: probability + 0 };
  return `probability ${shown(probability)}, expected ${expectedOf(wanted)}`;
}

function givenPositions(given: unknown, wanted: Wanted & { answer: "positions" }): Given | string {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return `positions ${shown(given)}, expected ${expectedOf(wanted)}`;
  const entries = Object.entries(given as { readonly [entity: string]: unknown });
  if (entries.length > limits.positions)
    return `positions of ${entries.length} entities, expected at most ${limits.positions}`;
  const members = wanted.members === null ? null : new Set(wanted.members);
  const positions: Record<string, number> = {};
  let size = 0;
  let bytes = 0;
  for (const [entity, weight] of entries) {
    if (typeof weight !== "number" || !Number.isFinite(weight))
      return `positions: ${clip(JSON.stringify(entity), 80)}: ${shown(weight)}, expected a finite weight`;
    if (entity === "" || !entity.isWellFormed())
      return `positions: ${clip(JSON.stringify(entity.toWellFormed()), 80)}, expected an entity's name`;
    if (members?.has(entity) === false)
      return `positions: ${clip(JSON.stringify(entity), 80)}, expected members of the case alone: ${listed(wanted.members ?? [])}`;
    Object.defineProperty(positions, entity, { value: weight + 0, enumerable: true });
    size += Math.abs(weight);
    bytes += Buffer.byteLength(JSON.stringify([entity, weight]));
  }
  if (bytes > limits.positionsBytes)
    return `positions of ${bytes} bytes, expected at most ${limits.positionsBytes}`;
  if (!fitsLeverage(size, wanted.leverage))
    return `positions whose sizes add up to ${size}, expected at most the leverage, ${wanted.leverage}`;
  return { positions };
}

const expectedOf = (wanted: Wanted) =>
  wanted.answer === "probability"
    ? "a number from 0 to 1"
    : `weights by entity, their sizes adding up to at most ${wanted.leverage}`;

/** As a person wrote it: JSON has no NaN. */
const shown = (value: unknown) =>
  clip(
    typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value)),
    80,
  ).toWellFormed();

const listed = (members: readonly string[]) => clip(members.join(", "), 400).toWellFormed();

/** The argument of an `answer` tool, by what is wanted. */
export function answerArgument(answer: Wanted["answer"], probability: string): Record<string, TSchema> {
  if (answer === "probability")
    return { probability: Type.Number({ minimum: 0, maximum: 1, description: probability }) };
  return {
    positions: Type.Record(Type.String(), Type.Number(), {
      description: "entity to target weight of all that is held; an entity left out is 0, the rest is cash",
    }),
  };
}
