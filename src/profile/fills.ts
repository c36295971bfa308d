/** Orders and fills: what a batch of orders of one decision becomes at one instant, costs and lots counted. */
import type { Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type ExecutionTerms, sideCosts } from "./execution.ts";

/**
 * What a case decided: `at` its horizon and the latency. `positions` are weights of the equity, of the whole account:
 * what is held and not named is sold. null: no answer, nothing is traded and what was ordered stands.
 */
export type Decision = {
  readonly id: string;
  readonly at: Instant;
  readonly positions: Readonly<Record<string, number>> | null;
};

/** `units` are below 0 where they were sold; `price` is `quoted` and the half-spread; `cost` the fees, in money. */
export type Fill = {
  readonly decision: string;
  readonly decided: Instant;
  readonly entity: string;
  readonly units: number;
  readonly price: number;
  readonly quoted: number;
  readonly ref: string;
  readonly column: string;
  /** When the price became available: strictly after `decided`. */
  readonly available: Instant;
  readonly cost: number;
};

/**
 * Why an order, or a part of it, was not filled: the data hold no later price; a later decision came before the price;
 * the member has left; less than one lot; more than the leverage allows beside what else is held; no equity above 0 that is known.
 */
export type UnfilledReason = "no-later-price" | "superseded" | "left" | "lot" | "leverage" | "no-equity";
export type Unfilled = {
  readonly decision: string;
  readonly decided: Instant;
  readonly entity: string;
  readonly reason: UnfilledReason;
};

/** One order of a batch: the weight that is wanted, the units that are held, the price as it is quoted. */
export type Order = {
  readonly entity: string;
  readonly weight: number;
  readonly held: number;
  readonly quoted: number;
};

export type Sized = {
  readonly entity: string;
  /** To buy; below 0 to sell; 0 where nothing is traded. */
  readonly units: number;
  readonly reason: "lot" | "leverage" | "no-equity" | null;
};

/** An order of less than this part of the equity is a rounding of doubles, and none. */
const DUST = 1e-9;
/** Each round shrinks what is left by more than half: leverage times the costs of a side is below it. */
const ROUNDS = 64;

/**
 * Sizes the orders of one batch so that afterwards each position is worth its weight of the equity that is left when the
 * costs are paid, x = equity − costs(x): where all fill at once, nothing is borrowed that the weights do not say. `rest`
 * is the size of the positions outside the batch: with them no growth goes above leverage · x. Lots round towards 0.
 * Where no equity is left, only what shall be 0 is traded.
 */
export function sizeBatch(
  orders: readonly Order[],
  equity: number,
  rest: number,
  terms: Pick<ExecutionTerms, "costs" | "leverage" | "lot">,
): Sized[] {
  const left = equityLeft(orders, equity, rest, terms);
  const grown = growth(orders, Math.max(left, 0), rest, terms.leverage);
  return orders.map((order, i) => {
    const { entity, weight, held, quoted } = order;
    if (!(left > 0) && weight !== 0) return { entity, units: 0, reason: "no-equity" };
    const { target, cut } = grown[i] as Grown;
    const units = weight === 0 ? -held : inLots(target / quoted, terms.lot) - held;
    const isNone = weight !== 0 && isDust(units * quoted, equity);
    const belowLot = isNone && held === 0 && !isDust(target, equity);
    return { entity, units: isNone ? 0 : units, reason: cut ? "leverage" : belowLot ? "lot" : null };
  });
}

const isDust = (value: number, equity: number) => Math.abs(value) <= DUST * Math.abs(equity);

/** The equity when the batch is done and paid for; 0 or less where the costs eat it; NaN where it is not known. */
function equityLeft(
  orders: readonly Order[],
  equity: number,
  rest: number,
  terms: Pick<ExecutionTerms, "costs" | "leverage">,
): number {
  if (!(Math.abs(equity) <= limits.quoted)) return Number.NaN;
  const rates = sideCosts(terms);
  let left = equity;
  for (let round = 0; round < ROUNDS && left > 0; round++) {
    const grown = growth(orders, left, rest, terms.leverage);
    let costs = 0;
    orders.forEach(({ weight, held, quoted }, i) => {
      const change = (grown[i] as Grown).target - held * quoted;
      if (weight === 0 || !isDust(change, equity))
        costs += terms.costs.fixed + Math.abs(change) * (change > 0 ? rates.buy : rates.sell);
    });
    const next = equity - costs;
    if (next === left) break;
    left = next;
  }
  return left;
}

type Grown = { readonly target: number; readonly cut: boolean };

/** What each position shall be worth: what it keeps, and its growth in the share for which there is room. */
function growth(orders: readonly Order[], left: number, rest: number, leverage: number): Grown[] {
  const parts = orders.map(({ weight, held, quoted }) => {
    const wanted = Math.abs(weight) * left;
    const kept = weight * held > 0 ? Math.min(wanted, Math.abs(held) * quoted) : 0;
    return { sign: Math.sign(weight), kept, more: wanted - kept };
  });
  const kept = parts.reduce((sum, part) => sum + part.kept, rest);
  const more = parts.reduce((sum, part) => sum + part.more, 0);
  const room = Math.max(leverage * left - kept, 0);
  const isCut = more - room > 2 * DUST * left;
  const share = isCut ? room / more : 1;
  return parts.map((part) => ({
    target: part.sign * (part.kept + share * part.more),
    cut: isCut && part.more > DUST * left,
  }));
}

/** Whole multiples of a lot, towards 0; a hair under a lot is one, since 0.29 · 100 is 28.999999999999996. */
function inLots(units: number, lot: number): number {
  if (lot === 0) return units;
  return Math.sign(units) * Math.floor(Math.abs(units) / lot + DUST) * lot;
}
