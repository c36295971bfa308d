// Runs the compiled tests on this Node: `node scripts/test.mjs [--fast] [--in=FOLDER] [--also=FILE] [--but=FILE]`; --fast
// leaves *.slow.test.js out, --in takes those of a folder of tests alone; --also names a file that is run all the same, and
// --but leaves one out.
// Fails where a test fails, where no test file is there, and where a file ran no test.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const fast = process.argv.includes("--fast");
const [also, but, within] = ["--also=", "--but=", "--in="].map((flag) =>
  process.argv.filter((word) => word.startsWith(flag)).map((word) => word.slice(flag.length)),
);
const unknown = process.argv.slice(2).filter((word) => !/^--(fast$|also=|but=|in=)/.test(word));
if (unknown.length > 0)
  fail(
    `unknown argument ${unknown.join(" ")}, expected --fast, --in=FOLDER, --also=FILE, --but=FILE or nothing`,
  );

const folder = path.join(root, "dist", "test");
const files = (fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : [])
  .filter((file) => file.endsWith(".test.js") && !but.includes(posix(file)))
  .filter((file) => also.includes(posix(file)) || !((fast && isSlow(file)) || isElsewhere(file)))
  .map((file) => path.join("dist", "test", file))
  // The slow ones first: the last files to run are short, so that no core waits long for another.
  .sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)) || (a < b ? -1 : 1));
const lost = [...also, ...but, ...within].find((name) => !fs.existsSync(path.join(folder, name)));
if (lost !== undefined) fail(`no test file ${lost} under dist/test`);
if (files.length === 0) fail("no test file under dist/test: build first");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-test-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
const counts = path.join(scratch, "counts.json");
const { status, signal } = spawnSync(
  process.execPath,
  [path.join(root, "scripts", "run-files.mjs"), counts, ...files],
  { cwd: root, stdio: "inherit", env: environment() },
);
if (status !== 0) fail(`the tests ended with ${signal ?? status}`);

/** Test counts by file, without the files themselves, which count as a test of their own. */
const ran = new Map(Object.entries(JSON.parse(fs.readFileSync(counts, "utf8"))));
const empty = files.filter((file) => !((ran.get(path.join(root, file)) ?? 0) > 0));
if (empty.length > 0) fail(`no test ran in ${empty.join(", ")}`);

function posix(file) {
  return file.split(path.sep).join("/");
}

function isElsewhere(file) {
  return within.length > 0 && !within.some((one) => posix(file).startsWith(`${one}/`));
}

function isSlow(file) {
  return file.endsWith(".slow.test.js");
}

/** Nothing that changes a result: no options, colours or zone from outside, and this Node for child processes. */
function environment() {
  const drop =
    /^(NODE_OPTIONS|NODE_TEST_CONTEXT|NODE_V8_COVERAGE|NODE_ENV|NODE_DEBUG|FORCE_COLOR|NO_COLOR|COLUMNS)$/;
  const kept = Object.entries(process.env).filter(([name]) => !drop.test(name));
  return {
    ...Object.fromEntries(kept),
    TZ: "Asia/Kathmandu", // a zone that nobody assumes: what reads the machine's zone is seen at once
    PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  };
}

function fail(words) {
  console.error(`scripts/test.mjs: ${words}`);
  process.exit(1);
}
