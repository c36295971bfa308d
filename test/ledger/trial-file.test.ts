/** The trial ledger on a disk: what it keeps, what it sees of others, and what becomes of torn and altered bytes. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as path from "node:path";
import { describe, it, mock } from "node:test";
import timers from "node:timers/promises";
import fc from "fast-check";
import { acquireLock } from "../../src/ledger/lock.ts";
import { trialHeadAt } from "../../src/ledger/trial-chain.ts";
import {
  openTrialFile,
  tornPieces,
  trialFileOf,
  trialFiles,
  trialFolder,
} from "../../src/ledger/trial-file.ts";
import { trialsOf } from "../../src/ledger/trial-ledger.ts";
import { refusedLater, temporary } from "../core/refused.ts";
import { add, bytesBelow, change, cut, failing, patched, read } from "./a-ledger.ts";
import { end, fail, someLines, start, textOf, tried } from "./a-trial.ts";

/** A ledger of so many rows, as a process has it that was started just now. */
async function aFile(trials: number) {
  const workspace = temporary();
  const file = trialFileOf(workspace, "rain");
  await tried(openTrialFile(file), trials);
  return { workspace, file, open: () => openTrialFile(file) };
}

describe("trial file", () => {
  it("is born with its first row; until then there is none, and reading makes nothing", async () => {
    const workspace = temporary();
    const ledger = openTrialFile(trialFileOf(workspace, "rain"));
    assert.deepEqual(
      [ledger.name, ledger.place],
      ["rain", path.join(workspace, "ledgers/trials/rain.jsonl")],
    );
    const { rows, torn } = await ledger.read();
    assert.deepEqual([rows, torn, await ledger.prefix(0)], [[], 0, ""]);
    await refusedLater("TrialLedgerBroken", () => ledger.prefix(1));
    assert.deepEqual([fs.readdirSync(workspace), trialFiles(workspace)], [[], []]);
    await ledger.start(start(0));
    assert.deepEqual(trialFiles(workspace), [ledger.place]);
    assert.deepEqual(Object.keys(bytesBelow(trialFolder(workspace))), ["rain.jsonl"]);
  });

  it("holds the lines of what was appended, and gives each with its mark", async () => {
    const { file, open } = await aFile(0);
    const lines = await someLines(2);
    const ledger = open();
    const marks = [
      await ledger.start(start(0)),
      await ledger.end(end(0, 0)),
      await ledger.start(start(1)),
      await ledger.end(end(2, 1)),
    ];
    assert.equal(read(file), textOf(lines));
    assert.deepEqual(
      marks.map(({ line }) => line),
      lines,
    );
    const ledgerRows = await open().read();
    for (const { row, rows, head } of marks) {
      assert.equal(rows, row + 1);
      assert.equal(head, trialHeadAt(ledgerRows, rows));
      assert.equal(await open().prefix(rows), textOf(lines.slice(0, rows)));
    }
    await refusedLater("TrialLedgerBroken", () => open().prefix(5));
  });

  it("two handles see each other's rows, and what is asked for at once comes one after the other", async () => {
    const { open } = await aFile(1);
    const [one, other] = [open(), open()];
    const marks = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? one : other).start(start(n))),
    );
    assert.deepEqual(
      marks.map(({ row }) => row).sort((a, b) => a - b),
      [...Array(20).keys()].map((n) => n + 2),
    );
    const { row } = await one.start(start(30));
    assert.equal((await other.end(end(row, 30))).row, row + 1);
    await refusedLater("TrialLedgerBroken", () => one.fail(fail(row, 30)));
    assert.equal((await one.start(start(31))).row, row + 2);
    assert.equal((await open().read()).rows.length, row + 3);
  });

  it("is read once by a process that appends, whatever its length", async () => {
    const { file, open } = await aFile(20);
    const ledger = open();
    await ledger.start(start(50));
    let bytes = 0;
    const size = fs.statSync(file).size;
    await patched(
      "readSync",
      (real, args) => {
        const found = real(...args);
        bytes += found;
        return found;
      },
      async () => {
        for (let n = 0; n < 5; n++) await ledger.start(start(n));
        assert.equal(bytes, 0, "nobody else wrote");
        await open().start(start(60));
        const whole = bytes;
        assert.ok(whole >= size, "another process reads it whole");
        await ledger.start(start(61));
        assert.ok(bytes > whole && bytes - whole < 1_000, `${bytes - whole} bytes of what came since`);
      },
    );
  });

  it("an earlier row that was edited meanwhile is found where the file is read, and stops what would be added", async () => {
    const { file, open } = await aFile(3);
    const known = open();
    await known.start(start(8));
    change(file, '"seed":1', '"seed":2');
    for (const work of [
      () => open().read(),
      () => open().prefix(3),
      () => open().start(start(9)),
      () => known.start(start(9)),
    ])
      assert.equal((await refusedLater("TrialLedgerBroken", work)).details.place, `${file}:2`);
    change(file, '"seed":2', '"seed":1');
    assert.equal((await known.start(start(9))).row, 7);
  });

  it("a row that was added by hand stops what would be added, one that follows does not", async () => {
    const { file, open } = await aFile(1);
    const known = open();
    await known.start(start(8));
    const whole = read(file);
    add(file, `${whole.split("\n")[0]}\n`);
    for (const ledger of [known, open()])
      assert.equal(
        (await refusedLater("TrialLedgerBroken", () => ledger.start(start(9)))).details.subject,
        "row 3",
      );
    fs.writeFileSync(file, whole);
    assert.equal((await known.end(end(2, 8))).row, 3);
  });

  it("an end of a trial that this ledger does not hold is refused: the file was replaced or cut", async () => {
    const { file, open } = await aFile(1);
    const ledger = open();
    const { row, line } = await ledger.start(start(4));
    cut(file, line.length + 1);
    const error = await refusedLater("TrialLedgerBroken", () => ledger.end(end(row, 4)));
    assert.equal(error.details.found, "an end of row 2");
    fs.rmSync(file);
    await refusedLater("TrialLedgerBroken", () => ledger.end(end(row, 4)));
    assert.equal((await ledger.start(start(4))).row, 0);
  });

  it("bytes that are not UTF-8, and a line beyond the limit", async () => {
    const { file, open } = await aFile(2);
    const whole = fs.readFileSync(file);
    const at = whole.indexOf("01ARZ", whole.indexOf(10));
    fs.writeFileSync(file, Buffer.concat([whole.subarray(0, at), Buffer.of(0xff), whole.subarray(at + 1)]));
    const error = await refusedLater("TrialLedgerBroken", () => open().read());
    assert.equal(error.details.found, "bytes that are not UTF-8");
    assert.equal(error.details.place, `${file}:2`);
    fs.writeFileSync(file, Buffer.concat([whole, Buffer.alloc(65_536, 32)]));
    const long = await refusedLater("LimitExceeded", () => open().start(start(9)));
    assert.deepEqual([long.details.what, long.details.found], ["bytes of a row", 65_536]);
  });
});

