/** Processes that append to one log at the same time, and that are killed while they do: nothing that was given is lost. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stream } from "../../src/core/random.ts";
import { aPlace, linesOf, type Place, progress, read, runOf, verifiedLines } from "./a-ledger.ts";
import { type Child, childOf, describe, words } from "./children.ts";

if (words[0] === "append") await appendMany(words.slice(1) as [string, string, string, string]);

/** Appends leaves of a run of its own, and writes down each index that it was given before it asks for the next. */
async function appendMany([workspace, pemFile, run, count]: [string, string, string, string]): Promise<void> {
  const ledger = aPlace(workspace, read(pemFile)).open();
  fs.writeFileSync(path.join(workspace, `ready-${process.pid}`), "");
  while (!fs.existsSync(path.join(workspace, "go"))) await sleep(1);
  for (let n = 0; n < Number(count); n++) {
    const index = await ledger.append(progress(n, run));
    fs.appendFileSync(path.join(workspace, `given-${process.pid}`), `${index} ${progress(n, run)}\n`);
    console.log(index);
  }
}

/** Starts processes on one place, each with a run of its own. */
function appending(place: Place): (count: number) => Child {
  const pemFile = path.join(place.workspace, "key.pem");
  fs.writeFileSync(pemFile, place.pem, { mode: 0o600 });
  let runs = 0;
  return (count) =>
    childOf(import.meta.filename, ["append", place.workspace, pemFile, runOf(++runs), String(count)]);
}

/** What processes were given, by index. */
function given({ workspace }: Place): Map<number, string> {
  const files = fs.readdirSync(workspace).filter((name) => name.startsWith("given-"));
  const lines = files.flatMap((name) => read(path.join(workspace, name)).split("\n").slice(0, -1));
  const pairs = lines.map(
    (line) => [Number(line.split(" ", 1)[0]), line.slice(line.indexOf(" ") + 1)] as const,
  );
  assert.equal(new Set(pairs.map(([index]) => index)).size, pairs.length, "an index was given twice");
  return new Map(pairs);
}

describe("folder ledger: several processes", () => {
  it("two that append at once lose nothing, and the log verifies", { timeout: 120_000 }, async () => {
    const place = aPlace();
    const start = appending(place);
    const children = [start(200), start(200)];
    const ready = () => fs.readdirSync(place.workspace).filter((name) => name.startsWith("ready-"));
    while (ready().length < 2) await sleep(5);
    fs.writeFileSync(path.join(place.workspace, "go"), "");
    for (const child of children) assert.equal(await child.ended, 0);
    const indexes = given(place);
    assert.equal(indexes.size, 400);
    const lines = await verifiedLines(place);
    assert.equal(lines.length, 400);
    for (const [index, line] of indexes) assert.equal(lines[index], line);
    const runs = lines.map((line) => JSON.parse(line).run);
    assert.ok(runs.indexOf(runOf(2)) < runs.lastIndexOf(runOf(1)), "one ended before the other began");
    assert.ok(runs.indexOf(runOf(1)) < runs.lastIndexOf(runOf(2)), "one ended before the other began");
  });

  it("thirty that are killed leave a log that the next append accepts, with every index that was given", {
    timeout: 240_000,
  }, async (t) => {
    const seed = randomInt(2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const random = stream(seed, "kills");
    const place = aPlace();
    fs.writeFileSync(path.join(place.workspace, "go"), "");
    const start = appending(place);
    let mine = 0;
    for (let i = 0; i < 30; i++) {
      const child = start(1_000);
      // The first ones before they have appended anything: a log is born under the axe, too.
      if (i > 4) await child.printed(1);
      await sleep(i > 4 ? random.below(25) : 200 + random.below(150));
      child.process.kill("SIGKILL");
      assert.equal(await child.ended, "SIGKILL", `seed ${seed}`);
      const index = await place.open().append(progress(i));
      const lines = linesOf(place);
      assert.equal(lines[index], progress(i));
      assert.equal(index, lines.length - 1);
      mine++;
      for (const [at, line] of given(place)) assert.equal(lines[at], line, `seed ${seed}`);
    }
    const lines = await verifiedLines(place);
    const found = given(place).size;
    assert.ok(found > 30, `${found} indexes were given; seed ${seed}`);
    // Of each process that was killed at most one leaf stands that it was not told of.
    assert.ok(lines.length >= found + mine && lines.length <= found + mine + 30, `seed ${seed}`);
  });
});
