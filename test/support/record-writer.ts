/**
 * Writes small signed runs from the formats alone, by no code of the run room: for tests of verifying and of tampering. Every
 * step can be changed before the next is built on it, so that a test is a sound run but for the one thing that it changes:
 *
 * - as the operator, who holds the ledger's key: `trajectories`, `entries` (then chained), `chained` (then hashed), `lines`,
 *   `loaded`, `manifest`, `open`, `close`, `leaves`, `note`;
 * - as anyone else, who does not: change `files` of what was written.
 */
import { type Sha256, toBase64, toHex, utf8 } from "../../src/core/bytes.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, nodeHashing } from "../../src/core/digest.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { formatCheckpoint } from "../../src/ledger/checkpoint.ts";
import { formatNote, type NoteSignature } from "../../src/ledger/note.ts";
import { formatPolicy } from "../../src/ledger/policy.ts";
import { inclusionProof } from "../../src/ledger/proof.ts";
import { formatTlogProof } from "../../src/ledger/tlog-proof.ts";
import { createTree, leafHashOf } from "../../src/ledger/tree.ts";
import type { VerifierKey } from "../../src/ledger/verifier-key.ts";
import { noUsage } from "../../src/model/reader.ts";
import { type TestKey, testKey } from "./test-key.ts";

/** An object of JSON that a test changes at will. */
export type Loose = { [key: string]: Json };
export type Files = Map<string, Uint8Array>;

/** One trajectory: its attempts, each a list of bodies without its `end`; all but the last were abandoned. */
export type Trajectory = {
  readonly case: string;
  readonly arm?: string;
  readonly repeat?: number;
  readonly attempts: readonly (readonly Loose[])[];
};

type Change<T> = (value: T) => T;
export type RecordPlan = {
  /** The cases of the run, in order; each has its horizon at seven o'clock, from June 2014 a day later than the one before. */
  readonly cases?: readonly string[];
  readonly trajectories?: readonly Trajectory[];
  /** Entries in the file's order, numbered by `seq` and `step`, not chained yet. */
  readonly entries?: Change<Loose[]>;
  /** Entries with `prev`. */
  readonly chained?: Change<Loose[]>;
  /** The lines of `entries.jsonl`, without their newlines. */
  readonly lines?: Change<string[]>;
  /** What the manifest names with its digest, and the files that no leaf of these stages covers. */
  readonly loaded?: (files: Files) => void;
  readonly manifest?: Change<Loose>;
  readonly open?: Change<Loose>;
  readonly close?: Change<Loose>;
  /** Lines of the ledger; the run's open and close leaf are found in it by what they say. */
  readonly leaves?: Change<string[]>;
  /** The checkpoint's signatures: the log's, then each witness's. */
  readonly signatures?: Change<NoteSignature[]>;
  /** False: an unsigned run, whose leaves are in no tree. */
  readonly signed?: boolean;
};

export type WrittenRecord = {
  readonly files: Files;
  /** A policy of this log and both witnesses, one of which is needed. */
  readonly policy: Uint8Array;
  readonly log: TestKey;
  readonly witnesses: readonly TestKey[];
};

export const RUN = "01JDX7MZ5T3V9Q4W8R2Y6K1B0N";
export const ORIGIN = "ledger.example/blindcast";
const sha256: Sha256 = nodeHashing.sha256;
const line = (value: Json) => `${canonical(value)}\n`;

export const log = testKey(ORIGIN, 1, 1);
export const witnesses = [testKey("w1.example/witness", 4, 2), testKey("w2.example/witness", 4, 3)];

/** Of the calls of a trajectory: two probes, a tool call, an answer. */
export const usualBodies = (probability = 0.25): Loose[] => [
  { ...callOf("presence"), kind: "probe", name: "presence" },
  { ...callOf("absence"), kind: "probe", name: "absence" },
  { ...callOf("rows"), kind: "tool", name: "rows", in_reach: true, unplanted: digestOf("rows"), usage: null },
  { kind: "answer", ms: 2, probability, usage: { ...noUsage, input_tokens: 12, output_tokens: 3 } },
];

const callOf = (body: string): Loose => ({
  args: { limit: 1, table: "weather" },
  bytes: body.length,
  ms: 1,
  result: digestOf(body),
});

