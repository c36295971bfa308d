/** Locks: never two holders, whoever is killed when; a lock of a dead holder is free, and one of a living is not. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fsDefault, * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as path from "node:path";
import { it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { stream } from "../../src/core/random.ts";
import { acquireLock, type LockHolder, type Release } from "../../src/ledger/lock.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";
import { type Child, childOf, describe, words } from "./children.ts";

class Busy extends Error {
  readonly holder: LockHolder;
  constructor(holder: LockHolder) {
    super(holder.words);
    this.holder = holder;
  }
}

const take = (folder: string, waitMs = 0, name = "x"): Promise<Release> =>
  acquireLock(folder, name, {
    waitMs,
    busy: (holder) => {
      throw new Busy(holder);
    },
  });

/** A reason to skip, or false: what a dead process left is seen in /proc alone. */
const noProc = fs.existsSync("/proc/self/stat") ? false : "no /proc on this machine";

if (words[0] === "hammer") await hammer(words[1] as string, words[2] === "locked");
else if (words[0] === "hold") await holdForGood(words[1] as string);

/** Adds one to a counter as long as there is no file `stop`, and writes down each number that it made. */
async function hammer(folder: string, locked: boolean): Promise<void> {
  const counter = path.join(folder, "counter");
  const mine = path.join(folder, `made-${process.pid}`);
  let first = true;
  while (!fs.existsSync(path.join(folder, "stop"))) {
    const release = locked ? await take(folder, 60_000) : () => {};
    const next = Number(fs.readFileSync(counter, "utf8")) + 1;
    await sleep(randomInt(0, 3));
    fs.writeFileSync(`${mine}.new`, String(next));
    fs.renameSync(`${mine}.new`, counter);
    fs.appendFileSync(mine, `${next}\n`);
    release();
    if (first) console.log("at work");
    first = false;
  }
}

async function holdForGood(folder: string): Promise<void> {
  await take(folder, 60_000);
  console.log(process.pid);
  await sleep(600_000);
}

/** The numbers that all children made, and the counter. */
function made(folder: string): { numbers: number[]; counter: number } {
  const files = fs.readdirSync(folder).filter((name) => /^made-\d+$/.test(name));
  const numbers = files.flatMap((name) =>
    fs.readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n").map(Number),
  );
  return { numbers, counter: Number(fs.readFileSync(path.join(folder, "counter"), "utf8")) };
}

async function hammered(seed: number, how: string, kills: number): Promise<ReturnType<typeof made>> {
  const folder = temporary();
  const random = stream(seed, "kills");
  written(folder, "counter", "0");
  const start = () => childOf(import.meta.filename, ["hammer", folder, how]);
  const running: Child[] = Array.from({ length: 5 }, start);
  for (const child of running) await child.printed(1);
  for (let i = 0; i < kills; i++) {
    const at = random.below(running.length);
    await (running[at] as Child).printed(1);
    await sleep(random.below(40));
    (running[at] as Child).process.kill("SIGKILL");
    assert.equal(await (running[at] as Child).ended, "SIGKILL");
    running[at] = start();
  }
  const before = made(folder).numbers.length;
  while (made(folder).numbers.length < before + 50) await sleep(20);
  written(folder, "stop", "");
  for (const child of running) assert.equal(await child.ended, 0, `seed ${seed}`);
  assert.equal((await take(folder))(), undefined);
  return made(folder);
}

/** The text of a lock that this process holds, with fields of it changed. */
async function record(changes: { readonly [field: string]: Json } = {}): Promise<string> {
  const folder = temporary();
  const release = await take(folder);
  const text = fs.readFileSync(path.join(folder, "x.1.lock"), "utf8");
  release();
  return `${canonical({ ...JSON.parse(text), ...changes })}\n`;
}

const locksIn = (folder: string) => fs.readdirSync(folder).sort();

