/** A log and two witnesses with keys of their own, and what they sign. */
import * as crypto from "node:crypto";
import { toHex, utf8 } from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { type Signer, signerOf } from "../../src/ledger/node-signatures.ts";
import { formatNote, type NoteSignature } from "../../src/ledger/note.ts";
import { type Policy, parsePolicy } from "../../src/ledger/policy.ts";
import { formatVerifierKey, type VerifierKey, verifierKey } from "../../src/ledger/verifier-key.ts";

export const { sha256 } = nodeHashing;

/** The PKCS#8 PEM of an Ed25519 seed (RFC 8410 section 7). */
export function pemOf(seed: Uint8Array): string {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  return `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

export type Party = { readonly signer: Signer; readonly key: VerifierKey; readonly text: string };

/** The holder of a seed under a name; `type` 4 is a witness. */
export function party(name: string, type: 1 | 4, seed: Uint8Array): Party {
  const signer = signerOf(pemOf(seed), "seed");
  const key = verifierKey(name, type, signer.publicKey, sha256);
  return { signer, key, text: formatVerifierKey(key) };
}

export const seedOf = (text: string): Uint8Array =>
  crypto.createHash("sha256").update(text).digest().subarray(0, 32);

export const ORIGIN = "ledger.example/a";
export const log = party(ORIGIN, 1, seedOf("log"));
export const first = party("witness.example/w1", 4, seedOf("first"));
export const second = party("witness.example/w2", 4, seedOf("second"));

/** The root of an empty tree, with any size: what a note's signatures say does not depend on it. */
export const EMPTY_ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
export const checkpointText = (origin = ORIGIN, size = 7) => `${origin}\n${size}\n${EMPTY_ROOT}\n`;

export function signed({ key, signer }: Party, text: string): NoteSignature {
  return { name: key.name, id: key.id, signature: signer.sign(utf8(text)) };
}

/** A witness's line: 8 bytes of time, and the signature of what C2SP tlog-cosignature has it sign. */
export function cosignedBy({ key, signer }: Party, text: string, seconds = 1_700_000_000n): NoteSignature {
  const signature = new Uint8Array(72);
  new DataView(signature.buffer).setBigUint64(0, seconds);
  signature.set(signer.sign(utf8(`cosignature/v1\ntime ${seconds}\n${text}`)), 8);
  return { name: key.name, id: key.id, signature };
}

export const noteOf = (text: string, ...signatures: NoteSignature[]) => formatNote({ text, signatures });

export function policyOf(...lines: string[]): Policy {
  return parsePolicy(utf8(lines.map((line) => `${line}\n`).join("")), "policy", sha256);
}

/** Some bits of `bytes` the other way. */
export function flipped(bytes: Uint8Array, at: number, bits = 1): Uint8Array {
  const other = bytes.slice();
  other[at] = (other[at] as number) ^ bits;
  return other;
}

/** Different leaf hashes. */
export const leafHashes = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => sha256(utf8(`leaf ${i}`)));

export const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);
