/** The backtest's spine: from a loaded case set to a closed run, room after room. */
import type { CaseSet } from "./caseset/load.ts";
import { type Outcome, settle } from "./caseset/settlement.ts";
import { buildReport, buildResult, type Report, reportOf } from "./report/build-report.ts";
import { namedSection, type Section } from "./report/section.ts";
import { trialEvidence, trialOutcome } from "./report/trial-evidence.ts";
import { closeRun, finishClosed } from "./run/close-run.ts";
import { documentTables } from "./run/leak-items.ts";
import { openRun } from "./run/open-run.ts";
import { type Check, type Plan, preflight, type Selection } from "./run/preflight.ts";
import { checkSame } from "./run/resume.ts";
import { runArms } from "./run/run-arms.ts";
import { endTrial } from "./run/trials.ts";
import type { World } from "./run/world.ts";
import { scoreRules } from "./score/score-rules.ts";
import { scoreTrajectories } from "./score/score-run.ts";
import type { TrajectoryScore } from "./score/score-trajectory.ts";

export type Backtest = {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly scores: readonly TrajectoryScore[];
  readonly report: Report;
};

/**
 * Runs every case of the selection on every arm, bounded at its horizon, and writes the run to `world.sink`, its leaves
 * to `world.ledger`, its rows to `world.trials`; goes on with `selection.earlier` where there is one. `section`: what
 * another room makes of the answers. Refuses (BlindcastError) before the first recorded read; throws Interrupted when
 * `world.signal` or the disk ended an open run early: it can be resumed.
 */
export async function backtest(
  set: CaseSet,
  selection: Selection,
  checks: readonly Check[],
  world: World,
  section: Section | null = null,
): Promise<Backtest> {
  const plan = await preflight(set, selection, checks, world); // every refusal is raised here; plants are proven
  const run = await openRun(plan, world); // the trial is counted and the open leaf signed before the first recorded read
  const record = await runArms(plan, run, world); // trajectories; their root is fixed here
  const outcomes = settle(plan.cases, set.labels, { deadlines: plan.deadlines, asOf: null });
  const { leak, seed } = selection.options;
  const { entities } = selection;
  const find = entities?.find ?? null;
  const rules = scoreRules(
    leak,
    world.judging !== undefined,
    documentTables(world.store),
    find,
    plan.arms.staged,
  );
  const scores = scoreTrajectories(plan.cases, outcomes, record, rules);
  const made = namedSection(section, { cases: plan.cases, scores, seed });
  const subject = { manifest: run.manifest, leak, entities, made, ...plan };
  const result = buildResult(subject, outcomes, scores);
  const trial = await endTrial(plan.run, run.trial, trialOutcome(result, made), world); // its last row
  const evidence = trial && trialEvidence(trial, section);
  const report = buildReport(subject, result, scores, record, evidence);
  await closeRun(run, plan, { record, trials: trial?.mark ?? null }, report, world); // close leaf, signed checkpoint
  return { plan, outcomes, scores, report };
}

/**
 * For an earlier run that was closed already, or all but: finishes its last files and gives its report. The same
 * configuration is demanded as by a resumed run.
 */
export async function finishBacktest(
  set: CaseSet,
  selection: Selection,
  checks: readonly Check[],
  world: World,
): Promise<Report> {
  const plan = await preflight(set, selection, checks, world);
  const earlier = checkSame(plan, world);
  return reportOf(await finishClosed(earlier, world), `${world.sink.place}/report.json`);
}
