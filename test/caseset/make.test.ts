import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { repository, temporary } from "../core/refused.ts";

test("casesets/seattle-rain/make.mjs: makes the committed files again, byte for byte", () => {
  const out = temporary();
  execFileSync(process.execPath, [path.join(repository, "casesets/seattle-rain/make.mjs"), "--out", out]);
  const made = fs
    .readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)))
    .sort();
  assert.deepEqual(made, [
    "casesets/seattle-rain/cases.jsonl",
    "casesets/seattle-rain/labels.jsonl",
    "profiles/checkpoints/seattle-recall.yaml",
    "profiles/checkpoints/seattle-recall/2012-12.jsonl",
    "profiles/checkpoints/seattle-recall/2013-12.jsonl",
    "profiles/checkpoints/seattle-recall/2014-12.jsonl",
    "profiles/checkpoints/seattle-recall/2015-06.jsonl",
  ]);
  for (const name of made) {
    const [ours, theirs] = [path.join(out, name), path.join(repository, name)];
    assert.ok(fs.readFileSync(ours).equals(fs.readFileSync(theirs)), `${name} is not what make.mjs makes`);
  }
  const memories = fs.readdirSync(path.join(repository, "profiles/checkpoints/seattle-recall"));
  assert.equal(memories.length, 4, "no memory is left over from another make");
});
