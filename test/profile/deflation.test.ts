/** Deflation of trials: known answers through the derivation, what N and V count, and that no state becomes a number. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Deflation, type DeflationOptions, deflate } from "../../src/profile/deflation.ts";
import { measureOfSeries } from "../../src/profile/trial-measure.ts";
import { expectedMaximum, probabilisticSharpe } from "../../src/stats/sharpe.ts";
import { assertEvery } from "../support/all.ts";
import { given, normal, someMeasures, without } from "./some-measures.ts";

const plain: DeflationOptions = { benchmark: 0, blocks: 4, periodsPerYear: null, like: null };
const of = (measures: Parameters<typeof deflate>[0], more: Partial<DeflationOptions> = {}) =>
  deflate(measures, null, { ...plain, ...more });
const near = (found: number | null | undefined, expected: number, distance = 1e-12) =>
  assert.ok(
    typeof found === "number" && Math.abs(found - expected) <= distance,
    `${found}, expected ${expected}`,
  );

/** So many ratios whose variance is exactly about V, and whose greatest is `best`: two values, and the rest between them. */
function trialsOf(n: number, variance: number, best: number) {
  // a at the top, b repeated n − 1 times: the variance is (best − b)²/n.
  const rest = best - Math.sqrt(variance * n);
  const moments = { periods: 1250, skewness: -3, kurtosis: 10 };
  return [
    given("best", { sharpe: best, ...moments }),
    ...Array.from({ length: n - 1 }, (_, i) => given(`other ${i}`, { sharpe: rest, ...moments })),
  ];
}

describe("known answers, N and V derived from the trials", () => {
  const daily = 2.5 / Math.sqrt(250);

  it("the worked example of the deflated ratio: 2.5 a year over 1250 days, 100 trials of variance 1/2 a year", () => {
    const { n_trials, variance, sr0, best, periods } = of(trialsOf(100, 0.5 / 250, daily));
    assert.deepEqual([n_trials, periods], [100, 1250]);
    near(variance, 0.002);
    near(sr0, 0.11317200186513214);
    near(best?.dsr, 0.9003968344493903);
    assert.equal(best?.name, "best");
  });

  it("46 trials give .9505, and none of the shipped wrong values comes out", () => {
    near(of(trialsOf(46, 0.5 / 250, daily)).best?.dsr, 0.9505017068755786);
    const { best, sr0 } = of(trialsOf(100, 0.5 / 250, daily));
    assert.ok(Math.abs((sr0 as number) - 0.22634400373026428) > 0.1, "the variance turned over");
    const yearly = probabilisticSharpe(
      { sharpe: 2.5, periods: 1250, skewness: -3, kurtosis: 10 },
      0.11317200186513214 * Math.sqrt(250),
    );
    near(yearly, 0.99999994, 1e-8);
    assert.ok((best?.dsr as number) < 0.91, "a ratio of a year among days");
    const single = of([given("a", { sharpe: 0.458, periods: 24, skewness: -2.448, kurtosis: 10.164 })]);
    near(single.best?.dsr, 0.913361083860933);
    assert.ok(
      Math.abs((single.best?.dsr as number) - 0.9199721597125101) > 0.005,
      "excess kurtosis in the plain slot",
    );
  });

  it("one trial: SR0 is 0 and DSR is PSR(0), also of one that loses, whose formula would say 1", () => {
    for (const sharpe of [0.1, -0.1]) {
      const { sr0, variance, best } = of([given("a", normal(sharpe))]);
      assert.deepEqual([sr0, variance], [0, null]);
      near(best?.dsr, probabilisticSharpe(normal(sharpe), 0), 0);
    }
    assert.ok((of([given("a", normal(-0.1))]).best?.dsr as number) < 0.1);
  });

  it("a short series: its moments are plain population ones", () => {
    const [row] = of([measureOfSeries("a", Float64Array.of(0.01, 0.02, -0.03, 0.04, 0.015, 0.06))]).trials;
    near(row?.kurtosis, 2.478295867648984);
    near(row?.skewness, -0.33196565256890814);
    assert.deepEqual([row?.state, row?.periods], ["ok", 6]);
  });

  it("MinTRL is against the benchmark, at .95; MinBTL is (E[max]/1)² years", () => {
    const monthly = { sharpe: 3 / Math.sqrt(12), periods: 60, skewness: -0.72, kurtosis: 5.78 };
    const { best, min_backtest } = of([given("a", monthly)], {
      benchmark: 2.5 / Math.sqrt(12),
      periodsPerYear: 12,
    });
    near((best?.min_trl as number) / 12, 27.3529201960403, 1e-9);
    assert.deepEqual([min_backtest.years, min_backtest.own_years], [0, 5]);
    assert.equal(of([given("a", normal(0.1))], { benchmark: 0.1 }).best?.min_trl_state, "infinite");
    near(of(trialsOf(45, 0.002, 0.1)).min_backtest.years, 4.9980870044434038, 1e-9);
  });
});

