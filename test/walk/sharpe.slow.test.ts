/** Clause walk: `sharpe` on a table of return series: real ones against numpy and scipy, its one line, its words, what it refuses. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { shared } from "../core/refused.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { nearly } from "./answers.ts";
import { blindcast, lastLine, type Ran, repository, workspace } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

type Row = {
  name: string;
  state: string;
  sharpe: number | null;
  skewness: number | null;
  kurtosis: number | null;
  psr: number | null;
  dsr: number | null;
};
type Sharpe = {
  periods: number;
  trials: Row[];
  n_trials: number;
  n_ratios: number;
  variance: number | null;
  sr0: number | null;
  best: {
    name: string;
    dsr: number | null;
    dsr_state: string;
    min_trl: number | null;
    min_trl_state: string;
  };
  pbo: { state: string; pbo: number | null; zero_logits: number | null; combinations: number | null };
  effective_trials: { by_average_correlation: number; mean_correlation: number; by_clusters: number };
};

let made = 0;
function lay(text: string): string {
  const folder = path.join(workspace, "returns", String(made++));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "returns.csv"), text);
  return folder;
}
const sharpe = (folder: string, ...words: readonly string[]): Ran =>
  warm(["sharpe", "returns.csv", ...words], { cwd: folder });
/** The same in one process, one after the other. */
const inTurn = (...runs: readonly (readonly [folder: string, words: readonly string[]])[]) =>
  manyRuns(runs.map(([cwd, words]) => ({ words: ["sharpe", "returns.csv", ...words], cwd })));

function sharpeJson(folder: string, ...words: readonly string[]): Sharpe {
  const ran = sharpe(folder, ...words, "--json");
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout.trimEnd().split("\n").length, 1, "one line");
  return lastLine<Sharpe>(ran);
}

/** Returns of a file of prices, day by day, as a table. */
function returnsOf(t: TestContext, name: string): string | undefined {
  const text = shared(t, `data/prices/skfolio/${name}`);
  if (text === undefined) return undefined;
  const [head, ...lines] = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(","));
  const rows = lines
    .slice(1)
    .map((cells, i) =>
      cells
        .map((cell, c) => (c === 0 ? cell : String(Number(cell) / Number((lines[i] as string[])[c]) - 1)))
        .join(","),
    );
  assert.ok(rows.length > 2000);
  return lay(`${(head as string[]).join(",")}\n${rows.join("\n")}\n`);
}

describe("trial-ledger: Sharpe inference on real returns", () => {
  it("five factor funds, 2,263 days: every figure as numpy and scipy have it", (t) => {
    const folder = returnsOf(t, "factors_dataset.csv");
    if (folder === undefined) return;
    const found = sharpeJson(folder, "--blocks", "8");
    assert.deepEqual([found.periods, found.n_trials, found.n_ratios], [2263, 5, 5]);
    // numpy 2.4.6, scipy 1.17.1: mean/std(ddof=1), skew, kurtosis(fisher=False), norm.
    const expected = [
      ["MTUM", 0.04123084644261996, -0.4359407810103176, 13.591378823782465, 0.9737177456445572],
      ["QUAL", 0.03797651492816614, -0.2677623361376621, 15.436414652667082, 0.9634700013723388],
      ["SIZE", 0.03698881143377114, -0.9051696022431813, 22.38497661263888, 0.9576807068912515],
      ["USMV", 0.04597385719710376, -0.5999264220726888, 22.34807273996462, 0.9840336791590706],
      ["VLUE", 0.02872826572492108, -0.6550000588599211, 18.306788250344468, 0.9116983727275383],
    ] as const;
    for (const [i, [name, ratio, skewness, kurtosis, psr]] of expected.entries()) {
      const row = found.trials[i] as Row;
      assert.deepEqual([row.name, row.state], [name, "ok"]);
      nearly(row.sharpe, ratio, 1e-12);
      nearly(row.skewness, skewness, 1e-10);
      nearly(row.kurtosis, kurtosis, 1e-9);
      nearly(row.psr, psr, 1e-11);
    }
    nearly(found.variance, 4.021187265646464e-5, 1e-15);
    nearly(found.sr0, 0.007562576306240088, 1e-12);
    assert.equal(found.best.name, "USMV");
    nearly(found.best.dsr, 0.9634626969925313, 1e-11);
    nearly(found.best.min_trl, 1330.8117537759226, 1e-7);
    nearly(found.pbo.pbo, 50 / 70, 1e-12);
    assert.deepEqual([found.pbo.zero_logits, found.pbo.combinations], [8, 70]);
    nearly(found.effective_trials.mean_correlation, 0.8758039174499068, 1e-11);
    nearly(found.effective_trials.by_average_correlation, 1.4967843302003727, 1e-10);
    assert.equal(found.effective_trials.by_clusters, 1, "five funds of one market");
  });

  it("twenty shares over 33 years: the text fits a terminal, and says units, N, V and that N is a lower bound", (t) => {
    const folder = returnsOf(t, "sp500_dataset.csv");
    if (folder === undefined) return;
    const ran = sharpe(folder, "--periods-per-year", "252", "--plot", "pictures");
    assert.equal(ran.status, 0, ran.stderr);
    assertNone(ran.stdout.split("\n"), (line) => [...line].length > 80);
    const said = ran.stdout.replace(/\s+/g, " ");
    for (const part of [
      "8312 periods, 1990-01-03 to 2022-12-28, of 20 trials",
      "UNH stands out",
      "20 trials, 20 of them with a ratio",
      "kurtosis is plain, 3 for a normal",
      "N is a lower bound",
      "12870 halvings",
    ])
      assert.ok(said.includes(part), `${part} in ${said}`);
    assert.match(ran.stderr, /picture: .*sharpe\.svg/);
    const svg = fs.readFileSync(path.join(folder, "pictures/sharpe.svg"), "utf8");
    assert.equal(svg.split("<circle").length, 21);
  });
});

