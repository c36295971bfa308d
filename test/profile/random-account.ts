/** Random accounts: few days and few prices, so that instants meet, prices come late, are restated, and members leave. */
import fc from "fast-check";
import { type Instant, instant } from "../../src/core/instant.ts";
import { runAccount, type TradedAccount } from "../../src/profile/account.ts";
import { type ExecutionTerms, executionTerms } from "../../src/profile/execution.ts";
import { type Exit, exitsOf } from "../../src/profile/exits.ts";
import type { Decision } from "../../src/profile/fills.ts";
import { type Quote, quotesOf } from "../../src/profile/quotes.ts";

export const COLUMNS = ["open", "close"];
const HOUR = 3_600_000_000;
/** Hour `hours` of a calendar that has days of 24. */
export const hour = (hours: number): Instant => instant(1_400_000_000_000_000 + hours * HOUR);

/** What a test says of a price; its row is that of a day, open known 9 hours into it and close 16. */
export type DayPrice = {
  readonly entity?: string;
  readonly day: number;
  readonly column?: string;
  readonly value: number;
  /** Hours from the day's begin until it was known. */
  readonly after?: number;
  /** Later values, by the hours from the day's begin at which they replaced it. */
  readonly restated?: readonly (readonly [hours: number, value: number])[];
};

function quotesOfDay({ entity = "a", day, column = "open", value, after, restated = [] }: DayPrice): Quote[] {
  const known = after ?? (column === "open" ? 9 : 16);
  const firstAvailable = hour(day * 24 + known);
  const base = { ref: `${entity}#${day}`, entity, column, valid: hour(day * 24), firstAvailable };
  return [
    { ...base, available: firstAvailable, value },
    ...restated.map(([hours, later]) => ({ ...base, available: hour(day * 24 + hours), value: later })),
  ];
}

export const quotesOfDays = (days: readonly DayPrice[]): Quote[] => days.flatMap(quotesOfDay);

export function termsWith(over: Partial<ExecutionTerms> = {}): ExecutionTerms {
  const prices = { table: "index", columns: COLUMNS };
  const free = executionTerms({ component: "next-available-price", prices, costs: {} }, "p.yaml");
  return { ...(free as ExecutionTerms), ...over };
}

export type Scenario = {
  readonly quotes: readonly Quote[];
  readonly decisions: readonly Decision[];
  readonly marks: readonly Instant[];
  readonly exits: readonly Exit[];
  readonly terms: ExecutionTerms;
};

export const accountOf = ({ quotes, decisions, marks, exits, terms }: Scenario): TradedAccount =>
  runAccount(decisions, quotesOf(quotes, COLUMNS), marks, terms, exitsOf(exits, "x"));

const DAYS = 8;
const ENTITIES = ["a", "b", "c"];
const values = fc.constantFrom(50, 90, 99.5, 100, 101, 110, 200);

const restatements: fc.Arbitrary<[number, number][]> = fc.array(
  fc.tuple(fc.constantFrom(1, 20, 40), values),
  { maxLength: 2 },
);

const dayPrices = fc
  .uniqueArray(
    fc.record({
      entity: fc.constantFrom(...ENTITIES),
      day: fc.nat(DAYS - 1),
      column: fc.constantFrom(...COLUMNS),
      value: values,
      late: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constantFrom(24, 60) },
      ),
      restated: fc.oneof(
        { weight: 4, arbitrary: fc.constant<[number, number][]>([]) },
        { weight: 1, arbitrary: restatements },
      ),
    }),
    { selector: ({ entity, day, column }) => `${entity}${day}${column}`, minLength: 6, maxLength: 40 },
  )
  .map((days) =>
    quotesOfDays(
      days.map(({ late, restated, ...price }) => {
        const after = late + (price.column === "open" ? 9 : 16);
        const later = new Map(restated.map(([hours, value]) => [after + hours, value]));
        return { ...price, after, restated: [...later].sort(([a], [b]) => a - b) };
      }),
    ),
  );

/** Tenths that sum in size to 1 at most; with `short`, some below 0. */
const weights = (short: boolean) =>
  fc
    .array(fc.tuple(fc.constantFrom(...ENTITIES), fc.nat(10), fc.boolean()), { maxLength: 3 })
    .map((parts) => {
      let left = 10;
      const positions: Record<string, number> = {};
      for (const [entity, tenths, below] of parts) {
        if (Object.hasOwn(positions, entity)) continue;
        const taken = Math.min(tenths, left);
        left -= taken;
        positions[entity] = (short && below ? -taken : taken) / 10;
      }
      return positions;
    });

const hoursOfDays = (maxLength: number) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(DAYS), fc.constantFrom(0, 8, 9, 12, 16, 17)), {
      selector: ([day, hours]) => day * 24 + hours,
      maxLength,
    })
    .map((found) => found.map(([day, hours]) => day * 24 + hours).sort((a, b) => a - b));

/** With `isWhole` no exit lacks its return. */
export const scenarios = ({ isShort = true, isWhole = true } = {}): fc.Arbitrary<Scenario> =>
  fc
    .record({
      quotes: dayPrices,
      at: hoursOfDays(6),
      positions: fc.array(fc.option(weights(isShort), { freq: 6 }), { minLength: 6, maxLength: 6 }),
      marks: hoursOfDays(8),
      exits: fc.uniqueArray(
        fc.record({
          entity: fc.constantFrom(...ENTITIES),
          at: fc.tuple(fc.nat(DAYS), fc.constantFrom(9, 12, 16)).map(([d, h]) => hour(d * 24 + h)),
          return: fc.constantFrom(-1, -0.9, 0, 0.1, ...(isWhole ? [] : [null])),
        }),
        { selector: ({ entity }) => entity, maxLength: 2 },
      ),
      costs: fc.record({
        basisPoints: fc.constantFrom(0, 5, 100),
        fixed: fc.constantFrom(0, 1),
        halfSpread: fc.constantFrom(0, 1, 50),
      }),
      lot: fc.constantFrom(0, 0, 1, 10),
    })
    .map(({ quotes, at, positions, marks, exits, costs, lot }) => ({
      quotes,
      decisions: at.map((hours, i) => ({
        id: `d${i}`,
        at: hour(hours),
        positions: positions[i] ?? null,
      })),
      marks: marks.map(hour),
      exits,
      terms: termsWith({ costs, lot }),
    }));
