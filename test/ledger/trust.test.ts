import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CheckSignature } from "../../src/core/bytes.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { checkSignature } from "../../src/ledger/node-signatures.ts";
import type { NoteSignature } from "../../src/ledger/note.ts";
import { type Policy, parsePolicy } from "../../src/ledger/policy.ts";
import { demandQuorum, openCheckpoint, quorumOf } from "../../src/ledger/trust.ts";
import { refused, refusedLater, shared } from "../core/refused.ts";
import {
  checkpointText,
  cosignedBy,
  EMPTY_ROOT,
  first,
  flipped,
  log,
  noteOf,
  ORIGIN,
  party,
  policyOf,
  second,
  seedOf,
  sha256,
  signed,
} from "./a-log.ts";
import { manglings } from "./one-spelling.ts";

const policy = policyOf(
  `log ${log.text}`,
  `witness w1 ${first.text}`,
  `witness w2 ${second.text}`,
  "group both all w1 w2",
  "quorum both",
);
const text = checkpointText();
const open = (note: string, trusted: Policy = policy, check: CheckSignature = checkSignature) =>
  openCheckpoint(note, trusted, check, sha256, "checkpoint");
const namesOf = async (...signatures: NoteSignature[]) => (await open(noteOf(text, ...signatures))).witnesses;
const stranger = party("stranger.example", 1, seedOf("stranger"));

test("openCheckpoint: the log's signature and the witnesses' are verified, and named as the policy names them", async () => {
  const opened = await open(
    noteOf(text, cosignedBy(second, text), signed(log, text), cosignedBy(first, text)),
  );
  assert.deepEqual(opened.checkpoint.size, 7);
  assert.equal(opened.log, policy.logs[0]);
  assert.deepEqual(opened.witnesses, ["w1", "w2"]);
  assert.deepEqual(await namesOf(signed(log, text)), []);
  assert.deepEqual(await namesOf(signed(log, text), cosignedBy(second, text)), ["w2"]);
});

test("openCheckpoint: a verifier that answers later is waited for", async () => {
  const note = noteOf(text, signed(log, text), cosignedBy(first, text));
  const later: CheckSignature = async (...all) => checkSignature(...all);
  assert.deepEqual((await open(note, policy, later)).witnesses, ["w1"]);
  await refusedLater("SignatureInvalid", () => open(note, policy, async () => false));
});

test("openCheckpoint: the frozen note opens under the frozen keys", async (t) => {
  const file = shared(t, "reference/audit-vectors.json");
  if (file === undefined) return;
  const { note, logVkey, witnessVkey } = JSON.parse(file) as Record<string, string>;
  const bytes = Buffer.from(`log ${logVkey}\nwitness w1 ${witnessVkey}\nquorum w1\n`);
  const trusted = parsePolicy(bytes, "policy", sha256);
  const { checkpoint, witnesses } = await open(note as string, trusted);
  assert.deepEqual([checkpoint.size, witnesses], [2, ["w1"]]);
  demandQuorum(trusted, witnesses, "checkpoint");
});

test("openCheckpoint: signatures of unknown keys are ignored, also where name or id is a known one's", async () => {
  const good = [signed(log, text), cosignedBy(first, text)];
  const nonsense = Uint8Array.of(1);
  const others = [
    { ...signed(stranger, text), signature: nonsense },
    { name: log.key.name, id: first.key.id, signature: nonsense },
    { name: first.key.name, id: log.key.id, signature: nonsense },
    { name: log.key.name, id: "00000000", signature: nonsense },
  ];
  assert.deepEqual(await namesOf(...others, ...good), ["w1"]);
  assert.deepEqual(await namesOf(...good, ...others), ["w1"]);
});

test("openCheckpoint: OriginUntrusted where no log of the policy has the checkpoint's origin", async () => {
  const other = checkpointText("ledger.example/b");
  const { details } = await refusedLater("OriginUntrusted", () => open(noteOf(other, signed(log, other))));
  assert.deepEqual(details, { place: "checkpoint", found: "ledger.example/b", known: [ORIGIN] });
  // Go's checksum database signs under another name than its origin: such a log is none of ours.
  const go =
    "go.sum database tree\n63096908\n8lHrQPRYe4KT4WQ9/Qk8/taKnD6IRHbFgfN7vQE2Y54=\n\n— sum.golang.org Az3gri/oVBN1jAhNZ/iS+W31psFAWRT20/GyrhpU6taFwulQGetBkH5S7wpGXdS935jiIGiUUAXBVHzT/P6fYhqAmAk=\n";
  const key = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8";
  await refusedLater("OriginUntrusted", () => open(go, policyOf(`log ${key}`, "quorum none")));
});