const two =
  "day,a,b,flat\n2024-01-01,.01,.02,0\n2024-01-02,.02,-.01,0\n2024-01-03,-.03,.01,0\n2024-01-04,.04,.03,0\n";

describe("one table", () => {
  it("the line has exactly these keys in this order, and nothing else is on stdout", () => {
    const folder = lay(two);
    const words = ["--blocks", "2", "--periods-per-year", "252", "--json"];
    const ran = sharpe(folder, ...words);
    const alone = blindcast(["sharpe", "returns.csv", ...words], { cwd: folder });
    assert.deepEqual(alone, ran, "same inputs, same bytes, in a process of its own too");
    const found = lastLine<Sharpe>(ran);
    assert.equal(ran.stdout, `${JSON.stringify(found)}\n`);
    assert.deepEqual(Object.keys(found), [
      "first",
      "last",
      "known_at",
      "units",
      "compared",
      "periods",
      "trials",
      "n_trials",
      "n_ratios",
      "variance",
      "variance_floor",
      "sr0",
      "best",
      "min_backtest",
      "pbo",
      "effective_trials",
    ]);
    assert.deepEqual(Object.keys(found.trials[0] as Row), [
      "name",
      "state",
      "compared",
      "periods",
      "sharpe",
      "error",
      "sharpe_per_year",
      "skewness",
      "kurtosis",
      "psr",
      "dsr",
      "p",
      "p_holm",
      "p_bh",
      "repeats",
      "spread",
    ]);
    assert.deepEqual(Object.keys(found.best), [
      "name",
      "sharpe",
      "periods",
      "psr",
      "dsr",
      "dsr_state",
      "min_trl",
      "min_trl_state",
      "min_trl_deflated",
      "min_trl_deflated_state",
    ]);
    const [, , flat] = found.trials;
    assert.deepEqual([flat?.state, flat?.sharpe, found.n_trials, found.n_ratios], ["constant", null, 3, 2]);
    assert.match(ran.stderr, /4 periods, 2024-01-01 to 2024-01-04, of 3 trials/);
  });

  it("one trial has SR0 0; one row has no ratio, and says so; neither is an error", () => {
    const row = lay("d,a,b\n2024-01-01,1,2\n");
    const losing = lay("d,a\n2024-01-01,-.01\n2024-01-02,-.02\n2024-01-03,.001\n");
    const [alone, short, plotted] = inTurn([losing, ["--json"]], [row, ["--json"]], [row, ["--plot", "p"]]);
    const one = lastLine<Sharpe>(alone as Ran);
    assert.deepEqual([one.n_trials, one.sr0, one.variance, one.pbo.state], [1, 0, null, "too-few-trials"]);
    assert.ok((one.best.dsr as number) < 0.2, "a losing strategy is not made sure by being alone");
    const none = lastLine<Sharpe>(short as Ran);
    assert.deepEqual(
      none.trials.map(({ state, sharpe: ratio }) => [state, ratio]),
      [
        ["too-few", null],
        ["too-few", null],
      ],
    );
    assert.deepEqual([none.best, none.sr0], [null, null]);
    assert.deepEqual([plotted?.status, fs.existsSync(path.join(row, "p"))], [0, false]);
    assert.match(plotted?.stdout ?? "", /No trial has a ratio/);
    assert.match(plotted?.stderr ?? "", /no picture: no trial has a ratio/);
  });

  it("a benchmark is per period: PSR and the track record are against it, the DSR is not", () => {
    const folder = lay(two);
    const benchmarks = [[], ["--benchmark", "2"], ["--benchmark", "-.5"]];
    const ran = inTurn(...benchmarks.map((words) => [folder, [...words, "--json"]] as const));
    const [plain, high, low] = ran.map((one) => lastLine<Sharpe>(one)) as [Sharpe, Sharpe, Sharpe];
    assert.ok((high.trials[0]?.psr as number) < (plain.trials[0]?.psr as number));
    assert.deepEqual([high.best.dsr, low.best.dsr], [plain.best.dsr, plain.best.dsr]);
    assert.deepEqual(
      [high.best.min_trl, high.best.min_trl_state, plain.best.min_trl_state],
      [null, "infinite", "ok"],
    );
    assert.ok((low.best.min_trl as number) < (plain.best.min_trl as number));
  });

  const faults: readonly (readonly [string, readonly string[], RegExp, string, readonly string[]])[] = [
    [
      "day,a\n2024-01-01,\n",
      [],
      /^CellInvalid: returns\.csv:2: column a: "" is not a number/,
      "day,a\n2024-01-01,0\n",
      [],
    ],
    [
      "day,a\n2024-01-01,1\n2024-01-01,1\n",
      [],
      /^CellInvalid: returns\.csv:3: column day: "2024-01-01" is not later than 2024-01-01/,
      "day,a\n2024-01-01,1\n2024-01-02,1\n",
      [],
    ],
    [two, ["--blocks", "3"], /^ArgumentInvalid: --blocks: .*"3".*an even number/, two, ["--blocks", "4"]],
    [two, ["--blocks", "22"], /^ArgumentInvalid: --blocks: .*from 2 to 20/, two, ["--blocks", "20"]],
    [
      two,
      ["--benchmark", "1e9"],
      /^ArgumentInvalid: --benchmark: .*a Sharpe ratio per period/,
      two,
      ["--benchmark", "1e-9"],
    ],
    [
      two,
      ["--periods-per-year", "0"],
      /^ArgumentInvalid: --periods-per-year/,
      two,
      ["--periods-per-year", "1"],
    ],
  ];
  it("refused with their line or flag; the nearest neighbours are not", () => {
    const runs = faults.flatMap(([bad, badWords, , good, goodWords]) => [
      { words: ["sharpe", "returns.csv", ...badWords], cwd: lay(bad) },
      { words: ["sharpe", "returns.csv", ...goodWords], cwd: lay(good) },
    ]);
    const ran = manyRuns(runs);
    assert.equal(ran.length, 2 * faults.length);
    for (const [i, [, , said]] of faults.entries()) {
      const [refused, accepted] = ran.slice(2 * i) as [Ran, Ran];
      assert.deepEqual([refused.status, refused.stdout], [2, ""], String(said));
      assert.match(refused.stderr, said);
      assert.equal(accepted.status, 0, accepted.stderr);
    }
  });

  it("a file that is not there, or of another kind, is refused by its name; --help says the flags", () => {
    const [missing, other, help] = manyRuns([
      { words: ["sharpe", "nowhere.csv"] },
      { words: ["sharpe", "nowhere.txt"] },
      { words: ["sharpe", "--help"] },
    ]);
    assert.match(missing?.stderr ?? "", /^FileUnreadable: nowhere\.csv/);
    assert.match(other?.stderr ?? "", /^FieldInvalid: nowhere\.txt/);
    const said = (help?.stdout ?? "").replace(/\s+/g, " ");
    assert.match(said, /--blocks into how many blocks PBO cuts the rows: even \(default 16\)/);
  });
});

