/** What every bounded case has, whatever answers it: an id, a question, a horizon, tables to read, a label interval. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, type Instant, MICROS_PER_DAY, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Complain, Place } from "../core/refusal.ts";
import { termsOf } from "../core/terms.ts";

export const caseText = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description: "a text that is not empty",
});
const tableNames = Type.Array(caseText, {
  uniqueItems: true,
  maxItems: 100,
  description: "a list of tables, each once",
});

export const caseId = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$",
  description: "an id: letters, digits and . _ : / @ + -",
});

/** Keys of a line of `cases.jsonl` that all kinds have beside `id` and `kind`. */
export const caseKeys = {
  question: caseText,
  reads: tableNames,
  label_interval: Type.Optional(
    Type.Array(Type.String(), { minItems: 2, maxItems: 2, description: "[t0, t1]" }),
  ),
  leak_threshold: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 4, description: "an integer from 0 to 4" }),
  ),
  subject: Type.Optional(
    Type.Object(
      {
        entity: caseText,
        values: Type.Union(
          [
            Type.Literal("number"),
            Type.Array(caseText, { minItems: 1, maxItems: limits.subjectValues, uniqueItems: true }),
          ],
          { description: '"number", or a list of texts, each once' },
        ),
      },
      { additionalProperties: false },
    ),
  ),
  tags: Type.Optional(Type.Array(caseText, { maxItems: 100 })),
  cluster: Type.Optional(caseText),
};
const Keys = Type.Object({ id: caseId, ...caseKeys });
export type CaseKeys = Static<typeof Keys>;

/** Whom a case asks about, and what kind of value answers it: a number, or one of some texts. No outcome. */
export type CaseSubject = { readonly entity: string; readonly values: "number" | readonly string[] };

export type CaseBase = {
  readonly id: string;
  readonly place: Place;
  readonly question: string;
  /** The instant that every read passes as available-as-of. */
  readonly horizon: Instant;
  readonly reads: readonly string[];
  /** When its outcome is known in the world. */
  readonly resolvedAt: Instant;
  readonly labelInterval: readonly [Instant, Instant];
  readonly leakThreshold: number | null;
  readonly subject: CaseSubject | null;
  readonly tags: readonly string[];
  readonly cluster: string | null;
};

/** Plants stand after the horizon and a grace after the resolution: both need a century before the end of time. */
const CENTURY = 36_600 * MICROS_PER_DAY;

/** An instant of a case, by the name of its key. */
export type CaseInstants = {
  readonly [key in "horizon" | "resolvedAt"]: readonly [key: string, at: Instant];
};

/** Whether a case's horizon and resolution lie in time, and in their order; faults go to `complain`. */
export function checkCaseTimes(
  id: string,
  { horizon, resolvedAt }: CaseInstants,
  place: Place,
  complain: Complain,
): boolean {
  const [of, at] = horizon;
  const [until, end] = resolvedAt;
  if (!Number.isSafeInteger(Math.max(at, end) + CENTURY)) {
    const expected = `a ${of} and a ${until.split(".")[0]} a century before the end of time in 2255`;
    const found = `${formatInstant(at)}, ${formatInstant(end)}`;
    complain("InstantInvalid", { place, subject: `case ${id}: ${of}, ${until}`, found, expected });
    return false;
  }
  if (end < at) {
    const details = { resolution: formatInstant(end), freeze: formatInstant(at) };
    complain("EvalCaseResolvedBeforeFreeze", { place, id, ...details });
  }
  return true;
}

/** What has neither a letter nor a digit is found in no text. */
export function demandFindable(subject: CaseKeys["subject"], place: Place, complain: Complain): void {
  if (subject === undefined) return;
  const { entity, values } = subject;
  const texts = [
    ["entity", entity],
    ...(values === "number" ? [] : values.map((value, i) => [`values.${i}`, value])),
  ];
  for (const [key, found] of texts as [string, string][]) {
    if (termsOf(found).length > 0) continue;
    const expected = "a text with a letter or a digit";
    complain("FieldInvalid", { place, field: `subject.${key}`, found: JSON.stringify(found), expected });
  }
}

/** Closed at both ends, t0 ≤ t1. */
export function parseLabelInterval(
  { id, label_interval: interval }: Pick<CaseKeys, "id" | "label_interval">,
  place: Place,
  complain: Complain,
): readonly [Instant, Instant] | undefined {
  if (interval === undefined) {
    complain("EvalLabelIntervalMissing", { place, id });
    return undefined;
  }
  const [t0, t1] = interval.map((text, i) =>
    parseInstant(text, place, `case ${id}: label_interval.${i}`, complain),
  );
  if (t0 === undefined || t1 === undefined) return undefined;
  if (t1 < t0) {
    complain("EvalLabelIntervalInvalid", { place, id, t0: formatInstant(t0), t1: formatInstant(t1) });
    return undefined;
  }
  return [t0, t1];
}

/** What every kind's line says of its case as it stands. */
export function baseOf(disk: CaseKeys, place: Place) {
  return {
    id: disk.id,
    place,
    question: disk.question,
    reads: disk.reads,
    leakThreshold: disk.leak_threshold ?? null,
    subject: disk.subject ?? null,
    tags: disk.tags ?? [],
    cluster: disk.cluster ?? null,
  };
}

/** What of a base stands on disk after its own kind's keys: absent keys left out. */
export function optionalKeys(item: CaseBase): Partial<CaseKeys> {
  const { leakThreshold, subject, tags, cluster } = item;
  const values = subject === null || subject.values === "number" ? "number" : [...subject.values];
  return {
    ...(leakThreshold === null ? {} : { leak_threshold: leakThreshold }),
    ...(subject === null ? {} : { subject: { entity: subject.entity, values } }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(cluster === null ? {} : { cluster }),
  };
}
