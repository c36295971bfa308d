/** The audit ledger on a disk: what it keeps, what it signs, and what it refuses to sign on. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { Code } from "../../src/core/refusal.ts";
import { folderLedger } from "../../src/ledger/folder-ledger.ts";
import { newSigner } from "../../src/ledger/node-signatures.ts";
import { refusedLater, temporary } from "../core/refused.ts";
import {
  add,
  aLog,
  aPlace,
  bytesBelow,
  change,
  cut,
  failing,
  type Place,
  patched,
  progress,
  RUN,
  read,
  remove,
  runOf,
  verifiedLines,
} from "./a-ledger.ts";

describe("folder ledger", () => {
  it("keeps two files for a key, and one beside them that says that it began", async () => {
    const place = await aLog(2);
    assert.deepEqual(fs.readdirSync(place.folder).sort(), ["checkpoint", "leaves.jsonl"]);
    assert.equal(read(place.leaves), `${progress(0)}\n${progress(1)}\n`);
    assert.match(read(place.checkpoint), new RegExp(`^${place.origin}\n2\n[A-Za-z0-9+/]{43}=\n\n— `));
    assert.equal(read(`${place.folder}.born`), `${place.origin}\n`);
    assert.deepEqual(await verifiedLines(place), [progress(0), progress(1)]);
  });

  it("signs under the origin that it was given", async () => {
    const place = aPlace();
    const ledger = place.open("ledger.example/a");
    assert.equal(ledger.origin, "ledger.example/a");
    await ledger.append(progress(0));
    assert.match(read(place.checkpoint), /^ledger\.example\/a\n1\n/);
    assert.equal(place.open().origin, place.origin);
  });

  it("refuses an origin that no log can have", () => {
    const { signer } = newSigner();
    for (const origin of [
      "",
      "a b",
      "a+b",
      "a\u0085b",
      "a\ufeffb",
      "cosignature/v1",
      "SSHSIG",
      "x".repeat(201),
    ])
      assert.throws(() => folderLedger({ workspace: "w", signer, origin }), { code: "FieldInvalid" }, origin);
    for (const origin of ["a/b", "cosignature/v2", "x".repeat(200)])
      assert.equal(folderLedger({ workspace: "w", signer, origin }).origin, origin);
  });

  it("keeps a log for each key, and one for runs that nobody signed", async () => {
    const one = aPlace();
    const other = aPlace(one.workspace);
    const unsigned = folderLedger({ workspace: one.workspace, signer: null, origin: null });
    assert.equal(unsigned.origin, null);
    for (let n = 0; n < 3; n++)
      assert.deepEqual(
        await Promise.all(
          [one.open(), other.open(), unsigned].map((ledger, i) => ledger.append(progress(n, runOf(i)))),
        ),
        [n, n, n],
      );
    assert.equal((await verifiedLines(one))[2], progress(2, runOf(0)));
    assert.equal((await verifiedLines(other))[2], progress(2, runOf(1)));
    const folder = path.join(one.workspace, "ledgers/audit/unsigned");
    assert.deepEqual(fs.readdirSync(folder), ["leaves.jsonl"]);
    assert.equal(read(path.join(folder, "leaves.jsonl")).split("\n")[2], progress(2, runOf(2)));
    assert.equal(await unsigned.prove([0]), null);
  });

  it("without a key sees torn lines, lines that are none, and that the log became shorter", async () => {
    const workspace = temporary();
    const open = () => folderLedger({ workspace, signer: null, origin: null });
    const leaves = path.join(workspace, "ledgers/audit/unsigned/leaves.jsonl");
    const [ledger, other] = [open(), open()];
    for (let n = 0; n < 4; n++) assert.equal(await (n === 2 ? other : ledger).append(progress(n)), n);
    add(leaves, progress(9));
    assert.equal(await ledger.append(progress(4)), 4);
    assert.equal(read(leaves), [0, 1, 2, 3, 4].map((n) => `${progress(n)}\n`).join(""));
    cut(leaves, 2 * (progress(0).length + 1));
    assert.equal(await ledger.append(progress(5)), 3);
    add(leaves, "{}\n");
    await refusedLater("LeafTypeWrong", () => ledger.append(progress(6)));
    await refusedLater("LeafTypeWrong", () => open().append(progress(6)));
    cut(leaves, 3);
    assert.equal(await ledger.append(progress(6)), 4);
  });

  it("appends one after the other what is asked for at once", async () => {
    const place = aPlace();
    const ledger = place.open();
    const indexes = await Promise.all(Array.from({ length: 20 }, (_, n) => ledger.append(progress(n))));
    assert.deepEqual(indexes, [...indexes.keys()]);
    assert.deepEqual(
      await verifiedLines(place),
      indexes.map((n) => progress(n)),
    );
  });

  it("two ledgers of one log see each other's leaves", async () => {
    const place = aPlace();
    const ledgers = [place.open(), place.open()];
    for (let n = 0; n < 12; n++) assert.equal(await ledgers[n % 5 === 0 ? 0 : 1]?.append(progress(n)), n);
    assert.equal((await verifiedLines(place)).length, 12);
  });

  it("refuses what is no leaf, before it is written", async () => {
    const place = await aLog(1);
    const ledger = place.open();
    const before = bytesBelow(place.workspace);
    const lines: [string, Code][] = [
      [`${progress(1)} `, "NotCanonical"],
      [progress(1).replace("progress/1", "progress/2"), "LeafTypeWrong"],
      [progress(1, "R".repeat(66_000)), "LimitExceeded"],
      ["{}\n{}", "NotCanonical"],
    ];
    for (const [line, code] of lines) await refusedLater(code, () => ledger.append(line));
    assert.deepEqual(bytesBelow(place.workspace), before);
    assert.equal(await ledger.append(progress(1)), 1);
  });

  it("reads the log once, and for a later append its checkpoint alone", async () => {
    const place = await aLog(10);
    const leaf = progress(0).length + 1;
    const note = fs.statSync(place.checkpoint).size;
    const bytesRead = async (work: () => Promise<unknown>) => {
      let bytes = 0;
      const count = (real: (...args: never[]) => number, args: never[]) => {
        const got = real(...args);
        bytes += got;
        return got;
      };
      await patched("readSync", count, work);
      return bytes;
    };
    const ledger = place.open();
    assert.ok((await bytesRead(() => ledger.append(progress(10)))) >= 10 * leaf);
    for (let n = 11; n < 30; n++)
      assert.ok(
        (await bytesRead(() => ledger.append(progress(n)))) <= note + 1,
        "its own log was read again",
      );
    await place.open().append(progress(30));
    const more = await bytesRead(() => ledger.append(progress(31)));
    assert.ok(more >= leaf && more <= leaf + note + 1, "more was read than another appended");
    assert.equal((await verifiedLines(place)).length, 32);
  });
});

type Fault = {
  readonly name: string;
  readonly spoil: (place: Place) => void;
  readonly code: Code;
  readonly says: string;
};
const otherKey = (place: Place) => {
  const other = aPlace();
  return other
    .open(place.origin)
    .append(progress(0))
    .then(() => fs.copyFileSync(other.checkpoint, place.checkpoint));
};
const length = progress(0).length + 1;

const faults: readonly Fault[] = [
  {
    name: "a leaf was taken away",
    spoil: ({ leaves }) => cut(leaves, length),
    code: "LedgerRolledBack",
    says: "leaves.jsonl: 2 leaves are there, 3 were there before",
  },
  {
    name: "the last leaf's newline was cut",
    spoil: ({ leaves }) => cut(leaves, 1),
    code: "LedgerRolledBack",
    says: "2 leaves are there, 3 were",
  },
  {
    name: "the leaves are an earlier copy's, and others follow",
    spoil: ({ leaves }) => fs.writeFileSync(leaves, `${[0, 8, 9].map((n) => `${progress(n)}\n`).join("")}`),
    code: "LedgerSplitView",
    says: "the root of the first 3 leaves is ",
  },
  {
    name: "a byte was changed",
    spoil: ({ leaves }) => change(leaves, '"entries":1', '"entries":7'),
    code: "LedgerSplitView",
    says: "the root of the first 3 leaves is ",
  },
  {
    name: "a byte was changed, and a leaf stands after it",
    spoil: ({ leaves }) => {
      change(leaves, '"entries":1', '"entries":7');
      add(leaves, `${progress(3)}\n`);
    },
    code: "LedgerSplitView",
    says: "the root of the first 3 leaves is ",
  },
  {
    name: "the checkpoint is gone",
    spoil: ({ checkpoint }) => remove(checkpoint),
    code: "LedgerStateLost",
    says: "checkpoint is not there, but leaves.jsonl is",
  },
  {
    name: "the leaves are gone",
    spoil: ({ leaves }) => remove(leaves),
    code: "LedgerStateLost",
    says: "leaves.jsonl is not there, but checkpoint is",
  },
  {
    name: "the folder is gone",
    spoil: ({ folder }) => remove(folder),
    code: "LedgerStateLost",
    says: ".born is: what was signed last is lost",
  },
  {
    name: "a leaf that is none stands after the signed ones",
    spoil: ({ leaves }) => add(leaves, '{"v":"blindcast.other/1"}\n'),
    code: "LeafTypeWrong",
    says: "leaves.jsonl:4: ",
  },
  {
    name: "a line that is no JSON stands after the signed ones",
    spoil: ({ leaves }) => add(leaves, "\n"),
    code: "NotCanonical",
    says: "leaves.jsonl:4: ",
  },
  {
    name: "a line that is no text stands after the signed ones",
    spoil: ({ leaves }) => fs.appendFileSync(leaves, Buffer.from("ff0a", "hex")),
    code: "FileUnreadable",
    says: "leaves.jsonl: not UTF-8",
  },
  {
    name: "a line without end stands after the signed ones",
    spoil: ({ leaves }) => add(leaves, "x".repeat(65_536)),
    code: "LimitExceeded",
    says: "bytes of a leaf: 65536, at most 65535",
  },
  {
    name: "the checkpoint's size was changed",
    spoil: ({ checkpoint }) => change(checkpoint, "\n3\n", "\n2\n"),
    code: "SignatureInvalid",
    says: "does not verify",
  },
  {
    name: "the checkpoint is no note",
    spoil: ({ checkpoint }) => fs.writeFileSync(checkpoint, ""),
    code: "NoteMalformed",
    says: "checkpoint: ",
  },
];

/** What looks like one of the faults, and is accepted: the next leaf is this one. */
const neighbours: readonly {
  readonly name: string;
  readonly spoil: Fault["spoil"];
  readonly next: number;
}[] = [
  {
    name: "a torn line after the signed ones is cut off",
    spoil: ({ leaves }) => add(leaves, progress(9)),
    next: 3,
  },
  {
    name: "a whole leaf after the signed ones stays",
    spoil: ({ leaves }) => add(leaves, `${progress(9)}\n`),
    next: 4,
  },
  {
    name: "a whole leaf stays, a torn line after it is cut off",
    spoil: ({ leaves }) => add(leaves, `${progress(9)}\n{"entries`),
    next: 4,
  },
  { name: "a torn line as long as may be", spoil: ({ leaves }) => add(leaves, "x".repeat(65_535)), next: 3 },
  { name: "the word that it began is gone", spoil: ({ folder }) => remove(`${folder}.born`), next: 3 },
  {
    name: "a checkpoint half written aside is written over",
    spoil: ({ checkpoint }) => fs.writeFileSync(`${checkpoint}.new`, "half"),
    next: 3,
  },
  {
    name: "all of it is gone, as if it had never been",
    spoil: ({ workspace }) => remove(path.join(workspace, "ledgers")),
    next: 0,
  },
];

