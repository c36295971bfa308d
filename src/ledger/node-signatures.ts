/** Ed25519 of `node:crypto`: it decides whether a signature verifies, and it makes those of this machine's keys. */
import * as crypto from "node:crypto";
import type { CheckSignature } from "../core/bytes.ts";
import { sha256Hex } from "../core/digest.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { mayVerify } from "./verifier-key.ts";

/** Ed25519 (RFC 8032). What mayVerify says no to, and a key that is no point: false. Never throws. */
export const checkSignature: CheckSignature = (publicKey, message, signature) => {
  if (!mayVerify(publicKey, signature)) return false;
  try {
    const x = Buffer.from(publicKey).toString("base64url");
    const key = crypto.createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return crypto.verify(null, message, key, signature);
  } catch {
    return false; // no key that a signature could verify under
  }
};

/** A private key at hand. */
export type Signer = {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes; the same for the same message (RFC 8032 section 5.1.6). */
  readonly sign: (message: Uint8Array) => Uint8Array;
};

/** The signature, 64 bytes, under the key of a 32-byte seed. */
export function signMessage(seed: Uint8Array, message: Uint8Array): Uint8Array {
  const der = Buffer.concat([Buffer.from(PKCS8, "hex"), seed]);
  return signerOfKey(crypto.createPrivateKey({ key: der, format: "der", type: "pkcs8" })).sign(message);
}

/** What stands before the seed in the PKCS#8 of an Ed25519 key (RFC 8410 section 7). */
const PKCS8 = "302e020100300506032b657004220420";

/** A fresh key of the machine's randomness; `pem` is PKCS#8, as signerOf reads it, and secret. */
export function newSigner(): { readonly signer: Signer; readonly pem: string } {
  const { privateKey } = crypto.generateKeyPairSync("ed25519");
  return {
    signer: signerOfKey(privateKey),
    pem: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

/** The key of a PKCS#8 PEM text, one Ed25519 key and nothing else; refuses KeyUnreadable, and quotes nothing of the text. */
export function signerOf(pem: string, place: Place): Signer {
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label]) => label as string);
  const [label] = labels;
  if (label === undefined) return unreadable(place, "no PEM text");
  if (labels.length > 1) unreadable(place, `${labels.length} PEM texts`);
  if (label !== "PRIVATE KEY") unreadable(place, `a PEM text of the label ${label}`);
  if (!/^\s*-----BEGIN [^-]*-----[A-Za-z0-9+/=\s]*-----END [^-]*-----\s*$/.test(pem))
    unreadable(place, "a PEM text with something beside it");
  let key: crypto.KeyObject;
  try {
    key = crypto.createPrivateKey({ key: pem, format: "pem" });
  } catch {
    return unreadable(place, "a PEM text that holds no key");
  }
  if (key.asymmetricKeyType !== "ed25519") unreadable(place, `a key of the kind ${key.asymmetricKeyType}`);
  return signerOfKey(key);
}

function unreadable(place: Place, found: string): never {
  return refuse("KeyUnreadable", {
    place,
    found,
    expected: "one unencrypted Ed25519 key in PKCS#8 PEM",
    next: "`blindcast keys new` makes one, and so does `openssl genpkey -algorithm ed25519`",
  });
}

function signerOfKey(key: crypto.KeyObject): Signer {
  const { x } = crypto.createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Uint8Array.from(Buffer.from(x as string, "base64url")),
    sign: (message) => Uint8Array.from(crypto.sign(null, message, key)),
  };
}

/** The first 16 hexadecimal digits of the key's SHA-256: names a ledger's folder, and its origin where none is given. */
export function keyId(publicKey: Uint8Array): string {
  return sha256Hex(publicKey).slice(0, 16);
}
