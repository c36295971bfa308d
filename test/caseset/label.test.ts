import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { labelOnDisk, parseLabel } from "../../src/caseset/label.ts";
import { formatInstant } from "../../src/core/instant.ts";
import type { Code } from "../../src/core/refusal.ts";
import { refused } from "../core/refused.ts";
import { labelOnDisk as good } from "./a-case.ts";

const AT = "labels.jsonl:2";
const parse = (value: unknown) => parseLabel(value, AT);

test("parseLabel ∘ labelOnDisk is the identity on every label", () => {
  const micros = fc.maxSafeInteger();
  const labels = fc.record(
    {
      case: fc.string({ minLength: 1 }),
      outcome: fc.constantFrom<0 | 1 | "annulled">(0, 1, "annulled"),
      vintage: fc.string({ minLength: 1 }),
      resolved_at: micros.map(formatInstant),
      available_time: micros.map(formatInstant),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(labels, (disk) => {
      const label = parse(disk);
      assert.ok(label !== undefined);
      assert.deepEqual(labelOnDisk(label), disk);
      assert.deepEqual(parse(labelOnDisk(label)), label);
    }),
  );
});

test("parseLabel: each fault is refused with its code and place; absent is not zero", () => {
  const { outcome: _, ...noOutcome } = good;
  const { available_time: __, ...noAvailable } = good;
  const rows: [Code, unknown][] = [
    ["KeyMissing", noOutcome],
    ["KeyMissing", noAvailable],
    ["FieldInvalid", { ...good, outcome: null }],
    ["FieldInvalid", { ...good, outcome: "1" }],
    ["FieldInvalid", { ...good, outcome: 0.5 }],
    ["FieldInvalid", { ...good, outcome: true }],
    ["FieldInvalid", { ...good, case: "" }],
    ["UnknownKey", { ...good, probability: 0.5 }],
    ["InstantInvalid", { ...good, resolved_at: "2014-06-02" }],
    ["InstantTooFine", { ...good, available_time: "2014-06-02T07:00:00.1234567Z" }],
  ];
  for (const [code, bad] of rows) assert.equal(refused(code, () => parse(bad)).details.place, AT);
  for (const outcome of [0, 1, "annulled"]) assert.equal(parse({ ...good, outcome })?.outcome, outcome);
});
