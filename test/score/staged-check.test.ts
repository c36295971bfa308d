/** The staged check alone: what counts as served, as asked, as held. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import type { Digest } from "../../src/core/digest.ts";
import { rowDigest } from "../../src/core/row-ref.ts";
import type { Entry } from "../../src/run/entry.ts";
import type { PlantRecord } from "../../src/run/plant-record.ts";
import type { Trajectory } from "../../src/run/record.ts";
import type { StagedPlan } from "../../src/run/staging.ts";
import { checkStaged } from "../../src/score/staged-check.ts";
import { assertEvery } from "../support/all.ts";

const row = { available_at: "2021-01-01T00:00:00Z", body: { d: -0.5 }, ref: "gone#m7" };
const other = { available_at: "2021-01-01T00:00:00Z", body: {}, ref: "members#m1,1" };
const record = (kind: PlantRecord["kind"], fields: Partial<PlantRecord>): PlantRecord => ({
  ...{ available_at: "", case: "c", digest: "", real: "", ref: "", table: "members" },
  ...fields,
  kind,
});
const must = record("staged-must", { digest: rowDigest(row), ref: row.ref, table: "gone" });
const staged = [must, record("staged-entity", { ref: "m7" }), record("planted-entity", { ref: "m8" })];
const plan: StagedPlan = {
  ...{ arm: "more", table: "members", waived: false, concerns: () => true },
  cases: new Set([0]),
};

type Call = { readonly name?: string; readonly args?: Json; readonly said: Json };
const call = (args: Json, said: Json, name = "rows"): Call => ({ name, args, said });
const nothing = { rows: [] };

function check(calls: readonly Call[], of: Partial<Trajectory> = {}, positions = {}, rules = plan) {
  const bodies = new Map(calls.map(({ said }, i) => [`sha256:${i}`, said]));
  const entries = [
    ...calls.map(({ name, args }, step) => ({ kind: "tool", name, args, step, result: `sha256:${step}` })),
    { kind: "answer", step: calls.length },
  ] as unknown as Entry[];
  const body = (digest: Digest) => bodies.get(digest) as Json;
  const trajectory: Trajectory = {
    caseIndex: 0,
    arm: "more",
    repeat: 0,
    entries,
    plants: [],
    staged,
    body,
    ...of,
  };
  return checkStaged(trajectory, entries, positions, rules);
}

test("served: by reference and digest, of whatever tool and in whatever order; another row is not it", () => {
  const calls = [
    call({ table: "gone" }, { rows: [row] }),
    call({ query: "x" }, { rows: [other, row], scores: [1, 1] }, "search"),
  ];
  for (const one of calls)
    assert.deepEqual(check([call({}, nothing), one]), { state: "served", failures: [] });
  for (const changed of [
    { ...row, body: { d: -0.4 } },
    { ...row, ref: "gone#m6" },
  ]) {
    const found = check([call({ table: "members" }, nothing), call({ table: "gone" }, { rows: [changed] })]);
    assert.deepEqual([found?.state, found?.failures[0]?.rule], ["not-served", "staged-not-served"]);
  }
});

test("asked: a call that names the table, or a reply that shows a row of it; nothing else", () => {
  const asked = [
    call({ table: "members" }, nothing, "members"),
    call({ measure: "count", table: "members" }, { n: 3, value: 3 }, "aggregate"),
    call({ table: "members", where: { no: 1 } }, { fault: { class: "bad_request", message: "no" } }),
    call({ query: "m" }, { rows: [other], scores: [1] }, "search"),
  ];
  assertEvery(asked, (one) => check([one])?.state === "not-served");
  const unasked = [
    call({ table: "prices" }, { rows: [{ ...other, ref: "prices#members" }] }),
    call(null, nothing),
  ];
  assertEvery(unasked, (one) => check([one])?.state === "not-asked");
  assert.equal(check([])?.failures[0]?.rule, "staged-not-exercised");
});

test("not exercised is waived by its rule alone, and so is what could not be staged", () => {
  const waived = { ...plan, waived: true };
  assert.deepEqual(check([], {}, {}, waived), { state: "not-asked", failures: [] });
  const none = { staged: [record("staged-none", {})] };
  assert.equal(check([], none)?.failures[0]?.detail, "no row that could be staged");
  assert.deepEqual(check([call({ table: "members" }, nothing)], none, {}, waived), {
    state: "not-staged",
    failures: [],
  });
  assert.equal(check([call({ table: "members" }, nothing)], {}, {}, waived)?.failures.length, 1);
});

test("held: in a scored arm alone, any weight that is not 0, of a staged or a planted name", () => {
  const held = (positions: object, arm = "routed") =>
    check([], { arm }, positions)?.failures.map(({ rule }) => rule);
  for (const name of ["m7", "m8"]) {
    assert.deepEqual(held({ m1: 0.5, [name]: -0.1 }), ["position-in-plant"]);
    assert.deepEqual(held({ m1: 0.5, [name]: 0 }), []);
    assert.deepEqual(held({ [name]: 0.1 }, "more"), ["staged-not-exercised"]);
  }
  assert.deepEqual(held({ m1: 0.5, toString: 1 }), []);
});

test("a case without a staged arm, and a run without one, is not looked at", () => {
  assert.equal(check([], { caseIndex: 1 }), null);
  assert.equal(check([], {}, { m7: 1 }, null as never), null);
});