test("openCheckpoint: SignatureMissing where the log of this origin did not sign, whoever else did", async () => {
  const impostor = party(ORIGIN, 1, seedOf("impostor"));
  const another = party("ledger.example/b", 1, seedOf("b"));
  const trusted = policyOf(
    `log ${log.text}`,
    `log ${another.text}`,
    `witness w1 ${first.text}`,
    "quorum none",
  );
  for (const by of [signed(impostor, text), signed(another, text), cosignedBy(first, text)]) {
    const { details } = await refusedLater("SignatureMissing", () => open(noteOf(text, by), trusted));
    assert.equal(details.origin, ORIGIN);
    assert.deepEqual(details.present, [`${by.name}+${by.id}`]);
    assert.deepEqual(details.known, [`${ORIGIN}+${log.key.id}`]);
  }
  assert.equal(
    (await open(noteOf(text, signed(another, text), signed(log, text)), trusted)).log.name,
    ORIGIN,
  );
});

test("openCheckpoint: a witness that signs as a log does, or a log's key as a witness, counts for nothing", async () => {
  const asLog = party(first.key.name, 1, seedOf("first"));
  assert.deepEqual(await namesOf(signed(log, text), signed(asLog, text)), []);
  const asWitness = party(log.key.name, 4, seedOf("log"));
  assert.deepEqual(await namesOf(signed(log, text), cosignedBy(asWitness, text)), []);
});

/** A signature's bytes changed; the line is a note's as before. */
const changed = (line: NoteSignature, change: (bytes: Uint8Array) => Uint8Array): NoteSignature => ({
  ...line,
  signature: change(line.signature),
});

test("openCheckpoint: SignatureInvalid for one bad signature of a known key, beside any number of good ones", async () => {
  const byLog = signed(log, text);
  const byFirst = cosignedBy(first, text);
  const other = checkpointText(ORIGIN, 8);
  const bad: NoteSignature[] = [
    signed(log, other),
    { ...signed(stranger, text), name: log.key.name, id: log.key.id },
    changed(byLog, (bytes) => flipped(bytes, 0)),
    changed(byLog, (bytes) => flipped(bytes, 63, 0x80)),
    changed(byLog, (bytes) => bytes.slice(1)),
    changed(byLog, (bytes) => Uint8Array.of(...bytes, 0)),
    cosignedBy(first, other),
    changed(byFirst, (bytes) => flipped(bytes, 7)), // its time
    changed(byFirst, (bytes) => flipped(bytes, 0, 0x80)),
    changed(byFirst, (bytes) => flipped(bytes, 71)),
    changed(byFirst, (bytes) => bytes.slice(8)), // no time
    { ...byFirst, signature: signed(first, text).signature },
    { ...byFirst, signature: Uint8Array.of(1) },
    { ...byFirst, signature: Uint8Array.of(...new Uint8Array(8), ...signed(first, text).signature) },
  ];
  for (const line of bad) {
    const { details } = await refusedLater("SignatureInvalid", () =>
      open(noteOf(text, byLog, byFirst, line)),
    );
    assert.equal(details.key, `${line.name}+${line.id}`);
    await refusedLater("SignatureInvalid", () => open(noteOf(text, line, byLog, byFirst)));
  }
  assert.deepEqual(await namesOf(byLog, byFirst), ["w1"]);
});

test("openCheckpoint: a signature that no verifier should see is invalid, whatever the verifier would say", async () => {
  const takesAll: CheckSignature = () => true;
  const weak = changed(signed(log, text), (bytes) =>
    Uint8Array.of(1, ...new Uint8Array(31), ...bytes.slice(32)),
  );
  await refusedLater("SignatureInvalid", () => open(noteOf(text, weak), policy, takesAll));
  assert.equal((await open(noteOf(text, signed(log, text)), policy, takesAll)).log.name, ORIGIN);
});

test("openCheckpoint: a cosignature's time is 0 to 2^63 - 1 seconds", async () => {
  for (const seconds of [0n, 1n, (1n << 63n) - 1n])
    assert.deepEqual(await namesOf(signed(log, text), cosignedBy(first, text, seconds)), ["w1"]);
  const late = cosignedBy(first, text, 1n << 63n);
  const { details } = await refusedLater("SignatureInvalid", () =>
    open(noteOf(text, signed(log, text), late)),
  );
  assert.match(details.found, /2\^63/);
});

test("openCheckpoint: KeyAmbiguous where two logs were made to have one name and one id", async () => {
  // Found by trying: the ids have 32 bits, so that about 2^16 keys of one name hold such a pair.
  const [one, two] = [party(ORIGIN, 1, seedOf("seed 810")), party(ORIGIN, 1, seedOf("seed 26224"))];
  assert.equal(one.key.id, two.key.id);
  const both = policyOf(`log ${one.text}`, `log ${two.text}`, "quorum none");
  for (const by of [one, two]) {
    const { details } = await refusedLater("KeyAmbiguous", () => open(noteOf(text, signed(by, text)), both));
    assert.deepEqual(details, { place: "checkpoint", name: ORIGIN, id: one.key.id, found: 2 });
    assert.equal(
      (await open(noteOf(text, signed(by, text)), policyOf(`log ${by.text}`, "quorum none"))).log.id,
      by.key.id,
    );
  }
});

