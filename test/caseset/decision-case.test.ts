/** Decision cases: read and written again, and what of them is refused, each beside the nearest that is not. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { caseOnDisk, parseCase } from "../../src/caseset/bounded-case.ts";
import {
  type DecisionCaseOnDisk,
  decisionCaseOnDisk,
  parseDecisionCase,
} from "../../src/caseset/decision-case.ts";
import { loadCaseSet } from "../../src/caseset/load.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noted, refused, temporary, written } from "../core/refused.ts";

const good: DecisionCaseOnDisk = {
  id: "2003-05",
  kind: "decision",
  question: "What to hold in May?",
  horizon: "2003-05-01T04:00:00Z",
  reads: ["index", "members"],
  label_interval: ["2003-05-01T04:00:00Z", "2003-06-01T03:59:59.999999Z"],
  answer: "positions",
  window: ["2002-05-01T04:00:00Z", "2003-05-01T04:00:00Z"],
  universe: "members",
};

const micros = fc.integer({ min: -5e15, max: 5e15 });
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9.]{0,12}$/);

test("parseDecisionCase ∘ decisionCaseOnDisk keeps every case, optional keys there or not", () => {
  const anyCase = fc
    .record({
      horizon: micros,
      length: fc.integer({ min: 0, max: 1e13 }),
      lead: fc.integer({ min: 0, max: 1e13 }),
      span: fc.integer({ min: 1, max: 1e13 }),
      windowed: fc.boolean(),
      who: fc.oneof(
        fc.record({ universe: name }),
        fc.record({ members: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }) }),
        fc.constant({}),
      ),
      more: fc.record(
        { tags: fc.array(name, { minLength: 1, maxLength: 3 }), cluster: name },
        { requiredKeys: [] },
      ),
    })
    .map(({ horizon, length, lead, span, windowed, who, more }): DecisionCaseOnDisk => {
      const until = horizon - lead;
      const { universe } = who as { universe?: string };
      return {
        id: "one",
        kind: "decision",
        question: "What?",
        horizon: formatInstant(horizon),
        reads: universe === undefined ? [] : [universe],
        label_interval: [formatInstant(horizon), formatInstant(horizon + length)],
        answer: "positions",
        ...(windowed ? { window: [formatInstant(until - span), formatInstant(until)] } : {}),
        ...who,
        ...more,
      };
    });
  fc.assert(
    fc.property(anyCase, (disk) => {
      const item = parseDecisionCase(disk, "cases.jsonl:1");
      assert.ok(item !== undefined);
      assert.deepEqual(decisionCaseOnDisk(item), disk);
      assert.deepEqual(caseOnDisk(item), disk);
      assert.equal(item.resolvedAt, item.labelInterval[1]);
    }),
    { numRuns: 300 },
  );
});

test("parseDecisionCase: each fault by its code, and the nearest case is read", () => {
  const { label_interval, ...without } = good;
  const cases: [string, object, string][] = [
    ["no label interval", without, "EvalLabelIntervalMissing"],
    [
      "an inverted one",
      { ...good, label_interval: [...(label_interval as string[])].reverse() },
      "EvalLabelIntervalInvalid",
    ],
    [
      "an end before the horizon",
      { ...good, label_interval: ["2003-01-01T00:00:00Z", "2003-05-01T03:59:59Z"] },
      "EvalCaseResolvedBeforeFreeze",
    ],
    [
      "a window after the horizon",
      { ...good, window: ["2002-05-01T04:00:00Z", "2003-05-01T04:00:00.000001Z"] },
      "FieldInvalid",
    ],
    [
      "an empty window",
      { ...good, window: ["2003-05-01T04:00:00Z", "2003-05-01T04:00:00Z"] },
      "FieldInvalid",
    ],
    ["a universe that is not read", { ...good, universe: "crew" }, "FieldInvalid"],
    ["members beside a universe", { ...good, members: ["a"] }, "FieldInvalid"],
    ["no members", { ...good, universe: undefined, members: [] }, "FieldInvalid"],
    ["an answer of another kind", { ...good, answer: "probability" }, "FieldInvalid"],
    ["a freeze", { ...good, freeze: good.horizon }, "UnknownKey"],
  ];
  for (const [what, value, code] of cases) {
    const plain = JSON.parse(JSON.stringify(value)) as unknown;
    const found = noted((complain) => parseDecisionCase(plain, "c:1", complain));
    assert.ok(found.length > 0, what);
    assert.equal(found[0], `${code} c:1`, what);
  }
  assert.ok(parseDecisionCase(good, "c:1"));
  assert.ok(
    parseDecisionCase({ ...good, label_interval: [good.horizon, good.horizon] }, "c:1"),
    "a label of no length",
  );
  assert.equal(parseCase("decision", good, "c:1")?.kind, "decision");
});

test("loadCaseSet: a set is of one kind, and decisions have no labels", () => {
  const folder = temporary();
  const yaml =
    "name: few\nkind: decision\ntables:\n  index: {rows: {file: t.csv}, key: [d], valid_time: {column: d}, available_time: {after: valid_time, delay: P1D}}\n";
  const { universe: _, window: __, ...plain } = good;
  const line = `${JSON.stringify({ ...plain, reads: ["index"] })}\n`;
  written(folder, "a/caseset.yaml", yaml);
  written(folder, "a/cases.jsonl", line);
  const load = (name: string) => loadCaseSet(path.join(folder, name), name);
  assert.deepEqual([load("a")?.cases.length, load("a")?.labels], [1, []]);
  written(folder, "b/caseset.yaml", yaml);
  written(folder, "b/cases.jsonl", line);
  written(folder, "b/labels.jsonl", "");
  assert.match(
    refused("FieldInvalid", () => load("b")).message,
    /labels\.jsonl.*none: what became of a decision/,
  );
  written(folder, "c/caseset.yaml", yaml.replace("decision", "forecast"));
  written(folder, "c/cases.jsonl", line);
  written(folder, "c/labels.jsonl", "");
  const { details } = refused("KeyMissing", () => load("c"));
  assert.equal(details.place, "c/cases.jsonl:1");
});
