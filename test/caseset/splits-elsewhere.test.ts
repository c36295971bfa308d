/** What other systems get wrong about purge and embargo: each fault is made here, seen to leak, and not ours. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SplitDefinition } from "../../src/caseset/split-definition.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { addDuration, parseDuration } from "../../src/core/duration.ts";
import { type Instant, parseInstant } from "../../src/core/instant.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  type Case,
  daily,
  HOUR,
  intervalsOf,
  meets,
  type NaiveSplit,
  NEW_YORK,
  named,
} from "./naive-split.ts";

const split = (
  cases: readonly Case[],
  definition: SplitDefinition,
  zone: string | null = null,
): NaiveSplit[] => {
  const intervals = intervalsOf(cases, zone);
  return [...splitCases(intervals, definition).splits].map((one) => named(intervals, one));
};
const kfold = (folds: number, embargo = "P0D") => ({ kind: "kfold", folds, embargo }) as const;
const run = (n: number, length: number): Case[] =>
  daily(Array.from({ length: n }, (_, i) => [i, i + length]));
const ids = (...numbers: number[]) => numbers.map((i) => `a${i}`);

/** Pairs of a training and a test case whose labels meet. */
function leaks(cases: readonly Case[], train: readonly string[], test: readonly string[]): string[] {
  const of = (id: string) => cases.find((one) => one.id === id)!;
  return train.filter((id) => test.some((other) => meets(of(id), of(other))));
}
/** No training case of any split leaks. */
const holds = (cases: readonly Case[], splits: readonly NaiveSplit[]) =>
  assertEvery(splits, ({ train, test }) => leaks(cases, train, test).length === 0);

