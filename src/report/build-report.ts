/** The report: `result`, equal for equal inputs on any machine, and `evidence`, what this run in particular was. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Outcome } from "../caseset/settlement.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, digestOfJson } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { roundAll } from "../core/round.ts";
import { parseJson } from "../core/strict-json.ts";
import { REPORT_VERSION } from "../core/version.ts";
import { type ArmPlan, ROUTED } from "../run/arms.ts";
import type { LeakRules } from "../run/leak-rules.ts";
import type { Manifest } from "../run/manifest.ts";
import type { RunRecord } from "../run/record.ts";
import type { Bootstrap } from "../run/stamp.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import {
  type ArmScores,
  byArm,
  caseFigure,
  type Estimation,
  estimationOf,
  isUnscored,
} from "./arm-scores.ts";
import { armsSection } from "./arms-section.ts";
import { leakageSection } from "./leakage-section.ts";
import { modelEvidence } from "./model-evidence.ts";
import { premiumOf } from "./premium.ts";
import type { NamedSection } from "./section.ts";
import { stagedArms, stagedFindings } from "./staged-section.ts";
import type { TrialEvidence } from "./trial-evidence.ts";

export type Report = {
  readonly result: Json;
  readonly evidence: Json;
  /** The bytes of `report.json`. */
  readonly bytes: string;
  readonly resultDigest: Digest;
  readonly reportDigest: Digest;
};

/** What is reported on: a run's manifest, its cases, its arms; out of a plan, or out of a record. */
export type Subject = {
  readonly manifest: Manifest;
  readonly cases: readonly BoundedCase[];
  readonly arms: ArmPlan;
  /** What its profile declares of leakage. */
  readonly leak: LeakRules;
  /** The names that were looked for in queries and documents; null: nobody looked for any. */
  readonly entities: { readonly count: number } | null;
  /** What another room made of the answers, under its name; null: nothing. */
  readonly made: NamedSection | null;
};

/** What of a record its trajectories do not say. */
type Recorded = Omit<RunRecord, "trajectories">;

/** What was computed of a run, before its last row of a ledger of trials is written. */
export type Result = { readonly result: Json; readonly verdict: "green" | "red" };

export function buildResult(
  subject: Subject,
  outcomes: readonly Outcome[],
  scores: readonly TrajectoryScore[],
): Result {
  const result = roundAll(resultOf(subject, outcomes, scores));
  return { result, verdict: (result as { verdict: Result["verdict"] }).verdict };
}

export function buildReport(
  subject: Subject,
  { result }: Result,
  scores: readonly TrajectoryScore[],
  record: Recorded,
  trials: TrialEvidence | null,
): Report {
  const evidence = roundAll(evidenceOf(subject, scores, record, trials));
  const bytes = `${canonical({ evidence, result })}\n`;
  return { result, evidence, bytes, resultDigest: digestOfJson(result), reportDigest: digestOf(bytes) };
}

/** A report as it was written; refuses FieldInvalid for bytes that are no report's. */
export function reportOf(bytes: string, place: Place): Report {
  const report = parseJson(bytes, place) as { result?: Json; evidence?: Json } | null;
  const { result, evidence } = report ?? {};
  if (result === undefined || evidence === undefined || `${canonical({ evidence, result })}\n` !== bytes) {
    refuse("FieldInvalid", {
      place,
      field: "report",
      found: "other bytes",
      expected: "canonical JSON of {evidence, result}",
    });
  }
  return { result, evidence, bytes, resultDigest: digestOfJson(result), reportDigest: digestOf(bytes) };
}

