/** The account of a run: decisions filled at the first price that became available after them, or not, and why. */
import type { Instant } from "../core/instant.ts";
import { type Account, type Book, bookFills, closeBook, openBook, passTime, worthAt } from "./book.ts";
import { type ExecutionTerms, positionsFault } from "./execution.ts";
import type { Exits } from "./exits.ts";
import { type Decision, type Fill, type Order, type Sized, sizeBatch, type Unfilled } from "./fills.ts";
import {
  firstPriceAfter,
  firstValue,
  type PriceSeries,
  priceAt,
  type Quote,
  type Quotes,
  quotesBetween,
} from "./quotes.ts";

export type TradedAccount = Account & {
  readonly fills: readonly Fill[];
  readonly unfilled: readonly Unfilled[];
};

/**
 * Next-available-price: each order fills at the first price of its entity whose available instant is strictly after the
 * decision's; equal is not after. A restated or late price of an earlier time is none that anybody could trade at.
 * Orders of one decision that fill at one instant are one batch, sold before bought, weighed against the equity at the
 * batch's prices and the latest of the rest. Decisions ascend strictly and their positions fit the leverage, else
 * RangeError. Orders are filled after the last mark too, where there is a price; exits after it are not booked, and what
 * is held then stands.
 */
export function runAccount(
  decisions: readonly Decision[],
  quotes: Quotes,
  marks: readonly Instant[],
  terms: ExecutionTerms,
  exits: Exits,
): TradedAccount {
  const book = openBook(terms.capital, quotes, marks, exits);
  const fills: Fill[] = [];
  const unfilled: Unfilled[] = [];
  const answered = decisions.filter(({ positions }) => positions !== null);
  checkDecisions(decisions, terms);
  answered.forEach((decision, i) => {
    passTime(book, decision.at, true);
    const until = answered[i + 1]?.at ?? Infinity;
    const planned = planOrders(book, decision, until, exits, unfilled);
    for (const [at, batch] of batchesOf(planned)) {
      passTime(book, at, false);
      const filled = fillBatch(book, decision, at, batch, terms, unfilled);
      bookFills(book, filled);
      fills.push(...filled);
    }
  });
  return { fills, unfilled, ...closeBook(book) };
}

/** The account again, from its fills alone: what a stranger recomputes. Fills in the order in which they were booked. */
export function accountFromFills(
  fills: readonly Fill[],
  quotes: Quotes,
  marks: readonly Instant[],
  capital: number,
  exits: Exits,
): Account {
  const book = openBook(capital, quotes, marks, exits);
  for (let from = 0; from < fills.length; ) {
    const { available, decision } = fills[from] as Fill;
    let to = from + 1;
    while (fills[to]?.available === available && fills[to]?.decision === decision) to++;
    passTime(book, available, false);
    bookFills(book, fills.slice(from, to));
    from = to;
  }
  return closeBook(book);
}

/**
 * The prices that an account needs, and no others: of each entity that a decision names, what became available after the
 * first decision, up to the last mark and the price of every order. The account comes out of them as out of
 * all prices.
 */
export function* usedQuotes(
  decisions: readonly Decision[],
  quotes: Quotes,
  marks: readonly Instant[],
): Generator<Quote> {
  const answered = decisions.filter(({ positions }) => positions !== null);
  const after = answered[0]?.at ?? Infinity;
  const entities = new Set<string>();
  let until = marks.at(-1) ?? -Infinity;
  for (const { at, positions } of answered) {
    for (const entity of Object.keys(positions ?? {})) entities.add(entity);
    for (const entity of entities) {
      const series = quotes.series.get(entity);
      const index = series === undefined ? -1 : firstPriceAfter(series, at);
      if (index >= 0) until = Math.max(until, (series as PriceSeries).firstAvailable[index] as number);
    }
  }
  yield* quotesBetween(quotes, entities, after, until);
}

