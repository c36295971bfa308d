/** Lines of a run folder's file, read where they lie: numbered from 1, each with its newline, all of them UTF-8. */
import { strictUtf8 } from "../core/bytes.ts";
import { isCanonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import type { Line } from "../core/lines.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fileIn, type RunFiles, wholeFile } from "./bundle.ts";
import { readCanonical } from "./canonical-bytes.ts";

const WINDOW = 1 << 18;
const NEWLINE = 10;

/**
 * The lines of the first `bytes` bytes of a file, without their newlines; memory of one window and one line. Refuses
 * NotCanonical for a last line without a newline and for what is not UTF-8, LimitExceeded for a line beyond the limit.
 */
export function* recordedLines(bundle: RunFiles, name: string, bytes: number): Generator<Line> {
  const place = fileIn(bundle, name);
  let number = 0;
  let pending: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < bytes; at += WINDOW) {
    const piece = bundle.at(name, at, Math.min(WINDOW, bytes - at));
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const head = piece.subarray(0, end);
      const block = pending.length === 0 ? head : Buffer.concat([...pending, head]);
      const text = strictUtf8(block) ?? refuseBytes(block, place, number);
      for (let from = 0, to = text.indexOf("\n"); to >= 0; from = to + 1, to = text.indexOf("\n", from))
        yield { text: text.slice(from, to), number: ++number };
    }
    const tail = piece.slice(end);
    pending = tail.length === 0 ? [] : end > 0 ? [tail] : [...pending, tail];
    length = end > 0 ? tail.length : length + tail.length;
    if (length > limits.lineBytes) {
      const details = { what: "bytes of a line", found: length, limit: limits.lineBytes };
      refuse("LimitExceeded", { place: `${place}:${number + 1}`, ...details });
    }
  }
  if (length > 0) {
    const expected = "a newline at the end of each line";
    refuse("NotCanonical", { place: `${place}:${number + 1}`, found: "no newline at the end", expected });
  }
}

function refuseBytes(block: Uint8Array, place: Place, before: number): never {
  let line = before + 1;
  for (let from = 0; strictUtf8(block.subarray(from, block.indexOf(NEWLINE, from))) !== undefined; line++)
    from = block.indexOf(NEWLINE, from) + 1;
  return refuse("NotCanonical", {
    place: `${place}:${line}`,
    found: "bytes that are not UTF-8",
    expected: "UTF-8",
  });
}

/** The value of a line; refuses NotCanonical where the line is not its one spelling. */
export function canonicalLine({ text, number }: Line, place: Place): Json {
  try {
    const value = JSON.parse(text) as Json;
    if (isCanonical(text, value)) return value;
  } catch {
    // no JSON: what stands there instead is said below
  }
  const read = readCanonical(Buffer.from(text));
  if ("value" in read) return read.value;
  const { column, ...fault } = read.fault;
  return refuse("NotCanonical", { place: `${place}:${number}:${column}`, ...fault });
}

/** The value of a small file that is one canonical line; refuses NotCanonical. */
export async function canonicalFile(bundle: RunFiles, name: string): Promise<Json> {
  const place = fileIn(bundle, name);
  const bytes = await wholeFile(bundle, name, limits.jsonFileBytes);
  const newline = bytes.length - 1;
  const read = readCanonical(bytes.subarray(0, newline));
  if ("value" in read && bytes[newline] === NEWLINE) return read.value;
  const end = { found: "no newline at the end", expected: "one line, and a newline at its end", column: 1 };
  const { column, ...fault } = "fault" in read ? read.fault : end;
  return refuse("NotCanonical", { place: `${place}:1:${column}`, ...fault });
}
