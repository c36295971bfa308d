import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { benjaminiHochberg, holm } from "../../src/stats/multiple-tests.ts";
import { close } from "./close.ts";

// Benjamini and Hochberg (1995), JRSS B 57(1), section 3.2: fifteen hypotheses of Neuhaus et al. (1992).
const PAPER = Float64Array.of(
  ...[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344],
  ...[0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1],
);
const rejected = (adjusted: Float64Array, level: number) => adjusted.filter((p) => p <= level).length;

const probabilities = fc
  .array(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.01, 0.05, 1)), {
    maxLength: 30,
  })
  .map((values) => Float64Array.from(values));

test("benjaminiHochberg: the paper's fifteen: four are rejected at 5 %, where Holm rejects three", () => {
  assert.equal(rejected(benjaminiHochberg(PAPER), 0.05), 4);
  assert.equal(rejected(holm(PAPER), 0.05), 3);
  // scipy 1.17, stats.false_discovery_control.
  const expected = [
    0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714286, 0.06385714285714286, 0.0645, 0.0765, 0.486,
    0.5811818181818181, 0.714875, 0.7532307692307693, 0.8132142857142857, 1,
  ];
  for (const [i, p] of benjaminiHochberg(PAPER).entries()) close(p, expected[i]!, 1e-14, `p[${i}]`);
});

test("holm: 15, 14, 13, … times the paper's, never falling, and at most 1", () => {
  const adjusted = holm(PAPER);
  const expected = [0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213, 1, 1, 1, 1, 1, 1];
  for (const [i, p] of adjusted.entries()) close(p, expected[i]!, 1e-14, `p[${i}]`);
});

/** The step-down and step-up rules, as the papers have them: rejected at the level, by place. */
function stepDown(p: Float64Array, level: number): boolean[] {
  const order = [...p.keys()].sort((a, b) => p[a]! - p[b]!);
  const kept = order.findIndex((i, rank) => p[i]! > level / (p.length - rank));
  const out = new Set(kept === -1 ? order : order.slice(0, kept));
  return [...p.keys()].map((i) => out.has(i));
}

function stepUp(p: Float64Array, level: number): boolean[] {
  const order = [...p.keys()].sort((a, b) => p[a]! - p[b]!);
  const last = order.findLastIndex((i, rank) => p[i]! <= ((rank + 1) / p.length) * level);
  const out = new Set(order.slice(0, last + 1));
  return [...p.keys()].map((i) => out.has(i));
}

test("holm, benjaminiHochberg: an adjusted value is the least level at which the stepwise rule rejects", () => {
  fc.assert(
    fc.property(probabilities, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (p, level) => {
      for (const [adjust, rule] of [
        [holm, stepDown],
        [benjaminiHochberg, stepUp],
      ] as const) {
        const adjusted = adjust(p);
        // Nowhere near a tie with the level, which rounding decides.
        fc.pre(adjusted.every((value) => Math.abs(value - level) > 1e-12));
        assert.deepEqual(
          [...adjusted].map((value) => value <= level),
          rule(p, level),
          adjust.name,
        );
      }
    }),
  );
});

test("holm, benjaminiHochberg: p ≤ BH ≤ Holm ≤ m·p; order kept, equals equal, whatever the order given", () => {
  fc.assert(
    fc.property(probabilities, (p) => {
      const [byHolm, byRate] = [holm(p), benjaminiHochberg(p)];
      const reversed = (adjust: typeof holm) => adjust(p.slice().reverse()).reverse();
      assert.deepEqual([reversed(holm), reversed(benjaminiHochberg)], [byHolm, byRate]);
      for (const [i, value] of p.entries()) {
        assert.ok(value <= byRate[i]! && byRate[i]! <= byHolm[i]! + 1e-15);
        assert.ok(byHolm[i]! <= Math.min(1, p.length * value));
        for (const [j, other] of p.entries()) {
          if (value <= other) assert.ok(byHolm[i]! <= byHolm[j]! && byRate[i]! <= byRate[j]!);
        }
      }
    }),
  );
});

test("holm, benjaminiHochberg: none, one, and what is no probability", () => {
  for (const adjust of [holm, benjaminiHochberg]) {
    assert.deepEqual(adjust(new Float64Array()), new Float64Array());
    assert.deepEqual(adjust(Float64Array.of(0.04)), Float64Array.of(0.04));
    assert.deepEqual(adjust(Float64Array.of(0, 1)), Float64Array.of(0, 1));
    for (const bad of [-1e-9, 1 + 1e-9, Number.NaN])
      assert.throws(() => adjust(Float64Array.of(0.5, bad)), /RangeError.*p\[1\]/);
  }
});
