import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import {
  consistencyProof,
  inclusionProof,
  provesConsistency,
  provesInclusion,
} from "../../src/ledger/proof.ts";
import { interiorHash } from "../../src/ledger/tree.ts";
import { shared } from "../core/refused.ts";
import { flipped, hexes, leafHashes, sha256 } from "./a-log.ts";
import { naiveConsistency, naivePath, naiveRoot, sidesOf } from "./naive-tree.ts";

const SIZES = 40;
const leaves = leafHashes(SIZES);
const roots = Array.from({ length: SIZES + 1 }, (_, size) => naiveRoot(leaves.slice(0, size)));
const root = (size: number) => roots[size] as Uint8Array;

type Inclusion = Parameters<typeof provesInclusion>[0];
type Consistency = Parameters<typeof provesConsistency>[0];
const includes = (claim: Inclusion) => provesInclusion(claim, sha256);
const grows = (claim: Consistency) => provesConsistency(claim, sha256);

function inclusion(index: number, size: number): Inclusion {
  const proof = inclusionProof(leaves, index, size, sha256);
  return { index, size, leaf: leaves[index] as Uint8Array, root: root(size), proof };
}
function consistency(from: number, to: number): Consistency {
  const proof = consistencyProof(leaves, from, to, sha256);
  return { from, to, oldRoot: root(from), newRoot: root(to), proof };
}

/** The proof with a bit of one hash turned, a hash left out, doubled, put in front or behind, cut or grown by a byte. */
function* spoilt(proof: readonly Uint8Array[]): Generator<Uint8Array[]> {
  for (let i = 0; i < proof.length; i++) {
    const hash = proof[i] as Uint8Array;
    const others = [[], [hash, hash], [flipped(hash, 0)], [flipped(hash, 31, 128)], [hash.slice(0, 31)]];
    for (const other of [...others, [Uint8Array.of(...hash, 0)]])
      yield [...proof.slice(0, i), ...other, ...proof.slice(i + 1)];
  }
  for (const hash of [root(1), root(0), new Uint8Array(0)])
    yield* [
      [hash, ...proof],
      [...proof, hash],
    ];
  if (proof.length > 1) yield [...proof].reverse();
}

test("inclusion proofs of sizes 1 to 40: RFC 6962's path, verified, and refused when anything is changed", () => {
  for (let size = 1; size <= SIZES; size++) {
    for (let index = 0; index < size; index++) {
      const claim = inclusion(index, size);
      assert.deepEqual(hexes(claim.proof), hexes(naivePath(index, leaves.slice(0, size))));
      assert.ok(includes(claim), `${index} of ${size}`);
      for (let other = -1; other <= size; other++)
        if (other !== index)
          assert.equal(includes({ ...claim, index: other }), false, `${other} for ${index}`);
      for (const proof of spoilt(claim.proof)) assert.equal(includes({ ...claim, proof }), false);
      assert.equal(includes({ ...claim, leaf: flipped(claim.leaf, 5) }), false);
      assert.equal(includes({ ...claim, root: flipped(claim.root, 5) }), false);
      assert.equal(includes({ ...claim, root: root(size - 1) }), false);
    }
  }
});

test("inclusion proofs verify under another size exactly where the path has the same shape: a root binds no size", () => {
  let same = 0;
  for (let size = 1; size <= SIZES; size++) {
    for (let index = 0; index < size; index++) {
      const claim = inclusion(index, size);
      for (let other = 0; other <= 2 * SIZES; other++) {
        const expected = other > index && sidesOf(index, other) === sidesOf(index, size);
        assert.equal(includes({ ...claim, size: other }), expected, `${index} of ${size} as ${other}`);
        if (expected && other !== size) same++;
      }
    }
  }
  assert.ok(
    same > 0 && includes({ ...inclusion(7, 40), size: 39 }),
    "index 7 of 40 is one of index 7 of 39 too",
  );
});

test("inclusion proofs verify under another index and size exactly where the path has the same sides", () => {
  for (let size = 1; size <= 12; size++) {
    for (let index = 0; index < size; index++) {
      const claim = inclusion(index, size);
      for (let other = 1; other <= 24; other++) {
        for (let at = 0; at < other; at++) {
          const expected = sidesOf(at, other) === sidesOf(index, size);
          assert.equal(includes({ ...claim, index: at, size: other }), expected, `${at} of ${other}`);
        }
      }
    }
  }
});

