// CPU time and peak memory of a replay at 10^4, 10^5 and 10^6 entries, against the same bytes parsed and hashed and nothing
// else. Each figure comes from a process of its own. One JSON line.
import { spawnSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

const built = (file) => import(`${process.env.BLINDCAST_DIST ?? "../dist"}/src/${file}`);
const blindcast = await built("index.js");

/** Entries of a case: two probes, the calls, the answer, the end. */
const CALLS = 6;
const PER_CASE = CALLS + 4;
/** Each a reading a day: a call for one of them has one row of about 150 bytes. */
const STATIONS = 200;
const DAYS = 500;
const DAY = 86_400_000;
const at = (millis) => new Date(millis).toISOString().replace(".000Z", "Z");
const day = (millis) => at(millis).slice(0, 10);

const jobs = { make, replay, verify, bare };
const [job, folder, count] = process.argv.slice(2);
if (job === undefined) await measure();
else console.log(JSON.stringify(await jobs[job](folder, Number(count))));

async function measure() {
  const sizes = (process.env.ENTRIES ?? "10000,100000,1000000").split(",").map(Number);
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
  const rows = [];
  for (const entries of sizes) {
    const run = path.join(scratch, String(entries));
    child("make", run, entries);
    const [whole, half, floor] = ["replay", "verify", "bare"].map((name) => best(name, run));
    rows.push({
      entries: whole.entries,
      bytes_an_entry: Math.round(floor.bytes / whole.entries),
      replay_us_an_entry: us(whole.cpu, whole.entries),
      verify_us_an_entry: us(half.cpu, whole.entries),
      bare_us_an_entry: us(floor.cpu, whole.entries),
      replay_to_bare: Number((whole.cpu / floor.cpu).toFixed(2)),
      verify_to_bare_entries: Number((half.cpu / floor.cpuEntries).toFixed(2)),
      peak_rss_mb: Math.round(whole.rss),
      verify_peak_rss_mb: Math.round(half.rss),
    });
    fs.rmSync(run, { recursive: true });
  }
  console.log(JSON.stringify({ bench: "replay", sizes: rows }));
  fs.rmSync(scratch, { recursive: true });
}

function us(seconds, entries) {
  return Number(((seconds * 1e6) / entries).toFixed(2));
}

/** The least CPU time of some processes, and the greatest memory. */
function best(name, run) {
  const all = Array.from({ length: Number(process.env.RUNS ?? 3) }, () => child(name, run, 0));
  const fastest = all.reduce((a, b) => (b.cpu < a.cpu ? b : a));
  return { ...fastest, rss: Math.max(...all.map(({ rss }) => rss)) };
}

function child(...words) {
  const ran = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...words.map(String)], {
    encoding: "utf8",
    env: process.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (ran.status !== 0) throw new Error(`${words.join(" ")} ended with ${ran.signal ?? ran.status}`);
  return JSON.parse(ran.stdout.trim().split("\n").at(-1));
}

/** User and system time of this process while `work` runs. */
async function timed(work) {
  const before = process.cpuUsage();
  const made = await work();
  const { user, system } = process.cpuUsage(before);
  return { ...made, cpu: (user + system) / 1e6, rss: process.resourceUsage().maxRSS / 1024 };
}

function trust(run) {
  return { bytes: fs.readFileSync(`${run}.policy`), place: "policy" };
}

function verified({ verdict, failure }) {
  if (verdict !== "verified") throw new Error(JSON.stringify(failure));
}

function replay(run) {
  return timed(async () => {
    verified(await blindcast.replay(blindcast.folderBundle(run), { policy: trust(run) }));
    const { evidence } = JSON.parse(fs.readFileSync(path.join(run, "report.json"), "utf8"));
    return { entries: evidence.entries.size };
  });
}

async function verify(run) {
  const [{ verify: check }, { nodeHashing: hashing }, { checkSignature }] = await Promise.all(
    ["verify.js", "core/digest.js", "ledger/node-signatures.js"].map(built),
  );
  return timed(async () => {
    verified(await check(blindcast.folderBundle(run), trust(run).bytes, { hashing, checkSignature }));
    return {};
  });
}

/** Every entry and every body inflated, hashed and parsed; nothing is compared, and no index is read meanwhile. */
function bare(run) {
  const index = [...linesOf(path.join(run, "blobs.idx"))].map((line) => JSON.parse(line));
  const pack = fs.readFileSync(path.join(run, "blobs.pack"));
  return timed(async () => {
    const started = process.cpuUsage();
    let bytes = 0;
    for (const line of linesOf(path.join(run, "entries.jsonl"))) {
      hash("sha256", line);
      JSON.parse(line);
      bytes += line.length;
    }
    const { user, system } = process.cpuUsage(started);
    for (const { deflated, offset, stored } of index) {
      const piece = pack.subarray(offset, offset + stored);
      const raw = deflated ? inflateRawSync(piece) : piece;
      hash("sha256", raw);
      JSON.parse(raw.toString("utf8"));
      bytes += raw.length;
    }
    return { bytes, cpuEntries: (user + system) / 1e6 };
  });
}

function* linesOf(file) {
  const handle = fs.openSync(file, "r");
  const chunk = Buffer.allocUnsafe(1 << 20);
  let rest = "";
  for (let size = fs.readSync(handle, chunk); size > 0; size = fs.readSync(handle, chunk)) {
    const lines = (rest + chunk.toString("latin1", 0, size)).split("\n");
    rest = lines.pop();
    for (const line of lines) yield Buffer.from(line, "latin1").toString("utf8");
  }
  fs.closeSync(handle);
}

/** A signed run of so many entries: cases over one table, six calls each, from a reader that is not built in. */
async function make(run, entries) {
  const set = path.join(path.dirname(run), "set");
  writeSet(set, Math.ceil(entries / PER_CASE));
  const loaded = blindcast.loadCaseSet(set, set);
  const store = await blindcast.loadStore(loaded, {
    folder: set,
    workingFolder: set,
    ownFolder: set,
    cache: null,
    fetch: null,
  });
  const { signer } = blindcast.newSigner();
  const workspace = path.dirname(run);
  const ledger = blindcast.folderLedger({ workspace, signer, origin: "bench.example/log" });
  const profile = blindcast.profileOf({ name: "bench", execution: "none" }, "bench");
  const options = blindcast.runOptions(profile, { filters: [], limit: null, concurrency: 4 });
  await blindcast.backtest(
    loaded,
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
    {
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      host: { node: process.versions.node, zone_data: "", unicode: "" },
      random: randomBytes,
      store,
      readers: callingReader(),
      sink: blindcast.folderSink(run),
      ledger,
      signal: new AbortController().signal,
      progress: blindcast.silent,
    },
  );
  fs.rmSync(set, { recursive: true });
  const { publicHalf } = await built("cli/key-file.js");
  fs.writeFileSync(`${run}.policy`, publicHalf(signer, "bench.example/log").policy);
  return {};
}

function callingReader() {
  const identity = {
    name: "calls",
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: "none",
    uses_tools: true,
    params: {},
  };
  return {
    name: "calls",
    family: null,
    identity: () => identity,
    open: () => ({
      async answer(asked, tools) {
        let sum = 0;
        const [, number] = asked.id.split("-").map(Number);
        const date = day(Date.parse(asked.horizon) - DAY);
        for (let i = 0; i < CALLS; i++) {
          const station = `s${(number * 7 + i * 31) % STATIONS}`;
          const reply = await tools.call("rows", { table: "readings", where: { date, station } });
          sum += reply.rows[0].body.value;
        }
        return { kind: "answer", probability: (sum % 100) / 100, usage: null };
      },
    }),
  };
}

function writeSet(set, cases) {
  const start = Date.UTC(1990, 0, 1);
  fs.mkdirSync(set, { recursive: true });
  fs.writeFileSync(
    path.join(set, "caseset.yaml"),
    `name: bench
kind: forecast
time_zone: UTC
tables:
  readings:
    rows: {file: readings.csv}
    key: [station, date]
    entity: station
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
`,
  );
  const rows = ["station,date,value,note"];
  for (let s = 0; s < STATIONS; s++) {
    for (let i = 0; i < DAYS; i++)
      rows.push(
        `s${s},${day(start + i * DAY)},${((i * 7919 + s * 31) % 1000) / 10},a note of ${(i * s) % 97} words`,
      );
  }
  fs.writeFileSync(path.join(set, "readings.csv"), `${rows.join("\n")}\n`);
  const [asked, labels] = [[], []];
  for (let i = 0; i < cases; i++) {
    const freeze = start + (1 + (i % (DAYS - 1))) * DAY;
    const [id, end] = [`c-${i}`, at(freeze + DAY)];
    asked.push(JSON.stringify(caseOf(id, at(freeze), end)));
    labels.push(
      JSON.stringify({ case: id, outcome: i % 2, vintage: "first", resolved_at: end, available_time: end }),
    );
  }
  fs.writeFileSync(path.join(set, "cases.jsonl"), `${asked.join("\n")}\n`);
  fs.writeFileSync(path.join(set, "labels.jsonl"), `${labels.join("\n")}\n`);
}

function caseOf(id, freeze, end) {
  return {
    id,
    kind: "forecast",
    question: "Is the value above 50?",
    freeze,
    reads: ["readings"],
    resolution: { statement: "value > 50", vintage: "first", at: end },
    label_interval: [freeze, end],
    answer: "probability",
    cluster: freeze.slice(0, 7),
  };
}
