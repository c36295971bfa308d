import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { root } from "./tidy/repository.ts";

const MOST_BYTES = 60_000_000;
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|EIDLETIMEOUT/;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-packed-"));
const home = path.join(scratch, "home");
let packed: string[] = [];
let skipped: string | null = null;

/** What npm tells a script that it runs would make this npm look at our package instead of the empty folder. */
function run(command: string, words: readonly string[], folder: string): SpawnSyncReturns<string> {
  const tells =
    /^npm_(package|lifecycle|command|execpath|node_execpath|config_(prefix|local_prefix|global_prefix))/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !tells.test(name)));
  return spawnSync(command, words, { cwd: folder, env, encoding: "utf8", timeout: 300_000 });
}

function blindcast(...words: string[]): SpawnSyncReturns<string> {
  return run(path.join(home, "node_modules", ".bin", "blindcast"), words, home);
}

/** Skips where the registry could not be reached, and says so; there is no skipping in CI. */
function installed(t: TestContext): boolean {
  if (skipped === null) return true;
  assert.equal(process.env["BLINDCAST_CI"], undefined, skipped);
  t.skip(skipped);
  return false;
}

before(() => {
  const pack = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", scratch], root);
  assert.equal(pack.status, 0, pack.stderr);
  const told = JSON.parse(pack.stdout) as [{ filename: string; files: { path: string }[] }];
  packed = told[0].files.map((file) => file.path);
  fs.mkdirSync(home);
  fs.writeFileSync(path.join(home, "package.json"), '{"name":"empty","private":true,"type":"module"}\n');
  const tarball = path.join(scratch, told[0].filename);
  const install = run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], home);
  if (install.status === 0) return;
  assert.match(install.stderr, unreachable);
  skipped = `SKIPPED, NOTHING WAS TESTED: the registry could not be reached: ${install.stderr.slice(0, 400)}`;
});

after(() => fs.rmSync(scratch, { recursive: true, force: true }));

test("packed: holds the program, the data and the licence, and neither tests nor maps", () => {
  for (const file of ["dist/src/cli/main.js", "dist/src/index.d.ts", "profiles/default.yaml", "LICENSE"])
    assert.ok(packed.includes(file), `${file} is not packed`);
  assert.ok(packed.some((file) => /^casesets\/.+\/caseset\.yaml$/.test(file)));
  assert.deepEqual(
    packed.filter((file) => /\.map$|^dist\/test|^test|^scripts|\.tsbuildinfo$|^src/.test(file)),
    [],
  );
});

test("packed: all of node_modules together is at most 60 MB", (t) => {
  if (!installed(t)) return;
  const entries = fs.readdirSync(path.join(home, "node_modules"), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  assert.ok(files.length > 100, `${files.length} files were installed`);
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + fs.lstatSync(path.join(parentPath, name)).size,
    0,
  );
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes are installed, at most ${MOST_BYTES}`);
  t.diagnostic(`${bytes} bytes are installed`);
});

test("packed: the installed command says its version and looks at the machine", (t) => {
  if (!installed(t)) return;
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
    version: string;
  };
  const version = blindcast("--version");
  assert.deepEqual([version.status, version.stdout], [0, `${manifest.version}\n`], version.stderr);
  const doctor = blindcast("doctor");
  assert.equal(doctor.status, 0, doctor.stderr);
  assert.ok(doctor.stdout.includes(`node: ${process.versions.node}\n`), doctor.stdout);
});

test("packed: the installed command runs a backtest of a case set that stands beside it", (t) => {
  if (!installed(t)) return;
  writeTinyCaseSet(path.join(home, "coin"));
  const out = path.join(home, "run");
  const told = blindcast("backtest", "coin", "--reader", "climatology", "--offline", "--out", out, "--json");
  assert.equal(told.status, 0, told.stderr);
  const last = told.stdout.trimEnd().split("\n").at(-1) as string;
  assert.equal(typeof JSON.parse(last), "object");
  assert.ok(fs.existsSync(path.join(out, "report.json")));
  const again = blindcast("backtest", "coin", "--reader", "climatology", "--out", out);
  assert.equal(again.status, 2, "a second run into the same folder was not refused");
  assert.match(again.stderr, /^RunExists: /m);
});

test("packed: the library and its statistics can be imported, and nothing else", (t) => {
  if (!installed(t)) return;
  const imports = `
    import { backtest, codes } from "blindcast";
    import { brier } from "blindcast/stats/brier";
    const deep = await import("blindcast/dist/src/core/refusal.js").catch((error) => error.code);
    console.log(typeof backtest, codes.length > 0, brier(0.5, 1), deep);`;
  const told = run(process.execPath, ["--input-type=module", "--eval", imports], home);
  assert.equal(told.stdout, "function true 0.25 ERR_PACKAGE_PATH_NOT_EXPORTED\n", told.stderr);
});

/** Eight tosses, each asked with the earlier ones at hand. */
function writeTinyCaseSet(folder: string): void {
  const days = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `2020-03-0${day}`);
  const toss = (i: number) => i % 2;
  fs.mkdirSync(folder);
  const write = (name: string, lines: readonly string[]) =>
    fs.writeFileSync(path.join(folder, name), `${lines.join("\n")}\n`);
  write("tosses.csv", ["date,heads", ...days.map((day, i) => `${day},${toss(i)}`)]);
  write("caseset.yaml", [
    "name: coin",
    "kind: forecast",
    "profile: default",
    "grace: P0D",
    "time_zone: UTC",
    'readers: {climatology: {table: tosses, event: "heads > 0"}}',
    "tables:",
    "  tosses:",
    "    rows: {file: tosses.csv}",
    "    key: [date]",
    "    valid_time: {column: date}",
    "    available_time: {after: valid_time, delay: P1D}",
    "    columns: {date: string, heads: number}",
  ]);
  const asked = days.slice(1).map((day, i) => ({ day, id: `toss-${day}`, outcome: toss(i + 1) }));
  write(
    "cases.jsonl",
    asked.map(({ day, id }) => JSON.stringify(caseOf(id, day))),
  );
  write(
    "labels.jsonl",
    asked.map(({ day, id, outcome }) => {
      const at = `${day}T23:59:59Z`;
      return JSON.stringify({ case: id, outcome, vintage: "first", resolved_at: at, available_time: at });
    }),
  );
}

function caseOf(id: string, day: string): unknown {
  const [freeze, end] = [`${day}T00:00:00Z`, `${day}T23:59:59Z`];
  return {
    id,
    kind: "forecast",
    question: `Heads on ${day}?`,
    freeze,
    reads: ["tosses"],
    resolution: { statement: "heads > 0", source: "tosses", vintage: "first", at: end },
    label_interval: [freeze, end],
    answer: "probability",
  };
}
