/** Silent exits: members that have left their list, of whom no row says that they are gone, and whose prices say it. */
import type { Instant } from "../core/instant.ts";
import { countUpTo } from "../store/as-of.ts";
import { cellOf, type Table } from "../store/table.ts";
import type { Exit } from "./exits.ts";
import { firstPriceAfter, type PriceSeries, type Quotes } from "./quotes.ts";

/** A stint as the table knows it in the end: from `begin` (inclusive) to `end` (exclusive); Infinity: none is known. */
export type Stint = {
  readonly begin: number;
  readonly end: number;
  /** Its row. */
  readonly version: number;
};

export const memberOf = (table: Table, version: number): string =>
  String(cellOf(table, version, table.entity as number));

/** By member, in the order of the keys. */
export function stintsOf(table: Table): ReadonlyMap<string, readonly Stint[]> {
  const stints = new Map<string, Stint[]>();
  for (let key = 0; key < table.keys; key++) {
    const version = (table.keyStart[key + 1] as number) - 1;
    if (table.retracted?.[version] === 1) continue;
    const begin = table.valid[version] as number;
    const end = table.ends?.[version] ?? Number.POSITIVE_INFINITY;
    const member = memberOf(table, version);
    const known = stints.get(member);
    if (known === undefined) stints.set(member, [{ begin, end, version }]);
    else known.push({ begin, end, version });
  }
  return stints;
}

/**
 * Let `end` be the end of a member's last stint in which it has a price, A the number of distinct valid instants of which
 * anybody has a price that became available after it, a that of the member's own. With A > 0 and a < A / 2 the member is
 * gone without a return, at `end` or when it was no longer traded on; else it has left its list alone. Nobody is gone who is in `said`, who has
 * a price in a stint without an end, or none in any. O(n log n) in prices and stints.
 */
export function silentExits(
  stints: ReadonlyMap<string, readonly Stint[]>,
  { series: all }: Quotes,
  said: ReadonlySet<string>,
): ReadonlyMap<string, Exit> {
  const known = lastKnown(all.values());
  const silent = new Map<string, Exit>();
  for (const [entity, own] of stints) {
    const series = all.get(entity);
    if (series === undefined || said.has(entity)) continue;
    const end = lastEnd(own, series);
    if (!Number.isFinite(end)) continue;
    const { count, until } = tradedOn(series, end, known, firstPriceAfter(series, end));
    if (2 * count < known.length - countUpTo(known, end))
      silent.set(entity, { entity, at: until as Instant, return: null });
  }
  return silent;
}

/** Of each valid instant that has a price the last at which one of it first became available, ascending. */
function lastKnown(all: Iterable<PriceSeries>): Float64Array {
  const known = new Map<number, number>();
  for (const { valid, firstAvailable } of all)
    for (let i = 0; i < valid.length; i++) {
      const [instant, at] = [valid[i] as number, firstAvailable[i] as number];
      if (!(at <= (known.get(instant) ?? Number.NEGATIVE_INFINITY))) known.set(instant, at);
    }
  return Float64Array.from(known.values()).sort();
}

/** Infinity: a stint with a price has no end; -Infinity: none has a price. */
function lastEnd(stints: readonly Stint[], { valid }: PriceSeries): number {
  const before = (at: number) => countUpTo(valid, at - 1);
  return stints
    .filter(({ begin, end }) => before(end) > before(begin))
    .reduce((last, { end }) => Math.max(last, end), Number.NEGATIVE_INFINITY);
}

/**
 * How many instants after `end` the series has a price of, and the instant right after the last price up to which it kept
 * being traded: the one that makes 2a − A greatest, A being all such instants up to it; `end` where none makes it positive.
 */
function tradedOn({ valid, firstAvailable }: PriceSeries, end: number, known: Float64Array, from: number) {
  const before = countUpTo(known, end);
  let [count, greatest, until] = [0, 0, end];
  for (let i = from; i >= 0 && i < valid.length; i++) {
    if (valid[i] === valid[i + 1]) continue; // valid instants of a series ascend: the last of a day speaks for it
    count++;
    const at = firstAvailable[i] as number;
    const excess = 2 * count - (countUpTo(known, at) - before);
    if (excess > greatest) [greatest, until] = [excess, at + 1];
  }
  return { count, until };
}
