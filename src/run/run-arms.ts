/** The run itself: every trajectory of the plan, a bounded number at a time, into one record. */
import PQueue from "p-queue";
import { limits } from "../core/limits.ts";
import { leafLine } from "../ledger/leaves.ts";
import type { Assignment } from "./arms.ts";
import { breather } from "./breathe.ts";
import { Interrupted, interruptedBy } from "./interrupted.ts";
import { writePieces } from "./loaded-files.ts";
import type { OpenRun } from "./open-run.ts";
import { plantLine } from "./plant-record.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { type RunRecord, recordOf } from "./record.ts";
import type { Recorder } from "./recorder.ts";
import { runTrajectory } from "./trajectory.ts";
import type { World } from "./world.ts";

/** Positions follow (case, arm, repeat); results do not depend on the number at a time. */
export async function runArms(plan: Plan, run: OpenRun, world: World): Promise<RunRecord> {
  const { recorder } = run;
  const total = trajectoryCount(plan);
  const { done, error } = await runAll(plan, run, world);
  try {
    if (error !== undefined) throw error;
    if (done < total) throw new Interrupted(done, total, null);
    const sealed = recorder.seal(total);
    await writePieces(world.sink, "plants.jsonl", plantLines(plan));
    return recordOf(plan, recorder, sealed);
  } catch (caught) {
    await recorder.stop();
    run.release();
    throw interruptedBy(caught, done, total);
  }
}

function* plantLines(plan: Plan): Generator<string> {
  for (const records of plan.plantRecords) for (const record of records) yield `${plantLine(record)}\n`;
}

/** The first error ends it, as does the world's signal: what is in flight is finished, nothing more is begun. */
async function runAll(plan: Plan, run: OpenRun, world: World): Promise<{ done: number; error: unknown }> {
  const { repeats, concurrency } = plan.selection.options;
  const { recorder, resumed } = run;
  const total = trajectoryCount(plan);
  const queue = new PQueue({ concurrency });
  const breathe = breather(world.clock.elapsed);
  const report = reporter(plan.run, recorder, world);
  let done = resumed.filter((one) => one?.finished).length;
  let failed = 0;
  let error: unknown;
  const stopped = () => error !== undefined || world.signal.aborted;
  world.progress.stage("running", total);
  for (let position = 0; position < total && !stopped(); position++) {
    const before = resumed[position];
    if (before?.finished) continue;
    if (queue.size >= concurrency) await queue.onSizeLessThan(concurrency);
    await breathe();
    const assignment = plan.arms.assignments[Math.floor(position / repeats)] as Assignment;
    void queue.add(async () => {
      if (stopped()) return;
      try {
        const log = recorder.begin(position, assignment.arm, position % repeats, before?.attempt ?? 0);
        const came = await runTrajectory(plan, assignment, log, recorder, world);
        if (came === "stopped") return;
        if (came === "unanswered") failed++;
        world.progress.done(++done, failed);
        await report();
      } catch (caught) {
        error ??= caught;
      }
    });
  }
  await queue.onIdle();
  world.progress.end();
  return { done, error };
}

/** Now and then a progress leaf: from it on, a record that lost entries is not taken up again. */
function reporter(run: string, recorder: Recorder, world: World): () => Promise<void> {
  let last = world.clock.elapsed();
  return async () => {
    const now = world.clock.elapsed();
    if (now - last < limits.progressMs) return;
    last = now;
    const { size, root } = await recorder.progress();
    await world.ledger.append(leafLine({ v: "blindcast.progress/1", run, entries: size, root }));
  };
}
