/** Per arm and case: the mean over repeats of what was answered and settled, and the states of the rest. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import { type Figure, meanFigure } from "../stats/figure.ts";

export type ArmScores = {
  readonly arm: string;
  /** Case index → mean Brier over its scored repeats. */
  readonly brier: ReadonlyMap<number, number>;
  readonly cases: number;
  readonly trajectories: number;
  readonly answered: number;
  readonly declined: number;
  readonly faults: number;
  /** Trajectories without a score: declined, faults, and answers without a settled outcome; no decision that was answered. */
  readonly unscored: number;
};

export function byArm(scores: readonly TrajectoryScore[]): ReadonlyMap<string, ArmScores> {
  const groups = new Map<string, TrajectoryScore[]>();
  for (const score of scores) {
    const group = groups.get(score.arm);
    if (group === undefined) groups.set(score.arm, [score]);
    else group.push(score);
  }
  return new Map([...groups].map(([arm, group]) => [arm, armOf(arm, group)]));
}

function armOf(arm: string, scores: readonly TrajectoryScore[]): ArmScores {
  const sums = new Map<number, { sum: number; n: number }>();
  for (const { caseIndex, brier } of scores) {
    if (brier === null) continue;
    const known = sums.get(caseIndex) ?? { sum: 0, n: 0 };
    sums.set(caseIndex, { sum: known.sum + brier, n: known.n + 1 });
  }
  const count = (state: TrajectoryScore["state"]) => scores.filter((score) => score.state === state).length;
  return {
    arm,
    brier: new Map([...sums].map(([caseIndex, { sum, n }]) => [caseIndex, sum / n])),
    cases: new Set(scores.map((score) => score.caseIndex)).size,
    trajectories: scores.length,
    answered: count("answered"),
    declined: count("declined"),
    faults: count("fault") + count("broken"),
    unscored: scores.filter(isUnscored).length,
  };
}

/** What became of a decision that was answered is in its own section. */
export const isUnscored = ({ brier, positions }: TrajectoryScore): boolean =>
  brier === null && positions === null;

/** How figures are made: the seed and resamples of the stamp, and the cluster of each case. */
export type Estimation = {
  readonly seed: number;
  readonly level: number;
  readonly resamples: number;
  readonly cluster: (caseIndex: number) => string;
};

export function estimationOf(
  cases: readonly BoundedCase[],
  seed: number,
  bootstrap: { resamples: number; level: number; cluster: "declared" | "none" },
): Estimation {
  const cluster = (caseIndex: number) => {
    const item = cases[caseIndex] as BoundedCase;
    return bootstrap.cluster === "declared" ? (item.cluster ?? item.id) : item.id;
  };
  return { seed, level: bootstrap.level, resamples: bootstrap.resamples, cluster };
}

/** A figure over cases, in the cases' order; `path` is its dotted path in the result and names its stream. */
export function caseFigure(
  values: ReadonlyMap<number, number>,
  path: string,
  estimation: Estimation,
): Figure {
  const rows = [...values]
    .sort(([a], [b]) => a - b)
    .map(([caseIndex, value]) => ({ value, cluster: estimation.cluster(caseIndex) }));
  return meanFigure({
    values: rows,
    path,
    seed: estimation.seed,
    level: estimation.level,
    resamples: estimation.resamples,
  });
}
