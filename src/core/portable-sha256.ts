/** SHA-256 in any runtime: the second implementation, of @noble/hashes. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Hashing } from "./bytes.ts";

/** Slower than `node:crypto` and independent of it: the browser's hash, and a second opinion anywhere. */
export const portableHashing: Hashing = {
  sha256: (data) => sha256(data),
  create() {
    const hash = sha256.create();
    return {
      update(data) {
        hash.update(data);
      },
      digest: () => hash.digest(),
    };
  },
};
