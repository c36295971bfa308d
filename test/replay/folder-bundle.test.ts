import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import type { RunFiles } from "../../src/replay/bundle.ts";
import { folderBundle } from "../../src/replay/folder-bundle.ts";
import { memoryBundle } from "../../src/verify.ts";
import { refused, refusedLater, temporary, written } from "../core/refused.ts";
import { type Files, writeRecord } from "../support/record-writer.ts";
import { told, verdictOn } from "./outcome.ts";

const base = temporary();
let folders = 0;
/** A new folder with these files. */
function folderOf(files: Files): string {
  const folder = path.join(base, `run-${folders++}`);
  for (const [name, bytes] of files) written(folder, name, bytes);
  return folder;
}
const record = writeRecord();
const tell = async (bundle: RunFiles) => told(await verdictOn(bundle, record.policy));

test("a run folder on the disk is verified as the same files in memory are", async () => {
  const folder = folderOf(record.files);
  const bundle = folderBundle(folder);
  const verdict = await verdictOn(bundle, record.policy);
  assert.equal(verdict.verdict, "verified");
  const inMemory = await verdictOn(memoryBundle(record.files, folder), record.policy);
  assert.deepEqual(verdict, inMemory);
  fs.appendFileSync(path.join(folder, "entries.jsonl"), "{}\n");
  assert.equal(await tell(folderBundle(folder)), "root EntryCountMismatch");
});

test("the list of a folder: names, bytes and kinds, artifacts and nothing deeper", () => {
  const files: Files = new Map([
    ["run.json", utf8("abc")],
    ["artifacts/x", utf8("de")],
    ["artifacts/deeper/y", utf8("f")],
    ["other/z", utf8("g")],
  ]);
  const folder = folderOf(files);
  fs.symlinkSync("run.json", path.join(folder, "link.json"));
  const list = [...folderBundle(folder).list()].sort((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepEqual(list, [
    { name: "artifacts", bytes: 0, kind: "folder" },
    { name: "artifacts/deeper", bytes: 0, kind: "folder" },
    { name: "artifacts/x", bytes: 2, kind: "file" },
    { name: "link.json", bytes: 0, kind: "other" },
    { name: "other", bytes: 0, kind: "folder" },
    { name: "run.json", bytes: 3, kind: "file" },
  ]);
});

test("links, pipes and folders in a file's place are no regular files, and none is opened", async () => {
  const aside = written(base, "aside.json", record.files.get("report.json") as Uint8Array);
  const kinds: [string, (file: string) => void][] = [
    ["a link to the very bytes", (file) => fs.symlinkSync(aside, file)],
    ["a link to nothing", (file) => fs.symlinkSync(path.join(base, "nothing"), file)],
    ["a pipe that nobody writes to", (file) => execFileSync("mkfifo", [file])],
    ["a folder", (file) => fs.mkdirSync(file)],
  ];
  for (const [name, make] of kinds) {
    const folder = folderOf(record.files);
    const file = path.join(folder, "report.json");
    fs.rmSync(file);
    make(file);
    const bundle = folderBundle(folder);
    assert.equal(await tell(bundle), "files FileNotRegular", name);
    if (name.startsWith("a link")) {
      refused("FileUnreadable", () => bundle.at("report.json", 0, 1));
      await refusedLater("FileUnreadable", () => whole(bundle, "report.json"));
    } else refused("FileNotRegular", () => bundle.at("report.json", 0, 1));
  }
});

test("artifacts that are a link to a folder are not followed", async () => {
  const folder = folderOf(record.files);
  const aside = path.join(base, "artifacts-aside");
  fs.renameSync(path.join(folder, "artifacts"), aside);
  fs.symlinkSync(aside, path.join(folder, "artifacts"));
  assert.equal(await tell(folderBundle(folder)), "files FileNotRegular");
  fs.rmSync(path.join(folder, "artifacts"));
  fs.renameSync(aside, path.join(folder, "artifacts"));
  assert.equal(await tell(folderBundle(folder)), "verified");
});

test("no folder, and what is none, is refused before any stage", () => {
  const nowhere = refused("FileUnreadable", () => folderBundle(path.join(base, "nowhere"), "nowhere"));
  assert.match(nowhere.message, /^FileUnreadable: nowhere: ENOENT no such file or directory$/);
  refused("FileUnreadable", () => folderBundle(written(base, "a-file", "x")));
});

test("a folder of more files than a run has is not read to its end", async () => {
  const folder = folderOf(record.files);
  for (let i = 0; i < limits.runFiles + 50; i++) fs.writeFileSync(path.join(folder, `more-${i}`), "");
  const bundle = folderBundle(folder);
  assert.equal(bundle.list().length, limits.runFiles + 1);
  assert.equal(await tell(bundle), "files LimitExceeded");
});

async function whole(bundle: RunFiles, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bundle.chunks(name)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test("bytes come in pieces, and at any offset, the same from a folder and from memory", async () => {
  const bytes = new Uint8Array(2_500_000).map((_, i) => i * 7);
  const files: Files = new Map([
    ["blobs.pack", bytes],
    ["plants.jsonl", new Uint8Array(0)],
  ]);
  for (const bundle of [folderBundle(folderOf(files)), memoryBundle(files)]) {
    assert.ok((await whole(bundle, "blobs.pack")).equals(bytes));
    assert.equal((await whole(bundle, "plants.jsonl")).length, 0);
    for (const [offset, length] of [
      [0, 0],
      [0, 5],
      [1_234_567, 100_000],
      [2_499_999, 1],
      [2_500_000, 0],
    ] as const)
      assert.deepEqual(
        Buffer.from(bundle.at("blobs.pack", offset, length)),
        Buffer.from(bytes.subarray(offset, offset + length)),
      );
    refused("FileUnreadable", () => bundle.at("blobs.pack", 2_499_999, 2));
    refused("FileUnreadable", () => bundle.at("nothing", 0, 0));
    await refusedLater("FileUnreadable", () => whole(bundle, "nothing"));
    bundle.close();
    assert.equal(bundle.at("blobs.pack", 1, 1)[0], 7);
    bundle.close();
  }
});

test("a file that shrinks while it is read is refused", async () => {
  const folder = folderOf(new Map([["blobs.pack", new Uint8Array(3_000_000)]]));
  const bundle = folderBundle(folder);
  const pieces = bundle.chunks("blobs.pack")[Symbol.asyncIterator]();
  await pieces.next();
  fs.truncateSync(path.join(folder, "blobs.pack"), 1_500_000);
  await refusedLater("FileUnreadable", async () => {
    while (!(await pieces.next()).done);
  });
});
