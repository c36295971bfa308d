/** Gaps of an account: cases of the set that lie between those of a run, of an arm, and what is held through them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { DecisionCase } from "../../src/caseset/decision-case.ts";
import type { Json } from "../../src/core/canonical.ts";
import type { Instant } from "../../src/core/instant.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import {
  decisionsWithGaps,
  gapsAfter,
  parseSkipped,
  type Skipped,
  skippedOf,
  skippedOnDisk,
} from "../../src/profile/gaps.ts";
import { deflateLedger } from "../../src/profile/ledger-deflation.ts";
import { refused } from "../core/refused.ts";
import { decider, decisionSet, priceOf, runDecisions } from "../support/decision-set.ts";

const at = (day: number) => (day * 86_400_000_000) as Instant;
const aCase = (id: string, day: number, members: string[] | null = null) =>
  ({ id, horizon: at(day), universe: null, members }) as unknown as DecisionCase;

describe("gaps", () => {
  it("begin at the first other case after an own one, if another own one follows", () => {
    assert.deepEqual(gapsAfter([at(1), at(2), at(5), at(9)], [at(0), at(3), at(4), at(10)]), [
      null,
      at(3),
      null,
      null,
    ]);
    assert.deepEqual(gapsAfter([at(1)], [at(2)]), [null], "after the last one nothing follows");
    assert.deepEqual(gapsAfter([], [at(2)]), []);
  });

  it("sell all, as late after their horizon as a decision is after its own", () => {
    const answered = [1, 2, 5].map((day) => ({ id: `d${day}`, horizon: at(day), positions: { ash: 1 } }));
    const { decisions, gaps } = decisionsWithGaps(answered, [at(9), at(4), at(3)], 7);
    assert.equal(gaps, 1);
    assert.deepEqual(
      decisions.map(({ id, at, positions }) => [id, at, positions]),
      [
        ["d1", at(1) + 7, { ash: 1 }],
        ["d2", at(2) + 7, { ash: 1 }],
        ["d2", at(3) + 7, {}],
        ["d5", at(5) + 7, { ash: 1 }],
      ],
    );
    const none = decisionsWithGaps(answered, [], 0);
    assert.deepEqual([none.gaps, none.decisions.length], [0, 3]);
  });

  it("are those that a search of all pairs finds", () => {
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 });
    fc.assert(
      fc.property(days, days, (a, b) => {
        const [own, others] = [a, b].map((each) => [...each].sort((x, y) => x - y).map(at)) as [
          Instant[],
          Instant[],
        ];
        const expected = own.map((horizon) => {
          const next = own.find((other) => other > horizon);
          return others.find((other) => other > horizon && next !== undefined && other < next) ?? null;
        });
        assert.deepEqual(gapsAfter(own, others), expected);
      }),
    );
  });

  it("are of each slice alone, whatever the order of the cases, and stand in a stamp as they are", () => {
    const all = [0, 1, 2, 3, 4, 5].flatMap((day) => [aCase(`a${day}`, day), aCase(`m${day}`, day, ["x"])]);
    const of = (...ids: string[]) => all.filter(({ id }) => ids.includes(id));
    const found = skippedOf(all.toReversed(), of("a0", "a3", "a5", "m1", "m2").toReversed());
    assert.deepEqual([...found], [["all", [at(1), at(4)]]]);
    assert.deepEqual([...skippedOf(all, all)], []);
    assert.deepEqual([...skippedOf(all, of("m1", "m3"))], [["fixed_universe", [at(2)]]]);
    const disk = skippedOnDisk(found);
    assert.deepEqual(disk, { all: ["1970-01-02T00:00:00Z", "1970-01-05T00:00:00Z"] });
    assert.deepEqual(parseSkipped(disk, "stamp"), found as Skipped);
    const error = refused("InstantInvalid", () => parseSkipped({ all: ["1970-01-02"] }, "stamp"));
    assert.match(error.message, /stamp\.execution\.skipped\.all/);
  });
});

type Repeat = {
  readonly returns: readonly [string, number][];
  readonly orders: readonly { case: string; decided: string; available: string; units: number }[];
  readonly gaps: number;
  readonly sharpe: number;
  readonly sharpe_per_year: number | null;
};
const routedOf = ({ report }: { report: { result: Json } }) =>
  (report.result as unknown as { decisions: { slices: Record<string, { arms: Record<string, Repeat[]> }> } })
    .decisions.slices["all"]?.arms["routed"]?.[0] as Repeat;

const chosen = [0, 1, 4, 5];
const made = () =>
  decisionSet({ weeks: 7, more: (week) => ({ tags: [chosen.includes(week) ? "in" : "out"] }) });
const hold = decider(() => ({ ash: 1 }));

describe("an account with a gap", () => {
  it("sells all at the decision of the first case left out: each return is that of its own week, by hand", async () => {
    const filters = [{ key: "tag", value: "in" }] as const;
    const own = routedOf(await runDecisions(await made(), hold, { filters }));
    const [open, close] = [
      (day: number) => priceOf("ash", day, "open"),
      (day: number) => priceOf("ash", day, "close"),
    ];
    // Bought at the open of day 7; marked at the close of day 13 and sold at the open of day 21; bought again on day 35.
    const expected = [
      close(13) / open(7) - 1,
      open(21) / close(13) - 1,
      close(41) / open(35) - 1,
      close(48) / close(41) - 1,
    ];
    assert.deepEqual(
      own.returns.map(([id]) => id),
      chosen.map((week) => `week-${week}`),
    );
    own.returns.forEach(([id, value], i) => {
      assert.ok(Math.abs(value - (expected[i] as number)) < 1e-9, `${id}: ${value}, ${expected[i]}`);
    });
    const sold = own.orders.filter(({ units }) => units < 0);
    assert.deepEqual(
      sold.map(({ case: id, decided, available }) => [id, decided, available]),
      [["week-1", "2021-01-25T00:00:00Z", "2021-01-25T09:30:00Z"]],
    );
    assert.deepEqual([own.gaps, own.sharpe_per_year], [1, null], "four weeks of seven make no year of 52");
  });

  it("a run without one is annualised; where the last cases are left out there is none", async () => {
    const set = await made();
    const whole = routedOf(await runDecisions(set, hold));
    assert.equal(whole.gaps, 0);
    assert.equal(whole.sharpe_per_year, Number((whole.sharpe * Math.sqrt(52)).toPrecision(12)));
    const filters = [{ key: "id", value: "week-0" }] as const;
    assert.equal(routedOf(await runDecisions(set, hold, { filters })).gaps, 0);
  });

  it("is another kind of trial: it counts in N, and its ratio is not compared", async () => {
    const trials = memoryTrialLedger("weekly");
    const set = await made();
    const half = decider(() => ({ ash: 0.5, birch: 0.5 }));
    await runDecisions(set, hold, { trials, filters: [{ key: "tag", value: "in" }] });
    await runDecisions(set, hold, { trials, run: "01TESTRUN00000000000000001" });
    await runDecisions(set, half, { trials, run: "01TESTRUN00000000000000002" });
    const rows = await trials.read();
    const found = deflateLedger(rows);
    assert.deepEqual([found.n_trials, found.n_ratios, found.periods], [3, 2, 7]);
    assert.equal(found.compared?.others, 1);
    assert.equal(found.units.periods_per_year, 52);
    assert.match(found.trials[0]?.name as string, /tag=in/);
    const like = deflateLedger(rows, 0);
    assert.deepEqual([like.n_trials, like.n_ratios, like.periods], [3, 1, 4]);
    assert.deepEqual([like.units.periods_per_year, like.trials[0]?.sharpe_per_year], [null, null]);
    assert.equal(like.best?.dsr_state, "not estimable");
  });
});
