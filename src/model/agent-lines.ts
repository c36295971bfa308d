/** Lines out of bytes that somebody else sends: UTF-8, none longer than the limit, in memory of about one line. */
import { limits } from "../core/limits.ts";
import type { Received } from "./agent-session.ts";

export type LineSource = {
  /** The next whole line; null: it has not come yet. */
  next(): Received | null;
  /** What has come of the line after the last. */
  rest(): string;
};

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/** `read` gives the bytes that have come, or null. */
export function lineSource(read: () => Buffer | null): LineSource {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let chunk: Buffer = NOTHING;
  /** The start of a line whose end has not come: the first `held` bytes of `start`. */
  let start = NOTHING;
  let held = 0;

  const hold = (piece: Buffer): void => {
    if (held + piece.length > start.length) {
      const larger = Buffer.allocUnsafe(Math.max(1_024, 2 * (held + piece.length)));
      start.copy(larger, 0, 0, held);
      start = larger;
    }
    piece.copy(start, held);
    held += piece.length;
  };
  const take = (piece: Buffer): Received => {
    let line = piece;
    if (held > 0) {
      hold(piece);
      line = start.subarray(0, held);
      start = NOTHING;
      held = 0;
    }
    try {
      return { kind: "line", text: decoder.decode(line) };
    } catch {
      return { kind: "broken", problem: "a line that is not UTF-8" };
    }
  };
  return {
    next() {
      for (;;) {
        const end = chunk.indexOf(NEWLINE);
        const piece = end < 0 ? chunk : chunk.subarray(0, end);
        if (held + piece.length > limits.lineBytes)
          return { kind: "broken", problem: `a line of more than ${limits.lineBytes} bytes` };
        if (end >= 0) {
          chunk = chunk.subarray(end + 1);
          return take(piece);
        }
        hold(piece);
        const came = read();
        chunk = came ?? NOTHING;
        if (came === null) return null;
      }
    },
    rest: () => new TextDecoder().decode(start.subarray(0, held)),
  };
}
