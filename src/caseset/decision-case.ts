/** Decision cases: at the horizon a reader says how much of what it holds goes where; what became of it comes after. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
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

/** A line of `cases.jsonl`; an example stands in docs/formats.md. */
export const DecisionCaseOnDisk = Type.Object(
  {
    id: caseId,
    kind: Type.Literal("decision", { description: '"decision"' }),
    ...caseKeys,
    horizon: Type.String(),
    answer: Type.Literal("positions", { description: '"positions"' }),
    window: Type.Optional(
      Type.Array(Type.String(), { minItems: 2, maxItems: 2, description: "[since, until]" }),
    ),
    universe: Type.Optional(caseText),
    members: Type.Optional(
      Type.Array(caseText, {
        minItems: 1,
        maxItems: limits.positions,
        uniqueItems: true,
        description: "a list of members, each once",
      }),
    ),
  },
  { additionalProperties: false },
);
export type DecisionCaseOnDisk = Static<typeof DecisionCaseOnDisk>;

/** It is resolved at the end of its label interval. */
export type DecisionCase = CaseBase & {
  readonly kind: "decision";
  readonly answer: "positions";
  /** The history that it looks back on, in which members join and leave; closed, and none of it after the horizon. */
  readonly window: readonly [Instant, Instant] | null;
  /** The table of the members among which it chooses; null: it reads none. */
  readonly universe: string | null;
  /** Identifiers that it names itself: a universe that never changes; null: it names none. */
  readonly members: readonly string[] | null;
};

/** Reads one case; every fault of the line goes to `complain`. */
export function parseDecisionCase(
  value: unknown,
  place: Place,
  complain: Complain = strict,
): DecisionCase | undefined {
  const disk = fit(DecisionCaseOnDisk, value, place, complain);
  if (disk === undefined) return undefined;
  const { id, universe = null, members = null } = disk;
  const horizon = parseInstant(disk.horizon, place, `case ${id}: horizon`, complain);
  const interval = parseLabelInterval(disk, place, complain);
  demandFindable(disk.subject, place, complain);
  const wrong = (field: string, found: string, expected: string) =>
    complain("FieldInvalid", { place, field, found, expected });
  if (universe !== null && members !== null)
    wrong("members", `${members.length} beside universe ${universe}`, "either a table of members, or a list");
  if (universe !== null && !disk.reads.includes(universe))
    wrong("universe", universe, `one of the tables that it reads: ${disk.reads.join(", ") || "none"}`);
  if (horizon === undefined || interval === undefined) return undefined;
  const window = parseWindow(disk, horizon, place, complain);
  const resolvedAt = interval[1];
  const times = { horizon: ["horizon", horizon], resolvedAt: ["label_interval.1", resolvedAt] } as const;
  if (window === undefined || !checkCaseTimes(id, times, place, complain)) return undefined;
  return {
    ...baseOf(disk, place),
    kind: "decision",
    horizon,
    resolvedAt,
    labelInterval: interval,
    answer: "positions",
    window,
    universe,
    members,
  };
}

function parseWindow(
  { id, window }: DecisionCaseOnDisk,
  horizon: Instant,
  place: Place,
  complain: Complain,
): readonly [Instant, Instant] | null | undefined {
  if (window === undefined) return null;
  const [since, until] = window.map((text, i) =>
    parseInstant(text, place, `case ${id}: window.${i}`, complain),
  );
  if (since === undefined || until === undefined) return undefined;
  if (since < until && until <= horizon) return [since, until];
  const expected = `[since, until] with since before until, and until no later than the horizon ${formatInstant(horizon)}`;
  complain("FieldInvalid", { place, field: `case ${id}: window`, found: window.join(", "), expected });
  return undefined;
}

/** The case as the run folder keeps it: every instant in its one spelling, absent keys left out. */
export function decisionCaseOnDisk(item: DecisionCase): DecisionCaseOnDisk {
  const { window, universe, members } = item;
  return {
    id: item.id,
    kind: "decision",
    question: item.question,
    horizon: formatInstant(item.horizon),
    reads: [...item.reads],
    label_interval: item.labelInterval.map((at) => formatInstant(at)),
    answer: "positions",
    ...(window === null ? {} : { window: window.map((at) => formatInstant(at)) }),
    ...(universe === null ? {} : { universe }),
    ...(members === null ? {} : { members: [...members] }),
    ...optionalKeys(item),
  };
}
