import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountFromFills, runAccount, type TradedAccount, usedQuotes } from "../../src/profile/account.ts";
import { exitsOf } from "../../src/profile/exits.ts";
import type { Decision, Fill } from "../../src/profile/fills.ts";
import { parseQuotes, quoteLines } from "../../src/profile/quote-lines.ts";
import { type Quote, quotesOf } from "../../src/profile/quotes.ts";
import {
  COLUMNS,
  type DayPrice,
  hour,
  quotesOfDays,
  type Scenario,
  scenarios,
  termsWith,
} from "./random-account.ts";

const accountOf = ({ quotes, decisions, marks, exits, terms }: Scenario): TradedAccount =>
  runAccount(decisions, quotesOf(quotes, COLUMNS), marks, terms, exitsOf(exits, "x"));

/** An account of prices that are said by the day, decided at hours. */
function accountBy(
  days: readonly DayPrice[],
  decisions: readonly (readonly [hours: number, positions: Decision["positions"]])[],
  marks: readonly number[] = [],
  over: Partial<Scenario["terms"]> = {},
  exits: Scenario["exits"] = [],
) {
  return accountOf({
    quotes: quotesOfDays(days),
    decisions: decisions.map(([hours, positions], i) => ({ id: `d${i}`, at: hour(hours), positions })),
    marks: marks.map(hour),
    exits,
    terms: termsWith(over),
  });
}

const told = ({ fills }: TradedAccount) =>
  fills.map((fill) => [fill.decision, fill.units, fill.price, fill.ref]);
const reasons = ({ unfilled }: TradedAccount) =>
  unfilled.map(({ decision, entity, reason }) => `${decision} ${entity} ${reason}`);

test("an order fills at the first price that is available strictly after its decision: equal is not after", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 1, column: "close", value: 125 },
    { day: 2, value: 200 },
  ];
  assert.deepEqual(told(accountBy(days, [[24 + 8, { a: 1 }]])), [["d0", 100, 100, "a#1"]]);
  assert.deepEqual(told(accountBy(days, [[24 + 9, { a: 1 }]])), [["d0", 80, 125, "a#1"]]);
  assert.deepEqual(told(accountBy(days, [[24 + 16, { a: 1 }]])), [["d0", 50, 200, "a#2"]]);
  const [fill] = accountBy(days, [[24 + 9, { a: 1 }]]).fills;
  assert.deepEqual([fill?.column, fill?.available, fill?.decided], ["close", hour(40), hour(33)]);
});

test("without a later price an order stays unfilled and says so; the last price is not taken", () => {
  const days = [{ day: 1, value: 100 }];
  const account = accountBy(days, [[33, { a: 1, b: 0 }]], [48]);
  assert.deepEqual([told(account), reasons(account)], [[], ["d0 a no-later-price"]]);
  assert.deepEqual([account.cash, account.equity], [10_000, [10_000]]);
  assert.deepEqual(reasons(accountBy(days, [[32, { a: 1 }]])), []);
  assert.deepEqual(reasons(accountBy(days, [[32, { unheard: 1 }]])), ["d0 unheard no-later-price"]);
});

test("a restated price fills nobody: who decided before it had its first version, and later ones the next price", () => {
  const restated: DayPrice = { day: 1, value: 100, restated: [[24 * 3 + 1, 40]] };
  const days = [restated, { day: 5, value: 200 }];
  assert.deepEqual(told(accountBy(days, [[32, { a: 1 }]])), [["d0", 100, 100, "a#1"]]);
  assert.deepEqual(told(accountBy(days, [[48, { a: 1 }]])), [["d0", 50, 200, "a#5"]]);
  assert.deepEqual(reasons(accountBy([restated], [[48, { a: 1 }]])), ["d0 a no-later-price"]);
});

test("a mark reads the version that was known then", () => {
  const restated: DayPrice = { day: 1, value: 100, restated: [[24, 40]] };
  const { equity, returns } = accountBy([restated], [[30, { a: 1 }]], [32, 33, 47, 48]);
  assert.deepEqual(equity, [10_000, 10_000, 10_000, 4_000]);
  assert.deepEqual(returns, [0, 0, -0.6]);
});

