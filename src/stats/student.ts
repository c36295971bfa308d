/** Student's t distribution for any real degrees of freedom: cumulative probability and quantile to 1e-12. */

import { assert } from "../core/assert.ts";
import { normalQuantile } from "./normal.ts";

const TERMS_MAX = 10_000;
const STEPS_MAX = 400;
const SETTLED = 1e-16;
const LOG_T_MAX = 709;

/**
 * P(T ≤ t), T with df degrees of freedom; in [0, 1], relative error below 1e-12 in the centre and the lower
 * tail. Throws RangeError for NaN, or df not finite and > 0. DLMF 8.17 (incomplete beta), 15.8.1 (Pfaff).
 */
export function studentCdf(t: number, df: number): number {
  requireDegrees(df);
  if (Number.isNaN(t)) throw new RangeError("t: expected a number, got NaN");
  if (t === 0) return 0.5;
  const { tail } = split(Math.abs(t), df);
  return t < 0 ? tail : 1 - tail;
}

/**
 * The t with P(T ≤ t) = p, relative error below 1e-12; −Infinity at 0, Infinity at 1, and Infinity where t
 * exceeds the largest double. Throws RangeError for p outside [0, 1], or df not finite and > 0.
 */
export function studentQuantile(p: number, df: number): number {
  requireDegrees(df);
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p: expected a number in [0, 1], got ${p}`);
  if (p === 0.5) return 0;
  const tail = p < 0.5 ? p : 1 - p; // exact: 1 − p loses nothing for p ≥ ½
  const size = tail === 0 ? Infinity : positiveQuantile(tail, df);
  return p < 0.5 ? -size : size;
}

function requireDegrees(df: number): void {
  if (!(df > 0 && Number.isFinite(df))) throw new RangeError(`df: expected a finite number > 0, got ${df}`);
}

/**
 * For t > 0: centre = P(0 < T < t), tail = P(T > t), and slope = t·density(t), each without cancellation
 * where small.
 */
function split(t: number, df: number): { centre: number; tail: number; slope: number } {
  const a = df / 2;
  const square = t * t;
  const y = Number.isFinite(square) ? square / (df + square) : 1;
  // log(1 + t²/df), also where t² overflows
  const logOnePlus = t < 1e100 ? Math.log1p(square / df) : 2 * Math.log(t) - Math.log(df);
  const scale = gammaHalfRatio(a) / Math.sqrt(Math.PI);
  const power = Math.exp(-a * logOnePlus);
  const slope = scale * power * Math.sqrt(y); // t·density = scale·(1+t²/df)^(−a)·√(t²/(df+t²))
  if (y < 1.5 / (a + 2.5)) {
    const centre = slope * centreSeries(a, y);
    return { centre, tail: 0.5 - centre, slope };
  }
  const lambda = Number.isFinite(square) ? (a * (square - 1)) / (df + square) : a;
  const tail = (0.5 * slope) / tailFraction(a, y, lambda);
  return { centre: 0.5 - tail, tail, slope };
}

/** ₂F₁(1, a + ½; 3/2; y): every term positive. */
function centreSeries(a: number, y: number): number {
  let term = 1;
  let total = 1;
  for (let n = 0; n < TERMS_MAX; n++) {
    term *= ((a + 0.5 + n) / (1.5 + n)) * y;
    total += term;
    if (term < SETTLED * total) return total;
  }
  assert(false, `student: the series did not settle at a ${a}, y ${y}`);
}

/**
 * The even part of the continued fraction of I_x(a, ½), x = 1 − y, in the form that keeps λ = a − (a + ½)x
 * apart, so that nothing cancels at large a. Didonato and Morris (1992), ACM TOMS 18(3), algorithm 708,
 * BFRAC; by Lentz.
 */
function tailFraction(a: number, y: number, lambda: number): number {
  const x = 1 - y;
  let value = (a / (a + 1)) * (lambda + 1);
  let above = value;
  let below = 0;
  for (let n = 1; n < TERMS_MAX; n++) {
    const middle = a + 2 * n - 1;
    const ratio = n * (0.5 - n) * x;
    const numerator = ((a + n - 1) / middle) * ((a + n - 0.5) / middle) * ratio * x;
    const denominator = n + ratio / middle + ((a + n) / (a + 2 * n + 1)) * (lambda + 1 + n * (1 + y));
    below = 1 / (denominator + numerator * below);
    above = denominator + numerator / above;
    const factor = above * below;
    value *= factor;
    if (Math.abs(factor - 1) < 2 * SETTLED) return value;
  }
  assert(false, `student: the fraction did not settle at a ${a}, y ${y}`);
}

/**
 * Γ(a + ½)/Γ(a): shifted up to 16, then the difference of two Stirling series, so that large a loses nothing.
 */
function gammaHalfRatio(a: number): number {
  let product = 1;
  let z = a;
  while (z < 16) {
    product *= z / (z + 0.5);
    z += 1;
  }
  const exponent = z * Math.log1p(0.5 / z) - 0.5 + stirling(z + 0.5) - stirling(z);
  return product * Math.sqrt(z) * Math.exp(exponent);
}

/** log Γ(z) − ((z − ½) log z − z + ½ log 2π), z ≥ 16. DLMF 5.11.1. */
function stirling(z: number): number {
  const r = 1 / (z * z);
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (r * 1) / 1188) * r) * r) * r) / z;
}

/**
 * Newton in log t inside a bracket. Below a tail of ¼ it solves log P(T > t) = log tail; above, log P(0 < T <
 * t) = log(½ − tail). Both are concave in log t and nearly straight where t is far from 1.
 */
function positiveQuantile(tail: number, df: number): number {
  const byTail = tail < 0.25;
  const target = Math.log(byTail ? tail : 0.5 - tail);
  let low = -LOG_T_MAX;
  let high = LOG_T_MAX;
  let at = Math.log(-normalQuantile(tail));
  for (let step = 0; step < STEPS_MAX; step++) {
    const { centre, tail: reached, slope } = split(Math.exp(at), df);
    const share = byTail ? reached : centre;
    const excess = Math.log(share) - target;
    if (excess > 0 === byTail) low = at;
    else high = at;
    const newton = at - (excess * share) / (byTail ? -slope : slope);
    const next = newton >= low && newton <= high ? newton : (low + high) / 2;
    if (Math.abs(next - at) <= 4e-16 * Math.max(1, Math.abs(at)) || excess === 0) return Math.exp(next);
    if (low >= LOG_T_MAX - 1e-9) return Infinity;
    at = next;
  }
  return Math.exp(at);
}