describe("docs/sharpe", () => {
  const docs = path.join(repository, "docs/sharpe");

  it("make.mjs makes the table again, byte for byte, and the picture is the one that the command makes", () => {
    const folder = path.join(workspace, "dice");
    execFileSync(process.execPath, [path.join(docs, "make.mjs"), "--out", folder]);
    assert.deepEqual(fs.readdirSync(folder), ["returns.csv"]);
    assert.ok(
      fs
        .readFileSync(path.join(folder, "returns.csv"))
        .equals(fs.readFileSync(path.join(docs, "returns.csv"))),
    );
    assert.equal(sharpe(folder, "--periods-per-year", "12", "--plot", "pictures").status, 0);
    assert.equal(
      fs.readFileSync(path.join(folder, "pictures/sharpe.svg"), "utf8"),
      fs.readFileSync(path.join(docs, "sharpe.svg"), "utf8"),
      "copy the new one: npm run build, then the command of docs/sharpe.md",
    );
  });

  it("says what the docs say: the best die has .97 by itself, and .61 as the best of twenty", () => {
    const found = sharpeJson(lay(fs.readFileSync(path.join(docs, "returns.csv"), "utf8")));
    assert.equal(found.best.name, "rule-06");
    const best = found.trials.find(({ name }) => name === "rule-06") as Row;
    nearly(best.psr, 0.97, 5e-3);
    nearly(best.dsr, 0.61, 5e-3);
    assertEvery(found.trials, ({ dsr }) => (dsr as number) < 0.95);
  });
});
