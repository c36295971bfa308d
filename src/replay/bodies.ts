/** Bodies of the record: taken from the pack by the entry that has them, proven by their digests, parsed and kept a while. */
import { inflateRawSync } from "node:zlib";
import { strictUtf8 } from "../core/bytes.ts";
import { canonical, isCanonical, type Json } from "../core/canonical.ts";
import { digestOf } from "../core/digest.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { type BlobIndex, PACK } from "./blob-index.ts";
import type { RunFiles } from "./bundle.ts";
import type { RecordedEntry } from "./entry-shape.ts";

export type CallEntry = RecordedEntry & { readonly kind: "probe" | "tool" | "model" | "judge" };

export interface Bodies {
  /**
   * The body of an entry, as its kind must be. Refuses BlobMissing, BlobSizeMismatch, BlobDigestMismatch, BodyInvalid.
   * Nobody changes what it gives: others get the same.
   */
  of(entry: CallEntry, place: Place): Json;
  /** A body that was taken before. */
  again(digest: string): Json;
  /** The first body that no entry has: refuses BlobUnreferenced. */
  end(): void;
}

/** A parsed body, and how many raw bytes it had. */
type Kept = { readonly body: Json; readonly length: number };

/** Raw bytes of the bodies that are kept parsed; the last stays whatever its size. */
const KEPT_BYTES = 1 << 23;

export function createBodies(bundle: RunFiles, index: BlobIndex, packBytes: number): Bodies {
  const pack = packReader(bundle, packBytes);
  const seen = new Uint8Array(index.size);
  const kept = new Map<string, Kept>();
  let keptBytes = 0;
  const keep = (digest: string, body: Json, length: number): Kept => {
    const added = { body, length };
    kept.set(digest, added);
    keptBytes += length;
    for (const [oldest, one] of kept) {
      if (keptBytes <= KEPT_BYTES || one === added) return added;
      kept.delete(oldest);
      keptBytes -= one.length;
    }
    return added;
  };
  const load = (digest: string, place: Place): Kept => {
    const known = kept.get(digest);
    if (known !== undefined) return known;
    const number = index.find(digest);
    if (number < 0) return refuse("BlobMissing", { place, digest });
    const raw = rawBody(pack(index.offset(number), index.stored(number)), index, number);
    if (seen[number] === 0) {
      const found = digestOf(raw);
      if (found !== digest)
        refuse("BlobDigestMismatch", { place: index.place(number), found, expected: digest });
      seen[number] = 1;
    }
    return keep(digest, parseBody(raw, digest, index.place(number)), index.length(number));
  };
  return {
    of({ result, bytes, kind }, place) {
      const { body, length: expected } = load(result, place);
      if (bytes !== expected) refuse("BlobSizeMismatch", { place, subject: "bytes", found: bytes, expected });
      const wrong = faults[kind](body);
      if (wrong !== null) refuse("BodyInvalid", { place, digest: result, ...wrong });
      return body;
    },
    again: (digest) => load(digest, PACK).body,
    end() {
      const spare = seen.indexOf(0);
      if (spare >= 0)
        refuse("BlobUnreferenced", { place: index.place(spare), digest: index.digestOf(spare) });
    },
  };
}

const BLOCK = 1 << 16;
const BLOCKS = 64;

/** Bytes of the pack by blocks, the last of which are kept: entries stand in the plan's order, bodies as they arrived. */
function packReader(bundle: RunFiles, size: number): (offset: number, length: number) => Uint8Array {
  const blocks = new Map<number, Uint8Array>();
  const block = (number: number): Uint8Array => {
    const known = blocks.get(number);
    if (known !== undefined) return known;
    const read = bundle.at(PACK, number * BLOCK, Math.min(BLOCK, size - number * BLOCK));
    blocks.set(number, read);
    if (blocks.size > BLOCKS) blocks.delete(blocks.keys().next().value as number);
    return read;
  };
  return (offset, length) => {
    const number = Math.floor(offset / BLOCK);
    if (Math.floor((offset + length - 1) / BLOCK) > number) return bundle.at(PACK, offset, length);
    const from = offset - number * BLOCK;
    return block(number).subarray(from, from + length);
  };
}