function resultOf(plan: Subject, outcomes: readonly Outcome[], scores: readonly TrajectoryScore[]): Json {
  const { caseset, stamp } = plan.manifest;
  const { made } = plan;
  const { staged } = plan.arms;
  const arms = byArm(scores.filter(({ arm }) => arm !== staged?.arm));
  const estimation = estimationOf(plan.cases, stamp["seed"] as number, stamp["bootstrap"] as Bootstrap);
  const unrouted = new Set(plan.arms.unrouted);
  const asked = new Set(plan.arms.assignments.map(({ caseIndex }) => caseIndex));
  const settled = outcomes.flatMap((outcome, i) =>
    outcome.state === "settled" && asked.has(i) && !unrouted.has(i) ? [outcome.outcome as number] : [],
  );
  const routed = arms.get(ROUTED);
  const withoutFamily = reasonWithoutFamily(stamp["reader"] as { name: string; adapter?: string });
  const failed = [...failedCases(plan, scores), ...(made?.made.failed ?? [])];
  const tags = new Set(plan.cases.flatMap((item) => item.tags)).size;
  const { cases, leak } = plan;
  const names = plan.entities?.count ?? null;
  const leakage = leakageSection({
    cases,
    outcomes,
    plan: plan.arms,
    arms,
    scores: scores.filter(({ arm }) => arm !== staged?.arm),
    leak,
    names,
    stamp,
    estimation,
  });
  const headline = caseFigure(routed?.brier ?? new Map(), "headline.brier", estimation);
  const scored = made === null ? headline.n : made.made.n;
  return {
    report_version: REPORT_VERSION,
    caseset,
    stamp,
    verdict: failed.length > 0 || scored === 0 ? "red" : "green",
    headline: {
      n: routed?.cases ?? 0,
      outcomes: { settled: settled.length, events: settled.reduce((sum, one) => sum + one, 0) },
      brier: headline,
      ...made?.made.headline,
    },
    ...(made === null ? {} : { [made.name]: made.made.section }),
    arms: {
      ...armsSection(plan.arms, arms, headline, estimation, withoutFamily),
      ...(staged === null ? {} : { staged: stagedArms(staged, scores) }),
    },
    premium: premiumOf(plan.arms, outcomes, arms, estimation, withoutFamily),
    tracks: [{ time: "backtest", tools: toolsOf(scores), n: routed?.cases ?? 0 }],
    slices: { tag: tags > limits.slices ? {} : tagSlices(plan.cases, routed, estimation) },
    calibration: null,
    leakage: leakage.section as unknown as Json,
    plants: plantsJson(scores),
    findings: [
      ...(scored === 0 ? [{ finding: "nothing-scored", cases: plan.cases.length }] : []),
      ...findings(plan, scores),
      ...stagedFindings(plan, scores),
      ...(made?.made.findings ?? []),
    ],
    failed_cases: failed,
    unsettled: [...unsettledCases(plan, outcomes), ...(made?.made.unsettled ?? [])],
    tally: tally(plan, asked.size, outcomes, scores),
    not_estimated: [
      { section: "calibration", reason: "not part of this report version" },
      ...leakage.missing,
      ...(made?.made.missing ?? []),
      ...tooManyTags(tags),
    ],
  };
}

const toolsOf = (scores: readonly TrajectoryScore[]) =>
  scores.some((score) => score.usedTools) ? "using" : "free";

const tooManyTags = (tags: number): Json[] =>
  tags > limits.slices
    ? [{ section: "slices.tag", reason: `${tags} tags, at most ${limits.slices} are sliced` }]
    : [];

function unsettledCases(plan: Subject, outcomes: readonly Outcome[]): Json[] {
  return plan.cases.flatMap((item, i) => {
    const outcome = outcomes[i] as Outcome;
    return outcome.state === "settled" || outcome.state === "derived"
      ? []
      : [{ case: item.id, state: outcome.state, reason: outcome.reason }];
  });
}

/** A reader from outside may well run on a model: without a family nobody knows what its newest one would have said. */
const reasonWithoutFamily = ({
  name,
  adapter,
}: {
  readonly name: string;
  readonly adapter?: string;
}): string =>
  adapter === undefined
    ? `no family: ${name} runs on no model checkpoint`
    : `no family: nothing here tells what ${name} remembers`;

/** By tag, in code units. */
function tagSlices(
  cases: readonly BoundedCase[],
  routed: ArmScores | undefined,
  estimation: Estimation,
): Record<string, Json> {
  const byTag = new Map<string, Map<number, number>>();
  for (const [caseIndex, value] of routed?.brier ?? []) {
    for (const tag of (cases[caseIndex] as BoundedCase).tags) {
      const known = byTag.get(tag);
      if (known === undefined) byTag.set(tag, new Map([[caseIndex, value]]));
      else known.set(caseIndex, value);
    }
  }
  const figure = (tag: string) =>
    caseFigure(byTag.get(tag) as Map<number, number>, `slices.tag.${tag}.brier`, estimation);
  return Object.fromEntries([...byTag.keys()].sort().map((tag) => [tag, { brier: figure(tag) }]));
}

/** Plants are counted per (case, table), a pair proven where every trajectory's probes proved it; served, per call. */
function plantsJson(scores: readonly TrajectoryScore[]): {
  future: number;
  past: number;
  proven: number;
  not_exercised: number;
  served: number;
} {
  const cases = new Map<number, { tables: number; proven: number; notExercised: number }>();
  let served = 0;
  for (const { caseIndex, plants } of scores) {
    served += plants.served;
    const known = cases.get(caseIndex);
    cases.set(caseIndex, {
      tables: plants.tables,
      proven: Math.min(known?.proven ?? plants.proven, plants.proven),
      notExercised: plants.notExercised,
    });
  }
  const sum = (pick: (one: { tables: number; proven: number; notExercised: number }) => number) =>
    [...cases.values()].reduce((total, one) => total + pick(one), 0);
  const tables = sum((one) => one.tables);
  return {
    future: tables,
    past: tables,
    proven: sum((one) => one.proven),
    not_exercised: sum((one) => one.notExercised),
    served,
  };
}

