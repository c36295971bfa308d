/** A trial of a ledger: its ratio is the mean of all declared repeats, or there is none; measures that cannot be are refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { round12 } from "../../src/core/round.ts";
import type { Trial } from "../../src/ledger/trial-ledger.ts";
import { deflate } from "../../src/profile/deflation.ts";
import { measureOfSeries, measureOfTrial, type TrialMeasures } from "../../src/profile/trial-measure.ts";
import { refused } from "../core/refused.ts";
import { someSeries } from "./some-measures.ts";

type Repeat = TrialMeasures["repeats"][number];
const repeat = (seed: number, more: Partial<Repeat> = {}): Repeat => ({
  seed,
  sharpe: 0.1,
  periods: 60,
  skewness: -0.5,
  kurtosis: 4,
  state: "ok",
  series: null,
  ...more,
});

const ended = (repeats: readonly object[], more: object = {}, declared = repeats.length): Trial => ({
  start: 4,
  at: "2026-01-05T09:00:00Z",
  run: "01ARZ3NDEKTSV4RRFFQ69G0000",
  identity: `sha256:${"0".repeat(64)}`,
  seed: 1,
  repeats: declared,
  units: "month",
  config: null,
  first: 4,
  state: "ended",
  end: 7,
  measures: { repeats: repeats as never, state: "ok", returns: null, ...more },
  series: null,
  reason: null,
});
const measured = (trial: Trial) => measureOfTrial(trial, "t", "x.jsonl");

describe("a trial of repeats", () => {
  it("has the mean of their ratios and moments, and their spread", () => {
    const found = measured(
      ended([
        repeat(1, { sharpe: 0.1 }),
        repeat(2, { sharpe: 0.3, skewness: 0.1, kurtosis: 5 }),
        repeat(3, { sharpe: -0.1 }),
      ]),
    );
    const { ratio, spread, repeats, state } = found;
    assert.deepEqual([state, repeats, spread, ratio?.periods], ["ok", 3, [-0.1, 0.3], 60]);
    for (const [value, expected] of [
      [ratio?.sharpe, 0.1],
      [ratio?.skewness, -0.3],
      [ratio?.kurtosis, 13 / 3],
    ] as const)
      assert.ok(Math.abs((value as number) - expected) < 1e-15, `${value}`);
  });

  it("has none where one of them has none, is missing, or is over other periods; and says which", () => {
    const states = [
      [
        ended([repeat(1), repeat(2, { state: "constant", sharpe: null, skewness: null, kurtosis: null })]),
        "constant",
      ],
      [
        ended([
          repeat(1),
          repeat(2, { state: "unknown-return", periods: 0, sharpe: null, skewness: null, kurtosis: null }),
        ]),
        "unknown-return",
      ],
      [ended([repeat(1)], {}, 2), "repeats-missing"],
      [ended([], {}, 1), "repeats-missing"],
      [ended([repeat(1), repeat(2, { periods: 59 })]), "periods-differ"],
      [{ ...ended([repeat(1)]), state: "failed", measures: null } as Trial, "failed"],
      [{ ...ended([repeat(1)]), state: "unfinished", measures: null } as Trial, "unfinished"],
    ] as const;
    for (const [trial, state] of states) {
      const found = measured(trial);
      assert.deepEqual([found.state, found.ratio, found.series, found.spread], [state, null, null, null]);
    }
    assert.equal(measured(ended([repeat(1), repeat(2)])).state, "ok");
  });

  it("has the returns of its row", () => {
    const returns = Array.from({ length: 60 }, (_, i) => i / 100);
    const found = measured(ended([repeat(1)], { returns, over: `sha256:${"a".repeat(64)}` }));
    assert.deepEqual([...(found.series ?? [])], returns);
    assert.equal(found.over, `sha256:${"a".repeat(64)}`);
  });
});

describe("refusal.TrialLedgerBroken: measures that no run of returns has", () => {
  const faults = [
    ["nothing", { ...ended([]), measures: null }, "object"],
    ["another shape", { ...ended([]), measures: { mean: 1 } }, "repeats"],
    ["a key of no meaning", ended([repeat(1)], { more: 1 }), "more"],
    ["more repeats than were declared", ended([repeat(1), repeat(2)], {}, 1), "2 repeats"],
    ["ok without a figure", ended([repeat(1, { sharpe: null })]), "repeat 0: ok without"],
    ["ok over one period", ended([repeat(1), repeat(2, { periods: 1 })]), "repeat 1: ok over 1 periods"],
    ["excess kurtosis in the plain slot", ended([repeat(1, { kurtosis: 0.9, skewness: 0 })]), "kurtosis 0.9"],
    ["a kurtosis below 1 + skewness²", ended([repeat(1, { kurtosis: 3, skewness: 1.5 })]), "skewness 1.5"],
    ["a kurtosis above the number of periods", ended([repeat(1, { kurtosis: 61 })]), "kurtosis 61"],
    ["a ratio that no returns reach", ended([repeat(1, { sharpe: 1e15 })]), "1000000000000000"],
    ["returns of some periods alone", ended([repeat(1)], { returns: [0.1] }), "1 returns"],
  ] as const;
  for (const [name, trial, said] of faults)
    it(name, () => {
      const { message, details } = refused("TrialLedgerBroken", () => measured(trial as Trial));
      assert.equal(details.place, "x.jsonl:8");
      assert.ok(message.includes("row 7") && message.includes(said), message);
    });

  it("the nearest are taken: all that returns can have, as a row rounds it", () => {
    const edges = [
      { kurtosis: 1, skewness: 0 },
      { kurtosis: 3.25, skewness: 1.5 },
      { kurtosis: 60 },
      { sharpe: 1e14 },
      { periods: 2, kurtosis: 1, skewness: 0 },
    ];
    for (const edge of edges)
      assert.equal(measured(ended([repeat(1, edge)])).state, "ok", JSON.stringify(edge));
  });

  it("figures of any returns, rounded as a row holds them, are taken, and deflated without a mistake of ours", () => {
    fc.assert(
      fc.property(someSeries, (series) => {
        const trials = series.map((returns, i) => {
          const { ratio, state } = measureOfSeries("a", Float64Array.from(returns));
          const figures = ratio ?? { sharpe: null, skewness: null, kurtosis: null, periods: returns.length };
          const rounded = Object.fromEntries(
            Object.entries(figures).map(([key, value]) => [key, value === null ? null : round12(value)]),
          );
          return measured(ended([repeat(i, { ...rounded, state })]));
        });
        const options = { benchmark: 0, blocks: 4, periodsPerYear: null, like: null };
        const found = deflate(trials, { rows: 8, head: "sha256:0" }, options);
        assert.equal(found.pbo.state === "ok", false, "there is no series");
        assert.equal(found.n_ratios, trials.filter(({ ratio }) => ratio !== null).length);
      }),
    );
  });
});