/** The raw bytes, exactly as many as the index says, of a stream that ends where its range does. */
function rawBody(stored: Uint8Array, index: BlobIndex, number: number): Uint8Array {
  const length = index.length(number);
  const place = index.place(number);
  if (!index.isDeflated(number)) return stored;
  let inflated: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    inflated = inflateRawSync(stored, { maxOutputLength: Math.max(1, length), info: true }) as never;
  } catch (error) {
    const found = (error as Error).message;
    const expected = `a DEFLATE stream of ${length} bytes`;
    return refuse("BlobDigestMismatch", { place, found, expected });
  }
  const { buffer, engine } = inflated;
  const [found, expected] = [buffer.length, length];
  if (found !== expected) refuse("BlobSizeMismatch", { place, subject: "the body", found, expected });
  if (engine.bytesWritten !== stored.length)
    refuse("BlobSizeMismatch", {
      place,
      subject: "the DEFLATE stream",
      found: engine.bytesWritten,
      expected: stored.length,
    });
  return buffer;
}

/** Any JSON that has a canonical form: what has none could be compared with nothing. */
function parseBody(raw: Uint8Array, digest: string, place: Place): Json {
  const invalid = (found: string, expected: string) =>
    refuse("BodyInvalid", { place, digest, found, expected });
  const text = strictUtf8(raw);
  if (text === undefined) return invalid("bytes that are not UTF-8", "JSON in UTF-8");
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
    if (!isCanonical(text, body)) canonical(body);
  } catch (error) {
    return invalid((error as Error).message, "JSON that has a canonical form");
  }
  return body;
}

type Wrong = { readonly found: string; readonly expected: string };
type Fields = { readonly [key: string]: Json | undefined };

const isFields = (value: Json | undefined): value is Fields & Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isServedRow = (row: Json) =>
  isFields(row) &&
  typeof row["ref"] === "string" &&
  typeof row["available_at"] === "string" &&
  isFields(row["body"]);

/** `{"rows":[…]}`, figures of an aggregate, or `{"fault":{…}}`; a row has its reference and its time as texts, and its cells. */
function toolFault(body: Json): Wrong | null {
  if (!isFields(body)) return { found: shownKind(body), expected: "an object" };
  const { fault, rows } = body;
  if (fault !== undefined && !(isFields(fault) && typeof fault["message"] === "string"))
    return { found: "a fault without a message", expected: "a class and a message" };
  if (rows === undefined) return null;
  if (!Array.isArray(rows)) return { found: `rows: ${shownKind(rows)}`, expected: "rows: a list" };
  const odd = rows.findIndex((row: Json) => !isServedRow(row));
  const expected = "a row with its ref and available_at, texts, and its body";
  return odd < 0 ? null : { found: `rows.${odd}: no row`, expected };
}

/** `[{"at":…,"kind":…,"ref":…,"reply":{…}},…]`. */
function probeFault(body: Json): Wrong | null {
  if (!Array.isArray(body)) return { found: shownKind(body), expected: "a list of replies" };
  const odd = body.findIndex((one: Json) => {
    if (!isFields(one) || typeof one["kind"] !== "string" || typeof one["ref"] !== "string") return true;
    const { reply } = one;
    return !isFields(reply) || !(reply["rows"] === undefined || Array.isArray(reply["rows"]));
  });
  return odd < 0 ? null : { found: `${odd}: no reply`, expected: "kind, ref and reply, its rows a list" };
}

/** `{"reply":"…"}`. */
function replyFault(body: Json): Wrong | null {
  const right = isFields(body) && typeof body["reply"] === "string" && Object.keys(body).length === 1;
  return right ? null : { found: shownKind(body), expected: "a reply, as a text" };
}

const faults = { tool: toolFault, probe: probeFault, model: replyFault, judge: replyFault } as const;

const shownKind = (value: Json): string =>
  Array.isArray(value) ? "a list" : value === null ? "null" : typeof value;
