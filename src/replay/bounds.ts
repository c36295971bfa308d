/** Stage `bounds`: the trajectories are those of the plan, in its order, and every entry carries its case's bound. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { formatInstant } from "../core/instant.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { Assignment } from "../run/arms.ts";
import type { RecordedEntry } from "./entry-shape.ts";
import type { RecordedRun } from "./record.ts";
import type { Listed } from "./reported.ts";

/** A trajectory's lines: all its attempts, the number of the first line. */
export type TrajectoryLines = { readonly entries: readonly RecordedEntry[]; readonly line: number };

/** A trajectory of the plan. */
export type Planned = Assignment & { readonly repeat: number; readonly item: BoundedCase };

export interface Bounds {
  /** What the plan has where this trajectory stands. */
  take(found: TrajectoryLines): Planned;
  /** After the last. */
  end(): void;
}

const attributes = ["case", "horizon", "as_of", "view"] as const;

/**
 * Refuses TrajectoryMissing, TrajectoryUnexpected, EntryCaseUnknown, ViewMismatch; and BoundAttributeMissing,
 * HorizonMismatch, AsOfMismatch where the report does not list them: where it does, they failed the case.
 */
export function createBounds(run: RecordedRun, entries: Place, listed: Listed): Bounds {
  const { repeats } = run.stamp;
  let position = 0;
  let horizon = "";
  const plannedAt = (at: number): Planned | undefined => {
    const assignment = run.arms.assignments[Math.floor(at / repeats)];
    if (assignment === undefined) return undefined;
    return { ...assignment, repeat: at % repeats, item: run.cases[assignment.caseIndex] as BoundedCase };
  };
  return {
    take(found) {
      const planned = plannedAt(position);
      if (planned === undefined || !isSame(found, planned, listed))
        return refuseOther(run, found, planned, `${entries}:${found.line}`);
      if (planned.repeat === 0 || position === 0) horizon = formatInstant(planned.item.horizon);
      position++;
      demandMade(found, run, entries);
      for (const [i, entry] of found.entries.entries()) {
        const wrong = boundFault(entry, planned.item.id, horizon, run.stamp.view);
        if (wrong === null) continue;
        const rule = wrong.rule;
        if (rule !== null && listed(planned.item.id, planned.arm, planned.repeat, entry.step, rule)) continue;
        wrong.refuse(`${entries}:${found.line + i}`);
      }
      return planned;
    },
    end() {
      const planned = plannedAt(position);
      if (planned === undefined) return;
      refuse("TrajectoryMissing", {
        place: entries,
        found: "the end of the record",
        expected: named(planned),
      });
    },
  };
}

/** Calls of models are an endpoint's reader's, verdicts a judge's; and a model's answer comes after a call of it. */
function demandMade(
  { entries, line }: TrajectoryLines,
  { stamp, manifest }: RecordedRun,
  place: Place,
): void {
  const { adapter } = stamp.reader;
  const judge = manifest.stamp["judge"];
  let answered = false;
  for (const [i, entry] of entries.entries()) {
    const wrong = (field: string, found: string, expected: string) =>
      refuse("EntryShapeWrong", { place: `${place}:${line + i}`, field, found, expected });
    if (entry.step === 0) answered = false;
    if (entry.kind === "model" && adapter !== "http")
      wrong("kind", "model", `no call of a model by a reader that is ${adapter ?? "built in"}`);
    if (entry.kind === "judge" && judge === "none")
      wrong("kind", "judge", "no verdict, since the stamp has no judge");
    if (entry.kind === "model" && entry.class === null) answered = true;
    if (adapter === "http" && (entry.kind === "answer" || entry.kind === "decline") && !answered)
      wrong("kind", entry.kind, "a model's call that was answered, before it");
    if (entry.kind === "fault" && entry.broke !== undefined && stamp.process !== "shared")
      wrong("broke", entry.broke, "nothing of the kind where each process has one case");
  }
}

const named = ({ item, arm, repeat }: Planned) => `case ${item.id}, arm ${arm}, repeat ${repeat}`;
const caseOf = (found: TrajectoryLines) => found.entries.find((entry) => entry.case !== undefined)?.case;

/** Entries without a case, or with another that the report lists, are taken for those of the arm and repeat that is due. */
function isSame(found: TrajectoryLines, { item, arm, repeat }: Planned, listed: Listed): boolean {
  const first = found.entries[0] as RecordedEntry;
  if (first.arm !== arm || first.repeat !== repeat) return false;
  const id = caseOf(found);
  return id === undefined || id === item.id || listed(item.id, arm, repeat, first.step, "bound-case");
}

function refuseOther(
  run: RecordedRun,
  found: TrajectoryLines,
  planned: Planned | undefined,
  place: Place,
): never {
  const { arm, repeat } = found.entries[0] as RecordedEntry;
  const id = caseOf(found);
  if (id === undefined) return refuse("BoundAttributeMissing", { place, missing: ["case"] });
  const index = run.indexOf.get(id);
  if (index === undefined) return refuse("EntryCaseUnknown", { place, id });
  const words = `case ${id}, arm ${arm}, repeat ${repeat}`;
  if (planned === undefined)
    return refuse("TrajectoryUnexpected", { place, found: words, expected: "the end of the record" });
  const later =
    repeat < run.stamp.repeats &&
    run.arms.assignments.some((one) => one.caseIndex === index && one.arm === arm) &&
    (index > planned.caseIndex ||
      (index === planned.caseIndex &&
        (arm > planned.arm || (arm === planned.arm && repeat > planned.repeat))));
  const code = later ? "TrajectoryMissing" : "TrajectoryUnexpected";
  return refuse(code, { place, found: words, expected: named(planned) });
}

/** `rule`: under which the report lists it; null where no run could have done it, and no report lists it. */
type BoundFault = { readonly rule: string | null; readonly refuse: (place: Place) => never };

function boundFault(entry: RecordedEntry, id: string, horizon: string, view: string): BoundFault | null {
  const missing = attributes.filter((name) => entry[name] === undefined);
  if (missing.length > 0)
    return {
      rule: "bound-missing",
      refuse: (place) => refuse("BoundAttributeMissing", { place, missing }),
    };
  const {
    kind,
    as_of: asOf,
    horizon: found,
  } = entry as Required<Pick<RecordedEntry, (typeof attributes)[number]>> & { kind: string };
  if (entry.case !== id) return null; // the report lists it, or the trajectory was refused as another
  if (found !== horizon)
    return {
      rule: "bound-horizon",
      refuse: (place) => refuse("HorizonMismatch", { place, found, expected: horizon }),
    };
  if (asOf !== horizon && kind !== "probe")
    return {
      rule: "bound-as-of",
      refuse: (place) => refuse("AsOfMismatch", { place, found: asOf, expected: horizon }),
    };
  if (entry.view !== view)
    return {
      rule: null,
      refuse: (place) => refuse("ViewMismatch", { place, found: entry.view as string, expected: view }),
    };
  return null;
}
