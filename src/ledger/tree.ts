/** The Merkle tree of RFC 6962 section 2.1, streamed: memory of one hash a level. */
import * as crypto from "node:crypto";

export interface Tree {
  /** Appends a leaf by its hash, SHA-256(0x00 || line), 64 hexadecimal digits. */
  append(leaf: string): void;
  readonly size: () => number;
  /** 64 hexadecimal digits; of no leaves, the SHA-256 of nothing. */
  readonly root: () => string;
}

export function createTree(): Tree {
  /** Roots of full subtrees, largest first: one for each 1 in the size's binary digits. */
  const full: Buffer[] = [];
  let size = 0;
  return {
    append(leaf) {
      let node: Buffer = Buffer.from(leaf, "hex");
      for (let n = size; n % 2 === 1; n = (n - 1) / 2) node = interior(full.pop() as Buffer, node);
      full.push(node);
      size++;
    },
    size: () => size,
    root() {
      if (full.length === 0) return crypto.createHash("sha256").digest("hex");
      return full.reduceRight((right, left) => interior(left, right)).toString("hex");
    },
  };
}

/** SHA-256(0x01 || left || right) */
function interior(left: Buffer, right: Buffer): Buffer {
  NODE.set(left, 1);
  NODE.set(right, 33);
  return Buffer.from(crypto.hash("sha256", NODE, "hex"), "hex");
}
const NODE = Buffer.alloc(65, 1);
