/** `judge: http:` by the command line: a model on the loopback scores documents; what it cannot score stays unscored, and counts. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEvery, assertNone } from "../support/all.ts";
import { type ChatRequest, type ChatServer, chatServer, type ServerFault } from "../support/chat-server.ts";
import { keyed } from "../support/northgate.ts";
import { readRun } from "../support/read-run.ts";
import { besides, lastLine, repository, workspace } from "./command-line.ts";

const KEY = "sk-MARK-51d2c07b9a";
const selection = ["northgate-ferries", "--limit", "8"];
const searcher = `module:${path.join(repository, "docs/agents/searcher.mjs")}`;
let server: ChatServer;
let fault: (body: string) => ServerFault | null = () => null;

type Item = {
  readonly document: { readonly ref: string };
  readonly question: string;
  readonly reference_answer: string;
};
const itemOf = ({ messages }: ChatRequest) => JSON.parse(messages.at(-1)?.content as string) as Item;

/** The tier that the key has of the document for the case of the question; of some documents no verdict. */
function judge(request: ChatRequest): string {
  const { document, question } = itemOf(request);
  const id = document.ref.replace("notes#", "");
  if (id.endsWith("7")) return "I would rather not say.";
  if (id.endsWith("9")) return '{"unscored":"inconclusive"}';
  return JSON.stringify({ value: keyed(caseOf.get(question) as string, id).tier, rationale: `key of ${id}` });
}
const caseOf = new Map<string, string>();

before(async () => {
  const lines = fs.readFileSync(path.join(repository, "casesets/northgate-ferries/cases.jsonl"), "utf8");
  for (const line of lines.trim().split("\n")) {
    const { id, question } = JSON.parse(line) as { id: string; question: string };
    caseOf.set(question, id);
  }
  server = await chatServer({
    answer: (request) => ({ content: judge(request) }),
    fault: (_, request) => fault(JSON.stringify(request)),
  });
  const put = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), text);
  };
  const identity = `identity: {pretrain_cutoff: "2029-01:documented", posttrain_cutoff: "2029-03:documented"}`;
  put(
    "profiles/endpoints/bench.yaml",
    `endpoint: bench\nurl: ${server.url}\nmodel: judge-2029-03-01\nkey_variable: JUDGE_KEY\nretries: 4\n${identity}\n`,
  );
  put(
    "profiles/judged.yaml",
    "name: judged\nexecution: none\njudge: http:bench\nleakage: {leak_threshold: 3}\n",
  );
});
after(() => server.close());

const run = (out: string) =>
  besides(["backtest", ...selection, "--reader", searcher, "--profile", "judged", "--out", out, "--json"], {
    JUDGE_KEY: KEY,
  });

describe("a judge behind an endpoint", () => {
  it("scores each document by its replies; what is no verdict is unscored, with the reason; cases fail by what it says", async () => {
    fault = () => null;
    const ran = await run("judged");
    assert.equal(ran.status, 1, ran.stderr);
    const folder = path.join(workspace, "judged");
    const names = fs.readdirSync(folder).filter((each) => fs.statSync(path.join(folder, each)).isFile());
    const { entries } = readRun(
      new Map(names.map((each) => [each, fs.readFileSync(path.join(folder, each))])),
    );
    const judged = entries.flatMap((entry) => (entry.kind === "judge" ? [entry] : []));
    assert.ok(judged.length >= 60);
    assertEvery(judged, ({ args, value, reason, case: id }) => {
      const document = (args as { ref: string }).ref.replace("notes#", "");
      if (document.endsWith("7")) return value === null && reason === "invalid_reply";
      if (document.endsWith("9")) return value === null && reason === "inconclusive";
      return value === keyed(id, document).tier && reason === `key of ${document}`;
    });
    const { documents } = (lastLine(ran) as unknown as { leakage: { documents: Record<string, never> } })
      .leakage;
    const unscored = judged.filter(({ value }) => value === null).length;
    assert.ok(unscored > 0);
    assert.deepEqual([documents["documents"], documents["unscored"]], [judged.length, unscored]);
  });

  it("is told the question and what was known of the subject, and nothing of the outcome", () => {
    const items = server.bodies.map((body) => itemOf(JSON.parse(body) as ChatRequest));
    assertEvery(
      items,
      ({ question, reference_answer: known }) => caseOf.has(question) && /by 20\d\d-/.test(known),
    );
    assert.ok(
      items.some(({ reference_answer: known }) => /"status":"(opened|delayed|promised|planned)/.test(known)),
    );
    assertNone(server.bodies, (body) => /"outcome"|resolved_at|"label"/.test(body));
  });

  it("gives the same result where its endpoint fails on the way", async () => {
    const { result_digest: expected } = lastLine(await run("again"));
    let n = 0;
    const failed = new Set<string>();
    const faultOf = (): ServerFault | null => {
      if (n % 7 === 0) return { kind: "raw", status: 429, body: "{}", headers: { "retry-after": "0.01" } };
      if (n % 11 === 0) return { kind: "reset" };
      return n % 13 === 0 ? { kind: "cut" } : null;
    };
    // Each question fails once at most: in whatever order they come, none is out of tries.
    fault = (body) => {
      n++;
      const found = failed.has(body) ? null : faultOf();
      if (found !== null) failed.add(body);
      return found;
    };
    const troubled = await run("troubled");
    fault = () => null;
    assert.equal(lastLine(troubled).result_digest, expected, troubled.stderr);
    const { judges } = JSON.parse(
      fs.readFileSync(path.join(workspace, "troubled/report.json"), "utf8"),
    ).evidence;
    assert.ok(judges.retries.rate_limit > 0 && judges.retries.transport > 0);
  });

  it("is not called by a replay, which takes its verdicts from its replies; its key is nowhere", async () => {
    const { result_digest: expected } = lastLine(await run("kept"));
    const asked = server.bodies.length;
    const replayed = await besides(["replay", "kept", "--json"], {});
    assert.equal(replayed.status, 5, replayed.stdout + replayed.stderr);
    assert.equal(lastLine(replayed).result_digest, expected);
    assert.equal(server.bodies.length, asked);
    assert.ok(
      server.authorizations.some((one) => one.includes(KEY)),
      "the key was used",
    );
    const files = fs
      .readdirSync(workspace, { recursive: true, encoding: "utf8" })
      .filter((name) => fs.statSync(path.join(workspace, name)).isFile());
    assertNone(files, (name) => fs.readFileSync(path.join(workspace, name)).includes(KEY));
  });

  it("without its key, offline, or without cutoffs it is refused before anything is spent", async () => {
    const words = ["backtest", ...selection, "--reader", searcher, "--profile", "judged", "--out", "none"];
    const missing = await besides(words, {});
    assert.deepEqual([missing.status, missing.stderr.split(":")[0]], [2, "CredentialMissing"]);
    const offline = await besides([...words, "--offline"], { JUDGE_KEY: KEY });
    assert.match(
      offline.stderr,
      /^ArgumentInvalid: --offline: .*judge: http:bench in profiles\/judged\.yaml/m,
    );
    assert.equal(fs.existsSync(path.join(workspace, "none")), false);
  });
});
