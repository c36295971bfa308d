/** The committed ledger of sixty trials on sp500-timing: whole, of the grid that made it, and worth what others compute. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { nodeHashing } from "../../src/core/digest.ts";
import { parseTrialRows } from "../../src/ledger/trial-chain.ts";
import { trialsOf } from "../../src/ledger/trial-ledger.ts";
import { deflateLedger } from "../../src/profile/ledger-deflation.ts";
import { repository } from "../core/refused.ts";

const file = path.join(repository, "ledgers/trials/sp500-timing.jsonl");
const ledger = parseTrialRows(fs.readFileSync(file, "utf8"), "sp500-timing.jsonl", nodeHashing.sha256);
const trials = trialsOf(ledger.rows);
const paramsOf = ({ config }: { config: unknown }) =>
  (config as { reader: { params: Record<string, number | string> } }).reader.params;
const returnsOf = ({ measures }: { measures: unknown }) => (measures as { returns: number[] }).returns;
const ofRule = (params: object) => {
  const words = (of: object) => Object.entries(of).map(String).sort().join(" ");
  const found = trials.find((trial) => words(paramsOf(trial)) === words(params));
  assert.ok(found !== undefined, JSON.stringify(params));
  return found;
};

describe("sixty trials of sp500-timing", () => {
  it("are the grid's, each once, over all 230 months, and all of them ended", async () => {
    const made = path.join(repository, "docs/agents/timer-grid.mjs");
    const { grid } = (await import(made)) as { grid: Record<string, number | string>[] };
    assert.equal(grid.length, 60);
    assert.ok(new Set(grid.map(({ rule }) => rule)).size >= 6);
    assert.deepEqual(
      trials.map((trial) => Object.entries(paramsOf(trial)).map(String).sort()),
      grid.map((params) => Object.entries(params).map(String).sort()),
    );
    assert.equal(new Set(trials.map(({ identity }) => identity)).size, 60);
    for (const trial of trials) {
      assert.equal(trial.state, "ended");
      assert.equal(returnsOf(trial).length, 230);
    }
  });

  it("buying and holding earns what the index did, month by month, from closes alone", () => {
    const csv = path.join(repository, "node_modules/vega-datasets/data/sp500-2000.csv");
    const lines = fs.readFileSync(csv, "utf8").trim().split("\n").slice(1);
    const closes = new Map<string, number>();
    for (const line of lines) {
      const cells = line.split(",");
      closes.set((cells[0] as string).slice(0, 7), Number(cells[4])); // the last one of a month stays
    }
    const months = [...closes.keys()].sort();
    const first = months.indexOf("2001-02");
    const own = returnsOf(ofRule({ rule: "hold" }));
    // The first month pays for the purchase and misses the night before it.
    for (let i = 1; i < 230; i++) {
      const [before, at] = [months[first + i - 1] as string, months[first + i] as string];
      const expected = (closes.get(at) as number) / (closes.get(before) as number) - 1;
      assert.ok(Math.abs((own[i] as number) - expected) < 1e-9, `${at}: ${own[i]}, ${expected}`);
    }
    assert.equal(months[first + 229], "2020-03");
  });

  it("has the returns of the committed run of the same rule, made apart from it", () => {
    const report = JSON.parse(
      fs.readFileSync(path.join(repository, "replay/sp500-timer/report.json"), "utf8"),
    );
    const [routed] = report.result.decisions.slices.all.arms.routed;
    const ours = routed.returns.map(([, value]: [string, number]) => value);
    assert.equal(ours.length, 12);
    assert.deepEqual(returnsOf(ofRule({ rule: "volatility", days: 20, target: 12 })).slice(0, 12), ours);
  });

  it("trial-ledger: what the best is worth after sixty tries, as a program in another language computes it", () => {
    // numpy and statistics.NormalDist, from the rows' returns; ties of PBO to ten digits, the first of them.
    const {
      n_trials,
      n_ratios,
      variance,
      sr0,
      best,
      pbo,
      effective_trials: effective,
    } = deflateLedger(ledger);
    const near = (found: number | null | undefined, expected: number) =>
      assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-9, `${found}, ${expected}`);
    assert.deepEqual([n_trials, n_ratios, best?.name], [60, 60, "12 timer months=8 rule=average"]);
    near(variance, 0.0033968774681179753);
    near(sr0, 0.13669270105416276);
    near(best?.sharpe, 0.23827468047887995);
    near(best?.psr, 0.9995660640495978);
    near(best?.dsr, 0.9221577258956654);
    near(pbo.pbo, 0.3578865578865579);
    near(pbo.loss_probability, 0.05656565656565657);
    near(effective.mean_correlation, 0.6530340811353512);
    near(effective.by_average_correlation, 21.470989213014278);
  });

  it("is told so in docs/decisions.md", () => {
    const { best, sr0, pbo, effective_trials: effective, trials: all } = deflateLedger(ledger);
    const told = fs.readFileSync(path.join(repository, "docs/decisions.md"), "utf8");
    const hold = all.find(({ name }) => name === "0 timer rule=hold");
    for (const words of [
      `${best?.sharpe.toFixed(4)} a month, ${((best?.sharpe as number) * Math.sqrt(12)).toFixed(3)} a year`,
      `nothing else had been tried | ${best?.psr?.toFixed(4)} |`,
      `(SR0) | ${sr0?.toFixed(4)} a month`,
      `(DSR) | ${best?.dsr?.toFixed(4)}: not shown`,
      `| buying and holding | ${hold?.sharpe?.toFixed(4)} a month |`,
      `in ${(100 * (pbo.pbo as number)).toFixed(1)} % of 12,870 halvings`,
      `mean correlation of ${effective.mean_correlation?.toFixed(3)} | ${effective.by_average_correlation?.toFixed(1)} |`,
    ])
      assert.ok(told.includes(words), words);
  });
});
