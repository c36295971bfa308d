/** The Sharpe ratio of a period, how sure it is, and what the best of many trials reaches by luck. */

import { normalCdf, normalQuantile } from "./normal.ts";

export type ReturnFigures = {
  /** T: the periods. */
  readonly n: number;
  /** Of a period; NaN where n = 0. */
  readonly mean: number;
  /** Of a period, ddof 1; 0 where constant, NaN where n < 2. */
  readonly sd: number;
  /** mean/sd, of a period, not annualised; greater is better. null where state is not "ok", as the two below. */
  readonly sharpe: number | null;
  /** m₃/m₂^1.5, population moments mₖ = Σ(x − x̄)ᵏ/n. */
  readonly skewness: number | null;
  /** m₄/m₂², plain: 3 for a normal distribution, never below 1 + skewness². */
  readonly kurtosis: number | null;
  readonly state: "ok" | "too-few" | "constant";
};

// A return p₁/p₀ − 1 carries the rounding of p₁/p₀, 2e-16 of 1: of a steady rate of 1e-6 a period, 2e-10.
const STEADY = 1e-9;

/** Whether returns between these two are one return and its rounding: greatest − least ≤ 1e-9 · the greater size. */
export function isSteady(least: number, greatest: number): boolean {
  return greatest - least <= STEADY * Math.max(-least, greatest);
}

/**
 * The figures of a series of excess returns, one a period: ratio, skewness and kurtosis as in
 * Bailey and López de Prado (2012), The Sharpe ratio efficient frontier, J. Risk 15(2). "too-few": n < 2.
 * "constant": as `isSteady` says of its least and greatest. Throws RangeError for a value that is not finite.
 */
export function returnFigures(excess: Float64Array): ReturnFigures {
  const n = excess.length;
  const [least, greatest] = reach(excess);
  const none = { sharpe: null, skewness: null, kurtosis: null };
  if (n < 2) return { n, mean: n === 0 ? Number.NaN : excess[0]!, sd: Number.NaN, ...none, state: "too-few" };
  // Squares of very great or very small numbers leave the doubles.
  const size = Math.max(-least, greatest);
  const unit = size > 1e100 || (size > 0 && size < 1e-100) ? size : 1;
  const { mean, deviations } = centred(excess, unit);
  if (isSteady(least, greatest)) return { n, mean: mean * unit, sd: 0, ...none, state: "constant" };
  let squares = 0;
  for (const d of deviations) squares += d * d;
  const spread = Math.sqrt(squares / n);
  let cubes = 0;
  let fourths = 0;
  for (const d of deviations) {
    const z = d / spread;
    cubes += z * z * z;
    fourths += z * z * z * z;
  }
  const sd = Math.sqrt(squares / (n - 1));
  return {
    n,
    mean: mean * unit,
    sd: sd * unit,
    sharpe: mean / sd,
    skewness: cubes / n,
    kurtosis: fourths / n,
    state: "ok",
  };
}

function reach(values: Float64Array): [least: number, greatest: number] {
  let least = Infinity;
  let greatest = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) throw new RangeError(`excess[${i}]: expected a finite number, got ${value}`);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

/** Values ÷ unit, about their mean; the mean's own rounding is taken out, so that the deviations add up to 0. */
function centred(values: Float64Array, unit: number): { mean: number; deviations: Float64Array } {
  const n = values.length;
  const deviations = new Float64Array(n);
  let total = 0;
  for (let i = 0; i < n; i++) total += values[i]! / unit;
  const first = total / n;
  let left = 0;
  for (let i = 0; i < n; i++) {
    const deviation = values[i]! / unit - first;
    deviations[i] = deviation;
    left += deviation;
  }
  const rest = left / n;
  for (let i = 0; i < n; i++) deviations[i] = deviations[i]! - rest;
  return { mean: first + rest, deviations };
}

/** A ratio with what its error depends on, as `returnFigures` defines them. */
export type SharpeRatio = {
  /** Of a period, not annualised. */
  readonly sharpe: number;
  /** T, an integer ≥ 2: periods of the same length. */
  readonly periods: number;
  readonly skewness: number;
  /** Plain, not excess. */
  readonly kurtosis: number;
};

const DEGENERATE = 1e-12;

/**
 * 1 − γ₃·SR + (γ₄ − 1)/4·SR²: T − 1 times the squared standard error of the ratio; ≥ (1 − γ₃·SR/2)² ≥ 0, since
 * γ₄ ≥ 1 + γ₃² for the moments of a population. Throws RangeError where that fails by more than 1e-12 and the
 * rounding of the moments to twelve digits (an excess kurtosis or bias-corrected moments do), or one is not
 * finite. Mertens (2002).
 */
export function sharpeScale({ sharpe, skewness, kurtosis }: Omit<SharpeRatio, "periods">): number {
  finite("sharpe", sharpe);
  finite("skewness", skewness);
  finite("kurtosis", kurtosis);
  const lean = skewness * sharpe;
  const tails = ((kurtosis - 1) / 4) * sharpe * sharpe;
  const scale = 1 - lean + tails;
  const least = (1 - lean / 2) * (1 - lean / 2);
  // Moments read back from twelve digits are off by up to 5e-12 of themselves.
  const slack = 1e-12 + 2e-11 * ((Math.abs(kurtosis) + 1) / 4) * sharpe * sharpe;
  if (scale < least - slack) {
    throw new RangeError(
      `kurtosis: expected at least 1 + skewness² = ${1 + skewness * skewness} (plain kurtosis, population moments), got ${kurtosis}`,
    );
  }
  return Math.max(scale, 0);
}

