import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stream, streamOf } from "../../src/core/random.ts";
import { referenceStream } from "../stats/reference-stream.ts";

const seeds = fc.maxSafeInteger();
const names = fc.string({ unit: "grapheme", maxLength: 30 });

test("stream: the integers that an independent Python program draws", () => {
  const { nextUint32 } = stream(42, "headline.brier");
  const drawn = Array.from({ length: 5 }, nextUint32);
  assert.deepEqual(drawn, [4201182662, 3621646856, 2235094015, 3710612788, 1696192717]);
  const accented = stream(0, "é");
  assert.deepEqual(Array.from({ length: 3 }, accented.nextUint32), [4009565708, 451636307, 2614308912]);
});

test("below: the indices that an independent Python program draws, redraws included", () => {
  const sevenths = stream(42, "headline.brier");
  const indices = Array.from({ length: 10 }, () => sevenths.below(7));
  assert.deepEqual(indices, [5, 2, 0, 1, 2, 4, 4, 2, 0, 1]);
  const wide = stream(42, "headline.brier");
  const kept = Array.from({ length: 6 }, () => wide.below(3000000000));
  assert.deepEqual(kept, [2235094015, 1696192717, 531798206, 2722102153, 282221705, 1231240228]);
});

test("stream: equals xoroshiro128+ written in 64-bit integers, for every seed and name", () => {
  fc.assert(
    fc.property(seeds, names, (seed, name) => {
      const ours = stream(seed, name);
      const theirs = referenceStream(seed, name);
      for (let i = 0; i < 20; i++) assert.equal(ours.nextUint32(), theirs.next());
    }),
  );
});

test("below: equals the reference for every range, ranges mixed in one stream", () => {
  const ranges = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 4294967296 })),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(seeds, names, ranges, (seed, name, sizes) => {
      const ours = stream(seed, name);
      const theirs = referenceStream(seed, name);
      for (const n of sizes) {
        const index = ours.below(n);
        assert.equal(index, theirs.below(n));
        assert.ok(index >= 0 && index < n);
      }
    }),
  );
});

test("stream: a seed and a name are not run together", () => {
  assert.notEqual(stream(1, "2x").nextUint32(), stream(12, "x").nextUint32());
});

test("stream and below: refuse a seed or a range that is not an integer in bounds", () => {
  for (const seed of [0.5, Number.NaN, Infinity, 9007199254740992])
    assert.throws(() => stream(seed, "x"), RangeError);
  const { below } = stream(1, "x");
  for (const n of [0, -1, 1.5, 4294967297, Number.NaN]) assert.throws(() => below(n), RangeError);
});

test("streamOf: 16 bytes are the state; an all-zero state or too few bytes crash", () => {
  // s0 = 1, s1 = 2: the first output is s0 + s1, as in the paper's code.
  const { nextUint32 } = streamOf(Buffer.from("00000000000000010000000000000002", "hex"));
  assert.equal(nextUint32(), 3);
  assert.throws(() => streamOf(Buffer.alloc(16)), /all-zero/);
  assert.throws(() => streamOf(Buffer.alloc(8)), RangeError);
});
