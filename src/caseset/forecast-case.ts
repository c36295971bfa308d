/** Forecast cases: a question with a freeze instant, a resolution statement and a probability for an answer. */
import { type Static, Type } from "@sinclair/typebox";
import { type Duration, parseDuration } from "../core/duration.ts";
import { formatInstant, type Instant, MICROS_PER_DAY, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { termsOf } from "../core/terms.ts";

const strictly = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 20_000, description: "a text that is not empty" });
const id = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$",
  description: "an id: letters, digits and . _ : / @ + -",
});

/** A line of `cases.jsonl`; an example stands in docs/formats.md. */
export const ForecastCaseOnDisk = Type.Object(
  {
    id,
    kind: Type.Literal("forecast", { description: '"forecast"' }),
    question: text,
    freeze: Type.String(),
    reads: Type.Array(text, { uniqueItems: true, maxItems: 100, description: "a list of tables, each once" }),
    resolution: Type.Object(
      { statement: text, source: Type.Optional(text), vintage: text, at: Type.String() },
      strictly,
    ),
    label_interval: Type.Optional(
      Type.Array(Type.String(), { minItems: 2, maxItems: 2, description: "[t0, t1]" }),
    ),
    answer: Type.Literal("probability", { description: '"probability"' }),
    minimum_lead: Type.Optional(Type.String()),
    leak_threshold: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 4, description: "an integer from 0 to 4" }),
    ),
    reference: Type.Optional(text),
    subject: Type.Optional(
      Type.Object(
        {
          entity: text,
          values: Type.Union(
            [
              Type.Literal("number"),
              Type.Array(text, { minItems: 1, maxItems: limits.subjectValues, uniqueItems: true }),
            ],
            { description: '"number", or a list of texts, each once' },
          ),
        },
        strictly,
      ),
    ),
    tags: Type.Optional(Type.Array(text, { maxItems: 100 })),
    cluster: Type.Optional(text),
  },
  strictly,
);
export type ForecastCaseOnDisk = Static<typeof ForecastCaseOnDisk>;

/** Whom a case asks about, and what kind of value answers it: a number, or one of some texts. No outcome. */
export type CaseSubject = { readonly entity: string; readonly values: "number" | readonly string[] };

/** `first`: the label with the least available time; else the last label available at the instant. */
export type Vintage = "first" | Instant;

export type ForecastCase = {
  readonly id: string;
  readonly kind: "forecast";
  readonly place: Place;
  readonly question: string;
  /** The instant that every read passes as available-as-of: the freeze. */
  readonly horizon: Instant;
  readonly reads: readonly string[];
  readonly resolution: {
    readonly statement: string;
    readonly source: string | null;
    readonly vintage: Vintage;
    readonly at: Instant;
  };
  readonly labelInterval: readonly [Instant, Instant];
  readonly answer: "probability";
  readonly minimumLead: Duration | null;
  readonly leakThreshold: number | null;
  readonly reference: string | null;
  readonly subject: CaseSubject | null;
  readonly tags: readonly string[];
  readonly cluster: string | null;
};

/** Plants stand after the horizon and a grace after the resolution: both need a century before the end of time. */
const CENTURY = 36_600 * MICROS_PER_DAY;

