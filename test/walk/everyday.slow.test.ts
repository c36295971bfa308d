/** What a new user does by hand: mistyped words, `| head`, files beside the package, profiles that name what is not there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { assertNone } from "../support/all.ts";
import { environment, main, repository, temporaryFolder } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};

describe("words that the parser does not know", () => {
  const faults: readonly (readonly [words: string, line: RegExp, hint: RegExp])[] = [
    ["sharpe", /^ArgumentInvalid: command line: "sharpe" given, expected sharpe <returns>$/, /sharpe --help/],
    ["split a.csv --fold 3", /"--fold" given, expected a flag of split: .*--folds/, /did you mean --folds\?/],
    ["split a.csv b.csv", /"b\.csv" given, expected no word after split <intervals> but flags$/, /--help/],
    ["ledger", /expected ledger <action> \[ledger\]$/, /ledger --help/],
    ["splt a.csv", /expected a verb first: backtest, .*split, verify$/, /^hint: blindcast split$/],
    ["serve seattle-rain", /^ArgumentInvalid: --case: "" given, expected a value$/, /serve --help/],
  ];
  it("are refused in the form of the house, with the word that was meant", () => {
    const ran = manyRuns(faults.map(([words]) => ({ words: words.split(" "), cwd: folder })));
    for (const [i, [words, line, hint]] of faults.entries()) {
      const lines = ran[i]?.stderr.trimEnd().split("\n") ?? [];
      assert.deepEqual([ran[i]?.status, lines.length], [2, 2], `${words}: ${ran[i]?.stderr}`);
      assert.match(lines[0] as string, line);
      assert.match(lines[1] as string, hint);
    }
  });
});

describe("a reader of stdout that goes", () => {
  const ids = Array.from({ length: 3000 }, (_, i) => `case-${i},${i},${i + 1}`);
  const headless = async (words: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...words], { cwd: folder, env: environment });
    let stderr = "";
    child.stderr.on("data", (piece) => {
      stderr += piece;
    });
    child.stdout.destroy();
    const [status] = (await once(child, "close")) as [number | null];
    return { status, stderr };
  };
  it("ends the process without a word, as SIGPIPE would; where it stays, the same words are green", async () => {
    write("many.csv", `id,t0,t1\n${ids.join("\n")}\n`);
    const split = ["split", "many.csv", "--folds", "5"];
    for (const words of [split, [...split, "--json"], ["doctor"], ["ledger", "list"]]) {
      assert.deepEqual(await headless(words), { status: 141, stderr: "" }, words.join(" "));
      assert.equal(warm(words, { cwd: folder }).status, 0);
    }
  });
});

describe("a ledger's file", () => {
  const HARBOUR = "docs/ledger/harbour.jsonl";
  it("is the one that was named, though the workspace has one of the same name as one of the package", () => {
    fs.mkdirSync(path.join(folder, path.dirname(HARBOUR)), { recursive: true });
    write(HARBOUR, "not a ledger\n");
    const named = path.join(repository, HARBOUR);
    const ran = warm(["ledger", "verify", named, "--json"], { cwd: folder });
    assert.equal(ran.status, 0, ran.stderr);
    const found = JSON.parse(ran.stdout);
    assert.deepEqual([found.verdict, found.place, found.trials], ["verified", named, 8]);
    const own = warm(["ledger", "verify", HARBOUR], { cwd: folder });
    assert.equal(own.status, 1, "and the other by its own name");
  });

  it("is shown in lines of 80 columns, with every run", () => {
    const named = path.join(repository, HARBOUR);
    const text = warm(["ledger", "show", named], { cwd: folder }).stdout;
    assertNone(text.split("\n"), (line) => line.length > 80);
    const { trials } = JSON.parse(warm(["ledger", "show", named, "--json"], { cwd: folder }).stdout);
    assert.equal(trials.length, 8);
    for (const { run, start, at } of trials)
      assert.match(text, new RegExp(`^ +${start} +${at} .*\\n +run ${run}$`, "m"));
  });
});

describe("a table of prices", () => {
  it("is doubted on stderr, and its returns are not", () => {
    const days = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, "0")}`);
    const table = (of: (i: number) => number) =>
      `day,a,b\n${days.map((day, i) => `${day},${of(i)},${Math.sin(i)}`).join("\n")}\n`;
    write(
      "prices.csv",
      table((i) => 100 + 5 * Math.sin(i)),
    );
    write(
      "returns.csv",
      table((i) => Math.sin(5 * i) / 100),
    );
    const ran = manyRuns(
      ["prices.csv", "returns.csv"].map((name) => ({ words: ["sharpe", name, "--json"], cwd: folder })),
    );
    assert.deepEqual(
      ran.map(({ status }) => status),
      [0, 0],
    );
    assert.match(ran[0]?.stderr ?? "", /^warning: prices\.csv: 1 column looks like prices, not returns: a$/m);
    assert.doesNotMatch(ran[1]?.stderr ?? "", /warning/);
  });
});

describe("a profile of decisions that names what is not there", () => {
  const good = `name: mine
execution:
  component: next-available-price
  prices: {table: index, columns: [open, close]}
  costs: {}
returns: {per: month}
`;
  const faults: readonly (readonly [from: string, to: string, line: RegExp, hint?: RegExp])[] = [
    [
      "table: index",
      "table: indx",
      /^TableUnknown: mine\.yaml:4:12: execution\.prices\.table: no table "indx"/,
    ],
    [
      "[open, close]",
      "[open, shut]",
      /^ColumnUnknown: mine\.yaml:4:42: execution\.prices\.columns\.1: column shut/,
    ],
    [
      "[open, close]",
      "[close, open]",
      /^FieldInvalid: mine\.yaml:4:26: execution\.prices\.columns: close, open/,
    ],
    ["returns: {per: month}", "", /^KeyMissing: mine\.yaml:1:1: returns: /, /per: month/],
    [
      good.slice(good.indexOf("execution")),
      "execution: none\n",
      /^EvalExecutionUndeclared: mine\.yaml:2:1: /,
      /next-available-price/,
    ],
  ];
  const doctor = { words: ["doctor", "sp500-timing", "--profile", "mine.yaml", "--json"] };
  for (const [from, to, line, hint] of faults)
    it(`is refused by its line and key: ${line.source}`, () => {
      write("mine.yaml", good.replace(from, to));
      const { refusals } = JSON.parse(warm(doctor.words, { cwd: folder }).stdout);
      assert.equal(refusals.length, 1, JSON.stringify(refusals));
      assert.match(refusals[0].message, line);
      if (hint !== undefined) assert.match(refusals[0].hint, hint);
    });

  it("and the one that names what is there is accepted; a period of another length is doubted", () => {
    write("mine.yaml", good);
    assert.equal(warm(doctor.words, { cwd: folder }).status, 0);
    const backtest = (per: string) => {
      write("mine.yaml", good.replace("per: month", `per: ${per}`));
      const agent = path.join(repository, "docs/agents/timer.mjs");
      const words = [
        "--reader",
        `module:${agent}`,
        "--param",
        "rule=hold",
        "--limit",
        "3",
        "--profile",
        "mine.yaml",
      ];
      return warm(["backtest", "sp500-timing", ...words, "--out", `run-${per}`], { cwd: folder });
    };
    fs.mkdirSync(path.join(folder, "ledgers"), { recursive: true });
    assert.doesNotMatch(backtest("month").stderr, /warning/);
    fs.rmSync(path.join(folder, "ledgers"), { recursive: true });
    fs.mkdirSync(path.join(folder, "ledgers"));
    assert.match(backtest("day").stderr, /^warning: mine\.yaml:6:11: returns\.per is day, .* 31 days/m);
  });
});
