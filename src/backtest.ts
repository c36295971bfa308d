/** The backtest's spine: from a loaded case set to a closed run, room after room. */
import type { CaseSet } from "./caseset/load.ts";
import { type Outcome, settle } from "./caseset/settlement.ts";
import { buildReport, type Host, type Report } from "./report/build-report.ts";
import { closeRun, openRun } from "./run/open-run.ts";
import { type Check, type Plan, preflight, type Selection } from "./run/preflight.ts";
import { runArms } from "./run/run-arms.ts";
import type { World } from "./run/world.ts";
import { scoreTrajectories } from "./score/score-run.ts";
import type { TrajectoryScore } from "./score/score-trajectory.ts";

export type Backtest = {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly scores: readonly TrajectoryScore[];
  readonly report: Report;
};

/**
 * Runs every case of the selection on every arm, bounded at its horizon, and writes the run to `world.sink`. Refuses
 * (BlindcastError) before the first recorded read; throws Interrupted when `world.signal`
 * or the disk ended an open run early.
 */
export async function backtest(
  set: CaseSet,
  selection: Selection,
  checks: readonly Check[],
  host: Host,
  world: World,
): Promise<Backtest> {
  const plan = await preflight(set, selection, checks, world); // every refusal is raised here; plants are proven
  const run = openRun(plan, world);
  const record = await runArms(plan, run, world); // trajectories; their root is fixed here
  const outcomes = settle(plan.cases, set.labels, { zone: set.zone, grace: set.grace, asOf: null });
  const scores = scoreTrajectories(plan.cases, outcomes, record);
  const report = buildReport(plan, outcomes, scores, record, host);
  await closeRun(run, plan, report.bytes, world);
  return { plan, outcomes, scores, report };
}
