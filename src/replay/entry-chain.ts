/** Stages `root` and `entries`, in one pass over entries.jsonl: every line hashed as it stands, then read. */
import { type Hashing, toBase64 } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { BlindcastError, type Code, type Place, type Refusals, refuse } from "../core/refusal.ts";
import type { CloseLeaf } from "../ledger/leaves.ts";
import { createTree } from "../ledger/tree.ts";
import { type Bundle, fileIn } from "./bundle.ts";
import { readCanonical } from "./canonical-bytes.ts";
import { eachEntryLine } from "./entry-lines.ts";
import { createEntryOrder, type NoteFault } from "./entry-order.ts";
import { type RecordedEntry, shapeFault } from "./entry-shape.ts";
import { ENTRIES, type Listing } from "./files.ts";
import type { CheckedManifest } from "./manifest.ts";

/** Which fault of the entries is told where there are several: of the earliest group here, then of the first line. */
const ORDER: readonly (readonly Code[])[] = [
  ["NotCanonical", "EntryTooLarge", "EntryTypeUnknown", "EntryShapeWrong"],
  ["EntrySequence"],
  ["EntryRun"],
  ["EntryChain"],
  ["EntryStep"],
  ["TrajectoryUnended"],
];
const ranks = new Map(ORDER.flatMap((codes, rank) => codes.map((code) => [code, rank] as const)));

/** No entry is shorter: its digests alone have more. A close leaf that says there are more entries is refused unread. */
const LEAST_ENTRY_BYTES = 128;

export type ReadEntries = {
  /** How many lines: as many as the close leaf says. */
  readonly entries: number;
  /** What the stage `entries` refuses. */
  readonly fault: BlindcastError | null;
};

/**
 * Stage `root`. Refuses EntriesTruncated, EntryCountMismatch and RootMismatch, which says at which line the record first
 * breaks, where one does. What the lines themselves are refused for is given back: NotCanonical, EntryTooLarge,
 * EntryTypeUnknown, EntryShapeWrong, EntrySequence, EntryRun, EntryChain, EntryStep, TrajectoryUnended.
 */
export async function readEntries(
  bundle: Bundle,
  listing: Listing,
  { manifest, hash }: CheckedManifest,
  close: CloseLeaf,
  hashing: Hashing,
): Promise<ReadEntries> {
  const place = fileIn(bundle, ENTRIES);
  const faults = createFaults(place);
  const most = Math.floor((listing.files.get(ENTRIES) ?? 0) / LEAST_ENTRY_BYTES);
  const { run, trajectories } = manifest;
  const bounds = { run, manifest: hash, entries: Math.min(close.entries, most), trajectories };
  const order = createEntryOrder(bounds, faults.note);
  const tree = createTree(hashing.sha256);
  let line = 0;
  const rest = await eachEntryLine(bundle.chunks(ENTRIES), hashing, (leaf, bytes, length) => {
    line++;
    tree.append(leaf);
    if (faults.unread()) return;
    const entry = readEntry(bytes, length, line, faults.note);
    if (entry !== undefined) order.take(entry, leaf, line);
  });
  if (rest > 0) refuse("EntriesTruncated", { place: `${place}:${line + 1}`, bytes: rest });
  if (line !== close.entries) refuse("EntryCountMismatch", { place, found: line, expected: close.entries });
  const root = toBase64(tree.root());
  if (root !== close.root) {
    const first = faults.first();
    const at = first === null ? place : `${place}:${first}`;
    refuse("RootMismatch", { place: at, found: root, expected: close.root, line: first });
  }
  if (!faults.unread()) order.end(line);
  return { entries: line, fault: faults.told() };
}

/** The entry of a line, or undefined where that was noted to be none. */
function readEntry(
  bytes: Uint8Array | null,
  length: number,
  line: number,
  note: NoteFault,
): RecordedEntry | undefined {
  if (bytes === null) {
    note("EntryTooLarge", line, () => ({ found: length, limit: limits.entryBytes }));
    return undefined;
  }
  const read = readCanonical(bytes);
  if ("fault" in read) {
    const { column, ...fault } = read.fault;
    note("NotCanonical", line, () => fault, column);
    return undefined;
  }
  const fault = shapeFault(read.value);
  if (fault === undefined) return read.value as unknown as RecordedEntry;
  const { code, ...details } = fault;
  note(code, line, () => details);
  return undefined;
}

type Told = { readonly rank: number; readonly make: () => BlindcastError };

/** Keeps the one fault that is told, and the first line that has any. */
function createFaults(place: Place) {
  let told: Told | null = null;
  let first: number | null = null;
  const note: NoteFault = (code, line, details, column) => {
    const rank = ranks.get(code) as number;
    first = Math.min(first ?? line, line);
    if (told !== null && told.rank <= rank) return;
    const at = column === undefined ? `${line}` : `${line}:${column}`;
    told = { rank, make: () => fault(code, `${place}:${at}`, details()) };
  };
  return {
    note,
    /** A line could not be read: what the lines after it are cannot be said. */
    unread: () => told?.rank === 0,
    first: () => first,
    told: () => told?.make() ?? null,
  };
}

function fault<C extends Code>(code: C, place: Place, details: Omit<Refusals[C], "place">): BlindcastError {
  return new BlindcastError(code, { place, ...details } as Refusals[C]) as BlindcastError;
}
