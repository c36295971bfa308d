/** `http:` by the command line: a model on the loopback that does what persistence does, well served and badly, and resumed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  type ChatRequest,
  type ChatServer,
  chatServer,
  completionText,
  imitating,
  type ServerFault,
} from "../support/chat-server.ts";
import { persistenceOf } from "../support/persistence-model.ts";
import { blindcast, environment, lastLine, main, type Ran, repository, workspace } from "./command-line.ts";

const KEY = "sk-MARK-7c41b2d09e";
const cases = ["seattle-rain", "--filter", "id=rain-2014-01-*", "--limit", "12"];
const model = imitating(persistenceOf("weather", (body) => (body["precipitation"] as number) > 0));
/** What goes wrong with the n-th request of a run; null: nothing. */
let fault: (n: number, request: ChatRequest, authorization: string) => ServerFault | null = () => null;
let delayMs = 0;
let first = 0;
let server: ChatServer;
/** The result of a run without faults. */
let clean: string;

before(async () => {
  server = await chatServer({
    answer: async (request) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return model(request);
    },
    fault: (n, request, authorization) => fault(n - first, request, authorization),
  });
  const put = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), text);
  };
  const endpoint = (name: string, more: string) =>
    put(
      `profiles/endpoints/${name}.yaml`,
      `endpoint: ${name}\nurl: ${server.url}\nmodel: tiny-2013-06-01\nkey_variable: TINY_KEY\n${more}`,
    );
  endpoint("tiny", "retries: 6\ncost: {input: 2, output: 8, currency: USD}\n");
  endpoint(
    "told",
    "cost: {input: 2, output: 8, currency: USD}\nestimate: {model_calls: 3, input_tokens: 50000, output_tokens: 100}\n",
  );
  put(
    "profiles/tiny.yaml",
    `name: tiny
execution: none
identity: {pretrain_cutoff: "2013-06:documented", posttrain_cutoff: "2013-06:documented"}
`,
  );
  put("profiles/poor.yaml", "name: tiny\nextends: tiny\nbudget: {model_calls: 9}\n");
  put("profiles/careful.yaml", "name: careful\nextends: tiny\nconfirm_above: 1\n");
});
after(() => server.close());

/** Runs blindcast beside the server; `until` gets to kill it. */
async function run(
  words: readonly string[],
  {
    key = KEY,
    until = async () => {},
  }: { key?: string | null; until?: (kill: () => void) => Promise<void> } = {},
): Promise<Ran> {
  first = server.bodies.length;
  const env = { ...environment, ...(key === null ? {} : { TINY_KEY: key }) };
  const child = spawn(process.execPath, [main, ...words], { cwd: workspace, env });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => {
    said.stdout += piece;
  });
  child.stderr.on("data", (piece) => {
    said.stderr += piece;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await until(() => child.kill("SIGKILL"));
  const status = await ended;
  return { ...said, status };
}
const backtest = (out: string, ...more: string[]) => [
  ...["backtest", ...cases, "--reader", "http:tiny", "--profile", "tiny", "--out", out, "--json", ...more],
];

type Entry = { readonly kind: string; readonly case: string } & { readonly [key: string]: unknown };
function linesOf(out: string, name = "entries.jsonl"): Entry[] {
  const text = fs.readFileSync(path.join(workspace, out, name), "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n"));
  return whole === "" ? [] : whole.split("\n").map((line) => JSON.parse(line));
}
const answersOf = (out: string) =>
  linesOf(out).flatMap((entry) => (entry.kind === "answer" ? [[entry.case, entry["probability"]]] : []));
const evidenceOf = (out: string) =>
  (JSON.parse(fs.readFileSync(path.join(workspace, out, "report.json"), "utf8")) as { evidence: Evidence })
    .evidence;
type Evidence = {
  readonly models: {
    readonly calls: number;
    readonly retries: Record<string, number>;
    readonly failed: Record<string, number>;
    readonly retried: readonly object[];
    readonly served: readonly object[];
  };
  readonly usage: { readonly input_tokens: number; readonly cost: number; readonly retries: number };
};

