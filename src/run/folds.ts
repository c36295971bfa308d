/** A run's split: which fold asks a case, and what may be learnt from for it; drawn from the cases that the run selects alone. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Label } from "../caseset/label.ts";
import { caseIntervals, type LabelIntervals } from "../caseset/label-intervals.ts";
import type { CaseSet } from "../caseset/load.ts";
import { reachBy } from "../caseset/purge.ts";
import { knownOutcomes } from "../caseset/settlement.ts";
import { embargoSpan, type SplitDefinition } from "../caseset/split-definition.ts";
import { type Split, splitCases } from "../caseset/splits.ts";
import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { ArmPlan } from "./arms.ts";
import { type KnownLabels, knownLabels, TRAINING, type Training } from "./training.ts";

/** What became of the cases in one fold: as many as the run selects, all together. */
type Fold = { readonly [set in "test" | "train" | "purged" | "embargoed" | "unused"]: number } & {
  /** When the last label of the tested cases is formed. */
  readonly ends: string;
  /** The last start that is embargoed, since local times are converted once; null: every later case is. */
  readonly embargoed_until: string | null;
};

/** `split` of the stamp. */
export type StampedFolds = {
  readonly name: string;
  /** Of its definition. */
  readonly digest: Digest;
  readonly folds: readonly Fold[];
  /** Cases that a fold tests, each in one, and those that none does: they are trained on, and not asked. */
  readonly tested: number;
  readonly not_asked: number;
};

export type RunFolds = {
  readonly stamped: StampedFolds;
  /** By case: the fold that tests it; −1: none. */
  readonly foldOf: Int32Array;
  /** By case; null: it is not asked. */
  readonly trainingOf: (caseIndex: number) => Training | null;
};

/** What is split, and with what labels: all of it is in a run's folder. */
export type SplitCases = {
  readonly cases: readonly BoundedCase[];
  readonly labels: readonly Label[];
  readonly deadlines: readonly Instant[];
  readonly zone: string;
};

/** Refuses a name that the set does not declare, a shared process, and what `foldCases` refuses. */
export function chosenFolds(
  set: Pick<CaseSet, "splits" | "tables" | "labels" | "zone" | "placeOf">,
  chosen: Pick<SplitCases, "cases" | "deadlines">,
  name: string,
  process: "trajectory" | "shared",
): RunFolds {
  const definition = set.splits.get(name);
  if (definition === undefined) {
    const known = [...set.splits.keys()];
    const expected =
      known.length === 0 ? "none, since the case set declares no split" : `one of ${known.join(", ")}`;
    return refuse("ArgumentInvalid", { place: "--split", found: name, expected });
  }
  const places = { process: "profile", tables: set.placeOf(`/tables/${TRAINING}`) };
  demandApart({ process, isTable: set.tables.has(TRAINING) }, places);
  const { labels, zone } = set;
  return foldCases({ ...chosen, labels, zone }, { name, definition }, set.placeOf(`/splits/${name}`));
}

/** Labels of one fold come to no other, and are mistaken for no row. Refuses FieldInvalid. */
export function demandApart(
  { process, isTable }: { readonly process: "trajectory" | "shared"; readonly isTable: boolean },
  places: { readonly process: Place; readonly tables: Place },
): void {
  if (isTable)
    refuse("FieldInvalid", {
      place: places.tables,
      field: `tables.${TRAINING}`,
      found: "a table",
      expected: "another name beside a split, whose labels are served under this one",
    });
  if (process === "shared")
    refuse("FieldInvalid", {
      place: places.process,
      field: "process",
      found: process,
      expected: "trajectory beside a split: a process that is shared carries one fold's labels into another",
    });
}

type Named = { readonly name: string; readonly definition: SplitDefinition };

/**
 * Each case is tested at most once, and trained on as `splitCases` says. Refuses a split that tests a case several times, a
 * set of decisions (FieldInvalid), and SplitEmpty. `known`: the last start that a fold's end embargoes. O(cases · folds).
 */
