import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, digestOfJson, leafHash, sha256Hex } from "../../src/core/digest.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const texts = fc.string({ unit: "binary", maxLength: 300 });

test("sha256Hex: FIPS 180-4's examples", () => {
  assert.equal(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(
    sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
});

test("sha256Hex: equals @noble/hashes on every text and on all bytes", () => {
  fc.assert(
    fc.property(texts, fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
      assert.equal(sha256Hex(text), hex(sha256(Buffer.from(text, "utf8"))));
      assert.equal(sha256Hex(bytes), hex(sha256(bytes)));
      assert.equal(digestOf(text), `sha256:${sha256Hex(text)}`);
    }),
    { numRuns: 500 },
  );
});

test("digestOfJson: the digest of the canonical bytes, whatever the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(
        digestOfJson(value as Json),
        `sha256:${hex(sha256(Buffer.from(canonical(value as Json))))}`,
      );
    }),
  );
  assert.equal(digestOfJson({ a: 1, b: 2 }), digestOfJson({ b: 2, a: 1 }));
});

test("leafHash: RFC 6962's SHA-256(0x00 || leaf)", () => {
  assert.equal(leafHash(""), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  fc.assert(
    fc.property(texts, (line) => {
      const bytes = Buffer.concat([Buffer.from([0]), Buffer.from(line, "utf8")]);
      assert.equal(leafHash(line), hex(sha256(bytes)));
    }),
  );
});
