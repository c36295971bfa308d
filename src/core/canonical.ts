/** Canonical JSON (RFC 8785): one spelling of each plain value; throws on anything that JSON cannot hold. */
import { limits } from "./limits.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * `{"a":1,"b":[true,null]}`: keys in code-unit order, no white space, ECMAScript numbers, minimal escapes.
 * Throws TypeError for NaN, infinities, lone surrogates, undefined, functions, Date, Map, typed arrays, sparse
 * arrays, and nesting deeper than the limit, so that two different values never share their bytes.
 */
export function canonical(value: Json): string {
  return write(value, 0);
}

function write(value: Json, depth: number): string {
  if (value === null || value === true || value === false) return String(value);
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return string(value);
  if (depth >= limits.jsonDepth) throw new TypeError(`nested deeper than ${limits.jsonDepth}`);
  if (Array.isArray(value)) {
    let out = "[";
    for (let i = 0; i < value.length; i++) out += (i === 0 ? "" : ",") + write(element(value, i), depth + 1);
    return `${out}]`;
  }
  return object(value, depth);
}

function object(value: Json, depth: number): string {
  if (typeof value !== "object") throw new TypeError(`${typeof value} is not plain JSON`);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("only plain objects are JSON");
  const record = value as { readonly [key: string]: Json };
  const keys = Object.keys(record);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) < (keys[i] as string)) continue;
    keys.sort();
    break;
  }
  let out = "{";
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    out += `${(i === 0 ? "" : ",") + string(key)}:${write(record[key] as Json, depth + 1)}`;
  }
  return `${out}}`;
}

function element(array: readonly Json[], i: number): Json {
  if (!Object.hasOwn(array, i)) throw new TypeError("a sparse array is not JSON");
  return array[i] as Json;
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
  return value === 0 ? "0" : String(value);
}

/** Printable ASCII but `"` and `\\` is written as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

function string(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError("a lone surrogate is not JSON");
  return JSON.stringify(value);
}

/**
 * Whether `text` is the canonical form of `value`, its parse: equal to `canonical(value) === text`, several times as
 * fast, and it never throws. What has no form, such as a lone surrogate or too deep a nesting, is not canonical.
 */
export function isCanonical(text: string, value: Json): boolean {
  if (isPlainlyCanonical(text)) return true;
  try {
    return canonical(value) === text;
  } catch {
    return false; // a value that has no canonical form: the caller refuses, and knows the place
  }
}

/** Where the key before stands in each object that a scan is in, by depth: from its first character to its quote. */
const STARTS = new Int32Array(limits.jsonDepth + 1);
const ENDS = new Int32Array(limits.jsonDepth + 1);

/**
 * Is a text that JSON.parse took canonical, by one look at each character? False also where that is not so plain. A
 * string without escapes has one spelling; so what is left to ask is whether white space stands between the tokens,
 * whether keys ascend, how numbers are written, and how deep it goes.
 */
function isPlainlyCanonical(text: string): boolean {
  if (text.includes("\\") || !text.isWellFormed()) return false;
  let depth = 0;
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = text.indexOf('"', i + 1);
      if (end < 0) return false;
      if (text.charCodeAt(end + 1) === COLON) {
        if (ENDS[depth] !== 0 && !ascends(text, depth, i + 1, end)) return false;
        STARTS[depth] = i + 1;
        ENDS[depth] = end;
      }
      i = end + 1;
    } else if (code === BRACE || code === BRACKET) {
      if (depth === limits.jsonDepth) return false;
      ENDS[++depth] = 0;
      i++;
    } else if (code === BRACE + 2 || code === BRACKET + 2) {
      depth--;
      i++;
    } else if (code === MINUS || isDigit(code)) {
      i = endOfNumber(text, i);
    } else if (code <= 32) return false;
    else i++;
    if (i < 0) return false;
  }
  return true;
}

const [QUOTE, COLON, BRACE, BRACKET, MINUS] = [34, 58, 123, 91, 45] as const;
const isDigit = (code: number) => code >= 48 && code <= 57;

/** Does the key from `start` to `end` come after the key before it in its object, by code units? */
function ascends(text: string, depth: number, start: number, end: number): boolean {
  const before = STARTS[depth] as number;
  const length = Math.min((ENDS[depth] as number) - before, end - start);
  for (let i = 0; i < length; i++) {
    const difference = text.charCodeAt(start + i) - text.charCodeAt(before + i);
    if (difference !== 0) return difference > 0;
  }
  return end - start > length;
}

/** The end of a number that is written as ECMAScript writes it, else -1. Up to fifteen digits there is one way. */
function endOfNumber(text: string, start: number): number {
  let i = start;
  while (i < text.length && isDigit(text.charCodeAt(i))) i++;
  const next = text.charCodeAt(i);
  if (i > start && i - start <= 15 && next !== 46 && next !== 69 && next !== 101) return i;
  while (i < text.length && NUMERIC.test(text.charAt(i))) i++;
  const token = text.slice(start, i);
  return String(Number(token)) === token ? i : -1;
}
const NUMERIC = /[0-9+\-.eE]/;
