/** Text files as streams of numbered lines: UTF-8 or refused, no line longer than the limit, memory of one chunk. */
import * as fs from "node:fs";
import { limits } from "./limits.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

export type Line = { readonly text: string; readonly number: number };

const CHUNK = 1 << 20;

/** The lines of a file, numbered from 1; the last may lack its newline. CR before LF is kept: JSON ignores it. */
export function* readLines(file: string, place: Place, complain: Complain = strict): Generator<Line> {
  const decoder = strictDecoder();
  let number = 0;
  for (const block of readBlocks(file, place, complain)) {
    const whole = decode(decoder, block);
    const lines = whole === undefined ? block.toString("latin1").split("\n") : whole.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) {
      number++;
      const text = whole === undefined ? decode(decoder, Buffer.from(line, "latin1")) : line;
      if (text === undefined) complain("FileUnreadable", { place: `${place}:${number}`, cause: "not UTF-8" });
      else if (!isTooLong(text, `${place}:${number}`, complain))
        yield { text: number === 1 ? text.replace(/^\uFEFF/, "") : text, number };
    }
  }
}

function isTooLong(text: string, place: Place, complain: Complain): boolean {
  const found = text.length * 3 > limits.lineBytes ? Buffer.byteLength(text) : 0;
  if (found <= limits.lineBytes) return false;
  complain("LimitExceeded", { place, what: "bytes of a line", found, limit: limits.lineBytes });
  return true;
}

/** The bytes of a file in blocks of whole lines; a line that outgrows the limit is refused, and the file ends there. */
export function* readBlocks(file: string, place: Place, complain: Complain = strict): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let lines = 0;
  for (const chunk of readChunks(file, place, complain)) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0) {
      const block =
        rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)]);
      rest = chunk.subarray(end);
      yield block;
      lines += countLines(block);
    } else rest = Buffer.concat([rest, chunk]);
    if (rest.length > limits.lineBytes) {
      complain("LimitExceeded", {
        place: `${place}:${lines + 1}`,
        what: "bytes of a line",
        found: rest.length,
        limit: limits.lineBytes,
      });
      return;
    }
  }
  if (rest.length > 0) yield rest;
}

/** How many newlines a block has. */
export function countLines(block: Buffer): number {
  let lines = 0;
  for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) lines++;
  return lines;
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
  const text = decode(strictDecoder(), Buffer.concat(chunks));
  if (text === undefined) complain("FileUnreadable", { place, cause: "not UTF-8" });
  return text;
}

/** Keeps a byte order mark, so that a text's digest is its file's. */
const strictDecoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // the caller refuses, and knows the place
  }
}

/** `no such file or directory` of an error of the file system, without its path. */
export function cause(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^([A-Z]+): /, "$1 ").replace(/, [a-z]+( '.*')?$/s, "");
}
