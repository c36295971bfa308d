// Ten purged and embargoed folds of 10⁴, 10⁵ and 10⁶ cases, and C(10, 2) of 10⁵, from label intervals in start order; against numpy
// on the same bytes, whose training sets must be the same. One JSON line; figures go to stderr.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { dice } from "./dice.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.resolve(here, process.env.BLINDCAST_DIST ?? "../dist");
const compiled = (module) => import(path.join(dist, "src", module));
const { labelIntervals } = await compiled("caseset/label-intervals.js");
const { splitCases } = await compiled("caseset/splits.js");

const CASES = Number(process.env.CASES ?? 1_000_000);
const RUNS = Number(process.env.RUNS ?? 5);
const FOLDS = 10;
const SIZES = [CASES / 100, CASES / 10, CASES];
const EMBARGO = 5;

const say = (line) => process.stderr.write(`${line}\n`);
const three = (_, value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value);

/** Starts over three days a case, labels of up to 40 days, and one in a thousand as long as a hundredth of all time. */
function generate(n) {
  const die = dice(20_240_305);
  const t0 = Float64Array.from({ length: n }, () => Math.floor(die() * 3 * n));
  const long = () => (die() < 0.001 ? n * 0.03 : 40);
  const t1 = t0.map((start) => start + Math.floor(die() * long()));
  return { ids: Array.from(t0, (_, i) => `case-${i}`), t0, t1 };
}

/** CPU seconds of this process. */
function spent(work) {
  const started = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(started);
  return { value, seconds: (user + system) / 1e6 };
}

function split(intervals, definition) {
  const sums = [];
  for (const { train, purged, embargoed } of splitCases(intervals, { ...definition, embargo: `P${EMBARGO}D` })
    .splits) {
    let sum = 0;
    for (const position of train) sum += position;
    sums.push([train.length, sum, purged.length, embargoed.length]);
  }
  return sums;
}

const least = (definition, intervals) => {
  const runs = Array.from({ length: RUNS }, () => spent(() => split(intervals, definition)));
  return { seconds: Math.min(...runs.map(({ seconds }) => seconds)), sums: runs[0].value };
};

/** The same by numpy in a process of its own; null, said loudly, where there is none. */
function numpy({ t0, t1 }, folder) {
  if (spawnSync("python3", ["-c", "import numpy"]).status !== 0) {
    say("NOT MEASURED: python3 with numpy is not here, so there is no ratio and no check of the sets");
    return null;
  }
  fs.writeFileSync(path.join(folder, "t0"), t0);
  fs.writeFileSync(path.join(folder, "t1"), t1);
  const plan = JSON.stringify({ folds: FOLDS, embargo: EMBARGO, runs: RUNS });
  const ran = spawnSync("python3", [path.join(here, "split_numpy.py"), folder, plan], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`split_numpy.py: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
try {
  const kfold = { kind: "kfold", folds: FOLDS };
  const days = { unit: "day", zone: "UTC" };
  const sizes = [];
  let largest;
  for (const cases of SIZES) {
    const sorted = spent(() => labelIntervals(generate(cases), days));
    largest = sorted.value;
    const { seconds, sums } = least(kfold, largest);
    sizes.push({
      cases,
      order_cpu_s: sorted.seconds,
      cpu_s: seconds,
      ns_a_case_and_fold: (seconds * 1e9) / cases / FOLDS,
      sums,
    });
  }
  const one = splitCases(largest, kfold).splits[Symbol.iterator]().next().value;
  const bytes = Object.values(one).reduce((sum, value) => sum + (value?.byteLength ?? 0), 0);
  const paths = least(
    { kind: "combinatorial", groups: 10, test_groups: 2 },
    labelIntervals(generate(CASES / 10), days),
  );
  const peer = numpy(largest, folder);
  const ours = sizes.at(-1);
  if (peer !== null && JSON.stringify(peer.sums) !== JSON.stringify(ours.sums))
    throw new Error(
      `training sets differ: ${JSON.stringify(ours.sums)}, and by numpy ${JSON.stringify(peer.sums)}`,
    );
  console.log(
    JSON.stringify(
      {
        bench: "split",
        folds: FOLDS,
        sizes: sizes.map(({ sums, ...figures }) => figures),
        growth: ours.cpu_s / sizes[0].cpu_s / (ours.cases / sizes[0].cases),
        bytes_a_case_of_a_split: bytes / CASES,
        combinatorial_cpu_s: paths.seconds,
        combinatorial_ns_a_case_and_split: (paths.seconds * 1e9) / (CASES / 10) / 45,
        numpy_cpu_s: peer?.seconds ?? null,
        to_numpy: peer === null ? null : ours.cpu_s / peer.seconds,
        peak_rss_mb: process.resourceUsage().maxRSS / 1024,
        checked: peer !== null,
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
