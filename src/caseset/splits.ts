/** Splits of cases into test and training sets: k-fold, walk-forward, combinatorial, each purged and embargoed. */

import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { Place } from "../core/refusal.ts";
import {
  contiguousGroups,
  type Range,
  splitsOfPaths,
  type TestedGroups,
  testedGroups,
} from "./combinatorial.ts";
import type { LabelIntervals } from "./label-intervals.ts";
import { type Causes, dropCauses, EMBARGOED, KEPT, PURGED, reachBy, testBlocks } from "./purge.ts";
import { embargoSpan, parseSplitDefinition, type SplitDefinition, stampedSplit } from "./split-definition.ts";

/**
 * One split. The first five are positions in start order, ascending, and a partition of the cases; `purgedBy` and
 * `embargoedBy` stand beside `purged` and `embargoed`: positions of the test case that each meets, the first in start order,
 * and of the latest-ending case of the test block that it follows too closely.
 */
export type Split = {
  readonly number: number;
  readonly test: Int32Array;
  readonly train: Int32Array;
  readonly purged: Int32Array;
  readonly embargoed: Int32Array;
  /** Of a walk-forward alone: cases after the test block, and those that a rolling window has left behind. */
  readonly unused: Int32Array;
  readonly purgedBy: Int32Array;
  readonly embargoedBy: Int32Array;
  /** Of the tested groups, and the path that each one's test belongs to. */
  readonly groups: readonly number[];
  readonly paths: readonly number[];
  /** Nothing to test, or nothing to train on. */
  readonly empty: boolean;
};

export type Splits = {
  readonly definition: { readonly [key: string]: Json };
  readonly digest: Digest;
  /** Contiguous in start order; of a walk-forward its test blocks. */
  readonly groups: readonly Range[];
  /** By path: for each group the number of the split whose test of it belongs to the path. */
  readonly paths: readonly Int32Array[];
  /** Made one by one, and again for each loop. */
  readonly splits: Iterable<Split>;
};

/**
 * Splits cases by a definition. A training case is purged when its label interval meets a test case's, both ends
 * included, and embargoed when it starts within the span after a block of test cases ends. What is in which set depends on
 * the cases alone. Refuses a definition that does not fit, with `place`. `known`: the last start that a block's end
 * embargoes, where local times were converted before. Source: López de Prado (2018), Advances in
 * Financial Machine Learning, ch. 7 and 12, with closed overlaps, pairwise.
 */
export function splitCases(
  intervals: LabelIntervals,
  definition: SplitDefinition,
  place: Place = "split",
  known?: (end: number) => number,
): Splits {
  parseSplitDefinition(definition, place);
  const reachOf = known ?? reachBy(intervals, embargoSpan(definition, intervals, place));
  const { groups, testGroups, lookBack } = planOf(intervals, definition);
  const made = function* (): Generator<Split> {
    let number = 0;
    for (const tested of testedGroups(groups.length, testGroups)) {
      const ranges = tested.groups.map((group) => groups[group] as Range);
      const causes = dropCauses(intervals, testBlocks(intervals, ranges, reachOf));
      yield splitOf(number, tested, ranges, causes, lookBack);
      number += 1;
    }
  };
  return {
    ...stampedSplit(definition, intervals),
    groups,
    paths: splitsOfPaths(groups.length, testGroups),
    splits: { [Symbol.iterator]: made },
  };
}

type Plan = {
  readonly groups: readonly Range[];
  readonly testGroups: number;
  /** Only cases before the test block are trained on, and of those left at most so many; null: all other cases. */
  readonly lookBack: number | null;
};

function planOf(intervals: LabelIntervals, definition: SplitDefinition): Plan {
  const to = intervals.ids.length;
  const all = { from: 0, to };
  if (definition.kind === "kfold")
    return { groups: contiguousGroups(all, definition.folds), testGroups: 1, lookBack: null };
  if (definition.kind === "combinatorial") {
    const { groups, test_groups: testGroups } = definition;
    return { groups: contiguousGroups(all, groups), testGroups, lookBack: null };
  }
  const { folds, minimum_train: least, rolling } = definition;
  const from =
    least === undefined ? (contiguousGroups(all, folds + 1)[0] as Range).to : firstAfter(intervals, least);
  return {
    groups: contiguousGroups({ from, to }, folds),
    testGroups: 1,
    lookBack: rolling ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * The first position before whose start at least `cases` cases have ended: since those that a later test block purges are
 * exactly the ones before it that have not, so many are left to train on. All positions where there is none.
 */
function firstAfter({ t0, t1 }: LabelIntervals, cases: number): number {
  const ended = Float64Array.from(t1).sort()[cases - 1] ?? Number.POSITIVE_INFINITY;
  let [low, high] = [0, t0.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((t0[middle] as number) > ended) high = middle;
    else low = middle + 1;
  }
  return low;
}

const [TRAIN, PURGE, EMBARGO, TEST, UNUSED] = [KEPT, PURGED, EMBARGOED, 3, 4] as const;

function splitOf(
  number: number,
  { groups, paths }: TestedGroups,
  ranges: readonly Range[],
  { rule: role, by }: Causes,
  lookBack: number | null,
): Split {
  for (const { from, to } of ranges) role.fill(TEST, from, to);
  if (lookBack !== null) keepBefore(role, (ranges[0] as Range).from, (ranges[0] as Range).to, lookBack);
  const sizes = [0, 0, 0, 0, 0];
  for (const each of role) sizes[each] = (sizes[each] as number) + 1;
  const sets = sizes.map((size) => new Int32Array(size));
  const next = [0, 0, 0, 0, 0];
  for (let i = 0; i < role.length; i++) {
    const each = role[i] as number;
    (sets[each] as Int32Array)[(next[each] as number)++] = i;
  }
  const of = (which: number) => sets[which] as Int32Array;
  return {
    number,
    test: of(TEST),
    train: of(TRAIN),
    purged: of(PURGE),
    embargoed: of(EMBARGO),
    unused: of(UNUSED),
    purgedBy: of(PURGE).map((i) => by[i] as number),
    embargoedBy: of(EMBARGO).map((i) => by[i] as number),
    groups,
    paths,
    empty: of(TEST).length === 0 || of(TRAIN).length === 0,
  };
}

/** What comes after the test block is not used, nor are training cases before the latest so many. */
function keepBefore(role: Uint8Array, from: number, to: number, most: number): void {
  role.fill(UNUSED, to);
  let kept = 0;
  for (let i = from - 1; i >= 0; i--) {
    if (role[i] !== TRAIN) continue;
    kept += 1;
    if (kept > most) role[i] = UNUSED;
  }
}
