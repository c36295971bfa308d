/** Keys as C2SP signed-note writes them, `<name>+<id>+<base64 of type and key>`: parsed in one spelling, weak ones refused. */
import { fromBase64, type Sha256, toBase64, toHex, utf8 } from "../core/bytes.ts";
import { type Place, refuse } from "../core/refusal.ts";

/** `ledger.example/a+f24fa362+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c` */
export type VerifierKey = {
  /** Non-empty, without Unicode spaces, plus signs and control characters; a log's is its origin. */
  readonly name: string;
  /** 8 hexadecimal digits: SHA-256(name || 0x0A || type || key)[:4]. */
  readonly id: string;
  /** 1: Ed25519 signatures of a note; 4: Ed25519 cosignatures with a time (C2SP tlog-cosignature). */
  readonly type: 1 | 4;
  /** 32 bytes, an Ed25519 point (RFC 8032 section 5.1.2). */
  readonly publicKey: Uint8Array;
};

/** Refuses KeyMalformed (any spelling but formatVerifierKey's, another type), KeyIdMismatch, KeyWeak. */
export function parseVerifierKey(text: string, place: Place, sha256: Sha256): VerifierKey {
  const [, name, id, base64] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || id === undefined || base64 === undefined)
    return malformed(place, "key", text, "<name>+<id>+<base64>");
  if (!isKeyName(name)) malformed(place, "name of a key", name, KEY_NAME);
  if (!/^[0-9a-f]{8}$/.test(id)) malformed(place, "id of a key", id, "8 lower-case hexadecimal digits");
  const bytes = fromBase64(base64) ?? malformed(place, "key", base64, "base64 (RFC 4648, padded)");
  const [type] = bytes;
  if (type !== 1 && type !== 4)
    return malformed(place, "type of a key", toHex(bytes.slice(0, 1)), "01 (Ed25519) or 04 (cosignature)");
  if (bytes.length !== 33)
    malformed(place, "key", `${bytes.length} bytes`, "33 bytes: the type and an Ed25519 key");
  const key = verifierKey(name, type, bytes.slice(1), sha256);
  if (key.id !== id) refuse("KeyIdMismatch", { place, name, found: id, expected: key.id });
  if (isWeakPoint(key.publicKey)) {
    const expected = "a canonical point of large order";
    refuse("KeyWeak", { place, name, found: toHex(key.publicKey), expected });
  }
  return key;
}

function malformed(place: Place, subject: string, found: string, expected: string): never {
  return refuse("KeyMalformed", { place, subject, found, expected });
}

export function formatVerifierKey({ name, id, type, publicKey }: VerifierKey): string {
  return `${name}+${id}+${toBase64(typed(type, publicKey))}`;
}

/** A key with its id. Throws RangeError for a name or a key that a note cannot hold. */
export function verifierKey(
  name: string,
  type: VerifierKey["type"],
  publicKey: Uint8Array,
  sha256: Sha256,
): VerifierKey {
  if (!isKeyName(name) || publicKey.length !== 32)
    throw new RangeError(
      `a key of ${publicKey.length} bytes named ${JSON.stringify(name)}, expected 32 bytes`,
    );
  const head = utf8(`${name}\n`);
  const input = new Uint8Array(head.length + 33);
  input.set(head);
  input.set(typed(type, publicKey), head.length);
  return { name, id: toHex(sha256(input).subarray(0, 4)), type, publicKey };
}

function typed(type: number, publicKey: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(publicKey.length + 1);
  bytes[0] = type;
  bytes.set(publicKey, 1);
  return bytes;
}

/** What a key's name is, in words. */
export const KEY_NAME = "a name without spaces, plus signs and control characters";

/** C2SP signed-note, "Format": non-empty UTF-8 without Unicode spaces, plus (U+002B) and characters below U+0020. */
export function isKeyName(name: string): boolean {
  return (
    name !== "" && name.isWellFormed() && !/[\p{White_Space}+]/u.test(name) && controlIn(name) === undefined
  );
}

/** The first character below U+0020, which no note may hold; `allowed` may stand. */
export function controlIn(text: string, allowed = ""): string | undefined {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) < 32 && text.charAt(i) !== allowed) return text.charAt(i);
  return undefined;
}

/**
 * May a signature be looked at: 64 bytes, a key of 32 bytes, and neither the key nor R, its first half, isWeakPoint? No honest
 * signature has such an R, and versions of one library disagree about them: all verifiers are to give one verdict.
 */
export function mayVerify(publicKey: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  return !isWeakPoint(publicKey) && !isWeakPoint(signature.subarray(0, 32));
}

/** y of the points whose order divides 8, each for both signs of x: the neutral point, and those of order 2, 4, 8, 8. */
const SMALL_ORDER_Y = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];

/**
 * Of 32 bytes: do they encode one of the 14 small-order points, under which anyone can sign, or a y that is not below
 * p = 2^255 - 19 (RFC 8032 section 5.1.3, step 1)? Libraries disagree about these: they are refused before any sees them.
 */
export function isWeakPoint(publicKey: Uint8Array): boolean {
  const y = Uint8Array.from(publicKey); // a Buffer's slice would be no copy
  y[31] = (y[31] as number) & 127;
  if (SMALL_ORDER_Y.includes(toHex(y))) return true;
  return y[31] === 127 && (y[0] as number) >= 0xed && y.subarray(1, 31).every((byte) => byte === 255);
}
