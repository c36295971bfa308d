/** Served rows by reference and by digest. References: `table#k1,k2`, with `%`, `,` and `#` percent-encoded. */
import { canonical, type Json } from "./canonical.ts";
import { sha256Hex } from "./digest.ts";

export type Cell = string | number | boolean | null;

/** The digest by which a served row is known: SHA-256 of its canonical bytes, 64 hexadecimal digits. */
export function rowDigest(row: Json): string {
  return sha256Hex(canonical(row));
}

/** Whether a parsed row is the one of a digest. What was canonical text comes back so from JSON, as a rule. */
export function isRow(row: Json, digest: string): boolean {
  return sha256Hex(JSON.stringify(row)) === digest || rowDigest(row) === digest;
}

/** `weather#north,2014-06-02` */
export function rowRef(table: string, key: readonly Cell[]): string {
  return `${encode(table)}#${key.map((cell) => encode(String(cell))).join(",")}`;
}

/** The table of a reference. */
export function tableOfRef(ref: string): string {
  const at = ref.indexOf("#");
  return decode(at < 0 ? ref : ref.slice(0, at));
}

const decode = (text: string): string => text.replace(/%23/g, "#").replace(/%2C/g, ",").replace(/%25/g, "%");

function encode(text: string): string {
  return /[%,#]/.test(text) ? text.replace(/%/g, "%25").replace(/,/g, "%2C").replace(/#/g, "%23") : text;
}
