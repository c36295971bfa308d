import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toHex } from "../../src/core/bytes.ts";
import { leafHash, nodeHashing } from "../../src/core/digest.ts";
import { limits } from "../../src/core/limits.ts";
import { portableHashing } from "../../src/core/portable-sha256.ts";
import { eachEntryLine } from "../../src/replay/entry-lines.ts";

type Seen = { leaf: string; text: string | null; length: number };

async function linesOf(text: string, cuts: readonly number[], hashing = nodeHashing) {
  const bytes = Buffer.from(text);
  const ends = [...cuts, bytes.length].map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b);
  const chunks = async function* () {
    // The same memory each time: what a piece held is gone when the next one comes.
    const window = new Uint8Array(bytes.length);
    for (let i = 0; i < ends.length; i++) {
      const piece = bytes.subarray(ends[i - 1] ?? 0, ends[i]);
      window.fill(0xee);
      window.set(piece);
      yield window.subarray(0, piece.length);
    }
  };
  const lines: Seen[] = [];
  const rest = await eachEntryLine(chunks(), hashing, (leaf, line, length) =>
    lines.push({ leaf: toHex(leaf), text: line === null ? null : Buffer.from(line).toString(), length }),
  );
  return { lines, rest };
}

function expected(text: string): { lines: Seen[]; rest: number } {
  const lines = text.split("\n");
  const rest = Buffer.byteLength(lines.pop() as string);
  return {
    rest,
    lines: lines.map((line) => {
      const length = Buffer.byteLength(line);
      return { leaf: leafHash(line), text: length > limits.entryBytes ? null : line, length };
    }),
  };
}

test("lines of entries: however the file is cut into pieces, the same lines, leaves and rest", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r", "\0"), maxLength: 60 });
  const property = fc.asyncProperty(text, fc.array(fc.nat(100), { maxLength: 12 }), async (given, cuts) => {
    assert.deepEqual(await linesOf(given, cuts), expected(given));
  });
  await fc.assert(property, { numRuns: 500 });
});

test("lines of entries: the longest is given, a longer one only hashed, whatever its pieces", async () => {
  for (const hashing of [nodeHashing, portableHashing]) {
    for (const length of [limits.entryBytes - 1, limits.entryBytes, limits.entryBytes + 1, 200_000]) {
      const text = `first\n${"x".repeat(length)}\nlast\n${"y".repeat(70_000)}`;
      for (const cuts of [[], [6], [7], [100, 65_541, 65_542], [10, 20, 65_540, 65_550, 150_000]])
        assert.deepEqual(await linesOf(text, cuts, hashing), expected(text));
    }
  }
});
