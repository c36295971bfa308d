// Calls of a model on loopback that takes DELAY_MS (50) for each: CASES (2,000) cases, CONCURRENCY (200) at a time, each a
// tool call and an answer, by the command line. One JSON line. Server, run and bare client are processes of their own.
// `wall_to_ideal`: against calls / concurrency x delay; `wall_to_bare`: against a bare node:http client that sends the same
// bytes as often at the same time and parses each reply. CPU is that of the run less a run of `always:0.5`.
import { fork, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const CASES = Number(process.env.CASES ?? 2_000);
const CONCURRENCY = Number(process.env.CONCURRENCY ?? 200);
const DELAY_MS = Number(process.env.DELAY_MS ?? 50);
const RUNS = Number(process.env.RUNS ?? 3);
const dist = path.resolve(import.meta.dirname, process.env.BLINDCAST_DIST ?? "../dist");
const [role, ...given] = process.argv.slice(2);
if (role === "server") serve();
else if (role === "bare") await bare(...given);
else await measure();

/** Tells its port, keeps what it is sent, and on request when the first request came and the last reply went. */
function serve() {
  const bodies = [];
  let [first, last] = [0, 0];
  const server = http.createServer((request, response) => {
    if (first === 0) first = performance.now();
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      bodies.push(body);
      setTimeout(() => {
        response.setHeader("content-type", "application/json");
        response.end(replyTo(body));
        last = performance.now();
      }, DELAY_MS);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", 4096, () => process.send({ port: server.address().port }));
  process.on("message", () => {
    process.send({ calls: bodies.length, ms: last - first, bodies: bodies.splice(0) });
    [first, last] = [0, 0];
  });
}

/** A call of `rows`, and once that was answered, the answer. */
function replyTo(body) {
  const called = body.includes('"role":"tool"');
  const name = called ? "answer" : "rows";
  const args = called ? { probability: 0.5 } : { table: "readings", where: { date: "1990-01-10" } };
  const call = { id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } };
  return JSON.stringify({
    id: "1",
    object: "chat.completion",
    model: "bench-1",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: { role: "assistant", content: null, tool_calls: [call] },
      },
    ],
    usage: { prompt_tokens: 500, completion_tokens: 20 },
  });
}

/** Sends the bodies of a file, a line each, so many at a time, and prints the CPU time that it took. */
async function bare(url, file) {
  const bodies = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const post = (body) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const request = http.request(url, { method: "POST", agent, headers }, (response) => {
        const pieces = [];
        response.on("data", (piece) => pieces.push(piece));
        response.on("end", () => resolve(JSON.parse(Buffer.concat(pieces).toString())));
      });
      request.on("error", reject);
      request.end(body);
    });
  let next = 0;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < bodies.length) await post(bodies[next++]);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);
  agent.destroy();
}

