/** Every example of README and docs is run: what a newcomer copies works as it stands. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { caseOnDisk, parseCase } from "../src/caseset/bounded-case.ts";
import { canonical } from "../src/core/canonical.ts";
import { nodeHashing } from "../src/core/digest.ts";
import { parseTrialRows } from "../src/ledger/trial-chain.ts";
import { readMessage } from "../src/model/agent-protocol.ts";
import { loadEndpoint } from "../src/model/endpoint.ts";
import { loadProfile } from "../src/profile/profile.ts";
import { shapeFault } from "../src/replay/entry-shape.ts";
import { assertEvery } from "./support/all.ts";
import { blindcast, repository, temporaryFolder } from "./walk/command-line.ts";
import { warm } from "./walk/many-runs.ts";

type Block = {
  readonly file: string;
  readonly language: string;
  readonly use: string;
  readonly text: string;
};

const folder = temporaryFolder();
for (const name of ["docs/agents", "docs/leakage", "docs/ledger", "docs/sharpe", "docs/splits"])
  fs.cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
after(() => fs.rmSync(folder, { recursive: true }));

const files = ["README.md", ...fs.readdirSync(path.join(repository, "docs")).map((name) => `docs/${name}`)];
const blocks: Block[] = files
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => {
    const text = fs.readFileSync(path.join(repository, file), "utf8");
    return [...text.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map((found) => ({
      file,
      language: found[1] as string,
      use: found[2] ?? "",
      text: found[3] as string,
    }));
  });
const of = (use: string, language?: string) => {
  const found = blocks.filter(
    (block) => block.use === use && (language === undefined || block.language === language),
  );
  assert.ok(found.length > 0, `no block for ${use}`);
  return found;
};
const only = (use: string) => {
  const found = of(use);
  assert.equal(found.length, 1, use);
  return (found[0] as Block).text;
};
/** Files of the repository that a block shows whole, named where its use belongs. */
const shown = blocks.map(({ use }) => use).filter((use) => use.includes("/"));
const words = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map((found) => found[1] ?? (found[2] as string));

