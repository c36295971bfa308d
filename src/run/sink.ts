/** Sinks: where a run's files are written, a folder or memory; every failure of storage is one refusal. */
import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolders } from "../core/folders.ts";
import { cause } from "../core/lines.ts";
import { attempt, isRefusal, refuse } from "../core/refusal.ts";
import { writeAllAt, writeNew } from "../ledger/disk.ts";

export interface SinkFile {
  append(data: string | Uint8Array): void;
  /** What was appended so far. */
  size(): number;
  read(offset: number, length: number): Buffer;
  /** Hands what was appended to the system: a killed process loses none of it. */
  flush(): void;
  /** Asks the system to put it on the disk; resolves when it says so. */
  sync(): Promise<void>;
  close(): void;
}

export interface Sink {
  /** As a person would name it: a folder, or `memory`. */
  readonly place: string;
  /** Makes the place; refuses `RunExists` where something stands there already. */
  open(): void;
  /** Creates a file that must not exist yet; `before` is flushed before it is, always. */
  create(name: string, before?: SinkFile): SinkFile;
  /** Takes up a file again, cut to its first `size` bytes; null: as long as it is. */
  reopen(name: string, size: number | null, before?: SinkFile): SinkFile;
  /** Writes a whole small file. */
  write(name: string, data: string | Uint8Array): void;
  /** The bytes of a whole file that is there, else undefined. */
  bytes(name: string): Uint8Array | undefined;
  /** The names of the files that are there. */
  names(): readonly string[];
  remove(name: string): void;
  /** Takes back all that was written since `open`: a run that never began leaves nothing. */
  abandon(): void;
}

/** `aside`: where a folder that is there already is moved when the run opens; without it, it is refused. */
export function folderSink(folder: string, aside: string | null = null): Sink {
  let made: string | undefined;
  let moved = false;
  const at = (name: string) => path.join(folder, name);
  return {
    place: folder,
    open() {
      if (fs.existsSync(folder) && aside === null) refuse("RunExists", { place: folder });
      guard(folder, () => {
        if (aside !== null) {
          fs.renameSync(folder, aside);
          moved = true;
        }
        made = makeFolders(path.dirname(path.resolve(folder)));
        fs.mkdirSync(folder);
      });
    },
    create(name, before) {
      guard(at(name), () => makeFolders(path.dirname(at(name))));
      return folderFile(at(name), "wx+", before);
    },
    reopen(name, size, before) {
      if (size !== null) guard(at(name), () => fs.truncateSync(at(name), size));
      return folderFile(at(name), "r+", before);
    },
    write(name, data) {
      guard(at(name), () => {
        makeFolders(path.dirname(at(name)));
        writeNew(at(name), data);
      });
    },
    bytes: (name) => (fs.existsSync(at(name)) ? guard(at(name), () => fs.readFileSync(at(name))) : undefined),
    names: () => filesUnder(folder),
    remove: (name) => guard(at(name), () => fs.rmSync(at(name))),
    abandon() {
      fs.rmSync(folder, { recursive: true, force: true });
      if (moved) return fs.renameSync(aside as string, folder);
      // Folders above were made for this run, and another may have moved in since: only empty ones go.
      for (
        let above = path.dirname(path.resolve(folder));
        made !== undefined && above.startsWith(made);
        above = path.dirname(above)
      ) {
        if (fs.readdirSync(above).length > 0) return;
        fs.rmdirSync(above);
      }
    },
  };
}

