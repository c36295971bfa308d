/** Report tables for people who slice: one row a trajectory, as an Arquero table. No figure of a report passes here. */
import { type ColumnTable, table } from "arquero";
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { formatInstant } from "../core/instant.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";

/**
 * Columns: case, cluster, horizon, arm, repeat, state, probability, brier, calls, failures. `probability` and `brier`
 * are null where there is no answer or no settled outcome: Arquero's means skip null silently, so count them first.
 */
export function scoreTable(cases: readonly BoundedCase[], scores: readonly TrajectoryScore[]): ColumnTable {
  const of = (score: TrajectoryScore) => cases[score.caseIndex] as BoundedCase;
  return table({
    case: scores.map((score) => of(score).id),
    cluster: scores.map((score) => of(score).cluster),
    horizon: scores.map((score) => formatInstant(of(score).horizon)),
    arm: scores.map((score) => score.arm),
    repeat: scores.map((score) => score.repeat),
    state: scores.map((score) => score.state),
    probability: scores.map((score) => score.probability),
    brier: scores.map((score) => score.brier),
    calls: scores.map((score) => score.calls),
    failures: scores.map((score) => score.failures.length),
  });
}
