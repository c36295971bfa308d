/** The Merkle tree of RFC 6962 section 2.1, streamed: memory of one hash a level. */
import type { Sha256 } from "../core/bytes.ts";

export interface Tree {
  /** Appends a leaf by its hash, 32 bytes, which the tree keeps: it must not change. Throws RangeError on another length. */
  append(leaf: Uint8Array): void;
  readonly size: () => number;
  /** 32 bytes, the caller's own; of no leaves, the SHA-256 of nothing. */
  readonly root: () => Uint8Array;
}

export function createTree(sha256: Sha256): Tree {
  /** Roots of full subtrees, largest first: one for each 1 in the size's binary digits. */
  const full: Uint8Array[] = [];
  let size = 0;
  return {
    append(leaf) {
      if (leaf.length !== 32) throw new RangeError(`a leaf hash of ${leaf.length} bytes, expected 32`);
      let node = leaf;
      for (let n = size; n % 2 === 1; n = (n - 1) / 2)
        node = interiorHash(full.pop() as Uint8Array, node, sha256);
      full.push(node);
      size++;
    },
    size: () => size,
    root() {
      if (full.length === 0) return sha256(new Uint8Array(0));
      return Uint8Array.from(full.reduceRight((right, left) => interiorHash(left, right, sha256)));
    },
  };
}

/** SHA-256(0x00 || line), 32 bytes: the hash of a leaf (RFC 6962 section 2.1). */
export function leafHashOf(line: Uint8Array, sha256: Sha256): Uint8Array {
  const length = line.length + 1;
  const input = length <= LEAF.length ? LEAF.subarray(0, length) : new Uint8Array(length);
  input.set(line, 1);
  return sha256(input);
}

/** SHA-256(0x01 || left || right), of two hashes of 32 bytes. */
export function interiorHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  NODE.set(left, 1);
  NODE.set(right, 33);
  return sha256(NODE);
}

/** What is hashed, reused: SHA-256 is called at once, and keeps none of it. The first byte never changes. */
const LEAF = new Uint8Array(65_536);
const NODE = new Uint8Array(65).fill(1);
