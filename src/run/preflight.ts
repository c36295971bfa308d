/** Preflight: whatever can be refused is, before the first recorded read; each plant is proven through the door. */
import type { ForecastCase } from "../caseset/forecast-case.ts";
import type { CaseSet } from "../caseset/load.ts";
import type { Digest } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import type { Family } from "../model/family.ts";
import type { Table } from "../store/table.ts";
import { type ArmPlan, planArms } from "./arms.ts";
import { breather } from "./breathe.ts";
import { Interrupted } from "./interrupted.ts";
import { type CasePlants, plantCase, probeTable } from "./probe.ts";
import { selectCases } from "./selection.ts";
import { caseSetDigest, makeStamp, type RunOptions, type Stamp } from "./stamp.ts";
import type { World } from "./world.ts";

export type Selection = {
  /** The run's id. */
  readonly run: string;
  readonly options: RunOptions;
  readonly family: Family | null;
  /** Files that the run folder keeps so that replay needs nothing else: name → bytes. */
  readonly artifacts: ReadonlyMap<string, string>;
};

/** A check of another room, passed in as a value; it refuses, or says nothing. */
export type Check = (plan: Plan) => void;

export type Plan = {
  readonly run: string;
  readonly set: CaseSet;
  readonly selection: Selection;
  readonly cases: readonly ForecastCase[];
  readonly arms: ArmPlan;
  readonly stamp: Stamp;
  readonly caseSetDigest: Digest;
  /** Thirty-two random bytes, in hexadecimal digits, from which plants are drawn; no reader sees them. */
  readonly secret: string;
  /** The plants of a case, drawn once while there is room to keep them: the same each time. */
  readonly plantsOf: (caseIndex: number) => CasePlants;
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
  const arms = planArms(cases, family);
  const stamp = makeStamp(world.store, cases, world.readers, arms, options);
  const secret = Buffer.from(world.random(32)).toString("hex");
  const plan: Plan = {
    run,
    set,
    selection,
    cases,
    arms,
    stamp,
    caseSetDigest: caseSetDigest(set, world.store.view),
    secret,
    plantsOf: garden(cases, set.zone, secret, world),
  };
  for (const check of checks) check(plan);
  await provePlants(plan, world);
  return plan;
}

function garden(
  cases: readonly ForecastCase[],
  zone: string,
  secret: string,
  world: World,
): Plan["plantsOf"] {
  const kept = new Map<number, CasePlants>();
  return (caseIndex) => {
    const known = kept.get(caseIndex);
    if (known !== undefined) return known;
    const { id, horizon, reads } = cases[caseIndex] as ForecastCase;
    const plants = plantCase(world.store, id, horizon, reads, zone, secret);
    if (kept.size < limits.plantedCases) kept.set(caseIndex, plants);
    return plants;
  };
}

/** How many trajectories a plan holds. */
export const trajectoryCount = (plan: Plan): number =>
  plan.arms.assignments.length * plan.selection.options.repeats;

/** Unrecorded, and no reader exists yet: a door that cannot prove every plant starts nothing. */
async function provePlants(plan: Plan, world: World): Promise<void> {
  const breathe = breather(world.clock.elapsed);
  world.progress.stage("proving plants", plan.cases.length);
  for (let i = 0; i < plan.cases.length; i++) {
    await breathe();
    if (world.signal.aborted) throw new Interrupted(0, trajectoryCount(plan), null);
    proveCase(plan.cases[i] as ForecastCase, plan.plantsOf(i), world);
    world.progress.done(i + 1, 0);
  }
  world.progress.end();
}

function proveCase(item: ForecastCase, plants: CasePlants, world: World): void {
  const request = { caseId: item.id, horizon: item.horizon, tables: item.reads, subject: "probe" };
  for (const [name, table] of plants) {
    if (table === null) continue;
    for (const probe of probeTable(
      world.store,
      request,
      world.store.tables.get(name) as Table,
      table,
      plants,
    )) {
      if (probe.fault === null) continue;
      const { of, expected, found } = probe.fault;
      refuse("EvalPlantUnproven", {
        place: item.place,
        probe: `case ${item.id}: table ${name}: ${of}`,
        expected,
        found,
      });
    }
  }
}
