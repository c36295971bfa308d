/** Stage `manifest`: run.json parsed, and held against both leaves, the ledger, and each file that it names. */
import { type Hashing, toHex } from "../core/bytes.ts";
import type { Json } from "../core/canonical.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { RUN_FORMAT } from "../core/version.ts";
import type { CloseLeaf, OpenLeaf } from "../ledger/leaves.ts";
import { type Bundle, fileIn, wholeFile } from "./bundle.ts";
import { readCanonical } from "./canonical-bytes.ts";
import { CASES, CLOSE_LEAF, isLoadedFile, type Listing, limitOf, MANIFEST, OPEN_LEAF } from "./files.ts";

/** `run.json` as parsed; an example stands in docs/formats.md. */
export type RecordedManifest = {
  readonly v: typeof RUN_FORMAT;
  readonly run: string;
  readonly report_version: number;
  /** The origin of the ledger that signed the run; null: unsigned. */
  readonly ledger: string | null;
  readonly replaces: string | null;
  readonly caseset: { readonly name: string; readonly digest: `sha256:${string}`; readonly cases: number };
  /** Only `selection.cases` is looked at here. */
  readonly stamp: { readonly [key: string]: Json };
  readonly trajectories: number;
  readonly files: { readonly [name: string]: `sha256:${string}` };
  readonly host: { readonly node: string; readonly unicode: string; readonly zone_data: string };
};

