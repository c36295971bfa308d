/** The benchmarks run: small here, so that a change of the library does not leave them behind unseen. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { repository } from "./walk/command-line.ts";

const dist = fileURLToPath(new URL("..", import.meta.url));
const bench = (name: string, env: Record<string, string>) =>
  spawnSync(process.execPath, [path.join(repository, "bench", name)], {
    encoding: "utf8",
    env: { ...process.env, BLINDCAST_DIST: dist, ...env },
  });

it("bench/run prints one JSON line of ratios", () => {
  const ran = bench("run.mjs", { CASES: "60", RUNS: "1" });
  assert.equal(ran.status, 0, ran.stderr);
  const line = JSON.parse(ran.stdout);
  assert.equal(line.cases, 60);
  assert.ok(line.cases_per_second > 0 && line.ratio_to_floor > 0);
});

it("bench/replay prints one JSON line of ratios", () => {
  const ran = bench("replay.mjs", { ENTRIES: "200", RUNS: "1" });
  assert.equal(ran.status, 0, ran.stderr);
  const [size] = JSON.parse(ran.stdout).sizes;
  assert.equal(size.entries, 200);
  assert.ok(size.replay_us_an_entry > 0 && size.replay_to_bare > 0 && size.verify_to_bare_entries > 0);
});

it("bench/http prints one JSON line of ratios", () => {
  const ran = bench("http.mjs", { CASES: "40", CONCURRENCY: "20", DELAY_MS: "5", RUNS: "1" });
  assert.equal(ran.status, 0, ran.stderr);
  const line = JSON.parse(ran.stdout);
  assert.equal(line.calls, 80);
  assert.ok(line.wall_to_ideal > 0 && line.wall_to_bare > 0 && line.bare_cpu_ms_a_call > 0);
});

it("bench/leakage prints one JSON line of ratios, checked against numpy where it is there", () => {
  const ran = bench("leakage.mjs", { CASES: "3000", CLUSTERS: "50", RESAMPLES: "400", RUNS: "1" });
  assert.equal(ran.status, 0, ran.stderr);
  const line = JSON.parse(ran.stdout);
  assert.deepEqual([line.cases, line.fits, line.resamples], [3000, 72, 1200]);
  assert.ok(line.cpu_s > 0);
  assert.equal(line.checked, line.to_numpy > 0);
  assert.equal(line.checked, !ran.stderr.includes("NOT MEASURED"));
});

it("bench/split prints one JSON line of ratios, checked against numpy where it is there", () => {
  const ran = bench("split.mjs", { CASES: "20000", RUNS: "1" });
  assert.equal(ran.status, 0, ran.stderr);
  const line = JSON.parse(ran.stdout);
  assert.deepEqual(
    line.sizes.map(({ cases }: { cases: number }) => cases),
    [200, 2000, 20_000],
  );
  assert.ok(line.growth > 0 && line.combinatorial_cpu_s > 0 && line.bytes_a_case_of_a_split < 12);
  assert.equal(line.checked, line.to_numpy > 0);
  assert.equal(line.checked, !ran.stderr.includes("NOT MEASURED"));
});

it("bench/ledger prints one JSON line of ratios, checked against numpy where it is there", () => {
  const ran = bench("ledger.mjs", {
    ROWS: "2000",
    MANY: "2000",
    TRIALS: "10",
    PERIODS: "250",
    BLOCKS: "8",
    RUNS: "1",
  });
  assert.equal(ran.status, 0, ran.stderr);
  const line = JSON.parse(ran.stdout);
  assert.deepEqual(
    line.sizes.map(({ rows }: { rows: number }) => rows),
    [20, 200, 2000],
  );
  assert.deepEqual([line.trials, line.halvings], [10, 70]);
  assert.ok(line.growth > 0 && line.deflation_cpu_s > 0);
  assert.equal(line.checked, line.to_numpy > 0);
  assert.equal(line.checked, !ran.stderr.includes("NOT MEASURED"));
});

const duckdb = fs.existsSync(path.join(repository, "bench/node_modules"));
it("bench/asof prints one JSON line of ratios", {
  skip: duckdb ? false : "NOT TESTED: npm ci --prefix bench was not run",
}, () => {
  const ran = bench("asof.mjs", { ROWS: "200000" });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(JSON.parse(ran.stdout).rows, 200_000);
});