function checkDecisions(decisions: readonly Decision[], terms: ExecutionTerms): void {
  decisions.forEach(({ id, at, positions }, i) => {
    if (i > 0 && at <= (decisions[i - 1] as Decision).at)
      throw new RangeError(`${id}: decisions ascend strictly, an account follows one at a time`);
    const fault = positions === null ? undefined : positionsFault(positions, terms.leverage);
    if (fault !== undefined) throw new RangeError(`${id}: ${fault}`);
  });
}

type Planned = {
  readonly entity: string;
  readonly weight: number;
  readonly series: PriceSeries;
  /** Index of the price at which it fills. */
  readonly index: number;
  readonly at: Instant;
};

/** One order for each entity that is named or held, by entity; what cannot fill before `until` is told. */
function planOrders(
  book: Book,
  { id, at, positions }: Decision,
  until: number,
  exits: Exits,
  unfilled: Unfilled[],
): Planned[] {
  const weights = positions as Readonly<Record<string, number>>;
  const planned: Planned[] = [];
  for (const entity of [...new Set([...Object.keys(weights), ...book.units.keys()])].sort()) {
    const weight = Object.hasOwn(weights, entity) ? (weights[entity] as number) : 0;
    if (weight === 0 && !book.units.has(entity)) continue;
    const tell = (reason: Unfilled["reason"]) => unfilled.push({ decision: id, decided: at, entity, reason });
    const series = book.quotes.series.get(entity);
    const index = series === undefined ? -1 : firstPriceAfter(series, at);
    const fillsAt = series?.firstAvailable[index] ?? Infinity;
    const left = exits.get(entity);
    if (left !== undefined && left.at <= fillsAt) tell("left");
    else if (series === undefined || index < 0) tell("no-later-price");
    else if (fillsAt > until) tell("superseded");
    else planned.push({ entity, weight, series, index, at: fillsAt as Instant });
  }
  return planned;
}

function batchesOf(planned: readonly Planned[]): [Instant, Planned[]][] {
  const batches = new Map<Instant, Planned[]>();
  for (const order of planned) batches.set(order.at, [...(batches.get(order.at) ?? []), order]);
  return [...batches].sort(([a], [b]) => a - b);
}

function fillBatch(
  book: Book,
  decision: Decision,
  at: Instant,
  batch: readonly Planned[],
  terms: ExecutionTerms,
  unfilled: Unfilled[],
): Fill[] {
  const orders = batch.map(({ entity, weight, series, index }): Order => {
    return { entity, weight, held: book.units.get(entity) ?? 0, quoted: firstValue(series, index) };
  });
  const prices = new Map(orders.map(({ entity, quoted }) => [entity, quoted]));
  const rest = sizeBeside(book, at, prices);
  const sized = sizeBatch(orders, worthAt(book, at, prices), rest, terms);
  const fills: Fill[] = [];
  sized.forEach((size, i) => {
    const { entity, reason } = size;
    if (reason !== null) unfilled.push({ decision: decision.id, decided: decision.at, entity, reason });
    if (size.units !== 0) fills.push(fillOf(decision, batch[i] as Planned, size, book, terms));
  });
  return [...fills.filter(({ units }) => units < 0), ...fills.filter(({ units }) => units > 0)];
}

/** The size of what is held outside a batch. */
function sizeBeside(book: Book, at: Instant, batch: ReadonlyMap<string, number>): number {
  let size = 0;
  for (const [entity, units] of book.units)
    if (!batch.has(entity))
      size += Math.abs(units) * priceAt(book.quotes.series.get(entity) as PriceSeries, at);
  return size;
}

function fillOf(
  decision: Decision,
  order: Planned,
  { units }: Sized,
  book: Book,
  terms: ExecutionTerms,
): Fill {
  const { entity, series, index, at } = order;
  const quoted = firstValue(series, index);
  const { basisPoints, fixed, halfSpread } = terms.costs;
  const price = quoted * (1 + (Math.sign(units) * halfSpread) / 10_000);
  return {
    decision: decision.id,
    decided: decision.at,
    entity,
    units,
    price,
    quoted,
    ref: series.refs[index] as string,
    column: book.quotes.columns[series.column[index] as number] as string,
    available: at,
    cost: (Math.abs(units) * price * basisPoints) / 10_000 + fixed,
  };
}