export function foldCases(
  given: SplitCases,
  { name, definition }: Named,
  place: Place,
  known: (end: number) => number = reachIn(given, definition, place),
): RunFolds {
  const { cases, labels, deadlines, zone } = given;
  if (definition.kind === "combinatorial")
    refuse("FieldInvalid", {
      place,
      field: `splits.${name}.kind`,
      found: definition.kind,
      expected:
        "kfold or walk-forward in a backtest: a combinatorial split would ask each case several times",
    });
  if (cases.some(({ kind }) => kind === "decision"))
    refuse("FieldInvalid", {
      place,
      field: "kind",
      found: "decision",
      expected: "forecast beside --split: decisions have no labels to learn from",
    });
  const intervals = caseIntervals(cases, zone);
  const { digest, splits } = splitCases(intervals, definition, place, known);
  const caseOf = casesOf(intervals, cases);
  const labelled = knownLabels(cases, knownOutcomes(cases, labels, deadlines));
  const foldOf = new Int32Array(cases.length).fill(-1);
  const folds: Fold[] = [];
  const training: Training[] = [];
  let trained = 0;
  for (const split of splits) {
    demandFull(split, name, place);
    trained += split.train.length;
    if (trained > limits.foldCases)
      refuse("LimitExceeded", {
        place,
        what: "training cases of all folds",
        found: trained,
        limit: limits.foldCases,
      });
    for (const position of split.test) foldOf[caseOf[position] as number] = split.number;
    const end = endOf(split, intervals);
    folds.push(foldJson(split, end, known(end)));
    training.push(trainingIn(split, caseOf, labelled));
  }
  const tested = folds.reduce((sum, fold) => sum + fold.test, 0);
  return {
    stamped: { name, digest, folds, tested, not_asked: cases.length - tested },
    foldOf,
    trainingOf: (caseIndex) => training[foldOf[caseIndex] as number] ?? null,
  };
}

function reachIn({ zone }: Pick<SplitCases, "zone">, definition: SplitDefinition, place: Place) {
  const unit = "instant" as const;
  const calendar = { unit, zone };
  return reachBy(calendar, embargoSpan(definition, calendar, place));
}

/** By position in start order. */
function casesOf({ ids }: LabelIntervals, cases: readonly BoundedCase[]): Int32Array {
  const index = new Map(cases.map(({ id }, i) => [id, i]));
  return Int32Array.from(ids, (id) => index.get(id) as number);
}

function demandFull({ number, train, test, empty }: Split, name: string, place: Place): void {
  if (!empty) return;
  const side = [...(test.length === 0 ? ["test"] : []), ...(train.length === 0 ? ["train"] : [])];
  refuse("SplitEmpty", {
    place,
    split: `split ${name}, fold ${number}`,
    side: side.join(" and "),
    next: "fewer folds, a shorter embargo, or more cases: a backtest has no fold without them",
  });
}

/** The end of a fold: the latest of its one block of test cases. */
const endOf = ({ test }: Pick<Split, "test">, { t1 }: Pick<LabelIntervals, "t1">): number =>
  test.reduce((latest, position) => Math.max(latest, t1[position] as number), Number.NEGATIVE_INFINITY);

const foldJson = ({ test, train, purged, embargoed, unused }: Split, end: number, until: number): Fold => ({
  test: test.length,
  train: train.length,
  purged: purged.length,
  embargoed: embargoed.length,
  unused: unused.length,
  ends: formatInstant(end as Instant),
  embargoed_until: Number.isFinite(until) ? formatInstant(until as Instant) : null,
});

function trainingIn({ train }: Split, caseOf: Int32Array, known: KnownLabels): Training {
  const isTrained = new Uint8Array(caseOf.length);
  for (const position of train) isTrained[caseOf[position] as number] = 1;
  const rows = known.outcomes.flatMap(({ caseIndex }, i) => (isTrained[caseIndex] === 1 ? [i] : []));
  return { known, rows: Int32Array.from(rows) };
}

/** A plan of the cases that a fold tests; null: of all. */
export function testedArms(plan: ArmPlan, folds: RunFolds | null): ArmPlan {
  if (folds === null) return plan;
  const isTested = (caseIndex: number) => (folds.foldOf[caseIndex] as number) >= 0;
  return {
    ...plan,
    assignments: plan.assignments.filter(({ caseIndex }) => isTested(caseIndex)),
    unrouted: plan.unrouted.filter(isTested),
    staged: plan.staged && { ...plan.staged, cases: new Set([...plan.staged.cases].filter(isTested)) },
  };
}

/** As a stamp holds it; nothing in a run without a split. */
export const stampedFolds = (folds: RunFolds | null): { readonly split?: Json } =>
  folds === null ? {} : { split: folds.stamped as unknown as Json };
