import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clip, visible } from "../../src/core/words.ts";

test("visible: what moves a cursor, hides or turns text is replaced, letters of any script and line art are not", () => {
  assert.equal(
    visible("\u001b[2J\u0007\n\u009b1A\u202eevil\u200b\u2028"),
    "\ufffd[2J\ufffd\ufffd\ufffd1A\ufffdevil\ufffd\ufffd",
  );
  for (const plain of ["GREEN  no case failed", "├──●──┤ · Straße 東京 Ω é 🙂", ""])
    assert.equal(visible(plain), plain);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = visible(text);
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\u2028\u2029]/u);
      assert.equal(visible(shown), shown);
    }),
  );
});

test("clip: never longer than asked for, well-formed, and the whole where it fits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 4, max: 50 }), (text, most) => {
      const cut = clip(text, most);
      assert.ok(cut.length <= most && cut.isWellFormed());
      if (text.length <= most && text.isWellFormed()) assert.equal(cut, text);
    }),
  );
});
