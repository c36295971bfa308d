import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, toBase64, toHex } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { portableHashing } from "../../src/core/portable-sha256.ts";
import { newSigner } from "../../src/ledger/node-signatures.ts";
import {
  formatVerifierKey,
  isKeyName,
  isWeakPoint,
  mayVerify,
  parseVerifierKey,
  type VerifierKey,
  verifierKey,
} from "../../src/ledger/verifier-key.ts";
import { refused, shared } from "../core/refused.ts";
import { first, log, seedOf, sha256 } from "./a-log.ts";
import { isSmallOrder, P } from "./curve.ts";
import { parsed, refusedManglings } from "./one-spelling.ts";

const parse = (text: string): VerifierKey => parseVerifierKey(text, "policy:1", sha256);

/** Keys as others print them: the C2SP example, the two of Go's sumdb/note, Go's checksum database. */
const printed = [
  "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
  "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop",
  "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8",
];

test("parseVerifierKey: reads the keys that others print, and formatVerifierKey writes them again", () => {
  for (const text of [...printed, log.text, first.text]) {
    const key = parse(text);
    assert.ok(text.startsWith(`${key.name}+${key.id}+A`) || text.startsWith(`${key.name}+${key.id}+B`));
    assert.equal(key.publicKey.length, 32);
    assert.equal(formatVerifierKey(key), text);
    assert.deepEqual(parseVerifierKey(text, "policy:1", portableHashing.sha256), key);
  }
  assert.equal(parse(printed[0] as string).type, 1);
  assert.equal(parse(first.text).type, 4);
});

test("parseVerifierKey: the frozen keys of log and witness", (t) => {
  const text = shared(t, "reference/audit-vectors.json");
  if (text === undefined) return;
  const { logVkey, logPub, witnessVkey } = JSON.parse(text) as Record<string, string>;
  const key = parse(logVkey as string);
  assert.equal(toHex(key.publicKey), logPub);
  assert.deepEqual(verifierKey(key.name, 1, key.publicKey, sha256), key);
  assert.equal(parse(witnessVkey as string).type, 4);
});

test("parseVerifierKey: parse and format are inverse on names and keys of every kind", () => {
  const names = fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter(isKeyName);
  const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => !isWeakPoint(bytes));
  fc.assert(
    fc.property(names, fc.constantFrom<1 | 4>(1, 4), keys, (name, type, publicKey) => {
      const key = verifierKey(name, type, publicKey, sha256);
      assert.deepEqual(parse(formatVerifierKey(key)), key);
    }),
  );
});

test("parseVerifierKey: every mangling of a key is refused, and none means the same key", () => {
  for (const text of [log.text, first.text]) {
    const { read, codes } = refusedManglings(text, parse, formatVerifierKey);
    assert.equal(read, 0);
    assert.deepEqual([...codes].sort(), ["KeyIdMismatch", "KeyMalformed"]);
  }
});

test("parseVerifierKey: any text is a key or a refusal", () => {
  const pieces = fc.constantFrom("+", "a", "\n", log.key.id, "é", " ", "AQ==", "=", "\0", log.text);
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: pieces, maxLength: 6 })),
      (text) => {
        const result = parsed(() => parse(text));
        if ("value" in result) assert.equal(formatVerifierKey(result.value), text);
      },
    ),
    { numRuns: 1000 },
  );
});

/** The text of a name, type and key with the right id, whatever they are. */
function textOf(name: string, type: number, publicKey: Uint8Array): string {
  const material = Uint8Array.of(type, ...publicKey);
  const id = sha256(Uint8Array.of(...Buffer.from(name), 10, ...material)).subarray(0, 4);
  return `${name}+${toHex(id)}+${toBase64(material)}`;
}

