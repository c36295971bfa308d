import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { forecastCaseOnDisk, parseForecastCase } from "../../src/caseset/forecast-case.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { parseInstant } from "../../src/core/instant.ts";
import type { Code } from "../../src/core/refusal.ts";
import { parseJson } from "../../src/core/strict-json.ts";
import { noted, refused } from "../core/refused.ts";
import { anyCase, caseOnDisk } from "./a-case.ts";

const AT = "cases.jsonl:4";
const parse = (value: unknown) => parseForecastCase(value, AT);

test("parseForecastCase ∘ forecastCaseOnDisk is the identity on every case in its one spelling", () => {
  fc.assert(
    fc.property(anyCase, (disk) => {
      const read = parse(disk);
      assert.ok(read !== undefined);
      const back = forecastCaseOnDisk(read);
      assert.deepEqual(back, disk);
      const again = parse(parseJson(canonical(back as unknown as Json), AT));
      assert.deepEqual(again, read);
    }),
  );
});

test("parseForecastCase: instants in any zone become one spelling, absent keys their defaults", () => {
  const { minimum_lead: _, leak_threshold: __, tags: ___, cluster: ____, ...bare } = caseOnDisk;
  const read = parse({ ...bare, freeze: "2014-06-01T00:00:00.000000-07:00" });
  assert.equal(read?.horizon, parseInstant("2014-06-01T07:00:00Z", "t", "t"));
  assert.deepEqual(
    [read?.minimumLead, read?.leakThreshold, read?.reference, read?.tags, read?.cluster, read?.place],
    [null, null, null, [], null, AT],
  );
  assert.equal(read?.subject, null);
  assert.ok(
    !Object.hasOwn(forecastCaseOnDisk(read as NonNullable<typeof read>), "subject"),
    "written where it is there",
  );
  assert.equal(forecastCaseOnDisk(read as NonNullable<typeof read>).freeze, "2014-06-01T07:00:00Z");
});

test("parseForecastCase: each fault is refused with its code and place, and its neighbour is read", () => {
  const { label_interval: _, ...noInterval } = caseOnDisk;
  const { question: __, ...noQuestion } = caseOnDisk;
  const resolution = (change: object) => ({
    ...caseOnDisk,
    resolution: { ...caseOnDisk.resolution, ...change },
  });
  const subject = (entity: unknown, values: unknown, more = {}) => ({
    ...caseOnDisk,
    subject: { entity, values, ...more },
  });
  const t = caseOnDisk.freeze;
  const rows: [code: Code, bad: unknown, good: unknown][] = [
    ["UnknownKey", { ...caseOnDisk, outcome: 1 }, caseOnDisk],
    ["UnknownKey", resolution({ outcome: 1 }), resolution({ source: "gauge" })],
    ["KeyMissing", noQuestion, caseOnDisk],
    ["FieldInvalid", { ...caseOnDisk, kind: "question" }, caseOnDisk],
    ["FieldInvalid", { ...caseOnDisk, id: "" }, { ...caseOnDisk, id: "x" }],
    ["FieldInvalid", { ...caseOnDisk, id: "a b" }, { ...caseOnDisk, id: "a_b" }],
    ["FieldInvalid", { ...caseOnDisk, id: "a\n" }, { ...caseOnDisk, id: "a" }],
    ["FieldInvalid", { ...caseOnDisk, reads: ["w", "w"] }, { ...caseOnDisk, reads: ["w", "v"] }],
    ["FieldInvalid", { ...caseOnDisk, leak_threshold: 5 }, { ...caseOnDisk, leak_threshold: 4 }],
    ["FieldInvalid", { ...caseOnDisk, leak_threshold: 0.5 }, { ...caseOnDisk, leak_threshold: 0 }],
    ["FieldInvalid", { ...caseOnDisk, label_interval: [t] }, { ...caseOnDisk, label_interval: [t, t] }],
    ["FieldInvalid", subject("Seattle", "numbers"), subject("Seattle", "number")],
    ["FieldInvalid", subject("Seattle", []), subject("Seattle", ["rain"])],
    ["FieldInvalid", subject("Seattle", ["rain", "rain"]), subject("Seattle", ["rain", "no rain"])],
    ["FieldInvalid", subject("Seattle", ["rain", ""]), subject("Seattle", ["rain", "0"])],
    ["FieldInvalid", subject("Seattle", ["rain", "?!"]), subject("Seattle", ["rain", "雨"])],
    ["FieldInvalid", subject("--", "number"), subject("É", "number")],
    ["FieldInvalid", subject("", "number"), subject("1", "number")],
    ["FieldInvalid", { ...caseOnDisk, subject: "Seattle" }, caseOnDisk],
    ["FieldInvalid", { ...caseOnDisk, subject: null }, caseOnDisk],
    ["KeyMissing", { ...caseOnDisk, subject: { entity: "Seattle" } }, subject("Seattle", "number")],
    ["UnknownKey", subject("Seattle", "number", { outcome: 1 }), subject("Seattle", "number")],
    ["FieldInvalid", { ...caseOnDisk, freeze: 1401606000 }, caseOnDisk],
    ["FieldInvalid", [caseOnDisk], caseOnDisk],
    ["InstantInvalid", { ...caseOnDisk, freeze: "2014-06-01" }, caseOnDisk],
    ["InstantInvalid", resolution({ vintage: "last" }), resolution({ vintage: t })],
    ["InstantInvalid", { ...caseOnDisk, label_interval: [t, "soon"] }, caseOnDisk],
    ["InstantTooFine", resolution({ at: "2014-06-02T07:00:00.0000001Z" }), caseOnDisk],
    ["DurationInvalid", { ...caseOnDisk, minimum_lead: "1h" }, { ...caseOnDisk, minimum_lead: "PT1H" }],
    ["EvalLabelIntervalMissing", noInterval, caseOnDisk],
    [
      "EvalLabelIntervalInvalid",
      { ...caseOnDisk, label_interval: [t, "2014-06-01T06:59:59.999999Z"] },
      { ...caseOnDisk, label_interval: [t, t] },
    ],
    ["EvalCaseResolvedBeforeFreeze", resolution({ at: "2014-05-20T07:00:00Z" }), resolution({ at: t })],
  ];
  for (const [code, bad, good] of rows) {
    const refusal = refused(code, () => parse(bad));
    assert.equal(refusal.details.place, AT);
    assert.notEqual(parse(good), undefined, code);
  }
});

test("parseForecastCase: the contract's own example of a case resolved before its freeze names both instants", () => {
  const bad = { ...caseOnDisk, resolution: { ...caseOnDisk.resolution, at: "2014-05-20T00:00:00Z" } };
  const { message } = refused("EvalCaseResolvedBeforeFreeze", () => parse(bad));
  assert.match(
    message,
    /case rain-2014-06-01: resolved at 2014-05-20T00:00:00Z, before .* 2014-06-01T07:00:00Z/,
  );
});

test("parseForecastCase: every fault of a line is noted", () => {
  const bad = {
    ...caseOnDisk,
    freeze: "2014-06-31T07:00:00Z",
    label_interval: ["2014-06-01", "2014-06-02T07:00:00.1234567Z"],
    minimum_lead: "1h",
  };
  assert.deepEqual(
    noted((complain) => assert.equal(parseForecastCase(bad, AT, complain), undefined)),
    [`InstantInvalid ${AT}`, `InstantInvalid ${AT}`, `InstantTooFine ${AT}`, `DurationInvalid ${AT}`],
  );
});
