/** Arms: which checkpoint answers which case; the routed one, the family's latest, controls for the placebo, a staged one. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { assert } from "../core/assert.ts";
import { formatInstant, instant } from "../core/instant.ts";
import { refuse } from "../core/refusal.ts";
import { cutoffInstant } from "../model/cutoff.ts";
import type { Family, ModelCheckpoint } from "../model/family.ts";
import { insideWindow, latestCheckpoint, route, routeAll } from "../model/route.ts";
import type { WantedControl } from "./leak-rules.ts";
import type { StagedArm, StagedPlan } from "./staging.ts";

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
  /** Older checkpoints to which an inside case was routed, and the control of every case. */
  readonly controls: readonly ModelCheckpoint[];
  /** It precedes every case's horizon, and answers all of them; or why there is none. */
  readonly control: ModelCheckpoint | null;
  readonly withoutControl: string | null;
  readonly unrouted: readonly number[];
  /** What the routed checkpoint answers once more, with rows staged; null where no case has such an arm. */
  readonly staged: StagedPlan | null;
};

export const ROUTED = "routed";
export const LATEST = "latest";
export const controlArm = (snapshot: string): string => `control:${snapshot}`;

/** Assignments in (case, arm by code units) order; `wanted`: a control that answers every case. */
export function planArms(
  cases: readonly BoundedCase[],
  family: Family | null,
  wanted: WantedControl | null,
  staged: StagedArm | null = null,
): ArmPlan {
  const plan = family === null ? withoutFamily(cases) : withFamily(cases, family, wanted);
  return staged === null ? plan : withStaged(plan, cases, staged);
}

function withoutFamily(cases: readonly BoundedCase[]): ArmPlan {
  return {
    assignments: cases.map((_, caseIndex) => ({ caseIndex, arm: ROUTED, checkpoint: null })),
    family: null,
    latest: null,
    routes: cases.map(() => null),
    inside: cases.map(() => false),
    controls: [],
    control: null,
    withoutControl: "no family, so no checkpoint that could be a control",
    unrouted: [],
    staged: null,
  };
}

function withFamily(cases: readonly BoundedCase[], family: Family, wanted: WantedControl | null): ArmPlan {
  const routes = routeAll(
    family,
    cases.map((item) => item.horizon),
  );
  const latest = latestCheckpoint(family);
  const inside = cases.map((item) => insideWindow(latest, item.resolvedAt));
  const { control, why } = chooseControl(cases, family, latest, wanted);
  const controls = controlsOf(routes, inside, latest, control);
  const assignments: Assignment[] = [];
  for (let caseIndex = 0; caseIndex < cases.length; caseIndex++) {
    for (const checkpoint of controls) {
      if (!inside[caseIndex] || checkpoint === control)
        assignments.push({ caseIndex, arm: controlArm(checkpoint.snapshot), checkpoint });
    }
    assignments.push({ caseIndex, arm: LATEST, checkpoint: latest });
    const routed = routes[caseIndex] as ModelCheckpoint | null;
    if (routed !== null) assignments.push({ caseIndex, arm: ROUTED, checkpoint: routed });
  }
  const unrouted = routes.flatMap((checkpoint, i) => (checkpoint === null ? [i] : []));
  const chosen = { latest, routes, inside, controls, control, withoutControl: why, unrouted };
  return { assignments, family, ...chosen, staged: null };
}

/** Each concerned case that is routed is answered once more by whom it was routed to. */
function withStaged(plan: ArmPlan, cases: readonly BoundedCase[], staged: StagedArm): ArmPlan {
  const { arm, concerns } = staged;
  const taken = plan.assignments.some((one) => one.arm === arm);
  assert(!taken && arm !== LATEST && !arm.startsWith(controlArm("")), `the arm ${arm} is one already`);
  const added = plan.assignments.flatMap((one) =>
    one.arm === ROUTED && concerns(cases[one.caseIndex] as BoundedCase) ? [{ ...one, arm }] : [],
  );
  if (added.length === 0) return plan;
  const assignments = [...plan.assignments, ...added].sort(
    (a, b) => a.caseIndex - b.caseIndex || (a.arm < b.arm ? -1 : 1),
  );
  return { ...plan, assignments, staged: { ...staged, cases: new Set(added.map((one) => one.caseIndex)) } };
}

/** A control's post-training cutoff (upper bound) precedes every horizon, strictly: it can remember no outcome. */
function chooseControl(
  cases: readonly BoundedCase[],
  family: Family,
  latest: ModelCheckpoint,
  wanted: WantedControl | null,
): { readonly control: ModelCheckpoint | null; readonly why: string | null } {
  if (wanted === null) return { control: null, why: null };
  const first = instant(
    cases.reduce((least, { horizon }) => Math.min(least, horizon), Number.MAX_SAFE_INTEGER),
  );
  const { snapshot } = wanted;
  const named = family.checkpoints.find((checkpoint) => checkpoint.snapshot === snapshot);
  if (snapshot !== null && named === undefined)
    refuse("FieldInvalid", {
      place: family.place,
      field: "leakage.control",
      found: snapshot,
      expected: `a snapshot of the family: ${family.checkpoints.map((each) => each.snapshot).join(", ")}`,
    });
  const control = named ?? route(family, first);
  const none = (why: string) => ({ control: null, why });
  if (control === null)
    return none(`no checkpoint of the family precedes the first horizon ${formatInstant(first)}`);
  if (control.posttrain === null || cutoffInstant(control.posttrain) >= first)
    return none(`${control.snapshot} does not precede the first horizon ${formatInstant(first)}`);
  if (control === latest) return none(`${control.snapshot} is the latest checkpoint itself`);
  return { control, why: null };
}

/** By code units of the snapshot, which is also the order of their arms. */
function controlsOf(
  routes: readonly (ModelCheckpoint | null)[],
  inside: readonly boolean[],
  latest: ModelCheckpoint,
  control: ModelCheckpoint | null,
): ModelCheckpoint[] {
  const used = new Set(
    routes.filter((checkpoint, i) => inside[i] && checkpoint !== null && checkpoint !== latest),
  );
  if (control !== null) used.add(control);
  return ([...used] as ModelCheckpoint[]).sort((a, b) => (a.snapshot < b.snapshot ? -1 : 1));
}