test("parseVerifierKey: KeyMalformed says which part, what was found and what was expected", () => {
  const { publicKey, id } = log.key;
  const base64 = toBase64(Uint8Array.of(1, ...publicKey));
  const faults: [string, string, string][] = [
    ["", "", "<name>+<id>+<base64>"],
    [`a+${id}`, `a+${id}`, "<name>+<id>+<base64>"],
    [`+${id}+${base64}`, "", "a name without spaces"],
    [`a b+${id}+${base64}`, "a b", "a name without spaces"],
    [`a\u2003b+${id}+${base64}`, "a\u2003b", "a name without spaces"],
    [`a\u0085+${id}+${base64}`, "a\u0085", "a name without spaces"],
    [`a\ud800+${id}+${base64}`, "a\ud800", "a name without spaces"],
    [`a\u0001+${id}+${base64}`, "a\u0001", "control characters"],
    [`a+${id.toUpperCase()}x+${base64}`, `${id.toUpperCase()}x`, "8 lower-case hexadecimal digits"],
    [`a+ABCDEF01+${base64}`, "ABCDEF01", "8 lower-case hexadecimal digits"],
    [`a+${id}+${base64}=`, `${base64}=`, "base64"],
    [`a+${id}+`, "", "01 (Ed25519) or 04 (cosignature)"],
    [textOf("a", 6, publicKey), "06", "01 (Ed25519) or 04 (cosignature)"],
    [textOf("a", 1, publicKey.slice(1)), "32 bytes", "33 bytes"],
    [textOf("a", 1, Uint8Array.of(...publicKey, 0)), "34 bytes", "33 bytes"],
  ];
  for (const [text, found, expected] of faults) {
    const { details, message } = refused("KeyMalformed", () => parse(text));
    assert.equal(details.place, "policy:1");
    assert.equal(details.found, found);
    assert.ok(details.expected.includes(expected), `${details.expected} for ${text}`);
    assert.ok(message.length < 400);
  }
});

test("parseVerifierKey: KeyIdMismatch has both ids: of another name, type and key", () => {
  const { id } = log.key;
  const turned = log.text.replace(id, "00000000");
  const { details } = refused("KeyIdMismatch", () => parse(turned));
  assert.deepEqual(details, { place: "policy:1", name: log.key.name, found: "00000000", expected: id });
  refused("KeyIdMismatch", () => parse(log.text.replace("ledger.example/a", "ledger.example/b")));
  for (const material of [
    [4, ...log.key.publicKey],
    [1, ...first.key.publicKey],
  ])
    refused("KeyIdMismatch", () => parse(`${log.key.name}+${id}+${toBase64(Uint8Array.from(material))}`));
  assert.equal(parse(turned.replace("00000000", id)).id, id);
});

test("parseVerifierKey: KeyWeak for the 14 encodings of small order, under the right id", () => {
  for (const encoding of SMALL_ORDER) {
    const { details, hint } = refused("KeyWeak", () => parse(textOf("a", 1, fromHex(encoding))));
    assert.equal(details.found, encoding);
    assert.match(hint ?? "", /another key/);
  }
  assert.equal(parse(textOf("a", 1, log.key.publicKey)).name, "a");
});

test("verifierKey: a name or key that no note can hold is our mistake", () => {
  for (const name of ["", "a b", "a+b", "a\n", "\ud800"])
    assert.throws(() => verifierKey(name, 1, log.key.publicKey, sha256), RangeError);
  assert.throws(() => verifierKey("a", 1, new Uint8Array(31), sha256), RangeError);
});

/** C2SP/CCTV ed25519/README.md, "Low-order edwards25519 point encodings". */
const SMALL_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

/** y, little-endian, and the sign of x in the top bit. */
function encoded(y: bigint, sign: 0 | 1): Uint8Array {
  const bytes = fromHex(y.toString(16).padStart(64, "0")).reverse();
  bytes[31] = (bytes[31] as number) | (sign << 7);
  return bytes;
}

test("isWeakPoint: the 14 encodings and no other of small order, as arithmetic on the curve has it", () => {
  assert.equal(new Set(SMALL_ORDER).size, 14);
  for (const encoding of SMALL_ORDER) {
    assert.ok(isWeakPoint(fromHex(encoding)), encoding);
    assert.ok(isSmallOrder(fromHex(encoding)), encoding);
  }
  for (const center of new Set(SMALL_ORDER.map(yOf))) {
    for (let y = center - 2n; y <= center + 2n; y++) {
      if (y < 0n) continue;
      for (const sign of [0, 1] as const)
        assert.equal(isWeakPoint(encoded(y, sign)), y >= P || isSmallOrder(encoded(y, sign)), `y ${y}`);
    }
  }
});

