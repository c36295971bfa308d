/** Published figures of other systems, from the same prices through our account; the strategies are written here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Instant, instant, MICROS_PER_DAY, parseDay } from "../../src/core/instant.ts";
import { accountFromFills, runAccount } from "../../src/profile/account.ts";
import type { ExecutionTerms } from "../../src/profile/execution.ts";
import { noExits } from "../../src/profile/exits.ts";
import type { Decision, Fill } from "../../src/profile/fills.ts";
import { type Quote, type Quotes, quotesOf } from "../../src/profile/quotes.ts";
import { shared } from "../core/refused.ts";
import { termsWith } from "./random-account.ts";

const GOOG = "data/prices/backtesting-py-agpl/GOOG.csv";
const HOUR = MICROS_PER_DAY / 24;
/** An open is available at 14 hours of its day, a close at 21: no clock changes in a test of days. */
const hoursOf: Readonly<Record<string, number>> = { open: 14, close: 21 };

type Day = { readonly date: string; readonly at: Instant; readonly cells: readonly number[] };

function daysOf(text: string): { header: readonly string[]; days: readonly Day[] } {
  const [header, ...lines] = text.trimEnd().split(/\r?\n/);
  const days = lines.map((line) => {
    const [date, ...cells] = line.split(",") as [string, ...string[]];
    const at = instant((parseDay(date) as number) * MICROS_PER_DAY);
    return { date, at, cells: cells.map((cell) => (cell === "" ? Number.NaN : Number(cell))) };
  });
  return { header: (header as string).split(",").slice(1), days };
}

function quoteOf({ date, at }: Day, entity: string, column: string, value: number): Quote {
  const available = instant(at + (hoursOf[column] as number) * HOUR);
  return { ref: `${entity}#${date}`, entity, column, valid: at, available, firstAvailable: available, value };
}

type Stock = {
  readonly open: readonly number[];
  readonly close: readonly number[];
  readonly quotes: Quotes;
  /** After each close, and the decision made then. */
  readonly evenings: readonly Instant[];
};

function stockOf(text: string): Stock {
  const { days } = daysOf(text);
  const open = days.map(({ cells }) => cells[0] as number);
  const close = days.map(({ cells }) => cells[3] as number);
  const quotes = days.flatMap((day, i) => [
    quoteOf(day, "goog", "open", open[i] as number),
    quoteOf(day, "goog", "close", close[i] as number),
  ]);
  const evenings = days.map(({ at }) => instant(at + 22 * HOUR));
  return { open, close, quotes: quotesOf(quotes, ["open", "close"]), evenings };
}

/** +1 where the short average of closes crosses above the long one on a day, −1 where below, else 0. */
function crossings(close: readonly number[], short: number, long: number): number[] {
  const average = (day: number, length: number) =>
    day < length - 1 ? Number.NaN : close.slice(day - length + 1, day + 1).reduce((a, b) => a + b) / length;
  const difference = close.map((_, day) => average(day, short) - average(day, long));
  return difference.map((now, day) => {
    const before = difference[day - 1] ?? Number.NaN;
    return before < 0 && now > 0 ? 1 : before > 0 && now < 0 ? -1 : 0;
  });
}

const wholeUnits: ExecutionTerms = termsWith({ lot: 1 });
const percent = (ratio: number) => Number((ratio * 100).toFixed(2));
const cents = (value: number) => Number(value.toFixed(2));

/** The worst fall below the highest equity before it. */
function worstFall(equity: readonly number[]): number {
  let [peak, worst] = [Number.NEGATIVE_INFINITY, 0];
  for (const value of equity) {
    peak = Math.max(peak, value);
    worst = Math.min(worst, value / peak - 1);
  }
  return worst;
}

test("BT-1: buy at the first close and hold, 703.46 %", (t) => {
  const text = shared(t, GOOG);
  if (text === undefined) return;
  const { close, evenings } = stockOf(text);
  const quotes = quotesOf(
    daysOf(text).days.map((day, i) => quoteOf(day, "goog", "close", close[i] as number)),
    ["close"],
  );
  const first = instant((evenings[0] as number) - 2 * HOUR);
  const account = runAccount(
    [{ id: "hold", at: first, positions: { goog: 1 } }],
    quotes,
    evenings,
    termsWith(),
    noExits,
  );
  assert.equal(account.fills[0]?.price, 100.34);
  assert.equal(percent((account.equity.at(-1) as number) / (account.equity[0] as number) - 1), 703.46);
});

