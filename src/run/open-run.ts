/** The run's place: opened with all that was loaded, its open leaf signed before the first recorded read; or taken up again. */
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, nodeHashing } from "../core/digest.ts";
import { commitmentOf, leafLine, type OpenLeaf } from "../ledger/leaves.ts";
import { nothingSpent, type Spent } from "./budget.ts";
import { demandUnchanged } from "./earlier-run.ts";
import { interruptedBy } from "./interrupted.ts";
import { manifestOf, writeLoaded } from "./loaded-files.ts";
import type { Manifest } from "./manifest.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { Recorder } from "./recorder.ts";
import { checkSame, type Resumed, resumeRecord } from "./resume.ts";
import { type BegunTrial, startTrial } from "./trials.ts";
import type { World } from "./world.ts";

export type OpenRun = {
  readonly manifest: Manifest;
  /** The digest of `run.json`, and the index of the open leaf. */
  readonly manifestDigest: Digest;
  readonly openIndex: number;
  readonly recorder: Recorder;
  /** Per position in the plan: what an earlier process left of it. */
  readonly resumed: Resumed;
  /** What an earlier process spent on models. */
  readonly spent: Spent;
  /** Whether a call of a model was answered in an earlier process. */
  readonly served: boolean;
  /** The run's own first row in a ledger of trials; null: none is kept. */
  readonly trial: BegunTrial | null;
  /** Ends this process's hold of the run. */
  readonly release: () => void;
};

/** Makes the run's place, or takes it up where `selection.earlier` says so; a failure before the open leaf leaves nothing. */
export function openRun(plan: Plan, world: World): Promise<OpenRun> {
  return plan.selection.earlier === null ? begin(plan, world) : goOn(plan, world);
}

async function begin(plan: Plan, world: World): Promise<OpenRun> {
  const { sink } = world;
  sink.open();
  let release = () => {};
  let opened: Opened;
  try {
    release = await world.ledger.hold(plan.run);
    opened = await promise(plan, world);
  } catch (error) {
    sink.abandon();
    world.ledger.forgetSecret(plan.run);
    release();
    throw error;
  }
  try {
    sink.write("open.json", `${opened.line}\n`);
    return {
      ...opened,
      recorder: new Recorder(sink, world.clock, plan.run, opened.text),
      resumed: [],
      spent: nothingSpent,
      served: false,
      release,
    };
  } catch (error) {
    release();
    throw interruptedBy(error, 0, trajectoryCount(plan)); // the open leaf is signed: the run has begun
  }
}

type Opened = Pick<OpenRun, "manifest" | "manifestDigest" | "openIndex" | "trial"> & {
  readonly text: string;
  readonly line: string;
};

/** Writes what was loaded and the manifest, keeps the secret, and signs the open leaf. */
async function promise(plan: Plan, world: World): Promise<Opened> {
  const manifest = manifestOf(plan, await writeLoaded(plan, world), world);
  const text = `${canonical(manifest as unknown as Json)}\n`;
  world.sink.write("run.json", text);
  world.ledger.keepSecret(plan.run, plan.secret);
  const manifestDigest = digestOf(text);
  const trial = await startTrial(plan, world); // from here on it counts, whatever becomes of the run
  const line = leafLine({
    v: "blindcast.open/1",
    run: plan.run,
    manifest: manifestDigest,
    commitment: commitmentOf({ plants: plan.plantsDigest, ...plan.secret }, nodeHashing.sha256),
    trials: trial?.mark ?? null,
  });
  return { manifest, manifestDigest, openIndex: await world.ledger.append(line), text, line, trial };
}

/** Its row is the last that the open leaf knows of. */
const begunTrial = ({ trials }: OpenLeaf): BegunTrial | null =>
  trials === null ? null : { start: trials.rows - 1, mark: trials };

async function goOn(plan: Plan, world: World): Promise<OpenRun> {
  const release = await world.ledger.hold(plan.run);
  try {
    const { sink } = world;
    const earlier = await demandUnchanged(checkSame(plan, world), sink, world.ledger);
    if (sink.names().includes("open.json")) sink.remove("open.json"); // it may be torn
    sink.write("open.json", `${leafLine(earlier.open.leaf)}\n`);
    return {
      manifest: JSON.parse(earlier.manifest) as Manifest,
      manifestDigest: digestOf(earlier.manifest),
      openIndex: earlier.open.index,
      trial: begunTrial(earlier.open.leaf),
      ...resumeRecord(plan, earlier, world),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}
