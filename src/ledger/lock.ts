/**
 * Locks of a folder: one holder at a time, among processes and within one; a lock whose holder died is taken at once.
 *
 * A lock is the greatest of the files `<name>.<n>.lock`. Each comes whole by a hard link of a file written before, and
 * fails where its number is there. It says who holds it; when that is over, one byte in it is turned and the file stays,
 * so that the greatest number never falls. To take: where the greatest is over, or its holder is dead, link the next;
 * look again; where a greater one has come, or one's own is gone, start over; else it is held, and lower ones are
 * deleted, the lowest first.
 *
 * Why two never hold. Let A link k and B hold a greater one, neither over nor dead. Was any greater file there when A
 * looked again? Then A saw it and went, or missed it because it was deleted while A looked: but that is done by a
 * holder who came while A looked, who saw k, and deletes k before it, so that A misses its own file and goes. Was none
 * there? Then the first to link above k came later, had k for the greatest, and read A as over or dead: A was not.
 * A number is deleted only under a greater one, so none that was the greatest comes a second time, and what is deleted
 * by mistake (one's own number, retaken by a late one) was the lock no more.
 */
import { randomBytes, randomInt } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { canonical } from "../core/canonical.ts";
import { makeFolders } from "../core/folders.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import { errorCode, onDisk } from "./disk.ts";

/** `words` as a person reads them; `next` is what to do about it. */
export type LockHolder = { readonly words: string; readonly next: string };

/**
 * Ends the hold; a second call does nothing. `remove` deletes the lock's files instead of leaving the last one: only
 * where nobody will ever take this lock again, since numbers then start anew.
 */
export type Release = (remove?: "remove") => void;

export type LockOptions = {
  /** Milliseconds of sleep, summed, before `busy` is called; 0 looks once. */
  readonly waitMs: number;
  /** Refuses, naming who holds it. */
  readonly busy: (holder: LockHolder) => never;
  /** Of the folder, where it must be made. */
  readonly folderMode?: number;
};

/** Takes the lock `name` of a folder, which is made where it is not there; refuses StorageFailed, and what `busy` does. */
export async function acquireLock(folder: string, name: string, options: LockOptions): Promise<Release> {
  let waited = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const found = onDisk(folder, () => {
      makeFolders(folder, options.folderMode);
      return take(folder, name);
    });
    if (typeof found === "function") return found;
    if (found !== "again") {
      if (waited >= options.waitMs) options.busy(found);
      round = 0;
    }
    const pause = randomInt(1, found === "again" ? 3 : limits.lockPollMs + 1);
    waited += pause;
    await sleep(pause);
  }
  return refuse("StorageFailed", {
    place: path.join(folder, name),
    cause: `its lock was out of reach ${ROUNDS} times in a row: files appear and vanish`,
    next: "look at what else writes into this folder",
  });
}

/** Starts in a row that may fail because somebody else was faster, or swept a file away. */
const ROUNDS = 1_000;

/** One go at it: the lock, who holds it, or a start over. */
function take(folder: string, name: string): Release | LockHolder | "again" {
  const last = numbersOf(folder, name).at(-1) ?? 0;
  const holder = last === 0 ? undefined : holderOf(lockFile(folder, name, last));
  if (holder !== undefined) return holder;
  const own = lockFile(folder, name, last + 1);
  const token = randomBytes(16).toString("hex");
  const handle = linkNew(path.join(folder, `${name}.${process.pid}.${token}.tmp`), own, token);
  if (handle === undefined) return "again";
  const seen = numbersOf(folder, name);
  if ((seen.at(-1) ?? 0) > last + 1) fs.rmSync(own, { force: true });
  else if (lockRecord(own)?.token === token) {
    for (const lower of seen) if (lower <= last) fs.rmSync(lockFile(folder, name, lower), { force: true });
    sweep(folder, name);
    return releaseOf(folder, name, handle);
  }
  fs.closeSync(handle);
  return "again";
}

const lockFile = (folder: string, name: string, n: number) => path.join(folder, `${name}.${n}.lock`);

/** The numbers of a lock's files, ascending. */
function numbersOf(folder: string, name: string): number[] {
  return entriesOf(folder)
    .map((entry) => {
      const rest = entry.startsWith(`${name}.`) ? entry.slice(name.length + 1) : "";
      return Number(/^([1-9][0-9]{0,14})\.lock$/.exec(rest)?.[1] ?? 0);
    })
    .filter((n) => n > 0)
    .sort((a, b) => a - b);
}