test("consistency proofs of all pairs to 40: RFC 6962's proof, verified, and refused when anything is changed", () => {
  for (let to = 1; to <= SIZES; to++) {
    for (let from = 1; from <= to; from++) {
      const claim = consistency(from, to);
      assert.deepEqual(hexes(claim.proof), hexes(naiveConsistency(from, leaves.slice(0, to))));
      assert.ok(grows(claim), `${from} to ${to}`);
      for (const proof of spoilt(claim.proof)) assert.equal(grows({ ...claim, proof }), false);
      for (let other = 0; other <= SIZES; other++) {
        if (other !== from) assert.equal(grows({ ...claim, oldRoot: root(other) }), false);
        if (other !== to) assert.equal(grows({ ...claim, newRoot: root(other) }), false);
        if (other !== from) assert.equal(grows({ ...claim, from: other, oldRoot: root(other) }), false);
        if (other !== to) assert.equal(grows({ ...claim, to: other, newRoot: root(other) }), false);
      }
    }
  }
});

test("consistency: a proof that leads past the roots of its sizes, to what stands above them, proves nothing", () => {
  const above = leaves[0] as Uint8Array;
  const over = (hash: Uint8Array) => interiorHash(above, hash, sha256);
  for (let to = 2; to <= 12; to++) {
    for (let from = 1; from < to; from++) {
      const { oldRoot, newRoot, proof } = consistency(from, to);
      const longer = { from, to, oldRoot: over(oldRoot), newRoot: over(newRoot), proof: [...proof, above] };
      assert.equal(grows(longer), false, `${from} to ${to}`);
    }
  }
});

test("consistency: of an empty tree nothing is proven, and nothing is asked", () => {
  const empty = { from: 0, to: 5, oldRoot: root(0), newRoot: root(5), proof: [] };
  assert.equal(grows(empty), false);
  assert.equal(grows({ ...empty, to: 0, newRoot: root(0) }), false);
  assert.throws(() => consistencyProof(leaves, 0, 5, sha256), RangeError);
});

test("a fork is never consistent: one leaf of the older tree differs", () => {
  for (const [from, to] of [
    [3, 7],
    [8, 9],
    [13, 40],
    [40, 40],
  ] as const) {
    for (let i = 0; i < from; i++) {
      const forked = leaves.slice(0, to).with(i, flipped(leaves[i] as Uint8Array, 0));
      const proof = consistencyProof(forked, from, to, sha256);
      assert.equal(grows({ from, to, oldRoot: root(from), newRoot: naiveRoot(forked), proof }), false);
    }
  }
});

test("random trees: proofs verify with their own leaf and root, and with no other", () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const trees = fc.uniqueArray(hash, { minLength: 1, maxLength: 200, selector: (each) => each.join() });
  fc.assert(
    fc.property(trees, fc.nat(), fc.nat(), fc.nat(), hash, (some, a, b, c, stranger) => {
      const size = (a % some.length) + 1;
      const index = b % size;
      const whole = naiveRoot(some.slice(0, size));
      const proof = inclusionProof(some, index, size, sha256);
      const claim = { index, size, leaf: some[index] as Uint8Array, root: whole, proof };
      assert.ok(includes(claim));
      assert.equal(includes({ ...claim, leaf: stranger }), false);
      if (size > 1) {
        const other = (index + 1 + (c % (size - 1))) % size;
        assert.equal(includes({ ...claim, index: other }), false);
        const at = c % proof.length;
        const turned = flipped(proof[at] as Uint8Array, c % 32, 1 << (c % 8));
        assert.equal(includes({ ...claim, proof: proof.with(at, turned) }), false);
      }
      const from = (c % size) + 1;
      const oldRoot = naiveRoot(some.slice(0, from));
      const grown = {
        from,
        to: size,
        oldRoot,
        newRoot: whole,
        proof: consistencyProof(some, from, size, sha256),
      };
      assert.ok(grows(grown));
      assert.equal(grows({ ...grown, oldRoot: stranger }), false);
      assert.equal(grows({ ...grown, newRoot: stranger }), false);
    }),
    { numRuns: 300 },
  );
});

