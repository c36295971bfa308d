import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pairedRow } from "../../src/report/paired-rows.ts";
import { within } from "../stats/close.ts";

const LATEST = Float64Array.of(0.04, 0.09, 0.16, 0.01, 0.25, 0.04);
const ROUTED = Float64Array.of(0.25, 0.16, 0.36, 0.09, 0.25, 0.16);
const pair = { a: "latest", b: "routed", first: LATEST, second: ROUTED, clusters: [..."abcdef"] };

test("pairedRow: chapter 42: mean −.1133333, SE .0330320, t interval [−.198245, −.028422]", () => {
  const row = pairedRow(pair, 0.95);
  within(row.mean, -0.1133333, 5e-8);
  within(row.se as number, 0.033032, 5e-8);
  within(row.se_clustered as number, 0.033032, 5e-8);
  within(row.ci95?.[0] as number, -0.198245, 5e-7);
  within(row.ci95?.[1] as number, -0.028422, 5e-7);
  assert.deepEqual([row.a, row.b, row.n, row.clusters], ["latest", "routed", 6, 6]);
});

test("pairedRow: chapter 42's clusters (0,0,1,1,2,2): CR1 .0266667 beside the same SE", () => {
  const row = pairedRow({ ...pair, clusters: ["x", "x", "y", "y", "z", "z"] }, 0.95);
  within(row.se_clustered as number, 0.0266667, 5e-8);
  within(row.se as number, 0.033032, 5e-8);
  assert.equal(row.clusters, 3);
});

test("pairedRow: one event or one cluster has no error", () => {
  const one = pairedRow(
    { ...pair, first: LATEST.subarray(0, 1), second: ROUTED.subarray(0, 1), clusters: ["a"] },
    0.95,
  );
  within(one.mean, -0.21, 1e-12);
  assert.deepEqual([one.se, one.se_clustered, one.ci95, one.clusters], [null, null, null, 1]);
  const same = pairedRow({ ...pair, clusters: Array(6).fill("x") }, 0.95);
  assert.deepEqual([same.se_clustered, same.ci95, same.clusters], [null, null, 1]);
  assert.ok((same.se as number) > 0);
});

test("pairedRow: turned round, the mean changes its sign and the errors stay", () => {
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const rows = fc.array(fc.tuple(value, value, fc.constantFrom("u", "v", "w", "x")), {
    minLength: 2,
    maxLength: 40,
  });
  fc.assert(
    fc.property(rows, (given) => {
      const first = Float64Array.from(given, ([a]) => a);
      const second = Float64Array.from(given, ([, b]) => b);
      const clusters = given.map(([, , cluster]) => cluster);
      const row = pairedRow({ a: "a", b: "b", first, second, clusters }, 0.95);
      const turned = pairedRow({ a: "b", b: "a", first: second, second: first, clusters }, 0.95);
      within(turned.mean, -row.mean, 1e-12);
      within(turned.se ?? 0, row.se ?? 0, 1e-12);
      within(turned.se_clustered ?? 0, row.se_clustered ?? 0, 1e-9);
      assert.equal(turned.clusters, new Set(clusters).size);
    }),
  );
});
