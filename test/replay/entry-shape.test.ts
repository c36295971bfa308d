import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { limits } from "../../src/core/limits.ts";
import { faultClasses, noUsage } from "../../src/model/reader.ts";
import { type RecordedEntry, recordedFaults, shapeFault } from "../../src/replay/entry-shape.ts";
import type { Entry } from "../../src/run/entry.ts";
import { assertEvery } from "../support/all.ts";

const text = fc.string({ unit: "grapheme" });
const name = fc.string({ unit: "grapheme", minLength: 1 });
const digest = text.map((seed) => digestOf(seed));
const count = fc.maxSafeNat();
const amount = fc.option(
  fc.oneof(fc.nat(), fc.double({ min: 0, max: limits.usage, noNaN: true, noDefaultInfinity: true })),
);
const used = fc.record({
  input_tokens: amount,
  cached_input_tokens: amount,
  output_tokens: amount,
  cost: amount,
  model_calls: amount,
  retries: amount,
});
const usage = fc.option(used);
const status = fc.option(fc.integer({ min: 100, max: 999 }));
const anyFault = fc.constantFrom(...recordedFaults);
const retry = fc.record({ class: anyFault, status, ms: count, wait_ms: count });
const args = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const instant = fc.constantFrom(
  "2014-06-01T07:00:00Z",
  "2026-11-30T09:11:15.123Z",
  "2014-06-02T06:59:59.999999Z",
);
const call = { args, result: digest, bytes: count, ms: count };
const made = { usage, ms: count };
const modelled = {
  name: text,
  model: text,
  served: fc.option(text),
  request: digest,
  result: digest,
  bytes: count,
  status,
  class: fc.option(anyFault),
  retries: fc.array(retry, { maxLength: 3 }),
  cached: fc.boolean(),
  usage: used,
  ms: count,
};
const judged = fc.record({
  dimension: text,
  document: digest.map((each) => each.slice(7)),
  ref: text,
  reference_answer: text,
});
const is = <T extends string>(kind: T) => fc.constant(kind);
const bodies = fc.oneof(
  fc.record({ kind: is("probe"), name: fc.constantFrom("presence", "absence"), ...call }),
  fc.record(
    {
      kind: is("tool"),
      name: text,
      unplanted: digest,
      in_reach: fc.boolean(),
      planted: fc.integer({ min: 1 }),
      usage,
      ...call,
    },
    { requiredKeys: ["kind", "name", "unplanted", "in_reach", "usage", "args", "result", "bytes", "ms"] },
  ),
  fc.record({ kind: is("model"), ...modelled }),
  fc.record({ kind: is("judge"), ...modelled, args: judged, value: fc.option(fc.nat(4)), reason: text }),
  fc.record({ kind: is("answer"), probability: fc.double({ min: 0, max: 1, noNaN: true }), ...made }),
  fc.record({ kind: is("decline"), reason: text, ...made }),
  fc.record(
    { kind: is("fault"), class: anyFault, message: text, broke: is("ReaderSawLater"), ...made },
    { requiredKeys: ["kind", "class", "message", "usage", "ms"] },
  ),
  fc.record({ kind: is("end"), steps: count }),
  fc.record({ kind: is("end"), abandoned: count }),
);
const standing = fc.record({
  v: is("blindcast.entry/1"),
  run: name,
  seq: count,
  at: instant,
  arm: name,
  repeat: count,
  attempt: count,
  step: count,
  prev: digest.map((each) => each.slice(7)),
});
const bound = fc.record({ case: name, horizon: instant, as_of: instant, view: digest }, { requiredKeys: [] });
type Loose = { readonly [key: string]: Json };
const entries = fc
  .tuple(bodies, standing, bound)
  .map(([body, where, within]) => JSON.parse(JSON.stringify({ ...body, ...where, ...within })) as Loose);

/** What may be absent: the bound, how many plants an answer was made from, the rule that an ask broke. */
const optional = ["case", "horizon", "as_of", "view", "planted", "broke"];

test("shape: every entry of every kind passes, with its bound whole, in part or absent", () => {
  fc.assert(
    fc.property(entries, (entry) => assert.equal(shapeFault(entry), undefined)),
    { numRuns: 500 },
  );
});

test("shape: an entry that lacks a key, and one that has another, does not pass; the key is named", () => {
  const property = fc.property(entries, fc.nat(), fc.string({ minLength: 1 }), (entry, at, spare) => {
    const keys = Object.keys(entry);
    const key = keys[at % keys.length] as string;
    const { [key]: _, ...rest } = entry;
    const fault = shapeFault(rest);
    if (optional.includes(key)) assert.equal(fault, undefined);
    else if (key === "v") assert.equal(fault?.code, "EntryTypeUnknown");
    else assert.equal(fault?.code, "EntryShapeWrong");
    if (!optional.includes(key) && !["steps", "abandoned"].includes(key)) assert.equal(fault?.field, key);
    if (keys.includes(spare) || optional.includes(spare)) return;
    const more = shapeFault({ ...entry, [spare]: 1 });
    assert.deepEqual([more?.code, more?.field], ["EntryShapeWrong", spare]);
  });
  fc.assert(property, { numRuns: 500 });
});