test("openCheckpoint: notes and checkpoints that are none are refused before any signature is looked at", async () => {
  const never: CheckSignature = () => assert.fail("a signature was looked at");
  const note = noteOf(text, signed(log, text));
  await refusedLater("NoteMalformed", () => open(note.replaceAll("\n", "\r\n"), policy, never));
  for (const wrong of [checkpointText().replace("7\n", "07\n"), `${checkpointText()}more\n`, "a\n"])
    await refusedLater("CheckpointMalformed", () => open(noteOf(wrong, signed(log, wrong)), policy, never));
  const reserved = checkpointText("cosignature/v1");
  await refusedLater("CheckpointMalformed", () =>
    open(noteOf(reserved, signed(log, reserved)), policy, never),
  );
});

test("openCheckpoint: an empty log has the root of nothing", async () => {
  const empty = checkpointText(ORIGIN, 0);
  assert.equal((await open(noteOf(empty, signed(log, empty)))).checkpoint.size, 0);
  const wrong = empty.replace(EMPTY_ROOT, `${"A".repeat(43)}=`);
  const { details } = await refusedLater("CheckpointMalformed", () =>
    open(noteOf(wrong, signed(log, wrong))),
  );
  assert.ok(details.expected.startsWith(EMPTY_ROOT));
});

test("openCheckpoint: a note with one character changed is refused, or says the same under the same log", async () => {
  const note = noteOf(text, signed(log, text), cosignedBy(first, text));
  const opened = await open(note);
  const codes = new Set<string>();
  let same = 0;
  for (const [i, mangled] of [...manglings(note)].entries()) {
    if (i % 4 !== 0) continue; // each takes two signatures' time
    try {
      const other = await open(mangled);
      assert.deepEqual([other.checkpoint, other.log], [opened.checkpoint, opened.log]);
      same++;
    } catch (error) {
      assert.ok(isRefusal(error), String(error));
      codes.add(error.code);
    }
  }
  // What may change is the witness's name or id: then it is nobody's signature.
  assert.ok(same > 0);
  assert.deepEqual([...codes].sort(), [
    "CheckpointMalformed",
    "NoteMalformed",
    "OriginUntrusted",
    "SignatureInvalid",
    "SignatureMissing",
  ]);
});

test("a hundred signatures of one witness are one witness", async () => {
  const many = Array.from({ length: 99 }, (_, i) => cosignedBy(first, text, BigInt(i)));
  assert.deepEqual(await namesOf(signed(log, text), ...many), ["w1"]);
  assert.equal(quorumOf(policy, ["w1", "w1"]), false);
  assert.equal(quorumOf(policy, ["w1", "w2"]), true);
});

test("demandQuorum: QuorumUnmet names the quorum, who cosigned and who should have", () => {
  const { details, message } = refused("QuorumUnmet", () => demandQuorum(policy, ["w2"], "checkpoint"));
  assert.deepEqual(details, {
    place: "checkpoint",
    quorum: "both",
    present: ["w2"],
    k: 2,
    members: ["w1", "w2"],
  });
  assert.equal(message, 'QuorumUnmet: checkpoint: quorum "both": cosigned by "w2", expected 2 of "w1", "w2"');
  const single = policyOf(
    `log ${log.text}`,
    `witness w1 ${first.text}`,
    `witness w2 ${second.text}`,
    "quorum w1",
  );
  assert.match(
    refused("QuorumUnmet", () => demandQuorum(single, [], "c")).message,
    /cosigned by none, expected 1 of "w1"$/,
  );
  refused("QuorumUnmet", () => demandQuorum(single, ["w2"], "c"));
  demandQuorum(single, ["w1"], "c");
  demandQuorum(policyOf(`log ${log.text}`, "quorum none"), [], "c");
  demandQuorum(policy, ["w1", "w2"], "c");
});

/** The group's meaning, from the top down. */
function meets(trusted: Policy, name: string, by: ReadonlySet<string>): boolean {
  const group = trusted.groups.get(name);
  if (group === undefined) return by.has(name) && trusted.witnesses.has(name);
  return group.members.filter((member) => meets(trusted, member, by)).length >= group.k;
}

test("quorumOf: k of n at every level, and more witnesses never hurt", () => {
  const witnesses = Array.from({ length: 6 }, (_, i) => party(`w.example/${i}`, 4, seedOf(`w ${i}`)));
  const head = [`log ${log.text}`, ...witnesses.map((each, i) => `witness x${i} ${each.text}`)];
  const draw = fc.record({
    a: fc.integer({ min: 1, max: 3 }),
    b: fc.integer({ min: 1, max: 3 }),
    top: fc.integer({ min: 1, max: 2 }),
  });
  const names = fc.subarray(["x0", "x1", "x2", "x3", "x4", "x5", "A", "B", "top", "stranger"]);
  fc.assert(
    fc.property(draw, names, names, ({ a, b, top }, by, more) => {
      const trusted = policyOf(
        ...head,
        `group A ${a} x0 x1 x2`,
        `group B ${b} x3 x4 x5`,
        `group top ${top} A B`,
        "quorum top",
      );
      const met = quorumOf(trusted, by);
      assert.equal(met, meets(trusted, "top", new Set(by)));
      if (met) assert.ok(quorumOf(trusted, [...by, ...more]));
    }),
  );
});
