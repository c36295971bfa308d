/** Keys of tests, the same each time: from a seed of one repeated byte. */
import * as crypto from "node:crypto";
import { utf8 } from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { signMessage } from "../../src/ledger/node-signatures.ts";
import type { NoteSignature } from "../../src/ledger/note.ts";
import { type VerifierKey, verifierKey } from "../../src/ledger/verifier-key.ts";

export type TestKey = {
  readonly key: VerifierKey;
  /** A signature line of a note's text: as a log (type 1), or as a witness (type 4) at the second `time`. */
  readonly sign: (text: string, time?: number) => NoteSignature;
};

const PKCS8 = "302e020100300506032b657004220420";

export function testKey(name: string, type: 1 | 4, byte: number): TestKey {
  const seed = new Uint8Array(32).fill(byte);
  const secret = crypto.createPrivateKey({
    key: Buffer.concat([Buffer.from(PKCS8, "hex"), seed]),
    format: "der",
    type: "pkcs8",
  });
  const x = crypto.createPublicKey(secret).export({ format: "jwk" }).x as string;
  const key = verifierKey(name, type, Uint8Array.from(Buffer.from(x, "base64url")), nodeHashing.sha256);
  return {
    key,
    sign(text, time = 1_780_000_000) {
      if (type === 1) return { name, id: key.id, signature: signMessage(seed, utf8(text)) };
      const signature = new Uint8Array(72);
      new DataView(signature.buffer).setBigUint64(0, BigInt(time));
      signature.set(signMessage(seed, utf8(`cosignature/v1\ntime ${time}\n${text}`)), 8);
      return { name, id: key.id, signature };
    },
  };
}
