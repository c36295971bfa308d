/** Stop and limit orders on a path of prices: they fill at a price that there was, through a gap too. */
import type { PricePoint } from "./quotes.ts";

export type TriggerOrder = {
  readonly side: "buy" | "sell";
  readonly level: number;
  /** The instant of the decision: a price available then is before it. */
  readonly after: number;
};

/**
 * A stop order fills at the first later price that is at its level or beyond: above for a buy, below for a sell. Where
 * the path jumps over the level that price is worse than it: 100, 100, 100, 50, 50 with a stop to sell at 90 is 50.
 * undefined: it was never reached.
 */
export function stopFill(path: Iterable<PricePoint>, order: TriggerOrder): PricePoint | undefined {
  return firstBeyond(path, order, order.side === "buy");
}

/** A limit order fills at the first later price that is at its level or better; never at one that nobody quoted. */
export function limitFill(path: Iterable<PricePoint>, order: TriggerOrder): PricePoint | undefined {
  return firstBeyond(path, order, order.side === "sell");
}

function firstBeyond(path: Iterable<PricePoint>, { level, after }: TriggerOrder, above: boolean) {
  for (const point of path) {
    if (point.available <= after) continue;
    if (above ? point.value >= level : point.value <= level) return point;
  }
  return undefined;
}
