import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { repository, temporary } from "../core/refused.ts";

/** What a case set's make.mjs makes: names of files, each of them equal to the committed one. */
function madeBy(name: string): string[] {
  const out = temporary();
  execFileSync(process.execPath, [path.join(repository, "casesets", name, "make.mjs"), "--out", out]);
  const made = fs
    .readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)))
    .sort();
  for (const file of made) {
    const [ours, theirs] = [path.join(out, file), path.join(repository, file)];
    assert.ok(fs.readFileSync(ours).equals(fs.readFileSync(theirs)), `${file} is not what make.mjs makes`);
  }
  return made;
}

test("casesets/seattle-rain/make.mjs: makes the committed files again, byte for byte", () => {
  assert.deepEqual(madeBy("seattle-rain"), [
    "casesets/seattle-rain/cases.jsonl",
    "casesets/seattle-rain/labels.jsonl",
    "profiles/checkpoints/seattle-recall.yaml",
    "profiles/checkpoints/seattle-recall/2012-12.jsonl",
    "profiles/checkpoints/seattle-recall/2013-12.jsonl",
    "profiles/checkpoints/seattle-recall/2014-12.jsonl",
    "profiles/checkpoints/seattle-recall/2015-06.jsonl",
  ]);
  const memories = fs.readdirSync(path.join(repository, "profiles/checkpoints/seattle-recall"));
  assert.equal(memories.length, 4, "no memory is left over from another make");
});

test("casesets/northgate-ferries/make.mjs: makes the committed files and the key again, byte for byte", () => {
  assert.deepEqual(madeBy("northgate-ferries"), [
    "casesets/northgate-ferries/cases.jsonl",
    "casesets/northgate-ferries/labels.jsonl",
    "casesets/northgate-ferries/tables/fleet.csv",
    "casesets/northgate-ferries/tables/names.csv",
    "casesets/northgate-ferries/tables/notes.jsonl",
    "casesets/northgate-ferries/tables/routes.csv",
    "test/fixtures/northgate-key.jsonl",
    "test/fixtures/northgate-queries.jsonl",
  ]);
  const tables = fs.readdirSync(path.join(repository, "casesets/northgate-ferries/tables"));
  assert.equal(tables.length, 4, "no table is left over from another make");
});

test("casesets/saltmarsh-exchange/make.mjs: makes the committed files again, byte for byte", () => {
  assert.deepEqual(madeBy("saltmarsh-exchange"), [
    "casesets/saltmarsh-exchange/cases.jsonl",
    "casesets/saltmarsh-exchange/tables/delistings.csv",
    "casesets/saltmarsh-exchange/tables/members.csv",
    "casesets/saltmarsh-exchange/tables/names.csv",
    "casesets/saltmarsh-exchange/tables/prices.csv",
  ]);
  const tables = fs.readdirSync(path.join(repository, "casesets/saltmarsh-exchange/tables"));
  assert.equal(tables.length, 4, "no table is left over from another make");
  const { size } = fs.statSync(path.join(repository, "casesets/saltmarsh-exchange/tables/prices.csv"));
  assert.ok(size > 200_000 && size < 400_000);
});

test("docs/splits/tides/make.mjs: makes the committed files again, byte for byte", () => {
  const [out, folder] = [temporary(), path.join(repository, "docs/splits/tides")];
  execFileSync(process.execPath, [path.join(folder, "make.mjs"), "--out", out]);
  for (const file of ["cases.jsonl", "labels.jsonl", "tables/gauge.csv"])
    assert.ok(fs.readFileSync(path.join(out, file)).equals(fs.readFileSync(path.join(folder, file))), file);
});
