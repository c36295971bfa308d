/** Preflight: whatever can be refused is, before the first recorded read; each plant is proven through the door. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { CaseSet } from "../caseset/load.ts";
import { deadlinesOf } from "../caseset/settlement.ts";
import { toHex, utf8 } from "../core/bytes.ts";
import { type Digest, nodeHashing } from "../core/digest.ts";
import { formatDay, type Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { localDay } from "../core/local-time.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { RunSecret } from "../ledger/audit-ledger.ts";
import { demandOneUnit, trialsOf } from "../ledger/trial-ledger.ts";
import type { Family } from "../model/family.ts";
import type { Judge } from "../model/judge.ts";
import { type KnownTable, knownTables } from "../model/readers/table-reads.ts";
import { type ArmPlan, planArms } from "./arms.ts";
import { breather } from "./breathe.ts";
import type { Budget } from "./budget.ts";
import type { Earlier } from "./earlier-run.ts";
import { chosenFolds, type RunFolds, stampedFolds, testedArms } from "./folds.ts";
import { Interrupted } from "./interrupted.ts";
import type { KnownEntities } from "./known-entities.ts";
import { isDeclaredJudge, type LeakRules, wantedControl } from "./leak-rules.ts";
import { type PlantRecord, plantLine, plantRecords, stagedRecords } from "./plant-record.ts";
import { type CasePlants, plantCase, probeCase } from "./probe.ts";
import { selectCases } from "./selection.ts";
import {
  plantedEntities,
  type StagedPlan,
  type StagedRows,
  type Staging,
  stageCase,
  unservedRow,
} from "./staging.ts";
import { caseSetDigest, type Identities, identify, makeStamp, type RunOptions, type Stamp } from "./stamp.ts";
import type { TrialRules } from "./trial-rules.ts";
import type { World } from "./world.ts";

export type Selection = {
  /** The run's id. */
  readonly run: string;
  readonly options: RunOptions;
  readonly family: Family | null;
  /** Files that the run folder keeps so that replay needs nothing else: name → bytes. */
  readonly artifacts: ReadonlyMap<string, string>;
  /** By which entities are found in queries and documents; null: nobody looks for any. */
  readonly entities: KnownEntities | null;
  /** What its profile says of it as a trial; null: nothing. */
  readonly trial: TrialRules | null;
  /** An arm with staged rows that its profile wants beside the others; null: none. A served session has one arm, and none. */
  readonly staging: Staging | null;
  /** What may be spent, of the whole run; no part of its configuration: a resumed run may have another. */
  readonly budget: Budget | null;
  /** The name of the split by which its cases are asked and trained on; absent or null: none. */
  readonly split?: string | null;
  /** The run that is resumed; null: a new one. */
  readonly earlier: Earlier | null;
  /** The run whose folder is moved aside for this one. */
  readonly replaces: string | null;
};

/** A check of another room, passed in as a value; it refuses, or says nothing. It comes before the plants are proven. */
export type Check = (plan: Unproven) => void;
type Unproven = Omit<Plan, "plantRecords" | "plantsDigest">;

export type Plan = {
  readonly run: string;
  readonly set: CaseSet;
  readonly selection: Selection;
  readonly cases: readonly BoundedCase[];
  /** Which fold tests each case, and what it is trained on; null: the run has no split. */
  readonly folds: RunFolds | null;
  /** Of the cases that are asked. */
  readonly arms: ArmPlan;
  readonly identities: Identities;
  readonly stamp: Stamp;
  readonly caseSetDigest: Digest;
  /** Per case: its local date, and when its label is late; local times are converted here, once. */
  readonly askedDays: readonly string[];
  /** What readers are told of the tables. */
  readonly tables: { readonly [table: string]: KnownTable };
  readonly deadlines: readonly Instant[];
  /** What plants are drawn from, and the salt of their commitment; no reader sees them. */
  readonly secret: RunSecret;
  /** Per case: its plants as the record keeps them; the digest of all of their lines. */
  readonly plantRecords: readonly (readonly PlantRecord[])[];
  readonly plantsDigest: Digest;
  /** The plants of a case, drawn once while there is room to keep them: the same each time. */
  readonly plantsOf: (caseIndex: number) => CasePlants;
  /** What is staged for a case of the staged arm, drawn as its plants are; null: nothing plausible could be. */
  readonly stagedOf: (caseIndex: number) => StagedRows | null;
};