/** Calls `before` ahead of one call of a function of the file system, the `nth` from now. */
function meanwhile(name: "linkSync" | "readdirSync", nth: number, before: () => unknown): () => void {
  const real = fsDefault[name] as (...args: unknown[]) => unknown;
  let calls = 0;
  const mocked = mock.method(fsDefault, name, (...args: unknown[]) => {
    const instead = ++calls === nth ? before() : undefined;
    return instead ?? real.apply(fsDefault, args);
  });
  syncBuiltinESMExports();
  return () => {
    mocked.mock.restore();
    syncBuiltinESMExports();
    assert.ok(calls >= nth, `${name} was called ${calls} times`);
  };
}

describe("lock: many processes", () => {
  it("without it updates are lost: the test can see that", { timeout: 60_000 }, async () => {
    const { numbers } = await hammered(1, "free", 0);
    assert.ok(new Set(numbers).size < numbers.length, `${numbers.length} numbers, each once`);
  });

  it("loses no update while processes are killed at random", { timeout: 120_000 }, async (t) => {
    const seed = randomInt(2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const { numbers, counter } = await hammered(seed, "locked", 15);
    assert.ok(numbers.length > 80, `only ${numbers.length} updates; seed ${seed}`);
    assert.equal(new Set(numbers).size, numbers.length, `a number was made twice; seed ${seed}`);
    assert.ok(counter >= numbers.length && counter <= numbers.length + 15, `${counter}; seed ${seed}`);
  });

  it("takes over at once from a holder that was killed", async () => {
    const folder = temporary();
    const child = childOf(import.meta.filename, ["hold", folder]);
    await child.printed(1);
    const { holder } = await take(folder).then(
      () => assert.fail("taken from a living process"),
      (error) => error as Busy,
    );
    assert.equal(holder.words, `process ${child.process.pid} on this machine`);
    child.process.kill("SIGKILL");
    await child.ended;
    (await take(folder))();
  });

  it("a dead holder that nobody reaped is dead", { skip: noProc }, async () => {
    const folder = temporary();
    // The shell becomes `sleep`, which reaps nobody.
    const script = '"$0" "$1" hold "$2" & exec sleep 600';
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const shell = spawn("/bin/sh", ["-c", script, process.execPath, import.meta.filename, folder], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const pid = await new Promise<number>((resolve) =>
        shell.stdout.once("data", (data) => resolve(Number(data))),
      );
      await assert.rejects(take(folder), Busy);
      process.kill(pid, "SIGKILL");
      (await take(folder, 5_000))();
      assert.match(fs.readFileSync(`/proc/${pid}/stat`, "utf8"), /\) Z /);
    } finally {
      shell.kill("SIGKILL");
    }
  });
});

describe("lock: one process", () => {
  it("two takers exclude each other", async () => {
    const folder = temporary();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const release = await take(folder, 60_000);
        most = Math.max(most, ++inside);
        await sleep(1);
        inside--;
        release();
      }),
    );
    assert.equal(most, 1);
  });

  it("leaves one file, whose number never falls; a second release does nothing", async () => {
    const folder = temporary();
    const first = await take(folder);
    assert.deepEqual(locksIn(folder), ["x.1.lock"]);
    first();
    const second = await take(folder);
    assert.deepEqual(locksIn(folder), ["x.2.lock"]);
    first();
    await assert.rejects(take(folder), Busy);
    second();
    assert.deepEqual(locksIn(folder), ["x.2.lock"]);
  });

  it("removes its files where it is taken for the last time", async () => {
    const folder = temporary();
    (await take(folder))();
    (await take(folder))("remove");
    assert.deepEqual(locksIn(folder), []);
  });

  it("locks whose names begin alike are two", async () => {
    const folder = temporary();
    await take(folder, 0, "x");
    await take(folder, 0, "x.1");
    await take(folder, 0, "xx");
    assert.deepEqual(locksIn(folder), ["x.1.1.lock", "x.1.lock", "xx.1.lock"]);
  });

  it("refuses StorageFailed where the folder is none", async () => {
    const file = written(temporary(), "file", "");
    const error = await refusedLater("StorageFailed", () => take(path.join(file, "below")));
    assert.match(error.message, /ENOTDIR/);
  });
});

