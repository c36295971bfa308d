/** The latest arm's premium: what the newest checkpoint seems to gain where it may remember, less what it gains where it cannot. */
import type { Outcome } from "../caseset/settlement.ts";
import type { ModelCheckpoint } from "../model/family.ts";
import { insideWindow } from "../model/route.ts";
import { type ArmPlan, controlArm, LATEST, ROUTED } from "../run/arms.ts";
import { clusterNumbers } from "../stats/bootstrap.ts";
import { tInterval } from "../stats/cluster-mean.ts";
import { type ClusterContrast, clusterContrast } from "../stats/cluster-regression.ts";
import type { Figure } from "../stats/figure.ts";
import { type ArmScores, caseFigure, type Estimation } from "./arm-scores.ts";

export type Premium = {
  /** Y_latest − Y_routed (lower Brier is better, so negative means that the latest looks better). */
  readonly all: Figure | null;
  /** The same over cases resolved (by their statement, or in fact) by the latest checkpoint's cutoff instant. */
  readonly inside: Figure | null;
  /** After that cutoff: Σ w_k · mean(Y_latest − Y_control:k); `n` counts cases. */
  readonly placebo: Figure | null;
  /** inside − placebo. */
  readonly net: Figure | null;
  readonly reason: string | null;
};

const NOT_SEPARABLE = "leakage and capability, not separable";

export function premiumOf(
  plan: ArmPlan,
  outcomes: readonly Outcome[],
  arms: ReadonlyMap<string, ArmScores>,
  estimation: Estimation,
  withoutFamily: string,
): Premium {
  const latest = arms.get(LATEST);
  const routed = arms.get(ROUTED);
  if (plan.latest === null || latest === undefined || routed === undefined)
    return { all: null, inside: null, placebo: null, net: null, reason: withoutFamily };
  const known = mayRemember(plan, plan.latest, outcomes);
  const all = differences(latest, routed);
  const inside = new Map([...all].filter(([caseIndex]) => known(caseIndex)));
  const groups = placeboGroups(plan, [...inside.keys()], latest, arms, known);
  const separable = groups.length > 0 && groups.every((group) => group.values.size > 0);
  const net = [
    { values: inside, weight: 1 },
    ...groups.map(({ values, weight }) => ({ values, weight: -weight })),
  ];
  return {
    all: caseFigure(all, "premium.all", estimation),
    inside: caseFigure(inside, "premium.inside", estimation),
    placebo: separable ? contrastFigure(groups, estimation) : null,
    net: separable ? contrastFigure(net, estimation) : null,
    reason: separable
      ? null
      : `${NOT_SEPARABLE}: ${inside.size === 0 ? "no scored case resolved by the latest checkpoint's cutoff" : "no scored case resolved after the latest checkpoint's cutoff has a control"}`,
  };
}

/** A case may be remembered where it resolved, by its statement or in fact, by the checkpoint's cutoff instant. */
function mayRemember(
  plan: ArmPlan,
  latest: ModelCheckpoint,
  outcomes: readonly Outcome[],
): (caseIndex: number) => boolean {
  return (caseIndex) => {
    const outcome = outcomes[caseIndex];
    const early = outcome?.state === "settled" && insideWindow(latest, outcome.resolvedAt);
    return plan.inside[caseIndex] === true || early;
  };
}

/** One group a control, weighted by the share of the scored inside cases that were routed to its checkpoint. */
function placeboGroups(
  plan: ArmPlan,
  inside: readonly number[],
  latest: ArmScores,
  arms: ReadonlyMap<string, ArmScores>,
  known: (caseIndex: number) => boolean,
): Group[] {
  const counts = plan.controls.map(
    (checkpoint) => inside.filter((caseIndex) => plan.routes[caseIndex] === checkpoint).length,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return plan.controls.flatMap((checkpoint, i) => {
    const control = arms.get(controlArm(checkpoint.snapshot));
    const count = counts[i] as number;
    if (count === 0) return [];
    const pairs = control === undefined ? [] : [...differences(latest, control)];
    return [{ weight: count / total, values: new Map(pairs.filter(([caseIndex]) => !known(caseIndex))) }];
  });
}

/** Over the cases that both arms have a score for. */
function differences(a: ArmScores, b: ArmScores): Map<number, number> {
  const pairs = new Map<number, number>();
  for (const [caseIndex, value] of a.brier) {
    const other = b.brier.get(caseIndex);
    if (other !== undefined) pairs.set(caseIndex, value - other);
  }
  return pairs;
}

type Group = { readonly values: ReadonlyMap<number, number>; readonly weight: number };

/** Σ weight · mean(group), its error by CR2 on the groups' dummies, clustered; `n` counts distinct cases. */
function contrastFigure(groups: readonly Group[], estimation: Estimation): Figure {
  const rows = groups.flatMap(({ values }, group) =>
    [...values].sort(([a], [b]) => a - b).map(([caseIndex, value]) => ({ caseIndex, value, group })),
  );
  const clusters = clusterNumbers(rows.map((row) => estimation.cluster(row.caseIndex)));
  const n = new Set(rows.map((row) => row.caseIndex)).size;
  const mean = groups.reduce(
    (total, { values, weight }) =>
      total + weight * ([...values.values()].reduce((sum, value) => sum + value, 0) / values.size),
    0,
  );
  const flat = groups.every(({ values }) => new Set(values.values()).size === 1);
  const base = { mean, method: "t" as const, clusters: new Set(clusters).size, n };
  if (flat) return { ...base, ci95: [mean, mean], state: "degenerate" };
  const fit = fitGroups(rows, groups, clusters);
  if (fit === null) return { ...base, ci95: null, state: "not estimable" };
  return { ...base, ci95: tInterval(mean, fit.se, fit.df, estimation.level), state: "estimated" };
}

function fitGroups(
  rows: readonly { value: number; group: number }[],
  groups: readonly Group[],
  clusters: Int32Array,
): ClusterContrast | null {
  const k = groups.length;
  const x = new Float64Array(rows.length * k);
  rows.forEach((row, i) => {
    x[i * k + row.group] = 1;
  });
  const y = Float64Array.from(rows, (row) => row.value);
  return clusterContrast({
    x,
    y,
    clusters,
    k,
    contrast: groups.map(({ weight }) => weight),
  });
}