test("a price of an earlier day that comes late fills nobody and marks nothing", () => {
  const days = [
    { day: 3, value: 100 },
    { day: 1, value: 10, after: 24 * 3 },
    { day: 5, value: 200 },
  ];
  const account = accountBy(
    days,
    [
      [80, { a: 1 }],
      [24 * 4 - 6, { a: 0.5 }],
    ],
    [24 * 4],
  );
  assert.deepEqual(told(account), [
    ["d0", 100, 100, "a#3"],
    ["d1", -50, 200, "a#5"],
  ]);
  assert.deepEqual(account.equity, [10_000]);
});

test("no answer trades nothing: positions stand, and what was ordered still fills", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 4, value: 200 },
  ];
  assert.deepEqual(
    told(
      accountBy(days, [
        [30, { a: 1 }],
        [50, null],
      ]),
    ),
    [["d0", 100, 100, "a#1"]],
  );
  assert.deepEqual(
    told(
      accountBy(days, [
        [40, { a: 1 }],
        [50, null],
      ]),
    ),
    [["d0", 50, 200, "a#4"]],
  );
});

test("a new decision is the whole account: what it does not name is sold, and what waited is superseded", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 100 },
    { entity: "b", day: 2, value: 50 },
    { entity: "c", day: 3, value: 10 },
  ];
  const account = accountBy(days, [
    [30, { a: 0.5, c: 0.5 }],
    [50, { b: 1 }],
  ]);
  assert.deepEqual(told(account), [
    ["d0", 50, 100, "a#1"],
    ["d1", -50, 100, "a#2"],
    ["d1", 200, 50, "b#2"],
  ]);
  assert.deepEqual(reasons(account), ["d0 c superseded"]);
  assert.deepEqual(account.positions, { b: 200 });
});

