import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { backtestOverfitting, type Overfitting } from "../../src/stats/overfitting.ts";
import { returnFigures } from "../../src/stats/sharpe.ts";
import { shared } from "../core/refused.ts";
import { draws } from "../simulate/draws.ts";
import { close, within } from "./close.ts";

function found(trials: readonly Float64Array[], blocks: number): Overfitting {
  const result = backtestOverfitting(trials, blocks);
  assert.equal(result.state, "ok");
  return result as Overfitting;
}

function noise(seed: number, trials: number, periods: number): Float64Array[] {
  const draw = draws(seed, "overfitting");
  return Array.from({ length: trials }, () => Float64Array.from({ length: periods }, () => draw.normal()));
}

type Fixture = {
  S: number;
  M: number[][];
  pypbo_pbo: number;
  pypbo_logits: number[];
  prob_oos_loss: number;
  mine_le: number;
  n_logit_zero: number;
};

test("backtestOverfitting: pypbo's matrices: share at most 0, zeros, losses and logits in its order", (t) => {
  const text = shared(t, "reference/pbo.json");
  if (text === undefined) return;
  for (const [name, of] of Object.entries(JSON.parse(text) as Record<string, Fixture>)) {
    const trials = of.M[0]!.map((_, column) => Float64Array.from(of.M, (row) => row[column]!));
    const { pbo, zeroLogits, lossProbability, logits, combinations, blocks, dropped } = found(trials, of.S);
    assert.deepEqual([pbo, zeroLogits], [of.mine_le, of.n_logit_zero], name);
    close(pbo, of.pypbo_pbo, 1e-15, name);
    close(lossProbability, of.prob_oos_loss, 1e-15, name);
    assert.deepEqual([combinations, blocks, dropped], [of.pypbo_logits.length, of.S, of.M.length % of.S]);
    for (const [i, logit] of logits.entries()) within(logit, of.pypbo_logits[i]!, 1e-15, `${name} ${i}`);
  }
});

/** The definition: rows put together, ratios by two passes, ranks by sorting. */
function byHand(trials: readonly Float64Array[], blocks: number) {
  const dropped = trials[0]!.length % blocks;
  const length = (trials[0]!.length - dropped) / blocks;
  const ratios = (named: readonly number[]) =>
    trials.map((values) => {
      const rows = named.flatMap((b) => [
        ...values.subarray(dropped + b * length, dropped + (b + 1) * length),
      ]);
      return returnFigures(Float64Array.from(rows)).sharpe!;
    });
  return halves(blocks).map((taken) => {
    const left = Array.from({ length: blocks }, (_, b) => b).filter((b) => !taken.includes(b));
    const [inSample, outOfSample] = [ratios(taken), ratios(left)];
    const chosen = inSample.indexOf(Math.max(...inSample));
    const rank = [...outOfSample].sort((a, b) => a - b).indexOf(outOfSample[chosen]!) + 1;
    const share = rank / (trials.length + 1);
    return { logit: Math.log(share / (1 - share)), loss: outOfSample[chosen]! < 0 };
  });
}

/** Each half of the blocks, in lexicographic order. */
function halves(blocks: number, from = 0, size = blocks / 2): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: blocks - from }, (_, i) => from + i).flatMap((first) =>
    halves(blocks, first + 1, size - 1).map((rest) => [first, ...rest]),
  );
}

const shape = fc.record({
  seed: fc.nat(),
  trials: fc.integer({ min: 2, max: 7 }),
  blocks: fc.constantFrom(2, 4, 6),
  length: fc.integer({ min: 2, max: 5 }),
  more: fc.nat({ max: 5 }),
});

test("backtestOverfitting: block sums give what rows put together give", () => {
  fc.assert(
    fc.property(shape, ({ seed, trials, blocks, length, more }) => {
      const series = noise(seed, trials, blocks * length + (more % blocks));
      const result = found(series, blocks);
      const expected = byHand(series, blocks);
      assert.equal(result.combinations, expected.length);
      assert.equal(result.dropped, more % blocks);
      for (const [i, { logit }] of expected.entries()) within(result.logits[i]!, logit, 1e-14, `logit ${i}`);
      const share = (of: (one: { logit: number; loss: boolean }) => boolean) =>
        expected.filter(of).length / expected.length;
      within(
        result.lossProbability,
        share(({ loss }) => loss),
        1e-15,
      );
      const middle = expected.filter(({ logit }) => Math.abs(logit) < 1e-12).length;
      assert.equal(result.zeroLogits, middle);
      within(
        result.pbo,
        share(({ logit }) => logit < 1e-12),
        1e-15,
      );
    }),
  );
});

test("backtestOverfitting: neither a trial's place nor its leverage matters", () => {
  fc.assert(
    fc.property(shape, fc.integer({ min: -900, max: 900 }), ({ seed, trials, blocks, length }, power) => {
      const series = noise(seed, trials, blocks * length);
      const { logits } = found(series, blocks);
      assert.deepEqual(found(series.slice().reverse(), blocks).logits, logits);
      const size = Number(`1e${Math.round(power / 6)}`);
      const levered = series.map((values, i) => (i === 0 ? values.map((value) => size * value) : values));
      assert.deepEqual(found(levered, blocks).logits, logits);
    }),
  );
});

