/** RFC 6962 section 2.1 word by word: the tree's hash, the audit path, the consistency proof, by recursion. */
import * as crypto from "node:crypto";

const sha256 = (...parts: Uint8Array[]): Uint8Array =>
  Uint8Array.from(crypto.createHash("sha256").update(Buffer.concat(parts)).digest());

/** MTH(D[n]), of leaves that are hashed already. */
export function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Uint8Array;
  const k = below(leaves.length);
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** PATH(m, D[n]) */
export function naivePath(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = below(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** PROOF(m, D[n]) = SUBPROOF(m, D[n], true) */
export function naiveConsistency(m: number, leaves: readonly Uint8Array[], whole = true): Uint8Array[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const k = below(leaves.length);
  return m <= k
    ? [...naiveConsistency(m, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
    : [...naiveConsistency(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

/** On which side of a leaf each hash of its path stands, from the leaf up. */
export function sidesOf(index: number, size: number): string {
  if (size === 1) return "";
  const k = below(size);
  return index < k ? `${sidesOf(index, k)}R` : `${sidesOf(index - k, size - k)}L`;
}

function below(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}