/** Reads one case; every fault of the line goes to `complain`. */
export function parseForecastCase(
  value: unknown,
  place: Place,
  complain: Complain = strict,
): ForecastCase | undefined {
  const disk = fit(ForecastCaseOnDisk, value, place, complain);
  if (disk === undefined) return undefined;
  const at = (text: string, subject: string) =>
    parseInstant(text, place, `case ${disk.id}: ${subject}`, complain);
  const horizon = at(disk.freeze, "freeze");
  const resolvedAt = at(disk.resolution.at, "resolution.at");
  const vintage =
    disk.resolution.vintage === "first" ? "first" : at(disk.resolution.vintage, "resolution.vintage");
  const interval = parseInterval(disk, place, complain);
  const lead =
    disk.minimum_lead === undefined
      ? null
      : parseDuration(disk.minimum_lead, place, `case ${disk.id}: minimum_lead`, complain);
  demandFindable(disk.subject, place, complain);
  if (horizon === undefined || resolvedAt === undefined || vintage === undefined) return undefined;
  if (!Number.isSafeInteger(Math.max(horizon, resolvedAt) + CENTURY)) {
    const expected = "a freeze and a resolution a century before the end of time in 2255";
    const found = `${disk.freeze}, ${disk.resolution.at}`;
    complain("InstantInvalid", { place, subject: `case ${disk.id}: freeze, resolution.at`, found, expected });
    return undefined;
  }
  if (resolvedAt < horizon) {
    complain("EvalCaseResolvedBeforeFreeze", {
      place,
      id: disk.id,
      resolution: formatInstant(resolvedAt),
      freeze: formatInstant(horizon),
    });
  }
  if (interval === undefined || lead === undefined) return undefined;
  return {
    id: disk.id,
    kind: "forecast",
    place,
    question: disk.question,
    horizon,
    reads: disk.reads,
    resolution: {
      statement: disk.resolution.statement,
      source: disk.resolution.source ?? null,
      vintage,
      at: resolvedAt,
    },
    labelInterval: interval,
    answer: "probability",
    minimumLead: lead,
    leakThreshold: disk.leak_threshold ?? null,
    reference: disk.reference ?? null,
    subject: disk.subject ?? null,
    tags: disk.tags ?? [],
    cluster: disk.cluster ?? null,
  };
}

/** What has neither a letter nor a digit is found in no text. */
function demandFindable(subject: CaseSubject | undefined, place: Place, complain: Complain): void {
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

function parseInterval(
  disk: ForecastCaseOnDisk,
  place: Place,
  complain: Complain,
): readonly [Instant, Instant] | undefined {
  if (disk.label_interval === undefined) {
    complain("EvalLabelIntervalMissing", { place, id: disk.id });
    return undefined;
  }
  const [t0, t1] = disk.label_interval.map((text, i) =>
    parseInstant(text, place, `case ${disk.id}: label_interval.${i}`, complain),
  );
  if (t0 === undefined || t1 === undefined) return undefined;
  if (t1 < t0) {
    complain("EvalLabelIntervalInvalid", {
      place,
      id: disk.id,
      t0: formatInstant(t0),
      t1: formatInstant(t1),
    });
    return undefined;
  }
  return [t0, t1];
}

const subjectOnDisk = ({ entity, values }: CaseSubject): NonNullable<ForecastCaseOnDisk["subject"]> => ({
  entity,
  values: values === "number" ? values : [...values],
});

/** The case as the run folder keeps it: every instant in its one spelling, absent keys left out. */
export function forecastCaseOnDisk(item: ForecastCase): ForecastCaseOnDisk {
  const { resolution } = item;
  const vintage = resolution.vintage === "first" ? "first" : formatInstant(resolution.vintage);
  return {
    id: item.id,
    kind: "forecast",
    question: item.question,
    freeze: formatInstant(item.horizon),
    reads: [...item.reads],
    resolution: {
      statement: resolution.statement,
      ...(resolution.source === null ? {} : { source: resolution.source }),
      vintage,
      at: formatInstant(resolution.at),
    },
    label_interval: item.labelInterval.map((at) => formatInstant(at)),
    answer: "probability",
    ...(item.minimumLead === null ? {} : { minimum_lead: item.minimumLead.text }),
    ...(item.leakThreshold === null ? {} : { leak_threshold: item.leakThreshold }),
    ...(item.reference === null ? {} : { reference: item.reference }),
    ...(item.subject === null ? {} : { subject: subjectOnDisk(item.subject) }),
    ...(item.tags.length === 0 ? {} : { tags: [...item.tags] }),
    ...(item.cluster === null ? {} : { cluster: item.cluster }),
  };
}
