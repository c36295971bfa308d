/** Purge and embargo: which cases may not be trained on beside given test cases, by which rule and which case. */
import { addDuration, type Duration } from "../core/duration.ts";
import { type Instant, MICROS_PER_DAY } from "../core/instant.ts";
import type { Range } from "./combinatorial.ts";
import type { LabelIntervals } from "./label-intervals.ts";

/** A contiguous run of test cases in start order. */
export type TestBlock = Range & {
  /** The position of its latest-ending case, the first of several. */
  readonly latest: number;
  /** A case that starts after the end of `latest` and not after this is embargoed. */
  readonly reach: number;
};

/** Of a case: the position of the case that caused its loss, −1 where nothing did, and the rule. */
export type Causes = { readonly by: Int32Array; readonly rule: Uint8Array };
/** Values of `rule`. */
export const KEPT = 0;
export const PURGED = 1;
export const EMBARGOED = 2;

/**
 * For every case, a test case too, one sweep in start order.
 * Purged: its interval meets a test case's, a.t0 ≤ b.t1 and b.t0 ≤ a.t1, pairwise and closed, never with the hull of a
 * block; `by` is the first such test case in start order. Otherwise embargoed: it starts after the end of a block before it
 * and not after that block's reach; `by` is the latest-ending case of the first such block. Blocks ascend and do not touch.
 */
export function dropCauses({ t0, t1 }: LabelIntervals, blocks: readonly TestBlock[]): Causes {
  const n = t0.length;
  const by = new Int32Array(n).fill(-1);
  const rule = new Uint8Array(n);
  // Starts ascend. A test case that ended before this one starts, and a block whose reach is before it, have no more to say.
  let [meeting, test] = [0, blocks[0]?.from ?? n];
  let embargo = 0;
  for (let i = 0; i < n; i++) {
    const start = t0[i] as number;
    while (test < n && (t1[test] as number) < start) {
      test += 1;
      if (test === (blocks[meeting] as TestBlock).to) test = blocks[++meeting]?.from ?? n;
    }
    if (test < n && (t0[test] as number) <= (t1[i] as number)) {
      by[i] = test;
      rule[i] = PURGED;
      continue;
    }
    // Not purged: every block before it has ended before it starts.
    while (embargo < blocks.length && (blocks[embargo] as TestBlock).reach < start) embargo += 1;
    const block = blocks[embargo];
    if (block === undefined || block.from > i) continue;
    by[i] = block.latest;
    rule[i] = EMBARGOED;
  }
  return { by, rule };
}

/** Ranges of test cases, ascending, as blocks: those that touch are one, those without a case none. */
export function testBlocks(
  { t1 }: LabelIntervals,
  ranges: Iterable<Range>,
  reachOf: (end: number) => number,
): TestBlock[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of ranges) {
    const last = merged.at(-1);
    if (from === to) continue;
    if (last?.to === from) last.to = to;
    else merged.push({ from, to });
  }
  return merged.map(({ from, to }) => {
    let latest = from;
    for (let i = from + 1; i < to; i++) if ((t1[i] as number) > (t1[latest] as number)) latest = i;
    return { from, to, latest, reach: reachOf(t1[latest] as number) };
  });
}

/**
 * The last start that a span from the end of a block embargoes. Of instants, days are added on the zone's calendar; where
 * the span may leave the time that instants have, it reaches past every case.
 */
export function reachBy(
  { unit, zone }: Pick<LabelIntervals, "unit" | "zone">,
  span: Duration,
): (end: number) => number {
  const { months, days, micros } = span;
  if (unit === "day") {
    if (months !== 0) throw new RangeError(`${span.text} has months, and the cases' days have none`);
    return (end) => end + days + micros / MICROS_PER_DAY;
  }
  const most = (31 * months + days + 2) * MICROS_PER_DAY + micros;
  const known = new Map<number, number>();
  return (end) => {
    let reach = known.get(end);
    if (reach === undefined) {
      const within = end + most <= Number.MAX_SAFE_INTEGER;
      reach = within ? Math.max(end, addDuration(zone, end as Instant, span)) : Number.POSITIVE_INFINITY;
      known.set(end, reach);
    }
    return reach;
  };
}