describe("lock: who is dead", () => {
  const busy = /process \d+/;
  const fates: readonly [string, { readonly [field: string]: Json }, RegExp | null][] = [
    ["this process", {}, busy],
    ["one that let go", { over: 1 }, null],
    ["an earlier process of the same number", { start: "1" }, noProc === false ? null : busy],
    ["a process that is not there", { pid: 2 ** 31 - 1 }, null],
    ["a process of a machine that was started again", { boot: "another" }, null],
    ["a process of another machine", { host: "elsewhere.example" }, /on elsewhere\.example, whose life/],
    ["a process of another container", { space: "pid:[1]" }, /in another container/],
  ];
  for (const [who, changes, expected] of fates)
    it(`${who}: ${expected === null ? "free" : "held"}`, async () => {
      const folder = temporary();
      const file = written(folder, "x.7.lock", await record({ over: 0, ...changes }));
      if (expected === null) {
        (await take(folder))();
        return assert.deepEqual(locksIn(folder), ["x.8.lock"]);
      }
      const error = await take(folder).then(
        () => assert.fail("taken"),
        (error) => error as Busy,
      );
      assert.match(error.holder.words, expected);
      if (expected !== busy) assert.ok(error.holder.next.includes(file), error.holder.next);
      return assert.deepEqual(locksIn(folder), ["x.7.lock"]);
    });

  it("a file without a record, as a power failure leaves it: free", async () => {
    for (const text of ["", "\0\0\0", '{"over":0,"pid":', "null", '{"pid":0}']) {
      const folder = temporary();
      written(folder, "x.7.lock", text);
      (await take(folder))();
    }
  });

  it("what the dead wrote aside is swept away, and what the living did is not", async () => {
    const folder = temporary();
    const token = "0123456789abcdef".repeat(2);
    written(folder, `x.${2 ** 31 - 1}.${token}.tmp`, "");
    written(folder, `x.${process.pid}.${token}.tmp`, "");
    await take(folder);
    assert.deepEqual(locksIn(folder), ["x.1.lock", `x.${process.pid}.${token}.tmp`]);
  });
});

describe("lock: what happens between two calls", () => {
  it("one that comes late, below the greatest, goes again", async () => {
    const folder = temporary();
    const [over, live] = [await record({ over: 1 }), await record({ over: 0 })];
    written(folder, "x.1.lock", over);
    const restore = meanwhile("linkSync", 1, () => {
      fs.rmSync(path.join(folder, "x.1.lock"));
      written(folder, "x.3.lock", live);
    });
    await assert.rejects(take(folder), Busy);
    restore();
    assert.deepEqual(locksIn(folder), ["x.3.lock"]);
  });

  it("one whose number was taken by another looks again", async () => {
    const folder = temporary();
    const live = await record({ over: 0 });
    const restore = meanwhile("linkSync", 1, () => written(folder, "x.1.lock", live) && undefined);
    await assert.rejects(take(folder), Busy);
    restore();
    assert.deepEqual(locksIn(folder), ["x.1.lock"]);
  });

  it("one whose second look misses the greater file misses its own, and goes", async () => {
    const folder = temporary();
    const live = await record({ over: 0 });
    const restore = meanwhile("readdirSync", 2, () => {
      fs.rmSync(path.join(folder, "x.1.lock"));
      written(folder, "x.2.lock", live);
      return [];
    });
    await assert.rejects(take(folder), Busy);
    restore();
    assert.deepEqual(locksIn(folder), ["x.2.lock"]);
  });

  it("a folder that vanishes is made again", async () => {
    const folder = path.join(temporary(), "deep", "er");
    const restore = meanwhile("linkSync", 1, () => fs.rmSync(folder, { recursive: true }));
    (await take(folder, 1_000))();
    restore();
    assert.deepEqual(locksIn(folder), ["x.1.lock"]);
  });
});
