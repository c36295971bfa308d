/** Splits: known answers, the definition case by case, what other systems get wrong, and counts of combinatorial ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SplitDefinition } from "../../src/caseset/split-definition.ts";
import { type Split, type Splits, splitCases } from "../../src/caseset/splits.ts";
import { shared } from "../core/refused.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  type Case,
  daily,
  intervalsOf,
  meets,
  type NaiveSplit,
  naiveGroups,
  naiveReach,
  naiveSplit,
  named,
  someCases,
  someDefinition,
  someSpan,
  startOrdered,
} from "./naive-split.ts";

const splitsOf = (cases: readonly Case[], definition: SplitDefinition, zone: string | null = null) => {
  const intervals = intervalsOf(cases, zone);
  const made = splitCases(intervals, definition);
  return [...made.splits].map((split) => named(intervals, split));
};
const idsOf = ({ train, test, purged, embargoed }: NaiveSplit) => ({
  train,
  test,
  purged: purged.map(([id]) => id),
  embargoed: embargoed.map(([id]) => id),
});

type Lists = { readonly [list in "test" | "train" | "purged" | "embargoed"]: readonly number[] };
type Oracle = {
  readonly [name: string]: {
    readonly t0: readonly number[];
    readonly t1: readonly number[];
    readonly kfold: { readonly [key: string]: readonly Lists[] };
    readonly cpcv: {
      readonly [key: string]: {
        readonly n_splits: number;
        readonly n_paths: number;
        readonly splits: readonly (Lists & { readonly groups: number[]; readonly path: number[] })[];
      };
    };
  };
};

test("splitCases: every known answer, k-fold and combinatorial, comes out id by id", (t) => {
  const text = shared(t, "reference/oracle_splits.json");
  if (text === undefined) return;
  const oracle = JSON.parse(text) as Oracle;
  assert.deepEqual(Object.keys(oracle), ["A", "B", "C", "E"]);
  let compared = 0;
  for (const [name, { t0, t1, kfold, cpcv }] of Object.entries(oracle)) {
    const cases = daily(t0.map((start, i) => [start, t1[i] as number]));
    const lists = (split: Lists) => ({
      train: split.train.map((i) => `a${i}`),
      test: split.test.map((i) => `a${i}`),
      purged: split.purged.map((i) => `a${i}`),
      embargoed: split.embargoed.map((i) => `a${i}`),
    });
    for (const [key, expected] of Object.entries(kfold)) {
      const [, folds, days] = /^k(\d+)_h(\d+)$/.exec(key) as unknown as [string, string, string];
      const definition = { kind: "kfold", folds: Number(folds), embargo: `P${days}D` } as const;
      assert.deepEqual(splitsOf(cases, definition).map(idsOf), expected.map(lists), `${name} ${key}`);
      compared += expected.length;
    }
    for (const [key, expected] of Object.entries(cpcv)) {
      const [, groups, tested, days] = (/^N(\d+)_k(\d+)_h(\d+)$/.exec(key) as RegExpExecArray).map(Number);
      const definition = {
        kind: "combinatorial",
        groups: groups as number,
        test_groups: tested as number,
        embargo: `P${days}D`,
      } as const;
      assert.deepEqual(splitsOf(cases, definition).map(idsOf), expected.splits.map(lists), `${name} ${key}`);
      const made = splitCases(intervalsOf(cases), definition);
      assert.deepEqual(
        [...made.splits].map((split) => [split.groups, split.paths]),
        expected.splits.map((split) => [split.groups, split.path]),
      );
      assert.deepEqual([expected.n_splits, expected.n_paths], [expected.splits.length, made.paths.length]);
      compared += expected.splits.length;
    }
  }
  assert.ok(compared > 150, `${compared} splits were compared`);
});

test("splitCases: case A, with the case that each one was left out for", () => {
  const cases = daily(Array.from({ length: 10 }, (_, i) => [i, i + 2]));
  const [first, second] = splitsOf(cases, { kind: "kfold", folds: 2, embargo: "P1D" }) as [
    NaiveSplit,
    NaiveSplit,
  ];
  assert.deepEqual(first, {
    train: ["a8", "a9"],
    test: ["a0", "a1", "a2", "a3", "a4"],
    purged: [
      ["a5", "a3"],
      ["a6", "a4"],
    ],
    embargoed: [["a7", "a4"]],
  });
  assert.deepEqual(second.train, ["a0", "a1", "a2"]);
  assert.deepEqual(second.purged, [
    ["a3", "a5"],
    ["a4", "a5"],
  ]);
});

/** What the definition gives, written pair by pair. */
function naively(cases: readonly Case[], definition: SplitDefinition, zone: string | null): NaiveSplit[] {
  const ordered = startOrdered(cases);
  const reach = naiveReach(zone, definition.embargo ?? "P0D");
  const n = ordered.length;
  if (definition.kind === "kfold")
    return naiveGroups(0, n, definition.folds).map((group) => naiveSplit(ordered, new Set(group), reach));
  if (definition.kind === "combinatorial") {
    const groups = naiveGroups(0, n, definition.groups);
    const subsets = Array.from({ length: 1 << groups.length }, (_, bits) =>
      [...groups.keys()].filter((group) => bits & (1 << group)),
    );
    return subsets
      .filter((chosen) => chosen.length === definition.test_groups)
      .sort((a, b) => a.find((group, i) => group !== b[i])! - b.find((group, i) => group !== a[i])!)
      .map((chosen) => naiveSplit(ordered, new Set(chosen.flatMap((group) => groups[group]!)), reach));
  }
  const { folds, minimum_train: least, rolling } = definition;
  const ended = (position: number) => ordered.filter(({ t1 }) => t1 < ordered[position]!.t0).length;
  const found = [...ordered.keys()].find((position) => ended(position) >= (least ?? 0));
  const from = least === undefined ? naiveGroups(0, n, folds + 1)[0]!.length : (found ?? n);
  return naiveGroups(from, n, folds).map((group) => {
    const whole = naiveSplit(ordered, new Set(group), reach);
    const before = new Set(ordered.slice(0, group[0] ?? n).map(({ id }) => id));
    return {
      test: whole.test,
      train: whole.train.filter((id) => before.has(id)).slice(-(rolling ?? n)),
      purged: whole.purged.filter(([id]) => before.has(id)),
      embargoed: [],
    };
  });
}

