/** Clause split: what the verb refuses, with the nearest that it accepts. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { splitFaults, splitFiles } from "../fixtures/split-faults.ts";
import { tinySet } from "../fixtures/tiny-set.ts";
import { blindcast, lastLine, type Ran, workspace } from "./command-line.ts";
import { manyRuns } from "./many-runs.ts";

const folder = path.join(workspace, "split-faults");

describe("bad input of split", () => {
  const done = new Map<string, Ran>();
  before(() => {
    const set = Object.entries(tinySet).filter(([name]) => name.startsWith("set/"));
    for (const [name, text] of set) {
      fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    for (const [name, text] of Object.entries(splitFiles)) fs.writeFileSync(path.join(folder, name), text);
    const trials = [...new Set(splitFaults.flatMap(([, bad, , , good]) => [bad, good]))];
    const runs = trials.map((trial) => ({ words: ["split", ...trial.split(" ")], cwd: folder }));
    for (const [i, ran] of manyRuns(runs).entries()) done.set(trials[i] as string, ran);
  });

  for (const [name, bad, line, next, good] of splitFaults)
    it(`refusal.${line.split(":")[0]}: ${name}`, () => {
      const refused = done.get(bad) as Ran;
      assert.equal(refused.status, 2, refused.stderr + refused.stdout);
      assert.equal(refused.stdout, "");
      const [first, hint] = refused.stderr.trimEnd().split("\n");
      assert.ok(first?.startsWith(line), `expected ${line}…, found ${first}`);
      if (next === "") assert.equal(hint, undefined);
      else assert.ok(hint?.startsWith("hint: ") && hint.includes(next), hint);
      const accepted = done.get(good) as Ran;
      assert.equal(accepted.status, 0, accepted.stderr);
    });

  it("an empty split that is kept is marked", () => {
    const ran = blindcast(["split", "two.csv", "--folds", "3", "--allow-empty", "--json"], { cwd: folder });
    const { splits } = lastLine<{ splits: { empty: boolean }[] }>(ran);
    assert.deepEqual(
      splits.map(({ empty }) => empty),
      [false, false, true],
    );
  });
});