/** For each key, values that no entry may have there, and their nearest that one may. */
const wrong: { readonly [key: string]: readonly Json[] } = {
  seq: [-1, 1.5, 9_007_199_254_740_992, "1", null],
  step: [-1],
  repeat: [true],
  attempt: [[]],
  bytes: [0.5],
  ms: [-0.5],
  steps: [-1, "1"],
  abandoned: [null],
  planted: [0, -1],
  run: ["", 1],
  arm: [""],
  case: ["", 5, null],
  at: [
    "",
    "2014-06-01",
    "2014-06-01T07:00:00",
    "2014-06-01T07:00:00+00:00",
    "2014-06-01T07:00:00.1234567Z",
    " 2014-06-01T07:00:00Z",
  ],
  horizon: ["2014-06-01t07:00:00z", 5],
  as_of: [null],
  view: [`sha256:${"A".repeat(64)}`, `sha256:${"a".repeat(63)}`, "a".repeat(64)],
  result: ["sha256:"],
  unplanted: [null],
  prev: ["a".repeat(63), "A".repeat(64), `sha256:${"a".repeat(64)}`, `${"a".repeat(64)}\n`],
  in_reach: [0, "true", null],
  probability: [-0.01, 1.01, "0.5", null],
  class: ["slow", 1],
  message: [5],
  reason: [null],
  kind: ["judged", 5, null, "toString", "__proto__"],
  usage: [
    5,
    {},
    [],
    { cost: 1, input_tokens: 1, output_tokens: 1 },
    { ...noUsage, cost: -1 },
    { ...noUsage, cost: 1e13 },
    { ...noUsage, input_tokens: limits.usage + 1 },
    { ...noUsage, cost: "1" },
    { ...noUsage, more: 1 },
  ],
  broke: ["", "ReaderSawNothing", null],
  model: [null, 5],
  served: [5],
  request: ["sha256:", null],
  status: [99, 1000, "200", 200.5],
  retries: [
    null,
    {},
    [5],
    [{ class: "slow", status: null, ms: 1, wait_ms: 1 }],
    [{ class: "timeout", status: null, ms: 1.5, wait_ms: 1 }],
    [{ class: "timeout", status: null, ms: 1 }],
    [{ class: "timeout", status: null, ms: 1, wait_ms: 1, more: 1 }],
  ],
  cached: [null, 0],
  value: ["1", true, 5, -1, 0.5],
};

test("shape: a value of another type or out of its range does not pass, at each key of each kind", () => {
  const tried = new Set<string>();
  const property = fc.property(entries, (entry) => {
    for (const [key, values] of Object.entries(wrong)) {
      if (!Object.hasOwn(entry, key)) continue;
      tried.add(key);
      for (const value of values) {
        const fault = shapeFault({ ...entry, [key]: value });
        assert.deepEqual([fault?.code, fault?.field], ["EntryShapeWrong", key], JSON.stringify(value));
      }
    }
  });
  fc.assert(property, { numRuns: 200 });
  assert.deepEqual([...tried].sort(), Object.keys(wrong).sort());
});

test("shape: what was judged is a document by its digest, with its reference, as texts and nothing else", () => {
  const judgements = entries.filter(({ kind }) => kind === "judge");
  const property = fc.property(judgements, (entry) => {
    const of = entry["args"] as Loose;
    const { ref: _, ...less } = of;
    const odd: Json[] = [null, [], "x", {}, less, { ...of, more: "" }, { ...of, ref: { a: 1 } }];
    for (const args of [...odd, { ...of, document: "a".repeat(63) }, { ...of, document: 3 }]) {
      const fault = shapeFault({ ...entry, args });
      assert.deepEqual([fault?.code, fault?.field], ["EntryShapeWrong", "args"], JSON.stringify(args));
    }
  });
  fc.assert(property, { numRuns: 100 });
});

test("shape: what is no entry at all has another type", () => {
  const values: Json[] = [null, true, 1, "a", [], [{}], {}, { v: "blindcast.entry/2" }, { v: 1 }];
  assertEvery(values, (value) => shapeFault(value)?.code === "EntryTypeUnknown");
});

test("shape: a key named __proto__ is a key like any other", () => {
  const [entry] = fc.sample(entries, 1) as [Loose];
  const sly = JSON.parse(`${JSON.stringify(entry).slice(0, -1)},"__proto__":{"v":1}}`) as Json;
  assert.deepEqual([shapeFault(sly)?.code, shapeFault(sly)?.field], ["EntryShapeWrong", "__proto__"]);
});

test("shape: an entry that was read is one that a run writes, once its bound is whole", () => {
  const whole = (entry: RecordedEntry): Entry | undefined => {
    const { case: id, horizon, as_of, view } = entry;
    if (id === undefined || horizon === undefined || as_of === undefined || view === undefined)
      return undefined;
    return { ...entry, case: id, horizon, as_of, view };
  };
  assert.deepEqual(recordedFaults, faultClasses);
  assert.equal(typeof whole, "function");
});