test("splitCases: every split, and every cause, is what the definition gives pair by pair", () => {
  fc.assert(
    fc.property(someCases, someDefinition, ({ cases, zone }, definition) => {
      assert.deepEqual(splitsOf(cases, definition, zone), naively(cases, definition, zone));
    }),
    { numRuns: 300 },
  );
});

test("splitCases: the sets of a split are a partition of the cases, no training label meets a test label", () => {
  fc.assert(
    fc.property(someCases, someDefinition, ({ cases, zone }, definition) => {
      const intervals = intervalsOf(cases, zone);
      const byId = new Map(cases.map((one) => [one.id, one]));
      for (const split of splitCases(intervals, definition).splits) {
        const sets = [split.test, split.train, split.purged, split.embargoed, split.unused];
        const all = sets.flatMap((set) => [...set]).sort((a, b) => a - b);
        assert.deepEqual(all, [...cases.keys()]);
        for (const set of sets) assert.deepEqual(set, Int32Array.from(set).sort());
        assert.equal(split.empty, split.test.length === 0 || split.train.length === 0);
        if (definition.kind !== "walk-forward") assert.equal(split.unused.length, 0);
        const { train, test: tested } = named(intervals, split);
        for (const id of train)
          for (const other of tested)
            assert.ok(!meets(byId.get(id)!, byId.get(other)!), `${id} meets ${other}`);
      }
    }),
    { numRuns: 300 },
  );
});

test("splitCases: membership depends on the cases alone, in whatever order they come", () => {
  const shuffled = someCases.chain((made) =>
    fc.record({
      made: fc.constant(made),
      order: fc.shuffledSubarray([...made.cases], { minLength: made.cases.length }),
    }),
  );
  fc.assert(
    fc.property(shuffled, someDefinition, ({ made: { cases, zone }, order }, definition) => {
      assert.deepEqual(splitsOf(order, definition, zone), splitsOf(cases, definition, zone));
    }),
    { numRuns: 300 },
  );
});

