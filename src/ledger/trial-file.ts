/**
 * A trial ledger on a disk, `ledgers/trials/<case set>.jsonl`: read whole once, then appended to under a lock.
 *
 * An append is one write at the end and one fsync. A process that is killed in it leaves a torn line, which nobody was
 * told of. The next append gives it its newline where it is a whole row, so that what may be a trial counts as one;
 * else it moves the bytes to `<file>.torn-<n>`. No byte of a ledger is ever dropped.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { strictUtf8 } from "../core/bytes.ts";
import { nodeHashing } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { attempt, refuse } from "../core/refusal.ts";
import { isThere, onDisk, openIfThere, syncFolder, writeAllAt, writeNew } from "./disk.ts";
import { acquireLock } from "./lock.ts";
import { logLines } from "./log-lines.ts";
import { type TrialChain, tooFewRows, trialChain } from "./trial-chain.ts";
import type { LedgerRows, TrialLedger, TrialMark } from "./trial-ledger.ts";
import type { TrialContent, TrialRow } from "./trial-row.ts";

/** The folder of a workspace's trial ledgers. */
export const trialFolder = (workspace: string): string => path.join(workspace, "ledgers", "trials");

/** The trial ledger of a case set; `name` is the set's. */
export const trialFileOf = (workspace: string, name: string): string =>
  path.join(trialFolder(workspace), `${name}${EXTENSION}`);

const EXTENSION = ".jsonl";

/** A ledger that is not there has no rows; its first row makes it. Besides what TrialLedger refuses: StorageFailed. */
export function openTrialFile(file: string): TrialLedger {
  const append = appendsTo(file);
  return {
    name: path.basename(file, EXTENSION),
    place: file,
    start: (start) => append({ kind: "start", ...start }),
    end: (end) => append({ kind: "end", ...end }),
    fail: (fail) => append({ kind: "fail", ...fail }),
    async prefix(rows) {
      const lines: string[] = [];
      const chain = newChain(file);
      for (const line of rows === 0 ? [] : linesOf(file)) {
        chain.take(line);
        lines.push(`${line}\n`);
        if (lines.length === rows) break;
      }
      if (lines.length < rows) tooFewRows(file, lines.length, rows);
      return lines.join("");
    },
    read: async () => readAll(file),
  };
}

const newChain = (file: string) => trialChain(file, nodeHashing.sha256);

function readAll(file: string): LedgerRows {
  const chain = newChain(file);
  const rows: TrialRow[] = [];
  const bytes = { whole: 0, size: 0 };
  for (const line of linesOf(file, bytes)) rows.push(chain.take(line));
  return { place: file, rows, head: chain.head(), torn: Math.max(0, bytes.size - bytes.whole) };
}

/** The whole lines; `bytes` is told how many were read, and how many there were to begin with. */
function* linesOf(file: string, bytes = { whole: 0, size: 0 }): Generator<string> {
  const handle = openIfThere(file);
  if (handle === undefined) return;
  try {
    bytes.size = fs.fstatSync(handle).size;
    let row = 0;
    for (const line of logLines(handle, 0, file, "row")) {
      bytes.whole = line.end;
      yield textOf(line.bytes, file, row++);
    }
  } finally {
    fs.closeSync(handle);
  }
}

function textOf(bytes: Uint8Array, file: string, row: number): string {
  const place = `${file}:${row + 1}`;
  const broken = { place, subject: `row ${row}`, found: "bytes that are not UTF-8", expected: "UTF-8" };
  return strictUtf8(bytes) ?? refuse("TrialLedgerBroken", broken);
}

/** What a process read or wrote last: it reads no more than what came since. */
type Known = {
  readonly chain: TrialChain;
  /** Bytes of the whole lines, which the chain took. */
  readonly end: number;
  /** Of the file as it was left: where they are the same, nobody wrote. */
  readonly size: number;
  readonly mtime: bigint;
  readonly ino: bigint;
};

/** Appends, one after the other here, and under the lock against other processes. */
function appendsTo(file: string): (content: TrialContent) => Promise<TrialMark> {
  let known: Known | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const append = async (content: TrialContent): Promise<TrialMark> => {
    const release = await acquireLock(path.dirname(file), path.basename(file), {
      waitMs: limits.lockWaitMs,
      busy: ({ words, next }) => refuse("LedgerBusy", { place: file, holder: words, next }),
    });
    const before = known;
    known = undefined; // until the append is whole, this process knows nothing
    try {
      const done = onDisk(file, () => appendRow(file, before, content));
      known = done.known;
      return done.mark;
    } finally {
      release();
    }
  };
  return (content) => {
    const turn = last.then(() => append(content));
    last = turn.catch(() => {}); // whoever asked for it is told
    return turn;
  };
}

