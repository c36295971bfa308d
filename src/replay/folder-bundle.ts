/** A run folder on the disk: no link is followed, nothing but regular files is opened. */
import * as fs from "node:fs";
import * as path from "node:path";
import { limits } from "../core/limits.ts";
import { cause } from "../core/lines.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { BundleFile, RunFiles } from "./bundle.ts";
import { ARTIFACTS } from "./files.ts";

const CHUNK = 1 << 20;
/** A pipe is not waited for, a link not followed; neither flag is there on every system. */
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Refuses FileUnreadable where `folder` is none, or cannot be read. */
export function folderBundle(folder: string, place: Place = folder): RunFiles {
  guarded(place, () => fs.opendirSync(folder)).closeSync();
  /** Handles of files that are read at offsets. */
  const handles = new Map<string, number>();
  const open = (name: string) => openRegular(path.join(folder, ...name.split("/")), `${place}/${name}`);
  return {
    place,
    list: () => listed(folder, place),
    async *chunks(name) {
      const handle = open(name);
      try {
        const { size } = fs.fstatSync(handle);
        for (let at = 0; at < size; ) {
          const piece = new Uint8Array(Math.min(CHUNK, size - at));
          readFully(handle, piece, at, `${place}/${name}`);
          at += piece.length;
          yield piece;
        }
      } finally {
        fs.closeSync(handle);
      }
    },
    at(name, offset, length) {
      const handle = handles.get(name) ?? open(name);
      handles.set(name, handle);
      const { size } = fs.fstatSync(handle);
      if (offset + length > size) {
        const found = `${size} bytes, wanted ${length} from ${offset}`;
        refuse("FileUnreadable", { place: `${place}/${name}`, cause: found });
      }
      const bytes = new Uint8Array(length);
      readFully(handle, bytes, offset, `${place}/${name}`);
      return bytes;
    },
    close() {
      for (const handle of handles.values()) fs.closeSync(handle);
      handles.clear();
    },
  };
}

/** At most one more than may be there: whoever asked refuses then, and a folder of millions is not read. */
function listed(folder: string, place: Place): BundleFile[] {
  const found: BundleFile[] = [];
  const walk = (inside: string, prefix: string) => {
    const at = prefix === "" ? place : `${place}/${ARTIFACTS}`;
    const handle = guarded(at, () => fs.opendirSync(inside));
    const next = () => guarded(at, () => handle.readSync());
    try {
      for (let item = next(); item !== null; item = next()) {
        if (found.length > limits.runFiles) return;
        const name = prefix + item.name;
        const file = path.join(inside, item.name);
        const status = guarded(`${place}/${name}`, () => fs.lstatSync(file));
        const kind = status.isFile() ? "file" : status.isDirectory() ? "folder" : "other";
        found.push({ name, bytes: kind === "file" ? status.size : 0, kind });
        if (kind === "folder" && name === ARTIFACTS) walk(file, `${ARTIFACTS}/`);
      }
    } finally {
      handle.closeSync();
    }
  };
  walk(folder, "");
  return found;
}

function openRegular(file: string, place: Place): number {
  const handle = guarded(place, () => fs.openSync(file, FLAGS));
  if (fs.fstatSync(handle).isFile()) return handle;
  fs.closeSync(handle);
  return refuse("FileNotRegular", { place, found: "no regular file", expected: "a regular file" });
}

function readFully(handle: number, into: Uint8Array, at: number, place: Place): void {
  for (let done = 0; done < into.length; ) {
    const read = guarded(place, () => fs.readSync(handle, into, done, into.length - done, at + done));
    if (read === 0) refuse("FileUnreadable", { place, cause: `ended at ${at + done} while it was read` });
    done += read;
  }
}

function guarded<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuse("FileUnreadable", { place, cause: cause(error) });
  }
}
