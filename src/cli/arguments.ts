/** Flags as the command line gives them: each once, each checked by us, since a parser's coercion hides faults. */
import { contract } from "../core/contract.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";

export type Raw = { readonly [flag: string]: unknown };

/** A flag's text, or undefined; a repeated flag is refused. */
export function text(raw: Raw, flag: string): string | undefined {
  const value = raw[flag];
  if (value === undefined) return undefined;
  if (Array.isArray(value))
    refuse("ArgumentInvalid", { place: `--${flag}`, found: value.join(" "), expected: "the flag once" });
  const given = String(value);
  if (given === "") refuse("ArgumentInvalid", { place: `--${flag}`, found: "", expected: "a value" });
  return given;
}

/** Every text of a flag that may be repeated. */
export function texts(raw: Raw, flag: string): string[] {
  const value = raw[flag];
  return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
}

export function flagged(raw: Raw, flag: string): boolean {
  const value = raw[flag];
  if (Array.isArray(value))
    refuse("ArgumentInvalid", { place: `--${flag}`, found: value.join(" "), expected: "the flag once" });
  return value === true;
}

/** A whole number in decimal digits, within bounds: `1e3`, `0x10`, `12abc` and numbers beyond 2^53 are refused. */
export function integer(raw: Raw, flag: string, least: number, most: number): number | undefined {
  const given = text(raw, flag);
  if (given === undefined) return undefined;
  const value = /^(0|[1-9]\d{0,15})$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= least && value <= most))
    refuse("ArgumentInvalid", {
      place: `--${flag}`,
      found: given,
      expected: `a whole number from ${least} to ${most}`,
    });
  return value;
}

/** `--param k=v`, each key once. */
export function parameters(raw: Raw): Record<string, string> {
  const params = new Map<string, string>();
  for (const given of texts(raw, "param")) {
    const at = given.indexOf("=");
    const key = given.slice(0, at);
    if (at < 1 || params.has(key))
      refuse("ArgumentInvalid", {
        place: "--param",
        found: given,
        expected: at < 1 ? "KEY=VALUE" : `the key ${key} once`,
      });
    params.set(key, given.slice(at + 1));
  }
  return Object.fromEntries(params);
}

const repeatable = new Set(["param", "filter"]);

/**
 * What the parser hides: it takes the last of a repeated switch, and any `--offline=maybe` for no. Called on the words
 * themselves; `switches` are the flags without a value.
 */
export function checkWords(words: readonly string[], switches: readonly string[]): void {
  const seen = new Set<string>();
  for (const word of words) {
    if (word === "--") return;
    const parts = /^--([a-z][a-z-]*)(=.*)?$/s.exec(word);
    if (parts === null) continue;
    const [, flag, value] = parts as unknown as [string, string, string | undefined];
    const place = `--${flag}`;
    if (value !== undefined && switches.includes(flag))
      refuse("ArgumentInvalid", { place, found: word, expected: `${place} alone, without a value` });
    if (seen.has(flag) && !repeatable.has(flag))
      refuse("ArgumentInvalid", { place, found: words.join(" "), expected: "the flag once" });
    seen.add(flag);
  }
}

/** `--blocks`: into how many PBO cuts the periods. */
export function blocksOf(raw: Raw): number {
  const blocks = integer(raw, "blocks", 2, limits.overfittingBlocks) ?? contract.overfittingBlocks;
  if (blocks % 2 !== 0)
    refuse("ArgumentInvalid", {
      place: "--blocks",
      found: String(blocks),
      expected: "an even number: half of the blocks are in sample, half outside",
    });
  return blocks;
}
