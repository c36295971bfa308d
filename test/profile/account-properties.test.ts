import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountFromFills, runAccount, usedQuotes } from "../../src/profile/account.ts";
import { exitsOf } from "../../src/profile/exits.ts";
import type { Fill } from "../../src/profile/fills.ts";
import { parseQuotes, quoteLines } from "../../src/profile/quote-lines.ts";
import { type Quote, quotesOf } from "../../src/profile/quotes.ts";
import { accountOf, COLUMNS, hour, scenarios } from "./random-account.ts";

test("every fill is the first price after its decision that one could trade at, and nothing later was known", () => {
  const property = fc.property(scenarios({ isWhole: false }), (scenario) => {
    const { fills } = accountOf(scenario);
    for (const fill of fills) {
      const firsts = scenario.quotes.filter(
        (q) => q.entity === fill.entity && q.available === q.firstAvailable,
      );
      const isLate = (q: Quote) => firsts.some((o) => o.available < q.available && o.valid > q.valid);
      const after = firsts.filter((q) => q.available > fill.decided && !isLate(q));
      const best = Math.min(...after.map((q) => q.available));
      assert.equal(fill.available, best);
      assert.ok(after.some((q) => q.available === best && q.value === fill.quoted && q.ref === fill.ref));
      assert.ok(fill.units > 0 ? fill.price >= fill.quoted : fill.price <= fill.quoted);
    }
  });
  fc.assert(property, { numRuns: 200 });
});

test("nothing after an instant changes what the account was until then", () => {
  const property = fc.property(scenarios({ isWhole: false }), fc.nat(200), (scenario, hours) => {
    const now = hour(hours);
    const by = <T>(items: readonly T[], at: (item: T) => number) => items.filter((item) => at(item) <= now);
    // What is booked ends with the last mark: where the account goes on, one stands at the cut.
    const goesOn = scenario.marks.some((mark) => mark >= now);
    const marks = by(scenario.marks, (m) => m);
    const cut = accountOf({
      ...scenario,
      quotes: by(scenario.quotes, (q) => q.available),
      decisions: by(scenario.decisions, (d) => d.at),
      marks: goesOn && marks.at(-1) !== now ? [...marks, now] : marks,
      exits: by(scenario.exits, (x) => x.at),
    });
    const whole = accountOf(scenario);
    assert.deepEqual(
      cut.fills,
      by(whole.fills, (f) => f.available),
    );
    assert.deepEqual(cut.equity.slice(0, marks.length), whole.equity.slice(0, marks.length));
    assert.deepEqual(
      cut.exits,
      by(whole.exits, (x) => x.at),
    );
  });
  fc.assert(property, { numRuns: 200 });
});

test("the account comes out of its fills alone, and out of the kept prices alone, to the bit", () => {
  const property = fc.property(scenarios({ isWhole: false }), (scenario) => {
    const { decisions, marks, terms } = scenario;
    const exits = exitsOf(scenario.exits, "x");
    const quotes = quotesOf(scenario.quotes, COLUMNS);
    const { fills, unfilled, ...account } = runAccount(decisions, quotes, marks, terms, exits);
    const again = JSON.parse(JSON.stringify(fills)) as Fill[];
    assert.deepEqual(accountFromFills(again, quotes, marks, terms.capital, exits), account);
    const text = quoteLines(usedQuotes(decisions, quotes, marks));
    const kept = quotesOf(parseQuotes(text, "prices.jsonl"), COLUMNS);
    assert.deepEqual(runAccount(decisions, kept, marks, terms, exits), { fills, unfilled, ...account });
  });
  fc.assert(property, { numRuns: 200 });
});

/** The latest price by valid time, then column, that was known at an instant, in the version known then. */
function naivePrice(quotes: readonly Quote[], entity: string, at: number): number {
  const known = quotes.filter((q) => q.entity === entity && q.available <= at);
  const latest = known.sort(
    (a, b) =>
      a.valid - b.valid ||
      (a.column === b.column ? 0 : a.firstAvailable - b.firstAvailable || (a.column === "open" ? -1 : 1)) ||
      a.available - b.available,
  );
  return latest.at(-1)?.value ?? Number.NaN;
}

/** By the plainest sums, over fills and paid exits: none of our own code. */
test("equity is the capital less what was bought and paid, and what the sums of the fills are worth", () => {
  let traded = 0;
  const property = fc.property(scenarios(), (scenario) => {
    const { fills, exits, cash, positions, costs, equity } = accountOf(scenario);
    traded += fills.length;
    const stateAt = (at: number) => {
      const units: Record<string, number> = { a: 0, b: 0, c: 0 };
      let [money, paid] = [scenario.terms.capital, 0];
      const flows = [
        ...fills.map((fill) => ({ fill, exit: null })),
        ...exits.map((exit) => ({ fill: null, exit })),
      ];
      for (const { fill, exit } of flows) {
        const { entity } = fill ?? exit;
        if ((fill?.available ?? exit?.at ?? 0) > at) continue;
        units[entity] = (units[entity] as number) + (fill?.units ?? -(exit?.units ?? 0));
        money +=
          exit === null ? -fill.units * fill.price - fill.cost : exit.units * exit.last * (1 + exit.return);
        paid += fill === null ? 0 : fill.cost + fill.units * (fill.price - fill.quoted);
      }
      return { units, money, paid };
    };
    const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6, `${a}, expected ${b}`);
    const end = stateAt(Infinity);
    near(end.money, cash);
    near(end.paid, costs);
    for (const [entity, n] of Object.entries(end.units)) near(n, positions[entity] ?? 0);
    scenario.marks.forEach((mark, i) => {
      const { units, money } = stateAt(mark);
      const worth = Object.entries(units)
        .filter(([, n]) => Math.abs(n) > 1e-9)
        .map(([entity, n]) => n * naivePrice(scenario.quotes as Quote[], entity, mark));
      near(
        worth.reduce((a, b) => a + b, money),
        equity[i] as number,
      );
    });
  });
  fc.assert(property, { numRuns: 200 });
  assert.ok(traded > 100, `${traded} fills were looked at`);
});

test("no money is borrowed by an account that is never short and has no leverage", () => {
  const property = fc.property(scenarios({ isShort: false }), (scenario) => {
    const { fills, exits } = accountOf(scenario);
    const flows = [
      ...exits.map((exit) => ({ at: exit.at, rank: 0, cash: exit.cash })),
      ...fills.map((fill) => ({ at: fill.available, rank: 1, cash: -fill.units * fill.price - fill.cost })),
    ].sort((a, b) => a.at - b.at || a.rank - b.rank);
    let cash = scenario.terms.capital;
    flows.forEach((flow, i) => {
      cash += flow.cash;
      if (flows[i + 1]?.at !== flow.at) assert.ok(cash > -1e-6, `${cash}`);
    });
  });
  fc.assert(property, { numRuns: 200 });
});

test("the order of the quotes does not matter", () => {
  const mixed = scenarios().chain((scenario) =>
    fc.record({
      scenario: fc.constant(scenario),
      quotes: fc.shuffledSubarray([...scenario.quotes], { minLength: scenario.quotes.length }),
    }),
  );
  const property = fc.property(mixed, ({ scenario, quotes }) => {
    assert.deepEqual(accountOf({ ...scenario, quotes }), accountOf(scenario));
  });
  fc.assert(property, { numRuns: 200 });
});
