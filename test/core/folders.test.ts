/** Folders are made as far as they can be, and where they cannot, the call comes back. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { makeFolders, upward } from "../../src/core/folders.ts";
import { limits } from "../../src/core/limits.ts";

test("makes what is missing and names the first that it made", () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-folders-"));
  assert.equal(makeFolders(path.join(root, "a/b/c")), path.join(root, "a"));
  assert.ok(fs.statSync(path.join(root, "a/b/c")).isDirectory());
  assert.equal(makeFolders(path.join(root, "a/b")), undefined);
  fs.writeFileSync(path.join(root, "file"), "");
  assert.throws(() => makeFolders(path.join(root, "file/x/y")), { code: "ENOTDIR" });
  fs.rmSync(root, { recursive: true });
});

test("comes back where a folder cannot be made", {
  skip: fs.existsSync("/proc") ? false : "no /proc on this machine",
}, () => {
  assert.throws(() => makeFolders("/proc/blindcast/x"), { code: "ENOENT" });
});

test("upward: each folder to the root, at most as many as the limit", () => {
  assert.deepEqual([...upward("/a/b")], ["/a/b", "/a", "/"]);
  assert.equal([...upward(`/${"x/".repeat(100)}`)].length, limits.parents);
});
