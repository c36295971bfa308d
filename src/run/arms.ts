/** Arms: which checkpoint answers which case; the routed one, the family's latest, and controls for the placebo. */
import type { ForecastCase } from "../caseset/forecast-case.ts";
import type { Family, ModelCheckpoint } from "../model/family.ts";
import { insideWindow, latestCheckpoint, routeAll } from "../model/route.ts";

/** One (case, arm); its repeats are run one after the other. `checkpoint` is null without a family. */
export type Assignment = {
  readonly caseIndex: number;
  readonly arm: string;
  readonly checkpoint: ModelCheckpoint | null;
};

export type ArmPlan = {
  readonly assignments: readonly Assignment[];
  readonly family: Family | null;
  readonly latest: ModelCheckpoint | null;
  /** Per case: where it was routed; null = unrouted (or no family). */
  readonly routes: readonly (ModelCheckpoint | null)[];
  /** Per case: resolved by the latest checkpoint's cutoff instant. */
  readonly inside: readonly boolean[];
  /** Older checkpoints to which an inside case was routed. */
  readonly controls: readonly ModelCheckpoint[];
  readonly unrouted: readonly number[];
};

export const ROUTED = "routed";
export const LATEST = "latest";
export const controlArm = (snapshot: string): string => `control:${snapshot}`;

/** Assignments in (case, arm by code units) order. */
export function planArms(cases: readonly ForecastCase[], family: Family | null): ArmPlan {
  if (family === null) {
    const assignments = cases.map((_, caseIndex) => ({ caseIndex, arm: ROUTED, checkpoint: null }));
    return {
      assignments,
      family,
      latest: null,
      routes: cases.map(() => null),
      inside: cases.map(() => false),
      controls: [],
      unrouted: [],
    };
  }
  const routes = routeAll(
    family,
    cases.map((item) => item.horizon),
  );
  const latest = latestCheckpoint(family);
  const inside = cases.map((item) => insideWindow(latest, item.resolution.at));
  const controls = controlsOf(routes, inside, latest);
  const assignments: Assignment[] = [];
  for (let caseIndex = 0; caseIndex < cases.length; caseIndex++) {
    if (!inside[caseIndex]) {
      for (const checkpoint of controls)
        assignments.push({ caseIndex, arm: controlArm(checkpoint.snapshot), checkpoint });
    }
    assignments.push({ caseIndex, arm: LATEST, checkpoint: latest });
    const routed = routes[caseIndex] as ModelCheckpoint | null;
    if (routed !== null) assignments.push({ caseIndex, arm: ROUTED, checkpoint: routed });
  }
  const unrouted = routes.flatMap((checkpoint, i) => (checkpoint === null ? [i] : []));
  return { assignments, family, latest, routes, inside, controls, unrouted };
}

/** By code units of the snapshot, which is also the order of their arms. */
function controlsOf(
  routes: readonly (ModelCheckpoint | null)[],
  inside: readonly boolean[],
  latest: ModelCheckpoint,
): ModelCheckpoint[] {
  const used = new Set(
    routes.filter((checkpoint, i) => inside[i] && checkpoint !== null && checkpoint !== latest),
  );
  return ([...used] as ModelCheckpoint[]).sort((a, b) => (a.snapshot < b.snapshot ? -1 : 1));
}
