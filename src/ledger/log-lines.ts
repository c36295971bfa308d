/** The lines of a log's file from an offset on: whole ones, each with the offset of its end; a torn last line is none. */
import * as fs from "node:fs";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { onDisk } from "./disk.ts";

export type LogLine = {
  /** Without the newline; not kept by the caller beyond the next line. */
  readonly bytes: Buffer;
  /** Of the byte after the newline. */
  readonly end: number;
};

const CHUNK = 1 << 20;

/** Refuses LimitExceeded for a line of more bytes than a leaf, or a row, has. */
export function* logLines(
  handle: number,
  from: number,
  place: Place,
  what: "leaf" | "row" = "leaf",
): Generator<LogLine> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const at = offset + rest.length;
    const size = onDisk(place, () => fs.readSync(handle, chunk, 0, CHUNK, at));
    if (size === 0) return;
    const bytes =
      rest.length === 0 ? chunk.subarray(0, size) : Buffer.concat([rest, chunk.subarray(0, size)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      demandShort(end - start, place, what);
      yield { bytes: bytes.subarray(start, end), end: offset + end + 1 };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    offset += start;
    demandShort(rest.length, place, what);
  }
}

function demandShort(found: number, place: Place, what: string): void {
  if (found > limits.entryBytes)
    refuse("LimitExceeded", { place, what: `bytes of a ${what}`, found, limit: limits.entryBytes });
}
