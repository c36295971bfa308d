/** A run's folder: made whole or not at all, and no other run's is touched. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, it } from "node:test";
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
