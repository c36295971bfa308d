/** Lanes: trajectories that run one after the other; any number of lanes run at a time. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Assignment } from "./arms.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";

/**
 * Positions of the plan that are wanted, lane by lane: each its own, or under `process: shared` those of one (arm, repeat),
 * by horizon and then in the plan's order.
 */
export function* lanes(
  plan: Pick<Plan, "arms" | "cases" | "selection">,
  wanted: (position: number) => boolean,
): Generator<readonly number[]> {
  const total = trajectoryCount(plan);
  if (plan.selection.options.process === "shared") {
    yield* sharedLanes(plan, total, wanted);
    return;
  }
  for (let position = 0; position < total; position++) if (wanted(position)) yield [position];
}

function* sharedLanes(
  { arms, cases, selection }: Pick<Plan, "arms" | "cases" | "selection">,
  total: number,
  wanted: (position: number) => boolean,
): Generator<readonly number[]> {
  const { repeats } = selection.options;
  const byLane = new Map<string, { position: number; horizon: number }[]>();
  for (let position = 0; position < total; position++) {
    if (!wanted(position)) continue;
    const { arm, caseIndex } = arms.assignments[Math.floor(position / repeats)] as Assignment;
    const lane = `${position % repeats}\n${arm}`;
    const one = { position, horizon: (cases[caseIndex] as BoundedCase).horizon };
    const known = byLane.get(lane);
    if (known === undefined) byLane.set(lane, [one]);
    else known.push(one);
  }
  for (const lane of byLane.values())
    yield lane
      .sort((a, b) => a.horizon - b.horizon || a.position - b.position)
      .map(({ position }) => position);
}
