import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, toHex, utf8 } from "../../src/core/bytes.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, leafHash, sha256Hex } from "../../src/core/digest.ts";
import { portableHashing } from "../../src/core/portable-sha256.ts";
import { createTree, interiorHash, leafHashOf } from "../../src/ledger/tree.ts";
import { shared } from "../core/refused.ts";
import { leafHashes, sha256 } from "./a-log.ts";
import { naiveRoot } from "./naive-tree.ts";

/** Leaves and roots of sizes 0 to 8, with which logs test themselves (transparency-dev/merkle, testonly/constants.go). */
const leaves = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

function rootOf(hashes: readonly Uint8Array[], hash = sha256): string {
  const tree = createTree(hash);
  for (const leaf of hashes) tree.append(leaf);
  assert.equal(tree.size(), hashes.length);
  return toHex(tree.root());
}

test("createTree: the known roots of RFC 6962's sizes 0 to 8, with either hash", () => {
  for (const hash of [sha256, portableHashing.sha256]) {
    const tree = createTree(hash);
    roots.forEach((root, size) => {
      assert.equal(tree.size(), size);
      assert.equal(toHex(tree.root()), root);
      tree.append(leafHashOf(fromHex(leaves[size] ?? ""), hash));
    });
  }
});

test("createTree: the root is the recursive definition's at every size to 130", () => {
  const hashes = leafHashes(130);
  const tree = createTree(sha256);
  hashes.forEach((leaf, i) => {
    tree.append(leaf);
    assert.equal(toHex(tree.root()), toHex(naiveRoot(hashes.slice(0, i + 1))), `size ${i + 1}`);
  });
});

test("createTree: the root is the recursive definition's on random leaves", () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 70 }), (hashes) => {
      assert.equal(rootOf(hashes), toHex(naiveRoot(hashes)));
    }),
  );
});

test("createTree: other trees have other roots where shortcuts collide: interior nodes as leaves, a leaf repeated", () => {
  const [a, b, c, d] = leafHashes(4) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const four = rootOf([a, b, c, d]);
  const pairs = [interiorHash(a, b, sha256), interiorHash(c, d, sha256)];
  const asLines = [Uint8Array.of(...a, ...b), Uint8Array.of(...c, ...d)];
  assert.equal(
    rootOf(pairs),
    four,
    "interior nodes given as leaf hashes are that tree, and no line has such a hash",
  );
  for (const lines of [asLines, asLines.map((line) => Uint8Array.of(1, ...line))])
    assert.notEqual(rootOf(lines.map((line) => leafHashOf(line, sha256))), four);
  assert.notEqual(rootOf([a, b, c]), rootOf([a, b, c, c]));
  assert.notEqual(rootOf([a, b]), rootOf([b, a]));
});

test("createTree: its root is the caller's own, and a leaf has 32 bytes", () => {
  const tree = createTree(sha256);
  const [leaf] = leafHashes(1) as [Uint8Array];
  tree.append(Buffer.from(leaf)); // whose slice would be no copy
  tree.root().fill(0);
  assert.equal(toHex(tree.root()), toHex(leaf));
  for (const length of [0, 31, 33]) assert.throws(() => tree.append(new Uint8Array(length)), RangeError);
  assert.equal(tree.size(), 1);
});

test("leafHashOf: SHA-256(0x00 || line) of lines of every length, as leafHash has it", () => {
  const lengths = [0, 1, 63, 64, 65_534, 65_535, 65_536, 70_000, 3, 0];
  for (const length of lengths) {
    const line = new Uint8Array(length).fill(97);
    assert.equal(
      toHex(leafHashOf(line, sha256)),
      toHex(sha256(Uint8Array.of(0, ...line))),
      `${length} bytes`,
    );
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(toHex(leafHashOf(utf8(text), sha256)), leafHash(text));
    }),
  );
});

test("audit-vectors: manifest digest, entry leaves, their root and a commitment, byte for byte", (t) => {
  const file = shared(t, "reference/audit-vectors.json");
  if (file === undefined) return;
  const given = JSON.parse(file) as Record<string, string>;
  const { manifest, entry0, entry1 } = given as { manifest: string; entry0: string; entry1: string };
  for (const text of [manifest, entry0, entry1]) assert.equal(canonical(JSON.parse(text) as Json), text);
  assert.equal(sha256Hex(manifest), given["manifestDigest"]);
  const hashes = [entry0, entry1].map((entry) => leafHashOf(utf8(entry), sha256));
  assert.deepEqual(hashes.map(toHex), [given["leaf0"], given["leaf1"]]);
  assert.deepEqual([leafHash(entry0), leafHash(entry1)], [given["leaf0"], given["leaf1"]]);
  assert.equal(rootOf(hashes), given["root"]);
  // The vectors carry a former name; a commitment of ours has another prefix and other keys.
  const committed = canonical({ plants: ["plant-0"], salt: "ab".repeat(32) });
  assert.equal(digestOf(`hindcast.commit/1\n${committed}`), given["commit"]);
});
