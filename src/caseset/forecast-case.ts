/** Forecast cases: a question with a freeze instant, a resolution statement and a probability for an answer. */
import { type Static, Type } from "@sinclair/typebox";
import { type Duration, parseDuration } from "../core/duration.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import {
  baseOf,
  type CaseBase,
  caseId,
  caseKeys,
  caseText,
  checkCaseTimes,
  demandFindable,
  optionalKeys,
  parseLabelInterval,
} from "./case-base.ts";

const strictly = { additionalProperties: false } as const;

/** A line of `cases.jsonl`; an example stands in docs/formats.md. */
export const ForecastCaseOnDisk = Type.Object(
  {
    id: caseId,
    kind: Type.Literal("forecast", { description: '"forecast"' }),
    ...caseKeys,
    freeze: Type.String(),
    resolution: Type.Object(
      { statement: caseText, source: Type.Optional(caseText), vintage: caseText, at: Type.String() },
      strictly,
    ),
    answer: Type.Literal("probability", { description: '"probability"' }),
    minimum_lead: Type.Optional(Type.String()),
    reference: Type.Optional(caseText),
  },
  strictly,
);
export type ForecastCaseOnDisk = Static<typeof ForecastCaseOnDisk>;

/** `first`: the label with the least available time; else the last label available at the instant. */
export type Vintage = "first" | Instant;

/** Its horizon is the freeze. */
export type ForecastCase = CaseBase & {
  readonly kind: "forecast";
  readonly resolution: {
    readonly statement: string;
    readonly source: string | null;
    readonly vintage: Vintage;
  };
  readonly answer: "probability";
  readonly minimumLead: Duration | null;
  readonly reference: string | null;
};

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
  const interval = parseLabelInterval(disk, place, complain);
  const lead =
    disk.minimum_lead === undefined
      ? null
      : parseDuration(disk.minimum_lead, place, `case ${disk.id}: minimum_lead`, complain);
  demandFindable(disk.subject, place, complain);
  if (horizon === undefined || resolvedAt === undefined || vintage === undefined) return undefined;
  const times = { horizon: ["freeze", horizon], resolvedAt: ["resolution.at", resolvedAt] } as const;
  if (!checkCaseTimes(disk.id, times, place, complain)) return undefined;
  if (interval === undefined || lead === undefined) return undefined;
  const { statement, source = null } = disk.resolution;
  return {
    ...baseOf(disk, place),
    kind: "forecast",
    horizon,
    resolvedAt,
    resolution: { statement, source, vintage },
    labelInterval: interval,
    answer: "probability",
    minimumLead: lead,
    reference: disk.reference ?? null,
  };
}

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
      at: formatInstant(item.resolvedAt),
    },
    label_interval: item.labelInterval.map((at) => formatInstant(at)),
    answer: "probability",
    ...(item.minimumLead === null ? {} : { minimum_lead: item.minimumLead.text }),
    ...(item.reference === null ? {} : { reference: item.reference }),
    ...optionalKeys(item),
  };
}
