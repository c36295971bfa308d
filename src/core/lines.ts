/** Text files as streams of numbered lines: UTF-8 or refused, no line longer than the limit, memory of one chunk. */
import * as fs from "node:fs";
import { limits } from "./limits.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

export type Line = { readonly text: string; readonly number: number };

const CHUNK = 1 << 20;

/** The lines of a file, numbered from 1; the last may lack its newline. CR before LF is kept: JSON ignores it. */
export function* readLines(file: string, place: Place, complain: Complain = strict): Generator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let rest = "";
  for (const chunk of readChunks(file, place, complain)) {
    const text = decode(decoder, chunk, true, `${place}:${number + 1}`, complain);
    if (text === undefined) return;
    const pieces = (rest + text).split("\n");
    rest = pieces.pop() as string;
    for (const piece of pieces) yield { text: piece, number: ++number };
    if (rest.length > limits.lineBytes) {
      complain("LimitExceeded", {
        place: `${place}:${number + 1}`,
        what: "bytes of a line",
        found: rest.length,
        limit: limits.lineBytes,
      });
      return;
    }
  }
  const tail = decode(decoder, Buffer.alloc(0), false, `${place}:${number + 1}`, complain);
  if (tail !== undefined && rest + tail !== "") yield { text: rest + tail, number: number + 1 };
}

/** The bytes of a file in chunks that are reused by nobody. */
export function* readChunks(file: string, place: Place, complain: Complain = strict): Generator<Buffer> {
  let handle: number;
  try {
    handle = fs.openSync(file, "r");
  } catch (error) {
    complain("FileUnreadable", { place, cause: cause(error) });
    return;
  }
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      const size = fs.readSync(handle, buffer, 0, CHUNK, null);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } catch (error) {
    complain("FileUnreadable", { place, cause: cause(error) });
  } finally {
    fs.closeSync(handle);
  }
}

/** A whole small text file. */
export function readText(
  file: string,
  place: Place,
  limit: number,
  complain: Complain = strict,
): string | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  let faulty = false;
  const note: Complain = (code, details) => {
    faulty = true;
    complain(code, details);
  };
  for (const chunk of readChunks(file, place, note)) {
    size += chunk.length;
    if (size > limit) {
      complain("LimitExceeded", { place, what: "bytes", found: size, limit });
      return undefined;
    }
    chunks.push(chunk);
  }
  if (faulty) return undefined;
  return decode(new TextDecoder("utf-8", { fatal: true }), Buffer.concat(chunks), false, place, complain);
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  stream: boolean,
  place: Place,
  complain: Complain,
) {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    complain("FileUnreadable", { place, cause: "not UTF-8" });
    return undefined;
  }
}

/** `no such file or directory` of an error of the file system, without its path. */
export function cause(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^([A-Z]+): /, "$1 ").replace(/, [a-z]+( '.*')?$/s, "");
}
