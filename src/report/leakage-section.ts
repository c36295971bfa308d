/** The report's section on leakage: what the profile declared of it, arm by arm, and why what cannot be computed is not. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Outcome } from "../caseset/settlement.ts";
import type { Json } from "../core/canonical.ts";
import type { Instant } from "../core/instant.ts";
import { formatMonth, monthOfInstant } from "../core/month.ts";
import { type Cutoff, parseCutoff } from "../model/cutoff.ts";
import { type ArmPlan, controlArm, LATEST, ROUTED } from "../run/arms.ts";
import type { LeakRules, SliceRules } from "../run/leak-rules.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import type { ArmScores, Estimation } from "./arm-scores.ts";
import { type ControlCase, type ControlRow, controlSlice } from "./control-slices.ts";
import { type CutoffSlices, cutoffSlices, type SliceCase, type SliceOptions } from "./cutoff-slices.ts";
import { type DocumentSection, documentSection } from "./leak-tiers.ts";
import { type QuerySection, querySection } from "./query-section.ts";

/** Of one arm: its slices, or why there are none. */
export type ArmSlices = { readonly slices: CutoffSlices | null; readonly reason: string | null };

/** `leakage` of a result; each part is null unless the profile declares it, and where it cannot be computed. */
export type LeakageSection = {
  readonly rules: Json;
  readonly slices: { readonly [arm: string]: ArmSlices } | null;
  readonly control: ControlRow | null;
  readonly documents: DocumentSection | null;
  readonly queries: QuerySection | null;
};

export type LeakageSubject = {
  readonly cases: readonly BoundedCase[];
  readonly outcomes: readonly Outcome[];
  readonly plan: ArmPlan;
  readonly arms: ReadonlyMap<string, ArmScores>;
  readonly scores: readonly TrajectoryScore[];
  readonly leak: LeakRules;
  /** Names that were looked for; null: none were. */
  readonly names: number | null;
  readonly stamp: { readonly [key: string]: Json };
  readonly estimation: Estimation;
};

type NotEstimated = { readonly section: string; readonly reason: string };

/** Nothing is on that the profile did not declare. */
export function leakageSection(subject: LeakageSubject): {
  readonly section: LeakageSection | null;
  readonly missing: readonly NotEstimated[];
} {
  const { leak, stamp } = subject;
  const judge = stamp["judge"] as { readonly name: string } | "none";
  const { slices: rules } = leak;
  const slices = rules?.references.includes("discontinuity") ? slicesOf(subject, rules) : null;
  const control = rules?.references.includes("clean-control") ? controlOf(subject, rules) : null;
  const documents = judge === "none" ? null : documentSection(subject, judge.name);
  const queries = leak.queries === null ? null : querySection(subject.scores);
  const missing = [
    ...(rules === null ? [{ section: "leakage", reason: "the profile declares no leakage reference" }] : []),
    ...Object.entries(slices ?? {}).flatMap(([arm, { reason }]) =>
      reason === null ? [] : [{ section: `leakage.slices.${arm}`, reason }],
    ),
    ...(typeof control === "string" ? [{ section: "leakage.control", reason: control }] : []),
    ...(subject.names === 0
      ? [
          {
            section: "leakage.queries",
            reason: "the index of entities is empty (no `entity` column): no name was looked for",
          },
        ]
      : []),
    ...withoutJudge(subject, judge === "none" ? null : judge.name, documents),
  ];
  if (slices === null && control === null && documents === null && queries === null)
    return { section: null, missing };
  const row = typeof control === "string" ? null : control;
  return { section: { rules: rulesJson(leak), slices, control: row, documents, queries }, missing };
}

const rulesJson = ({ slices, threshold, judge, queries }: LeakRules): Json => ({
  slices: slices as Json,
  leak_threshold: threshold,
  judge,
  query_findings: queries,
});

function withoutJudge(
  { cases, leak }: LeakageSubject,
  judge: string | null,
  documents: DocumentSection | null,
): NotEstimated[] {
  const section = "leakage.documents";
  const wanted = cases.filter((item) => (item.leakThreshold ?? leak.threshold) !== null).length;
  if (judge === null && wanted > 0)
    return [
      { section, reason: `${wanted} cases have a leak threshold, and no judge scored their documents` },
    ];
  const unnamed = cases.filter(({ subject }) => subject === null).length;
  if (judge !== "floor" || unnamed === 0 || documents?.documents === 0) return [];
  const of = unnamed === cases.length ? "no case names" : `${unnamed} of ${cases.length} cases do not name`;
  return [{ section, reason: `${of} a subject: the floor judge gives their documents at most 1` }];
}

