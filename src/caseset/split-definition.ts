/** How cases are split, as a value that JSON can hold: read strictly, and stamped by its digest. */
import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { limits } from "../core/limits.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { combinationCount } from "./combinatorial.ts";
import type { LabelIntervals } from "./label-intervals.ts";

const strictly = { additionalProperties: false } as const;
const whole = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` });
const embargo = Type.Optional(Type.String({ description: "a duration such as P5D" }));

/** `{"kind":"kfold","folds":5,"embargo":"P5D"}`; an absent embargo is `P0D`. */
const KFold = Type.Object(
  { kind: Type.Literal("kfold"), folds: whole(2, limits.splitFolds), embargo },
  strictly,
);
const WalkForward = Type.Object(
  {
    kind: Type.Literal("walk-forward"),
    /** Test blocks. */
    folds: whole(1, limits.splitFolds),
    /** Cases that have ended before the first test block starts; absent: the first of folds + 1 equal groups stands before it. */
    minimum_train: Type.Optional(whole(1, limits.cases)),
    /** The latest so many of those that may be trained on; absent: all (expanding). */
    rolling: Type.Optional(whole(1, limits.cases)),
    embargo,
  },
  strictly,
);
const Combinatorial = Type.Object(
  {
    kind: Type.Literal("combinatorial"),
    groups: whole(2, limits.splitGroups),
    test_groups: whole(1, limits.splitGroups - 1),
    embargo,
  },
  strictly,
);
export type SplitDefinition =
  | Static<typeof KFold>
  | Static<typeof WalkForward>
  | Static<typeof Combinatorial>;

const Kind = Type.Object({
  kind: Type.Union([Type.Literal("kfold"), Type.Literal("walk-forward"), Type.Literal("combinatorial")], {
    description: "kfold, walk-forward or combinatorial",
  }),
});
/** By kind, so that a fault is told of the kind that was meant. */
const schemas = { kfold: KFold, "walk-forward": WalkForward, combinatorial: Combinatorial };

const NO_SPAN: Duration = { text: "P0D", months: 0, days: 0, micros: 0 };

/** The definition, where it fits; every fault goes to `complain`. */
export function parseSplitDefinition(
  value: unknown,
  place: Place,
  complain: Complain = strict,
): SplitDefinition | undefined {
  const of = fit(Kind, value, place, complain);
  const definition: SplitDefinition | undefined = of && fit(schemas[of.kind], value, place, complain);
  if (definition === undefined) return undefined;
  const faults: readonly (readonly [field: string, found: number, expected: string])[] =
    crossFaults(definition);
  for (const [field, found, expected] of faults)
    complain("FieldInvalid", { place, field, found: String(found), expected });
  const span = parseDuration(definition.embargo ?? NO_SPAN.text, place, "embargo", complain);
  return faults.length > 0 || span === undefined ? undefined : definition;
}

function crossFaults(definition: SplitDefinition): [string, number, string][] {
  if (definition.kind === "combinatorial") {
    const { groups, test_groups: tested } = definition;
    if (tested >= groups) return [["test_groups", tested, `fewer than the ${groups} groups`]];
    if (combinationCount(groups, tested, limits.splits) <= limits.splits) return [];
    return [["groups", groups, `no more than ${limits.splits} splits of ${tested} test groups`]];
  }
  if (definition.kind === "kfold") return [];
  const { minimum_train: least, rolling } = definition;
  return rolling === undefined || rolling >= (least ?? 1)
    ? []
    : [["rolling", rolling, `at least minimum_train, ${least}`]];
}

/** The span after a test block in which no case is trained on. Refused on cases of days: months, which they have not. */
export function embargoSpan(
  { embargo }: Pick<SplitDefinition, "embargo">,
  { unit }: Pick<LabelIntervals, "unit">,
  place: Place,
  complain: Complain = strict,
): Duration {
  const span = parseDuration(embargo ?? NO_SPAN.text, place, "embargo", complain) ?? NO_SPAN;
  if (unit === "instant" || span.months === 0) return span;
  const expected = "days or hours such as P30D, since t0 and t1 are numbers of days and have no months";
  complain("FieldInvalid", { place, field: "embargo", found: span.text, expected });
  return NO_SPAN;
}

/** A definition with nothing left to a default, and the calendar that its embargo is counted on; the digest is of its JSON. */
export type StampedSplit = { readonly definition: { readonly [key: string]: Json }; readonly digest: Digest };

/** Two definitions with one digest split the same cases alike. */
export function stampedSplit(
  definition: SplitDefinition,
  { unit, zone }: Pick<LabelIntervals, "unit" | "zone">,
): StampedSplit {
  const whole = {
    ...definition,
    embargo: definition.embargo ?? NO_SPAN.text,
    ...(unit === "day" ? { unit } : { unit, zone }),
    v: "blindcast.split/1",
  };
  return { definition: whole, digest: digestOfJson(whole) };
}