export async function preflight(
  set: CaseSet,
  selection: Selection,
  checks: readonly Check[],
  world: World,
): Promise<Plan> {
  const { run, options, family } = selection;
  const cases = selectCases(set.cases, options.filters, options.limit, set.place);
  for (const item of cases) {
    for (const table of item.reads) {
      if (!world.store.tables.has(table))
        refuse("TableUnknown", { place: item.place, found: table, known: [...world.store.tables.keys()] });
    }
  }
  for (const item of cases) {
    const unread = world.readers.tables?.find((table) => !item.reads.includes(table));
    if (unread !== undefined) refuse("TableUnknown", { place: item.place, found: unread, known: item.reads });
  }
  const deadlines = deadlinesOf(cases, set.zone, set.grace);
  const folds =
    selection.split == null ? null : chosenFolds(set, { cases, deadlines }, selection.split, options.process);
  // A session is one trajectory.
  const staging = world.readers.adapter === "serve" ? null : selection.staging;
  const arms = testedArms(planArms(cases, family, wantedControl(options.leak), staging), folds);
  const identities = await identify(world.readers, arms);
  const { store, readers, judging } = world;
  const judge = judging?.judge ?? null;
  const entities = selection.entities?.digest ?? null;
  demandGivenJudge(options.leak, judge, entities);
  const made = { store, cases, readers, identities, family, options, judge, entities };
  const stamp = makeStamp({ ...made, ...stampedFolds(folds) });
  const random = () => toHex(world.random(32));
  const secret = selection.earlier?.secret ?? { secret: random(), salt: random() };
  const plantsOf = garden(cases, set.zone, secret.secret, world);
  const stageOf = (caseIndex: number) =>
    stageCase(staging as Staging, cases[caseIndex] as BoundedCase, plantsOf(caseIndex), {
      store,
      zone: set.zone,
      secret: secret.secret,
    });
  const plan = {
    run,
    set,
    selection,
    cases,
    folds,
    arms,
    identities,
    stamp,
    caseSetDigest: caseSetDigest(set, world.store.view),
    tables: knownTables(store),
    askedDays: cases.map((item) => formatDay(localDay(set.zone, item.horizon))),
    deadlines,
    secret,
    plantsOf,
    stagedOf: keeping(stageOf, limits.stagedCases),
  };
  for (const check of checks) check(plan);
  const { trials } = world;
  const units = selection.trial?.units ?? null;
  if (trials !== undefined && units !== null && selection.earlier === null)
    demandOneUnit(trialsOf((await trials.read()).rows), trials.place, units);
  return { ...plan, ...(await provePlants(plan, world)) };
}

/** The judge that the profile declares is the one that was given, and has the entities that it looks for. */
function demandGivenJudge(rules: LeakRules, judge: Judge | null, entities: Digest | null): void {
  const { judge: declared, queries } = rules;
  const given = judge?.identity.name ?? "none";
  const wrong = (field: string, found: string, expected: string) =>
    refuse("FieldInvalid", { place: "profile", field, found, expected });
  if (declared !== null && !isDeclaredJudge(rules, given))
    wrong("judge", declared, `the judge given: ${given}`);
  if (entities === null && (declared === "floor" || queries !== null))
    wrong(
      queries === null ? "judge" : "query_findings",
      "declared",
      "entities to look for, given with the selection",
    );
}

function garden(cases: readonly BoundedCase[], zone: string, secret: string, world: World): Plan["plantsOf"] {
  return keeping((caseIndex) => {
    const { id, horizon, reads } = cases[caseIndex] as BoundedCase;
    return plantCase(world.store, id, horizon, reads, zone, secret);
  }, limits.plantedCases);
}

/** Makes each once, while there is room to keep it. */
function keeping<T>(make: (caseIndex: number) => T, most: number): (caseIndex: number) => T {
  const kept = new Map<number, T>();
  return (caseIndex) => {
    const known = kept.get(caseIndex);
    if (known !== undefined) return known;
    const made = make(caseIndex);
    if (kept.size < most) kept.set(caseIndex, made);
    return made;
  };
}

/** How many trajectories a plan holds. */
export const trajectoryCount = (plan: Pick<Plan, "arms" | "selection">): number =>
  plan.arms.assignments.length * plan.selection.options.repeats;

/** Unrecorded, and no reader exists yet: a door that cannot prove every plant starts nothing. */
async function provePlants(
  plan: Unproven,
  world: World,
): Promise<Pick<Plan, "plantRecords" | "plantsDigest">> {
  const breathe = breather(world.clock.elapsed);
  const records: PlantRecord[][] = [];
  const hash = nodeHashing.create();
  world.progress.stage("proving plants", plan.cases.length);
  for (let i = 0; i < plan.cases.length; i++) {
    await breathe();
    if (world.signal.aborted) throw new Interrupted(0, trajectoryCount(plan), null);
    const item = plan.cases[i] as BoundedCase;
    const plants = plan.plantsOf(i);
    proveCase(item, plants, world);
    const planted = [...plantRecords(item.id, plants), ...stagedFor(plan, i, world)];
    records.push(planted);
    hash.update(utf8(planted.map((record) => `${plantLine(record)}\n`).join("")));
    world.progress.done(i + 1, 0);
  }
  world.progress.end();
  return { plantRecords: records, plantsDigest: `sha256:${toHex(hash.digest())}` };
}

function proveCase(item: BoundedCase, plants: CasePlants, world: World): void {
  for (const { table, fault } of probeCase(world.store, item, plants)) {
    if (fault === null) continue;
    const { of, expected, found } = fault;
    refuse("EvalPlantUnproven", {
      place: item.place,
      probe: `case ${item.id}: table ${table}: ${of}`,
      expected,
      found,
    });
  }
}

/** The records of what is staged for a case, each row of it proven; none where it has no staged arm. */
function stagedFor(
  { arms, cases, plantsOf, stagedOf }: Unproven,
  caseIndex: number,
  { store }: World,
): PlantRecord[] {
  if (arms.staged?.cases.has(caseIndex) !== true) return [];
  const { table } = arms.staged as StagedPlan;
  const item = cases[caseIndex] as BoundedCase;
  const [plants, staged] = [plantsOf(caseIndex), stagedOf(caseIndex)];
  const unserved = staged && unservedRow(store, item, staged, plants);
  if (unserved !== null) {
    const { row, found } = unserved;
    refuse("EvalPlantUnproven", {
      place: item.place,
      probe: `case ${item.id}: table ${row.table}: presence of the staged row ${row.ref}`,
      expected: "the staged row",
      found: clip(found, 300),
    });
  }
  return stagedRecords(item.id, table, staged, plantedEntities(store, item.reads, plants));
}