const yOf = (encoding: string) => BigInt(`0x${toHex(fromHex(encoding).reverse())}`) & ((1n << 255n) - 1n);

test("isWeakPoint: leaves its bytes as they are, a Buffer's too", () => {
  for (const encoding of [...SMALL_ORDER, "ff".repeat(32), "aa".repeat(32)]) {
    const bytes = Buffer.from(encoding, "hex");
    isWeakPoint(bytes);
    assert.equal(bytes.toString("hex"), encoding);
  }
});

test("mayVerify: a sound key of 32 bytes, a signature of 64, whose R is sound", () => {
  const { publicKey } = log.key;
  const signature = (r: string) => fromHex(r + "11".repeat(32));
  assert.equal(mayVerify(publicKey, signature("11".repeat(32))), true);
  for (const encoding of SMALL_ORDER) {
    assert.equal(mayVerify(publicKey, signature(encoding)), false, encoding);
    assert.equal(mayVerify(fromHex(encoding), signature("11".repeat(32))), false, encoding);
  }
  assert.equal(mayVerify(publicKey.slice(1), signature("11".repeat(32))), false);
  assert.equal(mayVerify(publicKey, signature("11".repeat(32)).slice(1)), false);
});

test("isWeakPoint: every y from p on is weak, with either sign", () => {
  for (let y = P; y < 1n << 255n; y++)
    for (const sign of [0, 1] as const) assert.ok(isWeakPoint(encoded(y, sign)), `p + ${y - P}`);
  assert.equal(isWeakPoint(encoded(P - 2n, 0)), false);
  assert.equal(isWeakPoint(encoded(2n, 1)), false);
});

test("isWeakPoint: agrees with 8·P = 0 on random keys and random bytes", () => {
  const near = fc.tuple(fc.constantFrom(...SMALL_ORDER), fc.nat(255)).map(([encoding, bit]) => {
    const bytes = fromHex(encoding);
    const at = bit >> 3;
    bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7));
    return bytes;
  });
  const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.oneof(near, random), (bytes) => {
      assert.equal(isWeakPoint(bytes), yOf(toHex(bytes)) >= P || isSmallOrder(bytes), toHex(bytes));
    }),
    { numRuns: 100 },
  );
  for (let i = 0; i < 10; i++) {
    const { publicKey } = newSigner().signer;
    assert.equal(isSmallOrder(publicKey), false);
    assert.equal(isWeakPoint(publicKey), false);
  }
});

test("isWeakPoint: refuses every key of small order of C2SP/CCTV, and none other", (t) => {
  const text = shared(t, "reference/ed25519-cctv.json");
  if (text === undefined) return;
  const { vectors } = JSON.parse(text) as { vectors: { key: string; flags: string[] | null }[] };
  const low = new Set(vectors.filter(({ flags }) => flags?.includes("low_order_A")).map(({ key }) => key));
  const weak = new Set(vectors.filter(({ key }) => isWeakPoint(fromHex(key))).map(({ key }) => key));
  assert.equal(low.size, 14);
  assert.deepEqual([...weak].sort(), [...low].sort());
});

test("isKeyName: any name without spaces, plus signs and controls, as long as a note may be", () => {
  for (const name of [
    "a",
    "ledger.example/a",
    "local/0123456789abcdef",
    "é",
    "\u{1f600}",
    "\ufeff",
    "-",
    "\u007f",
  ])
    assert.ok(isKeyName(name), JSON.stringify(name));
  assert.ok(isKeyName("a".repeat(limits.noteCharacters)));
  const spaces = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
  for (const wrong of ["", "+", "\0", "\u001f", "\udc00", ...spaces])
    assert.equal(isKeyName(wrong === "" ? "" : `a${wrong}b`), false, JSON.stringify(wrong));
  assert.ok(parse(textOf(Buffer.from(seedOf("x")).toString("hex"), 4, log.key.publicKey)));
});
