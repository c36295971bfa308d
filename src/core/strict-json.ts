/** Strict JSON: what JSON.parse takes, less duplicate keys, with a place for each refusal. */
import type { Json } from "./canonical.ts";
import { limits } from "./limits.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

/** Reads one JSON value; refuses bad syntax, a key that stands twice in one object, and nesting beyond the limit. */
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
  if (fault.key === undefined)
    complain("LimitExceeded", {
      place: at,
      what: "nesting",
      found: limits.jsonDepth + 1,
      limit: limits.jsonDepth,
    });
  else complain("DuplicateKey", { place: at, key: fault.key });
  return undefined;
}

/** The first duplicate key (or too deep a nesting) of a text that JSON.parse took, by its column. */
function firstFault(text: string): { key?: string; column: number } | undefined {
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
      const keys = open.at(-1);
      if (keys == null || !isKey(text, token.lastIndex)) continue;
      const key = JSON.parse(piece) as string;
      if (keys.has(key)) return { key, column: found.index + 1 };
      keys.add(key);
    }
  }
  return undefined;
}

/** A string is a key exactly where a colon follows it. */
function isKey(text: string, from: number): boolean {
  let i = from;
  while (text.charCodeAt(i) <= 32) i++;
  return text.charCodeAt(i) === 58;
}