describe("examples of README and docs", () => {
  it("each block says how it is run", () => {
    const uses = [
      "setup",
      "run",
      "red",
      "unauthenticated",
      "caseset",
      "river",
      "gauges",
      "case",
      "decision",
      "label",
      "profile",
      "family",
      "entry",
      "leaf",
      "trials",
      "splits",
    ];
    const messages = ["hears", "says", "endpoint", "model"];
    for (const { file, language, use } of blocks)
      assert.ok([...uses, ...messages, ...shown].includes(use), `${file}: a block "${language} ${use}"`);
  });

  it("each file that is shown is the file", () => {
    assert.ok(shown.length >= 6);
    for (const file of shown)
      assert.equal(only(file), fs.readFileSync(path.join(repository, file), "utf8"), file);
  });

  it("messages of an agent are ones that the engine reads, of every type", () => {
    const lines = (use: string) => only(use).trimEnd().split("\n");
    const says = lines("says").map((line) => readMessage(line).type);
    assert.deepEqual(says, ["identity", "call", "call", "answer", "answer", "decline", "fault"]);
    assert.deepEqual(
      lines("hears").map((line) => JSON.parse(line).type),
      ["hello", "ask", "ask", "reply", "reply", "reply", "bye"],
    );
  });

  it("profiles and endpoints of the agents would not be refused", () => {
    const files = shown.filter((file) => file.endsWith(".yaml"));
    const folders = [path.join(repository, "profiles")];
    assertEvery(files, (file) =>
      fs.readFileSync(path.join(repository, file), "utf8").includes("\nendpoint: ")
        ? loadEndpoint(path.join(repository, file), file) !== undefined
        : loadProfile(path.join(repository, file), file, folders) !== undefined,
    );
  });

  /** Each line of a use ends with its status: the first in a process of its own, the others in one. */
  const end = (use: string, status: number) => {
    const lines = of(use, "sh").flatMap((block) => block.text.trim().split("\n"));
    for (const [i, line] of lines.entries()) {
      const [program, ...rest] = words(line);
      assert.equal(program, "blindcast", line);
      const ran = (i === 0 ? blindcast : warm)(rest, { cwd: folder });
      assert.equal(ran.status, status, `${line}\n${ran.stderr}`);
    }
    return lines.length;
  };

  it("commands exit green", () => {
    assert.ok(end("run", 0) >= 4);
  });

  it("commands whose cases fail, as the text says, exit red", () => {
    assert.ok(end("red", 1) >= 2);
  });

  it("replays that nobody vouches for, as the text says, exit with 5", () => {
    assert.ok(end("unauthenticated", 5) >= 1);
  });

  it("the example decision is read, and written again as it stands", () => {
    const disk = JSON.parse(only("decision"));
    const item = parseCase("decision", disk, "decisions.md");
    assert.ok(item !== undefined);
    assert.deepEqual(caseOnDisk(item), disk);
  });

  it("programs run", () => {
    const index = fileURLToPath(new URL("../src/index.js", import.meta.url));
    for (const [i, block] of of("run", "js").entries()) {
      const file = path.join(folder, `example-${i}.mjs`);
      fs.writeFileSync(file, block.text.replace('from "blindcast"', `from "${index}"`));
      const ran = spawnSync(process.execPath, [file], { cwd: repository, encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /^green 0\.\d+\n$/);
    }
  });

  it("the example splits are those of the set that they are run on", () => {
    const declared = fs.readFileSync(path.join(repository, "docs/splits/tides/caseset.yaml"), "utf8");
    assert.ok(declared.endsWith(only("splits")));
  });

  it("set-up commands are the scripts that CI calls", () => {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(repository, "package.json"), "utf8"));
    const ci = fs.readFileSync(path.join(repository, ".ci/run"), "utf8");
    const setups = of("setup").map((block) => block.text.trim());
    assert.equal(setups.length, 2);
    for (const text of setups) {
      const script = /npm (?:run )?(\w+)$/.exec(text)?.[1] as string;
      assert.ok(script in scripts, text);
    }
    assert.ok(ci.includes("npm ci") && ci.includes("npm test"));
  });

  it("the example case set, profile and family would not be refused", () => {
    const set = path.join(folder, "casesets", "example");
    fs.mkdirSync(path.join(set, "tables"), { recursive: true });
    fs.mkdirSync(path.join(folder, "profiles"), { recursive: true });
    fs.writeFileSync(path.join(set, "caseset.yaml"), only("caseset"));
    fs.writeFileSync(path.join(set, "tables", "river.csv"), only("river"));
    fs.writeFileSync(path.join(set, "tables", "gauges.csv"), only("gauges"));
    fs.writeFileSync(path.join(set, "cases.jsonl"), only("case"));
    fs.writeFileSync(path.join(set, "labels.jsonl"), only("label"));
    fs.writeFileSync(path.join(folder, "profiles", "example.yaml"), only("profile"));
    const ran = warm(["doctor", "example", "--profile", "example", "--reader", "climatology"], {
      cwd: folder,
    });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.doesNotMatch(ran.stdout, /warning/);
    const answer = warm(["backtest", "example", "--reader", "climatology", "--out", "runs/example"], {
      cwd: folder,
    });
    assert.equal(answer.status, 0, answer.stderr);
    assert.match(only("family"), /posttrain: "2023-06\.\.2023-10:estimated"/);
  });

  it("the example entry is canonical and has the keys of a recorded one", () => {
    const line = only("entry").trim();
    const example = JSON.parse(line);
    assert.equal(canonical(example), line);
    const recorded = fs
      .readFileSync(path.join(folder, "runs/example/entries.jsonl"), "utf8")
      .split("\n")
      .map((text) => (text === "" ? {} : JSON.parse(text)));
    const tool = recorded.find((entry) => entry.kind === "tool");
    assert.deepEqual(Object.keys(example), Object.keys(tool));
  });

  it("the example rows of a trial ledger are one", () => {
    const { rows } = parseTrialRows(only("trials"), "formats.md", nodeHashing.sha256);
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["start", "end", "start", "fail"],
    );
  });

  it("the example of a model call is an entry as a replay demands it, and the example endpoint would not be refused", () => {
    const line = only("model").trim();
    const entry = JSON.parse(line);
    assert.equal(canonical(entry), line);
    assert.equal(shapeFault(entry), undefined);
    assert.equal(shapeFault({ ...entry, served: 5 })?.field, "served");
    const file = path.join(folder, "example-endpoint.yaml");
    fs.writeFileSync(file, only("endpoint"));
    const endpoint = loadEndpoint(file, "example-endpoint.yaml");
    assert.deepEqual([endpoint?.retries, endpoint?.cost?.currency], [5, "USD"]);
  });
});
