/** Bytes and their texts in any runtime: UTF-8, hexadecimal, base64; each text has one spelling, and others are no bytes. */

/** SHA-256 (FIPS 180-4) of the whole of `data`: 32 bytes. Does not keep `data`. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** SHA-256 at once and piece by piece; `digest` is called once, after the last `update`. */
export type Hashing = {
  readonly sha256: Sha256;
  readonly create: () => { update(data: Uint8Array): void; digest(): Uint8Array };
};

/** Does a 64-byte Ed25519 signature (RFC 8032) of `message` verify under a 32-byte key? Other lengths: false. */
export type CheckSignature = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The UTF-8 of a text; a lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes, or undefined where they are not UTF-8. A byte order mark is a character like any other. */
export function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // the caller refuses, and knows the place
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two lower-case hexadecimal digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i] as number];
  return text;
}

/** The bytes of lower-case hexadecimal digits; throws RangeError on any other text. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text))
    throw new RangeError("expected an even number of lower-case hexadecimal digits");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = nibble(text.charCodeAt(2 * i)) * 16 + nibble(text.charCodeAt(2 * i + 1));
  return bytes;
}

const nibble = (code: number) => (code < 58 ? code - 48 : code - 87);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648 section 4, padded. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group =
      ((bytes[i] as number) << 16) | ((left > 1 ? (bytes[i + 1] as number) : 0) << 8) | (bytes[i + 2] ?? 0);
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63);
    text += left > 1 ? ALPHABET.charAt((group >> 6) & 63) : "=";
    text += left > 2 ? ALPHABET.charAt(group & 63) : "=";
  }
  return text;
}

/**
 * The bytes of RFC 4648 section 4 base64 in the one spelling that toBase64 writes: padded, no white space, no other
 * alphabet, unused bits zero (section 3.5). Any other text: undefined.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4) {
    const group =
      (sextet(text, i) << 18) |
      (sextet(text, i + 1) << 12) |
      (sextet(text, i + 2) << 6) |
      sextet(text, i + 3);
    for (let shift = 16; shift >= 0; shift -= 8) {
      if (at < bytes.length) bytes[at++] = (group >> shift) & 255;
      else if (((group >> shift) & 255) !== 0) return undefined;
    }
  }
  return bytes;
}

function sextet(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97) return code - 71;
  if (code >= 65) return code - 65;
  if (code >= 48) return code === 61 ? 0 : code + 4;
  return code === 43 ? 62 : 63;
}

/** Equal length and equal bytes. Not in constant time: no secret is compared. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