/** Every file below a folder, its bytes inflated where they are a body of the pack. */
function textsOf(folder: string): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => path.join(folder, name)).filter((file) => fs.statSync(file).isFile());
  return files.map((file) => fs.readFileSync(file, "latin1"));
}

describe("readers.http", () => {
  it("a model that drives the tools as persistence does has its answers; replayed without a network, re-scored", async () => {
    const ran = await run(backtest("clean"));
    assert.equal(ran.status, 0, ran.stderr);
    clean = lastLine(ran).result_digest;
    const own = blindcast(["backtest", ...cases, "--reader", "persistence", "--out", "own", "--json"]);
    assert.equal(own.status, 0, own.stderr);
    const [found, expected] = [answersOf("clean"), answersOf("own")];
    assert.equal(found.length, 12);
    assertEvery(
      found,
      ([id, p], i) =>
        id === expected[i]?.[0] && Math.abs((p as number) - (expected[i]?.[1] as number)) <= 1e-12,
    );
    assert.ok(Math.abs(lastLine(ran).brier.mean - lastLine(own).brier.mean) <= 1e-12);
    const replayed = blindcast(["replay", "clean", "--json"]);
    assert.equal(replayed.status, 5, replayed.stderr);
    const verdict = lastLine<{ arms: object; result_digest: string; report_digest: string }>(replayed);
    assert.deepEqual(verdict.arms, { routed: "re-scored" });
    assert.equal(verdict.result_digest, lastLine(ran).result_digest);
    const { models, usage } = evidenceOf("clean");
    assert.equal(models.calls, server.bodies.length - first);
    assert.deepEqual(models.served, [
      { endpoint: "tiny", model: "tiny-2013-06-01", served: "tiny-2013-06-01-served", calls: models.calls },
    ]);
    assert.ok(usage.input_tokens > 1000 && usage.cost > 0 && usage.retries === 0);
    assert.deepEqual([models.retries, models.failed, models.retried], [{}, {}, []]);
  });

  it("429, 500, resets, cut and malformed replies are tried again: evidence says what and why, the result is the same", async () => {
    const faults: readonly ServerFault[] = [
      { kind: "raw", status: 429, body: "{}", headers: { "retry-after": "0" } },
      { kind: "raw", status: 500, body: `{"error":{"message":"broken, ${KEY}"}}` },
      { kind: "reset" },
      { kind: "cut" },
      { kind: "raw", status: 200, body: '{"choices": [' },
    ];
    fault = (n) => (n % 5 === 4 ? (faults[Math.floor(n / 5) % faults.length] as ServerFault) : null);
    const ran = await run(backtest("faulty", "--concurrency", "1"));
    const requests = server.bodies.length - first;
    fault = () => null;
    assert.equal(ran.status, 0, ran.stderr);
    assert.equal(lastLine(ran).result_digest, clean);
    const { models } = evidenceOf("faulty");
    const tried = Object.values(models.retries).reduce((sum, one) => sum + one, 0);
    assert.ok(tried >= 5, `${tried} were tried again`);
    assert.equal(models.calls + tried, requests);
    assert.deepEqual(Object.keys(models.retries).sort(), ["malformed_output", "rate_limit", "transport"]);
    const inEntries = linesOf("faulty").flatMap((entry) => (entry["retries"] as object[] | undefined) ?? []);
    assert.equal(inEntries.length, tried);
    assert.ok(models.retried.length > 0);
  });

  it("its key is in no file of a run, in no word and in no error, though the endpoint repeats it everywhere", async () => {
    let said = 0;
    fault = (n, _request, authorization) => {
      assert.equal(authorization, `Bearer ${KEY}`);
      said++;
      const body = JSON.stringify({ error: { message: `wrong: ${authorization}`, code: KEY } });
      return n % 3 === 0
        ? { kind: "raw", status: 500, body }
        : n % 7 === 0
          ? { kind: "raw", status: 400, body }
          : null;
    };
    const ran = await run(backtest("marked"));
    assert.ok(said > 0);
    fault = (_n, _request, authorization) => ({
      kind: "raw",
      status: 401,
      body: `{"error":{"message":"${authorization}"}}`,
    });
    const refused = await run(backtest("unauthorized"));
    fault = () => null;
    assert.equal(refused.status, 3, "no case is burnt: the run can be resumed with another key");
    assert.match(refused.stderr, /stopped after 0 of 12 trajectories: .*401/);
    const texts = [...textsOf(workspace), ran.stdout, ran.stderr, refused.stdout, refused.stderr];
    assert.ok(
      texts.some((text) => text.includes("[redacted]")),
      "the endpoint did repeat it",
    );
    assertNone(
      texts,
      (text) =>
        text.includes("MARK-7c41b2d09e") || text.includes(Buffer.from(KEY).toString("base64").slice(0, 12)),
    );
    const resumed = await run(backtest("unauthorized", "--resume"));
    assert.equal(resumed.status, 0, resumed.stderr);
  });

  it("without its key, or below the cost that it may have, nothing is begun", async () => {
    const missing = await run(backtest("keyless"), { key: null });
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /^CredentialMissing: .*TINY_KEY/m);
    const told = ["backtest", ...cases, "--reader", "http:told", "--profile", "careful", "--out", "dear"];
    const asked = await run(told);
    assert.equal(asked.status, 2);
    assert.match(
      asked.stderr,
      /^expected of the whole run: about 36 model calls, about 600000 tokens in, about 1200 tokens out, cost 1.21 USD$/m,
    );
    assert.match(asked.stderr, /^CostUnconfirmed: .*1.21 USD.*1/m);
    assert.equal(server.bodies.length - first, 0);
    assertNone(fs.readdirSync(workspace), (name) => name === "keyless" || name === "dear");
    const yes = await run(
      [...told, "--yes", "--limit", "1"].filter(
        (word, i, all) => !(word === "12" || (word === "--limit" && all[i + 1] === "12")),
      ),
    );
    assert.equal(yes.status, 0, yes.stderr);
  });

  it("killed and resumed, no recorded answer is asked for again; the result is the same", async () => {
    delayMs = 30;
    const killed = await run(backtest("killed"), {
      until: async (kill) => {
        const journal = path.join(workspace, "killed", "journal.jsonl");
        const answers = () =>
          fs.existsSync(journal) ? fs.readFileSync(journal, "utf8").split('"kind":"answer"').length - 1 : 0;
        while (answers() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
        kill();
      },
    });
    delayMs = 0;
    assert.equal(killed.status, null);
    const recorded = linesOf("killed", "journal.jsonl").flatMap((entry) =>
      entry.kind === "answer" ? [entry.case] : [],
    );
    assert.ok(recorded.length >= 4 && recorded.length < 12);
    const resumed = await run(backtest("killed", "--resume"));
    assert.equal(resumed.status, 0, resumed.stderr);
    const again = new Set(
      server.bodies.slice(first).map((body) => /Horizon: (\d{4}-\d\d-\d\d)/.exec(body)?.[1]),
    );
    assert.equal(again.size, 12 - recorded.length);
    assertNone(recorded, (id) => again.has(id.slice("rain-".length)));
    assert.equal(lastLine(resumed).result_digest, clean);
  });

  it("a budget that is reached ends with status 3, and another one goes on from there", async () => {
    const words = (profile: string, ...more: string[]) =>
      backtest("poor", "--concurrency", "1", ...more).map((word) => (word === "tiny" ? profile : word));
    const stopped = await run(words("poor"));
    assert.equal(stopped.status, 3);
    assert.match(stopped.stderr, /stopped after \d+ of 12 trajectories: budget of 9 model calls: 9 spent/);
    assert.match(stopped.stderr, /^hint: raise `budget` in the profile, then go on with .*--resume/m);
    assert.equal(server.bodies.length - first, 9);
    const went = await run(words("tiny", "--resume"));
    assert.equal(went.status, 0, went.stderr);
    assert.equal(blindcast(["replay", "poor"]).status, 5);
  });
});

