/** Replay: everything of a run from its folder alone, stage after stage: its record, then the engine over it once more. */
import { nodeHashing } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { REPORT_VERSION } from "../core/version.ts";
import { checkSignature } from "../ledger/node-signatures.ts";
import type { Report } from "../report/build-report.ts";
import type { Section } from "../report/section.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import { MANIFEST } from "./files.ts";
import { type Pass, type PassOptions, type PassStage, passOver } from "./pass.ts";
import { loadRecord, type RecordedRun } from "./record.ts";
import { type ReportedRun, readReport } from "./reported.ts";
import { rescore } from "./rescore.ts";
import { openServing, type ServeOptions, type Serving } from "./serve.ts";
import { inStages } from "./stage.ts";
import {
  type TrustPolicy,
  type Verdict,
  type VerifiedRecord,
  verdictOf,
  verifyRecord,
} from "./verify-record.ts";

export type ReplayOptions = ServeOptions &
  PassOptions & {
    /** The verifier's own; null: the verdict is at best `unauthenticated`. */
    readonly policy: TrustPolicy | null;
  };

export type Replay = Verdict & {
  /** What was established; null where a stage failed. */
  readonly replayed: {
    readonly report: Report;
    /** Per arm: whether its answers were given again, or scored as they stand. */
    readonly arms: Pass["arms"];
    /** Why nobody answered again; null where somebody did. */
    readonly unanswered: string | null;
    /** What made of its decisions what they are; null: it has none. */
    readonly section: Section | null;
  } | null;
};

/** Runs all stages; a fault of the bundle is a verdict, and what is thrown is a bug. Reads the folder and writes nothing. */
export async function replay(bundle: RunFiles, options: ReplayOptions): Promise<Replay> {
  const tools = { hashing: nodeHashing, checkSignature };
  const staged = await inStages(async (stages) => {
    const verified = await verifyRecord(stages, bundle, options.policy, tools); // files to entries
    if (verified.manifest.report_version !== REPORT_VERSION)
      await stages.run("score", () => refuseEngine(bundle, verified)); // another engine's rules are not ours to apply
    const read = await stages.run("bounds", () => readRun(bundle, verified, options));
    const { run, reported, pass, serving } = read;
    await stages.run("blobs", () => tell(pass, "blobs"));
    await stages.run("re-serve", () => tell(pass, "re-serve"), unserved(pass, serving));
    await stages.run("rules", () => tell(pass, "plants", "rules"));
    const report = await stages.run("score", () => rescore(bundle, verified, run, pass, reported));
    const { section } = run;
    return { verified, replayed: { report, arms: pass.arms, unanswered: serving.again.reason, section } };
  });
  const { failure, stages, value } = staged;
  if (failure !== null) return { ...verdictOf({ stages, failure, value }, options.policy), replayed: null };
  return {
    ...verdictOf({ stages, failure, value: value.verified }, options.policy),
    replayed: value.replayed,
  };
}

function refuseEngine(bundle: RunFiles, { manifest }: VerifiedRecord): never {
  const { report_version: found, stamp } = manifest;
  const { engine } = stamp;
  // A person may run what the hint says: only what is a version is passed on.
  const named = typeof engine === "string" && /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(engine);
  return refuse("EngineMismatch", {
    place: fileIn(bundle, MANIFEST),
    found,
    expected: REPORT_VERSION,
    engine: named ? engine : null,
  });
}

type ReadRun = {
  readonly run: RecordedRun;
  readonly reported: ReportedRun;
  readonly serving: Serving;
  readonly pass: Pass;
};

/** Loads what stands beside the entries, then passes over them; refuses what breaks the stage `bounds`. */
async function readRun(bundle: RunFiles, verified: VerifiedRecord, options: ReplayOptions): Promise<ReadRun> {
  const run = await loadRecord(bundle, verified, options.zoneData);
  const reported = await readReport(bundle, verified.close);
  const serving = await openServing(bundle, verified.listing, run, options);
  const pass = await passOver({ bundle, verified, run, reported, serving }, options);
  tell(pass, "bounds");
  return { run, reported, serving, pass };
}

function tell({ faults }: Pass, ...stages: readonly PassStage[]): void {
  for (const stage of stages) {
    const fault = faults.get(stage);
    if (fault !== undefined) throw fault;
  }
}

/** Why the stage `re-serve` had less to look at than its name says. */
function unserved({ faults }: Pass, { again }: Serving): string | undefined {
  if (faults.has("plants")) return "its plants are not those of the run";
  return again.reason ?? undefined;
}