export function writeRecord(plan: RecordPlan = {}): WrittenRecord {
  const cases = plan.cases ?? ["rain-1", "rain-2"];
  const trajectories = plan.trajectories ?? cases.map((id) => ({ case: id, attempts: [usualBodies()] }));
  const files = loadedFiles(cases);
  plan.loaded?.(files);
  const signed = plan.signed ?? true;
  const manifest = change(plan.manifest, manifestOf(files, cases, trajectories.length, signed));
  files.set("run.json", utf8(line(manifest)));
  const manifestHash = sha256(files.get("run.json") as Uint8Array);
  const entries = change(plan.entries, entriesOf(trajectories, cases));
  const chained = change(plan.chained, chain(entries, manifestHash));
  const lines = change(plan.lines, chained.map(canonical));
  files.set("entries.jsonl", utf8(lines.map((text) => `${text}\n`).join("")));
  const manifestDigest = `sha256:${toHex(manifestHash)}`;
  const open = change(plan.open, {
    commitment: digestOf("commitment"),
    manifest: manifestDigest,
    run: RUN,
    trials: null,
    v: "blindcast.open/1",
  });
  const close = change(plan.close, {
    entries: lines.length,
    manifest: manifestDigest,
    pack: digestOf(files.get("blobs.pack") as Uint8Array),
    report: digestOf(files.get("report.json") as Uint8Array),
    result: digestOf("result"),
    root: rootOf(lines),
    run: RUN,
    salt: "5a".repeat(32),
    secret: "5e".repeat(32),
    trials: null,
    v: "blindcast.close/1",
  });
  files.set("open.json", utf8(line(open)));
  files.set("close.json", utf8(line(close)));
  if (signed) sign(files, canonical(open), canonical(close), plan);
  return { files, policy: policyOf(log, witnesses), log, witnesses };
}

const change = <T>(by: Change<T> | undefined, value: T): T => (by === undefined ? value : by(value));

/** The policy file of one log, and of witnesses of whom `quorum` is enough: a name (w1, w2), all, any or none. */
export function policyOf(
  { key }: TestKey,
  those: readonly TestKey[],
  quorum: "any" | "all" | "none" | "w1" | "w2" = "any",
): Uint8Array {
  const named = new Map<string, VerifierKey>(those.map((each, i) => [`w${i + 1}`, each.key]));
  const k = quorum === "all" ? named.size : 1;
  const groups = new Map(named.size === 0 ? [] : [["enough", { k, members: [...named.keys()] }]]);
  const of = quorum === "none" || named.size === 0 ? null : quorum.startsWith("w") ? quorum : "enough";
  return utf8(formatPolicy({ logs: [key], witnesses: named, groups, quorum: of }));
}

function loadedFiles(cases: readonly string[]): Files {
  const artifact = "an artifact";
  const texts: [string, string][] = [
    ["caseset.json", line({ declared: {}, digest: digestOf("set"), tables: {}, view: digestOf("view") })],
    ["profile.json", line({ name: "default" })],
    ["family.json", line({ checkpoints: [], family: "elders" })],
    ["cases.jsonl", cases.map((id, i) => line({ freeze: horizonOf(i), id })).join("")],
    ["labels.jsonl", cases.map((id) => line({ case: id, outcome: 1 })).join("")],
    [`artifacts/${digestOf(artifact).slice(7)}`, artifact],
    ["blobs.pack", "absencepresencerows"],
    ["blobs.idx", line({ deflated: false, digest: digestOf("rows"), length: 4, offset: 15, stored: 4 })],
    ["plants.jsonl", line({ case: "rain-1", kind: "not exercised", table: "weather" })],
    ["report.json", line({ evidence: {}, result: {} })],
  ];
  return new Map(texts.map(([name, text]) => [name, utf8(text)]));
}

/** Files that the manifest names with their digests. */
const isLoaded = (name: string) =>
  /^(caseset|profile|family)\.json$|^(cases|labels)\.jsonl$|^artifacts\//.test(name);

const horizonOf = (caseIndex: number) => formatInstant(Date.UTC(2014, 5, 1 + caseIndex, 7) * 1000);

