/** The control's arm: a checkpoint that precedes every horizon answers every case, or the plan says why none does. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BoundedCase } from "../../src/caseset/bounded-case.ts";
import { controlArm, planArms } from "../../src/run/arms.ts";
import type { StagedArm } from "../../src/run/staging.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, familyOf } from "../support/daily-set.ts";

const { cases } = (await dailySet({ days: 80, from: 20 })).set; // horizons from 2020-01-21 to 2020-03-20
const family = familyOf(
  ["old", "2019-06:documented"],
  ["newer", "2019-11:documented"],
  ["between", "2020-01:documented"],
  ["newest", "2020-02:documented"],
);
const answeredBy = (snapshot: string, wanted: { snapshot: string | null } | null) =>
  planArms(cases, family, wanted).assignments.filter(({ arm }) => arm === controlArm(snapshot)).length;

describe("the control of every case", () => {
  it("is not there unless it is wanted: controls answer what the latest cannot remember, and no more", () => {
    const plan = planArms(cases, family, null);
    assert.deepEqual([plan.control, plan.withoutControl], [null, null]);
    assert.deepEqual(
      plan.controls.map(({ snapshot }) => snapshot),
      ["between", "newer"],
    );
    assert.ok(answeredBy("newer", null) > 0 && answeredBy("newer", null) < cases.length);
  });

  it("is the newest checkpoint that precedes every horizon, and answers every case once", () => {
    const plan = planArms(cases, family, { snapshot: null });
    assert.equal(plan.control?.snapshot, "newer");
    const own = plan.assignments.filter(({ arm }) => arm === controlArm("newer"));
    assert.deepEqual(
      own.map(({ caseIndex }) => caseIndex),
      cases.map((_, i) => i),
    );
    assertEvery(own, ({ checkpoint }) => checkpoint === plan.control);
  });

  it("is the one that is named, though it has no placebo to answer for", () => {
    assert.equal(answeredBy("old", { snapshot: "old" }), cases.length);
    assert.equal(answeredBy("newer", { snapshot: "old" }), answeredBy("newer", null));
  });

  it("is none, with the reason, where the named one is too new, or the family has none that is old enough", () => {
    const tooNew = planArms(cases, family, { snapshot: "between" });
    assert.match(tooNew.withoutControl as string, /^between does not precede the first horizon 2020-01-21T/);
    assert.equal(tooNew.control, null);
    const young = familyOf(["between", "2020-01:documented"], ["newest", "2020-02:documented"]);
    assert.match(
      planArms(cases, young, { snapshot: null }).withoutControl as string,
      /^no checkpoint of the family/,
    );
    const one = familyOf(["newer", "2019-11:documented"]);
    assert.match(
      planArms(cases, one, { snapshot: null }).withoutControl as string,
      /the latest checkpoint itself/,
    );
    assert.match(planArms(cases, null, { snapshot: null }).withoutControl as string, /^no family/);
  });

  it("is refused where the family has no such snapshot", () => {
    const { message } = refused("FieldInvalid", () => planArms(cases, family, { snapshot: "oldest" }));
    assert.match(
      message,
      /leakage\.control: oldest, expected a snapshot of the family: old, newer, between, newest/,
    );
  });
});

describe("a staged arm", () => {
  const staged = (arm: string, concerns: (item: BoundedCase) => boolean) =>
    ({ arm, concerns, table: "readings", waived: false }) satisfies StagedArm;
  const even = ({ id }: BoundedCase) => Number(id.slice(-1)) % 2 === 0;

  it("is the routed checkpoint's once more, in each case that it concerns, in the order of arms", () => {
    for (const [of, wanted] of [
      [null, null],
      [family, { snapshot: null }],
    ] as const) {
      for (const arm of ["a", "control", "more", "zoo"]) {
        const without = planArms(cases, of, wanted);
        const plan = planArms(cases, of, wanted, staged(arm, even));
        const [own, others] = [true, false].map((is) =>
          plan.assignments.filter((one) => (one.arm === arm) === is),
        );
        assert.deepEqual(others, without.assignments);
        const routed = without.assignments.filter((one) => one.arm === "routed");
        const expected = routed.filter(({ caseIndex }) => even(cases[caseIndex] as BoundedCase));
        assert.deepEqual(
          own,
          expected.map((one) => ({ ...one, arm })),
        );
        assert.deepEqual(plan.staged?.cases, new Set(expected.map(({ caseIndex }) => caseIndex)));
        const order = plan.assignments.map((one) => `${String(one.caseIndex).padStart(3, "0")} ${one.arm}`);
        assert.deepEqual(order, [...order].sort());
      }
    }
  });

  it("is none where it concerns no case, and may not have another arm's name", () => {
    assert.deepEqual(
      planArms(
        cases,
        family,
        null,
        staged("more", () => false),
      ),
      planArms(cases, family, null),
    );
    for (const arm of ["routed", "latest", "control:old"])
      assert.throws(() => planArms(cases, family, null, staged(arm, even)), /is one already/);
  });
});
