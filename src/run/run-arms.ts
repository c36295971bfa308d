/** The run itself: every trajectory of the plan, a bounded number at a time, into one record. */
import PQueue from "p-queue";
import { limits } from "../core/limits.ts";
import { leafLine } from "../ledger/leaves.ts";
import type { Assignment } from "./arms.ts";
import { breather } from "./breathe.ts";
import { createSpending } from "./budget.ts";
import { createInstances, type Instances } from "./instances.ts";
import { Interrupted, interruptedBy } from "./interrupted.ts";
import { lanes } from "./lanes.ts";
import { writePieces } from "./loaded-files.ts";
import type { OpenRun } from "./open-run.ts";
import { plantLine } from "./plant-record.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { type RunRecord, recordOf } from "./record.ts";
import type { Recorder } from "./recorder.ts";
import { judgeAndEnd, runTrajectory } from "./trajectory.ts";
import type { World } from "./world.ts";

/** Positions follow (case, arm, repeat); results do not depend on the number at a time. */
export async function runArms(plan: Plan, run: OpenRun, world: World): Promise<RunRecord> {
  const { recorder } = run;
  const total = trajectoryCount(plan);
  const { done, error, why, overBudget } = await runAll(plan, run, world);
  try {
    if (error !== undefined) throw error;
    if (done < total) throw new Interrupted(done, total, null, why, overBudget);
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

type Ran = {
  readonly done: number;
  readonly error: unknown;
  readonly why: string | null;
  readonly overBudget: boolean;
};

/** The first error ends it, as does the world's signal: what is in flight is finished, nothing more is begun. */
async function runAll(plan: Plan, run: OpenRun, world: World): Promise<Ran> {
  const { options, budget } = plan.selection;
  const { recorder, resumed } = run;
  const spending = createSpending(budget, run.spent);
  const running = { plan, recorder, spending, world, served: run.served };
  const queue = new PQueue({ concurrency: options.concurrency });
  const breathe = breather(world.clock.elapsed);
  const report = reporter(plan.run, recorder, world);
  let done = resumed.filter((one) => one?.finished).length;
  let failed = 0;
  let error: unknown;
  let why: string | null = null;
  /** Trajectories that were given up while no call of a model had been answered, and why the last of them was. */
  let unserved = 0;
  let left: string | null = null;
  const stopped = () => {
    why ??= spending.reached();
    return error !== undefined || why !== null || world.signal.aborted;
  };
  const runOne = async (position: number, instances: Instances): Promise<void> => {
    const before = resumed[position];
    const assignment = plan.arms.assignments[Math.floor(position / options.repeats)] as Assignment;
    const open = before?.open ?? null;
    if (open !== null) {
      const stop = await judgeAndEnd(running, assignment, open);
      why ??= stop;
      if (stop !== null) return;
    } else {
      const log = recorder.begin(position, assignment.arm, position % options.repeats, before?.attempt ?? 0);
      const came = await runTrajectory(running, assignment, log, instances);
      if (typeof came === "object") {
        if (came.maybe !== true) why ??= came.stopped;
        else if (++unserved >= limits.unserved && !running.served) why ??= came.stopped;
        else left = came.stopped;
        return;
      }
      if (came === "unanswered") failed++;
    }
    world.progress.done(++done, failed, spending.cost());
    await report();
  };
  const rules = { process: options.process, seconds: options.deadlineSeconds, refusal: spending.reached };
  world.progress.stage("running", trajectoryCount(plan));
  for (const lane of lanes(plan, (position) => resumed[position]?.finished !== true)) {
    if (stopped()) break;
    if (queue.size >= options.concurrency) await queue.onSizeLessThan(options.concurrency);
    await breathe();
    void queue.add(async () => {
      const instances = createInstances(world, rules);
      try {
        for (const position of lane) if (!stopped()) await runOne(position, instances);
        await instances.end();
      } catch (caught) {
        error ??= caught;
        await instances.end().catch(() => {}); // the first error is the one to tell
      }
    });
  }
  await queue.onIdle();
  world.progress.end();
  const spent = spending.reached(); // what was in flight has come over it
  return { done, error, why: spent ?? why ?? left, overBudget: spent !== null };
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
