// Cases a second of a 10,000-case set that reads one table, reader always:0.5, recording to a folder. One JSON line.
// `ratio_to_floor`: against the same record's bytes parsed, written again, hashed and fsynced, and nothing else.
import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const blindcast = await import(`${process.env.BLINDCAST_DIST ?? "../dist"}/src/index.js`);

const CASES = Number(process.env.CASES ?? 10_000);
const RUNS = Number(process.env.RUNS ?? 5);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
const DAY = 86_400_000;
const START = Date.UTC(1990, 0, 1);
const at = (millis) => new Date(millis).toISOString().replace(".000Z", "Z");
const day = (millis) => at(millis).slice(0, 10);

fs.mkdirSync(path.join(folder, "tables"));
fs.writeFileSync(
  path.join(folder, "caseset.yaml"),
  `name: bench
kind: forecast
time_zone: UTC
tables:
  readings:
    rows: {file: tables/readings.csv}
    key: [date]
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
`,
);
let rows = "date,value,note\n";
let cases = "";
let labels = "";
for (let i = 0; i < CASES + 30; i++) {
  rows += `${day(START + i * DAY)},${((i * 7919) % 1000) / 10},n${i % 50}\n`;
  if (i < 30) continue;
  const [freeze, end] = [START + i * DAY, START + (i + 1) * DAY];
  cases += `${JSON.stringify({ id: `c-${day(freeze)}`, kind: "forecast", question: "Is the value above 50?", freeze: at(freeze), reads: ["readings"], resolution: { statement: "value > 50", vintage: "first", at: at(end) }, label_interval: [at(freeze), at(end)], answer: "probability" })}\n`;
  labels += `${JSON.stringify({ case: `c-${day(freeze)}`, outcome: i % 2, vintage: "first", resolved_at: at(end), available_time: at(end) })}\n`;
}
fs.writeFileSync(path.join(folder, "tables", "readings.csv"), rows);
fs.writeFileSync(path.join(folder, "cases.jsonl"), cases);
fs.writeFileSync(path.join(folder, "labels.jsonl"), labels);

const set = blindcast.loadCaseSet(folder, folder);
const store = await blindcast.loadStore(set, {
  folder,
  workingFolder: folder,
  ownFolder: folder,
  cache: null,
  fetch: null,
});
const profile = blindcast.profileOf({ name: "bench", execution: "none" }, "bench");
const context = blindcast.readerContext(set, store);
const reader = blindcast.builtInReader("always:0.5", {
  context,
  params: {},
  temperature: 0,
  memories: new Map(),
});

async function once(i) {
  const out = path.join(folder, `run-${i}`);
  const options = blindcast.runOptions(profile, { filters: [], limit: null, concurrency: 4 });
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  const world = {
    clock,
    random: randomBytes,
    store,
    readers: reader,
    sink: blindcast.folderSink(out),
    ledger: blindcast.memoryLedger(),
    host: { node: process.versions.node, zone_data: "", unicode: "" },
    signal: new AbortController().signal,
    progress: blindcast.silent,
  };
  const started = performance.now();
  await blindcast.backtest(
    set,
    {
      run: blindcast.runId(Date.now(), randomBytes),
      options,
      family: null,
      artifacts: new Map(),
      entities: null,
      budget: null,
      earlier: null,
      replaces: null,
    },
    [],
    world,
  );
  return { seconds: (performance.now() - started) / 1000, out };
}

function floor(out) {
  const text = fs.readFileSync(path.join(out, "entries.jsonl"), "utf8");
  const pack = fs.readFileSync(path.join(out, "blobs.pack"));
  const started = performance.now();
  const handle = fs.openSync(path.join(folder, "floor"), "w");
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const again = JSON.stringify(JSON.parse(line));
    createHash("sha256").update(again).digest();
    fs.writeSync(handle, `${again}\n`);
  }
  createHash("sha256").update(pack).digest();
  fs.writeSync(handle, pack);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  return (performance.now() - started) / 1000;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const runs = [];
for (let i = 0; i < RUNS; i++) runs.push(await once(i));
const floors = runs.map(({ out }) => floor(out));
const seconds = median(runs.map((run) => run.seconds));
const bytes =
  fs.statSync(path.join(runs[0].out, "entries.jsonl")).size +
  fs.statSync(path.join(runs[0].out, "blobs.pack")).size;
console.log(
  JSON.stringify({
    bench: "run",
    cases: CASES,
    runs: RUNS,
    cases_per_second: Math.round(CASES / seconds),
    cases_per_second_best: Math.round(CASES / Math.min(...runs.map((run) => run.seconds))),
    ratio_to_floor: Number((seconds / median(floors)).toFixed(2)),
    recorded_bytes_per_case: Math.round(bytes / CASES),
    peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
fs.rmSync(folder, { recursive: true });
