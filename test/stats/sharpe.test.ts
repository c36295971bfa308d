import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { round12 } from "../../src/core/round.ts";
import { normalCdf } from "../../src/stats/normal.ts";
import {
  deflationBar,
  expectedMaximum,
  isSteady,
  minimumBacktestYears,
  minimumTrackRecord,
  probabilisticSharpe,
  type ReturnFigures,
  returnFigures,
  type SharpeRatio,
  sharpeError,
  sharpeScale,
  sharpeTail,
} from "../../src/stats/sharpe.ts";
import { close, within } from "./close.ts";
import { oracle } from "./oracle.ts";

type Known = { n: number; mean: number; sd: number; sharpe: number; skewness: number; kurtosis: number };

function ok(figures: ReturnFigures): Known {
  assert.equal(figures.state, "ok");
  return figures as Known;
}

const SERIES = Float64Array.of(0.01, 0.02, -0.03, 0.04, 0.015, 0.06);

const returns = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 })
  .map((values) => Float64Array.from(values));

/** A ratio that some series of returns has: γ₄ ≥ 1 + γ₃². */
const ratio = fc
  .record({
    sharpe: fc.double({ min: -2, max: 2, noNaN: true }),
    periods: fc.integer({ min: 2, max: 5000 }),
    skewness: fc.double({ min: -3, max: 3, noNaN: true }),
    more: fc.double({ min: 0.01, max: 20, noNaN: true }),
  })
  .map(({ more, ...rest }): SharpeRatio => ({ ...rest, kurtosis: 1 + rest.skewness * rest.skewness + more }));

test("returnFigures: the series whose plain kurtosis is 2.478 and whose excess one is −0.522", () => {
  const { n, mean, sd, sharpe, skewness, kurtosis } = ok(returnFigures(SERIES));
  assert.equal(n, 6);
  close(kurtosis, 2.478295867648984, 1e-14);
  close(skewness, -0.33196565256890814, 1e-14);
  // Σx = .115; Σx² = .006825: sd² = (.006825 − .115²/6)/5.
  close(mean, 0.115 / 6, 1e-15);
  close(sd, Math.sqrt((0.006825 - (0.115 * 0.115) / 6) / 5), 1e-14);
  close(sharpe, mean / sd, 1e-15);
});

test("returnFigures: jstat has its two traps, ddof 0 and excess kurtosis, and we have neither", () => {
  const values = [...SERIES];
  const { sd, kurtosis, skewness } = ok(returnFigures(SERIES));
  close(oracle.kurtosis(values) + 3, kurtosis, 1e-13);
  assert.ok(oracle.kurtosis(values) < 0);
  close(oracle.skewness(values), skewness, 1e-13);
  close(oracle.stdev(values, true), sd, 1e-14);
  close(oracle.stdev(values) * Math.sqrt(6 / 5), sd, 1e-14);
  assert.ok(oracle.stdev(values) < 0.92 * sd);
});

test("returnFigures: agree with jstat", () => {
  // Spread out, so that jstat's one pass about its own mean is good enough to compare with.
  const spread = returns.filter((values) => oracle.stdev([...values], true) > 0.05);
  fc.assert(
    fc.property(spread, (values) => {
      const { mean, sd, skewness, kurtosis } = ok(returnFigures(values));
      within(mean, oracle.mean([...values]), 1e-14);
      close(sd, oracle.stdev([...values], true), 1e-12);
      within(skewness, oracle.skewness([...values]), 1e-10 * kurtosis);
      close(kurtosis, oracle.kurtosis([...values]) + 3, 1e-10);
    }),
  );
});

test("returnFigures: neither leverage nor its size moves the ratio; its sign turns ratio and skewness", () => {
  const thousandths = fc
    .array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 40 })
    .map((values) => Float64Array.from(values, (value) => value / 1000))
    .filter((values) => returnFigures(values).state === "ok");
  const size = fc.integer({ min: -290, max: 290 }).map((power) => Number(`1e${power}`));
  fc.assert(
    fc.property(thousandths, size, fc.constantFrom(-1, 1), (values, factor, side) => {
      const one = ok(returnFigures(values));
      const other = ok(returnFigures(values.map((value) => side * factor * value)));
      within(other.sharpe, side * one.sharpe, 1e-9 * (1 + Math.abs(one.sharpe)));
      within(other.skewness, side * one.skewness, 1e-9 * one.kurtosis);
      close(other.kurtosis, one.kurtosis, 1e-9);
      close(other.sd, factor * one.sd, 1e-9);
    }),
  );
});

