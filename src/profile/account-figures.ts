/** An account in figures: what was earned, how it swung, what it cost, and each fill by row, column and instant. */
import type { DecisionCase } from "../caseset/decision-case.ts";
import type { Json } from "../core/canonical.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { probabilisticSharpe, returnFigures } from "../stats/sharpe.ts";
import type { TradedAccount } from "./account.ts";
import type { Fill, Unfilled } from "./fills.ts";
import { marksOf } from "./marks.ts";
import { excessOf, type ReturnsTerms } from "./returns.ts";

/** Spelled as in a report; null: not known, and `state` says why. */
export type AccountFigures = {
  readonly periods: number;
  /** How often nothing was held between two of these periods, for cases that are not among these: no figure is per year then. */
  readonly gaps: number;
  readonly state: string;
  /** Equity at the first and the last mark, and the return from the one to the other. */
  readonly equity: readonly [number | null, number | null];
  readonly total_return: number | null;
  /** Of excess returns per period; the ratio per period with ddof 1, skewness and plain kurtosis of the population. */
  readonly mean: number | null;
  readonly sd: number | null;
  readonly sharpe: number | null;
  readonly sharpe_per_year: number | null;
  readonly skewness: number | null;
  readonly kurtosis: number | null;
  /** P(true ratio > 0). */
  readonly psr: number | null;
  /** The deepest fall of the equity from a mark before it, in [-1, 0]. */
  readonly drawdown: number | null;
  readonly turnover: number | null;
  readonly costs: number;
  readonly fills: number;
  readonly unfilled: { readonly [reason: string]: number };
};

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export function accountFigures(
  { account, gaps }: { readonly account: TradedAccount; readonly gaps: number },
  { riskFree, periodsPerYear }: ReturnsTerms,
): AccountFigures {
  const { equity, returns, turnover, costs, fills, unfilled } = account;
  const [first, last] = [equity[0] ?? null, equity.at(-1) ?? null];
  const money = {
    equity: [first, last] as const,
    total_return: first === null || last === null || first <= 0 ? null : finite(last / first - 1),
    drawdown: drawdownOf(equity),
    turnover,
    costs,
    fills: fills.length,
    unfilled: countReasons(unfilled),
  };
  const none = {
    mean: null,
    sd: null,
    sharpe: null,
    sharpe_per_year: null,
    skewness: null,
    kurtosis: null,
    psr: null,
  };
  const unknown = (state: string) => ({ periods: returns.length, gaps, state, ...none, ...money });
  if (isRuined(equity)) return { ...unknown("ruined"), total_return: null };
  if (returns.includes(null)) return unknown("unknown-return");
  const of = returnFigures(Float64Array.from(excessOf(returns as readonly number[], riskFree)));
  const { n: periods, state, mean, sd, sharpe, skewness, kurtosis } = of;
  const known = sharpe !== null && skewness !== null && kurtosis !== null;
  return {
    periods,
    gaps,
    state,
    mean: finite(mean),
    sd: finite(sd),
    sharpe,
    sharpe_per_year:
      sharpe === null || periodsPerYear === null || gaps > 0 ? null : sharpe * Math.sqrt(periodsPerYear),
    skewness,
    kurtosis,
    psr: known ? finite(probabilisticSharpe({ sharpe, periods, skewness, kurtosis }, 0)) : null,
    ...money,
  };
}

/** Did it fall to 0 or below at a mark? From there on there is nothing that a return could be of. */
export const isRuined = (equity: readonly (number | null)[]): boolean =>
  equity.some((value) => value !== null && value <= 0);

/** max over marks of 1 − equity / the greatest before, below 0; null where an equity is not known. */
function drawdownOf(equity: readonly (number | null)[]): number | null {
  let [peak, deepest] = [0, 0];
  for (const value of equity) {
    if (value === null) return null;
    peak = Math.max(peak, value);
    if (peak > 0) deepest = Math.min(deepest, value / peak - 1);
  }
  return deepest;
}

function countReasons(unfilled: readonly Unfilled[]): { readonly [reason: string]: number } {
  const counts: Record<string, number> = {};
  for (const { reason } of [...unfilled].sort((a, b) => (a.reason < b.reason ? -1 : 1)))
    counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** The account whole: from these fills, and the prices that the run keeps, a stranger makes every figure again. */
export function accountJson(
  account: TradedAccount,
  cases: readonly DecisionCase[],
): { readonly [key: string]: Json } {
  const { returns, fills, unfilled, exits, positions, cash } = account;
  const kept = fills.slice(0, limits.reportedOrders);
  return {
    // One more than there are returns: each is from its mark to the next.
    marks: marksOf(cases).map((mark) => formatInstant(mark)),
    returns: cases.map(({ id }, i) => [id, returns[i] ?? null]),
    orders: kept.map(fillJson),
    ...(kept.length < fills.length ? { orders_left_out: fills.length - kept.length } : {}),
    not_filled: unfilled
      .slice(0, limits.reportedOrders)
      .map(({ decision, entity, reason }) => ({ case: decision, entity, reason })),
    left: exits.map(({ at, ...exit }) => ({ ...exit, at: formatInstant(at) })),
    positions: positions as Json,
    cash,
  };
}

function fillJson({ decision, decided, available, ...fill }: Fill): Json {
  return { case: decision, decided: formatInstant(decided), available: formatInstant(available), ...fill };
}
