// The discontinuity at a cutoff over 100,000 cases in 500 clusters: a sweep of 24 months at three bandwidths, and 1,000
// resamples of the clusters at each of the three; against numpy on the same bytes. One JSON line; figures go to stderr.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { dice } from "./dice.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.resolve(here, process.env.BLINDCAST_DIST ?? "../dist");
const compiled = (module) => import(path.join(dist, "src", module));
const { discontinuity, discontinuityBootstrap } = await compiled("stats/discontinuity.js");

const CASES = Number(process.env.CASES ?? 100_000);
const CLUSTERS = Number(process.env.CLUSTERS ?? 500);
const RESAMPLES = Number(process.env.RESAMPLES ?? 1000);
const RUNS = Number(process.env.RUNS ?? 5);
const MONTH = 30;
const DAYS = 60 * MONTH;
const SWEEP = Array.from({ length: 24 }, (_, i) => (18 + i) * MONTH);
const BANDWIDTHS = [90, 180, 360];
const CUTOFF = SWEEP[12];
const AGREE = 1e-9;

const say = (line) => process.stderr.write(`${line}\n`);
const three = (_, value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value);

/** Cases over 60 months in clusters that stand anywhere; before the cutoff they look .03 too good. */
function generate() {
  const die = dice(20_240_131);
  const effects = Float64Array.from({ length: CLUSTERS }, () => 0.1 * (die() - 0.5));
  const [at, y, clusters] = [new Float64Array(CASES), new Float64Array(CASES), new Int32Array(CASES)];
  for (let i = 0; i < CASES; i++) {
    at[i] = die() * DAYS;
    clusters[i] = Math.floor(die() * CLUSTERS);
    y[i] = 0.2 + at[i] / 50_000 + effects[clusters[i]] + 0.3 * (die() - 0.5) - (at[i] < CUTOFF ? 0.03 : 0);
  }
  return { at, y, clusters };
}

const windowAt = ({ at, y, clusters }, cutoff, bandwidth) => ({
  r: at.map((value) => value - cutoff),
  y,
  clusters,
  better: "lower",
  bandwidth,
  donut: 0,
});

/** CPU seconds of this process. */
function spent(work) {
  const started = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(started);
  return { value, seconds: (user + system) / 1e6 };
}

function once(data) {
  const fits = spent(() =>
    SWEEP.flatMap((cutoff) =>
      BANDWIDTHS.map((h) => {
        const { estimate, se, df, seCr1, clusters } = discontinuity(windowAt(data, cutoff, h));
        return { estimate, se, df, se_cr1: seCr1, clusters };
      }),
    ),
  );
  const draw = { resamples: RESAMPLES, level: 0.95, seed: 1, path: "bench" };
  const intervals = spent(() =>
    BANDWIDTHS.map((h) => discontinuityBootstrap(windowAt(data, CUTOFF, h), draw)),
  );
  return {
    sweep: fits.seconds,
    bootstrap: intervals.seconds,
    fits: fits.value,
    intervals: intervals.value.map(({ lo, hi }) => [lo, hi]),
  };
}

/** The same by numpy in a process of its own; null, said loudly, where there is none. */
function numpy(data, folder) {
  if (spawnSync("python3", ["-c", "import numpy"]).status !== 0) {
    say("NOT MEASURED: python3 with numpy is not here, so there is no ratio and no check of the numbers");
    return null;
  }
  for (const [name, array] of Object.entries(data)) fs.writeFileSync(path.join(folder, name), array);
  const plan = {
    sweep: SWEEP,
    bandwidths: BANDWIDTHS,
    cutoff: CUTOFF,
    resamples: RESAMPLES,
    runs: RUNS,
  };
  const ran = spawnSync("python3", [path.join(here, "leakage_numpy.py"), folder, JSON.stringify(plan)], {
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  if (ran.status !== 0) throw new Error(`leakage_numpy.py: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** Estimates and errors as close as two orders of addition leave them; intervals, from other dice, roughly. */
function compare(ours, theirs) {
  for (const [i, fit] of ours.fits.entries()) {
    for (const key of ["estimate", "se", "df", "se_cr1", "clusters"]) {
      const [a, b] = [fit[key], theirs.fits[i][key]];
      if (!(Math.abs(a - b) <= AGREE * Math.max(1, Math.abs(b))))
        throw new Error(`fit ${i}: ${key} is ${a}, and ${b} by numpy`);
    }
  }
  for (const [i, [lo, hi]] of ours.intervals.entries()) {
    const [low, high] = theirs.intervals[i];
    if (Math.max(Math.abs(lo - low), Math.abs(hi - high)) > 0.25 * (high - low))
      throw new Error(`interval ${i}: [${lo}, ${hi}], and [${low}, ${high}] by numpy`);
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
try {
  const data = generate();
  const runs = Array.from({ length: RUNS }, () => once(data));
  const least = (of) => Math.min(...runs.map((run) => run[of]));
  const ours = { sweep: least("sweep"), bootstrap: least("bootstrap") };
  const theirs = numpy(data, folder);
  if (theirs !== null) compare(runs[0], theirs);
  say(
    `CPU s: ${JSON.stringify({ ours, numpy: theirs && { sweep: theirs.sweep, bootstrap: theirs.bootstrap } }, three)}`,
  );
  const ratio = (a, b) => (theirs === null ? null : a / b);
  const total = ours.sweep + ours.bootstrap;
  console.log(
    JSON.stringify(
      {
        bench: "leakage",
        cases: CASES,
        clusters: CLUSTERS,
        fits: SWEEP.length * BANDWIDTHS.length,
        resamples: RESAMPLES * BANDWIDTHS.length,
        cpu_s: total,
        sweep_cpu_s: ours.sweep,
        bootstrap_cpu_s: ours.bootstrap,
        to_numpy: ratio(total, theirs?.sweep + theirs?.bootstrap),
        sweep_to_numpy: ratio(ours.sweep, theirs?.sweep),
        bootstrap_to_numpy: ratio(ours.bootstrap, theirs?.bootstrap),
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
