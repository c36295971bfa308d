/** Agents of docs/agents, as somebody would bring them: each answers as the built-in reader whose definition it computes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import ts from "typescript";
import { assertEvery } from "../support/all.ts";
import { environment, main, repository, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const agents = path.join(repository, "docs", "agents");
/** More than a page of rows is visible by then. */
const cases = ["--filter", "id=rain-2015-11-1*", "--limit", "3"];
const one = "rain-2015-11-10";
const python = spawnSync("python3", ["--version"]).status === 0;
const withoutPython =
  process.env["BLINDCAST_CI"] === undefined && !python ? "python3 is not here: its agent was not run" : false;

type Entry = { readonly kind: string; readonly case: string; readonly [key: string]: unknown };
function entriesOf(out: string): Entry[] {
  const text = fs.readFileSync(path.join(workspace, out, "entries.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
const answersOf = (out: string) => entriesOf(out).filter(({ kind }) => kind === "answer");

function backtest(reader: string, out: string, ...more: string[]): Entry[] {
  const ran = warm(["backtest", "seattle-rain", "--reader", reader, ...cases, "--out", out, ...more]);
  assert.equal(ran.status, 0, ran.stderr);
  return answersOf(out);
}
const builtIn = backtest("persistence", "built-in");

function assertSame(found: readonly Entry[]): void {
  assert.equal(found.length, 3);
  assertEvery(found, (entry, i) => {
    const expected = builtIn[i];
    const apart = (entry["probability"] as number) - (expected?.["probability"] as number);
    return entry.case === expected?.case && Math.abs(apart) <= 1e-12;
  });
}

describe("agents.example", () => {
  it("Python, as a process", { skip: withoutPython }, () => {
    const reader = `exec:python3 '${path.join(agents, "persistence.py")}'`;
    assertSame(backtest(reader, "python", "--profile", path.join(agents, "persistence.yaml")));
    const calls = entriesOf("python").filter(({ kind }) => kind === "tool");
    assert.equal(calls.length, 6, "it pages past the limit of a reply");
  });

  it("TypeScript, as a module", () => {
    const source = fs.readFileSync(path.join(agents, "persistence.mts"), "utf8");
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    const compiled = path.join(workspace, "persistence.mjs"); // as a Node that does not strip types needs it
    fs.writeFileSync(compiled, ts.transpileModule(source, { compilerOptions: options }).outputText);
    assertSame(backtest(`module:${compiled}`, "module"));
  });

  it("over the Model Context Protocol, one case a session", () => {
    const serve = ["serve", "seattle-rain", "--case", one, "--out", "mcp"];
    const words = [main, ...serve, "--profile", path.join(agents, "mcp-client.yaml")];
    const ran = spawnSync(
      process.execPath,
      [path.join(agents, "mcp-client.mjs"), process.execPath, ...words],
      { cwd: workspace, env: environment, encoding: "utf8" },
    );
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stderr, /^verdict: green$/m);
    const [found] = answersOf("mcp");
    const expected = builtIn.find((entry) => entry.case === one);
    assert.ok(Math.abs((found?.["probability"] as number) - (expected?.["probability"] as number)) <= 1e-12);
    assert.equal(entriesOf("mcp").filter(({ kind }) => kind === "tool").length, 2);
    assert.equal(warm(["replay", "mcp"]).status, 5, "every score follows; nobody signed it");
  });
});

describe("serve", () => {
  const profile = path.join(agents, "mcp-client.yaml");
  const transport = (out: string, ...more: string[]) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [main, "serve", "seattle-rain", "--case", one, "--profile", profile, "--out", out, ...more],
      cwd: workspace,
      env: environment as Record<string, string>,
      stderr: "pipe",
    });

  it("a client that tries the protocol's versions in a process of its own leaves no run of that", async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport("probed"));
    assert.equal(client.getProtocolEra?.(), "modern");
    assert.equal(fs.existsSync(path.join(workspace, "probed")), false, "nothing is begun before a call");
    await client.callTool({ name: "answer", arguments: { probability: 0.5 } });
    assert.equal(answersOf("probed").length, 1, "the answer is heard once the run is written");
    assert.ok(fs.existsSync(path.join(workspace, "probed", "report.json")));
    await client.close();
  });

  it("a client that leaves after a call leaves a case that was not answered", async () => {
    const client = new Client({ name: "test", version: "1" });
    const wire = transport("left");
    const ended = new Promise<void>((resolve) => wire.stderr?.on("end", resolve));
    let words = "";
    wire.stderr?.on("data", (piece) => {
      words += piece;
    });
    await client.connect(wire);
    await client.callTool({ name: "question" });
    await client.close();
    await ended;
    const [fault] = entriesOf("left").filter(({ kind }) => kind === "fault");
    assert.equal(fault?.["class"], "transport");
    assert.match(words, /^run folder: /m);
  });

  it("what would be refused by backtest is refused, and stdout stays the protocol's", () => {
    const words = ["serve", "seattle-rain", "--case", "rain-1914", "--profile", profile, "--out", "refused"];
    const ran = warm(words);
    assert.equal(ran.status, 2);
    assert.equal(ran.stdout, "");
    assert.match(ran.stderr, /^SelectionEmpty: /);
    const gone = warm([...words.slice(0, 3), one, ...words.slice(4)]);
    assert.equal(gone.status, 2, "nobody is at the other end");
    assert.match(gone.stderr, /^ReaderUnavailable: serve: /);
    assert.equal(fs.existsSync(path.join(workspace, "refused")), false);
    const incomplete = warm(["serve", "seattle-rain", "--case", one]);
    assert.equal(incomplete.status, 2);
    assert.match(incomplete.stderr, /^ArgumentInvalid: .*out/);
  });
});
