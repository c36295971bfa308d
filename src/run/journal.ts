/** The journal taken up again: what a run had recorded when it stopped, checked entry by entry, with its bodies. */
import { inflateRawSync } from "node:zlib";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, leafHash, sha256Hex } from "../core/digest.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { ENTRY_FORMAT } from "../core/version.ts";
import { type Blob, DEFLATE_FROM } from "./blobs.ts";
import { type Entry, isKept, type KeptEntry } from "./entry.ts";
import type { SinkFile } from "./sink.ts";

/** An entry as it lies in the journal. */
export type Recorded = {
  readonly entry: Entry;
  readonly leaf: string;
  readonly offset: number;
  readonly length: number;
};

export type Journal = {
  /** In `seq` order. */
  readonly entries: readonly Recorded[];
  readonly blobs: ReadonlyMap<Digest, Blob>;
  /** Digests of probes' bodies: they hold plants, and were never on the disk. */
  readonly held: ReadonlySet<Digest>;
  /** The bytes of journal and pack that are whole; what lies behind was being written when the run was killed. */
  readonly size: number;
  readonly packSize: number;
};

const NEWLINE = 10;
const WINDOW = 1 << 20;

/**
 * Reads a journal and finds each body in the pack, in the order in which they were written. A torn last line, and
 * entries at the end whose bodies the disk lost, were never acknowledged: they are left out. Anything else that is not
 * as it was written refuses JournalBroken with its line.
 */
export function readJournal(
  journal: SinkFile,
  pack: SinkFile,
  run: string,
  manifest: string,
  place: Place,
): Journal {
  const entries: Recorded[] = [];
  const blobs = new Map<Digest, Blob>();
  const held = new Set<Digest>();
  const chains = new Map<string, { prev: string; step: number }>();
  const first = sha256Hex(manifest);
  let packSize = 0;
  let size = 0;
  for (const { line, offset, length } of linesOf(journal)) {
    const at = `${place}:${entries.length + 1}`;
    const entry = parseEntry(line, at);
    checkStanding(entry, { run, seq: entries.length, first, chains }, at);
    if (entry.kind === "probe") held.add(entry.result);
    if (isKept(entry) && !blobs.has(entry.result)) {
      const blob = findBody(pack, packSize, entry, at);
      if (blob === undefined) break;
      blobs.set(entry.result, blob);
      packSize += blob.stored;
    }
    const leaf = leafHash(line);
    chains.set(chainOf(entry), { prev: leaf, step: entry.step + 1 });
    entries.push({ entry, leaf, offset, length });
    size = offset + length;
  }
  return { entries, blobs, held, size, packSize };
}

const chainOf = ({ case: id, arm, repeat, attempt }: Entry): string => `${id}\n${arm}\n${repeat}\n${attempt}`;

function parseEntry(line: string, place: Place): Entry {
  let found: string;
  try {
    const value = JSON.parse(line) as Json;
    found = canonical(value);
    if (found === line && (value as { v?: Json }).v === ENTRY_FORMAT) return value as unknown as Entry;
  } catch (error) {
    found = (error as Error).message;
  }
  return refuse("JournalBroken", {
    place,
    found: line.slice(0, 200),
    expected: `an entry in its one spelling: ${found}`,
  });
}

function checkStanding(
  entry: Entry,
  expected: {
    run: string;
    seq: number;
    first: string;
    chains: ReadonlyMap<string, { prev: string; step: number }>;
  },
  place: Place,
): void {
  const { prev, step } = expected.chains.get(chainOf(entry)) ?? { prev: expected.first, step: 0 };
  const wanted = { run: expected.run, seq: expected.seq, step, prev };
  for (const field of ["run", "seq", "step", "prev"] as const) {
    if (entry[field] !== wanted[field])
      refuse("JournalBroken", {
        place,
        found: `${field} ${entry[field]}`,
        expected: `${field} ${wanted[field]}`,
      });
  }
}

/** The next body of the pack; undefined where the pack ends before it does. */
function findBody(pack: SinkFile, offset: number, entry: KeptEntry, place: Place): Blob | undefined {
  const { bytes: length, result } = entry;
  const deflated = length >= DEFLATE_FROM;
  const rest = pack.size() - offset;
  // No deflated body is longer than its raw bytes and a few more for each stored block of them.
  const most = deflated ? length + 64 + Math.ceil(length / 1024) : length;
  if (!deflated && rest < length) return undefined;
  const bytes = pack.read(offset, Math.min(rest, most));
  let raw: Buffer = bytes;
  let stored = length;
  if (deflated) {
    try {
      const inflated = inflateRawSync(bytes, { maxOutputLength: length, info: true }) as unknown as {
        buffer: Buffer;
        engine: { bytesWritten: number };
      };
      raw = inflated.buffer;
      stored = inflated.engine.bytesWritten;
    } catch (error) {
      if ((error as { code?: string }).code === "Z_BUF_ERROR" && rest < most) return undefined;
      refuse("JournalBroken", { place, found: (error as Error).message, expected: `body ${result}` });
    }
  }
  const found = digestOf(raw);
  if (found !== result)
    refuse("JournalBroken", { place, found: `body ${found}`, expected: `body ${result}` });
  return { offset, stored, length, deflated };
}

/** Whole lines, each with its newline in `length`. */
function* linesOf(file: SinkFile): Generator<{ line: string; offset: number; length: number }> {
  const size = file.size();
  let pending: Buffer[] = [];
  let offset = 0;
  for (let at = 0; at < size; at += WINDOW) {
    let rest = Buffer.from(file.read(at, Math.min(WINDOW, size - at)));
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const bytes = Buffer.concat([...pending, rest.subarray(0, end)]);
      pending = [];
      yield { line: bytes.toString("utf8"), offset, length: bytes.length + 1 };
      offset += bytes.length + 1;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pending.push(rest);
  }
}
