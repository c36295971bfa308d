/** `exec:` and `module:` by the command line: killed and resumed, replayed with the module and with another. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { assertEvery, assertNone } from "../support/all.ts";
import { environment, lastLine, main, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const put = (name: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
  fs.writeFileSync(path.join(workspace, name), text);
};
const identity =
  "identity: {name: last-day, snapshot: none, pretrain_cutoff: none, posttrain_cutoff: none, prompt_digest: none, uses_tools: true}";
put("agent.yaml", `name: agent\nexecution: none\nreader_files: [agent.mjs]\n${identity}\n`);
put("module.yaml", `name: module\nexecution: none\nreader_files: [agent.mjs]\n${identity}\n`);
/** Answers by the last day's rain, slowly; each question that it hears goes into a file. */
put(
  "agent.mjs",
  `import * as fs from "node:fs";
import { createInterface } from "node:readline";
let id, repeat;
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "hello") say({ type: "identity" });
  if (message.type === "ask") {
    ({ id, repeat } = message);
    fs.appendFileSync("asked.txt", message.id + "\\n");
    say({ type: "call", call_id: "1", tool: "rows", args: { table: "weather", order: ["-date"], limit: 1 } });
  }
  if (message.type === "reply") {
    await new Promise((resolve) => setTimeout(resolve, 100));
    say({ type: "answer", id, repeat, probability: message.rows[0].body.precipitation > 0 ? 0.7 : 0.3 });
  }
  if (message.type === "bye") process.exit(0);
}
`,
);
const module = (wet: number) =>
  `export const reader = {
  identity: {},
  async answer(asked, tools) {
    const { rows } = await tools.call("rows", { table: "weather", order: ["-date"], limit: 1 });
    return { kind: "answer", probability: rows[0].body.precipitation > 0 ? ${wet} : 0.3, usage: null };
  },
};
`;
put("last-day.mjs", module(0.7));
put("other/last-day.mjs", module(0.8));

const cases = ["seattle-rain", "--filter", "id=rain-2014-01-*", "--limit", "10"];
const exec = (out: string, ...more: string[]) => [
  ...["backtest", ...cases, "--reader", `exec:"${process.execPath}" agent.mjs`, "--profile", "agent.yaml"],
  ...["--concurrency", "2", "--out", out, "--json", ...more],
];
const asked = () => fs.readFileSync(path.join(workspace, "asked.txt"), "utf8").trimEnd().split("\n");
const recorded = (out: string, name: string) => {
  const text = fs.readFileSync(path.join(workspace, out, name), "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n")).split("\n");
  return lines.map((line) => JSON.parse(line) as { kind: string; case: string; probability?: number });
};
const answersOf = (out: string, name = "entries.jsonl") =>
  recorded(out, name).flatMap((entry) => (entry.kind === "answer" ? [entry] : []));

describe("readers.exec", () => {
  it("killed and resumed, no recorded answer is asked for again; the result is that of a run that was left alone", async () => {
    const whole = warm(exec("whole"));
    assert.equal(whole.status, 0, whole.stderr);
    fs.rmSync(path.join(workspace, "asked.txt"));
    const child = spawn(process.execPath, [main, ...exec("killed")], { cwd: workspace, env: environment });
    const journal = path.join(workspace, "killed", "journal.jsonl");
    const answers = () =>
      fs.existsSync(journal) ? fs.readFileSync(journal, "utf8").split('"kind":"answer"').length - 1 : 0;
    while (answers() < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    const kept = answersOf("killed", "journal.jsonl").map((entry) => entry.case);
    assert.ok(kept.length >= 3 && kept.length < 10);
    fs.rmSync(path.join(workspace, "asked.txt"));
    const resumed = warm(exec("killed", "--resume"));
    assert.equal(resumed.status, 0, resumed.stderr);
    assertNone(asked(), (id) => kept.includes(id));
    assert.equal(asked().length, 10 - kept.length);
    assert.equal(lastLine(resumed).result_digest, lastLine(whole).result_digest);
    const replayed = warm(["replay", "killed", "--json"]);
    assert.deepEqual(lastLine<{ arms: object }>(replayed).arms, { routed: "re-scored" });
  });

  it("another command is another reader, whatever it says of itself: a resumed run is refused", () => {
    const words = exec("whole", "--resume").map((word) => word.replace("agent.mjs", "./agent.mjs"));
    const ran = warm(words);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /^ResumeMismatch: .*files\.artifacts/m);
    assert.equal(warm(exec("whole", "--resume")).status, 0);
  });

  it("a file of the reader that changes makes another trial: a resumed run is refused", () => {
    fs.appendFileSync(path.join(workspace, "agent.mjs"), "// changed\n");
    const ran = warm(exec("killed", "--resume"));
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /^ResumeMismatch: .*stamp\.reader\.files\.agent\.mjs/m);
  });
});

describe("readers.module", () => {
  const words = ["backtest", ...cases, "--reader", "module:last-day.mjs", "--profile", "module.yaml"];

  it("is executed again by a replay that is given it; without it, its answers are scored as they stand", () => {
    const ran = warm([...words, "--out", "module", "--json"]);
    assert.equal(ran.status, 0, ran.stderr);
    const [found, expected] = [answersOf("module"), answersOf("whole")];
    assertEvery(found, (entry, i) => entry.probability === expected[i]?.probability);
    const replay = (...more: string[]) => warm(["replay", "module", "--json", ...more]);
    const arms = (one: ReturnType<typeof replay>) => lastLine<{ arms: object }>(one).arms;
    assert.deepEqual(arms(replay()), { routed: "re-scored" });
    const again = replay("--module", "last-day.mjs");
    assert.equal(again.status, 5, again.stderr);
    assert.deepEqual(arms(again), { routed: "re-executed" });
    assert.equal(lastLine<{ result_digest: string }>(again).result_digest, lastLine(ran).result_digest);
  });

  it("is not executed again from another file: status 2, which says nothing against the run", () => {
    const ran = warm(["replay", "module", "--module", "other/last-day.mjs"]);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /^ReaderFileMismatch: --module: .*sha256:[0-9a-f]{64}.*sha256:[0-9a-f]{64}/m);
    const exec = warm(["replay", "whole", "--module", "last-day.mjs"]);
    assert.equal(exec.status, 2);
    assert.match(exec.stderr, /^ReaderFileMismatch: .*a reader that is exec\nhint: leave the file out/m);
  });
});

describe("process: shared", () => {
  it("one process answers one case after another, and the stamp says so", () => {
    put("shared.yaml", "name: shared\nextends: agent.yaml\nprocess: shared\n");
    const words = exec("shared").map((word) => (word === "agent.yaml" ? "./shared.yaml" : word));
    const ran = warm(words);
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual(
      answersOf("shared").map(({ probability }) => probability),
      answersOf("whole").map(({ probability }) => probability),
    );
    const { stamp } = JSON.parse(fs.readFileSync(path.join(workspace, "shared", "run.json"), "utf8"));
    assert.equal(stamp.process, "shared");
  });
});