function slicesOf(subject: LeakageSubject, rules: SliceRules): { readonly [arm: string]: ArmSlices } {
  const { arms } = subject;
  return Object.fromEntries(
    [...arms.keys()].sort().map((arm) => {
      const cutoff = cutoffOf(subject, arm);
      if (typeof cutoff === "string") return [arm, { slices: null, reason: cutoff }];
      const cases = sliceCases(subject, arms.get(arm) as ArmScores, rules);
      const slices = cutoffSlices(cases, cutoff, optionsOf(subject, rules), `leakage.slices.${arm}.slices`);
      return [arm, { slices, reason: oneSided(slices) }];
    }),
  );
}

function oneSided({ n }: CutoffSlices): string | null {
  if (n.pre > 0 && n.post > 0) return null;
  if (n.pre === 0 && n.post === 0) return "no case has a score";
  return n.pre === 0
    ? "no scored case resolved before the cutoff of the checkpoint that answered"
    : "no scored case resolved after the cutoff of the checkpoint that answered";
}

/** The post-training cutoff of the checkpoint that answered an arm's cases, or why there is none. */
function cutoffOf({ plan, stamp }: LeakageSubject, arm: string): Cutoff | string {
  const unknown = (snapshot: string) => `the post-training cutoff of ${snapshot} is unknown`;
  if (plan.family !== null) {
    if (arm === ROUTED)
      return "each case is routed to a checkpoint that was finished before it: none resolves before its cutoff";
    const checkpoint =
      arm === LATEST ? plan.latest : plan.controls.find(({ snapshot }) => controlArm(snapshot) === arm);
    if (checkpoint === undefined || checkpoint === null) return `no checkpoint answered the arm ${arm}`;
    return checkpoint.posttrain ?? unknown(checkpoint.snapshot);
  }
  const reader = stamp["reader"] as {
    readonly name: string;
    readonly checkpoints: readonly { readonly snapshot: string; readonly posttrain_cutoff: string | null }[];
  };
  const { snapshot, posttrain_cutoff: said } = reader.checkpoints[0] ?? {
    snapshot: "none",
    posttrain_cutoff: "none",
  };
  if (said === null) return unknown(snapshot);
  if (said === "none") return `${reader.name} says that it has no cutoff`;
  return (
    parseCutoff(said, "reader", "posttrain_cutoff", () => {}) ?? `${reader.name} says ${said} of its cutoff`
  );
}

/** By its statement or in fact, whichever is earlier: from then on an outcome may be remembered. */
function resolvedAt(item: BoundedCase, outcome: Outcome): Instant {
  const { resolvedAt: at } = item;
  return outcome.state === "settled" && outcome.resolvedAt < at ? outcome.resolvedAt : at;
}

/** In the cases' order. */
function sliceCases(subject: LeakageSubject, arm: ArmScores, rules: SliceRules): SliceCase[] {
  return [...arm.brier]
    .sort(([a], [b]) => a - b)
    .map(([caseIndex, outcome]) => ({ ...pointOf(subject, caseIndex, rules), outcome }));
}

function pointOf({ cases, outcomes }: LeakageSubject, caseIndex: number, { cluster }: SliceRules) {
  const item = cases[caseIndex] as BoundedCase;
  const at = resolvedAt(item, outcomes[caseIndex] as Outcome);
  const declared = cluster === "declared" ? (item.cluster ?? item.id) : item.id;
  return { at, cluster: cluster === "month" ? formatMonth(monthOfInstant(at)) : declared };
}

function optionsOf({ estimation }: LeakageSubject, rules: SliceRules): SliceOptions {
  const { bandwidth, donut, power } = rules;
  const { level, resamples, seed } = estimation;
  return {
    unit: "days",
    bandwidth: bandwidth ?? 0,
    donut,
    better: "lower",
    power,
    level,
    resamples,
    seed,
  };
}

/** How much better the latest checkpoint is than the control, before its cutoff against after; or why nobody can say. */
function controlOf(subject: LeakageSubject, rules: SliceRules): ControlRow | string {
  const { plan, arms } = subject;
  const { latest, control } = plan;
  if (latest === null || control === null) return plan.withoutControl ?? "no checkpoint can be a control";
  if (latest.posttrain === null) return `the post-training cutoff of ${latest.snapshot} is unknown`;
  const other = arms.get(controlArm(control.snapshot))?.brier ?? new Map<number, number>();
  const cases: ControlCase[] = [...(arms.get(LATEST)?.brier ?? [])]
    .sort(([a], [b]) => a - b)
    .flatMap(([caseIndex, treated]) => {
      const answered = other.get(caseIndex);
      return answered === undefined
        ? []
        : [{ ...pointOf(subject, caseIndex, rules), treated, control: answered }];
    });
  if (cases.length === 0) return "no case has a score of both";
  const input = { treated: latest.snapshot, control: control.snapshot, cases, split: latest.posttrain };
  return controlSlice(input, optionsOf(subject, rules));
}
