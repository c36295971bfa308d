/** The lines of a file of entries as they stream by, each with its leaf; memory of one line, whatever its length. */
import type { Hashing } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { leafHashOf } from "../ledger/tree.ts";

/**
 * A line: its leaf, its bytes without the newline (null where they are more than an entry may have: they were hashed and
 * let go), how many they are. The bytes are the line's only during the call.
 */
export type TakeLine = (leaf: Uint8Array, bytes: Uint8Array | null, length: number) => void;

const NEWLINE = 10;
const ZERO = new Uint8Array(1);

/** Calls `take` for each line that ends in a newline; how many bytes stand after the last newline. */
export async function eachEntryLine(
  chunks: AsyncIterable<Uint8Array>,
  hashing: Hashing,
  take: TakeLine,
): Promise<number> {
  const pending = new Uint8Array(limits.entryBytes);
  let length = 0;
  /** Of a line that outgrew `pending`. */
  let long: ReturnType<Hashing["create"]> | null = null;
  const keep = (piece: Uint8Array) => {
    if (long === null && length + piece.length <= pending.length) pending.set(piece, length);
    else {
      if (long === null) {
        long = hashing.create();
        long.update(ZERO);
        long.update(pending.subarray(0, length));
      }
      long.update(piece);
    }
    length += piece.length;
  };
  const end = () => {
    if (long === null) {
      const line = pending.subarray(0, length);
      take(leafHashOf(line, hashing.sha256), line, length);
    } else take(long.digest(), null, length);
    long = null;
    length = 0;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      if (length === 0 && piece.length <= pending.length)
        take(leafHashOf(piece, hashing.sha256), piece, piece.length);
      else {
        keep(piece);
        end();
      }
      from = at + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
  return length;
}
