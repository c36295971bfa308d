import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ForecastCase, parseForecastCase } from "../../src/caseset/forecast-case.ts";
import { type Label, parseLabel } from "../../src/caseset/label.ts";
import { deadlinesOf, type Outcome, settle as settleBy } from "../../src/caseset/settlement.ts";
import { type Duration, parseDuration } from "../../src/core/duration.ts";
import {
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseInstant,
} from "../../src/core/instant.ts";
import { caseOnDisk, labelOnDisk } from "./a-case.ts";

const at = (text: string) => parseInstant(text, "test", "at") as Instant;
const settle = (
  cases: readonly ForecastCase[],
  labels: readonly Label[],
  { zone, grace, asOf }: { zone: string; grace: Duration; asOf: Instant | null },
) => settleBy(cases, labels, { deadlines: deadlinesOf(cases, zone, grace), asOf });
const duration = (text: string) => parseDuration(text, "test", "grace") as Duration;
const day = (n: number) => `2014-06-${String(n).padStart(2, "0")}T07:00:00Z`;

function aCase(vintage: string, id = "a"): ForecastCase {
  const disk = { ...caseOnDisk, id, resolution: { ...caseOnDisk.resolution, vintage } };
  return parseForecastCase(disk, "cases.jsonl:1") as ForecastCase;
}
function aLabel(outcome: 0 | 1 | "annulled", available: string, resolved = day(2), id = "a"): Label {
  const disk = { ...labelOnDisk, case: id, outcome, resolved_at: resolved, available_time: available };
  return parseLabel(disk, "labels.jsonl:1") as Label;
}
type Options = { grace?: string; asOf?: string; vintage?: string };
const settleOne = (labels: readonly Label[], { grace = "P0D", asOf, vintage = "first" }: Options = {}) =>
  settle([aCase(vintage)], labels, {
    zone: "America/Los_Angeles",
    grace: duration(grace),
    asOf: asOf === undefined ? null : at(asOf),
  })[0] as Outcome;
const settled = (outcome: 0 | 1, resolvedAt = day(2)): Outcome => ({
  state: "settled",
  outcome,
  resolvedAt: at(resolvedAt),
});
const late = (available: string, deadline: string, what = "deadline"): Outcome => ({
  state: "unsettled",
  reason: `late: available at ${available}, after the ${what} ${deadline}`,
});

/** The case resolves on day 2; each row: its labels, how it is settled, what comes out. */
const table: [name: string, labels: Label[], options: Options, expected: Outcome][] = [
  ["in time", [aLabel(1, day(2))], {}, settled(1)],
  ["no label", [], {}, { state: "unsettled", reason: "open" }],
  ["a label of another case", [aLabel(1, day(2), day(2), "b")], {}, { state: "unsettled", reason: "open" }],
  [
    "late by a microsecond",
    [aLabel(1, "2014-06-02T07:00:00.000001Z")],
    {},
    late("2014-06-02T07:00:00.000001Z", day(2)),
  ],
  ["at the end of the grace", [aLabel(1, day(4))], { grace: "P2D" }, settled(1)],
  [
    "after the grace",
    [aLabel(1, "2014-06-04T07:00:00.000001Z")],
    { grace: "P2D" },
    late("2014-06-04T07:00:00.000001Z", day(4)),
  ],
  ["the first of two", [aLabel(0, day(2)), aLabel(1, day(1))], {}, settled(1)],
  ["the first, though the file says it last", [aLabel(1, day(1)), aLabel(0, day(2))], {}, settled(1)],
  ["late ones do not hide one in time", [aLabel(0, day(9)), aLabel(1, day(2))], {}, settled(1)],
  ["the earliest late one is named", [aLabel(0, day(9)), aLabel(1, day(5))], {}, late(day(5), day(2))],
  ["as of: not yet known", [aLabel(1, day(2))], { asOf: day(1) }, { state: "unsettled", reason: "open" }],
  ["as of: known at that very instant", [aLabel(1, day(2))], { asOf: day(2) }, settled(1)],
  [
    "vintage at an instant: the last known by then",
    [aLabel(0, day(2)), aLabel(1, day(4)), aLabel(0, day(6))],
    { vintage: day(5), grace: "P9D" },
    settled(1),
  ],
  [
    "vintage at an instant, inclusive",
    [aLabel(0, day(2)), aLabel(1, day(5))],
    { vintage: day(5), grace: "P9D" },
    settled(1),
  ],
  [
    "vintage at an instant: none by then",
    [aLabel(1, day(6))],
    { vintage: day(5), grace: "P9D" },
    late(day(6), day(5), "vintage"),
  ],
  [
    "vintage at an instant, past the deadline: an older label does not stand in for it",
    [aLabel(0, day(2)), aLabel(1, day(4))],
    { vintage: day(5) },
    late(day(4), day(2)),
  ],
  ["annulled", [aLabel("annulled", day(2))], {}, { state: "void", reason: "annulled" }],
  [
    "annulled later than the first",
    [aLabel(1, day(2)), aLabel("annulled", day(3))],
    { grace: "P2D" },
    settled(1),
  ],
  [
    "resolved before freeze",
    [aLabel(1, day(2), "2014-06-01T06:59:59.999999Z")],
    {},
    { state: "void", reason: "resolved before freeze" },
  ],
  ["resolved at freeze", [aLabel(1, day(2), day(1))], {}, settled(1, day(1))],
  [
    "annulled counts before resolved early",
    [aLabel("annulled", day(2), "2014-05-01T00:00:00Z")],
    {},
    { state: "void", reason: "annulled" },
  ],
];

