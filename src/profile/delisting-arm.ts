/** The delisting arm: a case with a universe is asked once more, with a member staged that left inside its window. */
import { Type } from "@sinclair/typebox";
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { DecisionCase } from "../caseset/decision-case.ts";
import type { StagedArm, Staging } from "../run/staging.ts";
import type { ExecutionTerms } from "./execution.ts";
import { stageMember } from "./staged-member.ts";
import type { UniverseTerms } from "./universe.ts";

export const DELISTING_ARM = "delisting";

const waivers = ["delisting-not-exercised"] as const;
export type Waiver = (typeof waivers)[number];

/** `waive:` of a profile: rules by which a case would fail, and does not. */
export const WaiverList = Type.Array(Type.Union(waivers.map((name) => Type.Literal(name))), {
  uniqueItems: true,
  description: `a list of rules, each once, of ${waivers.join(", ")}`,
});

/**
 * null without a universe. A reader that never asks who its members are has not been exercised: the case fails unless
 * `delisting-not-exercised` is waived.
 */
export function delistingArm(universe: UniverseTerms | null, waive: readonly Waiver[]): StagedArm | null {
  if (universe === null) return null;
  const { table } = universe;
  return {
    arm: DELISTING_ARM,
    table,
    waived: waive.includes("delisting-not-exercised"),
    concerns: (item) => isConcerned(item, table),
  };
}

/** The same arm with what its cases are shown. */
export function delistingStaging(
  universe: UniverseTerms,
  waive: readonly Waiver[],
  prices: ExecutionTerms["prices"],
): Staging {
  return {
    ...(delistingArm(universe, waive) as StagedArm),
    stage: (item, of) => stageMember(item as DecisionCase, { universe, prices }, of),
  };
}

function isConcerned(item: BoundedCase, table: string): boolean {
  return item.kind === "decision" && item.universe === table && item.window !== null;
}
