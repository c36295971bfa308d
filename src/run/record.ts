/** The record: what a run left to be scored, trajectory by trajectory in the plan's order; replay gives the same shape. */

import type { Digest } from "../core/digest.ts";
import type { Entry } from "./entry.ts";
import type { PlantRecord } from "./plant-record.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import type { Recorder } from "./recorder.ts";

export type Trajectory = {
  readonly caseIndex: number;
  readonly arm: string;
  readonly repeat: number;
  readonly entries: readonly Entry[];
  /** The case's plants, by which the record is judged. */
  readonly plants: readonly PlantRecord[];
  readonly body: (digest: Digest) => string;
};

export type RunRecord = {
  /** In (case, arm, repeat) order, one at a time. */
  readonly trajectories: () => Iterable<Trajectory>;
  readonly size: number;
  readonly root: string;
  readonly started: number;
  readonly ended: number;
};

export function recordOf(plan: Plan, recorder: Recorder, rest: Omit<RunRecord, "trajectories">): RunRecord {
  const { repeats } = plan.selection.options;
  const trajectories = function* (): Generator<Trajectory> {
    for (let position = 0; position < trajectoryCount(plan); position++) {
      const assignment = plan.arms.assignments[Math.floor(position / repeats)];
      if (assignment === undefined) return;
      yield {
        caseIndex: assignment.caseIndex,
        arm: assignment.arm,
        repeat: position % repeats,
        entries: recorder.lines(position).map((line) => JSON.parse(line) as Entry),
        plants: recorder.plants[assignment.caseIndex] ?? [],
        body: (digest) => recorder.body(digest),
      };
    }
  };
  return { trajectories, ...rest };
}