describe("what N and V count", () => {
  const ratios = [0.05, 0.01, -0.02];
  const three = ratios.map((sharpe, i) => given(`t${i}`, normal(sharpe)));

  it("trials without a ratio count in N and not in V: the bar rises by N alone", () => {
    const before = of(three);
    const after = of([...three, without("x"), without("y", "failed"), without("z", "constant")]);
    assert.deepEqual([before.n_trials, after.n_trials, after.n_ratios], [3, 6, 3]);
    assert.equal(after.variance, before.variance);
    near((after.sr0 as number) / (before.sr0 as number), expectedMaximum(6) / expectedMaximum(3));
    assert.ok((after.best?.dsr as number) < (before.best?.dsr as number));
  });

  it("two trials or more of which fewer than two have a ratio: not estimable, and never the bar of one trial", () => {
    const { sr0, variance, best, trials } = of([three[0] as (typeof three)[0], without("x")]);
    assert.deepEqual([sr0, variance, best?.dsr, best?.dsr_state], [null, null, null, "not estimable"]);
    assert.deepEqual([best?.min_trl_deflated, best?.min_trl_deflated_state], [null, "not estimable"]);
    assert.ok((best?.psr as number) > 0.5 && trials[0]?.dsr === null);
    const nothing = of([without("x"), without("y")]);
    assert.deepEqual([nothing.best, nothing.sr0, nothing.periods], [null, null, null]);
    assert.deepEqual([nothing.pbo.state, nothing.effective_trials.state], ["no-trial", "no-trial"]);
  });

  it("adjusted p values are over all N: what has none counts as 1", () => {
    const p = (measures: Parameters<typeof deflate>[0]) =>
      of(measures).trials.map((row) => [row.p, row.p_holm, row.p_bh]);
    const [first] = p(three) as [[number, number, number]];
    near(first[1], 3 * first[0]);
    const [later, , , none] = p([...three, without("x")]) as [
      [number, number, number],
      unknown,
      unknown,
      unknown,
    ];
    near(later[1], 4 * first[0]);
    assert.ok(later[2] > first[2], "more trials, less sure");
    assert.deepEqual(none, [null, null, null]);
    near(first[0], 1 - probabilisticSharpe(normal(0.05), 0));
  });

  it("a constant column has no ratio, says so, and is left out of PBO, which counts what it compares", () => {
    const wave = (k: number) => Float64Array.from({ length: 40 }, (_, i) => Math.sin(i * k) / 10 + k / 100);
    const found = of([
      measureOfSeries("a", wave(1)),
      measureOfSeries("flat", new Float64Array(40).fill(0.01)),
      measureOfSeries("b", wave(2)),
    ]);
    const [, flat] = found.trials;
    assert.deepEqual(
      [flat?.state, flat?.sharpe, flat?.psr, flat?.dsr, flat?.p],
      ["constant", null, null, null, null],
    );
    assert.deepEqual([found.n_trials, found.n_ratios, found.pbo.state, found.pbo.trials], [3, 2, "ok", 2]);
    assert.equal(found.pbo.combinations, 6);
    const still = of([
      measureOfSeries("a", wave(1)),
      measureOfSeries(
        "late",
        wave(2).map((value, i) => (i < 20 ? 0 : value)),
      ),
    ]);
    assert.deepEqual([still.pbo.state, still.pbo.constant, still.pbo.pbo], ["constant", "late", null]);
  });

  it("returns of other periods are not compared: not of another number, nor of other instants", () => {
    const wave = (k: number, periods: number) =>
      measureOfSeries(
        `w${k}`,
        Float64Array.from({ length: periods }, (_, i) => Math.sin(i * k)),
      );
    const states = (a: ReturnType<typeof wave>, b: ReturnType<typeof wave>) => {
      const { pbo, effective_trials: effective, periods } = of([a, b]);
      return [pbo.state, effective.state, periods];
    };
    assert.deepEqual(states(wave(1, 30), wave(2, 30)), ["ok", "ok", 30]);
    const alone = "too-few-trials";
    assert.deepEqual(states(wave(1, 30), wave(2, 29)), [alone, "ok", 29]);
    assert.deepEqual(states({ ...wave(1, 30), over: "x" }, { ...wave(2, 30), over: "y" }), [alone, "ok", 30]);
    assert.deepEqual(states({ ...wave(1, 30), slice: "x" }, { ...wave(2, 30), slice: "y" }), [
      alone,
      "ok",
      30,
    ]);
    assert.deepEqual(states({ ...wave(1, 30), riskFree: 0 }, { ...wave(2, 30), riskFree: 0.001 }), [
      alone,
      "ok",
      30,
    ]);
    assert.deepEqual(states({ ...wave(1, 30), over: "x" }, { ...wave(2, 30), over: "x" }), ["ok", "ok", 30]);
    assert.deepEqual(states(wave(1, 30), { ...wave(2, 30), series: null }), ["no-series", "no-series", 30]);
  });

  it("V, the best and DSR are of one kind of trials: the commonest, of as many the latest, or the one asked for", () => {
    const kinds = [
      { ...given("a", normal(0.9, 24)), over: "two years" },
      { ...given("b", normal(0.1, 60)), over: "five" },
      { ...given("c", normal(0.3, 60)), over: "five" },
      without("d"),
    ];
    const five = of(kinds);
    assert.deepEqual([five.n_trials, five.n_ratios, five.best?.name], [4, 2, "c"]);
    assert.deepEqual([five.compared?.over, five.compared?.others, five.compared?.periods], ["five", 1, 60]);
    assert.ok(Math.abs((five.variance as number) - 0.02) < 1e-15);
    assert.deepEqual(
      five.trials.map(({ compared, dsr, psr }) => [compared, dsr !== null, psr !== null]),
      [
        [false, false, true],
        [true, true, true],
        [true, true, true],
        [false, false, false],
      ],
    );
    assert.equal(of(kinds.slice(0, 2)).compared?.over, "five");
    assert.equal(of(kinds.slice(0, 2).toReversed()).compared?.over, "two years");
    const two = of(kinds, { like: 0 });
    assert.deepEqual([two.best?.name, two.n_trials, two.n_ratios, two.sr0], ["a", 4, 1, null]);
    assert.deepEqual(of(kinds, { like: 3 }), five, "one without a ratio says no kind");
  });

  it("what measured just the same once more counts in N and not in V: trying again never raises the DSR", () => {
    const tried = [given("a", normal(0.1)), given("b", normal(0.3)), given("c", normal(0.2))];
    const again = [...tried, ...[1, 2, 3].map((n) => given(`c${n}`, normal(0.2)))].map((one, i) =>
      i < 2 ? one : { ...one, returnsDigest: "the same" },
    );
    const [before, after] = [of(tried), of(again)];
    assert.deepEqual([before.n_trials, after.n_trials, after.n_ratios], [3, 6, 3]);
    assert.equal(after.variance, before.variance);
    assert.ok((after.best?.dsr as number) < (before.best?.dsr as number));
    assert.equal(after.compared?.again, 3);
  });

  it("a few alike trials of a kind of their own do not make luck small: V is no less than that of all kinds", () => {
    const tried = Array.from({ length: 30 }, (_, i) => given(`${i}`, normal((i - 15) / 100, 97)));
    const honest = of(tried);
    const alike = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...given(`rate ${i}`, normal(0.14 + i * 1e-9, 97)),
        riskFree: 1e-9,
      }));
    for (const found of [of([...tried, ...alike(2)], { like: 30 }), of([...tried, ...alike(31)])]) {
      assert.equal(found.compared?.risk_free, 1e-9, "the alike ones are compared");
      const others = found.n_trials - 30 - 1; // degrees of freedom of theirs, about which they hardly vary
      const pooled = ((honest.variance as number) * 29) / (29 + others);
      assert.ok(Math.abs((found.variance as number) - pooled) < 1e-12, `${found.variance}, ${pooled}`);
      assert.equal(found.variance_floor, found.n_trials);
      assert.ok((found.sr0 as number) > 0.7 * (honest.sr0 as number));
    }
    const longer = alike(2).map((one) => ({
      ...one,
      ratio: normal(one.ratio?.sharpe as number, 385),
    }));
    const four = of([...tried, ...longer], { like: 31 });
    const scaled = ((honest.variance as number) * 29) / 30 / 4;
    assert.ok(Math.abs((four.variance as number) - scaled) < 1e-12, "of four times the periods a fourth");
    const two = [given("x", normal(70, 2)), given("y", normal(-70, 2))].map((one) => ({ ...one, gaps: 1 }));
    assert.equal(of([...tried, ...two]).variance, honest.variance, "two periods say nothing of luck");
    assert.deepEqual([honest.variance_floor, of([...tried, ...two]).variance_floor], [null, null]);
  });

  it("ratios that are all the same say nothing of luck: the DSR is not estimable, never the PSR", () => {
    const same = of([given("a", normal(0.3)), given("b", normal(0.3 + 1e-16))]);
    assert.deepEqual(
      [same.variance, same.sr0, same.best?.dsr, same.best?.dsr_state],
      [0, null, null, "not estimable"],
    );
    assert.ok((of([given("a", normal(0.3)), given("b", normal(0.3001))]).sr0 as number) > 0);
    assert.equal(of([given("a", normal(0.3))]).sr0, 0);
  });

  it("the best is the first of equals as they are reported", () => {
    const tied = [given("a", normal(0.1)), given("b", normal(0.1 + 1e-16)), given("c", normal(0.05))];
    assert.equal(of(tied).best?.name, "a");
    assert.equal(of(tied.toReversed()).best?.name, "b");
    assert.equal(of([given("a", normal(0.1)), given("b", normal(0.1 + 1e-10))]).best?.name, "b");
  });

  it("no trial is a mistake of ours", () => {
    assert.throws(() => of([]), RangeError);
    assert.throws(
      () =>
        of(
          [measureOfSeries("a", Float64Array.of(1, 2, 3, 4))].flatMap((a) => [a, a]),
          { blocks: 3 },
        ),
      RangeError,
    );
  });
});

