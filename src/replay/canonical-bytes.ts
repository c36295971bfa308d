/** Canonical JSON as it lies in a file: bytes that are the one spelling of a value, or a refusal that says where not. */
import { strictUtf8 } from "../core/bytes.ts";
import { canonical, isCanonical, type Json } from "../core/canonical.ts";
import type { Refusals } from "../core/refusal.ts";

type Read =
  | { readonly value: Json }
  | { readonly fault: Omit<Refusals["NotCanonical"], "place"> & { column: number } };

/** The value of a line without its newline; else what stands there, what would be canonical, and the column from 1. */
export function readCanonical(bytes: Uint8Array): Read {
  const text = strictUtf8(bytes);
  if (text === undefined)
    return { fault: { found: "bytes that are not UTF-8", expected: "UTF-8", column: 1 } };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { fault: { found: excerpt(text, 0), expected: (error as Error).message, column: 1 } };
  }
  return isCanonical(text, value) ? { value } : { fault: differenceOf(text, value) };
}

function differenceOf(text: string, value: Json): { found: string; expected: string; column: number } {
  let expected: string;
  try {
    expected = canonical(value);
  } catch (error) {
    return { found: excerpt(text, 0), expected: (error as Error).message, column: 1 };
  }
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at++;
  return { found: excerpt(text, at), expected: excerpt(expected, at), column: at + 1 };
}

/** The text around a place, a little before it and more after. */
function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 12);
  const to = at + 28;
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}