function manifestOf(files: Files, cases: readonly string[], trajectories: number, signed: boolean): Loose {
  const digests = [...files]
    .filter(([name]) => isLoaded(name))
    .map(([name, bytes]) => [name, digestOf(bytes)]);
  return {
    caseset: { cases: cases.length, digest: digestOf("set"), name: "tiny" },
    files: Object.fromEntries(digests) as Loose,
    host: { node: "v20.20.2", unicode: "15.1", zone_data: "2025b" },
    ledger: signed ? ORIGIN : null,
    replaces: null,
    report_version: 1,
    run: RUN,
    stamp: { engine: "0.1.0", selection: { cases: cases.length, filters: [], limit: null } },
    trajectories,
    v: "blindcast.run/1",
  };
}

/** Each attempt's bodies and its end, as entries without `prev`. */
function entriesOf(trajectories: readonly Trajectory[], cases: readonly string[]): Loose[] {
  const entries: Loose[] = [];
  for (const { case: id, arm = "routed", repeat = 0, attempts } of trajectories) {
    const horizon = horizonOf(Math.max(0, cases.indexOf(id)));
    const bound = { as_of: horizon, case: id, horizon, view: digestOf("view") };
    attempts.forEach((bodies, attempt) => {
      const word = attempt === attempts.length - 1 ? "steps" : "abandoned";
      [...bodies, { kind: "end", [word]: bodies.length + 1 }].forEach((body, step) => {
        const standing = { arm, at: "2026-11-30T09:11:15.123Z", attempt, repeat, run: RUN, step };
        entries.push({ ...body, ...bound, ...standing, seq: entries.length, v: "blindcast.entry/1" });
      });
    });
  }
  return entries;
}

/** Gives each entry without `prev` the leaf of the line before, or `first` where another attempt begins. */
function chain(entries: readonly Loose[], first: Uint8Array): Loose[] {
  let leaf = first;
  return entries.map((entry, i) => {
    const begins = i === 0 || entry["step"] === 0 || !sameAttempt(entries[i - 1] as Loose, entry);
    const chained = { ...entry, prev: entry["prev"] ?? toHex(begins ? first : leaf) };
    leaf = leafHashOf(utf8(canonical(chained)), sha256);
    return chained;
  });
}

const sameAttempt = (a: Loose, b: Loose) =>
  ["arm", "repeat", "attempt"].every((key) => a[key] === b[key]) &&
  (a["case"] === b["case"] || a["case"] === undefined || b["case"] === undefined);

/** The base64 root over lines. */
function rootOf(lines: readonly string[]): string {
  const tree = createTree(sha256);
  for (const text of lines) tree.append(leafHashOf(utf8(text), sha256));
  return toBase64(tree.root());
}

/** Puts both leaves into a ledger among others, signs its checkpoint, and writes both proofs. */
function sign(files: Files, open: string, close: string, plan: RecordPlan): void {
  const others = ["another run's open leaf", "its progress", "its close leaf"];
  const leaves = change(plan.leaves, [others[0] as string, open, ...others.slice(1), close, "a later leaf"]);
  const hashes = leaves.map((text) => leafHashOf(utf8(text), sha256));
  const tree = createTree(sha256);
  for (const hash of hashes) tree.append(hash);
  const checkpoint = signedCheckpoint(
    { origin: ORIGIN, size: leaves.length, root: tree.root() },
    [log, ...witnesses],
    plan.signatures,
  );
  const proofs = [
    ["open", open],
    ["close", close],
  ] as const;
  for (const [name, text] of proofs) {
    const index = leaves.indexOf(text);
    const proof = inclusionProof(hashes, index, leaves.length, sha256);
    files.set(`${name}.tlog-proof`, utf8(formatTlogProof({ index, proof, checkpoint })));
  }
}

/** The note of a checkpoint, signed by each key: as a log (type 1), or as a witness (type 4) at a fixed time. */
export function signedCheckpoint(
  checkpoint: { origin: string; size: number; root: Uint8Array },
  keys: readonly TestKey[],
  signatures?: Change<NoteSignature[]>,
): string {
  const text = formatCheckpoint(checkpoint);
  return formatNote({
    text,
    signatures: change(
      signatures,
      keys.map((key) => key.sign(text)),
    ),
  });
}
