/** The index of the blob pack, in columns: where each body lies, found by its digest; and which were asked for. */

import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fileIn, type RunFiles } from "./bundle.ts";
import type { Listing } from "./files.ts";
import { recordedLines } from "./recorded-lines.ts";

const INDEX = "blobs.idx";
export const PACK = "blobs.pack";

/** A body by its number in the order of the digests. */
export interface BlobIndex {
  readonly size: number;
  /** The number of a digest, -1 where the pack has no such body. O(log n). */
  find(digest: string): number;
  digestOf(number: number): string;
  place(number: number): Place;
  offset(number: number): number;
  stored(number: number): number;
  length(number: number): number;
  isDeflated(number: number): boolean;
}

const count = "(0|[1-9][0-9]{0,15})";
/** The one canonical spelling of a line. */
const LINE = new RegExp(
  `^\\{"deflated":(true|false),"digest":"(sha256:[0-9a-f]{64})","length":${count},"offset":${count},"stored":${count}\\}$`,
);
const EXPECTED = '{"deflated":…,"digest":"sha256:…","length":…,"offset":…,"stored":…}';
const DIGEST_BYTES = 32;

/**
 * Reads `blobs.idx`. Refuses BlobIndexInvalid (another spelling, digests not ascending, ranges that leave a gap or
 * overlap), LimitExceeded (a body beyond the limit), BlobSizeMismatch (a pack longer or shorter than its ranges).
 * 54 bytes of memory a body.
 */
export function readBlobIndex(bundle: RunFiles, listing: Listing): BlobIndex {
  const place = fileIn(bundle, INDEX);
  const columns = createColumns();
  let last = "";
  for (const { text, number } of recordedLines(bundle, INDEX, listing.files.get(INDEX) as number)) {
    const at = `${place}:${number}`;
    const parts = LINE.exec(text);
    if (parts === null) return refuse("BlobIndexInvalid", { place: at, found: text, expected: EXPECTED });
    const [, deflated, digest, ...numbers] = parts as unknown as [string, string, string, ...string[]];
    const [length, offset, stored] = numbers.map(Number) as [number, number, number];
    if (digest <= last)
      refuse("BlobIndexInvalid", { place: at, found: digest, expected: `a digest after ${last}` });
    last = digest;
    checkRange(at, { deflated: deflated === "true", length, offset, stored });
    columns.add(digest, offset, stored, length, deflated === "true");
  }
  const index = columns.done(place);
  checkTiles(index, listing.files.get(PACK) as number, bundle);
  return index;
}

type Range = {
  readonly deflated: boolean;
  readonly length: number;
  readonly offset: number;
  readonly stored: number;
};

function checkRange(place: Place, { deflated, length, offset, stored }: Range): void {
  const limit = limits.blobBytes;
  if (length > limit) refuse("LimitExceeded", { place, what: "bytes of a body", found: length, limit });
  const invalid = (found: string, expected: string) => refuse("BlobIndexInvalid", { place, found, expected });
  if (stored === 0) invalid("stored 0", "at least one byte: no body is empty");
  if (!deflated && stored !== length) invalid(`stored ${stored}`, `${length}, as it is not deflated`);
  // Stored blocks of 65,535 bytes with five bytes before each (RFC 1951 section 3.2.4) are the worst of DEFLATE.
  if (stored > 2 * limit) invalid(`stored ${stored}`, `a DEFLATE stream of ${length} bytes`);
  if (!Number.isSafeInteger(offset + stored)) invalid(`offset ${offset}`, "an offset in the pack");
}

/**
 * Ranges tile the pack where the sorted starts, less the first, are the sorted ends, less the last: of ranges that are
 * not empty the one that ends first begins first, and so on. O(n log n) in two columns.
 */
function checkTiles(index: BlobIndex, pack: number, bundle: RunFiles): void {
  const starts = Float64Array.from({ length: index.size }, (_, i) => index.offset(i)).sort();
  const ends = Float64Array.from({ length: index.size }, (_, i) => index.offset(i) + index.stored(i)).sort();
  for (let i = 0; i < index.size; i++) {
    const expected = i === 0 ? 0 : (ends[i - 1] as number);
    const found = starts[i] as number;
    if (found === expected) continue;
    let number = 0;
    while (index.offset(number) !== found) number++;
    const what = `the offset ${expected}, where the body before ends`;
    refuse("BlobIndexInvalid", { place: index.place(number), found: `offset ${found}`, expected: what });
  }
  const expected = ends.at(-1) ?? 0;
  if (pack !== expected)
    refuse("BlobSizeMismatch", { place: fileIn(bundle, PACK), subject: "the file", found: pack, expected });
}

const grown = <A extends Float64Array | Uint32Array | Uint8Array>(old: A, size: number): A => {
  const more = new (old.constructor as new (length: number) => A)(size);
  more.set(old as never);
  return more;
};

function createColumns() {
  let digests = new Uint8Array(DIGEST_BYTES * 1024);
  let offsets = new Float64Array(1024);
  let storedBytes = new Uint32Array(1024);
  let lengths = new Uint32Array(1024);
  let deflates = new Uint8Array(1024);
  let size = 0;
  const grow = () => {
    const room = 2 * size;
    digests = grown(digests, DIGEST_BYTES * room);
    offsets = grown(offsets, room);
    storedBytes = grown(storedBytes, room);
    lengths = grown(lengths, room);
    deflates = grown(deflates, room);
  };
  return {
    add(digest: string, offset: number, stored: number, length: number, deflated: boolean) {
      if (size === offsets.length) grow();
      Buffer.from(digests.buffer).write(digest.slice("sha256:".length), DIGEST_BYTES * size, "hex");
      offsets[size] = offset;
      storedBytes[size] = stored;
      lengths[size] = length;
      deflates[size] = deflated ? 1 : 0;
      size++;
    },
    done(place: Place): BlobIndex {
      const sorted = Buffer.from(digests.buffer, 0, DIGEST_BYTES * size);
      const wanted = Buffer.alloc(DIGEST_BYTES);
      const at = (number: number) => DIGEST_BYTES * number;
      return {
        size,
        find(digest) {
          wanted.write(digest.slice("sha256:".length), "hex");
          const prefix = wanted.readUInt32BE(0);
          let [low, high] = [0, size];
          while (low < high) {
            const middle = (low + high) >>> 1;
            const first = sorted.readUInt32BE(at(middle)) - prefix;
            // Of digests the first bytes nearly always decide.
            const order = first || sorted.compare(wanted, 0, DIGEST_BYTES, at(middle), at(middle + 1));
            if (order === 0) return middle;
            if (order < 0) low = middle + 1;
            else high = middle;
          }
          return -1;
        },
        digestOf: (number) => `sha256:${sorted.toString("hex", at(number), at(number + 1))}`,
        place: (number) => `${place}:${number + 1}`,
        offset: (number) => offsets[number] as number,
        stored: (number) => storedBytes[number] as number,
        length: (number) => lengths[number] as number,
        isDeflated: (number) => deflates[number] === 1,
      };
    },
  };
}
