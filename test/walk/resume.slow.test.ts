/** `--resume` and `--force` by the command line: what is gone on with, what is refused, what is moved aside. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { environment, lastLine, main, temporaryFolder, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
const out = path.join(folder, "run");
const words = ["backtest", "seattle-rain", "--reader", "persistence", "--limit", "80", "--out", out];
const leaves = () =>
  fs
    .readFileSync(path.join(workspace, "ledgers/audit/unsigned/leaves.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { v: string; run: string });
const evidence = (place: string) =>
  JSON.parse(fs.readFileSync(path.join(place, "report.json"), "utf8")).evidence as {
    run: string;
    replaces: string | null;
    signed: boolean;
  };

/** Stops it after the first entries are on the disk; `meanwhile` it lives, and writes nothing. */
async function interrupted(given = words, meanwhile?: () => void): Promise<string> {
  const child = spawn(process.execPath, [main, ...given], { cwd: workspace, env: environment });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const journal = path.join(given[given.indexOf("--out") + 1] as string, "journal.jsonl");
  for (let i = 0; i < 2000 && !(fs.existsSync(journal) && fs.statSync(journal).size > 0); i++) await wait(5);
  if (meanwhile !== undefined) child.kill("SIGSTOP");
  meanwhile?.();
  child.kill("SIGINT");
  child.kill("SIGCONT");
  assert.equal(await ended, 3, said);
  return said;
}

describe("run.resume", () => {
  it("a run that was stopped is open: it is not replayed, not begun again, and goes on to the whole result", async () => {
    const said = await interrupted();
    assert.match(said, /hint: go on with the same words and --out \S+ --resume/);
    const run = leaves().at(-1)?.run as string;
    assert.equal(leaves().at(-1)?.v, "blindcast.open/1");
    const secret = path.join(workspace, "ledgers/open", run, "secret.json");
    assert.equal(fs.statSync(secret).mode & 0o777, 0o600);
    assert.ok(
      !fs
        .readdirSync(out)
        .some((name) =>
          fs
            .readFileSync(path.join(out, name), "utf8")
            .includes(JSON.parse(fs.readFileSync(secret, "utf8")).secret),
        ),
    );
    const open = warm(["replay", out]);
    assert.equal(open.status, 1);
    assert.match(open.stderr, /^FileUnexpected: .*journal\.jsonl/m);
    const again = warm(words);
    assert.equal(again.status, 2);
    assert.match(again.stderr, /^RunExists: /m);
    assert.match(again.stderr, /--resume/);
    const other = warm([...words, "--resume", "--seed", "5"]);
    assert.equal(other.status, 2);
    assert.match(
      other.stderr,
      /^ResumeMismatch: run\.json: stamp\.seed: 5 given, the run was opened with 1$/m,
    );
    const keyed = { XDG_CONFIG_HOME: path.join(folder, "config") };
    assert.equal(warm(["keys", "new"], { env: keyed }).status, 0);
    // It began without a key: the default key that was made since is none of its own.
    const resumed = warm([...words, "--resume", "--json"], { env: keyed });
    assert.equal(resumed.status, 0, resumed.stderr);
    assert.match(resumed.stderr, new RegExp(`^resuming run ${run}$`, "m"));
    const whole = warm([...words.slice(0, -1), path.join(folder, "whole"), "--json"]);
    assert.equal(lastLine(resumed).result_digest, lastLine(whole).result_digest);
    assert.equal(evidence(out).run, run);
    assert.ok(!fs.existsSync(path.dirname(secret)), "the secret goes when the run closes");
    assert.equal(warm(["replay", out]).status, 5);
  });

  it("a run that is closed gives its report again, of the same configuration alone", () => {
    const before = fs.readFileSync(path.join(out, "close.json"), "utf8");
    const count = leaves().length;
    const again = warm([...words, "--resume", "--json"]);
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stderr, /which was closed already$/m);
    assert.equal(fs.readFileSync(path.join(out, "close.json"), "utf8"), before);
    assert.equal(leaves().length, count);
    const other = warm([...words.map((word) => (word === "persistence" ? "climatology" : word)), "--resume"]);
    assert.equal(other.status, 2);
    assert.match(other.stderr, /^ResumeMismatch: /m);
  });

  it("begins where nothing is, and touches no folder that is no run's", () => {
    const fresh = path.join(folder, "fresh");
    const begun = warm(["backtest", "seattle-rain", "--limit", "3", "--out", fresh, "--resume"]);
    assert.equal(begun.status, 0, begun.stderr);
    assert.match(begun.stderr, /^nothing to resume in /m);
    const thesis = path.join(folder, "thesis");
    fs.mkdirSync(thesis);
    fs.writeFileSync(path.join(thesis, "chapter-1.txt"), "years of work");
    const refused = warm(["backtest", "seattle-rain", "--limit", "3", "--out", thesis, "--resume"]);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /^RunUnknown: .*chapter-1\.txt/m);
    assert.deepEqual(fs.readdirSync(thesis), ["chapter-1.txt"]);
    for (const wrong of [["--resume"], ["--force"], ["--resume", "--force", "--out", fresh]]) {
      const ran = warm(["backtest", "seattle-rain", ...wrong]);
      assert.equal(ran.status, 2);
      assert.match(ran.stderr, /^ArgumentInvalid: --/m);
    }
  });
});

describe("run.locked", () => {
  it("a run that another process is writing is neither resumed nor moved aside", async () => {
    const busy = [...words.slice(0, -1), path.join(folder, "busy")];
    let looked = 0;
    await interrupted(busy, () => {
      for (const flag of ["--resume", "--force"]) {
        const other = warm([...busy, flag]);
        assert.equal(other.status, 2, other.stdout + other.stderr);
        assert.match(other.stderr, /^RunLocked: .*held by process \d+ on this machine$/m);
        looked++;
      }
    });
    assert.equal(looked, 2);
    const after = warm([...busy, "--resume"]);
    assert.equal(after.status, 0, after.stderr);
    assert.equal(warm(["replay", path.join(folder, "busy")]).status, 5);
  });
});

describe("run.force", () => {
  it("moves the run that is there aside, names its open leaf, and the new one says whose place it took", () => {
    const before = evidence(out).run;
    const refused = warm([...words, "--force", "--filter", "id=nothing"]);
    assert.equal(refused.status, 2);
    assert.equal(evidence(out).run, before, "a refused run moves nothing");
    const forced = warm([...words, "--force", "--json"]);
    assert.equal(forced.status, 0, forced.stderr);
    assert.match(
      forced.stderr,
      new RegExp(
        `^run ${before} in .* makes way .* to .*run\\.${before}; its open leaf is leaf \\d+ of `,
        "m",
      ),
    );
    assert.equal(evidence(`${out}.${before}`).run, before);
    assert.equal(evidence(out).replaces, before);
    assert.ok(leaves().some((leaf) => leaf.run === before && leaf.v === "blindcast.open/1"));
    assert.equal(warm(["replay", `${out}.${before}`]).status, 5);
    assert.equal(warm(["replay", out]).status, 5);
  });
});
