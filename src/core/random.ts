/** Named seeded streams: every die in a result is thrown here, and a third party can throw it again. */

import { createHash } from "node:crypto";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { assert } from "./assert.ts";

const TWO_TO_32 = 4294967296;

export type Stream = {
  /** The next 32 bits, as an integer in [0, 2³²). */
  nextUint32(): number;
  /** A uniform index in [0, n): u is drawn again while u ≥ 2³² − (2³² mod n), then u mod n. n in 1..2³². */
  below(n: number): number;
};

/**
 * The stream of a seed and a name: xoroshiro128+ (Blackman and Vigna 2018, pure-rand 8.4.2, low 32 bits of
 * each sum), its state the first 16 bytes of SHA-256(seed in decimal ASCII ‖ 0x00 ‖ name in UTF-8), read as
 * four big-endian 32-bit integers s01, s00, s11, s10. Throws RangeError when the seed is not a safe integer.
 * Spec chapter 63.
 */
export function stream(seed: number, name: string): Stream {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`seed: expected a safe integer, got ${seed}`);
  return streamOf(createHash("sha256").update(`${seed}\0${name}`, "utf8").digest());
}

/** The stream whose state is the first 16 bytes: big-endian 32-bit integers s01, s00, s11, s10. */
export function streamOf(bytes: Buffer): Stream {
  const state = [0, 4, 8, 12].map((offset) => bytes.readInt32BE(offset));
  assert(
    state.some((word) => word !== 0),
    "an all-zero state never leaves zero",
  );
  const generator = xoroshiro128plusFromState(state);
  let divisor = 1;
  let limit = TWO_TO_32;
  return {
    nextUint32: () => generator.next() >>> 0,
    below(n) {
      if (n !== divisor) {
        limit = acceptedBelow(n);
        divisor = n;
      }
      let u = generator.next() >>> 0;
      while (u >= limit) u = generator.next() >>> 0;
      return u % n;
    },
  };
}

function acceptedBelow(n: number): number {
  if (!Number.isInteger(n) || n < 1 || n > TWO_TO_32) {
    throw new RangeError(`below: expected an integer in 1..2^32, got ${n}`);
  }
  return TWO_TO_32 - (TWO_TO_32 % n);
}
