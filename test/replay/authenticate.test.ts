import assert from "node:assert/strict";
import { test } from "node:test";
import { toBase64, utf8 } from "../../src/core/bytes.ts";
import { canonical } from "../../src/core/canonical.ts";
import { assertEvery } from "../support/all.ts";
import {
  type Files,
  log,
  ORIGIN,
  policyOf,
  type RecordPlan,
  signedCheckpoint,
  witnesses,
  writeRecord,
} from "../support/record-writer.ts";
import { testKey } from "../support/test-key.ts";
import { demandPair, edit, type Pair, replace, told, verdictOf } from "./outcome.ts";

const PROOFS = ["open.tlog-proof", "close.tlog-proof"] as const;
const bothProofs = (by: (text: string) => string) => (files: Files) => {
  for (const name of PROOFS) edit(name, by)(files);
};
/** Another checkpoint in both proofs, or in the one. */
const resigned =
  (note: string, names: readonly string[] = PROOFS) =>
  (files: Files) => {
    for (const name of names)
      edit(name, (text) => `${text.slice(0, text.indexOf("\n\n") + 2)}${note}`)(files);
  };
const stranger = testKey("ledger.example/other", 1, 9);
const impostor = testKey(ORIGIN, 1, 9);
const checkpoint = { origin: ORIGIN, size: 6, root: new Uint8Array(32) };
const linesOf = (text: string) => text.split("\n");

const notePairs: Pair[] = [
  {
    name: "CRLF",
    bad: { tamper: edit("open.tlog-proof", (text) => text.replaceAll("\n", "\r\n")) },
    expected: "note ProofMalformed",
    good: {},
  },
  {
    name: "a proof that is not UTF-8",
    bad: { tamper: (files) => files.set("open.tlog-proof", new Uint8Array([0xff])) },
    expected: "note ProofMalformed",
    says: /open\.tlog-proof/,
    good: {},
  },
  {
    name: "a note without its last newline",
    bad: { tamper: bothProofs((text) => text.slice(0, -1)) },
    expected: "note NoteMalformed",
    good: {},
  },
  {
    name: "a size with a leading zero",
    bad: { tamper: bothProofs((text) => text.replace("\n6\n", "\n06\n")) },
    expected: "note CheckpointMalformed",
    good: { tamper: bothProofs((text) => text.replace("\n6\n", "\n7\n")) },
    neighbour: "signature SignatureInvalid",
  },
];

const trustPairs: Pair[] = [
  {
    name: "a policy that is none",
    bad: { policy: () => utf8("logs\n") },
    expected: "policy PolicyInvalid",
    says: /policy:1/,
    good: { policy: () => policyOf(log, []) },
  },
  {
    name: "an origin that the policy has not",
    bad: { policy: () => policyOf(stranger, witnesses) },
    expected: "signature OriginUntrusted",
    good: {},
  },
  {
    name: "another key of the origin's name",
    bad: { policy: () => policyOf(impostor, witnesses) },
    expected: "signature SignatureMissing",
    good: {},
  },
  {
    name: "signed by a key that is not the origin's",
    bad: { tamper: resigned(signedCheckpoint(checkpoint, [impostor, ...witnesses])) },
    expected: "signature SignatureMissing",
    good: { tamper: resigned(signedCheckpoint(checkpoint, [log, impostor, ...witnesses])) },
    neighbour: "inclusion InclusionInvalid",
  },
  {
    name: "an unsigned run under a policy",
    bad: { plan: { signed: false } },
    expected: "signature SignatureMissing",
    says: /unsigned/,
    good: { plan: { signed: false }, policy: "none" },
    neighbour: "unauthenticated",
  },
  {
    name: "a bad signature of the log in the open leaf's proof only",
    bad: {
      tamper: resigned(
        signedCheckpoint(checkpoint, [log]).replace(/ ([A-Za-z0-9+/]{8})[A-Za-z0-9+/]{4}/, " $1AAAA"),
        ["open.tlog-proof"],
      ),
    },
    expected: "signature SignatureInvalid",
    says: /open\.tlog-proof/,
    good: {},
  },
  {
    name: "no cosignature where one is needed",
    bad: { plan: { signatures: ([own]) => [own as never] } },
    expected: "quorum QuorumUnmet",
    good: { plan: { signatures: ([own, , second]) => [own as never, second as never] } },
  },
  {
    name: "one cosignature where two are needed",
    bad: {
      plan: { signatures: ([own, first]) => [own as never, first as never, first as never] },
      policy: () => policyOf(log, witnesses, "all"),
    },
    expected: "quorum QuorumUnmet",
    good: { policy: () => policyOf(log, witnesses, "all") },
  },
];

