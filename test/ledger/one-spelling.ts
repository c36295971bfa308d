/** Formats of one spelling, as tests look at them: each text that is nearly right is refused, or means itself. */
import assert from "node:assert/strict";
import { type BlindcastError, isRefusal } from "../../src/core/refusal.ts";

/** What stands in for a character, or between two: digits, signs, spaces and lines of every kind, controls, Unicode. */
const strangers = "0 1 9 a Z + / = - _ . # \u2014 \u00e9 \ud800 \u{1f600} \u00a0 \u0085 \ufeff \0 \x7f"
  .split(" ")
  .concat(" ", "\n", "\r", "\t", "\n\n", "\r\n");

/** Each text that differs in one character: left out, doubled, turned about, replaced, with another before it; or cut off. */
export function* manglings(text: string): Generator<string> {
  for (let i = 0; i <= text.length; i++) {
    const [before, here, after] = [text.slice(0, i), text.slice(i, i + 1), text.slice(i + 1)];
    const turned = after.slice(0, 1) + here + after.slice(1);
    const others = strangers.flatMap((other) => [before + other + after, before + other + here + after]);
    for (const other of [before, before + after, before + here + here + after, before + turned, ...others])
      if (other !== text) yield other;
  }
}

/** How many manglings of a text are refused; each other one must be the one spelling of what it parses to. */
export function refusedManglings<T>(
  text: string,
  parse: (text: string) => T,
  format: (value: T) => string,
): { refused: number; read: number; codes: ReadonlySet<string> } {
  const codes = new Set<string>();
  let refused = 0;
  let read = 0;
  for (const mangled of manglings(text)) {
    const value = parsed(() => parse(mangled));
    if ("refusal" in value) {
      refused++;
      codes.add(value.refusal.code);
    } else {
      read++;
      assert.equal(format(value.value), mangled);
    }
  }
  assert.ok(refused > text.length, "hardly anything was refused");
  return { refused, read, codes };
}

/** A value or a typed refusal; any other error is thrown on. */
export function parsed<T>(work: () => T): { readonly value: T } | { readonly refusal: BlindcastError } {
  try {
    return { value: work() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    assert.doesNotMatch(error.message, /[\p{Cc}\u2028\u2029]/u);
    assert.ok(error.message.length < 5000, `a message of ${error.message.length} characters`);
    return { refusal: error };
  }
}
