/** A second xoroshiro128+, in 64-bit integers from the paper, that shares no code with ours. */

import { createHash } from "node:crypto";

const MASK = (1n << 64n) - 1n;

function rotl(x: bigint, k: bigint): bigint {
  return ((x << k) | (x >> (64n - k))) & MASK;
}

/** The low 32 bits of each sum. Blackman and Vigna (2018), xoroshiro128+ 1.0: rotations 24, 16, 37. */
export function referenceStream(seed: number, name: string) {
  const hash = createHash("sha256");
  hash.update(Buffer.from(String(seed), "ascii"));
  hash.update(Buffer.from([0]));
  hash.update(Buffer.from(name, "utf8"));
  const digest = hash.digest();
  let s0 = digest.readBigUInt64BE(0);
  let s1 = digest.readBigUInt64BE(8);
  function next(): number {
    const result = Number((s0 + s1) & 0xffffffffn);
    s1 ^= s0;
    s0 = rotl(s0, 24n) ^ s1 ^ ((s1 << 16n) & MASK);
    s1 = rotl(s1, 37n);
    return result;
  }
  function below(n: number): number {
    const accepted = 4294967296n - (4294967296n % BigInt(n));
    for (;;) {
      const u = BigInt(next());
      if (u < accepted) return Number(u % BigInt(n));
    }
  }
  return { next, below };
}
