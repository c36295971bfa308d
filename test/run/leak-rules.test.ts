/** What a profile declares of leakage: nothing by itself, lengths in days, and refusals that say what is missing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contract } from "../../src/core/contract.ts";
import { type LeakKeys, leakRules, wantedControl } from "../../src/run/leak-rules.ts";
import { refused } from "../core/refused.ts";

const rules = (keys: LeakKeys) => leakRules(keys, "p.yaml");

describe("leak rules", () => {
  it("are off where nothing is declared", () => {
    assert.deepEqual(rules({}), { slices: null, threshold: null, judge: null, queries: null });
    assert.equal(wantedControl(rules({})), null);
  });

  it("take a threshold and a judge without a reference: what tools let through is measured against none", () => {
    const { slices, threshold, judge, queries } = rules({
      leakage: { leak_threshold: 3 },
      judge: "floor",
      query_findings: "fail",
    });
    assert.deepEqual([slices, threshold, judge, queries], [null, 3, "floor", "fail"]);
  });

  it("have no judge where the profile says none", () => {
    assert.equal(rules({ judge: "none" }).judge, null);
  });

  it("count lengths in days, a month as 365.2425 / 12 of them", () => {
    const { slices } = rules({ leakage: { reference: "discontinuity", bandwidth: "P6M", donut: "P1DT12H" } });
    assert.deepEqual(slices, {
      references: ["discontinuity"],
      bandwidth: 365.2425 / 2,
      donut: 1.5,
      cluster: "declared",
      control: null,
      power: contract.power,
    });
  });

  it("want a control only where it is a reference, by name or whichever can be one", () => {
    const control = { reference: ["clean-control" as const] };
    assert.deepEqual(wantedControl(rules({ leakage: control })), { snapshot: null });
    assert.deepEqual(wantedControl(rules({ leakage: { ...control, control: "old-1" } })), {
      snapshot: "old-1",
    });
    assert.equal(
      wantedControl(rules({ leakage: { reference: "discontinuity", bandwidth: "P90D", control: "old-1" } })),
      null,
    );
  });

  it("refuse slices without a reference, and accept the nearest that has one", () => {
    const { message, hint } = refused("EvalLeakReferenceUndeclared", () =>
      rules({ leakage: { bandwidth: "P90D", donut: "P1D" } }),
    );
    assert.match(message, /^EvalLeakReferenceUndeclared: p\.yaml: leakage: bandwidth, donut declared/);
    assert.match(hint as string, /reference: discontinuity/);
    assert.ok(rules({ leakage: { bandwidth: "P90D", donut: "P1D", reference: "discontinuity" } }).slices);
  });

  it("refuse a discontinuity without a bandwidth, and a donut that leaves none of half of it", () => {
    const wide = { reference: "discontinuity" as const, bandwidth: "P90D" };
    assert.match(
      refused("FieldInvalid", () => rules({ leakage: { reference: "discontinuity" } })).message,
      /leakage\.bandwidth: absent/,
    );
    assert.match(
      refused("FieldInvalid", () => rules({ leakage: { ...wide, donut: "P45D" } })).message,
      /leakage\.donut: P45D, with a bandwidth of P90D/,
    );
    assert.equal(rules({ leakage: { ...wide, donut: "P44D" } }).slices?.donut, 44);
    refused("DurationInvalid", () => rules({ leakage: { ...wide, bandwidth: "90 days" } }));
  });
});
