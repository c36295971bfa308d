/** The split of a record: made again of what the folder holds, and held against the stamp. */
import { type Static, Type } from "@sinclair/typebox";
import type { CaseSetOnDisk } from "../caseset/load.ts";
import { parseSplitDefinition, type SplitDefinition } from "../caseset/split-definition.ts";
import type { Json } from "../core/canonical.ts";
import { type Instant, MICROS_PER_DAY, parseInstant } from "../core/instant.ts";
import { checkZone } from "../core/local-time.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import { demandApart, foldCases, type RunFolds, type SplitCases } from "../run/folds.ts";
import { firstDifference } from "../run/resume.ts";
import { TRAINING } from "../run/training.ts";

const StampedFold = Type.Object({
  ends: Type.String(),
  embargoed_until: Type.Union([Type.String(), Type.Null()]),
});
/** What of a stamp's split is looked at before all of it is compared. */
export const StampedSplit = Type.Object({ name: Type.String(), folds: Type.Array(StampedFold) });
type StampedSplit = Static<typeof StampedSplit>;

type Loaded = Omit<SplitCases, "zone"> & {
  readonly declared: CaseSetOnDisk;
  /** Of the run: what it converted of local times, this machine converts alike. */
  readonly sameZoneData: boolean;
  readonly process: "trajectory" | "shared";
};
type Places = { readonly manifest: Place; readonly caseSet: Place };

/**
 * The stamped split is the one that the set declares under its name, over the recorded cases: to the last count. With the run's
 * zone data ends of embargoes are made again; with any other they may differ by a day, and the recorded ones are taken.
 * Refuses FieldInvalid, and what a run refuses of a split.
 */
export function recordedFolds(
  stamped: StampedSplit | undefined,
  { declared, sameZoneData, process, ...given }: Loaded,
  places: Places,
): RunFolds | null {
  if (stamped === undefined) return null;
  const isTable = Object.hasOwn(declared.tables ?? {}, TRAINING);
  demandApart({ process, isTable }, { process: places.manifest, tables: places.caseSet });
  const zone = declared.time_zone ?? "UTC";
  checkZone(zone, places.caseSet, "time_zone");
  const cases = { ...given, zone };
  const named = { name: stamped.name, definition: declaredSplit(stamped.name, declared, places) };
  const own = foldCases(cases, named, places.caseSet);
  const other = differenceOf(own, stamped);
  if (other === undefined) return own;
  const folds = sameZoneData
    ? own
    : foldCases(cases, named, places.caseSet, recordedReach(own, stamped, places));
  const left = differenceOf(folds, stamped);
  if (left !== undefined)
    refuse("FieldInvalid", {
      place: places.manifest,
      field: left.field,
      found: clip(left.recorded, 200),
      expected: `${clip(left.found, 200)}, as cases.jsonl and the declared split give it`,
    });
  return folds;
}

const differenceOf = ({ stamped }: RunFolds, recorded: StampedSplit) =>
  firstDifference(stamped as unknown as Json, recorded as unknown as Json, "stamp.split");

function declaredSplit(name: string, { splits = {} }: CaseSetOnDisk, places: Places): SplitDefinition {
  if (!Object.hasOwn(splits, name))
    refuse("FieldInvalid", {
      place: places.manifest,
      field: "stamp.split.name",
      found: name,
      expected: `a split that caseset.json declares: ${Object.keys(splits).join(", ") || "none"}`,
    });
  return parseSplitDefinition(splits[name], places.caseSet) as SplitDefinition;
}

/** By a fold's end; where no recorded fold ends so, or its reach is more than a day off, what this machine makes of it. */
function recordedReach({ stamped }: RunFolds, recorded: StampedSplit, { manifest }: Places) {
  const at = (text: string) => parseInstant(text, manifest, "stamp.split.folds") as Instant;
  const reaches = (folds: readonly Static<typeof StampedFold>[]) =>
    new Map(
      folds.map(({ ends, embargoed_until: until }) => [
        at(ends) as number,
        until === null ? Number.POSITIVE_INFINITY : at(until),
      ]),
    );
  const [own, kept] = [reaches(stamped.folds), reaches(recorded.folds)];
  return (end: number): number => {
    const [made, found] = [own.get(end) as number, kept.get(end)];
    return found !== undefined && Math.abs(found - made) <= MICROS_PER_DAY ? found : made;
  };
}
