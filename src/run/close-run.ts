/** The run's end: report and record on the disk, then the close leaf, signed, then the proofs; and once more after a crash. */
import { type Digest, digestOf } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { type CloseLeaf, leafLine, type TrialsMark } from "../ledger/leaves.ts";
import type { TrialLedger } from "../ledger/trial-ledger.ts";
import { demandUnchanged, type Earlier } from "./earlier-run.ts";
import { interruptedBy } from "./interrupted.ts";
import { writePieces } from "./loaded-files.ts";
import type { OpenRun } from "./open-run.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import type { RunRecord } from "./record.ts";
import type { World } from "./world.ts";

/** The report as it is written, and its two digests. */
export type Closing = {
  readonly bytes: string;
  readonly resultDigest: Digest;
  readonly reportDigest: Digest;
};

/** What a run closes with beside its report: the ledger of trials with its last row, or null. */
export type Closed = { readonly record: RunRecord; readonly trials: TrialsMark | null };

/** Writes the report, puts all on the disk, and ends the run with its close leaf. */
export async function closeRun(
  run: OpenRun,
  plan: Plan,
  { record, trials }: Closed,
  report: Closing,
  world: World,
): Promise<void> {
  try {
    if (trials !== null) await writePieces(world.sink, "trials.jsonl", [await prefixOf(trials, world)]);
    world.sink.write("report.json", report.bytes);
    const pack = await run.recorder.close();
    const leaf: CloseLeaf = {
      v: "blindcast.close/1",
      run: plan.run,
      manifest: run.manifestDigest,
      entries: record.size,
      root: record.root,
      pack,
      report: report.reportDigest,
      result: report.resultDigest,
      secret: plan.secret.secret,
      salt: plan.secret.salt,
      trials,
    };
    const index = await world.ledger.append(leafLine(leaf));
    await writeProofs(run.openIndex, index, leaf, world);
  } catch (error) {
    throw interruptedBy(error, trajectoryCount(plan), trajectoryCount(plan));
  } finally {
    run.release();
  }
}

const prefixOf = ({ rows }: TrialsMark, { trials }: World) => (trials as TrialLedger).prefix(rows);

/**
 * A run whose close leaf is in the ledger is over: what a crash left of its last files is written again. Refuses
 * RunUnknown where its report is not the one that the leaf names.
 */
export async function finishClosed(seen: Earlier, world: World): Promise<string> {
  const { sink, ledger } = world;
  const release = await ledger.hold(seen.run);
  try {
    const earlier = await demandUnchanged(seen, sink, ledger);
    const close = earlier.close as NonNullable<Earlier["close"]>;
    const report = Buffer.from(sink.bytes("report.json") ?? []);
    const found = digestOf(report);
    if (found !== close.leaf.report)
      refuse("RunUnknown", {
        place: `${sink.place}/report.json`,
        run: `${earlier.run} (${found})`,
        ledger: `${ledger.place}: its close leaf says ${close.leaf.report}`,
      });
    await writeProofs(earlier.open.index, close.index, close.leaf, world);
    return report.toString("utf8");
  } finally {
    release();
  }
}

/** The leaf and both proofs; the journal, which `entries.jsonl` holds in order, goes last, and with it the secret. */
async function writeProofs(
  openIndex: number,
  closeIndex: number,
  leaf: CloseLeaf,
  world: World,
): Promise<void> {
  const { sink, ledger } = world;
  const names = sink.names();
  if (names.includes("journal.jsonl")) {
    const proofs = await ledger.prove([openIndex, closeIndex]);
    const put = (name: string, text: string) => {
      if (names.includes(name)) sink.remove(name);
      sink.write(name, text);
    };
    put("close.json", `${leafLine(leaf)}\n`);
    if (proofs !== null) {
      put("open.tlog-proof", proofs[0] as string);
      put("close.tlog-proof", proofs[1] as string);
    }
    sink.remove("journal.jsonl");
  }
  ledger.forgetSecret(leaf.run);
}