test("backtestOverfitting: of 16 blocks 12,870 halves; skill is never overfitting, reversal always", () => {
  const series = noise(1, 5, 16 * 4);
  const skilled = series.map((values, i) => (i === 3 ? values.map((value) => 0.1 * value + 5) : values));
  const { pbo, combinations, lossProbability, logits } = found(skilled, 16);
  assert.deepEqual([pbo, combinations, lossProbability], [0, 12_870, 0]);
  assert.ok(logits.every((logit) => logit === Math.log(5)));
  // One gains in the first half what the other gains in the second.
  const bent = [1, -1].map((side) =>
    Float64Array.from({ length: 8 }, (_, t) => side * (t < 4 ? 1 : -1) + 0.1 * (t % 2)),
  );
  assert.equal(found(bent, 2).pbo, 1);
});

test("backtestOverfitting: equals: the first is chosen, ranks are shared, and a logit of 0 counts", () => {
  const [one, other] = noise(2, 2, 12) as [Float64Array, Float64Array];
  const alike = found([one, one, one], 4);
  assert.deepEqual([alike.pbo, alike.zeroLogits, alike.combinations], [1, 6, 6]);
  const worse = one.map((value) => value - 10);
  // Of three, the two best are equal: rank 2.5 of 3, of which ln(2.5/1.5).
  const doubled = found([one, one, worse], 4);
  assert.ok(doubled.logits.every((logit) => logit === Math.log(2.5 / 1.5)));
  assert.equal(doubled.zeroLogits, 0);
  assert.notDeepEqual(found([one, other, worse], 4).logits, doubled.logits);
  // Equal over the first half alone, where the one that is given first is chosen: then it is best, or worst.
  const falls = one.map((value, t) => (t < 6 ? value : value - 10));
  assert.equal(found([one, falls], 2).logits[0], Math.log(2));
  assert.equal(found([falls, one], 2).logits[0], Math.log(1 / 2));
});

test("backtestOverfitting: the first rows are dropped, not the last", () => {
  const series = noise(3, 4, 18);
  const { dropped, logits } = found(series, 4);
  assert.equal(dropped, 2);
  assert.deepEqual(
    found(
      series.map((values) => values.subarray(2)),
      4,
    ).logits,
    logits,
  );
  assert.notDeepEqual(
    found(
      series.map((values) => values.subarray(0, 16)),
      4,
    ).logits,
    logits,
  );
});

test("backtestOverfitting: where it cannot be said, and the nearest case where it can", () => {
  const series = noise(4, 3, 16);
  const state = (trials: readonly Float64Array[], blocks: number) => backtestOverfitting(trials, blocks);
  assert.deepEqual(state([], 4), { state: "too-few-trials" });
  assert.deepEqual(state(series.slice(0, 1), 4), { state: "too-few-trials" });
  assert.equal(state(series.slice(0, 2), 4).state, "ok");
  assert.deepEqual(state(series, 10), { state: "too-few-periods" });
  assert.equal(state(series, 8).state, "ok");
  const flat = (rows: number, value: number) => series[1]!.map((own, t) => (t < rows ? value : own));
  assert.deepEqual(state([series[0]!, flat(16, 0.01)], 4), { state: "constant", trial: 1 });
  // Idle over two blocks of four, wherever: that half has no ratio.
  assert.deepEqual(state([series[0]!, flat(8, 0), series[2]!], 4), { state: "constant", trial: 1 });
  const around = series[1]!.map((own, t) => (t < 4 || t >= 12 ? 0.3 : own));
  assert.deepEqual(state([series[0]!, around], 4), { state: "constant", trial: 1 });
  assert.equal(state([series[0]!, flat(7, 0), series[2]!], 4).state, "ok");
  // Flat at two levels is not flat.
  const steps = series[1]!.map((own, t) => (t < 8 ? (t < 4 ? 0.1 : 0.2) : own));
  assert.equal(state([series[0]!, steps], 4).state, "ok");
});

test("backtestOverfitting: refuse odd blocks, too many, ragged trials and what is not finite", () => {
  const series = noise(5, 2, 2 * limits.overfittingBlocks);
  for (const bad of [0, 1, 3, 2.5, -2, Number.NaN, limits.overfittingBlocks + 2])
    assert.throws(() => backtestOverfitting(series, bad), /RangeError.*blocks/);
  assert.equal(backtestOverfitting(series, 2).state, "ok");
  assert.throws(
    () => backtestOverfitting([series[0]!, series[1]!.subarray(1)], 4),
    /RangeError.*trials\[1\]/,
  );
  const holed = series.map((values, i) => (i === 1 ? values.with(3, Number.NaN) : values));
  assert.throws(() => backtestOverfitting(holed, 4), RangeError);
});

test("backtestOverfitting: a million periods", () => {
  const series = noise(6, 2, 1000).map((values) =>
    Float64Array.from({ length: 1_000_000 }, (_, t) => values[t % 1000]! + 1e-3 * (t % 7)),
  );
  assert.equal(found(series, 4).combinations, 6);
});
