/** Published values of the Sharpe ratio's inference, and the wrong ones that other systems ship. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalCdf } from "../../src/stats/normal.ts";
import {
  deflationBar,
  expectedMaximum,
  minimumBacktestYears,
  minimumTrackRecord,
  probabilisticSharpe,
  returnFigures,
  sharpeError,
} from "../../src/stats/sharpe.ts";
import { shared } from "../core/refused.ts";
import { close, within } from "./close.ts";
import { oracle } from "./oracle.ts";

const NORMAL = { skewness: 0, kurtosis: 3 };
const root = Math.sqrt;

/** Ratio 2.5 a year over 1,250 days of 250 a year, the trials' variance 0.5 a year. */
const DAYS = { sharpe: 2.5 / root(250), periods: 1250, skewness: -3, kurtosis: 10 };
const dsr = (trials: number, of = DAYS) => probabilisticSharpe(of, deflationBar(trials, 0.5 / 250));

/** PerformanceAnalytics' hedge fund: 2 against 1 a year, monthly. */
const FUND = { sharpe: 2 / root(12), skewness: -0.72, kurtosis: 5.78 };
const AGAINST = 1 / root(12);
const HFR1 = { sharpe: 0.7079, skewness: -0.225, kurtosis: 2.957 };
const HFR2 = { sharpe: 0.8183, skewness: -1.4455, kurtosis: 7.0497 };
const YEAR24 = { periods: 24, skewness: -2.448, kurtosis: 10.164 };
const MLF = { ...NORMAL, sharpe: 1.14, periods: 250 };
const MLF_TRIALS = [3.5, 1.01, 1.02];

const yearsNormal = (perYear: number) =>
  minimumTrackRecord({ ...NORMAL, sharpe: 2 / root(perYear) }, 1 / root(perYear), 0.95) / perYear;

function variance(values: readonly number[], ddof: number): number {
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  return values.reduce((total, value) => total + (value - mean) * (value - mean), 0) / (values.length - ddof);
}

const mlf = (ddof: number) => probabilisticSharpe(MLF, deflationBar(3, variance(MLF_TRIALS, ddof)));

/** Each row of known_answers.json but for those of the splits, as we compute it. */
const ours: Record<string, () => number> = {
  ...Object.fromEntries(
    [2, 3, 5, 7, 10, 46, 50, 88, 100, 1000, 1_000_000].map((n) => [`emax_${n}`, () => expectedMaximum(n)]),
  ),
  emax_45_5y: () => expectedMaximum(45) / root(5),
  minbtl_45: () => minimumBacktestYears(45, 1),
  minbtl_10: () => minimumBacktestYears(10, 1),
  dsr_sr0_N100: () => deflationBar(100, 0.5 / 250),
  dsr_N100: () => dsr(100),
  dsr_N46: () => dsr(46),
  dsr_N88_normal: () => dsr(88, { ...DAYS, ...NORMAL }),
  psr_n24_nonnormal: () => probabilisticSharpe({ ...YEAR24, sharpe: 1.585 / root(12) }, 0),
  psr_n24_sr0458_nonnormal: () => probabilisticSharpe({ ...YEAR24, sharpe: 0.458 }, 0),
  psr_n24_sr0458_normal: () => probabilisticSharpe({ ...YEAR24, ...NORMAL, sharpe: 0.458 }, 0),
  sesr_hfr1: () => sharpeError({ ...HFR1, periods: 134 }),
  sesr_hfr2: () => sharpeError({ ...HFR2, periods: 134 }),
  mintrl_hfr1_years: () => minimumTrackRecord(HFR1, 0, 0.95) / 12,
  mintrl_hfr2_years: () => minimumTrackRecord(HFR2, 0, 0.95) / 12,
  mintrl_normal_daily250_years: () => yearsNormal(250),
  mintrl_normal_weekly_years: () => yearsNormal(52),
  mintrl_normal_monthly_years: () => yearsNormal(12),
  mintrl_hf_months: () => minimumTrackRecord(FUND, AGAINST, 0.95),
  mintrl_hf_years: () => minimumTrackRecord(FUND, AGAINST, 0.95) / 12,
  psr_hf_n59: () => probabilisticSharpe({ ...FUND, periods: 59 }, AGAINST),
  psr_hf_n60: () => probabilisticSharpe({ ...FUND, periods: 60 }, AGAINST),
  psr_hf_n59_PA_default: () => probabilisticSharpe({ ...FUND, kurtosis: 3, periods: 59 }, AGAINST),
  psr_hf_n59_excess_bug: () => probabilisticSharpe({ ...FUND, kurtosis: 2.78, periods: 59 }, AGAINST),
  "mintrl_sr3_vs_2.5_years": () =>
    minimumTrackRecord({ ...FUND, sharpe: 3 / root(12) }, 2.5 / root(12), 0.95) / 12,
  mlf_psr: () => probabilisticSharpe(MLF, 1),
  mlf_dsr_ddof0: () => mlf(0),
  mlf_dsr_ddof1: () => mlf(1),
  mlf_mintrl: () => minimumTrackRecord(MLF, 1, 0.95),
};

type Row = {
  id: string;
  published: number | null;
  recomputed: number;
  tol: number;
  agrees: boolean | null;
};

