/** Label intervals: start order, what is refused with its place, and the cases of a set. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { caseIntervals, labelIntervals, shownTime } from "../../src/caseset/label-intervals.ts";
import { type Instant, parseInstant } from "../../src/core/instant.ts";
import { refused } from "../core/refused.ts";
import { intervalsOf, someCases, startOrdered } from "./naive-split.ts";

const days = { unit: "day", zone: "UTC" } as const;
type Row = readonly [id: string, t0: number, t1: number];
const columns = (...cases: readonly Row[]) => ({
  ids: cases.map(([id]) => id),
  t0: Float64Array.from(cases, ([, t0]) => t0),
  t1: Float64Array.from(cases, ([, , t1]) => t1),
});

test("labelIntervals: start order is t0, then t1, then id by code units", () => {
  const { ids, t0, t1 } = labelIntervals(
    columns(["b", 1, 3], ["é", 1, 2], ["z", 1, 2], ["B", 1, 2], ["last", 2, 2], ["first", -1, 9]),
    days,
  );
  assert.deepEqual(ids, ["first", "B", "z", "é", "b", "last"]);
  assert.deepEqual([...t0], [-1, 1, 1, 1, 1, 2]);
  assert.deepEqual([...t1], [9, 2, 2, 2, 3, 2]);
});

test("labelIntervals: sorts as a sort of whole cases does, and leaves what is sorted as it is", () => {
  fc.assert(
    fc.property(someCases, ({ cases, zone }) => {
      const sorted = intervalsOf(cases, zone);
      const expected = startOrdered(cases);
      assert.deepEqual(
        sorted.ids,
        expected.map(({ id }) => id),
      );
      assert.deepEqual(
        [...sorted.t1],
        expected.map(({ t1 }) => t1),
      );
      const again = labelIntervals(sorted, sorted);
      assert.equal(again.t0, sorted.t0);
      assert.deepEqual(again, sorted);
    }),
    { numRuns: 200 },
  );
});

test("labelIntervals: refuses an absent end, an end before its start, an id twice and no case, beside what it takes", () => {
  const make = (...cases: readonly Row[]) => labelIntervals(columns(...cases), days);
  const missing = refused("EvalLabelIntervalMissing", () => make(["a", 1, 2], ["b", 1, Number.NaN]));
  assert.equal(
    missing.message.split("; ")[0],
    "EvalLabelIntervalMissing: intervals.1: case b: no label_interval, expected [t0, t1]",
  );
  const turned = refused("EvalLabelIntervalInvalid", () => make(["a", 2, 1]));
  assert.match(
    turned.message,
    /^EvalLabelIntervalInvalid: intervals\.0: case a: label_interval: ends at 1, before its start 2$/,
  );
  const twice = refused("CaseDuplicate", () => make(["a", 1, 2], ["b", 1, 2], ["a", 3, 4]));
  assert.deepEqual(twice.details, { place: "intervals.2", id: "a", first: "intervals.0" });
  refused("SelectionEmpty", () => make());
  assert.throws(() => make(["a", 0, Number.POSITIVE_INFINITY]), RangeError);
  assert.throws(() => labelIntervals({ ...columns(["a", 0, 1]), ids: ["a", "b"] }, days), RangeError);
  assert.deepEqual(make(["a", 2, 2], ["b", 1, 2]).ids, ["b", "a"]);
});

test("caseIntervals: of a case set, in its zone; times are told as they were given", () => {
  const at = (text: string) => parseInstant(text, "", "") as Instant;
  const [late, early] = [at("2024-03-05T00:00:00Z"), at("2024-03-04T00:00:00Z")];
  const one = (id: string, ends: readonly [Instant, Instant], line: number) => ({
    id,
    labelInterval: ends,
    place: `cases.jsonl:${line}`,
  });
  const intervals = caseIntervals([one("b", [late, late], 1), one("a", [early, late], 2)], "Europe/Berlin");
  assert.deepEqual([intervals.ids, intervals.unit, intervals.zone], [["a", "b"], "instant", "Europe/Berlin"]);
  const twice = refused("CaseDuplicate", () =>
    caseIntervals([one("b", [late, late], 1), one("b", [late, late], 7)], "UTC"),
  );
  assert.deepEqual([twice.details.place, twice.details.first], ["cases.jsonl:7", "cases.jsonl:1"]);
  assert.deepEqual([shownTime("instant", late), shownTime("day", -7)], ["2024-03-05T00:00:00Z", "-7"]);
});
