/**
 * A log on a disk, `leaves.jsonl` and `checkpoint`: read, held to what was signed last, and appended to.
 *
 * A log is born by one rename of a folder in which both files are whole, so that a checkpoint that is not there was
 * lost; `<folder>.born` beside it tells the loss of the whole folder from a beginning. An append writes the leaf and
 * then the checkpoint over it: what is killed between leaves a torn line, which is cut off, or a whole leaf beyond the
 * signed size, which stays and is signed with the next.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { strictUtf8 } from "../core/bytes.ts";
import { makeFolders } from "../core/folders.ts";
import { limits } from "../core/limits.ts";
import { attempt, refuse } from "../core/refusal.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { isThere, onDisk, openIfThere, stageFile, syncFolder, writeAllAt, writeNew } from "./disk.ts";
import { logLines } from "./log-lines.ts";
import {
  demandSignedRoot,
  demandSignedSize,
  emptyTree,
  hashOfLine,
  type LogKey,
  leafOf,
  ownCheckpoint,
  proofsAgainst,
  signCheckpoint,
} from "./signed-log.ts";
import type { Tree } from "./tree.ts";

/** `key` null: nothing is signed, and only torn and misshapen lines are seen. */
export type LogPlace = { readonly folder: string; readonly key: LogKey | null };

/** What a process read or wrote last: it reads no more than what came since, while the files are as it left them. */
export type LogState = {
  readonly tree: Tree;
  /** Bytes of the whole lines, which are the tree's leaves. */
  readonly end: number;
  /** The checkpoint, and its size. */
  readonly note: string | null;
  readonly signed: number;
  readonly stamp: string;
};

const LEAVES = "leaves.jsonl";
const CHECKPOINT = "checkpoint";
const leavesFile = ({ folder }: LogPlace) => path.join(folder, LEAVES);
const checkpointFile = ({ folder }: LogPlace) => path.join(folder, CHECKPOINT);

/**
 * The log, born where it never was; under its lock. Refuses LedgerStateLost, LedgerOriginMismatch, LedgerRolledBack,
 * LedgerSplitView, what openCheckpoint refuses, and NotCanonical or LeafTypeWrong for a leaf that is not signed yet.
 */
export async function readLog(log: LogPlace, known: LogState | undefined): Promise<LogState> {
  onDisk(log.folder, () => bear(log));
  const note = log.key === null ? null : readNote(log);
  const signed = await openNote(log, note);
  return onDisk(leavesFile(log), () => {
    const handle = openLeaves(log, signed);
    try {
      const stamp = stampOf(handle);
      if (known?.note === note && known.stamp === stamp) return known;
      const grown = known !== undefined && known.end <= fs.fstatSync(handle).size;
      const more = grown && (known.note !== note || log.key === null) ? known : undefined;
      // Another process appended: where its root does not follow from what is known, the whole file says why.
      const { tree, end } =
        (more && attempt(ignore, () => follow(log, handle, more, signed))) ??
        follow(log, handle, { tree: emptyTree(), end: 0 }, signed);
      return { tree, end, note, signed: signed?.size ?? 0, stamp };
    } finally {
      fs.closeSync(handle);
    }
  });
}

const ignore = () => {};

/** Length, time and number of a file: where they are the same, nobody wrote. */
function stampOf(handle: number): string {
  const { size, mtimeNs, ino } = fs.fstatSync(handle, { bigint: true });
  return `${size} ${mtimeNs} ${ino}`;
}

function bear({ folder, key }: LogPlace): void {
  const present = isThere(folder) ? fs.readdirSync(folder) : [];
  if (key === null) {
    makeFolders(folder);
    return;
  }
  const born = `${folder}.born`;
  if (!present.includes(CHECKPOINT)) {
    const trace = present.find((name) => name === LEAVES) ?? present[0];
    if (trace !== undefined)
      refuse("LedgerStateLost", { place: folder, missing: CHECKPOINT, present: trace });
    if (isThere(born))
      refuse("LedgerStateLost", { place: folder, missing: "this folder", present: path.basename(born) });
    begin(folder, key);
  }
  if (isThere(born)) return;
  writeNew(born, `${key.key.name}\n`);
  syncFolder(path.dirname(folder));
}

function begin(folder: string, key: LogKey): void {
  const aside = `${folder}.new`;
  fs.rmSync(aside, { recursive: true, force: true });
  makeFolders(aside);
  writeNew(path.join(aside, CHECKPOINT), signCheckpoint(key, emptyTree()));
  writeNew(path.join(aside, LEAVES), "");
  syncFolder(aside);
  if (isThere(folder)) fs.rmdirSync(folder);
  fs.renameSync(aside, folder);
  syncNames(folder);
}

/** The names of a log, of `audit`, of `ledgers`: made for it, perhaps, and on the disk before a leaf is. */
function syncNames(folder: string): void {
  for (let i = 0, above = folder; i < 3; i++) {
    above = path.dirname(above);
    syncFolder(above);
  }
}

/** Null where there is none. */
function readNote(log: LogPlace): string | null {
  const place = checkpointFile(log);
  return onDisk(place, () => {
    if (!isThere(place)) return null;
    const found = fs.statSync(place).size;
    const limit = limits.checkpointBytes;
    if (found > limit) refuse("LimitExceeded", { place, what: "bytes", found, limit });
    return textOf(fs.readFileSync(place), place);
  });
}