function filesUnder(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return guard(folder, () => fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((item) => !item.isDirectory())
    .map((item) => path.relative(folder, path.join(item.parentPath, item.name)).split(path.sep).join("/"));
}

/**
 * What is appended in one turn of the event loop is written by one plain write at its end (or when a buffer is full):
 * a killed process loses nothing that was appended before its last await on the world outside.
 */
function folderFile(file: string, flags: "wx+" | "r+", before?: SinkFile): SinkFile {
  const handle = guard(file, () => fs.openSync(file, flags));
  const buffer = Buffer.allocUnsafe(BUFFER);
  let filled = 0;
  let written = guard(file, () => fs.fstatSync(handle).size);
  let scheduled = false;
  let lost: unknown;
  const readWindow = windowOf(file, handle);
  // Once a write failed, nothing is written after it: what came later would stand in the place of what was lost.
  const put = (data: string | Uint8Array) => {
    if (lost !== undefined) throw lost;
    try {
      before?.flush();
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      guard(file, () => writeAllAt(handle, bytes, written));
      written += bytes.length;
    } catch (error) {
      lost = error;
      throw error;
    }
  };
  const flush = () => {
    scheduled = false;
    if (filled > 0) put(buffer.subarray(0, filled));
    filled = 0;
  };
  const later = () => {
    if (lost === undefined) attempt(() => {}, flush); // a failure is kept in `lost`, and told at the next call
  };
  return {
    append(data) {
      if (lost !== undefined) throw lost;
      const most = typeof data === "string" ? data.length * 3 : data.length;
      if (filled + most > BUFFER) flush();
      if (most > BUFFER) put(data);
      else {
        if (typeof data === "string") filled += buffer.write(data, filled);
        else {
          buffer.set(data, filled);
          filled += data.length;
        }
        if (!scheduled) setImmediate(later);
        scheduled = true;
      }
    },
    size: () => written + filled,
    flush,
    read(offset, length) {
      flush();
      return readWindow(offset, length, written);
    },
    sync() {
      try {
        flush();
        if (lost !== undefined) throw lost;
      } catch (error) {
        return Promise.reject(error);
      }
      return syncHandle(file, handle);
    },
    close() {
      try {
        if (lost === undefined) flush();
      } finally {
        fs.closeSync(handle);
      }
    },
  };
}

const BUFFER = 1 << 20;

/** Resolves when the system says that what was written is on the disk. */
function syncHandle(file: string, handle: number): Promise<void> {
  return new Promise((resolve, reject) =>
    fs.fsync(handle, (error) => (error === null ? resolve() : reject(failure(file, error)))),
  );
}

/** Reads in pieces of a buffer's size, since what is read next mostly stands behind; nothing that was written changes. */
function windowOf(file: string, handle: number) {
  let from = 0;
  let bytes: Buffer = Buffer.alloc(0);
  return (offset: number, length: number, written: number): Buffer => {
    if (offset < from || offset + length > from + bytes.length) {
      bytes = readAt(file, handle, offset, Math.max(length, Math.min(BUFFER, written - offset)));
      from = offset;
    }
    return bytes.subarray(offset - from, offset - from + length);
  };
}

function readAt(file: string, handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  guard(file, () => {
    for (let done = 0; done < length; ) {
      const got = fs.readSync(handle, bytes, done, length - done, offset + done);
      if (got === 0) throw new Error(`ends at byte ${offset + done}, expected ${offset + length}`);
      done += got;
    }
  });
  return bytes;
}

function guard<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw failure(place, error);
  }
}

function failure(place: string, error: unknown): unknown {
  try {
    return refuse("StorageFailed", {
      place,
      cause: cause(error),
      next: "free space, or choose another --out",
    });
  } catch (refusal) {
    return refusal;
  }
}

/** A run in memory: for the library and for tests. `files` holds each file's bytes after the run. */
export function memorySink(): Sink & { readonly files: ReadonlyMap<string, Buffer> } {
  const files = new Map<string, Buffer>();
  return {
    place: "memory",
    files,
    open: () => files.clear(),
    create: (name) => memoryFile(files, name, Buffer.alloc(0)),
    reopen: (name, size) =>
      memoryFile(files, name, (files.get(name) as Buffer).subarray(0, size ?? undefined)),
    write: (name, data) => void files.set(name, Buffer.from(data)),
    bytes: (name) => files.get(name),
    names: () => [...files.keys()],
    remove: (name) => void files.delete(name),
    abandon: () => files.clear(),
  };
}

function memoryFile(files: Map<string, Buffer>, name: string, start: Buffer): SinkFile {
  let bytes = Buffer.alloc(Math.max(4096, start.length));
  let size = start.copy(bytes);
  files.set(name, bytes.subarray(0, size));
  return {
    append(data) {
      const piece = typeof data === "string" ? Buffer.from(data) : data;
      if (size + piece.length > bytes.length) {
        const grown = Buffer.alloc(Math.max(bytes.length * 2, size + piece.length));
        bytes.copy(grown, 0, 0, size);
        bytes = grown;
      }
      bytes.set(piece, size);
      size += piece.length;
      files.set(name, bytes.subarray(0, size));
    },
    size: () => size,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    flush: () => {},
    sync: async () => {},
    close: () => {},
  };
}
