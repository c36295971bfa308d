/** The record: what a run left to be scored, trajectory by trajectory in the plan's order; replay gives the same shape. */

import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { Entry } from "./entry.ts";
import { type CaseRecords, type PlantRecord, partedRecords } from "./plant-record.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import type { Recorder, Sealed } from "./recorder.ts";

/** Beside its entries: the case's plants, by which the record is judged, and what was staged for the case, in whatever arm. */
export type Trajectory = CaseRecords & {
  readonly caseIndex: number;
  readonly arm: string;
  readonly repeat: number;
  /** Of all its attempts, in order. */
  readonly entries: readonly Entry[];
  /** The body of an entry, parsed. */
  readonly body: (digest: Digest) => Json;
};

export type RunRecord = {
  /** In (case, arm, repeat) order, one at a time. */
  readonly trajectories: () => Iterable<Trajectory>;
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** When the first and the last entry were written. */
  readonly instants: { readonly started: string; readonly ended: string };
};

export function recordOf(plan: Plan, recorder: Recorder, sealed: Sealed): RunRecord {
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
        ...partedRecords(plan.plantRecords[assignment.caseIndex] as readonly PlantRecord[]),
        body: (digest) => JSON.parse(recorder.body(digest)) as Json,
      };
    }
  };
  return { trajectories, ...sealed, instants: recorder.instants() };
}
