/** Sinks: where a run's files are written, a folder or memory; every failure of storage is one refusal. */
import * as fs from "node:fs";
import * as path from "node:path";
import { cause } from "../core/lines.ts";
import { isRefusal, refuse } from "../core/refusal.ts";

export interface SinkFile {
  append(data: string | Uint8Array): void;
  /** What was appended so far. */
  size(): number;
  read(offset: number, length: number): Buffer;
  /** Asks the system to put it on the disk; resolves when it says so. */
  sync(): Promise<void>;
  close(): void;
}

export interface Sink {
  /** As a person would name it: a folder, or `memory`. */
  readonly place: string;
  /** Makes the place; refuses `RunExists` where something stands there already. */
  open(): void;
  /** Creates a file that must not exist yet. */
  create(name: string): SinkFile;
  /** Writes a whole small file. */
  write(name: string, data: string | Uint8Array): void;
  remove(name: string): void;
  /** Takes back all that was written since `open`: a run that never began leaves nothing. */
  abandon(): void;
}

export function folderSink(folder: string): Sink {
  let made: string | undefined;
  const at = (name: string) => path.join(folder, name);
  return {
    place: folder,
    open() {
      if (fs.existsSync(folder)) refuse("RunExists", { place: folder });
      guard(folder, () => {
        made = fs.mkdirSync(path.dirname(path.resolve(folder)), { recursive: true });
        fs.mkdirSync(folder);
      });
    },
    create: (name) => folderFile(at(name)),
    write(name, data) {
      guard(at(name), () => {
        fs.mkdirSync(path.dirname(at(name)), { recursive: true });
        const handle = fs.openSync(at(name), "wx");
        try {
          writeAll(handle, data);
          fs.fsyncSync(handle);
        } finally {
          fs.closeSync(handle);
        }
      });
    },
    remove: (name) => guard(at(name), () => fs.rmSync(at(name))),
    abandon() {
      fs.rmSync(folder, { recursive: true, force: true });
      if (made !== undefined) fs.rmSync(made, { recursive: true, force: true });
    },
  };
}

function folderFile(file: string): SinkFile {
  const handle = guard(file, () => fs.openSync(file, "wx+"));
  let size = 0;
  return {
    append(data) {
      size += guard(file, () => writeAll(handle, data));
    },
    size: () => size,
    read(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      guard(file, () => {
        for (let done = 0; done < length; ) {
          const got = fs.readSync(handle, buffer, done, length - done, offset + done);
          if (got === 0) throw new Error(`ends at byte ${offset + done}, expected ${offset + length}`);
          done += got;
        }
      });
      return buffer;
    },
    sync: () => new Promise((resolve, reject) => fs.fsync(handle, (error) => (error === null ? resolve() : reject(failure(file, error))))),
    close: () => guard(file, () => fs.closeSync(handle)),
  };
}

function writeAll(handle: number, data: string | Uint8Array): number {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(handle, bytes, done, bytes.length - done);
  return bytes.length;
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
    return refuse("StorageFailed", { place, cause: cause(error), next: "free space or choose another --out; what was recorded so far is kept where it is" });
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
    create(name) {
      let bytes = Buffer.alloc(4096);
      let size = 0;
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
        sync: async () => {},
        close: () => void files.set(name, bytes.subarray(0, size)),
      };
    },
    write: (name, data) => void files.set(name, Buffer.from(data)),
    remove: (name) => void files.delete(name),
    abandon: () => files.clear(),
  };
}