const swapped = (plan: RecordPlan): RecordPlan => ({ ...plan, leaves: (leaves) => [...leaves].reverse() });
const inclusionPairs: Pair[] = [
  {
    name: "the proofs are against two checkpoints of the log",
    bad: {
      tamper: resigned(signedCheckpoint({ ...checkpoint, size: 7 }, [log, ...witnesses]), [
        "close.tlog-proof",
      ]),
    },
    expected: "inclusion CheckpointsDiffer",
    says: /7 leaves, root AAAA.*6 leaves/,
    good: { tamper: resigned(signedCheckpoint({ ...checkpoint, size: 7 }, [log, ...witnesses])) },
    neighbour: "inclusion InclusionInvalid",
  },
  {
    name: "a proof's index is another",
    bad: { tamper: replace("open.tlog-proof", "index 1", "index 2") },
    expected: "inclusion InclusionInvalid",
    says: /open\.tlog-proof/,
    good: {},
  },
  {
    name: "a hash of a proof is dropped",
    bad: { tamper: edit("close.tlog-proof", (text) => linesOf(text).toSpliced(2, 1).join("\n")) },
    expected: "inclusion InclusionInvalid",
    says: /close\.tlog-proof/,
    good: {},
  },
  {
    name: "the close leaf is edited",
    bad: { tamper: replace("close.json", /"entries":\d+/, '"entries":3') },
    expected: "inclusion InclusionInvalid",
    good: {},
  },
  {
    name: "the open leaf stands after the close leaf",
    bad: { plan: swapped({}) },
    expected: "inclusion OpenNotBeforeClose",
    says: /leaf 4 opens.*leaf 1 closes/,
    good: {},
  },
  {
    name: "the open leaf given twice",
    bad: {
      tamper: (files) => {
        files.set("close.json", files.get("open.json") as Uint8Array);
        files.set("close.tlog-proof", files.get("open.tlog-proof") as Uint8Array);
      },
    },
    expected: "inclusion LeafTypeWrong",
    says: /close\.json/,
    good: {},
  },
  {
    name: "a leaf that is not canonical",
    bad: { tamper: edit("open.json", (text) => text.replace('"run"', ' "run"')) },
    expected: "inclusion NotCanonical",
    good: {},
  },
  {
    name: "a leaf's file without its newline",
    bad: { tamper: edit("open.json", (text) => text.slice(0, -1)) },
    expected: "inclusion NotCanonical",
    says: /no newline/,
    good: {},
  },
  {
    name: "a leaf's file with two newlines",
    bad: { tamper: edit("open.json", (text) => `${text}\n`) },
    expected: "inclusion NotCanonical",
    good: {},
  },
  {
    name: "a leaf that is not UTF-8",
    bad: { tamper: (files) => files.set("open.json", new Uint8Array([0xff, 10])) },
    expected: "inclusion NotCanonical",
    says: /UTF-8/,
    good: {},
  },
  {
    name: "the leaves of an unsigned run are read",
    bad: {
      plan: { signed: false, open: (leaf) => ({ ...leaf, v: "blindcast.progress/1" }) },
      policy: "none",
    },
    expected: "inclusion LeafTypeWrong",
    good: { plan: { signed: false }, policy: "none" },
    neighbour: "unauthenticated",
  },
];

for (const pair of [...notePairs, ...trustPairs, ...inclusionPairs])
  test(`authenticate: ${pair.name}`, () => demandPair(pair));

