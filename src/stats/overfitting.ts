/** The probability that choosing the best of several trials in sample is overfitting. */

import { limits } from "../core/limits.ts";
import { isSteady, returnFigures } from "./sharpe.ts";

export type Overfitting = {
  readonly state: "ok";
  /** Share of the logits that are ≤ 0, in [0, 1]; less is better. Chance alone gives about 0.5. */
  readonly pbo: number;
  /** n: C(S, S/2), the ways to take half of the blocks as in sample. */
  readonly combinations: number;
  /** S. */
  readonly blocks: number;
  /** The first T mod S periods, left out so that all blocks are of one length. */
  readonly dropped: number;
  /** Logits of exactly 0, which count in pbo: the chosen trial is in the middle out of sample. */
  readonly zeroLogits: number;
  /** ln(r/(M + 1 − r)), r the chosen trial's rank out of sample of M; a combination each, in lexicographic order. */
  readonly logits: Float64Array;
  /** Share of combinations whose chosen trial has a ratio below 0 out of sample. */
  readonly lossProbability: number;
};

/** Why there is none: below 2 trials; below 2 periods a block; a trial (its index) that is constant over half of the blocks. */
export type OverfittingAbsent =
  | { readonly state: "too-few-trials" | "too-few-periods" }
  | { readonly state: "constant"; readonly trial: number };

/**
 * Combinatorially symmetric cross-validation: the periods are cut into S blocks of one length; each half of the
 * blocks once chooses the trial with the greatest Sharpe ratio (ddof 1; the first of equals), whose rank is then
 * taken on the other half: 1 is the least, equals share their mean rank. Equal is to twelve digits. Throws RangeError unless S is even, in
 * 2..20, and all trials are of one length and finite. Bailey, Borwein, López de Prado and Zhu (2017), Journal of
 * Computational Finance 20(4).
 */
export function backtestOverfitting(
  trials: readonly Float64Array[],
  blocks: number,
): Overfitting | OverfittingAbsent {
  if (!(Number.isInteger(blocks / 2) && blocks >= 2 && blocks <= limits.overfittingBlocks)) {
    throw new RangeError(`blocks: expected an even integer in 2..${limits.overfittingBlocks}, got ${blocks}`);
  }
  const rows = trials[0]?.length ?? 0;
  for (const [i, trial] of trials.entries()) {
    if (trial.length !== rows) {
      throw new RangeError(`trials[${i}]: expected ${rows} periods as trials[0], got ${trial.length}`);
    }
  }
  const deviations = trials.map((trial) => returnFigures(trial).sd);
  if (trials.length < 2) return { state: "too-few-trials" };
  const dropped = rows % blocks;
  const length = (rows - dropped) / blocks;
  if (length < 2) return { state: "too-few-periods" };
  const flat = trials.findIndex((trial) => halfConstant(trial.subarray(dropped), blocks));
  if (flat !== -1) return { state: "constant", trial: flat };
  const parts = partsOf(
    trials.map((trial, i) => trial.subarray(dropped).map((value) => value / deviations[i]!)),
    blocks,
  );
  return { ...choices(parts), blocks, dropped };
}

/** Whether some half of the blocks is constant: half of them are so with the least value of one of them. */
function halfConstant(values: Float64Array, blocks: number): boolean {
  const length = values.length / blocks;
  const spans = Array.from({ length: blocks }, (_, b) => {
    const block = values.subarray(b * length, (b + 1) * length);
    return {
      least: block.reduce((a, b) => Math.min(a, b), Infinity),
      greatest: block.reduce((a, b) => Math.max(a, b), -Infinity),
    };
  });
  return spans.some(({ least }) => {
    const near = spans.filter((span) => span.least >= least && isSteady(least, span.greatest));
    return near.length >= blocks / 2;
  });
}

/** Of each trial's blocks, trial after trial: the mean, and the sum of the squares about it. */
type Parts = {
  readonly means: Float64Array;
  readonly squares: Float64Array;
  readonly trials: number;
  readonly blocks: number;
  readonly length: number;
};