describe("trial file: a torn last line", () => {
  it("cut at any byte: it is no row; the next append keeps it, as a row where it is one", async () => {
    const [first, last] = (await someLines(1)) as [string, string];
    const whole = textOf([first, last]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: first.length + 2, max: whole.length - 1 }), async (size) => {
        const workspace = temporary();
        const file = trialFileOf(workspace, "rain");
        fs.mkdirSync(trialFolder(workspace), { recursive: true });
        fs.writeFileSync(file, whole.slice(0, size));
        const ledger = openTrialFile(file);
        const before = await ledger.read();
        assert.deepEqual([before.rows.length, before.torn], [1, size - first.length - 1]);
        assert.equal(read(file), whole.slice(0, size), "reading mends nothing");
        const mark = await ledger.start(start(5));
        const isWhole = size === whole.length - 1;
        const aside = `${file}.torn-1`;
        assert.equal(read(file), textOf(isWhole ? [first, last, mark.line] : [first, mark.line]));
        assert.equal(
          fs.existsSync(aside) ? read(aside) : "",
          isWhole ? "" : whole.slice(first.length + 1, size),
        );
        assert.equal(tornPieces(file), isWhole ? 0 : 1);
        assert.equal((await openTrialFile(file).read()).torn, 0);
      }),
      { numRuns: 12, examples: [[whole.length - 1], [whole.length - 2]] },
    );
  });

  it("goes aside beside those that went before, also where it is no text", async () => {
    const { file, open, workspace } = await aFile(1);
    const known = open();
    await known.start(start(7));
    for (const [n, ledger] of [open(), known].entries()) {
      fs.appendFileSync(file, Buffer.of(0, 0xff, n));
      assert.equal((await ledger.start(start(n))).row, 3 + n);
    }
    assert.equal(tornPieces(file), 2);
    assert.deepEqual([...fs.readFileSync(`${file}.torn-2`)], [0, 0xff, 1]);
    assert.deepEqual(trialFiles(workspace), [file]);
    assert.equal((await open().read()).rows.length, 5);
  });

  it("that was a trial's end leaves the trial unfinished and in the count", async () => {
    const { file, open } = await aFile(2);
    cut(file, 10);
    const trials = trialsOf((await open().read()).rows);
    assert.deepEqual(
      trials.map(({ state }) => state),
      ["ended", "unfinished"],
    );
  });
});

describe("trial file: a disk that fails", () => {
  it("takes the row back where it could not be put on the disk", async () => {
    const { file, open } = await aFile(1);
    const whole = read(file);
    const ledger = open();
    const error = await refusedLater("StorageFailed", () =>
      patched("fsyncSync", failing(/rain\.jsonl$/), () => ledger.start(start(5))),
    );
    assert.equal(error.details.place, file);
    assert.equal(read(file), whole);
    assert.equal((await ledger.start(start(6))).row, 2);
  });

  it("StorageFailed: a folder where the file should be", async () => {
    const { workspace } = await aFile(0);
    const file = trialFileOf(workspace, "folder");
    fs.mkdirSync(file, { recursive: true });
    for (const work of [() => openTrialFile(file).read(), () => openTrialFile(file).start(start(0))])
      assert.equal((await refusedLater("StorageFailed", work)).details.place, file);
  });

  it("LedgerBusy: refuses when another process has held it for a minute", async () => {
    const { file, open } = await aFile(1);
    const release = await acquireLock(path.dirname(file), path.basename(file), {
      waitMs: 0,
      busy: () => assert.fail(),
    });
    const mocked = mock.method(timers, "setTimeout", async () => {});
    syncBuiltinESMExports();
    const error = await refusedLater("LedgerBusy", () => open().start(start(1)));
    mocked.mock.restore();
    syncBuiltinESMExports();
    assert.deepEqual(
      [error.details.place, error.details.holder],
      [file, `process ${process.pid} on this machine`],
    );
    release();
    assert.equal((await open().start(start(1))).row, 2);
  });
});
