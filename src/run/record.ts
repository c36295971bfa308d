/** The record: what a run left to be scored, trajectory by trajectory in the plan's order; replay gives the same shape. */

import type { Digest } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import type { PlantKind } from "../store/overlay.ts";
import type { Entry } from "./entry.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import type { CasePlants } from "./probe.ts";
import type { Recorder } from "./recorder.ts";

/** A line of `plants.jsonl`, keys in canonical order; `real` (of a revision): the digest of the row that it would hide. */
export type PlantRecord = {
  readonly available_at: string;
  readonly case: string;
  readonly digest: string;
  readonly kind: PlantKind | "not exercised";
  readonly real: string;
  readonly ref: string;
  readonly table: string;
};

/** Its canonical line: the keys of a record stand in order, and its texts are well formed since the door. */
export const plantLine = (record: PlantRecord): string => JSON.stringify(record);

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

export function plantRecords(caseId: string, plants: CasePlants): PlantRecord[] {
  return [...plants].flatMap(([table, planted]): PlantRecord[] => {
    if (planted === null) {
      return [
        { available_at: "", case: caseId, digest: "", kind: "not exercised", real: "", ref: "", table },
      ];
    }
    return [planted.past, planted.revision, planted.newKey].map((row) => ({
      available_at: formatInstant(row.available),
      case: caseId,
      digest: row.digest,
      kind: row.kind,
      real: row.kind === "revision" ? planted.real.digest : "",
      ref: row.ref,
      table,
    }));
  });
}

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