const ignore = () => {};

/** Under the lock. */
function appendRow(
  file: string,
  before: Known | undefined,
  content: TrialContent,
): { known: Known; mark: TrialMark } {
  if (!isThere(file)) bear(file);
  const handle = fs.openSync(file, "r+");
  try {
    const { chain, end: found } = catchUp(file, handle, before);
    const end = mendTail(file, handle, chain, found);
    const line = chain.next(content);
    const bytes = Buffer.from(`${line}\n`);
    write(handle, bytes, end);
    chain.take(line);
    const mark = { row: chain.rows() - 1, rows: chain.rows(), head: chain.head(), line };
    return { known: { chain, end: end + bytes.length, ...stampOf(handle) }, mark };
  } finally {
    fs.closeSync(handle);
  }
}

/** An empty file, and its names, of `trials` and `ledgers` too, on the disk before a row is. */
function bear(file: string): void {
  writeNew(file, "");
  for (let i = 0, above = file; i < 3; i++) {
    above = path.dirname(above);
    syncFolder(above);
  }
}

/** What could not be put on the disk whole is taken back: nobody was told of it. */
function write(handle: number, bytes: Uint8Array, end: number): void {
  try {
    writeAllAt(handle, bytes, end);
    fs.fsyncSync(handle);
  } catch (error) {
    fs.ftruncateSync(handle, end);
    throw error;
  }
}

function stampOf(handle: number): Pick<Known, "size" | "mtime" | "ino"> {
  const { size, mtimeNs: mtime, ino } = fs.fstatSync(handle, { bigint: true });
  return { size: Number(size), mtime, ino };
}

/** The chain of all whole lines: what came since is taken, and where more was written than that, all is read again. */
function catchUp(
  file: string,
  handle: number,
  known: Known | undefined,
): { readonly chain: TrialChain; readonly end: number } {
  const { size, mtime, ino } = stampOf(handle);
  if (known !== undefined && known.ino === ino) {
    if (known.size === size && known.mtime === mtime) return known;
    // Rows that do not follow what is known: the whole file says which of them is wrong.
    const more = size > known.end ? attempt(ignore, () => follow(file, handle, known)) : undefined;
    if (more !== undefined) return more;
  }
  return follow(file, handle, { chain: newChain(file), end: 0 });
}

function follow(
  file: string,
  handle: number,
  { chain, end: from }: { readonly chain: TrialChain; readonly end: number },
): { readonly chain: TrialChain; readonly end: number } {
  let end = from;
  for (const line of logLines(handle, from, file, "row")) {
    chain.take(textOf(line.bytes, file, chain.rows()));
    end = line.end;
  }
  return { chain, end };
}

/** A torn last line gets its newline where it is the next row, else it goes aside; the end of the whole lines then. */
function mendTail(file: string, handle: number, chain: TrialChain, end: number): number {
  const size = fs.fstatSync(handle).size;
  if (size === end) return end;
  const tail = Buffer.alloc(size - end);
  fs.readSync(handle, tail, 0, tail.length, end);
  const line = strictUtf8(tail);
  if (line !== undefined && attempt(ignore, () => chain.take(line)) !== undefined) {
    writeAllAt(handle, Buffer.from("\n"), size);
    return size + 1;
  }
  putAside(file, tail);
  fs.ftruncateSync(handle, end);
  return end;
}

function putAside(file: string, tail: Uint8Array): void {
  for (let n = 1; ; n++) {
    const aside = `${file}.torn-${n}`;
    if (isThere(aside)) continue;
    writeNew(aside, tail);
    syncFolder(path.dirname(file));
    return;
  }
}

/** The files of a workspace's trial ledgers, in the order of their names. */
export function trialFiles(workspace: string): readonly string[] {
  const folder = trialFolder(workspace);
  return namesIn(folder)
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => path.join(folder, name));
}

/** How many torn pieces of a ledger were put aside. */
export function tornPieces(file: string): number {
  const names = namesIn(path.dirname(file));
  return names.filter((name) => name.startsWith(`${path.basename(file)}.torn-`)).length;
}

const namesIn = (folder: string): readonly string[] =>
  onDisk(folder, () => (isThere(folder) ? fs.readdirSync(folder).sort() : []));