describe("folder ledger: refuses to sign on where", () => {
  for (const { name, spoil, code, says } of faults)
    it(`${code}: ${name}`, async () => {
      const place = await aLog(3);
      const known = place.open();
      await known.leavesOf(RUN);
      spoil(place);
      const before = bytesBelow(place.workspace);
      const error = await refusedLater(code, () => place.open().append(progress(3)));
      assert.ok(error.message.includes(says), error.message);
      assert.deepEqual(bytesBelow(place.workspace), before, "nothing is written");
      await refusedLater(code, () => known.append(progress(3)));
    });

  for (const { name, spoil, next } of neighbours)
    it(`accepted: ${name}`, async () => {
      const place = await aLog(3);
      spoil(place);
      assert.equal(await place.open().append(progress(3)), next);
      const lines = await verifiedLines(place);
      assert.deepEqual([lines.length, lines[next]], [next + 1, progress(3)]);
      assert.ok(read(place.leaves).endsWith(`${progress(3)}\n`), "nothing stands after it");
      assert.ok(fs.existsSync(`${place.folder}.born`));
    });

  it("LedgerOriginMismatch: it was signed under another origin", async () => {
    const place = await aLog(2);
    const error = await refusedLater("LedgerOriginMismatch", () => place.open("other").append(progress(2)));
    assert.deepEqual([error.details.found, error.details.expected], [place.origin, "other"]);
    assert.equal(await place.open(place.origin).append(progress(2)), 2);
  });

  it("SignatureMissing: another key signed it under this origin", async () => {
    const place = await aLog(1);
    await otherKey(place);
    await refusedLater("SignatureMissing", () => place.open().append(progress(1)));
  });

  it("LedgerStateLost: an empty log's checkpoint is gone; its leaves may be, which are none", async () => {
    for (const gone of ["checkpoint", "leaves"] as const) {
      const place = aPlace();
      const full = async () =>
        patched("fsyncSync", failing(/leaves/), () => place.open().append(progress(0)));
      await refusedLater("StorageFailed", full);
      assert.match(read(place.checkpoint), /\n0\n47DEQpj8/);
      remove(place[gone]);
      if (gone === "leaves") assert.equal(await place.open().append(progress(0)), 0);
      else await refusedLater("LedgerStateLost", () => place.open().append(progress(0)));
    }
  });

  it("a process that knows the log sees what is changed in place", async () => {
    const place = aPlace();
    const ledger = place.open();
    await ledger.append(progress(0));
    await ledger.append(progress(1));
    change(place.leaves, '"entries":0', '"entries":5');
    await refusedLater("LedgerSplitView", () => ledger.append(progress(2)));
    change(place.leaves, '"entries":5', '"entries":0');
    assert.equal(await ledger.append(progress(2)), 2);
  });
});