test("a verified run: each stage passed but the state, which nobody gave; its record is given back", async () => {
  const { verdict, stages, failure, assurance, record } = await verdictOf({});
  assert.deepEqual(
    { verdict, failure, assurance },
    { verdict: "verified", failure: null, assurance: "witnessed 2-of-2" },
  );
  const names = "files policy note signature quorum state inclusion manifest root entries";
  assert.equal(stages.map(({ stage }) => stage).join(" "), names);
  assertEvery(stages, ({ stage, state, reason }) =>
    stage === "state"
      ? state === "skipped" && reason !== undefined
      : state === "passed" && reason === undefined,
  );
  assert.ok(record !== null);
  assert.equal(record.checkpoint?.origin, ORIGIN);
  assert.equal(record.open.run, record.manifest.run);
  assert.equal(record.close.entries, 10);
  assert.deepEqual(record.witnesses, ["w1", "w2"]);
  assert.deepEqual([...record.listing.files.keys()], [...writeRecord().files.keys()].sort());
});

test("without a policy a run is at best unauthenticated, and what was not checked says so", async () => {
  const skipped = async (attempt: Parameters<typeof verdictOf>[0]) => {
    const { verdict, stages, assurance } = await verdictOf({ ...attempt, policy: "none" });
    const without = stages.filter(({ state }) => state === "skipped").map(({ stage }) => stage);
    return { verdict, assurance, skipped: without.join(" ") };
  };
  assert.deepEqual(await skipped({}), {
    verdict: "unauthenticated",
    assurance: null,
    skipped: "policy signature quorum state",
  });
  assert.deepEqual(await skipped({ plan: { signed: false } }), {
    verdict: "unauthenticated",
    assurance: "unsigned",
    skipped: "policy note signature quorum state inclusion",
  });
});

test("without a policy what a signed run holds must agree with itself all the same", async () => {
  const tell = async (attempt: Parameters<typeof verdictOf>[0]) =>
    told(await verdictOf({ ...attempt, policy: "none" }));
  assert.equal(
    await tell({ tamper: bothProofs((text) => text.replace("\n6\n", "\n06\n")) }),
    "note CheckpointMalformed",
  );
  assert.equal(
    await tell({ tamper: replace("open.tlog-proof", "index 1", "index 2") }),
    "inclusion InclusionInvalid",
  );
  const other = signedCheckpoint(checkpoint, [log]);
  assert.equal(await tell({ tamper: resigned(other, ["open.tlog-proof"]) }), "inclusion CheckpointsDiffer");
  assert.equal(
    await tell({ plan: { manifest: (manifest) => ({ ...manifest, ledger: "ledger.example/other" }) } }),
    "manifest LedgerMismatch",
  );
});

test("assurance: self-signed where no witness of the policy signed, else how many of how many", async () => {
  const alone = await verdictOf({ policy: () => policyOf(log, []) });
  assert.equal(alone.assurance, "self-signed");
  const unneeded = await verdictOf({
    plan: { signatures: ([own]) => [own as never] },
    policy: () => policyOf(log, witnesses, "none"),
  });
  assert.equal(unneeded.assurance, "self-signed");
  const one = await verdictOf({ plan: { signatures: ([own, , second]) => [own as never, second as never] } });
  assert.equal(one.assurance, "witnessed 1-of-2");
  assert.deepEqual(one.record?.witnesses, ["w2"]);
});

test("a failure names its stage, code and line, and gives no record", async () => {
  const { verdict, failure, assurance, record } = await verdictOf({
    tamper: replace("open.tlog-proof", "index 1", "index 2"),
  });
  assert.deepEqual({ verdict, assurance, record }, { verdict: "failed", assurance: null, record: null });
  assert.ok(failure !== null);
  assert.match(failure.message, /^InclusionInvalid: run\/open\.tlog-proof: /);
  assert.equal(canonical(failure as never), canonical(JSON.parse(JSON.stringify(failure))));
});

test("the checkpoint that is refused is told by its origin, size and root", async () => {
  const root = new Uint8Array(32).fill(7);
  const other = signedCheckpoint({ ...checkpoint, size: 9, root }, [log, ...witnesses]);
  const { failure } = await verdictOf({ tamper: resigned(other) });
  assert.ok(failure?.message.includes(`of the 9 leaves under the root ${toBase64(root)}`), failure?.message);
});
