/** A bundle whose files are in memory: for a browser, and for tests. */
import { refuse } from "../core/refusal.ts";
import type { RunFiles } from "./bundle.ts";

const CHUNK = 1 << 16;

/** The files by name; the map is read when it is asked, so what changes in it is seen. */
export function memoryBundle(files: ReadonlyMap<string, Uint8Array>, place = "memory"): RunFiles {
  const bytesOf = (name: string): Uint8Array =>
    files.get(name) ?? refuse("FileUnreadable", { place: `${place}/${name}`, cause: "no such file" });
  return {
    place,
    list: () => [...files].map(([name, { length }]) => ({ name, bytes: length, kind: "file" })),
    async *chunks(name) {
      const bytes = bytesOf(name);
      for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
    },
    at(name, offset, length) {
      const bytes = bytesOf(name);
      if (offset + length > bytes.length) {
        const cause = `${bytes.length} bytes, wanted ${length} from ${offset}`;
        refuse("FileUnreadable", { place: `${place}/${name}`, cause });
      }
      return bytes.subarray(offset, offset + length);
    },
    close() {},
  };
}
