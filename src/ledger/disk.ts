/** What the ledger asks of a disk: whole files, put there before the call returns; every failure is one refusal. */
import * as fs from "node:fs";
import * as path from "node:path";
import { cause } from "../core/lines.ts";
import { isRefusal, refuse } from "../core/refusal.ts";

/** `ENOENT` and the like of an error of the file system; of others, undefined. */
export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** Runs `work`; what the file system throws becomes StorageFailed at `place`. Refusals and bugs of ours pass. */
export function onDisk<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isRefusal(error) || errorCode(error) === undefined) throw error;
    return refuse("StorageFailed", {
      place,
      cause: cause(error),
      next: "free space, or mend who may write here",
    });
  }
}

/** Is something there? What cannot be looked at is not taken for absent: the error of the system is thrown. */
export function isThere(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** A handle to read a file with; undefined where there is none. */
export function openIfThere(file: string): number | undefined {
  return onDisk(file, () => {
    try {
      return fs.openSync(file, "r");
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  });
}

/** Creates a file of `mode` that must not be there, with all of `data` on the disk. */
export function writeNew(file: string, data: string | Uint8Array, mode = 0o666): void {
  const handle = fs.openSync(file, "wx", mode);
  try {
    writeAllAt(handle, typeof data === "string" ? Buffer.from(data) : data, 0);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Writes a file aside, whole and on the disk; what it gives renames it into place. Whoever reads the file sees the old
 * one or the new one, also after a crash.
 */
export function stageFile(file: string, data: string, mode?: number): () => void {
  const aside = `${file}.new`;
  fs.rmSync(aside, { force: true });
  writeNew(aside, data, mode);
  return () => {
    fs.renameSync(aside, file);
    syncFolder(path.dirname(file));
  };
}

export function writeAllAt(handle: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += fs.writeSync(handle, bytes, done, bytes.length - done, offset + done);
}

/** Puts a folder's entries on the disk; Windows has no such call, and does it by itself. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
