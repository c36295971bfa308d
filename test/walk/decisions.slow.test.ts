/** Decisions by the command line: filled after they were made, counted as trials, replayed whatever was tried since. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { environment, main, repository, temporaryFolder } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const folder = temporaryFolder();
fs.mkdirSync(path.join(folder, "ledgers"));
after(() => fs.rmSync(folder, { recursive: true }));
const agent = `module:${path.join(repository, "docs/agents/timer.mjs")}`;
const rule = ["--param", "rule=volatility", "--param", "days=20", "--param", "target=12"];
const ledger = path.join(folder, "ledgers/trials/sp500-timing.jsonl");
const run = (out: string, ...words: string[]) =>
  warm(["backtest", "sp500-timing", "--reader", agent, "--limit", "6", "--out", out, ...words], {
    cwd: folder,
  });
const rowsOf = () =>
  fs
    .readFileSync(ledger, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const last = (stdout: string) => JSON.parse(stdout.trim().split("\n").at(-1) as string);

const first = run("a", ...rule, "--json");
const report = () => JSON.parse(fs.readFileSync(path.join(folder, "a/report.json"), "utf8"));

describe("decisions", () => {
  it("fill-instant: each order fills at the first open after its horizon, and names row, column and instant", () => {
    assert.equal(first.status, 0, first.stderr);
    const { decisions } = report().result;
    const [own] = decisions.slices.all.arms.routed;
    assert.ok(own.orders.length > 0);
    for (const { decided, available, column, ref } of own.orders) {
      assert.ok(Date.parse(available) > Date.parse(decided), `${ref}: ${available} after ${decided}`);
      assert.ok(Date.parse(available) - Date.parse(decided) < 5 * 86_400_000, "the next trading day's");
      assert.equal(column, "open");
    }
    assert.deepEqual([own.returns.length, own.periods, decisions.units.per], [6, 6, "month"]);
  });

  it("report --plot: what was earned, and the ratio among those known, the same bytes again; a word where there is neither", () => {
    const drawn = (run: string, to: string) => warm(["report", run, "--plot", to], { cwd: folder });
    const told = drawn("a", "pictures");
    assert.equal(told.status, 0, told.stderr);
    assert.match(told.stderr, /picture: pictures\/decisions\.svg\npicture: pictures\/trials\.svg/);
    assert.equal(drawn("a", "again").status, 0);
    for (const name of ["decisions.svg", "trials.svg"]) {
      const [one, other] = ["pictures", "again"].map((to) => fs.readFileSync(path.join(folder, to, name)));
      assert.ok(one?.equals(other as Buffer), name);
      assert.ok(String(one).startsWith("<svg "));
    }
    const bare = path.join(folder, "bare");
    fs.mkdirSync(bare);
    const { result, evidence } = report();
    const without = {
      evidence: { ...evidence, trials: undefined },
      result: { ...result, decisions: { ...result.decisions, slices: {} } },
    };
    fs.writeFileSync(path.join(bare, "report.json"), `${canonical(JSON.parse(JSON.stringify(without)))}\n`);
    const none = drawn("bare", "none");
    assert.match(none.stderr, /no picture: no case was traded/);
    assert.ok(!fs.existsSync(path.join(folder, "none")));
  });

  it("execution-component: the stamp names the component, its code, its terms and what it read", () => {
    const { execution } = report().result.stamp;
    assert.equal(execution.component, "next-available-price");
    for (const key of ["code", "prices", "exits"]) assert.match(execution[key], /^sha256:[0-9a-f]{64}$/, key);
    assert.ok(fs.existsSync(path.join(folder, "a/artifacts", execution.prices.slice("sha256:".length))));
    const none = warm(
      [
        "backtest",
        "sp500-timing",
        "--reader",
        agent,
        "--profile",
        "default",
        "--limit",
        "1",
        "--out",
        "none",
      ],
      { cwd: folder },
    );
    assert.equal(none.status, 2);
    assert.match(none.stderr, /EvalExecutionUndeclared/);
  });

  it("seed-repeats: declared repeats are one trial, another seed another", () => {
    const before = rowsOf().length;
    const repeated = run("b", ...rule, "--repeats", "2", "--json");
    assert.equal(repeated.status, 0, repeated.stderr);
    assert.equal(last(repeated.stdout).trials.figures.n_trials, 2);
    const reseeded = run("c", ...rule, "--seed", "7", "--json");
    assert.equal(last(reseeded.stdout).trials.figures.n_trials, 3);
    const added = rowsOf().slice(before);
    assert.deepEqual(
      added.map(({ kind, repeats, seed }) => [kind, repeats, seed]),
      [
        ["start", 2, 1],
        ["end", undefined, undefined],
        ["start", 1, 7],
        ["end", undefined, undefined],
      ],
    );
    assert.equal(added[1].measures.repeats.length, 2);
    const [one, , other] = [rowsOf()[0], added[0], added[2]];
    assert.equal(other.identity, one.identity, "the same but for the seed");
  });

  it("trial-ledger: a report replayed after 50 further trials has the same digests, and both deflations are told", () => {
    const replay = () => warm(["replay", "a", "--json"], { cwd: folder });
    const before = last(replay().stdout);
    appendTrials(50);
    const verified = warm(["ledger", "verify", "sp500-timing", "--json"], { cwd: folder });
    assert.equal(verified.status, 0, verified.stdout);
    const later = replay();
    assert.equal(later.status, 5, later.stderr);
    const { result_digest, report_digest, trials } = last(later.stdout);
    assert.deepEqual([result_digest, report_digest], [before.result_digest, before.report_digest]);
    assert.deepEqual([trials.state, trials.closed.n_trials, trials.today.n_trials], ["later", 1, 53]);
    assert.equal(trials.closed.sr0, 0);
    assert.ok(trials.today.sr0 > 0 && trials.today.dsr < trials.closed.dsr);
    const text = warm(["replay", "a"], { cwd: folder }).stdout;
    assert.match(text, /deflated then {2}1 trial known at row 1: /);
    assert.match(text, /deflated now {3}53 trials known at row 105: /);
    const deflated = last(warm(["ledger", "deflate", "sp500-timing", "--json"], { cwd: folder }).stdout);
    assert.equal(deflated.sr0, trials.today.sr0);
  });

  it("trial-ledger: a row edited by hand is named, and no run goes on a ledger that is broken", () => {
    const text = fs.readFileSync(ledger, "utf8");
    fs.writeFileSync(ledger, text.replace('"periods":6', '"periods":9'));
    const verified = warm(["ledger", "verify", "sp500-timing"], { cwd: folder });
    assert.equal(verified.status, 1);
    assert.match(verified.stdout + verified.stderr, /TrialLedgerBroken.*sp500-timing\.jsonl:[23]\b/);
    const refused = run("d", "--param", "rule=hold");
    assert.equal(refused.status, 2, refused.stderr);
    assert.match(refused.stderr, /TrialLedgerBroken/);
    assert.ok(!fs.existsSync(path.join(folder, "d")), "nothing half-written");
    fs.writeFileSync(ledger, text);
  });

  it("trial-ledger: no run begins anew on a ledger that was cut, or taken away: the audit log knows its rows", () => {
    const text = fs.readFileSync(ledger, "utf8");
    const [cut, away] = [`${text.split("\n").slice(0, 4).join("\n")}\n`, null];
    for (const left of [cut, away]) {
      if (left === null) fs.rmSync(ledger);
      else fs.writeFileSync(ledger, left);
      const refused = run("d", "--param", "rule=hold");
      assert.equal(refused.status, 2, refused.stderr);
      assert.match(refused.stderr, /TrialLedgerBroken.*leaves\.jsonl:\d+ says/);
      assert.ok(!fs.existsSync(path.join(folder, "d")), "nothing half-written");
      assert.equal(fs.existsSync(ledger) ? fs.readFileSync(ledger, "utf8") : null, left);
    }
    fs.writeFileSync(ledger, text);
    assert.equal(warm(["ledger", "verify", "sp500-timing"], { cwd: folder }).status, 0);
  });

  it("trial-ledger: what a killed run began stays in the count, named as unfinished", async () => {
    const slow = path.join(folder, "slow.mjs");
    fs.writeFileSync(
      slow,
      `export const reader = {
  identity: { name: "slow", snapshot: "none", pretrain_cutoff: "none", posttrain_cutoff: "none", temperature: 0, prompt_digest: "none", uses_tools: false },
  answer: () => new Promise(() => {}),
};
`,
    );
    const before = rowsOf().length;
    const words = [
      "backtest",
      "sp500-timing",
      "--reader",
      `module:${slow}`,
      "--limit",
      "1",
      "--out",
      "killed",
    ];
    const child = spawn(process.execPath, [main, ...words], {
      cwd: folder,
      env: environment,
      stdio: "ignore",
    });
    const gone = once(child, "close");
    while (rowsOf().length === before) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill("SIGKILL");
    await gone;
    const { unfinished } = last(warm(["ledger", "verify", "sp500-timing", "--json"], { cwd: folder }).stdout);
    assert.equal(unfinished.length, 1);
    const shown = warm(["ledger", "deflate", "sp500-timing", "--json"], { cwd: folder });
    assert.equal(last(shown.stdout).n_trials, 54);
  });
});

/** As another program would write it. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(",")}}`;
}

/** As another program would write them: canonical JSON, each row with the digest of the line before. */
function appendTrials(count: number): void {
  const lines = fs.readFileSync(ledger, "utf8").split("\n").slice(0, -1);
  const [start, end] = lines.slice(0, 2).map((line) => JSON.parse(line));
  for (let i = 0; i < count; i++) {
    const run = `01FURTHER0000000000000${String(1000 + i)}`;
    for (const row of [
      { ...start, run, identity: `sha256:${createHash("sha256").update(run).digest("hex")}` },
      { ...end, run, start: lines.length, measures: measures(i, end.measures) },
    ]) {
      const prev = `sha256:${createHash("sha256")
        .update(lines.at(-1) as string)
        .digest("hex")}`;
      const at = row.kind === "end" ? { start: lines.length - 1 } : {};
      lines.push(canonical({ ...row, ...at, prev, row: lines.length }));
    }
  }
  fs.writeFileSync(ledger, `${lines.join("\n")}\n`);
}

const measures = (i: number, { repeats, ...rest }: { repeats: { sharpe: number }[] }) => ({
  ...rest,
  repeats: repeats.map((one) => ({ ...one, sharpe: (i - 25) / 100, series: seriesOf(i) })),
});

const seriesOf = (i: number) => `sha256:${createHash("sha256").update(`series ${i}`).digest("hex")}`;
