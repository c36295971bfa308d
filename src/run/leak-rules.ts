/** What a profile declares of leakage: cutoff slices and their references, the judge of documents, findings of queries. */
import { type Static, Type } from "@sinclair/typebox";
import { contract } from "../core/contract.ts";
import { averageDays, parseDuration } from "../core/duration.ts";
import { type Complain, type Place, refuse, strict } from "../core/refusal.ts";

const strictly = { additionalProperties: false } as const;
const Reference = Type.Union([Type.Literal("discontinuity"), Type.Literal("clean-control")], {
  description: "discontinuity or clean-control",
});

/** `leakage:` of a profile. */
export const LeakageOnDisk = Type.Object(
  {
    reference: Type.Optional(
      Type.Union([Reference, Type.Array(Reference, { minItems: 1, maxItems: 2, uniqueItems: true })], {
        description: "discontinuity, clean-control, or a list of both",
      }),
    ),
    bandwidth: Type.Optional(Type.String()),
    donut: Type.Optional(Type.String()),
    cluster: Type.Optional(
      Type.Union([Type.Literal("declared"), Type.Literal("month"), Type.Literal("none")], {
        description: "declared, month or none",
      }),
    ),
    control: Type.Optional(Type.String({ minLength: 1, description: "a snapshot of the family" })),
    power: Type.Optional(
      Type.Number({ minimum: 0.5, exclusiveMaximum: 1, description: "a power of at least 0.5" }),
    ),
    leak_threshold: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 4, description: "an integer from 0 to 4" }),
    ),
  },
  strictly,
);
export type LeakageOnDisk = Static<typeof LeakageOnDisk>;

/** The keys of a profile that are about leakage. */
export const leakKeys = {
  leakage: Type.Optional(LeakageOnDisk),
  judge: Type.Optional(
    Type.String({ pattern: "^(none|floor|http:.+)$", description: "none, floor or http:<endpoint>" }),
  ),
  query_findings: Type.Optional(
    Type.Union([Type.Literal("list"), Type.Literal("fail")], { description: "list or fail" }),
  ),
} as const;
export type LeakKeys = {
  readonly leakage?: LeakageOnDisk;
  readonly judge?: string;
  readonly query_findings?: "list" | "fail";
};

export type Reference = Static<typeof Reference>;

/** How the slices of a run's cutoffs are made; lengths in days, since a case of a run resolves at an instant. */
export type SliceRules = {
  readonly references: readonly Reference[];
  /** null where no discontinuity is wanted: the difference to a control has none. */
  readonly bandwidth: number | null;
  readonly donut: number;
  readonly cluster: "declared" | "month" | "none";
  /** The snapshot of the control; null: the newest that precedes every case's horizon. */
  readonly control: string | null;
  /** Of the minimum detectable effect; its size is 1 − the level of the intervals, by which an effect is detected. */
  readonly power: number;
};

export type LeakRules = {
  readonly slices: SliceRules | null;
  /** Of cases that declare none. */
  readonly threshold: number | null;
  readonly judge: string | null;
  readonly queries: "list" | "fail" | null;
};

/** Whether a judge of a name is the one that a profile declares; one that declares none has none to be held to. */
export const isDeclaredJudge = ({ judge }: Pick<LeakRules, "judge">, name: string): boolean =>
  judge === null || (judge.startsWith("http:") ? name.startsWith("http:") : name === judge);

/** A control is wanted: by name, or (null) whichever can be one. */
export type WantedControl = { readonly snapshot: string | null };
export const wantedControl = ({ slices }: LeakRules): WantedControl | null =>
  slices?.references.includes("clean-control") ? { snapshot: slices.control } : null;

/** Refuses EvalLeakReferenceUndeclared for slices without a reference, and lengths that are none. */
export function leakRules(keys: LeakKeys, place: Place, complain: Complain = strict): LeakRules {
  const { leakage = {}, judge: named = "none", query_findings: queries = null } = keys;
  const judge = named === "none" ? null : named;
  const { leak_threshold: threshold = null, ...slices } = leakage;
  return { slices: sliceRules(slices, place, complain), threshold, judge, queries };
}

function sliceRules(
  disk: Omit<LeakageOnDisk, "leak_threshold">,
  place: Place,
  complain: Complain,
): SliceRules | null {
  const { reference, bandwidth, donut = "P0D", cluster = "declared", control = null } = disk;
  const declared = Object.keys(disk);
  if (reference === undefined) {
    if (declared.length > 0) refuse("EvalLeakReferenceUndeclared", { place, declared });
    return null;
  }
  const days = (text: string, key: string) => {
    const duration = parseDuration(text, place, `leakage.${key}`, complain);
    return duration === undefined ? Number.NaN : averageDays(duration);
  };
  const references = typeof reference === "string" ? [reference] : reference;
  if (bandwidth === undefined && references.includes("discontinuity"))
    refuse("FieldInvalid", {
      place,
      field: "leakage.bandwidth",
      found: "absent",
      expected: "how far from a cutoff cases count, such as P180D",
    });
  const h = bandwidth === undefined ? null : days(bandwidth, "bandwidth");
  const d = days(donut, "donut");
  // Half the bandwidth is estimated too.
  if (h !== null && 2 * d >= h)
    refuse("FieldInvalid", {
      place,
      field: "leakage.donut",
      found: `${donut}, with a bandwidth of ${bandwidth}`,
      expected: "a bandwidth of more than twice the donut",
    });
  const { power = contract.power } = disk;
  return { references, bandwidth: h, donut: d, cluster, control, power };
}
