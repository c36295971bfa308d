import assert from "node:assert/strict";
import * as crypto from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, toHex, utf8 } from "../../src/core/bytes.ts";
import { checkSignature, keyId, newSigner, signerOf, signMessage } from "../../src/ledger/node-signatures.ts";
import { refused, shared } from "../core/refused.ts";
import { flipped, pemOf, seedOf } from "./a-log.ts";

test("signMessage and checkSignature: RFC 8032, section 7.1, tests 1 to 3", () => {
  const vectors = [
    [
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
  ] as const;
  for (const [seed, publicKey, message, signature] of vectors) {
    const signer = signerOf(pemOf(fromHex(seed)), "key");
    assert.equal(toHex(signer.publicKey), publicKey);
    assert.equal(toHex(signer.sign(fromHex(message))), signature);
    assert.equal(toHex(signMessage(fromHex(seed), fromHex(message))), signature);
    assert.equal(checkSignature(fromHex(publicKey), fromHex(message), fromHex(signature)), true);
  }
});

test("checkSignature: what a signer signs verifies, and with a bit changed anywhere it does not", () => {
  const { signer } = newSigner();
  const message = utf8("a checkpoint\n");
  const signature = signer.sign(message);
  assert.equal(checkSignature(signer.publicKey, message, signature), true);
  for (let i = 0; i < 512; i++)
    assert.equal(checkSignature(signer.publicKey, message, flipped(signature, i >> 3, 1 << (i & 7))), false);
  for (let i = 0; i < 256; i++)
    assert.equal(checkSignature(flipped(signer.publicKey, i >> 3, 1 << (i & 7)), message, signature), false);
  for (let i = 0; i < message.length; i++)
    assert.equal(checkSignature(signer.publicKey, flipped(message, i), signature), false);
});

test("checkSignature: never throws, and nothing random verifies", () => {
  const { signer } = newSigner();
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.uint8Array({ minLength: 64, maxLength: 64 }),
    fc.constant(signer.publicKey),
  );
  fc.assert(
    fc.property(bytes, bytes, bytes, (publicKey, message, signature) => {
      assert.equal(checkSignature(publicKey, message, signature), false);
    }),
    { numRuns: 500, examples: [[Uint8Array.of(1), Uint8Array.of(), Uint8Array.of()]] },
  );
});

/** What the library says, with nothing of ours before it. */
function bareVerify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString("base64url");
  const key = crypto.createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return crypto.verify(null, message, key, signature);
}

/** Under the neutral point this signature fits every message; Node.js 20 and 22 take it, 24.22 does not. */
const neutral = Uint8Array.of(1, ...new Uint8Array(31));
const fitsAll = Uint8Array.of(...neutral, ...new Uint8Array(32));
const isLenient = bareVerify(neutral, utf8("anything"), fitsAll);

test("checkSignature: under the neutral point nothing verifies, whatever the library says", () => {
  assert.equal(checkSignature(neutral, utf8("anything"), fitsAll), false);
});

test("checkSignature: a Buffer's bytes stay as they are, and verify as an array's do", () => {
  for (let i = 0; i < 20; i++) {
    const { signer } = newSigner();
    const [key, message] = [Buffer.from(signer.publicKey), Buffer.from("a")];
    const signature = Buffer.from(signer.sign(message));
    const before = Buffer.concat([key, signature]);
    assert.equal(checkSignature(key, message, signature), true);
    assert.deepEqual(Buffer.concat([key, signature]), before);
  }
});

type Wycheproof = {
  testGroups: {
    publicKey: { pk: string };
    tests: { tcId: number; msg: string; sig: string; result: string }[];
  }[];
};

test("checkSignature: all 151 tests of Wycheproof", (t) => {
  const text = shared(t, "reference/ed25519-wycheproof.json");
  if (text === undefined) return;
  const { testGroups } = JSON.parse(text) as Wycheproof;
  let count = 0;
  for (const { publicKey, tests } of testGroups) {
    for (const { tcId, msg, sig, result } of tests) {
      count++;
      assert.equal(
        checkSignature(fromHex(publicKey.pk), fromHex(msg), fromHex(sig)),
        result === "valid",
        `test ${tcId}`,
      );
    }
  }
  assert.equal(count, 151);
});

