/** What deflation promises, held against ledgers of drawn returns: noise is not believed, and skill is, how often. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { effectiveByClusters, effectiveByCorrelation } from "../../src/stats/effective-trials.ts";
import { mean, standardDeviation } from "../../src/stats/moments.ts";
import { backtestOverfitting } from "../../src/stats/overfitting.ts";
import {
  deflationBar,
  probabilisticSharpe,
  returnFigures,
  type SharpeRatio,
} from "../../src/stats/sharpe.ts";
import { type Draws, draws, percent, share } from "./draws.ts";

const SEED = 52_001;
const PERIODS = 250;
const LEDGERS = 1000;
const BELIEVED = 0.95;

/** Independent normal returns of sd 1, over the last ledger's; the first trial's mean, its true ratio, is `skill`. */
function drawer(draw: Draws, trials: number): (skill?: number) => readonly Float64Array[] {
  const series = Array.from({ length: trials }, () => new Float64Array(PERIODS));
  return (skill = 0) => {
    for (let i = 0; i < trials; i++) {
      const returns = series[i]!;
      const level = i === 0 ? skill : 0;
      for (let t = 0; t < PERIODS; t++) returns[t] = level + draw.normal();
    }
    return series;
  };
}

type Read = {
  /** The best trial's index and ratio. */
  best: number;
  sharpe: number;
  bar: number;
  psr: number;
  dsr: number;
};

function read(series: readonly Float64Array[]): Read {
  const ratios = series.map((returns): SharpeRatio => {
    const { n, sharpe, skewness, kurtosis } = returnFigures(returns);
    return { periods: n, sharpe: sharpe!, skewness: skewness!, kurtosis: kurtosis! };
  });
  const sharpes = ratios.map(({ sharpe }) => sharpe);
  const sd = standardDeviation(sharpes);
  const bar = deflationBar(series.length, sd * sd);
  const sharpe = Math.max(...sharpes);
  const best = sharpes.indexOf(sharpe);
  const psr = probabilisticSharpe(ratios[best]!, 0);
  return { best, sharpe, bar, psr, dsr: probabilisticSharpe(ratios[best]!, bar) };
}

for (const trials of [20, 100]) {
  test(`deflated ratio: of ${LEDGERS} ledgers of ${trials} trials of noise at most 1 % are believed`, (t) => {
    const ledger = drawer(draws(SEED, `noise.${trials}`), trials);
    const runs = Array.from({ length: LEDGERS }, () => read(ledger()));
    const deflated = share(runs, ({ dsr }) => dsr > BELIEVED);
    const plain = share(runs, ({ psr }) => psr > BELIEVED);
    const [best, bar] = [mean(runs.map(({ sharpe }) => sharpe)), mean(runs.map((run) => run.bar))];
    t.diagnostic(
      `seed ${SEED}, ${LEDGERS} ledgers, N ${trials}, T ${PERIODS}: DSR > .95 ${percent(deflated)}, ` +
        `PSR > .95 ${percent(plain)}, best ${best.toFixed(4)}, SR0 ${bar.toFixed(4)}`,
    );
    assert.ok(deflated <= 0.01, `${percent(deflated)}; seed ${SEED}`);
    assert.ok(plain > 0.5, `${percent(plain)}; seed ${SEED}`);
    assert.ok(Math.abs(bar / best - 1) < 0.03, `SR0 ${bar}, best ${best}; seed ${SEED}`);
  });
}

test("deflated ratio: how often one skilled trial among noise is the best and believed", (t) => {
  const ledgers = 100;
  const skills = [0.1, 0.2, 0.3, 0.4];
  for (const trials of [10, 50]) {
    const ledger = drawer(draws(SEED, `skill.${trials}`), trials);
    const power = skills.map((skill) => {
      const runs = Array.from({ length: ledgers }, () => read(ledger(skill)));
      return share(runs, ({ best, dsr }) => best === 0 && dsr > BELIEVED);
    });
    const row = skills.map((skill, i) => `${skill}: ${percent(power[i]!)}`).join(", ");
    t.diagnostic(`seed ${SEED}, ${ledgers} ledgers, N ${trials}, T ${PERIODS}, true ratio a period: ${row}`);
    const [weak, , , strong] = power as [number, number, number, number];
    assert.ok(weak < 0.3, `${row}; seed ${SEED}`);
    assert.ok(strong > 0.9, `${row}; seed ${SEED}`);
    for (let i = 1; i < power.length; i++)
      assert.ok(power[i]! >= power[i - 1]! - 0.05, `${row}; seed ${SEED}`);
  }
});

test("probability of overfitting: about one half of noise, none of skill", (t) => {
  const ledgers = 60;
  const ledger = drawer(draws(SEED, "pbo"), 10);
  const pboOf = (skill: number) =>
    Array.from({ length: ledgers }, () => {
      const found = backtestOverfitting(ledger(skill), 8);
      assert.equal(found.state, "ok");
      return found.state === "ok" ? found.pbo : Number.NaN;
    });
  const [noise, skill] = [mean(pboOf(0)), mean(pboOf(0.4))];
  t.diagnostic(`seed ${SEED}, ${ledgers} ledgers, N 10, T ${PERIODS}, S 8: noise ${noise}, skill ${skill}`);
  assert.ok(Math.abs(noise - 0.5) < 0.1, `noise ${noise}; seed ${SEED}`);
  assert.ok(skill < 0.02, `skill ${skill}; seed ${SEED}`);
});

test("effective trials: noise counts in full; families of copies with a little noise count once each", (t) => {
  const ledger = drawer(draws(SEED, "effective"), 20);
  const byCorrelation = Array.from({ length: 100 }, () => {
    const series = ledger();
    assert.equal(effectiveByClusters(series).effective, 20, `seed ${SEED}`);
    const families = series
      .slice(0, 5)
      .flatMap((base, f) =>
        [0, 1, 2].map((copy) => base.map((value, k) => value + 0.3 * series[5 + 3 * f + copy]![k]!)),
      );
    const { effective, clusters } = effectiveByClusters(families);
    assert.equal(effective, 5, `seed ${SEED}`);
    assert.deepEqual([...clusters], [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    return effectiveByCorrelation(series).effective!;
  });
  const count = mean(byCorrelation);
  t.diagnostic(`seed ${SEED}: 20 trials of noise are ${count.toFixed(2)} by their correlation`);
  assert.ok(count > 19 && count <= 20, `${count}; seed ${SEED}`);
});
