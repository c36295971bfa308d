/** The tool `training`: of a fold, the labels to learn from that were known at the horizon; beside the store's, in a run with a split. */
import { type Static, Type } from "@sinclair/typebox";
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { KnownOutcome } from "../caseset/settlement.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { rowRef } from "../core/row-ref.ts";
import { misfit } from "../core/schema.ts";
import type { Door, Reply } from "../store/door.ts";
import { badRequest, type ToolSchema, toolSchemas, toolSchemaVersion, unknownTool } from "../store/tools.ts";

export const TRAINING = "training";

const TrainingArguments = Type.Object(
  {
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.rows })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.replyRows, default: limits.replyRowsDefault }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "outcomes (0 or 1) of this case's training cases that were known at the horizon, by the time at which each came to be known",
  },
);
type TrainingArguments = Static<typeof TrainingArguments>;

type ToolSet = { readonly schemas: readonly ToolSchema[]; readonly version: Digest };
const storeTools: ToolSet = { schemas: toolSchemas, version: toolSchemaVersion };
const schema = JSON.parse(JSON.stringify(TrainingArguments)) as Json;
const withLabels: readonly ToolSchema[] = [...toolSchemas, { name: TRAINING, schema }];
const splitTools: ToolSet = { schemas: withLabels, version: digestOfJson(withLabels as unknown as Json) };

/** The tools that a run offers, and the digest of their schemas: the store's, and in a run with a split also `training`. */
export const offeredToolSet = (isSplit: boolean): ToolSet => (isSplit ? splitTools : storeTools);

/** Outcomes of a run's cases as they came to be known, by available time and then case id. */
export type KnownLabels = {
  readonly outcomes: readonly KnownOutcome[];
  /** Whether any was taken back or changed by another label. */
  readonly revised: boolean;
  /** `{"ref":"training#<case id>","available_at":…,"body":{"case":…,"outcome":…,"resolved_at":…}}`, canonical. */
  readonly text: (index: number) => string;
};

export function knownLabels(
  cases: readonly Pick<BoundedCase, "id">[],
  known: readonly KnownOutcome[],
): KnownLabels {
  const idOf = ({ caseIndex }: KnownOutcome) => (cases[caseIndex] as BoundedCase).id;
  const outcomes = [...known].sort(
    (a, b) => a.availableAt - b.availableAt || (idOf(a) < idOf(b) ? -1 : 1), // no case has two at one instant
  );
  const kept: string[] = [];
  const made = (index: number) => {
    const one = outcomes[index] as KnownOutcome;
    const id = idOf(one);
    return canonical({
      ref: rowRef(TRAINING, [id]),
      available_at: formatInstant(one.availableAt),
      body: { case: id, outcome: one.outcome, resolved_at: formatInstant(one.resolvedAt) },
    });
  };
  return {
    outcomes,
    revised: outcomes.some(({ until }) => until !== Number.POSITIVE_INFINITY),
    text: (index) => {
      if (outcomes.length > limits.renderedRows) return made(index);
      kept[index] ??= made(index);
      return kept[index];
    },
  };
}

/** What one fold may be trained on: which of the known labels, ascending. */
export type Training = { readonly known: KnownLabels; readonly rows: Int32Array };

/**
 * `{"rows":[…]}`, and where `limit` left rows out also `"total":…,"truncated":true`: made of the labels available at `asOf`
 * alone. O(log rows + page); O(rows) where labels were revised.
 */
export function trainingReply({ known, rows }: Training, asOf: number, args: unknown): Reply {
  const wrong = misfit(TrainingArguments, args);
  if (wrong !== undefined) return { ok: false, fault: badRequest(wrong) };
  const { offset = 0, limit = limits.replyRowsDefault } = args as TrainingArguments;
  const told = rows.subarray(0, countBy(known, rows, asOf));
  const standing = known.revised
    ? told.filter((row) => (known.outcomes[row] as KnownOutcome).until > asOf)
    : told;
  const page = standing.subarray(offset, offset + limit);
  const text = () => {
    const cut = offset + page.length < standing.length ? `,"total":${standing.length},"truncated":true` : "";
    return `{"rows":[${Array.from(page, known.text).join(",")}]${cut}}`;
  };
  return { ok: true, text, rows: Int32Array.of(standing.length, ...page), planted: [] };
}

/** How many of the rows were available by an instant: they ascend by it. */
function countBy({ outcomes }: KnownLabels, rows: Int32Array, asOf: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((outcomes[rows[middle] as number] as KnownOutcome).availableAt > asOf) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A door that answers `training` too, as of its own instant; null: it stays as it is. */
export function withTraining(door: Door, training: Training | null): Door {
  if (training === null) return door;
  const names = splitTools.schemas.map(({ name }) => name);
  return {
    asOf: door.asOf,
    call(tool, args) {
      if (tool === TRAINING) return trainingReply(training, door.asOf, args);
      return names.includes(tool) ? door.call(tool, args) : { ok: false, fault: unknownTool(tool, names) };
    },
  };
}