function partsOf(trials: readonly Float64Array[], blocks: number): Parts {
  const length = trials[0]!.length / blocks;
  const means = new Float64Array(trials.length * blocks);
  const squares = new Float64Array(trials.length * blocks);
  for (const [i, values] of trials.entries()) {
    for (let b = 0; b < blocks; b++) {
      const block = values.subarray(b * length, (b + 1) * length);
      const mean = block.reduce((total, value) => total + value, 0) / length;
      means[i * blocks + b] = mean;
      squares[i * blocks + b] = block.reduce((total, value) => total + (value - mean) * (value - mean), 0);
    }
  }
  return { means, squares, trials: trials.length, blocks, length };
}

function choices(parts: Parts): Omit<Overfitting, "blocks" | "dropped"> {
  const { trials, blocks } = parts;
  const half = blocks / 2;
  const combinations = choose(blocks, half);
  const logits = new Float64Array(combinations);
  const inSample = new Float64Array(trials);
  const outOfSample = new Float64Array(trials);
  const taken = Int32Array.from({ length: half }, (_, i) => i);
  const left = new Int32Array(half);
  let [atMost, zeros, losses] = [0, 0, 0];
  for (let c = 0; c < combinations; c++) {
    complement(taken, left);
    ratios(parts, taken, inSample);
    ratios(parts, left, outOfSample);
    const chosen = firstGreatest(inSample);
    const rank = meanRank(outOfSample, chosen);
    const logit = Math.log(rank / (trials + 1 - rank));
    logits[c] = logit;
    if (logit <= 0) atMost += 1;
    if (logit === 0) zeros += 1;
    if (outOfSample[chosen]! < 0 && !isEqual(outOfSample[chosen]!, 0)) losses += 1;
    advance(taken, blocks);
  }
  return {
    state: "ok",
    pbo: atMost / combinations,
    combinations,
    zeroLogits: zeros,
    logits,
    lossProbability: losses / combinations,
  };
}

/** Each trial's ratio over the blocks named: their means and squares together (Chan, Golub and LeVeque 1983). */
function ratios(parts: Parts, named: Int32Array, into: Float64Array): void {
  const { means, squares, trials, blocks, length } = parts;
  const count = named.length;
  for (let i = 0; i < trials; i++) {
    let total = 0;
    for (let k = 0; k < count; k++) total += means[i * blocks + named[k]!]!;
    const mean = total / count;
    let within = 0;
    let between = 0;
    for (let k = 0; k < count; k++) {
      const at = i * blocks + named[k]!;
      const deviation = means[at]! - mean;
      within += squares[at]!;
      between += deviation * deviation;
    }
    into[i] = mean / Math.sqrt((within + length * between) / (count * length - 1));
  }
}

/** Ratios are equal to twelve digits: the same returns of two trials make sums that differ by rounding. */
const isEqual = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b));

function firstGreatest(values: Float64Array): number {
  let greatest = values[0]!;
  for (let i = 1; i < values.length; i++) greatest = Math.max(greatest, values[i]!);
  return values.findIndex((value) => isEqual(value, greatest));
}

/** 1 for the least; equals share the mean of their ranks. */
function meanRank(values: Float64Array, of: number): number {
  const value = values[of]!;
  let [below, equal] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (isEqual(values[i]!, value)) equal += 1;
    else if (values[i]! < value) below += 1;
  }
  return below + (equal + 1) / 2;
}

/** n over k: small, and exact. */
function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

/** The blocks, in order, that are not taken. */
function complement(taken: Int32Array, left: Int32Array): void {
  let [at, next] = [0, 0];
  for (let block = 0; block < taken.length + left.length; block++) {
    if (taken[at] === block) at += 1;
    else left[next++] = block;
  }
}

/** The next combination in lexicographic order; the last one stays. */
function advance(taken: Int32Array, blocks: number): void {
  let i = taken.length - 1;
  while (i >= 0 && taken[i] === blocks - taken.length + i) i -= 1;
  if (i < 0) return;
  taken[i] = taken[i]! + 1;
  for (let j = i + 1; j < taken.length; j++) taken[j] = taken[j - 1]! + 1;
}
