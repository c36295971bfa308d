/** Scores of one trajectory: a pure function of the case, its outcome and what was recorded. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Outcome } from "../caseset/settlement.ts";
import type { Positions } from "../model/given-answer.ts";
import type { Entry } from "../run/entry.ts";
import type { Trajectory } from "../run/record.ts";
import { brier } from "../stats/brier.ts";
import type { Failure } from "./failure.ts";
import { type LeakScore, scoreLeaks } from "./leak-score.ts";
import { type ModelUse, modelUse } from "./model-use.ts";
import { type PlantScore, scorePlants } from "./plants.ts";
import { type QueryFinding, type QueryFindings, queryFindings } from "./query-finding.ts";
import type { ScoreRules } from "./score-rules.ts";
import { checkStaged, type StagedState } from "./staged-check.ts";
import { attemptsOf, checkBounds } from "./trajectory-check.ts";

export type TrajectoryScore = {
  readonly caseIndex: number;
  readonly arm: string;
  readonly repeat: number;
  /** Declined, fault and broken are states of their own: never 0.5, and never "wrong". */
  readonly state: "answered" | "declined" | "fault" | "broken";
  readonly fault: string | null;
  /** Of the fault, in its reader's or our words. */
  readonly message: string | null;
  readonly probability: number | null;
  readonly positions: Positions | null;
  /** null where there is no answer or no settled outcome. */
  readonly brier: number | null;
  readonly plants: PlantScore;
  /** null where no judge scored documents, where the profile wants no findings of queries, and in a staged arm. */
  readonly leak: LeakScore | null;
  readonly queries: QueryFindings | null;
  /** Of the staged arm; null in every other. */
  readonly staged: StagedState | null;
  readonly failures: readonly Failure[];
  /** One, and one more for each that a crash cut off. */
  readonly attempts: number;
  /** Tool calls and the bytes of their answers, over all attempts; whether the attempt that stands made any. */
  readonly calls: number;
  readonly bytes: number;
  readonly usedTools: boolean;
  readonly models: ModelUse;
};

export function scoreTrajectory(
  item: BoundedCase,
  outcome: Outcome,
  trajectory: Trajectory,
  rules: ScoreRules,
): TrajectoryScore {
  const { entries, body } = trajectory;
  const attempts = attemptsOf(entries);
  const last = attempts.at(-1) ?? [];
  const attempt = last.find(
    (entry) => entry.kind === "answer" || entry.kind === "decline" || entry.kind === "fault",
  );
  const plants = scorePlants(item.horizon, trajectory, last);
  // What is staged is drawn: names and texts of it are nobody's findings.
  const isStaged = trajectory.arm === rules.staged?.arm;
  const leak = isStaged ? null : scoreLeaks(item, last, body, rules);
  const queries =
    isStaged || rules.queries === null ? null : queryFindings(item, last, body, rules.queries.find);
  const tools = entries.filter((entry) => entry.kind === "tool");
  const { probability = null, positions = null } = attempt?.kind === "answer" ? attempt : NO_ANSWER;
  const staged = checkStaged(trajectory, last, positions, rules.staged);
  return {
    caseIndex: trajectory.caseIndex,
    arm: trajectory.arm,
    repeat: trajectory.repeat,
    state: stateOf(attempt),
    fault: attempt?.kind === "fault" ? attempt.class : null,
    message: attempt?.kind === "fault" ? attempt.message : null,
    probability,
    positions,
    brier: probability === null || outcome.state !== "settled" ? null : brier(probability, outcome.outcome),
    plants,
    leak,
    queries,
    staged: staged?.state ?? null,
    failures: [
      ...checkBounds(item, entries),
      ...plants.failures,
      ...(leak?.failures ?? []),
      ...(rules.queries?.on === "fail" ? (queries?.findings ?? []).map(failureOfFinding) : []),
      ...(staged?.failures ?? []),
    ],
    attempts: attempts.length,
    calls: tools.length,
    bytes: tools.reduce((total, entry) => total + (entry.kind === "tool" ? entry.bytes : 0), 0),
    usedTools: last.some((entry) => entry.kind === "tool"),
    models: modelUse(entries),
  };
}

const NO_ANSWER: { readonly probability?: never; readonly positions?: never } = {};

const failureOfFinding = ({ step, call, entity, first_available }: QueryFinding): Failure => ({
  rule: "query-finding",
  step,
  call,
  detail: `names ${entity}, first available ${first_available}, after the horizon`,
});

function stateOf(attempt: Entry | undefined): TrajectoryScore["state"] {
  if (attempt === undefined) return "broken";
  return attempt.kind === "answer" ? "answered" : attempt.kind === "decline" ? "declined" : "fault";
}
