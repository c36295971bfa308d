// A trial ledger and its deflation. `chain`: so many rows are checked one after the other, against the same bytes hashed and
// parsed and nothing else, at three sizes. `many`: ledgers of so many trials deflated, from their rows on. `deflation`: 100 trials over ten years of days with an overfitting probability of
// 12,870 halvings and clusters, against numpy on the same bytes. One JSON line; figures go to stderr.
import { spawnSync } from "node:child_process";
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { dice } from "./dice.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.resolve(here, process.env.BLINDCAST_DIST ?? "../dist");
const compiled = (module) => import(path.join(dist, "src", module));
const { trialChain } = await compiled("ledger/trial-chain.js");
const { nodeHashing } = await compiled("core/digest.js");
const { deflate } = await compiled("profile/deflation.js");
const { deflateLedger } = await compiled("profile/ledger-deflation.js");
const { measureOfSeries } = await compiled("profile/trial-measure.js");

const ROWS = Number(process.env.ROWS ?? 100_000);
const MANY = Number(process.env.MANY ?? 1_000_000);
const TRIALS = Number(process.env.TRIALS ?? 100);
const PERIODS = Number(process.env.PERIODS ?? 2520);
const BLOCKS = Number(process.env.BLOCKS ?? 16);
const RUNS = Number(process.env.RUNS ?? 5);
const AGREE = 1e-9;

const say = (line) => process.stderr.write(`${line}\n`);
const three = (_, value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value);

/** CPU seconds of this process, and what the work gave; the least of RUNS. */
function spent(work) {
  let least = { seconds: Number.POSITIVE_INFINITY, value: undefined };
  for (let run = 0; run < RUNS; run++) {
    const started = process.cpuUsage();
    const value = work();
    const { user, system } = process.cpuUsage(started);
    const seconds = (user + system) / 1e6;
    if (seconds < least.seconds) least = { seconds, value };
  }
  return least;
}

const digest = (text) => `sha256:${text.toString(16).padStart(64, "0")}`;

/** The lines of a ledger of trials that began and ended, each with the measures of five repeats. */
function linesOf(rows) {
  const chain = trialChain("bench", nodeHashing.sha256);
  const lines = [];
  const append = (content) => {
    const line = chain.next(content);
    chain.take(line);
    lines.push(line);
  };
  const common = { at: "2026-01-05T09:00:00Z", run: "01ARZ3NDEKTSV4RRFFQ69G0000" };
  const repeats = Array.from({ length: 5 }, (_, i) => ({
    seed: i + 1,
    sharpe: 0.0123456789012,
    periods: 2520,
    skewness: -0.123456789012,
    kurtosis: 4.56789012345,
    state: "ok",
    series: digest(i),
  }));
  while (lines.length + 1 < rows) {
    const start = lines.length;
    append({
      kind: "start",
      ...common,
      identity: digest(start),
      seed: 1,
      repeats: 5,
      units: "day",
      config: {},
    });
    const measures = { repeats, state: "ok", returns: null };
    append({ kind: "end", ...common, start, measures, series: null });
  }
  return lines;
}

function checked(lines) {
  const chain = trialChain("bench", nodeHashing.sha256);
  for (const line of lines) chain.take(line);
  return chain.head();
}

function bare(lines) {
  let keys = 0;
  let head = "";
  for (const line of lines) {
    head = crypto.createHash("sha256").update(line).digest("hex");
    keys += Object.keys(JSON.parse(line)).length;
  }
  return `${head} ${keys}`;
}

function chainOf(rows) {
  const lines = linesOf(rows);
  const [ours, least] = [spent(() => checked(lines)), spent(() => bare(lines))];
  if (ours.value !== `sha256:${least.value.split(" ")[0]}`)
    throw new Error(`head ${ours.value}, ${least.value} bare`);
  const n = lines.length;
  return { rows: n, us_a_row: (ours.seconds / n) * 1e6, to_bare: ours.seconds / least.seconds };
}

/** Returns about 0, trial after trial; a third of each is common to all. */
function returnsOf() {
  const die = dice(52);
  const common = Float64Array.from({ length: PERIODS }, () => die() - 0.5);
  return Array.from({ length: TRIALS }, () =>
    Float64Array.from({ length: PERIODS }, (_, t) => 0.02 * (die() - 0.5) + 0.01 * common[t]),
  );
}