test("BT-4: averages of 10 and 30 days crossing, all in and whole units at the next open: 51,959.95 to the cent", (t) => {
  const text = shared(t, GOOG);
  if (text === undefined) return;
  const { open, close, quotes, evenings } = stockOf(text);
  const crossed = crossings(close, 10, 30);
  const decisions = evenings.map((at, day): Decision => {
    const sign = crossed[day] as number;
    return { id: `d${day}`, at, positions: sign === 0 ? null : { goog: sign } };
  });
  const { fills, unfilled, equity, positions } = runAccount(decisions, quotes, evenings, wholeUnits, noExits);
  assert.deepEqual(unfilled, []);
  const end = equity.at(-1) as number;
  assert.equal(cents(end), 51_959.95);
  // The published figure closes the last trade at the last day's open, which our rule never fills at.
  const held = positions["goog"] as number;
  const closed = cents(end - held * ((close.at(-1) as number) - (open.at(-1) as number)));
  assert.equal(closed, 51_422.99);
  assert.equal(Number((worstFall(equity as number[]) * 100).toFixed(4)), -47.9801);
  const prices = [...fills.map(({ price }) => price), open.at(-1) as number];
  assert.equal(fills.length, 66);
  const won = fills.filter((_, i) => {
    const direction = Math.sign((fills[i] as Fill).units);
    return direction * ((prices[i + 1] as number) - (prices[i] as number)) > 0;
  });
  assert.equal(Number(((won.length / fills.length) * 100).toFixed(4)), 46.9697);
});

/**
 * The other system puts its 0.2 % into the price of each entry and of no exit; we charge each side. So its fills are made
 * here by its rule, and the account is recomputed from them by ours. It counts closed trades only: the last is open.
 */
function entryCostFills({ open, close, quotes, evenings }: Stock) {
  const series = quotes.series.get("goog");
  const crossed = crossings(close, 10, 20);
  const fills: Fill[] = [];
  const trades: { entry: number; exit: number; units: number }[] = [];
  let [cash, units, entry] = [10_000, 0, 0];
  const fill = (day: number, n: number, price: number) => {
    cash -= n * price;
    fills.push({
      decision: `d${day}`,
      decided: evenings[day] as Instant,
      entity: "goog",
      units: n,
      price,
      quoted: open[day + 1] as number,
      ref: series?.refs[2 * (day + 1)] as string,
      column: "open",
      available: series?.firstAvailable[2 * (day + 1)] as Instant,
      cost: 0,
    });
  };
  for (let day = 0; day + 1 < close.length; day++) {
    const sign = crossed[day] as number;
    if (sign === 0) continue;
    const quoted = open[day + 1] as number;
    if (units !== 0) {
      trades.push({ entry, exit: quoted, units });
      fill(day, -units, quoted);
    }
    entry = quoted * (1 + sign * 0.002);
    units = sign * Math.floor(cash / entry);
    fill(day, units, entry);
  }
  return { fills, trades };
}

test("BT-2 and BT-3: averages of 10 and 20 days, 0.2 % in the entry price, 68,935.12 to the cent", (t) => {
  const text = shared(t, GOOG);
  if (text === undefined) return;
  const stock = stockOf(text);
  const { fills, trades } = entryCostFills(stock);
  const { equity } = accountFromFills(fills, stock.quotes, stock.evenings, 10_000, noExits);
  const end = equity.at(-1) as number;
  assert.equal(cents(end), 68_935.12);
  assert.equal(cents(Math.max(...(equity as number[]))), 68_991.22);
  assert.equal(percent(end / 10_000 - 1), 589.35);
  assert.equal(percent(worstFall(equity as number[])), -33.08);
  assert.equal(trades.length, 93);
  assert.equal(
    percent(trades.filter(({ entry, exit, units }) => units * (exit - entry) > 0).length / 93),
    53.76,
  );
});

test("a member left out because it died raises a return: 17 names make +532 %, without the one that died +572 %", (t) => {
  const text = shared(t, "data/prices/pypfopt/stock_prices_to_2018-04-11.csv");
  if (text === undefined) return;
  const { header, days } = daysOf(text);
  const held = days.filter(({ date }) => date >= "2007-01-03");
  const names = header.filter((_, i) => !Number.isNaN(held[0]?.cells[i] as number));
  assert.equal(names.length, 17);
  assert.ok(names.includes("SHLD"));
  const quotes = quotesOf(
    held.flatMap((day) =>
      header.flatMap((name, i) => {
        const value = day.cells[i] as number;
        return Number.isNaN(value) ? [] : [quoteOf(day, name, "close", value)];
      }),
    ),
    ["close"],
  );
  const from = held[0]?.at as Instant;
  const marks = [instant(from + 22 * HOUR), instant((held.at(-1)?.at as Instant) + 22 * HOUR)];
  const gain = (chosen: readonly string[]) => {
    const positions = Object.fromEntries(chosen.map((name) => [name, 1 / chosen.length]));
    const { returns, unfilled } = runAccount(
      [{ id: "all", at: from, positions }],
      quotes,
      marks,
      termsWith(),
      noExits,
    );
    assert.deepEqual(unfilled, []);
    return Math.round((returns[0] as number) * 100);
  };
  assert.equal(gain(names), 532);
  assert.equal(gain(names.filter((name) => name !== "SHLD")), 572);
});