test("costs: fees in basis points and fixed, a half-spread each way, and the weight is of what is left", () => {
  const costs = { basisPoints: 10, fixed: 2, halfSpread: 20 };
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 100 },
  ];
  const {
    fills,
    cash,
    costs: paid,
    turnover,
  } = accountBy(
    days,
    [
      [30, { a: 1 }],
      [48, {}],
    ],
    [],
    { costs },
  );
  const [bought, sold] = fills as [Fill, Fill];
  assert.equal(bought.price, 100.2);
  assert.equal(sold.price, 99.8);
  const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a}, expected ${b}`);
  near(bought.units, 9_998 / (100.2 * 1.001));
  near(bought.cost, bought.units * 0.1002 + 2);
  near(cash, bought.units * 99.8 * 0.999 - 2);
  near(paid, 10_000 - cash);
  near(turnover as number, (bought.units * 100) / 10_000 + 1);
});

test("lots: whole units towards none; less than one is said to be less than a lot", () => {
  const days = [
    { day: 1, value: 300 },
    { entity: "b", day: 1, value: 20_000 },
  ];
  const account = accountBy(days, [[30, { a: 0.29, b: 0.5 }]], [], { lot: 1 });
  assert.deepEqual(told(account), [["d0", 9, 300, "a#1"]]);
  assert.deepEqual(reasons(account), ["d0 b lot"]);
  assert.deepEqual(
    told(accountBy([{ day: 1, value: 1 }], [[30, { a: 0.29 }]], [], { lot: 1, capital: 100 }))[0]?.[1],
    29,
  );
  assert.equal(told(accountBy(days, [[30, { a: -0.29 }]], [], { lot: 1 }))[0]?.[1], -9);
});

test("what cannot be sold yet leaves no room: without leverage nothing is bought with money that is not there", () => {
  const days = [
    { day: 1, value: 100 },
    { entity: "b", day: 2, value: 100 },
    { day: 3, value: 100 },
    { entity: "b", day: 4, value: 100 },
  ];
  const rotation = [
    [30, { a: 1 }],
    [49, { b: 1 }],
    [90, { b: 1 }],
  ] as const;
  const account = accountBy(days, rotation);
  assert.deepEqual(told(account), [
    ["d0", 100, 100, "a#1"],
    ["d1", -100, 100, "a#3"],
    ["d2", 100, 100, "b#4"],
  ]);
  assert.deepEqual(reasons(account), ["d1 b leverage"]);
  assert.deepEqual(told(accountBy(days, rotation, [], { leverage: 2 }))[1], ["d1", 100, 100, "b#2"]);
});

test("an account that lost all weighs nothing more, but can sell; its returns from there are absent", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 300 },
    { day: 3, value: 100 },
  ];
  const account = accountBy(
    days,
    [
      [30, { a: -1 }],
      [40, { a: 0.5 }],
      [60, {}],
    ],
    [32, 40, 58, 100],
  );
  assert.deepEqual(account.equity, [10_000, 10_000, -10_000, 10_000]);
  assert.deepEqual(account.returns, [0, -2, null]);
  assert.deepEqual(reasons(account), ["d1 a no-equity"]);
  assert.deepEqual([account.cash, account.positions], [10_000, {}]);
});

test("a member that leaves pays its last price and its return, −0.5 and −0.9 make −0.95", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 50 },
    { day: 9, value: 70 },
  ];
  const gone = (at: number, terminal: number | null) => [
    { entity: "a", available: hour(at), return: terminal },
  ];
  const run = (terminal: number | null) =>
    accountBy(
      days,
      [
        [30, { a: 1 }],
        [100, { a: 1 }],
      ],
      [40, 58, 90, 300],
      {},
      gone(72, terminal),
    );
  const account = run(-0.9);
  assert.deepEqual(
    account.equity.map((each) => Math.round(each as number)),
    [10_000, 5_000, 500, 500],
  );
  assert.deepEqual(reasons(account), ["d1 a left"]);
  assert.deepEqual(
    account.exits.map(({ units, last }) => [units, last]),
    [[100, 50]],
  );
  assert.deepEqual(account.positions, {});
  assert.deepEqual(run(0).equity, [10_000, 5_000, 5_000, 5_000]);
  const unknown = run(null);
  assert.deepEqual(unknown.equity, [10_000, 5_000, null, null]);
  assert.deepEqual(unknown.returns, [-0.5, null, null]);
  assert.deepEqual(unknown.missing, gone(72, null));
  // Sold before it left: nothing of it is unknown.
  const sold = accountBy(
    days,
    [
      [30, { a: 1 }],
      [40, {}],
    ],
    [90],
    {},
    gone(72, null),
  );
  assert.deepEqual([sold.equity, sold.missing, sold.exits], [[5_000], [], []]);
});

test("at one instant a member leaves first, then orders fill, then the account is marked, then the next decision is made", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 50 },
    { entity: "b", day: 2, value: 10 },
  ];
  const open = 48 + 9;
  const exits = [{ entity: "a", available: hour(open), return: -0.5 }];
  const account = accountBy(
    days,
    [
      [30, { a: 1 }],
      [50, { a: 0.5, b: 0.5 }],
    ],
    [open],
    {},
    exits,
  );
  assert.deepEqual(reasons(account), ["d1 a left"]);
  assert.deepEqual(told(account).slice(1), [["d1", 125, 10, "b#2"]]);
  assert.deepEqual(account.equity, [2_500]);
  // An order fills at the instant of the next decision, which sees it: nothing was superseded.
  const waited = accountBy(days, [
    [40, { b: 1 }],
    [open, { b: 0.5 }],
  ]);
  assert.deepEqual([told(waited), reasons(waited)], [[["d0", 1000, 10, "b#2"]], ["d1 b no-later-price"]]);
});

test("in a batch what is sold is booked before what is bought", () => {
  const days = [1, 2].flatMap((day) => ["a", "b", "c"].map((entity) => ({ entity, day, value: 100 })));
  const { fills } = accountBy(days, [
    [30, { b: 0.5, c: 0.5 }],
    [50, { a: 0.6, b: 0.2, c: 0.2 }],
  ]);
  assert.deepEqual(
    fills.map(({ entity, units }) => [entity, Math.round(units)]),
    [
      ["b", 50],
      ["c", 50],
      ["b", -30],
      ["c", -30],
      ["a", 60],
    ],
  );
});

test("the end of the data is no delisting: the position stands at its last price", () => {
  const account = accountBy(
    [
      { day: 1, value: 100 },
      { day: 2, value: 50 },
    ],
    [[30, { a: 1 }]],
    [58, 24 * 365],
  );
  assert.deepEqual([account.equity, account.positions, account.exits], [[5_000, 5_000], { a: 100 }, []]);
});

test("decisions that do not ascend, weights over the leverage, and marks that do not ascend are our own mistakes", () => {
  const days = [{ day: 1, value: 100 }];
  assert.throws(
    () =>
      accountBy(days, [
        [30, { a: 1 }],
        [30, { a: 0 }],
      ]),
    RangeError,
  );
  assert.throws(() => accountBy(days, [[30, { a: 1, b: -0.1 }]]), RangeError);
  assert.throws(() => accountBy(days, [], [30, 30]), RangeError);
  assert.equal(accountBy(days, [[30, { a: 0.7, b: -0.1, c: 0.2 }]], [30, 31]).fills.length, 1);
});

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
  fc.assert(property, { numRuns: 300 });
});

test("nothing after an instant changes what the account was until then", () => {
  const property = fc.property(scenarios({ isWhole: false }), fc.nat(200), (scenario, hours) => {
    const now = hour(hours);
    const by = <T>(items: readonly T[], at: (item: T) => number) => items.filter((item) => at(item) <= now);
    const cut = accountOf({
      ...scenario,
      quotes: by(scenario.quotes, (q) => q.available),
      decisions: by(scenario.decisions, (d) => d.at),
      marks: by(scenario.marks, (m) => m),
      exits: by(scenario.exits, (x) => x.available),
    });
    const whole = accountOf(scenario);
    assert.deepEqual(
      cut.fills,
      by(whole.fills, (f) => f.available),
    );
    assert.deepEqual(cut.equity, whole.equity.slice(0, cut.equity.length));
    assert.deepEqual(
      cut.exits,
      by(whole.exits, (x) => x.available),
    );
  });
  fc.assert(property, { numRuns: 300 });
});

test("the account comes out of its fills alone, and out of the kept prices alone, to the bit", () => {
  const property = fc.property(scenarios({ isWhole: false }), (scenario) => {
    const { decisions, marks, terms } = scenario;
    const exits = exitsOf(scenario.exits, "x");
    const quotes = quotesOf(scenario.quotes, COLUMNS);
    const { fills, unfilled, ...account } = runAccount(decisions, quotes, marks, terms, exits);
    const again = JSON.parse(JSON.stringify(fills)) as Fill[];
    assert.deepEqual(accountFromFills(again, quotes, marks, terms.capital, exits), account);
    const text = quoteLines(usedQuotes(decisions, quotes, marks, exits));
    const kept = quotesOf(parseQuotes(text, "prices.jsonl"), COLUMNS);
    assert.deepEqual(runAccount(decisions, kept, marks, terms, exits), { fills, unfilled, ...account });
  });
  fc.assert(property, { numRuns: 300 });
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
        const { entity, available } = fill ?? exit;
        if (available > at) continue;
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
  fc.assert(property, { numRuns: 300 });
  assert.ok(traded > 100, `${traded} fills were looked at`);
});

test("no money is borrowed by an account that is never short and has no leverage", () => {
  const property = fc.property(scenarios({ isShort: false }), (scenario) => {
    const { fills, exits } = accountOf(scenario);
    const flows = [
      ...exits.map((exit) => ({ at: exit.available, rank: 0, cash: exit.cash })),
      ...fills.map((fill) => ({ at: fill.available, rank: 1, cash: -fill.units * fill.price - fill.cost })),
    ].sort((a, b) => a.at - b.at || a.rank - b.rank);
    let cash = scenario.terms.capital;
    flows.forEach((flow, i) => {
      cash += flow.cash;
      if (flows[i + 1]?.at !== flow.at) assert.ok(cash > -1e-6, `${cash}`);
    });
  });
  fc.assert(property, { numRuns: 300 });
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
  fc.assert(property, { numRuns: 300 });
});
