/** The run's place: opened with all that was loaded, before the first recorded read; closed with its report. */
import { forecastCaseOnDisk } from "../caseset/forecast-case.ts";
import { labelOnDisk } from "../caseset/label.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { REPORT_VERSION, RUN_FORMAT } from "../core/version.ts";
import { interruptedBy } from "./interrupted.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { Recorder } from "./recorder.ts";
import type { Sink } from "./sink.ts";
import type { World } from "./world.ts";

export type OpenRun = { readonly recorder: Recorder; readonly started: number };

/** Makes the run's place and writes what was loaded; a failure here leaves nothing behind. */
export function openRun(plan: Plan, world: World): OpenRun {
  const { sink } = world;
  sink.open();
  try {
    const manifest = `${canonical(manifestOf(plan))}\n`;
    sink.write("run.json", manifest);
    const loaded = {
      declared: plan.set.onDisk as unknown as Json,
      digest: plan.caseSetDigest,
      view: world.store.view,
    };
    sink.write("caseset.json", `${canonical(loaded)}\n`);
    sink.write("profile.json", `${canonical(plan.selection.options.profile)}\n`);
    if (plan.arms.family !== null)
      sink.write("family.json", `${canonical(plan.arms.family.onDisk as unknown as Json)}\n`);
    const chosen = new Set(plan.cases.map((item) => item.id));
    const labels = plan.set.labels.filter((label) => chosen.has(label.caseId));
    writeLines(sink, "cases.jsonl", plan.cases, (item) => canonical(forecastCaseOnDisk(item)));
    writeLines(sink, "labels.jsonl", labels, (label) => canonical(labelOnDisk(label)));
    for (const [name, text] of plan.selection.artifacts) sink.write(`artifacts/${name}`, text);
    return { recorder: new Recorder(sink, world.clock, plan.run, manifest), started: world.clock.now() };
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

/** Writes the report, puts all on the disk and ends the run. */
export async function closeRun(
  { recorder }: OpenRun,
  plan: Plan,
  report: string,
  world: World,
): Promise<void> {
  try {
    world.sink.write("report.json", report);
    await recorder.close();
  } catch (error) {
    throw interruptedBy(error, trajectoryCount(plan), trajectoryCount(plan));
  }
}

export function writeLines<T>(
  sink: Sink,
  name: string,
  items: readonly T[],
  line: (item: T) => string,
): void {
  const file = sink.create(name);
  for (const item of items) file.append(`${line(item)}\n`);
  file.close();
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