/** One case on the 15th of each month of 2024, over a table of the days before. */
function monthly(): void {
  const days = [...Array(700).keys()].map((i) =>
    new Date(Date.UTC(2023, 0, 1 + i)).toISOString().slice(0, 10),
  );
  const months = [...Array(12).keys()].map((i) => `2024-${String(i + 1).padStart(2, "0")}`);
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const files = {
    "caseset.yaml": `name: monthly
kind: forecast
time_zone: UTC
profile: default
tables:
  readings:
    rows: {file: readings.csv}
    key: [date]
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
`,
    "readings.csv": `date,value\n${days.map((day, i) => `${day},${(i * 37) % 101}\n`).join("")}`,
    "cases.jsonl": lines(
      months.map((month) => ({
        id: `above-${month}`,
        kind: "forecast",
        question: `Above 50 on ${month}-15?`,
        freeze: `${month}-15T00:00:00Z`,
        reads: ["readings"],
        resolution: { statement: "value > 50", vintage: "first", at: `${month}-16T00:00:00Z` },
        label_interval: [`${month}-15T00:00:00Z`, `${month}-16T00:00:00Z`],
        answer: "probability",
      })),
    ),
    "labels.jsonl": lines(
      months.map((month) => ({
        case: `above-${month}`,
        outcome: 1,
        vintage: "first",
        resolved_at: `${month}-16T00:00:00Z`,
        available_time: `${month}-16T00:00:00Z`,
      })),
    ),
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.join(workspace, "casesets", "monthly"), { recursive: true });
    fs.writeFileSync(path.join(workspace, "casesets", "monthly", name), text);
  }
}

