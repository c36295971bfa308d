import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clusterMean, pairedDifference, tInterval } from "../../src/stats/cluster-mean.ts";
import { standardDeviation } from "../../src/stats/moments.ts";
import { minimumDetectableEffect } from "../../src/stats/power.ts";
import { close, within } from "./close.ts";

const LATEST = Float64Array.of(0.04, 0.09, 0.16, 0.01, 0.25, 0.04);
const ROUTED = Float64Array.of(0.25, 0.16, 0.36, 0.09, 0.25, 0.16);
const value = fc.double({ min: -1, max: 1, noNaN: true });

test("pairedDifference: chapter 42: mean −.1133333, SE .0330320, t interval [−.198245, −.028422]", () => {
  const pair = pairedDifference(LATEST, ROUTED)!;
  within(pair.mean, -0.1133333, 5e-8);
  within(pair.se, 0.033032, 5e-8);
  within(pair.df, 5, 1e-12);
  const [lo, hi] = tInterval(pair.mean, pair.se, pair.df, 0.95);
  within(lo, -0.198245, 5e-7);
  within(hi, -0.028422, 5e-7);
  // The chapter's MDE80 is by the normal quantiles.
  within(minimumDetectableEffect({ se: pair.se, df: null, alpha: 0.05, power: 0.8 }), 0.0925419, 6e-8);
});

test("pairedDifference: chapter 42's clusters (0,0,1,1,2,2): CR0 .0217732, CR1 .0266667", () => {
  const pair = pairedDifference(LATEST, ROUTED, Int32Array.of(0, 0, 1, 1, 2, 2))!;
  within(pair.seCr0, 0.0217732, 5e-8);
  within(pair.seCr1, 0.0266667, 5e-8);
  assert.deepEqual([pair.n, pair.clusters], [6, 3]);
});

test("clusterMean: each value its own cluster: s/√n and n − 1", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: 40 }), (sample) => {
      const values = Float64Array.from(sample);
      const fit = clusterMean(values)!;
      within(fit.se, standardDeviation(values) / Math.sqrt(values.length), 1e-14);
      close(fit.df, values.length - 1, 1e-12);
    }),
  );
});

test("clusterMean: equal clusters are their means: sd of the means over √G, and G − 1", () => {
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((size) =>
      fc.array(fc.array(value, { minLength: size, maxLength: size }), { minLength: 2, maxLength: 12 }),
    );
  fc.assert(
    fc.property(table, (groups) => {
      const fit = clusterMean(
        Float64Array.from(groups.flat()),
        Int32Array.from(groups.flatMap((group, g) => group.map(() => g))),
      )!;
      const means = groups.map((group) => group.reduce((a, b) => a + b, 0) / group.length);
      within(fit.se, standardDeviation(means) / Math.sqrt(groups.length), 1e-13);
      close(fit.df, groups.length - 1, 1e-11);
    }),
  );
});

test("clusterMean: for any clusters, df is at most G − 1 and a swap of a pair turns the sign", () => {
  const rows = fc.array(fc.record({ a: value, b: value, g: fc.integer({ min: 0, max: 5 }) }), {
    minLength: 2,
  });
  fc.assert(
    fc.property(rows, (pairs) => {
      const clusters = Int32Array.from(pairs, (row) => row.g);
      const a = Float64Array.from(pairs, (row) => row.a);
      const b = Float64Array.from(pairs, (row) => row.b);
      const there = pairedDifference(a, b, clusters);
      const back = pairedDifference(b, a, clusters);
      assert.equal(there === null, new Set(clusters).size < 2);
      if (there === null || back === null) return;
      assert.ok(there.df > 0 && there.df <= there.clusters - 1 + 1e-9);
      assert.equal(there.mean + back.mean, 0);
      within(there.se, back.se, 1e-15);
    }),
  );
});

test("tInterval: centred, wider at a higher level and with fewer df", () => {
  const df = fc.double({ min: 0.5, max: 100, noNaN: true });
  fc.assert(
    fc.property(value, fc.double({ min: 1e-3, max: 1, noNaN: true }), df, (estimate, se, degrees) => {
      const width = (level: number, d: number) => {
        const [lo, hi] = tInterval(estimate, se, d, level);
        within((lo + hi) / 2, estimate, 1e-9 * (1 + hi - lo));
        return hi - lo;
      };
      assert.ok(width(0.95, degrees) > width(0.9, degrees));
      assert.ok(width(0.95, degrees) > width(0.95, degrees + 1));
    }),
  );
  assert.deepEqual(tInterval(0.3, 0, 4, 0.95), [0.3, 0.3]);
});

test("clusterMean and tInterval: refusals", () => {
  assert.equal(clusterMean(Float64Array.of(0.3)), null);
  assert.throws(() => clusterMean(new Float64Array(0)), RangeError);
  assert.throws(() => clusterMean(Float64Array.of(1, Number.NaN)), RangeError);
  assert.throws(() => pairedDifference(LATEST, Float64Array.of(1)));
  assert.throws(() => tInterval(0, -1, 3, 0.95), RangeError);
  assert.throws(() => tInterval(0, 1, 0, 0.95), RangeError);
  assert.throws(() => tInterval(0, 1, 3, 1), RangeError);
});
