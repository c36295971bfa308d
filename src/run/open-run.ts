/** The run's place: opened with all that was loaded, its open leaf signed before the first recorded read; or taken up again. */
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, nodeHashing } from "../core/digest.ts";
import { commitmentOf, leafLine } from "../ledger/leaves.ts";
import { manifestOf, writeLoaded } from "./loaded-files.ts";
import type { Manifest } from "./manifest.ts";
import type { Plan } from "./preflight.ts";
import { Recorder } from "./recorder.ts";
import { checkSame, type Resumed, resumeRecord } from "./resume.ts";
import type { World } from "./world.ts";

export type OpenRun = {
  readonly manifest: Manifest;
  /** The digest of `run.json`, and the index of the open leaf. */
  readonly manifestDigest: Digest;
  readonly openIndex: number;
  readonly recorder: Recorder;
  /** Per position in the plan: what an earlier process left of it. */
  readonly resumed: Resumed;
  /** Ends this process's hold of the run. */
  readonly release: () => void;
};

/** Makes the run's place, or takes it up where `selection.earlier` says so; a failure before the open leaf leaves nothing. */
export async function openRun(plan: Plan, world: World): Promise<OpenRun> {
  const release = await world.ledger.hold(plan.run);
  try {
    return await (plan.selection.earlier === null ? begin(plan, world, release) : goOn(plan, world, release));
  } catch (error) {
    release();
    throw error;
  }
}

async function begin(plan: Plan, world: World, release: () => void): Promise<OpenRun> {
  const { sink, ledger } = world;
  sink.open();
  try {
    const manifest = manifestOf(plan, await writeLoaded(plan, world), world);
    const text = `${canonical(manifest as unknown as Json)}\n`;
    sink.write("run.json", text);
    ledger.keepSecret(plan.run, plan.secret);
    const manifestDigest = digestOf(text);
    const line = leafLine({
      v: "blindcast.open/1",
      run: plan.run,
      manifest: manifestDigest,
      commitment: commitmentOf({ plants: plan.plantsDigest, ...plan.secret }, nodeHashing.sha256),
      trials: null,
    });
    const openIndex = await ledger.append(line);
    sink.write("open.json", `${line}\n`);
    const recorder = new Recorder(sink, world.clock, plan.run, text);
    return { manifest, manifestDigest, openIndex, recorder, resumed: [], release };
  } catch (error) {
    sink.abandon();
    ledger.forgetSecret(plan.run);
    throw error;
  }
}

async function goOn(plan: Plan, world: World, release: () => void): Promise<OpenRun> {
  const earlier = checkSame(plan, world);
  if (world.sink.bytes("open.json") === undefined)
    world.sink.write("open.json", `${leafLine(earlier.open.leaf)}\n`);
  const { recorder, resumed } = resumeRecord(plan, earlier, world);
  const manifest = JSON.parse(earlier.manifest) as Manifest;
  return {
    manifest,
    manifestDigest: digestOf(earlier.manifest),
    openIndex: earlier.open.index,
    recorder,
    resumed,
    release,
  };
}