/**
 * Standard error √((1 − γ₃·SR + (γ₄ − 1)/4·SR²)/(T − 1)) of the ratio of a period. NaN where that scale is below
 * 1e-12 ("degenerate"). RangeError as for `sharpeScale`, and for periods. Mertens (2002).
 */
export function sharpeError(of: SharpeRatio): number {
  const { periods } = of;
  if (!(Number.isInteger(periods) && periods >= 2)) {
    throw new RangeError(`periods: expected an integer >= 2, got ${periods}`);
  }
  const scale = sharpeScale(of);
  return scale < DEGENERATE ? Number.NaN : Math.sqrt(scale / (periods - 1));
}

/**
 * PSR(SR*) = Φ((SR − SR*)/√((1 − γ₃·SR + (γ₄ − 1)/4·SR²)/(T − 1))): how sure it is that the true ratio is above
 * the benchmark, both of a period; in [0, 1], greater is surer. With `deflationBar` as the benchmark it is the
 * deflated Sharpe ratio. NaN where degenerate. RangeError as for `sharpeError`, and for a benchmark that is not
 * finite. Bailey and López de Prado (2012), J. Risk 15(2); (2014), J. Portfolio Management 40(5).
 */
export function probabilisticSharpe(of: SharpeRatio, benchmark: number): number {
  const z = standardised(of, benchmark);
  return Number.isNaN(z) ? z : normalCdf(z);
}

/**
 * 1 − PSR(SR*), from the tail itself: the one-sided p value of a true ratio no greater than the benchmark, exact
 * down to the smallest. NaN and RangeError as for `probabilisticSharpe`.
 */
export function sharpeTail(of: SharpeRatio, benchmark: number): number {
  const z = standardised(of, benchmark);
  return Number.isNaN(z) ? z : normalCdf(-z);
}

function standardised(of: SharpeRatio, benchmark: number): number {
  finite("benchmark", benchmark);
  return (of.sharpe - benchmark) / sharpeError(of);
}

const EULER_MASCHERONI = 0.5772156649015329;

/**
 * E[max] of N independent standard normals, about: (1 − γ)·Φ⁻¹(1 − 1/N) + γ·Φ⁻¹(1 − 1/(N·e)), γ Euler–Mascheroni;
 * 0 for N = 1, where the formula has none. 8 % too low at N = 2, 2.3 % too high at 10, 0.9 % at 100. Throws
 * RangeError unless N is an integer ≥ 1. Bailey, Borwein, López de Prado and Zhu (2014), Notices AMS 61(5).
 */
export function expectedMaximum(trials: number): number {
  if (!(Number.isSafeInteger(trials) && trials >= 1)) {
    throw new RangeError(`trials: expected an integer >= 1, got ${trials}`);
  }
  if (trials === 1) return 0;
  // −Φ⁻¹(q) is Φ⁻¹(1 − q) without the rounding of 1 − q.
  const plain = -normalQuantile(1 / trials);
  const outer = -normalQuantile(1 / (trials * Math.E));
  return (1 - EULER_MASCHERONI) * plain + EULER_MASCHERONI * outer;
}

/**
 * SR₀ = √V · E[max of N]: the ratio that the best of N trials without skill is expected to reach, in the units of
 * V's root; V the variance of the trials' ratios, ddof 1. 0 for N = 1. Throws RangeError for N as
 * `expectedMaximum`, and unless V is finite and ≥ 0. Bailey and López de Prado (2014), JPM 40(5).
 */
export function deflationBar(trials: number, variance: number): number {
  if (!(variance >= 0 && Number.isFinite(variance))) {
    throw new RangeError(`variance: expected a finite number >= 0, got ${variance}`);
  }
  return Math.sqrt(variance) * expectedMaximum(trials);
}

/**
 * MinTRL = 1 + (1 − γ₃·SR + (γ₄ − 1)/4·SR²)·(Φ⁻¹(level)/(SR − SR*))²: the periods, not rounded, from which on
 * PSR(SR*) is at least the level; fewer is better. Infinity where SR ≤ SR*, NaN where degenerate. RangeError as
 * for `sharpeScale`, for a benchmark that is not finite, and for a level outside [0.5, 1). Bailey and López de
 * Prado (2012), J. Risk 15(2).
 */
export function minimumTrackRecord(
  of: Omit<SharpeRatio, "periods">,
  benchmark: number,
  level: number,
): number {
  finite("benchmark", benchmark);
  if (!(level >= 0.5 && level < 1)) {
    throw new RangeError(`level: expected a number in [0.5, 1), got ${level}`);
  }
  const scale = sharpeScale(of);
  if (of.sharpe <= benchmark) return Infinity;
  if (scale < DEGENERATE) return Number.NaN;
  const ratio = normalQuantile(level) / (of.sharpe - benchmark);
  return 1 + scale * ratio * ratio;
}

/**
 * MinBTL = (E[max of N]/target)² years: with a shorter backtest, the best of N trials without skill is expected to
 * reach the target, a ratio of a year. 0 for N = 1. Throws RangeError for N as `expectedMaximum`, and unless the
 * target is finite and > 0. Bailey, Borwein, López de Prado and Zhu (2014), Notices AMS 61(5).
 */
export function minimumBacktestYears(trials: number, targetPerYear: number): number {
  if (!(targetPerYear > 0 && Number.isFinite(targetPerYear))) {
    throw new RangeError(`targetPerYear: expected a finite number > 0, got ${targetPerYear}`);
  }
  const ratio = expectedMaximum(trials) / targetPerYear;
  return ratio * ratio;
}

function finite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name}: expected a finite number, got ${value}`);
}