async function openNote(log: LogPlace, note: string | null): Promise<Checkpoint | null> {
  if (log.key === null) return null;
  if (note === null)
    return refuse("LedgerStateLost", { place: log.folder, missing: CHECKPOINT, present: "its lock" });
  return ownCheckpoint(note, log.key, checkpointFile(log));
}

function openLeaves(log: LogPlace, signed: Checkpoint | null): number {
  const file = leavesFile(log);
  if (!isThere(file)) {
    if (signed !== null && signed.size > 0)
      refuse("LedgerStateLost", { place: log.folder, missing: LEAVES, present: CHECKPOINT });
    writeNew(file, "");
    syncFolder(log.folder);
    syncNames(log.folder);
  }
  return fs.openSync(file, "r+");
}

type Followed = { readonly tree: Tree; readonly end: number };

/** Appends to the tree what stands from `end` on; the tree must be the signed one where it has the signed size. */
function follow(log: LogPlace, handle: number, from: Followed, signed: Checkpoint | null): Followed {
  const { tree } = from;
  const place = leavesFile(log);
  let { end } = from;
  if (signed !== null && tree.size() > signed.size) demandSignedSize(signed.size, tree.size(), place);
  for (const line of logLines(handle, end, place)) {
    if (tree.size() === signed?.size) demandSignedRoot(tree, signed, place);
    tree.append(hashOfLine(line.bytes));
    if (signed === null || tree.size() > signed.size)
      leafOf(textOf(line.bytes, place), `${place}:${tree.size()}`);
    end = line.end;
  }
  if (signed !== null) demandSignedSize(tree.size(), signed.size, place);
  if (tree.size() === signed?.size) demandSignedRoot(tree, signed, place);
  return { tree, end };
}

function textOf(bytes: Uint8Array, place: string): string {
  return strictUtf8(bytes) ?? refuse("FileUnreadable", { place, cause: "not UTF-8" });
}

/** Under the log's lock, on the state just read, which is used up: the next, with the leaf signed. */
export function appendLeaf(log: LogPlace, state: LogState, line: string): LogState {
  const bytes = Buffer.from(`${line}\n`);
  const { tree } = state;
  return onDisk(leavesFile(log), () => {
    const handle = fs.openSync(leavesFile(log), "r+");
    try {
      const put = takingBack(handle, state.end, () => {
        fs.ftruncateSync(handle, state.end); // a torn line that a killed process left
        writeAllAt(handle, bytes, state.end);
        fs.fsyncSync(handle);
        tree.append(hashOfLine(bytes.subarray(0, -1)));
        return stageNote(log, state);
      });
      const note = put();
      return { tree, end: state.end + bytes.length, note, signed: tree.size(), stamp: stampOf(handle) };
    } finally {
      fs.closeSync(handle);
    }
  });
}

/** Until the checkpoint is renamed nothing was promised: where that fails, the leaf goes again. */
function takingBack<T>(handle: number, end: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    fs.ftruncateSync(handle, end);
    throw error;
  }
}

/** Signs the tree as it is, and writes the note aside; what it gives puts it in place. */
function stageNote(log: LogPlace, { tree, note }: LogState): () => string | null {
  if (log.key === null) return () => note;
  const next = signCheckpoint(log.key, tree);
  const put = stageFile(checkpointFile(log), next);
  return () => {
    put();
    return next;
  };
}

/** Under the log's lock: signs whole leaves that a killed process left unsigned. */
export function signPending(log: LogPlace, state: LogState): LogState {
  if (state.signed === state.tree.size()) return state;
  const note = onDisk(checkpointFile(log), () => stageNote(log, state)());
  return { ...state, note, signed: state.tree.size() };
}

/** The signed size, as it is now. */
export async function signedSize(log: LogPlace): Promise<number> {
  return (await openNote(log, readNote(log)))?.size ?? 0;
}

/** Proofs against the checkpoint as it is now: it is read before the leaves, which only grow. */
export async function readProofs(log: LogPlace, indexes: readonly number[]): Promise<string[]> {
  const note = readNote(log) as string;
  const signed = (await openNote(log, note)) as Checkpoint;
  const place = leavesFile(log);
  const leaves: Uint8Array[] = [];
  const tree = emptyTree();
  for (const { bytes } of readLeaves(log)) {
    if (leaves.length === signed.size) break;
    const leaf = hashOfLine(bytes);
    leaves.push(leaf);
    tree.append(leaf);
  }
  demandSignedSize(leaves.length, signed.size, place);
  demandSignedRoot(tree, signed, place);
  return proofsAgainst(note, signed.size, leaves, indexes);
}

/** Every whole line, signed or not, without its newline; none where there is no log. */
export function* readLeaves(log: LogPlace): Generator<{ readonly bytes: Buffer; readonly index: number }> {
  const file = leavesFile(log);
  const handle = openIfThere(file);
  if (handle === undefined) return;
  try {
    let index = 0;
    for (const { bytes } of logLines(handle, 0, file)) yield { bytes, index: index++ };
  } finally {
    fs.closeSync(handle);
  }
}
