/** The staged arm in a report: counted by itself, in no figure; and the cases of which it teaches nothing. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Json } from "../core/canonical.ts";
import type { ArmPlan } from "../run/arms.ts";
import type { StagedPlan } from "../run/staging.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import { type StagedState, whyNotExercised } from "../score/staged-check.ts";
import { byArm } from "./arm-scores.ts";

/** `n` cases: `served` those whose every repeat was served what it must be, `not_exercised` those of which one was not asked for. */
type StagedSection = {
  readonly n: number;
  readonly served: number;
  readonly not_served: number;
  readonly not_exercised: number;
  readonly waived: boolean;
  readonly trajectories: number;
  readonly answered: number;
  readonly declined: number;
  readonly faults: number;
};

/** `arms.staged` of a result: by the arm's name. Its answers have no score. */
export function stagedArms(
  { arm, waived }: StagedPlan,
  scores: readonly TrajectoryScore[],
): { readonly [arm: string]: StagedSection } {
  const own = scores.filter((score) => score.arm === arm);
  const worst = new Map<number, StagedState>();
  for (const { caseIndex, staged } of own) {
    const known = worst.get(caseIndex);
    if (staged !== null && (known === undefined || rank(staged) > rank(known))) worst.set(caseIndex, staged);
  }
  const count = (state: StagedState) => [...worst.values()].filter((each) => each === state).length;
  const { trajectories = 0, answered = 0, declined = 0, faults = 0 } = byArm(own).get(arm) ?? {};
  const section = {
    n: worst.size,
    served: count("served"),
    not_served: count("not-served"),
    not_exercised: count("not-asked") + count("not-staged"),
    waived,
    trajectories,
    answered,
    declined,
    faults,
  };
  return { [arm]: section };
}

const order: readonly StagedState[] = ["served", "not-asked", "not-staged", "not-served"];
const rank = (state: StagedState) => order.indexOf(state);

/** Whether or not that fails the case. */
export function stagedFindings(
  { cases, arms }: { readonly cases: readonly BoundedCase[]; readonly arms: ArmPlan },
  scores: readonly TrajectoryScore[],
): Json[] {
  const { staged } = arms;
  if (staged === null) return [];
  return scores.flatMap(({ caseIndex, arm, repeat, staged: state }) => {
    const reason = state === null ? null : whyNotExercised(state, staged.table);
    const { id } = cases[caseIndex] as BoundedCase;
    const finding = "staged-not-exercised";
    return reason === null ? [] : [{ finding, case: id, arm, repeat, reason, waived: staged.waived }];
  });
}