describe("purge", () => {
  it("touching labels are purged, where a half-open rule lets them through (AFML 7.3)", () => {
    const cases = run(10, 2);
    const tested = cases.slice(0, 5);
    const halfOpen = cases
      .slice(5)
      .filter((one) => !tested.some((other) => one.t0 < other.t1 && other.t0 < one.t1));
    assert.deepEqual(
      leaks(
        cases,
        halfOpen.map(({ id }) => id),
        ids(0, 1, 2, 3, 4),
      ),
      ids(6),
    );
    const splits = split(cases, kfold(2));
    assert.deepEqual([splits[0]?.train, splits[1]?.train], [ids(7, 8, 9), ids(0, 1, 2)]);
    holds(cases, splits);
  });

  it("labels of no length at one instant: the test case is not trained on, and its twin is purged", () => {
    const cases = daily([
      [0, 0],
      [1, 1],
      [2, 2],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
    const splits = split(cases, kfold(2));
    assert.deepEqual(
      splits.map(({ train, purged }) => [train, purged]),
      [
        [ids(4, 5), [["a3", "a2"]]],
        [ids(0, 1), [["a2", "a3"]]],
      ],
    );
  });

  it("a point inside a test label is purged, where a rule for intervals with a length passes it over (purgedcv)", () => {
    const cases = daily([
      [0, 9],
      [1, 1],
      [4, 4],
      [12, 12],
    ]);
    const [first] = split(cases, kfold(4)) as [NaiveSplit];
    assert.deepEqual(first, {
      test: ids(0),
      train: ids(3),
      purged: [
        ["a1", "a0"],
        ["a2", "a0"],
      ],
      embargoed: [],
    });
  });

  it("the window of a test fold starts with its first label, not where that ends (mlfinlab, openquant)", () => {
    const cases = run(10, 2);
    const [from, to] = [7, 11]; // ends of the first and the last test label
    const wrong = cases.slice(0, 5).filter(({ t0, t1 }) => !(t1 >= from && t0 <= to));
    assert.deepEqual(
      wrong.map(({ id }) => id),
      ids(0, 1, 2, 3, 4),
    );
    assert.deepEqual(leaks(cases, ids(0, 1, 2, 3, 4), ids(5, 6, 7, 8, 9)), ids(3, 4));
    assert.deepEqual(split(cases, kfold(2))[1]?.train, ids(0, 1, 2));
  });

  it("the greatest end of a fold counts, not its last case's (openquant, AFML)", () => {
    // Case C: the label of the second case ends with the tenth's start.
    const cases = daily(Array.from({ length: 12 }, (_, i) => [i, i === 1 ? 9 : i + 1]));
    const last = 3; // end of the fold's last case
    const wrong = cases.slice(3).filter(({ t0 }) => t0 > last);
    assert.deepEqual(
      leaks(
        cases,
        wrong.map(({ id }) => id),
        ids(0, 1, 2),
      ),
      ids(4, 5, 6, 7, 8, 9),
    );
    const splits = split(cases, kfold(4));
    assert.deepEqual(
      splits.map(({ train }) => train),
      [ids(10, 11), ids(0, 7, 8, 9, 10, 11), ids(0, 2, 3, 4, 10, 11), ids(0, 2, 3, 4, 5, 6, 7)],
    );
    assert.deepEqual(splits[3]?.purged, [
      ["a1", "a9"],
      ["a8", "a9"],
    ]);
    holds(cases, splits);
  });

  it("between two test blocks cases stay, where the hull of both purges them all (Vibe-Trading)", () => {
    const cases = run(12, 1);
    const splits = split(cases, { kind: "combinatorial", groups: 12, test_groups: 2 });
    const both = splits.find(({ test }) => test.join() === ids(2, 9).join())!;
    const hull = cases.filter(({ id, t0, t1 }) => !both.test.includes(id) && t0 <= 10 && t1 >= 2);
    assert.equal(hull.length, 8);
    assert.deepEqual(
      both.purged.map(([id]) => id),
      ids(1, 3, 8, 10),
    );
    assert.deepEqual(both.train, ids(0, 4, 5, 6, 7, 11));
  });
});

/** timeseriescv's right side: the first case that starts after end + span, and where there is none, all after the fold. */
function rightOf(cases: readonly Case[], fold: readonly Case[], days: number): string[] {
  const end = Math.max(...fold.map(({ t1 }) => t1));
  const after = cases.slice(cases.indexOf(fold.at(-1)!) + 1);
  const free = after.filter(({ t0 }) => t0 > end + days);
  return (free.length > 0 ? free : after).map(({ id }) => id);
}

describe("embargo", () => {
  it("labels that reach the last case purge all after them, where timeseriescv keeps the right side whole", () => {
    const cases = daily([
      [0, 1],
      [1, 9],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 7],
    ]);
    const wrong = rightOf(cases, cases.slice(0, 3), 0);
    assert.deepEqual(leaks(cases, wrong, ids(0, 1, 2)), ids(3, 4, 5, 6));
    const splits = split(cases, kfold(3));
    assert.deepEqual(splits[0], {
      test: ids(0, 1, 2),
      train: [],
      purged: ids(3, 4, 5, 6).map((id) => [id, "a1"]),
      embargoed: [],
    });
    holds(cases, splits);
  });

  it("a span past the last case drops all later cases, where timeseriescv keeps them", () => {
    const cases = run(9, 0);
    assert.deepEqual(rightOf(cases, cases.slice(0, 3), 50), ids(3, 4, 5, 6, 7, 8));
    const splits = split(cases, kfold(3, "P50D"));
    assert.deepEqual(
      splits.map(({ train }) => train),
      [[], ids(0, 1, 2), ids(0, 1, 2, 3, 4, 5)],
    );
    assertEvery(splits[0]!.embargoed, ([, by]) => by === "a2");
  });

  it("it acts after each block, where an embargo after the last test case of all cuts none between (timeseriescv #8)", () => {
    const cases = run(12, 0);
    const splits = split(cases, { kind: "combinatorial", groups: 6, test_groups: 2, embargo: "P1D" });
    const both = splits.find(({ test }) => test.join() === ids(0, 1, 6, 7).join())!;
    assert.deepEqual(both.train, ids(3, 4, 5, 9, 10, 11));
    assert.deepEqual(both.embargoed, [
      ["a2", "a1"],
      ["a8", "a7"],
    ]);
  });

  it("it acts to the right only", () => {
    const splits = split(run(12, 0), kfold(3, "P2D"));
    assert.deepEqual(
      splits.map(({ embargoed }) => embargoed.map(([id]) => id)),
      [ids(4, 5), ids(8, 9), []],
    );
    assertNone(splits[2]!.train, (id) => id === "a8");
  });

  it("it counts from the latest end, its bound is within it, and the case after it is free (numerai)", () => {
    const cases = daily([
      [1, 20],
      [5, 6],
      [21, 21],
      [24, 24],
      [25, 25],
      [26, 26],
    ]);
    const [first] = split(cases, kfold(3, "P5D")) as [NaiveSplit];
    assert.deepEqual(first.embargoed, [
      ["a2", "a0"],
      ["a3", "a0"],
      ["a4", "a0"],
    ]);
    assert.deepEqual(first.train, ids(5));
  });

  it("a local day is a day, of 23 hours in spring and of 25 in autumn", () => {
    const at = (text: string) => parseInstant(text, "", "") as Instant;
    for (const [end, hours] of [
      ["2024-03-09T17:00:00Z", 23],
      ["2024-11-02T16:00:00Z", 25],
    ] as const) {
      const start = at(end) + hours * HOUR;
      const cases = [
        { id: "test", t0: at(end) - HOUR, t1: at(end) },
        { id: "on-it", t0: start, t1: start },
        { id: "after-it", t0: start + 1, t1: start + 1 },
      ];
      const told = (zone: string, embargo: string) =>
        split(cases, kfold(3, embargo), zone)[0]!.embargoed.map(([id]) => id);
      assert.deepEqual(told(NEW_YORK, "P1D"), ["on-it"]);
      assert.deepEqual(told("UTC", "P1D"), hours === 23 ? ["on-it", "after-it"] : []);
      assert.deepEqual(told(NEW_YORK, "PT24H"), told("UTC", "PT24H"), "hours are hours everywhere");
      assert.deepEqual(told(NEW_YORK, `PT${hours}H`), ["on-it"]);
    }
  });

  it("where the clocks go back, an earlier block's day may end later: the case is still embargoed, by that block", () => {
    const at = (text: string) => parseInstant(text, "", "") as Instant;
    const [first, second] = [at("2024-11-03T05:30:00Z"), at("2024-11-03T06:15:00Z")];
    const day = parseDuration("P1D", "", "")!;
    assert.ok(first < second && addDuration(NEW_YORK, first, day) > addDuration(NEW_YORK, second, day));
    const late = at("2024-11-04T06:20:00Z");
    const cases = [
      { id: "a", t0: first - HOUR, t1: first },
      { id: "b", t0: first + 1, t1: first + 1 },
      { id: "c", t0: second, t1: second },
      { id: "d", t0: late, t1: late },
      { id: "e", t0: late + HOUR, t1: late + HOUR },
    ];
    const splits = split(
      cases,
      { kind: "combinatorial", groups: 5, test_groups: 2, embargo: "P1D" },
      NEW_YORK,
    );
    const both = splits.find(({ test }) => test.join() === "a,c")!;
    assert.deepEqual(
      [both.train, both.embargoed],
      [
        ["e"],
        [
          ["b", "a"],
          ["d", "a"],
        ],
      ],
    );
  });

  it("months are of the calendar, and a span that leaves the time of instants drops all later cases", () => {
    const at = (text: string) => parseInstant(text, "", "") as Instant;
    const cases = [
      "2024-01-31T12:00:00Z",
      "2024-02-29T12:00:00Z",
      "2024-02-29T12:00:01Z",
      "2255-01-01T00:00:00Z",
    ].map((text, i) => ({ id: `a${i}`, t0: at(text), t1: at(text) }));
    assert.deepEqual(split(cases, kfold(4, "P1M"), "UTC")[0]?.train, ids(2, 3));
    assert.deepEqual(split(cases, kfold(4, "P100Y"), "UTC")[0]?.train, ids(3));
    const late = [
      ...cases.slice(0, 3),
      { id: "a3", t0: at("2200-01-01T00:00:00Z"), t1: at("2200-01-01T00:00:00Z") },
      { id: "a4", t0: cases[3]!.t0, t1: cases[3]!.t0 },
    ];
    const [, , , reaching] = split(late, kfold(5, "P100Y"), "UTC");
    assert.deepEqual(reaching, { test: ids(3), train: ids(0, 1, 2), purged: [], embargoed: [["a4", "a3"]] });
  });
});

describe("walk-forward", () => {
  const forward = (cases: readonly Case[], more: object): NaiveSplit[] =>
    split(cases, { kind: "walk-forward", folds: 3, ...more });

  it("trains on earlier cases alone, purged; the first of equal groups is never tested", () => {
    const splits = forward(run(12, 1), {});
    assert.deepEqual(
      splits.map(({ train, test, purged }) => [train, test, purged]),
      [
        [ids(0, 1), ids(3, 4, 5), [["a2", "a3"]]],
        [ids(0, 1, 2, 3, 4), ids(6, 7, 8), [["a5", "a6"]]],
        [ids(0, 1, 2, 3, 4, 5, 6, 7), ids(9, 10, 11), [["a8", "a9"]]],
      ],
    );
  });

  it("the least training set is of cases that the purge leaves, where a count before it would fall short", () => {
    const cases = run(12, 3);
    assert.deepEqual(forward(cases, { minimum_train: 2 })[0], {
      train: ids(0, 1),
      test: ids(5, 6, 7),
      purged: [
        ["a2", "a5"],
        ["a3", "a5"],
        ["a4", "a5"],
      ],
      embargoed: [],
    });
    const [first] = forward(cases, { minimum_train: 99 });
    assert.deepEqual([first?.test, first?.train.length], [[], 12], "nothing is left to test");
  });

  it("a rolling window holds the latest cases that the purge leaves, and shortens the training set, never the test (skfolio #269)", () => {
    const splits = forward(run(12, 1), { rolling: 2 });
    assert.deepEqual(
      splits.map(({ train, test }) => [train, test]),
      [
        [ids(0, 1), ids(3, 4, 5)],
        [ids(3, 4), ids(6, 7, 8)],
        [ids(6, 7), ids(9, 10, 11)],
      ],
    );
  });

  it("an embargo finds nothing to its right that is trained on", () => {
    assert.deepEqual(forward(run(12, 1), { embargo: "P9D" }), forward(run(12, 1), {}));
  });
});
