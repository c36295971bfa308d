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
