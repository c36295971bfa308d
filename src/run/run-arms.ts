/** The run itself: every trajectory of the plan, a bounded number at a time, into one record. */
import PQueue from "p-queue";
import { forecastCaseOnDisk } from "../caseset/forecast-case.ts";
import { labelOnDisk } from "../caseset/label.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { REPORT_VERSION, RUN_FORMAT } from "../core/version.ts";
import type { Assignment } from "./arms.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { plantLine, type RunRecord, recordOf } from "./record.ts";
import { Recorder } from "./recorder.ts";
import { runTrajectory } from "./trajectory.ts";
import type { World } from "./world.ts";

/** The run was asked to stop: what is in flight was finished and recorded, the rest was not begun. */
export class Interrupted extends Error {
  readonly done: number;
  readonly of: number;
  constructor(done: number, of: number) {
    super(`stopped after ${done} of ${of} trajectories`);
    this.done = done;
    this.of = of;
  }
}

export type OpenRun = { readonly recorder: Recorder; readonly started: number };

/** Makes the run's place and writes what was loaded; a failure here leaves nothing behind. */
export function openRun(plan: Plan, world: World): OpenRun {
  const { sink } = world;
  sink.open();
  try {
    const manifest = `${canonical(manifestOf(plan))}\n`;
    sink.write("run.json", manifest);
    sink.write(
      "caseset.json",
      `${canonical({ declared: plan.set.onDisk as unknown as Json, digest: plan.caseSetDigest, view: world.store.view })}\n`,
    );
    sink.write("profile.json", `${canonical(plan.selection.options.profile)}\n`);
    if (plan.arms.family !== null)
      sink.write("family.json", `${canonical(plan.arms.family.onDisk as unknown as Json)}\n`);
    const chosen = new Set(plan.cases.map((item) => item.id));
    writeLines(world, "cases.jsonl", plan.cases, (item) => canonical(forecastCaseOnDisk(item)));
    writeLines(
      world,
      "labels.jsonl",
      plan.set.labels.filter((label) => chosen.has(label.caseId)),
      (label) => canonical(labelOnDisk(label)),
    );
    for (const [name, text] of plan.selection.artifacts) sink.write(`artifacts/${name}`, text);
    return { recorder: new Recorder(sink, world.clock, plan.run, manifest), started: world.clock.now() };
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

function manifestOf(plan: Plan): Json {
  return {
    v: RUN_FORMAT,
    run: plan.run,
    report_version: REPORT_VERSION,
    caseset: { name: plan.set.name, digest: plan.caseSetDigest, cases: plan.set.cases.length },
    stamp: plan.stamp,
    trajectories: trajectoryCount(plan),
  };
}

function writeLines<T>(world: World, name: string, items: readonly T[], line: (item: T) => string): void {
  const file = world.sink.create(name);
  let pending = "";
  for (const item of items) {
    pending += `${line(item)}\n`;
    if (pending.length < 1 << 20) continue;
    file.append(pending);
    pending = "";
  }
  file.append(pending);
  file.close();
}

/** Positions follow (case, arm, repeat); results do not depend on the number at a time. */
export async function runArms(plan: Plan, { recorder, started }: OpenRun, world: World): Promise<RunRecord> {
  const { repeats, concurrency } = plan.selection.options;
  const total = trajectoryCount(plan);
  const queue = new PQueue({ concurrency });
  let done = 0;
  let failed = 0;
  let error: unknown;
  world.progress.stage("running", total);
  for (let position = 0; position < total && error === undefined && !world.signal.aborted; position++) {
    if (queue.size >= concurrency * 2) await queue.onSizeLessThan(concurrency);
    const assignment = plan.arms.assignments[Math.floor(position / repeats)] as Assignment;
    void queue.add(async () => {
      if (error !== undefined || world.signal.aborted) return;
      try {
        if (!(await runTrajectory(plan, assignment, position % repeats, position, recorder, world))) failed++;
        world.progress.done(++done, failed);
      } catch (caught) {
        error ??= caught;
      }
    });
  }
  await queue.onIdle();
  world.progress.end();
  if (error !== undefined || done < total) await recorder.stop();
  if (error !== undefined) throw error;
  if (done < total) throw new Interrupted(done, total);
  const sealed = recorder.seal(total);
  writeLines(world, "plants.jsonl", recorder.plants.flat(), plantLine);
  return recordOf(plan, recorder, { ...sealed, started, ended: world.clock.now() });
}

/** Writes the report, puts all on the disk and ends the run. */
export async function closeRun({ recorder }: OpenRun, report: string, world: World): Promise<void> {
  world.sink.write("report.json", report);
  await recorder.close();
}
