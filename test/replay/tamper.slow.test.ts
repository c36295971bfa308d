import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, covered, holds, record } from "./tampered.ts";

test("tampering: each single byte of each file that is covered, turned into another, is refused", async () => {
  let tried = 0;
  for (const name of covered) {
    const bytes = record.files.get(name) as Uint8Array;
    for (let at = 0; at < bytes.length; at++) {
      const bits = 1 + ((at * 37) % 255);
      const files = changed(name, () => bytes.with(at, (bytes[at] as number) ^ bits));
      assert.equal(await holds(files, record.policy), false, `${name}: byte ${at}, ${bits}`);
      tried++;
    }
  }
  assert.ok(tried > 5000, `only ${tried} bytes`);
});
