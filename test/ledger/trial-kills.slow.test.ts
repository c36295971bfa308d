/** Processes that append to one trial ledger at once, and that are killed while they do: no row that was given is lost. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stream } from "../../src/core/random.ts";
import { openTrialFile, trialFileOf } from "../../src/ledger/trial-file.ts";
import { trialsOf } from "../../src/ledger/trial-ledger.ts";
import { temporary } from "../core/refused.ts";
import { patched, read } from "./a-ledger.ts";
import { end, start } from "./a-trial.ts";
import { childOf, describe, words } from "./children.ts";

if (words[0] === "append") await appendMany(words.slice(1) as [string, string, string]);
// What is lost between two processes is lost with or without the disk, which takes most of the time.
if (words[0] === "unsynced")
  await patched(
    "fsyncSync",
    () => 0,
    () => appendMany(words.slice(1) as [string, string, string]),
  );

/** Begins and ends trials of a run of its own, and writes down each row that it was given before it asks for the next. */
async function appendMany([workspace, run, rows]: [string, string, string]): Promise<void> {
  const ledger = openTrialFile(trialFileOf(workspace, "rain"));
  fs.writeFileSync(path.join(workspace, `ready-${process.pid}`), "");
  while (!fs.existsSync(path.join(workspace, "go"))) await sleep(1);
  const given = path.join(workspace, `given-${process.pid}`);
  for (let n = 0; n < Number(rows); n += 2) {
    const begun = await ledger.start(start(Number(run)));
    fs.appendFileSync(given, `${begun.row} ${begun.line}\n`);
    console.log(begun.row);
    const ended = await ledger.end(end(begun.row, Number(run)));
    fs.appendFileSync(given, `${ended.row} ${ended.line}\n`);
    console.log(ended.row);
  }
}

/** What processes were given, by row. */
function givenIn(workspace: string): Map<number, string> {
  const files = fs.readdirSync(workspace).filter((name) => name.startsWith("given-"));
  const lines = files.flatMap((name) => read(path.join(workspace, name)).split("\n").slice(0, -1));
  const pairs = lines.map((line) => {
    const space = line.indexOf(" ");
    return [Number(line.slice(0, space)), line.slice(space + 1)] as const;
  });
  assert.equal(new Set(pairs.map(([row]) => row)).size, pairs.length, "a row was given twice");
  return new Map(pairs);
}

const linesOf = (file: string) => read(file).split("\n").slice(0, -1);

describe("trial file: several processes", () => {
  it("two that append 1,000 rows each at once lose none", { timeout: 120_000 }, async () => {
    const workspace = temporary();
    const file = trialFileOf(workspace, "rain");
    const children = ["1", "2"].map((run) =>
      childOf(import.meta.filename, ["unsynced", workspace, run, "1000"]),
    );
    const ready = () => fs.readdirSync(workspace).filter((name) => name.startsWith("ready-"));
    while (ready().length < 2) await sleep(5);
    fs.writeFileSync(path.join(workspace, "go"), "");
    for (const child of children) assert.equal(await child.ended, 0);
    const { rows } = await openTrialFile(file).read();
    const lines = linesOf(file);
    assert.deepEqual([rows.length, lines.length], [2_000, 2_000]);
    const given = givenIn(workspace);
    assert.equal(given.size, 2_000);
    for (const [row, line] of given) assert.equal(lines[row], line);
    assert.ok(trialsOf(rows).every(({ state }) => state === "ended"));
    const runs = rows.map(({ run }) => run);
    const [one, other] = [...new Set(runs)] as [string, string];
    assert.ok(runs.indexOf(other) < runs.lastIndexOf(one), "one ended before the other began");
  });

  it("fifteen that are killed leave every row that was given, and a trial that counts where they began one", {
    timeout: 120_000,
  }, async (t) => {
    const seed = randomInt(2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const random = stream(seed, "trial kills");
    const workspace = temporary();
    const file = trialFileOf(workspace, "rain");
    fs.writeFileSync(path.join(workspace, "go"), "");
    let unfinished = 0;
    for (let i = 0; i < 15; i++) {
      const child = childOf(import.meta.filename, ["append", workspace, String(i), "1000"]);
      if (i > 2) await child.printed(1);
      await sleep(i > 2 ? random.below(25) : 150 + random.below(100));
      child.process.kill("SIGKILL");
      assert.equal(await child.ended, "SIGKILL", `seed ${seed}`);
      const { rows, torn } = await openTrialFile(file).read();
      const lines = fs.existsSync(file) ? linesOf(file) : [];
      assert.equal(rows.length, lines.length);
      for (const [row, line] of givenIn(workspace)) assert.equal(lines[row], line, `seed ${seed}`);
      const left = trialsOf(rows).filter(({ state }) => state === "unfinished");
      const last = rows.at(-1)?.kind === "start" ? 1 : 0;
      assert.equal(left.length, unfinished + last, `seed ${seed}`);
      const mark = await openTrialFile(file).start(start(100 + i));
      await openTrialFile(file).end(end(mark.row, 100 + i));
      if (torn === 0) assert.equal(mark.row, rows.length, `seed ${seed}`);
      const now = trialsOf((await openTrialFile(file).read()).rows);
      unfinished = now.filter(({ state }) => state === "unfinished").length;
    }
    const { rows, torn } = await openTrialFile(file).read();
    assert.equal(torn, 0);
    const given = givenIn(workspace).size;
    assert.ok(given > 15, `${given} rows were given; seed ${seed}`);
    // Of each process that was killed at most one row stands that it was not told of.
    assert.ok(rows.length >= given + 30 && rows.length <= given + 45, `seed ${seed}`);
  });
});