async function measure() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-bench-"));
  const file = (...names) => path.join(folder, ...names);
  const server = fork(fileURLToPath(import.meta.url), ["server"], { env: process.env });
  const said = () => new Promise((resolve) => server.once("message", resolve));
  const { port } = await said();
  const told = () => {
    server.send("tell");
    return said();
  };
  const url = `http://127.0.0.1:${port}/v1`;
  writeSet(folder, url);
  const runs = [];
  for (let i = 0; i < RUNS; i++) {
    const always = await blindcast(folder, ["--reader", "always:0.5", "--out", `always-${i}`]);
    const asked = await blindcast(folder, ["--reader", "http:bench", "--yes", "--out", `http-${i}`]);
    const server = await told();
    if (server.calls !== 2 * CASES) throw new Error(`${server.calls} calls of ${2 * CASES}`);
    fs.writeFileSync(file("bodies"), server.bodies.map((body) => `${body}\n`).join(""));
    const words = [fileURLToPath(import.meta.url), "bare", `${url}/chat/completions`, file("bodies")];
    const bareMs = Number((await output(process.execPath, words, folder)).trim());
    const alone = await told();
    runs.push({
      ms: server.ms,
      bareWallMs: alone.ms,
      cpuMs: (asked - always) / server.calls,
      bareCpuMs: bareMs / server.calls,
    });
  }
  server.kill();
  fs.rmSync(folder, { recursive: true });
  const median = (of) => runs.map(of).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)];
  const round = (value) => Number(value.toFixed(3));
  const idealMs = ((2 * CASES) / CONCURRENCY) * DELAY_MS;
  console.log(
    JSON.stringify({
      bench: "http",
      calls: 2 * CASES,
      concurrency: CONCURRENCY,
      delay_ms: DELAY_MS,
      runs: RUNS,
      wall_ms: Math.round(median(({ ms }) => ms)),
      wall_to_ideal: round(median(({ ms }) => ms / idealMs)),
      wall_to_bare: round(median(({ ms, bareWallMs }) => ms / bareWallMs)),
      bare_to_ideal: round(median(({ bareWallMs }) => bareWallMs / idealMs)),
      cpu_ms_a_call: round(median(({ cpuMs }) => cpuMs)),
      bare_cpu_ms_a_call: round(median(({ bareCpuMs }) => bareCpuMs)),
    }),
  );
}

/** Milliseconds of CPU of one run of the command line in the folder. */
async function blindcast(folder, words) {
  const used = path.join(folder, "used");
  const tell = `process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(used)}, String((user + system) / 1000));
  });`;
  const main = path.join(dist, "src", "cli", "main.js");
  const flags = ["--concurrency", String(CONCURRENCY), "--json"];
  const loaded = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`];
  await output(process.execPath, [...loaded, main, "backtest", ".", ...words, ...flags], folder);
  return Number(fs.readFileSync(used, "utf8"));
}

function output(command, words, cwd) {
  const env = { ...process.env, XDG_CONFIG_HOME: path.join(cwd, "config"), NO_COLOR: "1" };
  const child = spawn(command, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].on("data", (piece) => {
      texts[name] += piece;
    });
  return new Promise((resolve, reject) => {
    child.on("close", (status) =>
      status === 0 ? resolve(texts.stdout) : reject(new Error(`${words.at(-1)}: ${status}: ${texts.stderr}`)),
    );
  });
}

function writeSet(folder, url) {
  const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const table = "rows: {file: readings.csv}\n    key: [date]\n    valid_time: {column: date}";
  write(
    "caseset.yaml",
    `name: bench\nkind: forecast\ntime_zone: UTC\ntables:\n  readings:\n    ${table}\n    available_time: {after: valid_time, delay: P1D}\n`,
  );
  write(
    "profiles/endpoints/bench.yaml",
    `endpoint: bench\nurl: ${url}\nmodel: bench-1\nconcurrency: ${CONCURRENCY}\nidentity: {pretrain_cutoff: none, posttrain_cutoff: none}\n`,
  );
  fs.mkdirSync(path.join(folder, "ledgers"));
  const DAY = 86_400_000;
  const at = (i) => new Date(Date.UTC(1990, 0, 1) + i * DAY).toISOString().replace(".000Z", "Z");
  let rows = "date,value\n";
  let cases = "";
  let labels = "";
  for (let i = 0; i < CASES + 40; i++) {
    rows += `${at(i).slice(0, 10)},${((i * 7919) % 1000) / 10}\n`;
    if (i < 40) continue;
    const id = `c-${i}`;
    const [freeze, end] = [at(i), at(i + 1)];
    cases += `${JSON.stringify({ id, kind: "forecast", question: "Is the value above 50?", freeze, reads: ["readings"], resolution: { statement: "value > 50", vintage: "first", at: end }, label_interval: [freeze, end], answer: "probability" })}\n`;
    labels += `${JSON.stringify({ case: id, outcome: i % 2, vintage: "first", resolved_at: end, available_time: end })}\n`;
  }
  write("readings.csv", rows);
  write("cases.jsonl", cases);
  write("labels.jsonl", labels);
}