describe("of any trials", () => {
  const numbers = (value: unknown): number[] =>
    typeof value === "number"
      ? [value]
      : value !== null && typeof value === "object"
        ? Object.values(value).flatMap(numbers)
        : [];
  const byName = ({ trials }: Deflation) =>
    [...trials].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, p_holm }) => [name, p_holm]);

  it("every number is finite, every probability in [0, 1], DSR is at most PSR(0), and the rounded states agree", () => {
    fc.assert(
      fc.property(someMeasures, fc.constantFrom(2, 4), (measures, blocks) => {
        const found = of(measures, { blocks });
        assertEvery(numbers(found), Number.isFinite);
        for (const { psr, dsr, p, p_holm, p_bh } of found.trials) {
          for (const share of [psr, dsr, p, p_holm, p_bh])
            assert.ok(share === null || (share >= 0 && share <= 1));
          assert.ok(dsr === null || psr === null || dsr <= psr + 1e-12, "SR0 is at least the benchmark 0");
          const atLeast = (a: number | null, b: number | null) =>
            (a as number) >= (b as number) * (1 - 1e-12);
          assert.ok(p === null || (atLeast(p_holm, p_bh) && atLeast(p_bh, p)));
        }
        assert.equal(found.n_trials, measures.length);
        assert.equal(found.n_ratios, found.trials.filter(({ sharpe }) => sharpe !== null).length);
        assert.equal(found.sr0 === null, found.n_trials > 1 && (found.n_ratios < 2 || found.variance === 0));
        assert.equal(found.best === null, found.n_ratios === 0);
        assert.equal(found.best?.dsr_state === "ok", typeof found.best?.dsr === "number");
      }),
    );
  });

  it("the order of the trials changes no figure but by the last bits of their sums", () => {
    fc.assert(
      fc.property(someMeasures, (measures) => {
        const [one, two] = [of(measures), of(measures.toReversed())];
        assert.deepEqual([one.n_trials, one.n_ratios], [two.n_trials, two.n_ratios]);
        const size = Math.max(0, ...one.trials.map(({ sharpe }) => Math.abs(sharpe ?? 0)));
        const close = (a: number | null, b: number | null, bits: number) =>
          a === null || b === null ? a === b : Math.abs(a - b) <= 1e-9 * Math.abs(a) + bits;
        assert.ok(close(one.variance, two.variance, 1e-28 * size * size), `${one.variance}, ${two.variance}`);
        assert.ok(close(one.best?.sharpe ?? null, two.best?.sharpe ?? null, 0));
        const own = byName(two);
        for (const [i, [name, p]] of byName(one).entries()) {
          assert.equal(own[i]?.[0], name);
          assert.ok(
            close(p as number | null, own[i]?.[1] as number | null, 0),
            `${name}: ${p}, ${own[i]?.[1]}`,
          );
        }
      }),
    );
  });
});