test("returnFigures: a constant series, one return and none have no ratio, and say which", () => {
  const none = { sharpe: null, skewness: null, kurtosis: null };
  const price = 0.01 - 0.003;
  assert.deepEqual(returnFigures(new Float64Array(3).fill(price)), {
    n: 3,
    mean: price,
    sd: 0,
    ...none,
    state: "constant",
  });
  assert.deepEqual(returnFigures(Float64Array.of(0.5)), {
    n: 1,
    mean: 0.5,
    sd: Number.NaN,
    ...none,
    state: "too-few",
  });
  assert.deepEqual(returnFigures(new Float64Array()), {
    n: 0,
    mean: Number.NaN,
    sd: Number.NaN,
    ...none,
    state: "too-few",
  });
  assert.equal(returnFigures(Float64Array.of(1, 2)).state, "ok");
});

test("returnFigures: cash that earns one rate is constant, though its returns differ in their last bits", () => {
  for (const rate of [0.01, 1e-4, 1e-6]) {
    const prices = [100];
    for (let i = 0; i < 250; i++) prices.push(prices[i]! * (1 + rate));
    const growth = Float64Array.from(prices.slice(1), (price, i) => (price - prices[i]!) / prices[i]!);
    assert.ok(new Set(growth).size > 1);
    assert.equal(returnFigures(growth).state, "constant", `${rate}`);
    assert.equal(returnFigures(growth.with(9, rate * 1.0001)).state, "ok", `${rate}`);
  }
  assert.deepEqual([isSteady(1, 1 + 1e-10), isSteady(-1 - 1e-10, -1), isSteady(0, 0)], [true, true, true]);
  assert.deepEqual([isSteady(1, 1 + 1e-8), isSteady(0, 1e-200), isSteady(-1, 1)], [false, false, false]);
});

test("returnFigures: refuse what is not finite, at its place", () => {
  for (const bad of [Number.NaN, Infinity, -Infinity]) {
    assert.throws(() => returnFigures(Float64Array.of(0.1, bad, 0.2)), /RangeError.*excess\[1\]/);
    assert.throws(() => returnFigures(Float64Array.of(bad)), RangeError);
  }
});

test("sharpeScale: of any returns, 1 − γ₃·SR + (γ₄ − 1)/4·SR² ≥ (1 − γ₃·SR/2)²", () => {
  const anything = fc
    .array(fc.double({ min: -1e300, max: 1e300, noNaN: true }), { minLength: 2, maxLength: 12 })
    .map((values) => Float64Array.from(values));
  const few = fc
    .array(fc.constantFrom(-1, 0, 0.01, 0.011, 1), { minLength: 2, maxLength: 12 })
    .map((values) => Float64Array.from(values));
  const offset = fc
    .tuple(fc.double({ min: -1, max: 1, noNaN: true }), returns)
    .map(([level, values]) => values.map((value) => level + 1e-9 * value));
  fc.assert(
    fc.property(fc.oneof(anything, few, offset, returns), (values) => {
      const figures = returnFigures(values);
      fc.pre(figures.state === "ok");
      const { sharpe, skewness, kurtosis } = ok(figures);
      const lean = skewness * sharpe;
      const tails = ((kurtosis - 1) / 4) * sharpe * sharpe;
      const least = (1 - lean / 2) * (1 - lean / 2);
      const size = 1 + Math.abs(lean) + tails;
      assert.ok(1 - lean + tails >= least - 1e-12 * size, `${1 - lean + tails} against ${least}`);
      assert.ok(sharpeScale(ok(figures)) >= 0);
      // As read back from a report.
      const reported = { sharpe: round12(sharpe), skewness: round12(skewness), kurtosis: round12(kurtosis) };
      assert.ok(sharpeScale(reported) >= 0);
    }),
  );
});

