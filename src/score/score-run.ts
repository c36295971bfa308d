/** Scores of a whole run, in (case, arm, repeat) order. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Outcome } from "../caseset/settlement.ts";
import type { RunRecord } from "../run/record.ts";
import type { ScoreRules } from "./score-rules.ts";
import { scoreTrajectory, type TrajectoryScore } from "./score-trajectory.ts";

export function scoreTrajectories(
  cases: readonly BoundedCase[],
  outcomes: readonly Outcome[],
  record: RunRecord,
  rules: ScoreRules,
): TrajectoryScore[] {
  const scores: TrajectoryScore[] = [];
  for (const trajectory of record.trajectories()) {
    const { caseIndex } = trajectory;
    scores.push(
      scoreTrajectory(cases[caseIndex] as BoundedCase, outcomes[caseIndex] as Outcome, trajectory, rules),
    );
  }
  return scores;
}
