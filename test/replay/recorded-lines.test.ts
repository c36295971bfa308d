import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { canonicalLine, recordedLines } from "../../src/replay/recorded-lines.ts";
import { refused } from "../core/refused.ts";

const linesIn = (bytes: Uint8Array) =>
  [...recordedLines(memoryBundle(new Map([["f", bytes]]), "run"), "f", bytes.length)].map(
    ({ text, number }, i) => {
      assert.equal(number, i + 1);
      return text;
    },
  );

test("recorded lines: whatever is written line by line is read line by line, across windows and characters", () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replace(/[\n\ud800-\udfff]/gu, "")),
    fc
      .tuple(fc.constantFrom("é", "\u2028", "\ufeff", "😀", "\r"), fc.nat(200_000))
      .map(([one, n]) => one.repeat(n)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
      const text = lines.map((one) => `${one.toWellFormed()}\n`).join("");
      assert.deepEqual(linesIn(utf8(text)), text.split("\n").slice(0, -1));
    }),
    { numRuns: 60 },
  );
});

test("recorded lines: a last line without newline, and bytes that are no text, are refused with their line", () => {
  const torn = refused("NotCanonical", () => linesIn(utf8("a\nb\nc")));
  assert.equal(torn.details.place, "run/f:3");
  assert.deepEqual(linesIn(utf8("a\nb\nc\n")), ["a", "b", "c"]);
  const bytes = utf8(`${"x".repeat(300_000)}\nb\nc?d\n`);
  assert.equal(linesIn(bytes).length, 3);
  const odd = refused("NotCanonical", () => linesIn(bytes.with(bytes.length - 3, 0xff)));
  assert.deepEqual([odd.details.place, odd.details.found], ["run/f:3", "bytes that are not UTF-8"]);
});

test("recorded lines: a line beyond the limit is refused before it is held whole", () => {
  assert.equal(linesIn(utf8(`a\n${"x".repeat(limits.lineBytes - 1)}\n`)).length, 2);
  const long = refused("LimitExceeded", () => linesIn(utf8(`a\n${"x".repeat(2 * limits.lineBytes)}\n`)));
  assert.equal(long.details.place, "run/f:2");
});

test("recorded lines: a line's value is had from its one spelling alone", () => {
  assert.deepEqual(canonicalLine({ text: '{"a":1}', number: 7 }, "run/f"), { a: 1 });
  for (const text of ['{"a": 1}', '{"a":1.0}', '{"a":1,"a":1}', "{", ""])
    assert.match(
      refused("NotCanonical", () => canonicalLine({ text, number: 7 }, "run/f")).details.place,
      /^run\/f:7:\d+$/,
    );
});
