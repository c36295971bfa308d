import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { utf8 } from "../../src/core/bytes.ts";
import { canonical } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { type BlobIndex, readBlobIndex } from "../../src/replay/blob-index.ts";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";

type Blob = { digest: string; length: number; offset: number; stored: number; deflated: boolean };

function read(blobs: readonly Blob[], pack: number): BlobIndex {
  const bytes = utf8(blobs.map((blob) => `${canonical(blob)}\n`).join(""));
  const files = new Map([["blobs.idx", bytes]]);
  const sizes = new Map([...files].map(([name, { length }]) => [name, length] as const));
  return readBlobIndex(memoryBundle(files, "run"), {
    files: new Map([...sizes, ["blobs.pack", pack]]),
    signed: false,
  });
}

/** Bodies in the order in which they arrived, then sorted as an index is. */
function packed(sizes: readonly number[]): { blobs: Blob[]; pack: number } {
  let offset = 0;
  const blobs = sizes.map((stored, i) => {
    const blob = { digest: digestOf(`${i}`), length: stored, offset, stored, deflated: false };
    offset += stored;
    return blob;
  });
  return { blobs: blobs.sort((a, b) => (a.digest < b.digest ? -1 : 1)), pack: offset };
}

test("blob index: finds every body by its digest, and no other", () => {
  const { blobs, pack } = packed(Array.from({ length: 5000 }, (_, i) => 1 + (i % 97)));
  const index = read(blobs, pack);
  assert.equal(index.size, 5000);
  assertEvery(blobs, (blob, i) => {
    const at = index.find(blob.digest);
    assert.equal(at, i);
    const { digestOf: digest, offset, stored, length, isDeflated } = index;
    return (
      canonical({
        digest: digest(at),
        offset: offset(at),
        stored: stored(at),
        length: length(at),
        deflated: isDeflated(at),
      }) === canonical(blob)
    );
  });
  for (let i = 0; i < 1000; i++) assert.equal(index.find(digestOf(`other ${i}`)), -1);
  assert.equal(read([], 0).find(digestOf("any")), -1);
});

test("blob index: ranges that tile the pack are taken, and any one moved, stretched or doubled is not", () => {
  const moves = fc.constantFrom<"offset" | "stored">("offset", "stored");
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.nat(),
      moves,
      fc.integer({ min: -9, max: 9 }),
      (sizes, which, field, by) => {
        const { blobs, pack } = packed(sizes);
        assert.equal(read(blobs, pack).size, sizes.length);
        const at = which % blobs.length;
        const old = blobs[at] as Blob;
        const stored = field === "stored" ? Math.max(1, old.stored + by) : old.stored;
        const moved = {
          ...old,
          offset: Math.max(0, old.offset + (field === "offset" ? by : 0)),
          stored,
          length: stored,
        };
        if (moved.offset === old.offset && moved.stored === old.stored) return;
        const code = (work: () => unknown) => {
          try {
            work();
          } catch (error) {
            return (error as { code: string }).code;
          }
          return "taken";
        };
        const found = code(() => read(blobs.with(at, moved), pack));
        assert.ok(found === "BlobIndexInvalid" || found === "BlobSizeMismatch", found);
      },
    ),
  );
});

test("blob index: a pack longer or shorter than its ranges is refused by its size", () => {
  const { blobs, pack } = packed([5, 6, 7]);
  for (const size of [pack - 1, pack + 1]) {
    const { details } = refused("BlobSizeMismatch", () => read(blobs, size));
    assert.deepEqual(details, { place: "run/blobs.pack", subject: "the file", found: size, expected: pack });
  }
  assert.equal(refused("BlobSizeMismatch", () => read([], 1)).details.expected, 0);
});
