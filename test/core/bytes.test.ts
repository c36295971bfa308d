import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fromBase64,
  fromHex,
  type Hashing,
  sameBytes,
  strictUtf8,
  toBase64,
  toHex,
  utf8,
} from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { portableHashing } from "../../src/core/portable-sha256.ts";

const bytes = fc.uint8Array({ maxLength: 300 });
const plain = (data: Uint8Array) => [...data];

test("toBase64 and fromBase64: RFC 4648, section 10, as printed there", () => {
  const vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
  vectors.forEach((text, length) => {
    const data = utf8("foobar".slice(0, length));
    assert.equal(toBase64(data), text);
    assert.deepEqual(fromBase64(text), data);
  });
});

test("toBase64: equals Buffer's on all bytes, and fromBase64 is its inverse", () => {
  fc.assert(
    fc.property(bytes, (data) => {
      assert.equal(toBase64(data), Buffer.from(data).toString("base64"));
      assert.deepEqual(fromBase64(toBase64(data)), data);
    }),
    { numRuns: 1000 },
  );
});

test("fromBase64: spellings that Buffer takes and that are not the one are no bytes", () => {
  assert.deepEqual(fromBase64("AQ=="), Uint8Array.of(1));
  const others = ["AR==", "AQ", "A Q=\n=", "AQ==garbage", "-_-_", "AQ=", "AQ===", "====", "A===", "AQ==AQ=="];
  for (const text of [...others, "=", "AQ==\n", " AQ==", "AQE=\r", "AA\u0100A", "\u{1f600}", "AAB=", "A=A="])
    assert.equal(fromBase64(text), undefined, text);
});

test("fromBase64: any text is no bytes, or the one text of its bytes", () => {
  const near = fc.string({ unit: fc.constantFrom(..."ABgw+/=-_ \n09az"), maxLength: 8 });
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(near, fc.base64String({ maxLength: 40 }), fc.string({ unit: "binary" })), (text) => {
      const data = fromBase64(text);
      if (data === undefined) return;
      read++;
      assert.equal(toBase64(data), text);
    }),
    { numRuns: 3000 },
  );
  assert.ok(read > 100, `${read} texts were base64`);
});

test("toHex and fromHex: inverse, lower case only", () => {
  fc.assert(
    fc.property(bytes, (data) => {
      assert.equal(toHex(data), Buffer.from(data).toString("hex"));
      assert.deepEqual(fromHex(toHex(data)), data);
    }),
  );
  for (const text of ["a", "AB", "0x", "ag", "a ", "ab\n", "é0"])
    assert.throws(() => fromHex(text), RangeError, text);
});

test("strictUtf8: the text of UTF-8, a byte order mark kept, and undefined for all other bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const whole = text.toWellFormed();
      assert.deepEqual(plain(utf8(text)), plain(Buffer.from(text, "utf8")));
      assert.equal(strictUtf8(utf8(whole)), whole);
    }),
  );
  assert.equal(strictUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), "\ufeffa");
  for (const wrong of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
    assert.deepEqual([strictUtf8(Uint8Array.from(wrong)), strictUtf8(utf8("a"))], [undefined, "a"]);
});

test("sameBytes: equal length and bytes", () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(sameBytes(a, b), toHex(a) === toHex(b));
      assert.ok(sameBytes(a, a.slice()));
    }),
  );
  assert.equal(sameBytes(Uint8Array.of(1), Uint8Array.of(1, 0)), false);
});

test("node and portable hashing: FIPS 180-4's example, and the same on all bytes, at once and in pieces", () => {
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  for (const { sha256 } of [nodeHashing, portableHashing]) {
    assert.equal(toHex(sha256(utf8("abc"))), expected);
    assert.equal(Object.getPrototypeOf(sha256(utf8("abc"))), Uint8Array.prototype);
  }
  const inPieces = (hashing: Hashing, pieces: readonly Uint8Array[]) => {
    const hash = hashing.create();
    for (const piece of pieces) hash.update(piece);
    return hash.digest();
  };
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 5 }), (pieces) => {
      const whole = Uint8Array.from(pieces.flatMap(plain));
      const hash = nodeHashing.sha256(whole);
      assert.equal(hash.length, 32);
      assert.deepEqual(portableHashing.sha256(whole), hash);
      assert.deepEqual(inPieces(nodeHashing, pieces), hash);
      assert.deepEqual(inPieces(portableHashing, pieces), hash);
    }),
  );
});
