import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionCase } from "../../src/caseset/decision-case.ts";
import { type Instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { periodDoubts } from "../../src/profile/period-doubts.ts";

/** Only what is looked at. */
const casesOf = (days: readonly number[], members: readonly string[] | null = null) =>
  days.map((day) => ({
    horizon: (day * MICROS_PER_DAY) as Instant,
    universe: null,
    members,
  })) as unknown as DecisionCase[];
const every = (step: number) => casesOf([5, 1, 4, 2, 3].map((i) => i * step));
const doubts = (per: string, cases: readonly DecisionCase[]) =>
  periodDoubts({ per, periodsPerYear: null }, cases).length;

test("periodDoubts: a known name is held against the median period, whatever the order of the cases", () => {
  const usual = { day: 1, week: 7, month: 30, quarter: 91, year: 365 };
  for (const name of Object.keys(usual))
    for (const [other, step] of Object.entries(usual))
      assert.equal(doubts(name, every(step)), name === other ? 0 : 1, `${name}, by the ${other}`);
  assert.match(
    periodDoubts({ per: "Monthly", periodsPerYear: null }, every(1))[0] as string,
    /per is Monthly, .*cases is 1 days/,
  );
});

test("periodDoubts: other names, one case, market days and a gap say nothing; slices are looked at one by one", () => {
  assert.equal(doubts("fortnight", every(1)), 0);
  assert.equal(doubts("month", casesOf([1])), 0);
  assert.equal(doubts("trading day", casesOf([0, 1, 2, 3, 4, 7, 8, 9, 10, 11])), 0);
  assert.equal(doubts("month", casesOf([0, 31, 59, 90, 400, 430])), 0);
  const slices = [...casesOf([0, 30, 60]), ...casesOf([1, 2, 3], ["a"])];
  assert.match(
    periodDoubts({ per: "month", periodsPerYear: null }, slices).join(),
    /^returns\.per is month, .*fixed_universe cases is 1 days/,
  );
});

test("periodDoubts: as many periods a year as the name has, and not those of another", () => {
  const usual = { day: 252, week: 52, month: 12, quarter: 4, year: 1 };
  for (const per of Object.keys(usual))
    for (const [other, periodsPerYear] of Object.entries(usual))
      assert.equal(
        periodDoubts({ per, periodsPerYear }, casesOf([1])).length,
        per === other ? 0 : 1,
        `${per} ${other}`,
      );
  assert.match(periodDoubts({ per: "month", periodsPerYear: 252 }, []).join(), /periods_per_year is 252/);
  assert.deepEqual(periodDoubts({ per: "day", periodsPerYear: 365 }, []), []);
});
