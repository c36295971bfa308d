/** How decisions become positions: the execution component of a profile, its parameters, what they may be. */
import { type Static, Type } from "@sinclair/typebox";
import { type Duration, parseDuration } from "../core/duration.ts";
import { limits } from "../core/limits.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import type { PlaceOf } from "../core/schema.ts";
import { fitsLeverage } from "../model/given-answer.ts";

const strictly = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200, description: "a name" });
const from0 = Type.Number({ minimum: 0, maximum: limits.money, description: "a number from 0" });
const basisPoints = Type.Number({
  minimum: 0,
  maximum: 5_000,
  description: "basis points, a number from 0 to 5000",
});

/** `execution:` of a profile that trades. */
export const ExecutionOnDisk = Type.Object(
  {
    component: Type.Literal("next-available-price", { description: "next-available-price" }),
    prices: Type.Object(
      {
        table: name,
        columns: Type.Array(name, {
          minItems: 1,
          maxItems: 16,
          uniqueItems: true,
          description: "columns that are prices, each once, in the order of a day",
        }),
      },
      strictly,
    ),
    latency: Type.Optional(Type.String()),
    costs: Type.Object(
      {
        basis_points: Type.Optional(basisPoints),
        fixed: Type.Optional(from0),
        half_spread: Type.Optional(basisPoints),
      },
      strictly,
    ),
    lot: Type.Optional(from0),
    leverage: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 100, description: "a number above 0, to 100" }),
    ),
    capital: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: limits.money, description: "a number above 0" }),
    ),
  },
  strictly,
);
export type ExecutionOnDisk = Static<typeof ExecutionOnDisk>;

export type ExecutionTerms = {
  readonly component: "next-available-price";
  /** `columns` are the cells that are prices, in the order of a day. */
  readonly prices: { readonly table: string; readonly columns: readonly string[] };
  /** From the horizon to the instant of the decision: exact, `months` and `days` are 0. */
  readonly latency: Duration;
  /**
   * Of each side: `basisPoints` of what is paid, `fixed` per order, and `halfSpread`, basis points of the price by which
   * a buyer pays more and a seller gets less.
   */
  readonly costs: { readonly basisPoints: number; readonly fixed: number; readonly halfSpread: number };
  /** Units are whole multiples of it; 0: any fraction. */
  readonly lot: number;
  /** The most that the sizes of the weights of one decision may sum to. */
  readonly leverage: number;
  readonly capital: number;
};

/** What a side costs per money that changes hands at the quoted price. */
export function sideCosts({ costs }: Pick<ExecutionTerms, "costs">): { buy: number; sell: number } {
  const [fee, half] = [costs.basisPoints / 10_000, costs.halfSpread / 10_000];
  return { buy: (1 + half) * (1 + fee) - 1, sell: 1 - (1 - half) * (1 - fee) };
}

/** Costs that a profile declares must leave something: leverage times the costs of a side, below this. */
const COSTLIEST = 0.5;

/** The terms with their defaults: no latency, any fraction of a unit, leverage 1, a capital of 10,000. */
export function executionTerms(
  disk: ExecutionOnDisk,
  at: Place | PlaceOf,
  complain: Complain = strict,
): ExecutionTerms | undefined {
  const placeOf: PlaceOf = typeof at === "string" ? () => at : at;
  const { component, prices, costs, lot = 0, leverage = 1, capital = 10_000 } = disk;
  const latency = parseDuration(
    disk.latency ?? "PT0S",
    placeOf("/execution/latency"),
    "execution.latency",
    complain,
  );
  const { basis_points = 0, fixed = 0, half_spread = 0 } = costs;
  const terms = {
    component,
    prices,
    costs: { basisPoints: basis_points, fixed, halfSpread: half_spread },
    lot,
    leverage,
    capital,
  };
  const worst = leverage * Math.max(...Object.values(sideCosts(terms)));
  if (worst >= COSTLIEST) {
    complain("FieldInvalid", {
      place: placeOf("/execution/costs"),
      field: "execution.costs",
      found: `${worst} of the equity at a leverage of ${leverage}`,
      expected: `less than ${COSTLIEST}`,
    });
    return undefined;
  }
  if (latency === undefined) return undefined;
  if (latency.months !== 0 || latency.days !== 0) {
    const expected = "an exact time, such as PT24H: days and months are a calendar's";
    const place = placeOf("/execution/latency");
    complain("FieldInvalid", { place, field: "execution.latency", found: latency.text, expected });
    return undefined;
  }
  return { ...terms, latency };
}

/** The terms as they stand on disk, each key said: what a profile is stamped with. */
export function executionOnDisk(terms: ExecutionTerms): ExecutionOnDisk {
  const { component, prices, latency, costs, lot, leverage, capital } = terms;
  const { basisPoints: basis_points, fixed, halfSpread: half_spread } = costs;
  return {
    component,
    prices: { table: prices.table, columns: [...prices.columns] },
    latency: latency.text,
    costs: { basis_points, fixed, half_spread },
    lot,
    leverage,
    capital,
  };
}

/** Why positions are no answer, or undefined: weights are numbers, and their sizes sum to the leverage at most. */
export function positionsFault(
  positions: Readonly<Record<string, number>>,
  leverage: number,
): string | undefined {
  let sum = 0;
  for (const [entity, weight] of Object.entries(positions)) {
    if (!Number.isFinite(weight)) return `${entity}: ${weight}, expected a number`;
    sum += Math.abs(weight);
  }
  return fitsLeverage(sum, leverage)
    ? undefined
    : `the sizes of the weights sum to ${sum}, expected at most ${leverage}`;
}