test("sharpeScale: with an excess kurtosis the inequality fails for common series, and it is refused", () => {
  const figures = ok(returnFigures(SERIES));
  assert.ok(sharpeScale(figures) > 0);
  const excess = { ...figures, kurtosis: figures.kurtosis - 3 };
  assert.throws(() => sharpeScale(excess), /RangeError.*kurtosis: expected at least.*plain kurtosis/);
  assert.throws(() => probabilisticSharpe({ ...excess, periods: 6 }, 0), RangeError);
  assert.throws(() => minimumTrackRecord(excess, 0, 0.95), RangeError);
  // A steady one: the figure that stands under the root is below 0.
  const steady = ok(returnFigures(Float64Array.from({ length: 10 }, (_, i) => 10 + (i % 3))));
  const wrong =
    1 - steady.skewness * steady.sharpe + ((steady.kurtosis - 4) / 4) * steady.sharpe * steady.sharpe;
  assert.ok(wrong < 0);
  assert.ok(sharpeScale(steady) > 0);
});

test("sharpeScale: two-valued returns stand on the bound, and are accepted", () => {
  const figures = ok(returnFigures(Float64Array.of(0, 0, 0, 0.1)));
  close(figures.kurtosis, 1 + figures.skewness * figures.skewness, 1e-12);
  // So do they far from 0, where the rounding of the mean is no small part of a deviation.
  for (let n = 3; n < 40; n++) {
    const far = ok(returnFigures(Float64Array.from({ length: n }, (_, i) => 1 / 3 + (i === 1 ? 1e-8 : 0))));
    close(far.kurtosis, 1 + far.skewness * far.skewness, 1e-13, `n ${n}`);
  }
  const root = 1 - (figures.skewness * figures.sharpe) / 2;
  close(sharpeScale(figures), root * root, 1e-12);
});

test("probabilisticSharpe: one half at the ratio itself, falls with the benchmark, rises with the periods", () => {
  const step = fc.double({ min: 1e-6, max: 1, noNaN: true });
  fc.assert(
    fc.property(ratio, step, step, (of, near, more) => {
      fc.pre(sharpeScale(of) >= 1e-12);
      assert.equal(probabilisticSharpe(of, of.sharpe), 0.5);
      const [high, low] = [near, near + more].map((below) => probabilisticSharpe(of, of.sharpe - below));
      assert.ok(0.5 <= high! && high! <= low! && low! <= 1);
      const longer = probabilisticSharpe({ ...of, periods: of.periods + 100 }, of.sharpe - near);
      assert.ok(longer >= high!);
    }),
  );
});

test("sharpeTail: 1 − PSR, down to tails that 1 − PSR cannot say", () => {
  fc.assert(
    fc.property(ratio, fc.double({ min: -2, max: 2, noNaN: true }), (of, benchmark) => {
      fc.pre(sharpeScale(of) >= 1e-12);
      within(sharpeTail(of, benchmark), 1 - probabilisticSharpe(of, benchmark), 1e-15);
    }),
  );
  const strong = { sharpe: 0.5, periods: 1001, skewness: 0, kurtosis: 3 };
  assert.equal(1 - probabilisticSharpe(strong, 0), 0);
  close(sharpeTail(strong, 0), normalCdf((-0.5 * Math.sqrt(1000)) / Math.sqrt(1.125)), 1e-12);
});

test("probabilisticSharpe, sharpeError, minimumTrackRecord: degenerate where γ₃·SR = 2 on the bound", () => {
  const of = { sharpe: 0.5, periods: 100, skewness: 4, kurtosis: 17 };
  assert.equal(sharpeScale(of), 0);
  assert.ok(Number.isNaN(probabilisticSharpe(of, 0)) && Number.isNaN(sharpeTail(of, 0)));
  assert.ok(Number.isNaN(sharpeError(of)) && Number.isNaN(minimumTrackRecord(of, 0, 0.95)));
  const beside = { ...of, kurtosis: 17.0001 };
  assert.ok(probabilisticSharpe(beside, 0) > 0.99 && minimumTrackRecord(beside, 0, 0.95) > 1);
});