test("garbage is false, and never throws", () => {
  const number = fc.oneof(
    fc.nat(50),
    fc.integer(),
    fc.double(),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 * Number.MAX_SAFE_INTEGER, Number.NaN, -0, -1, 0.5),
  );
  const hash = fc.oneof(fc.constantFrom(...leaves), fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(number, number, hash, hash, fc.array(hash, { maxLength: 70 }), (a, b, left, right, proof) => {
      assert.equal(typeof includes({ index: a, size: b, leaf: left, root: right, proof }), "boolean");
      assert.equal(typeof grows({ from: a, to: b, oldRoot: left, newRoot: right, proof }), "boolean");
      const longer = Array.from({ length: limits.proofHashes + 1 }, () => left);
      assert.equal(includes({ index: a, size: b, leaf: left, root: right, proof: longer }), false);
    }),
    { numRuns: 2000 },
  );
  assert.equal(includes({ ...inclusion(0, 2), size: 2.5 }), false);
  assert.equal(includes({ ...inclusion(0, 2), index: Number.NaN }), false);
});

test("a tree of 2^53 - 1 leaves has paths of 53 hashes, counted without shifts", () => {
  const size = Number.MAX_SAFE_INTEGER;
  const [leaf, ...others] = leafHashes(54) as [Uint8Array, ...Uint8Array[]];
  for (const [index, side] of [
    [0, "R"],
    [size - 1, "L"],
  ] as const) {
    // Of the last leaf every hash stands left; of the first every hash stands right: 2^53 - 1 has 53 ones.
    const proof = others.slice(side === "R" ? 0 : 1);
    let whole = leaf;
    for (const hash of proof)
      whole = sha256(
        side === "R" ? Uint8Array.of(1, ...whole, ...hash) : Uint8Array.of(1, ...hash, ...whole),
      );
    assert.ok(includes({ index, size, leaf, root: whole, proof }), side);
    assert.equal(includes({ index: index === 0 ? 1 : index - 1, size, leaf, root: whole, proof }), false);
  }
});

test("inclusionProof and consistencyProof: what is no place in the leaves is our mistake", () => {
  for (const [index, size] of [
    [0, 0],
    [1, 1],
    [-1, 2],
    [0.5, 2],
    [0, 41],
    [Number.NaN, 2],
    [0, Number.NaN],
  ] as const)
    assert.throws(() => inclusionProof(leaves, index, size, sha256), RangeError, `${index} of ${size}`);
  for (const [from, to] of [
    [3, 2],
    [1, 41],
    [0, 1],
    [1.5, 2],
    [1, Number.NaN],
  ] as const)
    assert.throws(() => consistencyProof(leaves, from, to, sha256), RangeError, `${from} to ${to}`);
});

type Probe = { name: string; wantErr: boolean; proof: string[] | null };
type Probes = {
  inclusion: (Probe & { leafIdx: number; treeSize: number; root: string; leafHash: string })[];
  consistency: (Probe & { size1: number; size2: number; root1: string; root2: string })[];
};
const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"));

test("the 98 + 98 probes of transparency-dev/merkle: one differs, whose roots have 12 bytes", (t) => {
  const text = shared(t, "reference/merkle-probes.json");
  if (text === undefined) return;
  const probes = JSON.parse(text) as Probes;
  assert.deepEqual([probes.inclusion.length, probes.consistency.length], [98, 98]);
  const other: string[] = [];
  for (const { name, leafIdx, treeSize, leafHash, wantErr, ...probe } of probes.inclusion) {
    const proof = (probe.proof ?? []).map(bytes);
    const claim = { index: leafIdx, size: treeSize, leaf: bytes(leafHash), root: bytes(probe.root), proof };
    if (includes(claim) === wantErr) other.push(name);
  }
  for (const { name, size1, size2, root1, root2, wantErr, ...probe } of probes.consistency) {
    const proof = (probe.proof ?? []).map(bytes);
    const claim = { from: size1, to: size2, oldRoot: bytes(root1), newRoot: bytes(root2), proof };
    if (grows(claim) === wantErr) other.push(name);
  }
  assert.deepEqual(other, ["additional/sizes-are-equal-one-and-proof-is-empty.json"]);
});
