/** Labels: the outcomes of cases, each with its vintage and the instant at which it could first be known. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";

/** A line of `labels.jsonl`: `{"case":"rain-2014-06-01","outcome":0,"vintage":"first","resolved_at":…,"available_time":…}`. */
export const LabelOnDisk = Type.Object(
  {
    case: Type.String({ minLength: 1 }),
    outcome: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal("annulled")], {
      description: '0, 1 or "annulled"',
    }),
    vintage: Type.String({ minLength: 1 }),
    resolved_at: Type.String(),
    available_time: Type.String(),
  },
  { additionalProperties: false },
);
export type LabelOnDisk = Static<typeof LabelOnDisk>;

export type Label = {
  readonly caseId: string;
  readonly outcome: 0 | 1 | "annulled";
  readonly vintage: string;
  readonly resolvedAt: Instant;
  readonly availableAt: Instant;
  readonly place: Place;
};

export function parseLabel(value: unknown, place: Place, complain: Complain = strict): Label | undefined {
  const disk = fit(LabelOnDisk, value, place, complain);
  if (disk === undefined) return undefined;
  const resolvedAt = parseInstant(disk.resolved_at, place, `label of ${disk.case}: resolved_at`, complain);
  const availableAt = parseInstant(
    disk.available_time,
    place,
    `label of ${disk.case}: available_time`,
    complain,
  );
  if (resolvedAt === undefined || availableAt === undefined) return undefined;
  return { caseId: disk.case, outcome: disk.outcome, vintage: disk.vintage, resolvedAt, availableAt, place };
}

export function labelOnDisk(label: Label): LabelOnDisk {
  return {
    case: label.caseId,
    outcome: label.outcome,
    vintage: label.vintage,
    resolved_at: formatInstant(label.resolvedAt),
    available_time: formatInstant(label.availableAt),
  };
}
