/** Where a run is written: its folder, what stands there already, the ledger that signs it. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger } from "../ledger/audit-ledger.ts";
import { folderLedger } from "../ledger/folder-ledger.ts";
import { openTrialFile, trialFileOf } from "../ledger/trial-file.ts";
import { heldHeads } from "../ledger/trial-leaves.ts";
import type { TrialLedger } from "../ledger/trial-ledger.ts";
import { findWorkspace } from "../ledger/workspace.ts";
import { type Earlier, findEarlier, runOf } from "../run/earlier-run.ts";
import { runId } from "../run/run-id.ts";
import { folderSink, type Sink } from "../run/sink.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { defaultKeyFile, loadSigner, originOf } from "./key-file.ts";
import { demandAudited } from "./ledger-verify.ts";
import { clock } from "./machine.ts";
import { printWords } from "./print.ts";

type Place = {
  /** The id of the run, if it is a new one. */
  readonly run: string;
  readonly given: string | undefined;
  readonly resume: boolean;
  readonly force: boolean;
};

/** Where a run is to be written, out of the flags; refuses RunExists where something is there that is neither resumed nor moved. */
export function placeOf(raw: Raw, next?: string): Place {
  const given = text(raw, "out");
  const [resume, force] = [flagged(raw, "resume"), flagged(raw, "force")];
  const faulty = (found: string, expected: string) =>
    refuse("ArgumentInvalid", { place: found, found, expected });
  if (resume && force) faulty("--resume --force", "one of the two");
  if (given === undefined && (resume || force))
    faulty(resume ? "--resume" : "--force", "--out beside it: the run folder");
  if (given !== undefined && !resume && !force && fs.existsSync(given))
    refuse("RunExists", { place: given, ...(next === undefined ? {} : { next }) });
  return { run: runId(clock.now(), randomBytes), given, resume, force };
}

/** The run folder, and what stands in it already: to be gone on with, or to be moved aside when the new run opens. */
export async function takePlace(
  { run, given, resume, force }: Place,
  name: string,
  ledger: AuditLedger,
): Promise<{ out: string; sink: Sink; earlier: Earlier | null; replaces: string | null }> {
  const out = path.normalize(given ?? path.join("runs", `${name}-${run}`)).replace(/[/\\]$/, "");
  const sink = folderSink(out);
  if (!fs.existsSync(out)) {
    if (resume) printWords(`nothing to resume in ${out}: the run begins`);
    return { out, sink, earlier: null, replaces: null };
  }
  if (force) return { out, ...(await moveAside(out, sink, ledger)), earlier: null };
  const earlier = await findEarlier(sink, ledger);
  if (earlier === null) {
    const aside = freeName(`${out}.unopened`);
    await forget(sink, ledger);
    printWords(`the run in ${out} never began: it begins anew, and what is there goes to ${aside}`);
    return { out, sink: folderSink(out, aside), earlier, replaces: null };
  }
  printWords(`resuming run ${earlier.run}${earlier.close === null ? "" : ", which was closed already"}`);
  return { out, sink, earlier, replaces: null };
}

/** The secret of a run that died before its open leaf, if nobody is writing it now. */
async function forget(sink: Sink, ledger: AuditLedger): Promise<void> {
  const run = runOf(sink);
  if (run === null) return;
  const release = await ledger.hold(run);
  ledger.forgetSecret(run);
  release();
}

/** The name, or with a number the first that nothing has. */
function freeName(name: string): string {
  let free = name;
  for (let n = 2; fs.existsSync(free); n++) free = `${name}-${n}`;
  return free;
}

async function moveAside(
  out: string,
  sink: Sink,
  ledger: AuditLedger,
): Promise<{ sink: Sink; replaces: string | null }> {
  const replaces = runOf(sink);
  if (replaces !== null) (await ledger.hold(replaces))(); // refused where a process is writing it
  const aside = freeName(`${out}.${replaces ?? "aside"}`);
  const leaves = replaces === null ? [] : await ledger.leavesOf(replaces);
  const open = leaves.find(({ leaf }) => leaf.v === "blindcast.open/1");
  const stays =
    open === undefined ? `not in ${ledger.place}` : `leaf ${open.index} of ${ledger.place} and stays there`;
  printWords(
    `run ${replaces ?? "of no name"} in ${out} makes way when this one opens, to ${aside}; its open leaf is ${stays}`,
  );
  return { sink: folderSink(out, aside), replaces };
}

/** A run that began without a key goes on without one, whatever key was made since. */
function isUnsigned(out: string | undefined, resume: boolean): boolean {
  const file = path.join(out ?? "", "run.json");
  return resume && fs.existsSync(file) && fs.readFileSync(file, "utf8").includes('"ledger":null,');
}

/**
 * Where trials on a case set are counted: where its profile wants it, and wherever they ever were; null: nowhere. Refuses
 * TrialLedgerBroken where rows are gone, or are not as the audit logs beside it know them: else all would begin anew.
 */
export async function trialLedgerOf(name: string, wanted: boolean): Promise<TrialLedger | null> {
  const workspace = findWorkspace(process.cwd());
  const file = trialFileOf(workspace, name);
  const held = [...heldHeads(workspace, name)];
  if (!wanted && held.length === 0 && !fs.existsSync(file)) return null;
  const trials = openTrialFile(file);
  if (held.length > 0) demandAudited(await trials.read(), held);
  return trials;
}

/** The audit ledger of this workspace, signed with the key of the flags or the default one, if there is one. */
export function ledgerOf(raw: Raw): AuditLedger {
  const given = text(raw, "key");
  const file = given ?? (isUnsigned(text(raw, "out"), flagged(raw, "resume")) ? null : defaultKeyFile());
  const origin = originOf(raw);
  const signer = file !== null && (given !== undefined || fs.existsSync(file)) ? loadSigner(file) : null;
  if (signer === null && origin !== null)
    refuse("ArgumentInvalid", {
      place: "--origin",
      found: origin,
      expected: "--key beside it, or a key of `blindcast keys new`",
    });
  return folderLedger({ workspace: findWorkspace(process.cwd()), signer, origin });
}
