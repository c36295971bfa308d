/** A run's folder: made whole or not at all, and no other run's is touched. */
import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { after, it, mock } from "node:test";
import { isRefusal } from "../../src/core/refusal.ts";
import { folderSink } from "../../src/run/sink.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-sink-"));
after(() => fs.rmSync(root, { recursive: true }));

it("a run that is abandoned takes back the folders that it made, unless another run has moved in", () => {
  const [a, b] = ["a", "b"].map((name) => folderSink(path.join(root, "runs/today", name)));
  a?.open();
  b?.open();
  b?.write("run.json", "{}");
  a?.abandon();
  assert.ok(fs.existsSync(path.join(root, "runs/today/b/run.json")));
  const alone = folderSink(path.join(root, "more/of/them"));
  alone.open();
  alone.abandon();
  assert.ok(!fs.existsSync(path.join(root, "more")));
});

it("once a write failed nothing is written after it, and every later call says so", async () => {
  const sink = folderSink(path.join(root, "full"));
  sink.open();
  const file = sink.create("journal.jsonl");
  file.append("entry 0\n");
  file.flush();
  const full = mock.method(fs, "writeSync", () => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  syncBuiltinESMExports();
  file.append("entry 1\n");
  const refused = (error: unknown) => isRefusal(error, "StorageFailed");
  assert.throws(() => file.flush(), refused);
  full.mock.restore();
  syncBuiltinESMExports();
  assert.throws(() => file.flush(), refused, "space again does not bring back what was lost");
  assert.throws(() => file.read(0, 4), refused);
  await assert.rejects(file.sync(), refused);
  assert.throws(() => file.append(`entry 2\n${"x".repeat(1 << 20)}`), refused);
  assert.equal(fs.readFileSync(path.join(root, "full", "journal.jsonl"), "utf8"), "entry 0\n");
});