test("settle: the table of settlement", () => {
  for (const [name, labels, options, expected] of table)
    assert.deepEqual(settleOne(labels, options), expected, name);
});

test("settle: a grace of days is of local days", () => {
  const disk = {
    ...caseOnDisk,
    id: "a",
    freeze: "2014-03-08T08:00:00Z",
    resolution: { ...caseOnDisk.resolution, at: "2014-03-09T08:00:00Z" },
  };
  const item = parseForecastCase(disk, "c:1") as ForecastCase;
  const options = { zone: "America/Los_Angeles", grace: duration("P1D"), asOf: null };
  // 9 March has 23 hours: the next local midnight is at 07:00 UTC.
  const settledAt = (available: string) =>
    settle([item], [aLabel(1, available, "2014-03-09T08:00:00Z")], options)[0]?.state;
  assert.equal(settledAt("2014-03-10T07:00:00Z"), "settled");
  assert.equal(settledAt("2014-03-10T07:00:00.000001Z"), "unsettled");
});

test("settle: counts reconcile, one outcome a case in the cases' order, whatever the order of labels", () => {
  const label = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    outcome: fc.constantFrom<0 | 1 | "annulled">(0, 1, "annulled"),
    available: fc.integer({ min: 0, max: 6 }),
    resolved: fc.integer({ min: -1, max: 3 }),
  });
  const start = at(day(1));
  const cases = ["a", "b", "c", "d"].map((id, i) => aCase(i % 2 === 0 ? "first" : day(4), id));
  fc.assert(
    fc.property(
      fc.uniqueArray(label, { selector: ({ id, available }) => `${id}${available}`, maxLength: 12 }),
      fc.integer({ min: -1, max: 6 }),
      (rows, known) => {
        const labels = rows.map(({ id, outcome, available, resolved }) =>
          aLabel(
            outcome,
            formatInstant(start + available * MICROS_PER_DAY),
            formatInstant(start + resolved * MICROS_PER_DAY),
            id,
          ),
        );
        const options = {
          zone: "UTC",
          grace: duration("P2D"),
          asOf: known < 0 ? null : instant(start + known * MICROS_PER_DAY),
        };
        const outcomes = settle(cases, labels, options);
        const count = (state: string) => outcomes.filter((one) => one.state === state).length;
        assert.equal(count("settled") + count("unsettled") + count("void"), cases.length);
        assert.deepEqual(settle(cases, [...labels].reverse(), options), outcomes);
        outcomes.forEach((outcome, i) => {
          if (outcome.state !== "settled") return;
          const own = labels.filter(
            ({ caseId, outcome: o }) => caseId === cases[i]?.id && o === outcome.outcome,
          );
          assert.ok(
            own.some(({ availableAt }) => availableAt <= start + 3 * MICROS_PER_DAY),
            "a label in time says so",
          );
          assert.ok(outcome.resolvedAt >= (cases[i] as ForecastCase).horizon);
        });
      },
    ),
  );
});
