// Runs test files in the order that they are given in, which `node --test` would not keep: `node run-files.mjs COUNTS FILE...`.
// COUNTS becomes the number of tests that each file ran, as one JSON object. Exit status 1 where a test fails.
import * as fs from "node:fs";
import * as os from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const [countsFile, ...files] = process.argv.slice(2);
const counts = {};
const events = run({ files, concurrency: os.availableParallelism() });
events.on("test:pass", count);
events.on("test:fail", (test) => {
  count(test);
  if (test.todo === undefined || test.todo === false) process.exitCode = 1;
});
events.on("end", () => fs.writeFileSync(countsFile, JSON.stringify(counts)));
events.compose(new spec()).pipe(process.stdout);

function count({ file, name, details }) {
  if (file === undefined || details?.type === "suite" || file.endsWith(name)) return; // the file itself
  counts[file] = (counts[file] ?? 0) + 1;
}
