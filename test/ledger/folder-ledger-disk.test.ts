/** The audit ledger on a disk that fails or is taken, and what it gives to who asks. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as path from "node:path";
import { describe, it, mock } from "node:test";
import timers from "node:timers/promises";
import { acquireLock } from "../../src/ledger/lock.ts";
import { findWorkspace } from "../../src/ledger/workspace.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";
import {
  add,
  aLog,
  aPlace,
  change,
  cut,
  failing,
  linesOf,
  patched,
  progress,
  RUN,
  remove,
  runOf,
  verifiedLines,
} from "./a-ledger.ts";

describe("folder ledger: a disk that fails", () => {
  it("takes the leaf back where the checkpoint could not be written", async () => {
    for (const file of [/leaves\.jsonl$/, /checkpoint\.new$/]) {
      const place = await aLog(2);
      const ledger = place.open();
      await ledger.append(progress(2));
      const error = await refusedLater("StorageFailed", () =>
        patched("fsyncSync", failing(file), () => ledger.append(progress(3))),
      );
      assert.match(error.message, /leaves\.jsonl: ENOSPC no space left on device/);
      assert.equal(linesOf(place).length, 3);
      assert.equal(await ledger.append(progress(4)), 3);
      assert.equal((await verifiedLines(place))[3], progress(4));
    }
  });

  it("keeps the leaf where it cannot know whether the checkpoint is in place", async () => {
    const place = await aLog(2);
    const ledger = place.open();
    const broken = () => {
      throw Object.assign(new Error("EIO: i/o error, rename"), { code: "EIO" });
    };
    await refusedLater("StorageFailed", () =>
      patched("renameSync", broken, () => ledger.append(progress(2))),
    );
    assert.equal(await ledger.append(progress(3)), 3);
    assert.equal((await verifiedLines(place))[2], progress(2));
  });

  it("LedgerBusy: refuses when another process has held the log for a minute", async () => {
    const place = await aLog(1);
    const audit = path.dirname(place.folder);
    const release = await acquireLock(audit, path.basename(place.folder), {
      waitMs: 0,
      busy: () => assert.fail(),
    });
    let slept = 0;
    const mocked = mock.method(timers, "setTimeout", async (ms: number) => {
      slept += ms;
    });
    syncBuiltinESMExports();
    const error = await refusedLater("LedgerBusy", () => place.open().append(progress(1)));
    mocked.mock.restore();
    syncBuiltinESMExports();
    assert.ok(slept >= 60_000 && slept < 61_000, `${slept} ms`);
    assert.equal(error.details.holder, `process ${process.pid} on this machine`);
    release();
    assert.equal(await place.open().append(progress(1)), 1);
  });
});

describe("folder ledger: what it gives", () => {
  it("the leaves of a run, in order, without a torn last line; none where there is no log", async () => {
    const place = aPlace();
    assert.deepEqual(await place.open().leavesOf(RUN), []);
    for (let n = 0; n < 6; n++) await place.open().append(progress(n, runOf(n % 2)));
    add(place.leaves, progress(9, runOf(1)));
    const found = await place.open().leavesOf(runOf(1));
    assert.deepEqual(
      found.map(({ index, leaf }) => [index, "entries" in leaf ? leaf.entries : null]),
      [1, 3, 5].map((n) => [n, n]),
    );
    assert.deepEqual(await place.open().leavesOf(runOf(7)), []);
  });

  it("FieldInvalid: a run id that is none, before it is a path", async () => {
    const ledger = aPlace().open();
    for (const run of ["", "../../../../../../../../../x", RUN.toLowerCase(), `${RUN}0`, `${RUN}\n`]) {
      await refusedLater("FieldInvalid", () => ledger.leavesOf(run));
      await refusedLater("FieldInvalid", () => ledger.hold(run));
      assert.throws(() => ledger.secretOf(run), { code: "FieldInvalid" });
    }
  });

  it("proofs of no leaf beyond the log, and of none that was altered since", async () => {
    const place = await aLog(3);
    await assert.rejects(place.open().prove([3]), RangeError);
    await assert.rejects(place.open().prove([-1]), RangeError);
    assert.equal((await place.open().prove([0, 2]))?.length, 2);
    change(place.leaves, '"entries":1', '"entries":7');
    await refusedLater("LedgerSplitView", () => place.open().prove([0]));
    change(place.leaves, '"entries":7', '"entries":1');
    cut(place.leaves, 1);
    await refusedLater("LedgerRolledBack", () => place.open().prove([0]));
    remove(place.checkpoint);
    await refusedLater("LedgerStateLost", () => place.open().prove([0]));
  });

  it("proofs of a whole leaf that a killed process left unsigned: it is signed then", async () => {
    const place = await aLog(3);
    add(place.leaves, `${progress(3)}\n`);
    assert.equal((await place.open().leavesOf(RUN)).at(-1)?.index, 3);
    assert.equal((await place.open().prove([3]))?.length, 1);
    assert.equal((await verifiedLines(place)).length, 4);
  });
});

describe("workspace", () => {
  it("is the nearest folder upward with a folder ledgers, else where one stands", () => {
    const root = fs.realpathSync(temporary());
    const deep = path.join(root, "a", "b", "c");
    fs.mkdirSync(deep, { recursive: true });
    assert.equal(findWorkspace(deep), deep);
    written(root, "a/b/ledgers", "a file is no folder");
    assert.equal(findWorkspace(deep), deep);
    fs.mkdirSync(path.join(root, "a/ledgers"));
    assert.equal(findWorkspace(deep), path.join(root, "a"));
    fs.mkdirSync(path.join(deep, "ledgers"));
    assert.equal(findWorkspace(deep), deep);
  });
});
