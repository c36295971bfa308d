import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import type { BundleFile } from "../../src/replay/bundle.ts";
import { limitOf } from "../../src/replay/files.ts";
import { type Bundle, memoryBundle } from "../../src/verify.ts";
import { assertEvery } from "../support/all.ts";
import { type Files, writeRecord } from "../support/record-writer.ts";
import { demandPair, type Pair, replace, told, verdictOn } from "./outcome.ts";

const put = (name: string) => (files: Files) => void files.set(name, utf8("x"));
const drop = (name: string) => (files: Files) => assert.ok(files.delete(name));
const unsigned = { plan: { signed: false }, policy: "none" } as const;

const pairs: Pair[] = [
  {
    name: "a name that no run folder has",
    bad: { tamper: put("keys.txt") },
    expected: "files FileUnexpected",
    says: /run\/keys\.txt: no file of a run folder/,
    good: {},
  },
  {
    name: "a name in another case",
    bad: { tamper: put("Report.json") },
    expected: "files FileUnexpected",
    good: {},
  },
  {
    name: "a path out of the folder",
    bad: { tamper: put("artifacts/../../x") },
    expected: "files FileUnexpected",
    good: {},
  },
  {
    name: "an artifact not named by a digest",
    bad: { tamper: put(`artifacts/${"0F".repeat(32)}`) },
    expected: "files FileUnexpected",
    good: { plan: { loaded: (files) => files.delete("family.json") } },
  },
  {
    name: "the journal of a run that was not closed",
    bad: { tamper: put("journal.jsonl") },
    expected: "files FileUnexpected",
    says: /journal\.jsonl: the run was not closed/,
    good: {},
  },
  {
    name: "an unsigned run with a proof",
    bad: { ...unsigned, tamper: put("close.tlog-proof") },
    expected: "files FileUnexpected",
    says: /unsigned/,
    good: unsigned,
    neighbour: "unauthenticated",
  },
  {
    name: "a signed run with one proof",
    bad: { tamper: drop("open.tlog-proof") },
    expected: "files FileMissing",
    says: /open\.tlog-proof: not there, though run\.json names the ledger "ledger\.example\/blindcast"/,
    good: {},
  },
  {
    name: "a manifest that cannot be read, with one proof",
    bad: {
      tamper: (files) => {
        files.set("run.json", utf8("{"));
        files.delete("open.tlog-proof");
      },
    },
    expected: "files FileMissing",
    good: { tamper: (files) => files.set("run.json", utf8("{")) },
    neighbour: "manifest ManifestDigestMismatch",
  },
  {
    name: "a signed run without proofs",
    bad: {
      policy: "none",
      tamper: (files) => {
        drop("open.tlog-proof")(files);
        drop("close.tlog-proof")(files);
      },
    },
    expected: "files FileMissing",
    good: unsigned,
    neighbour: "unauthenticated",
  },
  {
    name: "a signed run made unsigned",
    bad: {
      policy: "none",
      tamper: (files) => {
        drop("open.tlog-proof")(files);
        drop("close.tlog-proof")(files);
        replace("run.json", '"ledger":"ledger.example/blindcast"', '"ledger":null')(files);
      },
    },
    expected: "manifest ManifestDigestMismatch",
    good: unsigned,
    neighbour: "unauthenticated",
  },
];

for (const pair of pairs) test(`files: ${pair.name}`, () => demandPair(pair));

test("files: the hint of an open run is to finish it", async () => {
  const { files, policy } = writeRecord();
  files.set("journal.jsonl", utf8(""));
  const { failure } = await verdictOn(memoryBundle(files), policy);
  assert.match(failure?.hint ?? "", /--resume/);
});

test("files: each required file that is taken away is missing, each optional one the manifest misses", async () => {
  const { files, policy } = writeRecord();
  const names = [...files.keys()];
  const outcomes = new Map<string, string>();
  for (const name of names) {
    const fewer = new Map([...files].filter(([each]) => each !== name));
    outcomes.set(name, told(await verdictOn(memoryBundle(fewer), policy)));
  }
  const optional = names.filter((name) => /^(family\.json$|artifacts\/)/.test(name));
  assert.equal(optional.length, 2);
  assertEvery(optional, (name) => outcomes.get(name) === "manifest FileMissing");
  assertEvery(
    names.filter((name) => !optional.includes(name)),
    (name) => outcomes.get(name) === "files FileMissing",
  );
});

