/** The run itself: every trajectory of the plan, a bounded number at a time, into one record. */
import PQueue from "p-queue";
import type { Assignment } from "./arms.ts";
import { breather } from "./breathe.ts";
import { Interrupted, interruptedBy } from "./interrupted.ts";
import { type OpenRun, writeLines } from "./open-run.ts";
import { plantLine } from "./plant-record.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { type RunRecord, recordOf } from "./record.ts";
import type { Recorder } from "./recorder.ts";
import { runTrajectory } from "./trajectory.ts";
import type { World } from "./world.ts";

/** Positions follow (case, arm, repeat); results do not depend on the number at a time. */
export async function runArms(plan: Plan, { recorder, started }: OpenRun, world: World): Promise<RunRecord> {
  const total = trajectoryCount(plan);
  const { done, error } = await runAll(plan, recorder, world);
  try {
    if (error !== undefined) throw error;
    if (done < total) throw new Interrupted(done, total, null);
    const sealed = recorder.seal(total);
    writeLines(world.sink, "plants.jsonl", recorder.plants.flat(), plantLine);
    return recordOf(plan, recorder, { ...sealed, started, ended: world.clock.now() });
  } catch (caught) {
    await recorder.stop();
    throw interruptedBy(caught, done, total);
  }
}

/** The first error ends it, as does the world's signal: what is in flight is finished, nothing more is begun. */
async function runAll(
  plan: Plan,
  recorder: Recorder,
  world: World,
): Promise<{ done: number; error: unknown }> {
  const { repeats, concurrency } = plan.selection.options;
  const total = trajectoryCount(plan);
  const queue = new PQueue({ concurrency });
  const breathe = breather(world.clock.elapsed);
  let done = 0;
  let failed = 0;
  let error: unknown;
  const stopped = () => error !== undefined || world.signal.aborted;
  world.progress.stage("running", total);
  for (let position = 0; position < total && !stopped(); position++) {
    if (queue.size >= concurrency) await queue.onSizeLessThan(concurrency);
    await breathe();
    const assignment = plan.arms.assignments[Math.floor(position / repeats)] as Assignment;
    void queue.add(async () => {
      if (stopped()) return;
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
  return { done, error };
}
