/** An endpoint's key: asked for by name, sent in one header, and taken out of whatever comes back. */
import type { Json } from "../core/canonical.ts";
import { refuse } from "../core/refusal.ts";
import { parseJson } from "../core/strict-json.ts";
import type { Endpoint } from "./endpoint.ts";

/** The token of RFC 6750, 2.1, and `:`. A shorter one would stand in other text by chance, and break it when taken out. */
const KEY = /^[A-Za-z0-9._~+/:=-]{8,8000}$/;
const REDACTED = "[redacted]";

export type Credential = {
  /** The name of its environment variable. */
  readonly variable: string | null;
  /** The header's value, or null where the endpoint asks for no key. */
  readonly header: string | null;
  /** The text without the key, however JSON, JSON in JSON and so on to the fourth may spell it. O(length). */
  readonly redact: (text: string) => string;
};

/** Refuses CredentialMissing, and FieldInvalid for a value that is none; no message holds any of it. */
export function credentialOf(
  endpoint: Pick<Endpoint, "keyVariable" | "place">,
  key: (variable: string) => string | undefined,
): Credential {
  const { keyVariable: variable, place } = endpoint;
  if (variable === null) return { variable, header: null, redact: (text) => text };
  const value = key(variable) ?? "";
  if (value === "") refuse("CredentialMissing", { place, variable });
  if (!KEY.test(value) || REDACTED.includes(value))
    refuse("FieldInvalid", {
      place,
      field: "key_variable",
      found: `a value of ${variable} that is no key`,
      expected: "8 characters or more, of A-Z a-z 0-9 . _ ~ + / : = -",
    });
  const spelled = new RegExp(Array.from(value, spellings).join(""), "g");
  const redact = (text: string) =>
    text.includes(value) || text.includes("\\") ? text.replace(spelled, REDACTED) : text;
  return { variable, header: `Bearer ${value}`, redact };
}

/** A character as itself or as JSON escapes it; each level of JSON in JSON doubles the backslashes. */
function spellings(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  const digits = Array.from(hex, (digit) => `[${digit}${digit.toUpperCase()}]`).join("");
  const plain = character === "/" ? "\\\\{0,8}/" : `[${character === "-" ? "\\-" : character}]`;
  return `(?:${plain}|\\\\{1,8}u00${digits})`;
}

/** Strict JSON of a text that came back, and the text, both without the key; undefined where it is none. */
export function parseWithout(
  { redact }: Pick<Credential, "redact">,
  given: string,
): { readonly text: string; readonly value: Json } | undefined {
  const text = redact(given);
  let fits = true;
  const value = parseJson(text, "reply", () => {
    fits = false;
  });
  return fits && value !== undefined ? { text, value } : undefined;
}
