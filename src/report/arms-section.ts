/** The arms of a run, each with its Brier score and the states of its trajectories; they never pool. */
import { type ArmPlan, controlArm, LATEST, ROUTED } from "../run/arms.ts";
import type { Figure } from "../stats/figure.ts";
import { type ArmScores, caseFigure, type Estimation } from "./arm-scores.ts";

type ArmSection = Omit<ArmScores, "arm" | "brier" | "cases"> & {
  readonly n: number;
  readonly unrouted: number;
  readonly brier: Figure;
};

/** `control` by snapshot; `latest` and `control` are null with a reason where there is no family. */
export type ArmsSection = {
  readonly routed: ArmSection | null;
  readonly latest: ArmSection | null;
  readonly control: Readonly<Record<string, ArmSection>> | null;
  readonly reason: string | null;
};

/** The routed arm's Brier score is the headline's figure itself, interval and all. */
export function armsSection(
  plan: ArmPlan,
  arms: ReadonlyMap<string, ArmScores>,
  headline: Figure,
  estimation: Estimation,
  withoutFamily: string,
): ArmsSection {
  const routed = arms.get(ROUTED);
  const shown = routed === undefined ? null : sectionOf(routed, headline, plan.unrouted.length);
  if (plan.family === null) return { routed: shown, latest: null, control: null, reason: withoutFamily };
  const of = (name: string, path: string) => {
    const arm = arms.get(name);
    return arm === undefined ? null : sectionOf(arm, caseFigure(arm.brier, `${path}.brier`, estimation), 0);
  };
  const control: Record<string, ArmSection> = {};
  for (const { snapshot } of plan.controls) {
    const section = of(controlArm(snapshot), `arms.control.${snapshot}`);
    if (section !== null) control[snapshot] = section;
  }
  return { routed: shown, latest: of(LATEST, "arms.latest"), control, reason: null };
}

function sectionOf(arm: ArmScores, brier: Figure, unrouted: number): ArmSection {
  const { cases, trajectories, answered, declined, faults, unscored } = arm;
  return { n: cases, unrouted, brier, trajectories, answered, declined, faults, unscored };
}
