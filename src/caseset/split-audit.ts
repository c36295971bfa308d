/** Audit of anybody's splits: which training cases know of a test case's label, whoever made the lists. */
import { type Place, refuse } from "../core/refusal.ts";
import type { Range } from "./combinatorial.ts";
import type { LabelIntervals } from "./label-intervals.ts";
import { type Causes, dropCauses, KEPT, PURGED, reachBy, testBlocks } from "./purge.ts";
import { embargoSpan } from "./split-definition.ts";

/** Ids, in any order, each once in its list. */
export type SplitLists = { readonly train: readonly string[]; readonly test: readonly string[] };

/**
 * One training case that leaks. `both`: it is a test case too. `overlap`: its label interval meets a test case's, both ends
 * included; `by` is the first such in start order. `embargo`: it starts within the span after a block of test cases ends; `by`
 * is the block's latest-ending case. Positions in start order.
 */
export type Leak = {
  readonly rule: "both" | "overlap" | "embargo";
  readonly train: number;
  readonly by: number;
  /** How many test cases its interval meets, itself not among them. */
  readonly overlaps: number;
};

export type SplitAudit = {
  readonly train: number;
  readonly test: number;
  /** Cases in neither list. */
  readonly neither: number;
  /** A training case at most once, in start order, by the first rule that it breaks. */
  readonly leaks: readonly Leak[];
  /** Pairs of a training and a test case whose intervals meet. */
  readonly pairs: number;
};

/**
 * Audits splits one after the other; `embargo` is a span such as `P5D`, or `P0D`. Refuses an id that no case has, and one
 * that a list has twice, as `splits.2.train.5` of `place`. O((train + test) log n) each, however many pairs meet.
 */
export function* auditSplits(
  splits: Iterable<SplitLists>,
  intervals: LabelIntervals,
  embargo: string,
  place: Place = "splits",
): Generator<SplitAudit> {
  const positions = new Map(intervals.ids.map((id, i) => [id, i]));
  const reachOf = reachBy(intervals, embargoSpan({ embargo }, intervals, place));
  let number = 0;
  for (const lists of splits) {
    const [train, test] = (["train", "test"] as const).map((name) =>
      positionsOf(lists[name], positions, { place, field: `splits.${number}.${name}` }),
    ) as [Int32Array, Int32Array];
    yield auditOf(
      intervals,
      train,
      test,
      dropCauses(intervals, testBlocks(intervals, runsOf(test), reachOf)),
    );
    number += 1;
  }
}

/** Ascending. */
function positionsOf(
  ids: readonly string[],
  positions: ReadonlyMap<string, number>,
  { place, field }: { readonly place: Place; readonly field: string },
): Int32Array {
  const seen = new Uint8Array(positions.size);
  const found = Int32Array.from(ids, (id, i) => {
    const position = positions.get(id);
    const at = { place, field: `${field}.${i}`, found: JSON.stringify(id) };
    if (position === undefined) return refuse("FieldInvalid", { ...at, expected: "the id of a case" });
    if (seen[position] === 1) refuse("FieldInvalid", { ...at, expected: "each id once in its list" });
    seen[position] = 1;
    return position;
  });
  return found.sort();
}

/** Runs of consecutive positions. */
function* runsOf(positions: Int32Array): Generator<Range> {
  let from = 0;
  for (let i = 1; i <= positions.length; i++) {
    const last = positions[i - 1] as number;
    if (i < positions.length && positions[i] === last + 1) continue;
    yield { from: positions[from] as number, to: last + 1 };
    from = i;
  }
}

function auditOf(
  { ids, t0, t1 }: LabelIntervals,
  train: Int32Array,
  test: Int32Array,
  { by, rule }: Causes,
): SplitAudit {
  const tested = new Uint8Array(ids.length);
  for (const position of test) tested[position] = 1;
  const starts = Float64Array.from(test, (i) => t0[i] as number);
  const ends = Float64Array.from(test, (i) => t1[i] as number).sort();
  const leaks: Leak[] = [];
  let [pairs, both] = [0, 0];
  for (const i of train) {
    const itself = tested[i] as number;
    both += itself;
    if (rule[i] === KEPT) continue;
    // Of the test cases that start by its end, those that end before its start; the rest meet it.
    const meet =
      rule[i] === PURGED
        ? countBelow(starts, t1[i] as number, true) - countBelow(ends, t0[i] as number, false)
        : 0;
    pairs += meet;
    const broken = itself === 1 ? "both" : rule[i] === PURGED ? "overlap" : "embargo";
    leaks.push({ rule: broken, train: i, by: itself === 1 ? i : (by[i] as number), overlaps: meet - itself });
  }
  const neither = ids.length - train.length - test.length + both;
  return { train: train.length, test: test.length, neither, leaks, pairs };
}

/** How many of ascending values are below `bound`, or equal to it where `closed`. */
function countBelow(values: Float64Array, bound: number, closed: boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = values[middle] as number;
    if (value < bound || (closed && value === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}