const deflated = (series) =>
  deflate(
    series.map((returns, i) => measureOfSeries(`t${i}`, returns)),
    null,
    { benchmark: 0, blocks: BLOCKS, periodsPerYear: null },
  );

/** Ledgers of so many trials deflated whole, from their rows on; their returns are known by their digests alone. */
function manyOf(trials) {
  const at = "2026-01-05T09:00:00Z";
  const run = "01ARZ3NDEKTSV4RRFFQ69G0000";
  const config = { profile: { returns: { per: "day", periods_per_year: 252, risk_free: 0 } } };
  const rows = [];
  for (let i = 0; i < trials; i++) {
    const own = {
      seed: 1,
      sharpe: Math.sin(i) / 10,
      periods: 2520,
      skewness: -0.1,
      kurtosis: 4.5,
      state: "ok",
      series: digest(i),
    };
    const measures = { repeats: [own], state: "ok", returns: null };
    rows.push({
      kind: "start",
      row: 2 * i,
      at,
      run,
      identity: digest(i),
      seed: 1,
      repeats: 1,
      units: "day",
      config,
    });
    rows.push({ kind: "end", row: 2 * i + 1, at, run, start: 2 * i, measures, series: own.series });
  }
  const started = process.cpuUsage();
  const { n_trials, n_ratios } = deflateLedger({ place: "bench", rows, head: digest(0) });
  const { user, system } = process.cpuUsage(started);
  if (n_trials !== trials || n_ratios !== trials)
    throw new Error(`${n_trials} trials, ${n_ratios} ratios of ${trials}`);
  const seconds = (user + system) / 1e6;
  say(`${trials} trials deflated in ${seconds.toPrecision(3)} s`);
  return { trials, cpu_s: seconds, us_a_trial: (1e6 * seconds) / trials };
}

/** The same by numpy in a process of its own; null, said loudly, where there is none. */
function numpy(series, folder) {
  if (spawnSync("python3", ["-c", "import numpy"]).status !== 0) {
    say("NOT MEASURED: python3 with numpy is not here, so there is no ratio and no check of the numbers");
    return null;
  }
  const all = new Float64Array(TRIALS * PERIODS);
  for (const [i, returns] of series.entries()) all.set(returns, i * PERIODS);
  fs.writeFileSync(path.join(folder, "returns"), all);
  const plan = JSON.stringify({ trials: TRIALS, blocks: BLOCKS, runs: RUNS });
  const ran = spawnSync("python3", [path.join(here, "ledger_numpy.py"), folder, plan], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`ledger_numpy.py: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

function compare({ sr0, best, pbo, effective_trials: effective }, theirs) {
  const ours = {
    sr0,
    dsr: best.dsr,
    pbo: pbo.pbo,
    loss: pbo.loss_probability,
    effective: effective.by_average_correlation,
  };
  for (const [key, value] of Object.entries(ours))
    if (!(Math.abs(value - theirs[key]) <= AGREE * Math.max(1, Math.abs(value))))
      throw new Error(`${key} is ${value}, and ${theirs[key]} by numpy`);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
try {
  const sizes = [ROWS / 100, ROWS / 10, ROWS].map(chainOf);
  const many = [MANY / 100, MANY / 10, MANY].map(manyOf);
  const series = returnsOf();
  const ours = spent(() => deflated(series));
  const theirs = numpy(series, folder);
  if (theirs !== null) compare(ours.value, theirs);
  say(
    `CPU s of the deflation: ${JSON.stringify({ ours: ours.seconds, numpy: theirs?.seconds ?? null }, three)}`,
  );
  console.log(
    JSON.stringify(
      {
        bench: "ledger",
        sizes,
        growth: sizes[2].us_a_row / sizes[1].us_a_row,
        many,
        many_growth: many[2].us_a_trial / many[0].us_a_trial,
        peak_rss_mb: process.resourceUsage().maxRSS / 1024,
        trials: TRIALS,
        periods: PERIODS,
        halvings: ours.value.pbo.combinations,
        deflation_cpu_s: ours.seconds,
        to_numpy: theirs === null ? null : ours.seconds / theirs.seconds,
        checked: theirs !== null,
      },
      three,
    ),
  );
} catch (error) {
  say(error.message);
  process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true });
}