test("splitCases: a longer embargo never brings a training case back, and purges the same", () => {
  const spans = ["P0D", "PT5H", "P1D", "P1DT1H", "P2D", "P9D", "P50D"];
  fc.assert(
    fc.property(someCases, someDefinition, ({ cases, zone }, definition) => {
      const grown = spans.map((embargo) => splitsOf(cases, { ...definition, embargo }, zone));
      for (const [i, longer] of grown.slice(1).entries())
        for (const [number, split] of longer.entries()) {
          const shorter = grown[i]![number]!;
          assertNone(["–", ...split.train], (id) => id !== "–" && !shorter.train.includes(id));
          assert.deepEqual(split.purged, shorter.purged);
        }
    }),
    { numRuns: 200 },
  );
});

test("splitCases: k-fold is the combinatorial split of one test group", () => {
  fc.assert(
    fc.property(someCases, fc.integer({ min: 2, max: 8 }), someSpan, ({ cases, zone }, k, embargo) => {
      const combinatorial = { kind: "combinatorial", groups: k, test_groups: 1, embargo } as const;
      assert.deepEqual(
        splitsOf(cases, { kind: "kfold", folds: k, embargo }, zone),
        splitsOf(cases, combinatorial, zone),
      );
    }),
    { numRuns: 100 },
  );
});

const COUNTS = [
  [6, 2, 15, 5],
  [5, 2, 10, 4],
  [3, 2, 3, 2],
  [10, 8, 45, 36],
  [10, 2, 45, 9],
  [16, 8, 12870, 6435],
  [6, 3, 20, 10],
  [20, 2, 190, 19],
] as const;

test("splitCases: so many splits and paths as the book counts; a path tests each case once; of one split and group one path", () => {
  for (const [groups, tested, splits, paths] of COUNTS) {
    const cases = daily(Array.from({ length: 2 * groups }, (_, i) => [i, i]));
    const made: Splits = splitCases(intervalsOf(cases), {
      kind: "combinatorial",
      groups,
      test_groups: tested,
    });
    let found = 0;
    const seen = new Set<string>();
    for (const split of made.splits) {
      assert.equal(split.number, found);
      for (const [i, group] of split.groups.entries()) {
        const path = split.paths[i] as number;
        assert.equal(made.paths[path]?.[group], split.number);
        seen.add(`${group} ${path}`);
      }
      found += 1;
    }
    assert.deepEqual([found, made.paths.length, seen.size], [splits, paths, groups * paths]);
    assertEvery(made.paths, (path) => path.length === groups);
  }
});

test("splitCases: groups are contiguous, their sizes differ by at most one, the first take the remainder", () => {
  const sizes = (n: number, folds: number) =>
    splitCases(intervalsOf(daily(Array.from({ length: n }, (_, i) => [i, i]))), {
      kind: "kfold",
      folds,
    }).groups.map(({ from, to }) => to - from);
  assert.deepEqual(sizes(33, 5), [7, 7, 7, 6, 6]);
  assert.deepEqual(sizes(10, 5), [2, 2, 2, 2, 2]);
  assert.deepEqual(sizes(3, 5), [1, 1, 1, 0, 0]);
});

test("splitCases: with fewer cases than folds, splits are empty and say so", () => {
  const intervals = intervalsOf(
    daily([
      [0, 0],
      [5, 5],
      [9, 9],
    ]),
  );
  const made: Split[] = [...splitCases(intervals, { kind: "kfold", folds: 4 }).splits];
  assert.deepEqual(
    made.map(({ empty, test: tested }) => [empty, tested.length]),
    [
      [false, 1],
      [false, 1],
      [false, 1],
      [true, 0],
    ],
  );
  const [one] = [
    ...splitCases(
      intervalsOf(
        daily([
          [0, 9],
          [1, 9],
        ]),
      ),
      { kind: "kfold", folds: 2 },
    ).splits,
  ] as [Split];
  assert.deepEqual([one.empty, one.train.length, one.purged.length], [true, 0, 1]);
});

test("splitCases: the splits can be looped over again, and give the same", () => {
  const { splits } = splitCases(
    intervalsOf(
      daily([
        [0, 1],
        [1, 2],
        [5, 6],
        [7, 8],
      ]),
    ),
    { kind: "kfold", folds: 2 },
  );
  assert.deepEqual([...splits], [...splits]);
});
