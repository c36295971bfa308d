/** C2SP tlog-policy: the file in which a verifier names the logs and witnesses that it trusts, and how many must agree. */
import { type Sha256, sameBytes, strictUtf8, toHex } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from "./verifier-key.ts";

export type Group = {
  /** How many members must have cosigned, 1 to their number. */
  readonly k: number;
  /** Names of witnesses and groups that stand before it. */
  readonly members: readonly string[];
};

/**
 * `log <key> [<url>]`, `witness <name> <key> [<url>]`, `group <name> all|any|<k> <name>...`, `quorum <name>|none`; empty
 * lines and lines that begin with # are ignored. Names are the file's own: a key has another inside.
 */
export type Policy = {
  /** At least 1, of type 1. */
  readonly logs: readonly VerifierKey[];
  /** By the name in this file; of type 4. */
  readonly witnesses: ReadonlyMap<string, VerifierKey>;
  /** By name, each after its members. */
  readonly groups: ReadonlyMap<string, Group>;
  /** A witness or a group; null: no cosignature is needed. */
  readonly quorum: string | null;
};

/** A word of the file as a name or a key's text; undefined where it is no UTF-8 and should be. */
type Reading = {
  readonly name: (word: string) => string;
  readonly key: (word: string) => string | undefined;
};

type Draft = {
  readonly logs: VerifierKey[];
  readonly witnesses: Map<string, VerifierKey>;
  readonly groups: Map<string, Group>;
  /** Each name with the line that defines it, and each member of a group with the line of the group. */
  readonly defined: Map<string, number>;
  readonly grouped: Map<string, number>;
  quorum: string | null | undefined;
  readonly reading: Reading;
  readonly sha256: Sha256;
};

/**
 * Reads a policy; refuses PolicyInvalid at `file:line`, beyond what the format forbids also a policy without logs, a log's
 * key used by a witness, and more than 1 MiB or 1000 lines; KeyMalformed, KeyIdMismatch and KeyWeak for its keys. The file is
 * octets: names are compared as such. They are shown as UTF-8 where the whole file is UTF-8, else octet by octet.
 */
export function parsePolicy(bytes: Uint8Array, place: Place, sha256: Sha256): Policy {
  if (bytes.length > limits.policyBytes)
    invalid(place, "policy", `${bytes.length} bytes`, `at most ${limits.policyBytes}`);
  const lines = octetsOf(bytes).split("\n");
  if (lines.length - 1 > limits.policyLines)
    invalid(place, "policy", `${lines.length - 1} lines`, `at most ${limits.policyLines}`);
  const draft: Draft = {
    logs: [],
    witnesses: new Map(),
    groups: new Map(),
    defined: new Map(),
    grouped: new Map(),
    quorum: undefined,
    reading: readingOf(bytes),
    sha256,
  };
  lines.forEach((line, i) => {
    if (i < lines.length - 1) takeLine(line, `${place}:${i + 1}`, i + 1, draft);
    else if (line !== "") invalid(`${place}:${i + 1}`, "end of the file", line.slice(-20), "a newline");
  });
  const { logs, witnesses, groups, quorum } = draft;
  if (logs.length === 0) invalid(place, "log", "0 lines", "at least 1 line `log <key>`");
  if (quorum === undefined) return invalid(place, "quorum", "0 lines", "1 line `quorum <name>|none`");
  return { logs, witnesses, groups, quorum };
}

function octetsOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function readingOf(file: Uint8Array): Reading {
  const utf8 = (word: string) => strictUtf8(Uint8Array.from(word, (octet) => octet.charCodeAt(0)));
  const whole = strictUtf8(file) !== undefined;
  return { name: (word) => (whole ? utf8(word) : undefined) ?? word, key: utf8 };
}

function takeLine(line: string, place: Place, number: number, draft: Draft): void {
  for (const octet of line)
    if ((octet < " " && octet !== "\t") || octet === "\u007f")
      invalid(place, "line", octet, "no control character but tab and newline");
  const [keyword, ...items] = line.split(/[ \t]+/).filter((word) => word !== "");
  if (keyword === undefined || keyword.startsWith("#")) return;
  const words = items.map(draft.reading.name);
  if (keyword === "log") takeLog(items, line, place, draft);
  else if (keyword === "witness") takeWitness(items, line, place, number, draft);
  else if (keyword === "group") takeGroup(words, line, place, number, draft);
  else if (keyword === "quorum") takeQuorum(words, line, place, draft);
  else invalid(place, "line", draft.reading.name(keyword), "log, witness, group, quorum or a # comment");
}

