/** The book of an account: cash, units and what they are worth, moved forward by fills, exits and marks in time order. */
import type { Instant } from "../core/instant.ts";
import type { Exit, Exits } from "./exits.ts";
import type { Fill } from "./fills.ts";
import { type PriceSeries, priceAt, type Quotes } from "./quotes.ts";

/** A position that became cash when its member had left: `last` is its last price, `cash` = units · last · (1 + return). */
export type PaidExit = {
  readonly entity: string;
  readonly at: Instant;
  readonly units: number;
  readonly last: number;
  readonly return: number;
  readonly cash: number;
};

export type Account = {
  /** At each mark; null where it is not known, since a held member left without a return. */
  readonly equity: readonly (number | null)[];
  /** Simple returns from mark to mark, one fewer than marks; null where an equity is not known, or the first not above 0. */
  readonly returns: readonly (number | null)[];
  /** By the last mark: a member that leaves after it is held, and is in no return. */
  readonly exits: readonly PaidExit[];
  /** Exits by the last mark of members that were held and have no return: the run fails by their names. */
  readonly missing: readonly Exit[];
  /** Cash and units when all that filled, after the last mark too, is booked. */
  readonly cash: number;
  readonly positions: Readonly<Record<string, number>>;
  /**
   * Sum over batches of what was bought and sold, at quoted prices, per equity before: 1 is all of it, one way. null where
   * a batch was filled at an equity that is not above 0 or not known.
   */
  readonly turnover: number | null;
  /** Fees and half-spreads, in money. */
  readonly costs: number;
};

export type Book = {
  readonly quotes: Quotes;
  readonly marks: readonly Instant[];
  readonly exits: readonly Exit[];
  readonly units: Map<string, number>;
  readonly equity: (number | null)[];
  readonly paid: PaidExit[];
  readonly missing: Exit[];
  cash: number;
  turnover: number | null;
  costs: number;
  nextMark: number;
  nextExit: number;
};

/** `marks` ascend strictly, else RangeError. Exits after the last of them are not booked. */
export function openBook(capital: number, quotes: Quotes, marks: readonly Instant[], exits: Exits): Book {
  marks.forEach((mark, i) => {
    if (i > 0 && mark <= (marks[i - 1] as number)) throw new RangeError("marks ascend strictly");
  });
  const last = marks.at(-1) ?? -Infinity;
  const inTime = [...exits.values()]
    .filter(({ at }) => at <= last)
    .sort((a, b) => a.at - b.at || (a.entity < b.entity ? -1 : 1));
  const empty = { units: new Map(), equity: [], paid: [], missing: [] };
  const counts = { turnover: 0, costs: 0, nextMark: 0, nextExit: 0 };
  return { quotes, marks, exits: inTime, ...empty, cash: capital, ...counts };
}

/**
 * Passes the exits by `to` and the marks before it; with `inclusive` the marks at it too. At one instant a member first
 * leaves, then orders fill, then the account is marked, then the next decision is made.
 */
export function passTime(book: Book, to: number, inclusive: boolean): void {
  for (;;) {
    const exit = book.exits[book.nextExit];
    const mark = book.marks[book.nextMark];
    const isMarkDue = mark !== undefined && (inclusive ? mark <= to : mark < to);
    if (exit !== undefined && exit.at <= to && !(isMarkDue && mark < exit.at)) {
      book.nextExit++;
      leave(book, exit);
    } else if (isMarkDue) {
      book.nextMark++;
      const worth = worthAt(book, mark);
      book.equity.push(Number.isFinite(worth) ? worth : null);
    } else return;
  }
}

function leave(book: Book, exit: Exit): void {
  const units = book.units.get(exit.entity);
  if (units === undefined) return;
  if (exit.return === null) {
    book.missing.push(exit);
    return;
  }
  const last = unitPrice(book, exit.entity, exit.at);
  const cash = units * last * (1 + exit.return);
  const { entity, at } = exit;
  book.paid.push({ entity, at, units, last, return: exit.return, cash });
  book.units.delete(entity);
  book.cash += cash;
}

/** What is held must have been bought at a price, so there is one. */
const unitPrice = (book: Book, entity: string, at: number): number =>
  priceAt(book.quotes.series.get(entity) as PriceSeries, at);

/** What a position is worth: at `prices` where they name it, else at the latest price available. NaN: not known. */
export function worthAt(book: Book, at: number, prices?: ReadonlyMap<string, number>): number {
  let worth = book.missing.length === 0 ? book.cash : Number.NaN;
  for (const [entity, units] of book.units)
    worth += units * (prices?.get(entity) ?? unitPrice(book, entity, at));
  return worth;
}

/** Books the fills of one batch, in their order. */
export function bookFills(book: Book, fills: readonly Fill[]): void {
  const first = fills[0];
  if (first === undefined) return;
  const prices = new Map(fills.map(({ entity, quoted }) => [entity, quoted]));
  const before = worthAt(book, first.available, prices);
  let traded = 0;
  for (const { entity, units, price, quoted, cost } of fills) {
    const held = (book.units.get(entity) ?? 0) + units;
    if (held === 0) book.units.delete(entity);
    else book.units.set(entity, held);
    book.cash -= units * price + cost;
    book.costs += Math.abs(units) * Math.abs(price - quoted) + cost;
    traded += Math.abs(units) * quoted;
  }
  book.turnover = book.turnover !== null && before > 0 ? book.turnover + traded / before : null;
}

/** Passes what is left of the time, and closes. */
export function closeBook(book: Book): Account {
  passTime(book, Infinity, true);
  const { equity, paid: exits, missing, cash, turnover, costs } = book;
  const positions = Object.fromEntries([...book.units].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { equity, returns: returnsOf(equity), exits, missing, cash, positions, turnover, costs };
}

function returnsOf(equity: readonly (number | null)[]): (number | null)[] {
  return equity.slice(1).map((after, i) => {
    const before = equity[i] as number | null;
    if (before === null || after === null || before <= 0) return null;
    const change = after / before - 1;
    return Number.isFinite(change) ? change : null;
  });
}
