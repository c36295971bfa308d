/** C2SP tlog-proof: that a leaf is in a log, as one file that needs nothing but a policy to be believed. */
import { fromBase64, toBase64 } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { COUNT, parseCount } from "./checkpoint.ts";

/** `c2sp.org/tlog-proof@v1`, `index 7`, the hashes in base64 a line each, an empty line, the signed checkpoint. */
export type TlogProof = {
  /** Of the leaf, from 0; a safe integer. */
  readonly index: number;
  /** 32 bytes each, from the leaf's sibling to the root's child; at most 63. */
  readonly proof: readonly Uint8Array[];
  /** The signed note verbatim: whoever believes the proof parses and opens it. */
  readonly checkpoint: string;
};

const HEAD = "c2sp.org/tlog-proof@v1";

/** Reads the file's text; refuses ProofMalformed, also for an `extra` line, which nothing signs. */
export function parseTlogProof(text: string, place: Place): TlogProof {
  const gap = text.indexOf("\n\n");
  if (gap < 0) malformed(place, "proof", text, "an empty line before the checkpoint");
  const [head, index, ...hashes] = text.slice(0, gap).split("\n");
  if (head !== HEAD) malformed(`${place}:1`, "first line", head ?? "", HEAD);
  if (index === undefined || !index.startsWith("index "))
    return malformed(`${place}:2`, "index", index ?? "", '"index <number>"');
  if (hashes.length > limits.proofHashes)
    malformed(place, "proof", `${hashes.length} hashes`, `at most ${limits.proofHashes}`);
  const digits = index.slice("index ".length);
  return {
    index: parseCount(digits) ?? malformed(`${place}:2`, "index", digits, COUNT),
    proof: hashes.map((hash, i) => {
      const bytes = fromBase64(hash);
      if (bytes?.length === 32) return bytes;
      return malformed(`${place}:${i + 3}`, "hash", hash, "base64 of 32 bytes (RFC 4648, padded)");
    }),
    checkpoint: text.slice(gap + 2),
  };
}

function malformed(place: Place, subject: string, found: string, expected: string): never {
  return refuse("ProofMalformed", { place, subject, found, expected });
}

/** The one spelling of a proof. What none can hold is refused as ProofMalformed before it is written. */
export function formatTlogProof({ index, proof, checkpoint }: TlogProof): string {
  const lines = [HEAD, `index ${index}`, ...proof.map(toBase64), "", checkpoint];
  const text = lines.join("\n");
  parseTlogProof(text, "a proof that is written");
  return text;
}