function failedCases(plan: Subject, scores: readonly TrajectoryScore[]): Json[] {
  return scores.flatMap((score) =>
    score.failures.map((failure) => ({
      case: (plan.cases[score.caseIndex] as BoundedCase).id,
      arm: score.arm,
      repeat: score.repeat,
      rule: failure.rule,
      step: failure.step,
      call: failure.call,
      // Drawn values and plants' keys come from a secret: two runs that fail alike must have one result.
      ...(failure.rule.startsWith("plant") ? {} : { detail: failure.detail }),
    })),
  );
}

/** Not failures: what a reader of the report should know of single cases. */
function findings(plan: Subject, scores: readonly TrajectoryScore[]): Json[] {
  const seen = new Set<number>();
  return scores.flatMap(({ caseIndex, arm, repeat, plants, queries }) => {
    const { id } = plan.cases[caseIndex] as BoundedCase;
    const named = (queries?.findings ?? []).map((found) => ({
      finding: "query-names-later-entity",
      case: id,
      arm,
      repeat,
      ...found,
    }));
    if (plants.notExercised === 0 || seen.has(caseIndex)) return named;
    seen.add(caseIndex);
    return [{ finding: "plants-not-exercised", case: id, tables: plants.notExercised }, ...named];
  });
}

/** `not_asked`: cases of a split that no fold tests. */
function tally(
  plan: Subject,
  asked: number,
  outcomes: readonly Outcome[],
  scores: readonly TrajectoryScore[],
): Json {
  const count = (state: string) => outcomes.filter((outcome) => outcome.state === state).length;
  const faults: Record<string, number> = {};
  for (const { fault } of scores) if (fault !== null) faults[fault] = (faults[fault] ?? 0) + 1;
  return {
    cases: plan.cases.length,
    ...(asked === plan.cases.length ? {} : { not_asked: plan.cases.length - asked }),
    settled: count("settled"),
    unsettled: count("unsettled"),
    void: count("void"),
    sampled: scores.length,
    dropped: 0,
    answered: scores.filter((score) => score.state === "answered").length,
    declined: scores.filter((score) => score.state === "declined").length,
    faults,
    unscored: scores.filter(isUnscored).length,
  };
}

function evidenceOf(
  plan: Subject,
  scores: readonly TrajectoryScore[],
  record: Recorded,
  trials: TrialEvidence | null,
): Json {
  const { run, ledger, replaces, host } = plan.manifest;
  const total = (pick: (score: TrajectoryScore) => number) =>
    scores.reduce((sum, score) => sum + pick(score), 0);
  return {
    run,
    replaces,
    signed: ledger !== null,
    ledger,
    entries: { root: record.root, size: record.size },
    ...(trials === null ? {} : { trials }),
    instants: record.instants,
    attempts: attemptsJson(plan, scores),
    plants: { in_reach: total((score) => score.plants.inReach) },
    calls: { tool: total((score) => score.calls), bytes: total((score) => score.bytes) },
    ...faultsJson(plan, scores),
    ...modelEvidence(plan.cases, scores),
    host,
  };
}

/** Why a case was not answered, in words that may be a process's or an endpoint's: evidence, and no result. */
function faultsJson(plan: Subject, scores: readonly TrajectoryScore[]): { readonly [key: string]: Json } {
  const faults = scores.flatMap(({ caseIndex, arm, repeat, fault, message }) =>
    fault === null
      ? []
      : [{ case: (plan.cases[caseIndex] as BoundedCase).id, arm, repeat, class: fault, message }],
  );
  return faults.length === 0 ? {} : { faults };
}

/** Attempts beyond the first: each was cut off by a crash, and is in the record to its end. */
function attemptsJson(plan: Subject, scores: readonly TrajectoryScore[]): Json {
  const again = scores.filter((score) => score.attempts > 1);
  return {
    abandoned: again.reduce((sum, score) => sum + score.attempts - 1, 0),
    trajectories: again.map(({ caseIndex, arm, repeat, attempts }) => ({
      case: (plan.cases[caseIndex] as BoundedCase).id,
      arm,
      repeat,
      attempts,
    })),
  };
}