test("known answers: each row is the recomputed one, and the published one only where they agree", (t) => {
  const text = shared(t, "reference/known_answers.json");
  if (text === undefined) return;
  const rows = (JSON.parse(text) as Row[]).filter(({ id }) => !id.startsWith("cpcv_"));
  assert.deepEqual(rows.map(({ id }) => id).sort(), Object.keys(ours).sort());
  for (const { id, published, recomputed, tol, agrees } of rows) {
    const value = ours[id]!();
    // The reference takes Φ⁻¹ of a rounded 1 − 1/N: 2e-12 off at a million.
    close(value, recomputed, id === "emax_1000000" ? 3e-12 : 1e-12, id);
    if (agrees === true) within(value, published!, tol, id);
    if (agrees === false) assert.ok(Math.abs(value - published!) > 100 * tol, `${id}: ${value}`);
  }
  assert.ok(rows.some(({ agrees }) => agrees === false));
});

test("known answers: what spec chapter 52 prints", () => {
  close(expectedMaximum(100), 2.530602893202, 1e-12);
  within(deflationBar(100, 0.5 / 250), 0.113172001865, 1e-12);
  within(dsr(100), 0.900396834449, 1e-12);
  within(dsr(46), 0.950501706876, 1e-12);
  within(probabilisticSharpe({ ...YEAR24, sharpe: 1.585 / root(12) }, 0), 0.913234306885, 1e-12);
  close(ours["mintrl_sr3_vs_2.5_years"]!(), 27.3529201960403, 1e-13);
});

/** PSR as the formula stands, with whatever is put into it. */
function formula(
  of: { sharpe: number; periods: number; skewness: number; kurtosis: number },
  benchmark: number,
) {
  const { sharpe, periods, skewness, kurtosis } = of;
  const scale = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  return normalCdf(((sharpe - benchmark) * root(periods - 1)) / root(scale));
}

test("not our answer: an excess kurtosis in the plain one's place", () => {
  const of = { ...YEAR24, sharpe: 0.458 };
  within(formula({ ...of, kurtosis: of.kurtosis - 3 }, 0), 0.9199721597125101, 1e-12);
  within(probabilisticSharpe(of, 0), 0.913361083860933, 1e-12);
});

test("not our answer: the inverse of the variance", () => {
  within(root(1 / (0.5 * 250)) * expectedMaximum(100), 0.22634400373026428, 1e-14);
  within(deflationBar(100, 0.5 / 250), 0.11317200186513214, 1e-15);
  // With that, a noisier search had a lower bar.
  assert.ok(root(1 / (8 * 250)) < root(1 / (0.5 * 250)));
  assert.ok(deflationBar(100, 8 / 250) > deflationBar(100, 0.5 / 250));
});

test("not our answer: a ratio of a year with the periods in days", () => {
  const yearly = { ...DAYS, sharpe: 2.5 };
  within(formula(yearly, root(0.5) * expectedMaximum(100)), 0.99999994, 5e-9);
  within(dsr(100), 0.9003968344493903, 1e-12);
});

test("not our answer: one trial that is deflated to certainty", () => {
  const losing = { ...NORMAL, sharpe: -0.05, periods: 250 };
  // jstat's Φ⁻¹(0) is a finite number, so the formula's −∞ is one too.
  const lowest = oracle.normal.inv(0, 0, 1);
  assert.ok(Number.isFinite(lowest) && lowest < -100);
  const atOne =
    (1 - 0.5772156649015329) * lowest + 0.5772156649015329 * oracle.normal.inv(1 - 1 / Math.E, 0, 1);
  assert.equal(formula(losing, root(0.01) * atOne), 1);
  assert.equal(deflationBar(1, 0.01), 0);
  assert.equal(probabilisticSharpe(losing, deflationBar(1, 0.01)), probabilisticSharpe(losing, 0));
  assert.ok(probabilisticSharpe(losing, 0) < 0.25);
});

test("not our answer: vectorbt's deflated ratio of its own three columns, .000536 and .000342", () => {
  const prices = [
    [1, 2, 3, 4, 5],
    [5, 4, 3, 2, 1],
    [1, 2, 3, 2, 1],
  ];
  const changes = prices.map((of) => of.slice(1).map((price, i) => price / of[i]! - 1));
  // Its moments are of five rows: the first, which has no change, is taken for 0.
  const { skewness, kurtosis } = returnFigures(Float64Array.of(0, ...changes[2]!));
  for (const [rate, wrong, right] of [
    [0.01, 0.0005355605507117676, 0.0006755241182001485],
    [0.03, 0.0003423112350834066, 0.00041289147113606785],
  ] as const) {
    const sharpes = changes.map((of) => returnFigures(Float64Array.from(of, (x) => x - rate)).sharpe!);
    const bar = deflationBar(3, variance(sharpes, 1));
    const of = { sharpe: sharpes[2]!, periods: 5, skewness: skewness!, kurtosis: kurtosis! };
    close(formula({ ...of, kurtosis: of.kurtosis - 3 }, bar), wrong, 1e-11);
    close(probabilisticSharpe(of, bar), right, 1e-11);
    assert.throws(() => probabilisticSharpe({ ...of, kurtosis: of.kurtosis - 3 }, bar), RangeError);
  }
});
