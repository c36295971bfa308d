/** Families of model checkpoints: pinned snapshots with their cutoffs, linted row by row at the door. */
import * as path from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { parseDay } from "../core/instant.ts";
import { formatMonth, monthOfDay } from "../core/month.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit, type PlaceOf } from "../core/schema.ts";
import { readYaml } from "../core/yaml.ts";
import { type Cutoff, formatCutoff, parseCutoff } from "./cutoff.ts";

const strictly = { additionalProperties: false } as const;
const CheckpointOnDisk = Type.Object(
  {
    snapshot: Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$",
      description: "a snapshot's name",
    }),
    pretrain: Type.Optional(Type.String()),
    posttrain: Type.Optional(Type.String()),
    released: Type.Optional(Type.String()),
    artifact: Type.Optional(
      Type.Object(
        { file: Type.String({ minLength: 1 }), sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }) },
        strictly,
      ),
    ),
    endpoint: Type.Optional(Type.String()),
    sources: Type.Optional(Type.Array(Type.String())),
  },
  strictly,
);
/** `profiles/checkpoints/<family>.yaml`. */
export const FamilyOnDisk = Type.Object(
  {
    family: Type.String({
      pattern: "^[a-z0-9][a-z0-9.-]{0,99}$",
      description: "a name in lower case, with digits, . and -",
    }),
    description: Type.Optional(Type.String()),
    checkpoints: Type.Array(CheckpointOnDisk, { minItems: 1, maxItems: 1000 }),
  },
  strictly,
);
export type FamilyOnDisk = Static<typeof FamilyOnDisk>;

export type ModelCheckpoint = {
  readonly snapshot: string;
  readonly place: Place;
  readonly pretrain: Cutoff | null;
  /** null: unknown, so that it compares as the call's own instant and no past case can be routed to it. */
  readonly posttrain: Cutoff | null;
  /** Day number of the release. */
  readonly released: number | null;
  readonly artifact: { readonly file: string; readonly sha256: string } | null;
  /** The name of the endpoint that it is asked at, or null: the reader's own. */
  readonly endpoint: string | null;
};
export type Family = {
  readonly name: string;
  readonly folder: string;
  readonly place: Place;
  readonly onDisk: FamilyOnDisk;
  readonly checkpoints: readonly ModelCheckpoint[];
};

export function loadFamily(file: string, shown: string, complain: Complain = strict): Family | undefined {
  const yaml = readYaml(file, shown, complain);
  const onDisk = yaml && fit(FamilyOnDisk, yaml.value, yaml.placeOf, complain);
  if (yaml === undefined || onDisk === undefined) return undefined;
  return parseFamily(onDisk, path.dirname(file), shown, yaml.placeOf, complain);
}

export function parseFamily(
  onDisk: FamilyOnDisk,
  folder: string,
  place: Place,
  placeOf: PlaceOf,
  complain: Complain = strict,
): Family {
  const checkpoints = onDisk.checkpoints.map((_, i) => checkpointOf(onDisk, i, placeOf, complain));
  const known: ModelCheckpoint[] = [];
  for (const checkpoint of checkpoints) {
    if (checkpoint === undefined) continue;
    const twin = known.find(
      (other) => other.snapshot === checkpoint.snapshot || compareAge(other, checkpoint) === 0,
    );
    if (twin !== undefined) {
      const cutoff =
        checkpoint.posttrain === null ? "no post-training cutoff" : formatCutoff(checkpoint.posttrain);
      const same =
        twin.snapshot === checkpoint.snapshot ? "snapshot name" : `cutoffs and release (${cutoff})`;
      complain("EvalFamilyAmbiguous", {
        place: checkpoint.place,
        a: twin.snapshot,
        b: checkpoint.snapshot,
        same,
      });
    }
    known.push(checkpoint);
  }
  return { name: onDisk.family, folder, place, onDisk, checkpoints: known };
}

function checkpointOf(
  onDisk: FamilyOnDisk,
  i: number,
  placeOf: PlaceOf,
  complain: Complain,
): ModelCheckpoint | undefined {
  const row = onDisk.checkpoints[i] as Static<typeof CheckpointOnDisk>;
  const at = (key: string) => placeOf(`/checkpoints/${i}/${key}`);
  const { snapshot } = row;
  if (isFloating(snapshot)) {
    complain("EvalCheckpointFloating", { place: at("snapshot"), snapshot });
    return undefined;
  }
  const pretrain =
    row.pretrain === undefined
      ? null
      : parseCutoff(row.pretrain, at("pretrain"), `${snapshot}: pretrain`, complain);
  const stated =
    row.posttrain === undefined
      ? null
      : parseCutoff(row.posttrain, at("posttrain"), `${snapshot}: posttrain`, complain);
  const released = row.released === undefined ? null : parseDay(row.released);
  if (released === undefined) {
    complain("CutoffInvalid", {
      place: at("released"),
      subject: `${snapshot}: released`,
      found: row.released as string,
      expected: "a date such as 2024-10-22",
    });
  }
  if (pretrain === undefined || stated === undefined || released === undefined) return undefined;
  const month = released === null ? null : monthOfDay(released);
  if (pretrain !== null && month !== null && pretrain.hi > month) {
    const found = `${formatCutoff(pretrain)}, released ${formatMonth(month)}`;
    complain("CutoffInvalid", {
      place: at("pretrain"),
      subject: `${snapshot}: pretrain`,
      found,
      expected: "a cutoff that is not after the release",
    });
  }
  const posttrain = stated ?? inferredPosttrain(pretrain, month);
  const { artifact = null, endpoint = null } = row;
  return { snapshot, place: at("snapshot"), pretrain, posttrain, released, artifact, endpoint };
}

/** A name that stands for whichever snapshot is newest. */
export function isFloating(snapshot: string): boolean {
  return /(^|[-_.:/@])latest$/i.test(snapshot);
}

/** A pinned snapshot's weights are frozen at its release: what its maker does not say ends there at the latest. */
function inferredPosttrain(pretrain: Cutoff | null, released: number | null): Cutoff | null {
  if (released === null || (pretrain !== null && pretrain.lo > released)) return null;
  return { lo: pretrain?.lo ?? released, hi: released, tag: "estimated" };
}

/** Older first: by post-training upper bound (unknown is newest), then pretraining, then release. */
export function compareAge(a: ModelCheckpoint, b: ModelCheckpoint): number {
  const difference = (x: number | undefined | null, y: number | undefined | null, absent: number) => {
    const [p, q] = [x ?? absent, y ?? absent];
    return p === q ? 0 : p < q ? -1 : 1;
  };
  return (
    difference(a.posttrain?.hi, b.posttrain?.hi, Number.POSITIVE_INFINITY) ||
    difference(a.pretrain?.hi, b.pretrain?.hi, Number.NEGATIVE_INFINITY) ||
    difference(a.released, b.released, Number.NEGATIVE_INFINITY)
  );
}