function takeLog(items: readonly string[], line: string, place: Place, draft: Draft): void {
  const [key] = items;
  if (key === undefined || items.length > 2) invalid(place, "log", line, "log <key> [<url>]");
  draft.logs.push(takeKey(key, 1, "log", place, draft));
}

function takeWitness(
  items: readonly string[],
  line: string,
  place: Place,
  number: number,
  draft: Draft,
): void {
  const [word, key] = items;
  if (word === undefined || key === undefined || items.length > 3)
    invalid(place, "witness", line, "witness <name> <key> [<url>]");
  const name = define(draft.reading.name(word), place, number, draft);
  draft.witnesses.set(name, takeKey(key, 4, "witness", place, draft));
}

/** A key of the type that its line needs, whose bytes stand nowhere else in the file. */
function takeKey(
  word: string,
  type: VerifierKey["type"],
  keyword: string,
  place: Place,
  draft: Draft,
): VerifierKey {
  const text = draft.reading.key(word);
  if (text === undefined)
    return refuse("KeyMalformed", { place, subject: "key", found: word, expected: "UTF-8" });
  const key = parseVerifierKey(text, place, draft.sha256);
  if (key.type !== type) invalid(place, `type of the ${keyword}'s key`, `0${key.type}`, `0${type}`);
  const same = [...draft.logs, ...draft.witnesses.values()].find(({ publicKey }) =>
    sameBytes(publicKey, key.publicKey),
  );
  if (same !== undefined)
    invalid(place, `key of the ${keyword}`, toHex(key.publicKey), "a key that no line before has");
  return key;
}

/** Witnesses and groups share their names, and `none` is taken. */
function define(name: string, place: Place, number: number, draft: Draft): string {
  const line = draft.defined.get(name);
  if (name === "none") invalid(place, "name", name, "another name: none is the quorum of nobody");
  if (line !== undefined) invalid(place, "name", name, `another name: line ${line} defines it`);
  draft.defined.set(name, number);
  return name;
}

function takeGroup(words: readonly string[], line: string, place: Place, number: number, draft: Draft): void {
  const [name, threshold, ...members] = words;
  if (name === undefined || threshold === undefined || members.length === 0)
    invalid(place, "group", line, "group <name> all|any|<k> <name>...");
  for (const member of members) {
    demandDefined(member, "member", place, draft);
    const other = draft.grouped.get(member);
    if (other !== undefined) invalid(place, "member", member, `a member of no group: line ${other} has it`);
    draft.grouped.set(member, number);
  }
  const n = members.length;
  const k = threshold === "all" ? n : threshold === "any" ? 1 : Number(threshold);
  if (!/^(all|any|[1-9][0-9]*)$/.test(threshold) || k > n)
    invalid(place, "threshold", threshold, `all, any, or 1 to ${n}`);
  draft.groups.set(define(name, place, number, draft), { k, members });
}

function takeQuorum(words: readonly string[], line: string, place: Place, draft: Draft): void {
  const [name] = words;
  if (name === undefined || words.length > 1) invalid(place, "quorum", line, "quorum <name>|none");
  if (draft.quorum !== undefined) invalid(place, "quorum", line, "one line: there is a quorum already");
  if (name !== "none") demandDefined(name, "quorum", place, draft);
  draft.quorum = name === "none" ? null : name;
}

function demandDefined(name: string, subject: string, place: Place, draft: Draft): void {
  if (draft.defined.has(name)) return;
  invalid(place, subject, name, "a witness or a group of a line before");
}

function invalid(place: Place, subject: string, found: string, expected: string): never {
  return refuse("PolicyInvalid", { place, subject, found, expected });
}

/** A policy that parses to the same: logs, witnesses, groups, quorum, a line each, in their order. */
export function formatPolicy({ logs, witnesses, groups, quorum }: Policy): string {
  const lines = [
    ...logs.map((key) => `log ${formatVerifierKey(key)}`),
    ...[...witnesses].map(([name, key]) => `witness ${name} ${formatVerifierKey(key)}`),
    ...[...groups].map(([name, { k, members }]) => `group ${name} ${k} ${members.join(" ")}`),
    `quorum ${quorum ?? "none"}`,
  ];
  return `${lines.join("\n")}\n`;
}