/** A bundle that says of one file what is not so, and notes what is read. */
function claiming(files: Files, claim: BundleFile): { bundle: Bundle; read: string[] } {
  const inner = memoryBundle(files);
  const read: string[] = [];
  const bundle: Bundle = {
    place: inner.place,
    list: () => [...inner.list().filter(({ name }) => name !== claim.name), claim],
    chunks(name) {
      read.push(name);
      return inner.chunks(name);
    },
  };
  return { bundle, read };
}

test("files: what is no regular file, or too large, is refused before anything is read", async () => {
  const { files, policy } = writeRecord();
  for (const name of files.keys()) {
    const bytes = (files.get(name) as Uint8Array).length;
    for (const kind of ["folder", "other"] as const) {
      const { bundle, read } = claiming(files, { name, bytes: 0, kind });
      assert.equal(told(await verdictOn(bundle, policy)), "files FileNotRegular", name);
      assert.deepEqual(read, []);
    }
    const { bundle, read } = claiming(files, { name, bytes: limitOf(name) + 1, kind: "file" });
    assert.equal(told(await verdictOn(bundle, policy)), "files FileTooLarge", name);
    assert.deepEqual(read, []);
    const { bundle: largest } = claiming(files, { name, bytes: limitOf(name), kind: "file" });
    assert.equal(told(await verdictOn(largest, policy)), "verified", name);
    const { bundle: asItIs } = claiming(files, { name, bytes, kind: "file" });
    assert.equal(told(await verdictOn(asItIs, policy)), "verified", name);
  }
  assert.throws(() => limitOf("keys.txt"), RangeError);
});

test("files: a folder of artifacts is a folder, and no other is there", async () => {
  const { files, policy } = writeRecord();
  const tell = async (claim: BundleFile) => told(await verdictOn(claiming(files, claim).bundle, policy));
  assert.equal(await tell({ name: "artifacts", bytes: 0, kind: "folder" }), "verified");
  assert.equal(await tell({ name: "artifacts", bytes: 0, kind: "file" }), "files FileNotRegular");
  assert.equal(await tell({ name: "artifacts", bytes: 0, kind: "other" }), "files FileNotRegular");
  assert.equal(await tell({ name: "more", bytes: 0, kind: "folder" }), "files FileUnexpected");
});

test("files: a name that is listed twice", async () => {
  const { files, policy } = writeRecord();
  const inner = memoryBundle(files);
  const twice = (name: string): Bundle => ({
    ...inner,
    list: () => inner.list().flatMap((file) => (file.name === name ? [file, file] : [file])),
  });
  assert.equal(told(await verdictOn(twice("nothing"), policy)), "verified");
  for (const name of files.keys())
    assert.equal(told(await verdictOn(twice(name), policy)), "files FileUnexpected", name);
});

test("files: so many files as the limit, and not one more", async () => {
  const { files, policy } = writeRecord();
  const more = new Map(files);
  for (let i = files.size; i < limits.runFiles; i++)
    more.set(`artifacts/${i.toString(16).padStart(64, "0")}`, utf8(""));
  assert.equal(told(await verdictOn(memoryBundle(more), policy)), "manifest FileUnexpected");
  more.set(`artifacts/${"f".repeat(64)}`, utf8(""));
  assert.equal(told(await verdictOn(memoryBundle(more), policy)), "files LimitExceeded");
});

test("files: a file that outgrows what was listed is read no further than its limit", async () => {
  const { files, policy } = writeRecord();
  const piece = new Uint8Array(1 << 16);
  const inner = memoryBundle(files);
  let pieces = 0;
  const bundle: Bundle = {
    ...inner,
    async *chunks(name) {
      if (name !== "close.json") return yield* inner.chunks(name);
      for (; pieces < 1000; pieces++) yield piece;
    },
  };
  const { failure } = await verdictOn(bundle, policy);
  assert.equal(failure?.code, "FileTooLarge");
  assert.ok(pieces < 10, `${pieces} pieces were read`);
});