test("of the 914 odd signatures of C2SP/CCTV each Node.js takes the same 43, and a lenient library 208", (t) => {
  const text = shared(t, "reference/ed25519-cctv.json");
  if (text === undefined) return;
  const { vectors } = JSON.parse(text) as { vectors: { key: string; sig: string; msg: string }[] };
  assert.equal(vectors.length, 914);
  const taken = (verify: typeof bareVerify) =>
    vectors.filter(({ key, sig, msg }) => verify(fromHex(key), utf8(msg), fromHex(sig)));
  const ours = taken((...all) => checkSignature(...all) as boolean);
  const bare = taken(bareVerify);
  assert.equal(bare.length, isLenient ? 208 : 43);
  assert.equal(ours.length, 43);
  assert.ok(ours.every((vector) => bare.includes(vector)));
});

test("newSigner: its PEM gives the same key again, and each is another", () => {
  const { signer, pem } = newSigner();
  const again = signerOf(pem, "key");
  assert.deepEqual(again.publicKey, signer.publicKey);
  assert.deepEqual(again.sign(utf8("a")), signer.sign(utf8("a")));
  assert.equal(signer.publicKey.length, 32);
  assert.notDeepEqual(newSigner().signer.publicKey, signer.publicKey);
});

test("signerOf: KeyUnreadable says what is there instead, and quotes nothing of it", () => {
  const pem = pemOf(seedOf("a"));
  const secret = pem.split("\n")[1] as string;
  const exported = (type: "rsa" | "x25519" | "ec") => {
    const { privateKey } =
      type === "rsa"
        ? crypto.generateKeyPairSync("rsa", { modulusLength: 1024 })
        : type === "ec"
          ? crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
          : crypto.generateKeyPairSync("x25519");
    return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  };
  const { privateKey, publicKey } = crypto.generateKeyPairSync("ed25519");
  const encrypted = privateKey
    .export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "a" })
    .toString();
  const faults: [string, RegExp][] = [
    ["", /no PEM text/],
    [secret, /no PEM text/],
    [publicKey.export({ format: "pem", type: "spki" }).toString(), /label PUBLIC KEY/],
    [encrypted, /label ENCRYPTED PRIVATE KEY/],
    [pem.replaceAll("PRIVATE", "OPENSSH PRIVATE"), /label OPENSSH PRIVATE KEY/],
    [`${pem}${pem}`, /2 PEM texts/],
    [`seed: ${pem}`, /something beside it/],
    [`${pem}${secret}`, /something beside it/],
    [pem.replace("-----END PRIVATE KEY-----\n", ""), /something beside it/],
    [pem.replace(secret, ""), /holds no key/],
    [pem.replace(secret, secret.slice(4)), /holds no key/],
    [exported("rsa"), /kind rsa/],
    [exported("x25519"), /kind x25519/],
    [exported("ec"), /kind ec/],
  ];
  for (const [text, found] of faults) {
    const error = refused("KeyUnreadable", () => signerOf(text, "default.pem"));
    assert.match(error.message, found);
    assert.match(error.message, /^KeyUnreadable: default\.pem: .*, expected one unencrypted Ed25519 key/);
    assert.ok(!error.message.includes(secret.slice(24)) && !(error.hint ?? "").includes(secret.slice(24)));
  }
  for (const text of [pem, `\n${pem}\n`, pem.replaceAll("\n", "\r\n"), pem.trimEnd()])
    assert.equal(signerOf(text, "key").publicKey.length, 32);
});

test("keyId: the first 16 hexadecimal digits of the public key's SHA-256", () => {
  const publicKey = fromHex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  const expected = crypto.createHash("sha256").update(publicKey).digest("hex").slice(0, 16);
  assert.equal(keyId(publicKey), expected);
  assert.match(keyId(publicKey), /^[0-9a-f]{16}$/);
});