test("minimumTrackRecord: at its periods PSR reaches the level, and not before", () => {
  const benchmark = fc.double({ min: -2, max: 2, noNaN: true });
  const level = fc.double({ min: 0.51, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(ratio, benchmark, level, (of, below, wanted) => {
      fc.pre(sharpeScale(of) >= 1e-12);
      const least = minimumTrackRecord(of, below, wanted);
      if (of.sharpe <= below) return assert.equal(least, Infinity);
      const [before, after] = [Math.floor(least), Math.ceil(least)];
      if (after >= 2 && after < 1e15)
        assert.ok(probabilisticSharpe({ ...of, periods: after }, below) >= wanted - 1e-9);
      if (before >= 2 && before < 1e15)
        assert.ok(probabilisticSharpe({ ...of, periods: before }, below) <= wanted + 1e-9);
    }),
  );
  const of = { sharpe: 0.1, skewness: 0, kurtosis: 3 };
  assert.equal(minimumTrackRecord(of, 0.1, 0.95), Infinity);
  assert.deepEqual([minimumTrackRecord(of, 0, 0.5), minimumTrackRecord(of, 0.1, 0.5)], [1, Infinity]);
});

// mpmath 1.3 at 40 digits.
const MAXIMUM = [
  [2, 0.5197553442805939],
  [100, 2.530602893201682],
  [1e6, 4.867860037837305],
  [1e12, 7.11421817236333],
  [Number.MAX_SAFE_INTEGER, 8.278360587528645],
] as const;

test("expectedMaximum: 1e-14 relative to mpmath, for as many trials as are counted; 0 for one", () => {
  for (const [trials, expected] of MAXIMUM) close(expectedMaximum(trials), expected, 1e-14, `N ${trials}`);
  assert.equal(expectedMaximum(1), 0);
  for (const bad of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 53])
    assert.throws(() => expectedMaximum(bad), RangeError);
});

/** E[max of N] = ∫₀^∞ (1 − Φᴺ(x)) − Φᴺ(−x) dx. */
function exactMaximum(trials: number): number {
  const step = 1e-3;
  let total = 0;
  for (let x = step / 2; x < 12; x += step) {
    const none = -Math.expm1(trials * Math.log1p(-normalCdf(-x)));
    total += step * (none - Math.exp(trials * Math.log(normalCdf(-x))));
  }
  return total;
}

test("expectedMaximum: as far from the exact expectation as it says", () => {
  close(exactMaximum(2), 1 / Math.sqrt(Math.PI), 1e-6);
  for (const [trials, off] of [
    [2, -0.079],
    [10, 0.023],
    [100, 0.009],
  ] as const)
    within(expectedMaximum(trials) / exactMaximum(trials) - 1, off, 0.0006, `N ${trials}`);
});

test("deflationBar, minimumBacktestYears: more trials, a higher bar and a longer backtest", () => {
  const trials = fc.integer({ min: 1, max: 1_000_000 });
  const variance = fc.double({ min: 1e-9, max: 100, noNaN: true });
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 1000 }), variance, (n, more, v) => {
      assert.ok(deflationBar(n, v) < deflationBar(n + more, v));
      assert.ok(deflationBar(n + 1, v) < deflationBar(n + 1, 1.01 * v));
      assert.ok(minimumBacktestYears(n, 1) < minimumBacktestYears(n + more, 1));
      assert.ok(minimumBacktestYears(n + 1, 1) > minimumBacktestYears(n + 1, 1.01));
    }),
  );
  assert.equal(deflationBar(1, 0.5), 0);
  assert.equal(deflationBar(100, 0), 0);
  assert.equal(minimumBacktestYears(1, 1), 0);
});

test("sharpe: refuse what is no ratio, no variance, no level", () => {
  const of = { sharpe: 0.1, periods: 100, skewness: 0, kurtosis: 3 };
  assert.ok(probabilisticSharpe(of, 0) > 0.5);
  for (const bad of [Number.NaN, Infinity]) {
    for (const name of ["sharpe", "skewness", "kurtosis"] as const)
      assert.throws(() => probabilisticSharpe({ ...of, [name]: bad }, 0), new RegExp(`RangeError.*${name}`));
    assert.throws(() => probabilisticSharpe(of, bad), /RangeError.*benchmark/);
    assert.throws(() => minimumTrackRecord(of, bad, 0.95), /RangeError.*benchmark/);
    assert.throws(() => deflationBar(2, bad), /RangeError.*variance/);
    assert.throws(() => minimumBacktestYears(2, bad), /RangeError.*targetPerYear/);
  }
  for (const periods of [1, 1.5, Number.NaN])
    assert.throws(() => probabilisticSharpe({ ...of, periods }, 0), /RangeError.*periods/);
  for (const level of [0.49, 1, Number.NaN])
    assert.throws(() => minimumTrackRecord(of, 0, level), /RangeError.*level/);
  assert.throws(() => deflationBar(2, -1e-9), RangeError);
  assert.throws(() => minimumBacktestYears(2, 0), RangeError);
});
