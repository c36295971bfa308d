/** Merkle proofs of RFC 6962 section 2.1: that a leaf is in a tree, and that a tree only grew. */
import { type Sha256, sameBytes } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { createTree, interiorHash } from "./tree.ts";

/**
 * The audit path of leaf `index` in the tree of the first `size` leaf hashes (RFC 6962 section 2.1.1): 32-byte hashes from
 * the leaf's sibling up to the root's child. Throws RangeError unless 0 <= index < size <= leaves.length.
 */
export function inclusionProof(
  leaves: readonly Uint8Array[],
  index: number,
  size: number,
  sha256: Sha256,
): Uint8Array[] {
  if (!isCount(index) || index >= size || !(size <= leaves.length))
    throw new RangeError(`leaf ${index} of ${size}, expected one of at most ${leaves.length}`);
  const proof: Uint8Array[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + split(to - from);
    if (index < middle) {
      proof.push(rootOf(leaves, middle, to, sha256));
      to = middle;
    } else {
      proof.push(rootOf(leaves, from, middle, sha256));
      from = middle;
    }
  }
  return proof.reverse();
}

/**
 * The proof that the tree of the first `from` leaf hashes is a prefix of that of the first `to` (RFC 6962 section 2.1.2);
 * empty where they are equal. Throws RangeError unless 1 <= from <= to <= leaves.length.
 */
export function consistencyProof(
  leaves: readonly Uint8Array[],
  from: number,
  to: number,
  sha256: Sha256,
): Uint8Array[] {
  if (!isCount(from) || from < 1 || from > to || !(to <= leaves.length))
    throw new RangeError(`from ${from} to ${to} leaves, expected at least 1 and at most ${leaves.length}`);
  const proof: Uint8Array[] = [];
  let start = 0;
  let end = to;
  while (from < end) {
    const middle = start + split(end - start);
    if (from <= middle) {
      proof.push(rootOf(leaves, middle, end, sha256));
      end = middle;
    } else {
      proof.push(rootOf(leaves, start, middle, sha256));
      start = middle;
    }
  }
  // The subtree that the walk ended at is the old tree itself, whose root the verifier has, only where it starts at 0.
  if (start > 0) proof.push(rootOf(leaves, start, end, sha256));
  return proof.reverse();
}

type Inclusion = {
  readonly index: number;
  readonly size: number;
  /** The leaf's hash. */
  readonly leaf: Uint8Array;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/**
 * Does the audit path lead from the leaf to the root (RFC 9162 section 2.1.3.2)? Whatever is no tree, no index in it or
 * no hash of 32 bytes: false. The size is not bound by the root: another size of the same shape may verify too, so it must
 * come from where the root does.
 */
export function provesInclusion({ index, size, leaf, root, proof }: Inclusion, sha256: Sha256): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leaf, root], proof)) return false;
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = interiorHash(sibling, hash, sha256);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = half(last);
      }
    } else hash = interiorHash(hash, sibling, sha256);
    at = half(at);
    last = half(last);
  }
  return last === 0 && sameBytes(hash, root);
}

type Consistency = {
  readonly from: number;
  readonly to: number;
  readonly oldRoot: Uint8Array;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/**
 * Is the tree of `from` leaves a prefix of that of `to` leaves (RFC 9162 section 2.1.4.2)? Equal sizes need equal roots and
 * an empty proof. An empty old tree says nothing about the new one: false, and so is whatever is no tree and no hash of 32
 * bytes.
 */
export function provesConsistency(
  { from, to, oldRoot, newRoot, proof }: Consistency,
  sha256: Sha256,
): boolean {
  if (!isCount(from) || !isCount(to) || from < 1 || from > to) return false;
  if (!areHashes([oldRoot, newRoot], proof)) return false;
  if (from === to) return proof.length === 0 && sameBytes(oldRoot, newRoot);
  let at = from - 1;
  let last = to - 1;
  while (at % 2 === 1) {
    at = half(at);
    last = half(last);
  }
  // `at` is 0 exactly where `from` is a power of two: the old tree is then a subtree of the new one, and its root the start.
  const path = at === 0 ? [oldRoot, ...proof] : proof;
  const [first, ...rest] = path;
  if (first === undefined) return false;
  let old = first;
  let grown = first;
  for (const hash of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      old = interiorHash(hash, old, sha256);
      grown = interiorHash(hash, grown, sha256);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = half(last);
      }
    } else grown = interiorHash(grown, hash, sha256);
    at = half(at);
    last = half(last);
  }
  return last === 0 && sameBytes(old, oldRoot) && sameBytes(grown, newRoot);
}

/** Counts pass 2^31, where shifts would end. */
const half = (count: number) => Math.floor(count / 2);
const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

function areHashes(ends: readonly Uint8Array[], proof: readonly Uint8Array[]): boolean {
  return proof.length <= limits.proofHashes && [...ends, ...proof].every(({ length }) => length === 32);
}

/** The largest power of two below `count`, which is at least 2. */
function split(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function rootOf(leaves: readonly Uint8Array[], from: number, to: number, sha256: Sha256): Uint8Array {
  const tree = createTree(sha256);
  for (let i = from; i < to; i++) tree.append(leaves[i] as Uint8Array);
  return tree.root();
}
