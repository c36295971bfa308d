/** The files of a run folder: a closed set of names, each of one kind and no larger than its limit. */
import { strictUtf8 } from "../core/bytes.ts";
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import { type Bundle, type BundleFile, fileIn, wholeFile } from "./bundle.ts";

/** The one folder of a run folder; its files are named by the SHA-256 of what they hold. */
export const ARTIFACTS = "artifacts";
export const MANIFEST = "run.json";
export const OPEN_LEAF = "open.json";
export const CLOSE_LEAF = "close.json";
export const OPEN_PROOF = "open.tlog-proof";
export const CLOSE_PROOF = "close.tlog-proof";
export const ENTRIES = "entries.jsonl";
export const CASES = "cases.jsonl";
export const TRIALS = "trials.jsonl";

const { jsonFileBytes, leafFileBytes, reportBytes, streamedBytes } = limits;

/** `loaded`: what the run was given, named with its digest by the manifest. */
type Rule = { readonly limit: number; readonly required: boolean; readonly loaded: boolean };
const rule = (limit: number, required = true, loaded = false): Rule => ({ limit, required, loaded });
const rules: ReadonlyMap<string, Rule> = new Map([
  [MANIFEST, rule(jsonFileBytes)],
  ["caseset.json", rule(jsonFileBytes, true, true)],
  ["profile.json", rule(jsonFileBytes, true, true)],
  ["family.json", rule(jsonFileBytes, false, true)],
  [CASES, rule(streamedBytes, true, true)],
  ["labels.jsonl", rule(streamedBytes, true, true)],
  [ENTRIES, rule(streamedBytes)],
  ["blobs.pack", rule(streamedBytes)],
  ["blobs.idx", rule(streamedBytes)],
  ["plants.jsonl", rule(streamedBytes)],
  ["report.json", rule(reportBytes)],
  [TRIALS, rule(reportBytes, false)],
  [OPEN_LEAF, rule(leafFileBytes)],
  [CLOSE_LEAF, rule(leafFileBytes)],
  [OPEN_PROOF, rule(leafFileBytes, false)],
  [CLOSE_PROOF, rule(leafFileBytes, false)],
]);
const artifact = rule(reportBytes, false, true);
const ARTIFACT = /^artifacts\/[0-9a-f]{64}$/;
const ruleOf = (name: string): Rule | undefined =>
  rules.get(name) ?? (ARTIFACT.test(name) ? artifact : undefined);

/** May the manifest name this file with its digest? */
export const isLoadedFile = (name: string): boolean => ruleOf(name)?.loaded === true;

/** The most bytes that a file of a run folder may have. */
export function limitOf(name: string): number {
  const found = ruleOf(name);
  if (found === undefined) throw new RangeError(`${name} is no file of a run folder`);
  return found.limit;
}

/** What a run folder holds, once its names, kinds and sizes are right. */
export type Listing = {
  /** Name and bytes of each file, by code units of the name. */
  readonly files: ReadonlyMap<string, number>;
  /** Whether both proofs are there. */
  readonly signed: boolean;
};

/**
 * Stage `files`: nothing is read before every name, kind and size is right, and then only the manifest, to see whether
 * proofs belong there. Refuses FileUnexpected, FileNotRegular, FileMissing, FileTooLarge; LimitExceeded for too many files.
 */
export async function checkFiles(bundle: Bundle): Promise<Listing> {
  const found = [...bundle.list()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (found.length > limits.runFiles) {
    const details = { place: bundle.place, what: "files", found: found.length, limit: limits.runFiles };
    refuse("LimitExceeded", details);
  }
  found.forEach((file, i) => {
    checkName(bundle, file);
    if (file.name !== found[i - 1]?.name) return;
    const problem = "it is there twice, expected each name once";
    refuse("FileUnexpected", { place: fileIn(bundle, file.name), problem });
  });
  const files = new Map(found.filter(({ kind }) => kind === "file").map(({ name, bytes }) => [name, bytes]));
  for (const [name, { required }] of rules)
    if (required && !files.has(name)) missing(bundle, name, "not there: every run folder has it");
  for (const [name, bytes] of files) {
    const limit = limitOf(name);
    if (bytes > limit) refuse("FileTooLarge", { place: fileIn(bundle, name), found: bytes, limit });
  }
  checkProofs(bundle, files, await ledgerSaid(bundle));
  return { files, signed: files.has(CLOSE_PROOF) };
}

function checkName(bundle: Bundle, { name, kind }: BundleFile): void {
  const place = fileIn(bundle, name);
  const folder = name === ARTIFACTS;
  if (name === "journal.jsonl") {
    refuse("FileUnexpected", {
      place,
      problem: "the run was not closed: this is its record as far as it came",
      next: "let it finish, or finish it with `blindcast backtest … --resume`",
    });
  }
  if (!folder && ruleOf(name) === undefined)
    refuse("FileUnexpected", { place, problem: "no file of a run folder, expected only what belongs there" });
  const expected = folder ? "folder" : "file";
  if (kind === expected) return;
  const words = { file: "a regular file", folder: "a folder", other: "neither file nor folder" };
  refuse("FileNotRegular", { place, found: words[kind], expected: words[expected] });
}

function checkProofs(bundle: Bundle, files: ReadonlyMap<string, number>, ledger: Json | undefined): void {
  const proofs = [OPEN_PROOF, CLOSE_PROOF];
  const there = proofs.filter((name) => files.has(name));
  if (ledger === null && there[0] !== undefined) {
    const problem = `${MANIFEST} says that the run is unsigned, expected no proof`;
    refuse("FileUnexpected", { place: fileIn(bundle, there[0]), problem });
  }
  if (typeof ledger !== "string" && there.length === 0) return;
  const reason =
    typeof ledger === "string"
      ? `${MANIFEST} names the ledger ${JSON.stringify(ledger)}`
      : `${there[0]} is there`;
  for (const name of proofs) if (!files.has(name)) missing(bundle, name, `not there, though ${reason}`);
}

/** What the manifest says of its ledger; undefined where that cannot be seen: a later stage says what is wrong with it. */
async function ledgerSaid(bundle: Bundle): Promise<Json | undefined> {
  const text = strictUtf8(await wholeFile(bundle, MANIFEST, limitOf(MANIFEST)));
  try {
    return (JSON.parse(text ?? "") as { ledger?: Json } | null)?.ledger;
  } catch {
    return undefined;
  }
}

function missing(bundle: Bundle, name: string, problem: string): never {
  return refuse("FileMissing", { place: fileIn(bundle, name), problem });
}
