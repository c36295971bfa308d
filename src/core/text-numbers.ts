/** Numbers that a text gives as values: not years, times of day, ordinals, versions, or parts of a name. */

import { nfkc, type Term, termsOf } from "./terms.ts";
import { isYear } from "./text-dates.ts";

/** Offsets into `nfkc(text)`; `to` is exclusive. */
export type NamedNumber = { readonly from: number; readonly to: number };

/**
 * `4.5`, `41,200`, `$4.5bn`, `3%`, `25bps`. Left out: `2031` alone and without a sign of money, `10:30`, `3rd`, `2030s`,
 * `1.2.3`, `B52`, `5G`, `#7`, `note-021`, and a short whole number behind a capitalised word, as in Terminal 3. In order; time linear.
 */
export function numbersIn(text: string): readonly NamedNumber[] {
  const normal = nfkc(text);
  const terms = termsOf(normal);
  const numbers: NamedNumber[] = [];
  for (let i = 0; i < terms.length; i++) {
    if (!/^\d/.test((terms[i] as Term).term)) continue;
    const last = lastPart(normal, terms, i);
    const number = { from: (terms[i] as Term).from, to: (terms[last] as Term).to };
    if (isValue(normal, terms, i, last)) numbers.push(number);
    i = last;
  }
  return numbers;
}

/** The last of the terms that are joined to a number's first by a mark alone, digits on both its sides. */
function lastPart(text: string, terms: readonly Term[], first: number): number {
  let i = first;
  for (; i + 1 < terms.length; i++) {
    const [here, next] = [terms[i] as Term, terms[i + 1] as Term];
    const joined = next.from - here.to === 1 && /[.,:]/.test(text.charAt(here.to));
    if (!joined || !isDigit(text.charAt(here.to - 1)) || !isDigit(text.charAt(next.from))) break;
  }
  return i;
}

const isDigit = (character: string) => character >= "0" && character <= "9" && character !== "";

function isValue(text: string, terms: readonly Term[], first: number, last: number): boolean {
  const { from } = terms[first] as Term;
  const { to } = terms[last] as Term;
  if (to - from > LONGEST) return false;
  const [, digits = "", unit] = SPELLING.exec(text.slice(from, to)) ?? [];
  const before = text.charAt(from - 1);
  if (unit === undefined || before === "#" || isOfMark(text, terms[first - 1], from)) return false;
  if (/^(?:st|nd|rd|th|s)$/.test(unit)) return false;
  const plain = /^\d+$/.test(digits) && unit === "" && !/^\s?%/.test(text.slice(to, to + 2));
  if (!plain || /[$€£¥]/.test(before)) return true;
  if (digits.length <= 3) return !isOfName(text, terms[first - 1], from);
  return !(digits.length === 4 && isYear(Number(digits)));
}

/** `note-021`, `B-52`, `item_7`, `room/3`: a letter, a joint, the digits. */
function isOfMark(text: string, before: Term | undefined, from: number): boolean {
  return before?.to === from - 1 && /^\p{L}[-_/]$/u.test(text.slice(from - 2, from));
}

/** Terminal 3, Line 2, No. 5. */
function isOfName(text: string, before: Term | undefined, from: number): boolean {
  if (before === undefined || from - before.to > 2) return false;
  const gap = text.slice(before.to, from);
  return (before.capital && gap === " ") || (before.term === "no" && gap.startsWith("."));
}

/** A number with its thousands apart or not, and a unit that is joined to it. */
const SPELLING = /^((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(\p{Ll}{0,4}|[KMB]|[kMG]W)$/u;
const LONGEST = 40;
