/** An earlier run in the place of a new one: how far it came, and what is needed to go on with it. */
import { isRefusal, refuse } from "../core/refusal.ts";
import { parseJson } from "../core/strict-json.ts";
import type { AuditLedger, RunSecret } from "../ledger/audit-ledger.ts";
import type { CloseLeaf, OpenLeaf } from "../ledger/leaves.ts";
import { isRunId } from "./run-id.ts";
import type { Sink } from "./sink.ts";

export type Earlier = {
  readonly run: string;
  readonly secret: RunSecret;
  /** The bytes of its `run.json`. */
  readonly manifest: string;
  readonly open: { readonly index: number; readonly leaf: OpenLeaf };
  /** Its last progress leaf: so many entries were on the disk. */
  readonly progress: { readonly entries: number; readonly root: string } | null;
  /** Where its close leaf stands already, the run is over: only its last files may be missing. */
  readonly close: { readonly index: number; readonly leaf: CloseLeaf } | null;
};

/** The id that a run folder's manifest gives; null where there is none that can be read. */
export function runOf(sink: Sink): string | null {
  const bytes = sink.bytes("run.json");
  if (bytes === undefined) return null;
  try {
    const manifest = parseJson(Buffer.from(bytes).toString("utf8"), "run.json") as { run?: unknown } | null;
    return typeof manifest?.run === "string" && isRunId(manifest.run) ? manifest.run : null;
  } catch (error) {
    if (isRefusal(error)) return null; // it was being written when the run was killed
    throw error;
  }
}

/** Refuses RunLocked where the run is not as far as it was when it was looked at; asked by who holds it. */
export async function demandUnchanged(earlier: Earlier, sink: Sink, ledger: AuditLedger): Promise<Earlier> {
  const now = await findEarlier(sink, ledger);
  if (now !== null && (now.close === null) === (earlier.close === null)) return now;
  return refuse("RunLocked", {
    place: sink.place,
    run: earlier.run,
    holder: "another process, which went on with it or took it back meanwhile",
    next: "look at it again: the same words, once more",
  });
}

/** What is written before the open leaf: where there is nothing else, no run began. */
const BEFORE_OPEN = /^((run|caseset|profile|family)\.json|(cases|labels)\.jsonl|artifacts\/[0-9a-f]{64})$/;

/**
 * What stands in the sink's place; null where its run never began: its open leaf is not in the ledger, and nothing was
 * recorded. Refuses RunUnknown where anything else is there, and the ledger knows nothing of it.
 */
export async function findEarlier(sink: Sink, ledger: AuditLedger): Promise<Earlier | null> {
  const run = runOf(sink);
  const leaves = run === null ? [] : await ledger.leavesOf(run);
  const open = leaves.find(({ leaf }) => leaf.v === "blindcast.open/1");
  if (run === null || open === undefined) {
    const other = sink.names().find((name) => !BEFORE_OPEN.test(name));
    if (other !== undefined)
      refuse("RunUnknown", {
        place: `${sink.place}/${other}`,
        run: run ?? "of no name",
        ledger: ledger.place,
      });
    return null;
  }
  const close = leaves.find(({ leaf }) => leaf.v === "blindcast.close/1") as Earlier["close"] | undefined;
  const progress = leaves.flatMap(({ leaf }) => (leaf.v === "blindcast.progress/1" ? [leaf] : [])).at(-1);
  const secret = close?.leaf ?? ledger.secretOf(run);
  if (secret === null)
    refuse("RunUnknown", { place: sink.place, run, ledger: `${ledger.place}: no secret of the run` });
  return {
    run,
    secret: { secret: secret.secret, salt: secret.salt },
    manifest: Buffer.from(sink.bytes("run.json") as Uint8Array).toString("utf8"),
    open: open as Earlier["open"],
    progress: progress ?? null,
    close: close ?? null,
  };
}
