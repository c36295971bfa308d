/** A trial ledger as the command line reads it: where it is, its rows, its trials, and how many of each kind. */
import * as path from "node:path";
import { type BlindcastError, isRefusal, refuse } from "../core/refusal.ts";
import { isThere, onDisk } from "../ledger/disk.ts";
import { openTrialFile, tornPieces, trialFileOf, trialFiles, trialFolder } from "../ledger/trial-file.ts";
import { type LedgerRows, type Trial, trialsOf } from "../ledger/trial-ledger.ts";
import type { LedgerFigures } from "./ledger-text.ts";
import { openablePath, shownPath } from "./shown-path.ts";

/** `workspace`: the one in whose `ledgers/trials` the file is; null: it is elsewhere. */
export type LedgerPlace = { readonly file: string; readonly name: string; readonly workspace: string | null };

/** A path where it looks like one, else a name in the workspace. */
export function ledgerPlace(given: string, workspace: string): LedgerPlace {
  const isPath = given.endsWith(".jsonl") || given.includes("/") || given.includes(path.sep);
  const file = path.resolve(isPath ? given : trialFileOf(workspace, given));
  const above = path.resolve(file, "../../..");
  return {
    file: openablePath(file),
    name: path.basename(file, ".jsonl"),
    workspace: path.dirname(file) === trialFolder(above) ? above : null,
  };
}

export const ledgerIsThere = ({ file }: LedgerPlace): boolean => onDisk(file, () => isThere(file));

/** Refuses ArgumentInvalid, with the names of the ledgers that there are. */
export function refuseLedger(found: string, workspace: string, place: string): never {
  const known = trialFiles(workspace).map((file) => path.basename(file, ".jsonl"));
  const some = known.length === 0 ? "" : `: ${known.slice(0, 20).join(", ")}`;
  const expected = `a ledger's file, or the name of a ledger in ${shownPath(trialFolder(workspace))}${some}`;
  return refuse("ArgumentInvalid", { place, found, expected });
}

export type LedgerRead = {
  readonly figures: LedgerFigures;
  readonly rows: LedgerRows;
  readonly trials: readonly Trial[];
};

/** Refuses as a ledger's `read` does. */
export async function readLedger(file: string): Promise<LedgerRead> {
  const { name, read } = openTrialFile(file);
  const rows = await read();
  const trials = trialsOf(rows.rows);
  const count = (state: Trial["state"]) => trials.filter((trial) => trial.state === state).length;
  const figures = {
    name,
    place: file,
    trials: trials.length,
    ended: count("ended"),
    failed: count("failed"),
    unfinished: count("unfinished"),
    rows: rows.rows.length,
    head: rows.head,
    torn: rows.torn,
    aside: tornPieces(file),
    broken: null,
  };
  return { figures, rows, trials };
}

/** The same, where a broken chain is a figure and no refusal. */
export async function ledgerFigures(file: string): Promise<LedgerFigures> {
  try {
    return (await readLedger(file)).figures;
  } catch (error) {
    const broken = brokenBy(error).message;
    const none = { trials: null, ended: null, failed: null, unfinished: null, rows: null, head: null };
    return {
      name: path.basename(file, ".jsonl"),
      place: file,
      ...none,
      torn: null,
      aside: tornPieces(file),
      broken,
    };
  }
}

/** What a ledger that breaks the rules is refused with; anything else is thrown. */
export function brokenBy(error: unknown): BlindcastError {
  if (isRefusal(error, "TrialLedgerBroken") || isRefusal(error, "LimitExceeded"))
    return error as BlindcastError;
  throw error;
}