/** A folder that vanished holds nothing: it is made again at the next start. */
function entriesOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Writes the record aside and links it: the handle of the file, or undefined where another was faster. */
function linkNew(aside: string, file: string, token: string): number | undefined {
  let handle: number | undefined;
  try {
    handle = fs.openSync(aside, "wx+");
    fs.writeSync(handle, recordText(token));
    fs.linkSync(aside, file);
    return handle;
  } catch (error) {
    if (handle !== undefined) fs.closeSync(handle);
    // The number was taken, or the folder, or what was written aside, was swept away.
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return undefined;
    throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** What dead processes left aside; where its writer lives on another machine, that one starts over. */
function sweep(folder: string, name: string): void {
  for (const entry of entriesOf(folder)) {
    const pid = entry.startsWith(`${name}.`)
      ? /^([1-9]\d*)\.[0-9a-f]{32}\.tmp$/.exec(entry.slice(name.length + 1))?.[1]
      : undefined;
    if (pid !== undefined && !answers(Number(pid))) fs.rmSync(path.join(folder, entry), { force: true });
  }
}

function releaseOf(folder: string, name: string, handle: number): Release {
  let held = true;
  return (remove) => {
    if (!held) return;
    held = false;
    onDisk(folder, () => {
      try {
        if (remove !== undefined)
          for (const n of numbersOf(folder, name)) fs.rmSync(lockFile(folder, name, n), { force: true });
        // One byte, in place: a reader sees it before or after, and the folder's entry is never gone.
        fs.writeSync(handle, "1", OVER_AT);
      } finally {
        fs.closeSync(handle);
      }
    });
  };
}

/**
 * `{"over":0,"boot":"…","host":"…","pid":4711,"space":"pid:[4026531836]","start":"123456","token":"…"}`: `start` is
 * the process's, in clock ticks since `boot`, and `space` is where its pid counts; null where the system does not say.
 */
type LockRecord = {
  readonly over: 0 | 1;
  readonly boot: string | null;
  readonly host: string;
  readonly pid: number;
  readonly space: string | null;
  readonly start: string | null;
  readonly token: string;
};

const OVER_AT = 8;

function recordText(token: string): string {
  const { boot, host, space, start } = here();
  return `{"over":0,${canonical({ boot, host, pid: process.pid, space, start, token }).slice(1)}\n`;
}

/** Undefined where it is not there, or is no record. */
function lockRecord(file: string): LockRecord | undefined {
  try {
    const found = JSON.parse(fs.readFileSync(file, "utf8")) as LockRecord;
    return Number.isSafeInteger(found.pid) && found.pid > 0 ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || errorCode(error) === "ENOENT")
      return undefined;
    throw error;
  }
}

/**
 * Who holds a lock's greatest file, or undefined: it is over, or its holder is dead. A file without a record was cut
 * by a power failure, which its holder did not outlive; one that vanished has a greater one above it, and linking the
 * number after it is found out.
 */
function holderOf(file: string): LockHolder | undefined {
  const record = lockRecord(file);
  if (record === undefined || record.over === 1) return undefined;
  const { boot, host, space } = here();
  const elsewhere = (where: string): LockHolder => ({
    words: `process ${record.pid} ${where}, whose life cannot be seen from here`,
    next: `if that process has ended, remove ${file}`,
  });
  if (record.host !== host) return elsewhere(`on ${record.host}`);
  if (record.boot !== boot) return undefined;
  if (record.space !== space) return elsewhere(`in another container on ${record.host}`);
  if (!answers(record.pid) || (record.start !== null && isAnother(record.pid, record.start)))
    return undefined;
  return { words: `process ${record.pid} on this machine`, next: "wait until that process has ended" };
}

/** Is there a process of this number? One of another user refuses the signal, and is there. */
function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/** Is the process of this number a later one, or dead and only not yet reaped? Where it cannot be seen: no. */
function isAnother(pid: number, start: string): boolean {
  const now = statOf(pid);
  return now !== undefined && (now.start !== start || now.state === "Z" || now.state === "X");
}

/** proc(5), `/proc/<pid>/stat`: fields 1, 3 and 22; the name, field 2, may hold spaces and parentheses. */
function statOf(pid: number | "self"): { pid: string; state: string; start: string } | undefined {
  const text = firstLine(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields?.[0], fields?.[19]];
  if (text === undefined || state === undefined || start === undefined) return undefined;
  return { pid: text.split(" ", 1)[0] as string, state, start };
}

function firstLine(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8").trimEnd();
  } catch {
    return undefined; // no such thing on this system, or not for us to see
  }
}

type Here = Pick<LockRecord, "boot" | "host" | "space" | "start">;
let self: Here | undefined;

/** This process, looked up once. A /proc that counts its pids otherwise than we do says nothing. */
function here(): Here {
  if (self === undefined) {
    const stat = statOf("self");
    self = {
      boot: firstLine("/proc/sys/kernel/random/boot_id") ?? null,
      host: os.hostname(),
      space: linkTarget("/proc/self/ns/pid"),
      start: stat?.pid === String(process.pid) ? stat.start : null,
    };
  }
  return self;
}

function linkTarget(file: string): string | null {
  try {
    return fs.readlinkSync(file);
  } catch {
    return null; // no such thing on this system
  }
}