describe("readers.family", () => {
  it("the documented endpoint and profile run a family of public models: each case asks the checkpoint it is routed to", async () => {
    monthly();
    const agents = path.join(repository, "docs", "agents");
    const local = fs.readFileSync(path.join(agents, "local.yaml"), "utf8");
    assert.match(local, /^url: .*$/m);
    fs.writeFileSync(path.join(workspace, "local.yaml"), local.replace(/^url: .*$/m, `url: ${server.url}`));
    fs.copyFileSync(path.join(agents, "local-model.yaml"), path.join(workspace, "local-model.yaml"));
    const asked: string[] = [];
    fault = (_n, request) => {
      asked.push(request.model);
      const probability = { "2": 0.2, "3": 0.3 }[/Llama-(\d)-/.exec(request.model)?.[1] ?? ""] ?? 0.8;
      const text = completionText(request, { calls: [{ name: "answer", args: { probability } }] });
      return { kind: "raw", status: 200, body: text };
    };
    const ran = await run([
      ...["backtest", "monthly", "--profile", "./local-model.yaml"],
      ...["--out", "family", "--json"],
    ]);
    fault = () => null;
    assert.equal(ran.status, 0, ran.stderr);
    const answers = linesOf("family").filter(({ kind }) => kind === "answer");
    const routed = answers.filter(({ arm }) => arm === "routed").map((entry) => entry["probability"]);
    // Cutoffs: Llama 2 ends with July 2023; Llama 3 and 3.1 are finished by their releases, in April and July 2024.
    assert.deepEqual(routed, [...Array(4).fill(0.2), ...Array(3).fill(0.3), ...Array(5).fill(0.8)]);
    const latest = answers.filter(({ arm }) => arm === "latest").map((entry) => entry["probability"]);
    assert.deepEqual(latest, Array(12).fill(0.8));
    assert.equal(new Set(asked).size, 3);
    const { stamp } = JSON.parse(fs.readFileSync(path.join(workspace, "family", "run.json"), "utf8"));
    assert.deepEqual(
      stamp.reader.checkpoints.map(({ snapshot }: { snapshot: string }) => snapshot).sort(),
      [...new Set(asked)].sort(),
    );
    assert.equal(blindcast(["replay", "family"]).status, 5);
  });
});
