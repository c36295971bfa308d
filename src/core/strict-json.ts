/** Strict JSON: what JSON.parse takes, less duplicate keys, with a place for each refusal. */
import type { Json } from "./canonical.ts";
import { limits } from "./limits.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

/**
 * Reads one JSON value; refuses bad syntax, a key that stands twice in one object, a lone surrogate (it has no bytes in
 * UTF-8), and nesting beyond the limit.
 */
export function parseJson(text: string, place: Place, complain: Complain = strict): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    complain("JsonInvalid", { place, problem: (error as Error).message });
    return undefined;
  }
  const fault = firstFault(text);
  if (fault === undefined) return value;
  const at = `${place}:${fault.column}`;
  if (fault.surrogate !== undefined)
    complain("JsonInvalid", {
      place: at,
      problem: `${fault.surrogate} is a lone surrogate, expected Unicode`,
    });
  else if (fault.key === undefined)
    complain("LimitExceeded", {
      place: at,
      what: "nesting",
      found: limits.jsonDepth + 1,
      limit: limits.jsonDepth,
    });
  else complain("DuplicateKey", { place: at, key: fault.key });
  return undefined;
}

type Fault = { key?: string; surrogate?: string; column: number };

/** The first duplicate key, lone surrogate or too deep a nesting of a text that JSON.parse took, by its column. */
function firstFault(text: string): Fault | undefined {
  const open: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const piece = found[0];
    if (piece === "{" || piece === "[") {
      open.push(piece === "{" ? new Set() : null);
      if (open.length > limits.jsonDepth) return { column: found.index + 1 };
    } else if (piece === "}" || piece === "]") {
      open.pop();
    } else {
      if (SURROGATE.test(piece) && !(JSON.parse(piece) as string).isWellFormed())
        return { surrogate: (SURROGATE.exec(piece) as RegExpExecArray)[0], column: found.index + 1 };
      const keys = open.at(-1);
      if (keys == null || !isKey(text, token.lastIndex)) continue;
      const key = JSON.parse(piece) as string;
      if (keys.has(key)) return { key, column: found.index + 1 };
      keys.add(key);
    }
  }
  return undefined;
}

const SURROGATE = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/** A string is a key exactly where a colon follows it. */
function isKey(text: string, from: number): boolean {
  let i = from;
  while (text.charCodeAt(i) <= 32) i++;
  return text.charCodeAt(i) === 58;
}