type Test = readonly [test: (value: unknown) => boolean, expected: string];
type Fields = { readonly [key: string]: Test };

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const text: Test = [isText, "a text that is not empty"];
/** What a machine says of itself, if anything. */
const said: Test = [(value) => typeof value === "string", "a text"];
const textOrNull: Test = [(value) => value === null || isText(value), "a text that is not empty, or null"];
const count: Test = [isCount, "a count"];
const record: Test = [isRecord, "an object"];
const digest: Test = [
  (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
  "sha256: and 64 hexadecimal digits",
];

const fields: Fields = {
  caseset: record,
  files: record,
  host: record,
  ledger: textOrNull,
  replaces: textOrNull,
  report_version: count,
  run: text,
  stamp: record,
  trajectories: count,
  v: [(value) => value === RUN_FORMAT, JSON.stringify(RUN_FORMAT)],
};

/** Reads `run.json`; refuses NotCanonical, and KeyMissing, UnknownKey or FieldInvalid where it has another shape. */
export function parseManifest(bytes: Uint8Array, place: Place): RecordedManifest {
  const newline = bytes.length - 1;
  const read =
    bytes[newline] === 10 ? readCanonical(bytes.subarray(0, newline)) : { fault: { ...UNENDED, column: 1 } };
  if ("fault" in read) {
    const { column, ...fault } = read.fault;
    return refuse("NotCanonical", { place: `${place}:1:${column}`, ...fault });
  }
  const value = demandFields(read.value, fields, "", place);
  demandFields(value["caseset"], { cases: count, digest, name: text }, "caseset.", place);
  demandFields(value["host"], { node: said, unicode: said, zone_data: said }, "host.", place);
  const loaded = value["files"] as { readonly [name: string]: Json };
  for (const name of Object.keys(loaded)) {
    demand(isLoadedFile(name), place, "files", name, "names of files that a run was given");
    demandTest(loaded[name], digest, `files.${name}`, place);
  }
  const { selection } = value["stamp"] as { selection?: Json };
  demandTest(selection, record, "stamp.selection", place);
  demandTest((selection as { cases?: Json }).cases, count, "stamp.selection.cases", place);
  return value as unknown as RecordedManifest;
}

const UNENDED = { found: "no newline at the end", expected: "one line, and a newline at its end" };

/** How many cases the run selected. */
const selectedCases = (manifest: RecordedManifest): number =>
  (manifest.stamp["selection"] as { cases: number }).cases;

function demandFields(
  value: Json | undefined,
  wanted: Fields,
  path: string,
  place: Place,
): { readonly [key: string]: Json } {
  demandTest(value, record, path === "" ? "manifest" : path.slice(0, -1), place);
  const found = value as { readonly [key: string]: Json };
  const present = Object.keys(found);
  for (const [key, test] of Object.entries(wanted)) {
    if (!Object.hasOwn(found, key)) refuse("KeyMissing", { place, key: path + key, present });
    demandTest(found[key], test, path + key, place);
  }
  const spare = present.find((key) => !Object.hasOwn(wanted, key));
  if (spare !== undefined) refuse("UnknownKey", { place, key: path + spare, known: Object.keys(wanted) });
  return found;
}

function demandTest(value: Json | undefined, [test, expected]: Test, field: string, place: Place): void {
  demand(test(value), place, field, JSON.stringify(value)?.slice(0, 120) ?? "absent", expected);
}

function demand(right: boolean, place: Place, field: string, found: string, expected: string): void {
  if (!right) refuse("FieldInvalid", { place, field, found, expected });
}

/** What the manifest is held against: the leaves, and the origin of the checkpoint that proves them, null where none does. */
export type ManifestBounds = {
  readonly open: OpenLeaf;
  readonly close: CloseLeaf;
  readonly origin: string | null;
};

/** The manifest, and SHA-256 of the bytes of run.json: what each attempt's first entry follows. */
export type CheckedManifest = { readonly manifest: RecordedManifest; readonly hash: Uint8Array };

/**
 * Refuses ManifestDigestMismatch (run.json is not what both leaves name, or a file not what run.json names), NotCanonical and
 * shapes, LedgerMismatch, RunMismatch, CasesDigestMismatch, CaseCountMismatch, and FileMissing or FileUnexpected for a
 * loaded file that only one of manifest and folder has.
 */
export async function checkManifest(
  bundle: Bundle,
  listing: Listing,
  { open, close, origin }: ManifestBounds,
  hashing: Hashing,
): Promise<CheckedManifest> {
  const place = fileIn(bundle, MANIFEST);
  const bytes = await wholeFile(bundle, MANIFEST, limitOf(MANIFEST));
  const hash = hashing.sha256(bytes);
  const found = `sha256:${toHex(hash)}`;
  for (const [by, expected] of [
    ["the open leaf has", open.manifest],
    ["the close leaf has", close.manifest],
  ] as const)
    if (found !== expected) refuse("ManifestDigestMismatch", { place, found, expected, by });
  const manifest = parseManifest(bytes, place);
  if (manifest.ledger !== origin)
    refuse("LedgerMismatch", { place, found: named(manifest.ledger), expected: named(origin) });
  for (const [name, leaf] of [
    [OPEN_LEAF, open],
    [CLOSE_LEAF, close],
  ] as const)
    if (leaf.run !== manifest.run)
      refuse("RunMismatch", { place: fileIn(bundle, name), found: leaf.run, expected: manifest.run });
  checkLoaded(bundle, listing, manifest);
  for (const name of Object.keys(manifest.files)) await checkFile(bundle, name, manifest, hashing);
  return { manifest, hash };
}

const named = (origin: string | null) => (origin === null ? "no ledger" : JSON.stringify(origin));

function checkLoaded(bundle: Bundle, { files }: Listing, manifest: RecordedManifest): void {
  const spare = [...files.keys()].find((name) => isLoadedFile(name) && !Object.hasOwn(manifest.files, name));
  const problem = `${MANIFEST} does not name it, expected only files that it names`;
  if (spare !== undefined) refuse("FileUnexpected", { place: fileIn(bundle, spare), problem });
  const lost = Object.keys(manifest.files).find((name) => !files.has(name));
  if (lost !== undefined)
    refuse("FileMissing", { place: fileIn(bundle, lost), problem: `not there, though ${MANIFEST} names it` });
}

async function checkFile(
  bundle: Bundle,
  name: string,
  manifest: RecordedManifest,
  hashing: Hashing,
): Promise<void> {
  const place = fileIn(bundle, name);
  const hash = hashing.create();
  let lines = 0;
  for await (const chunk of bundle.chunks(name)) {
    hash.update(chunk);
    if (name === CASES) for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  const found = `sha256:${toHex(hash.digest())}`;
  const expected = manifest.files[name] as string;
  if (found !== expected) {
    const ofCases = [CASES, "labels.jsonl", "caseset.json"].includes(name);
    if (ofCases) refuse("CasesDigestMismatch", { place, found, expected });
    refuse("ManifestDigestMismatch", { place, found, expected, by: `${MANIFEST} has` });
  }
  if (name.startsWith("artifacts/") && !name.endsWith(found.slice("sha256:".length)))
    refuse("ManifestDigestMismatch", {
      place,
      found,
      expected: `sha256:${name.slice("artifacts/".length)}`,
      by: "its name says",
    });
  const selected = selectedCases(manifest);
  if (name === CASES && lines !== selected)
    refuse("CaseCountMismatch", { place, found: lines, expected: selected });
}
