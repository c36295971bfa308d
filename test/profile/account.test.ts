import assert from "node:assert/strict";
import { test } from "node:test";
import type { TradedAccount } from "../../src/profile/account.ts";
import type { Decision, Fill } from "../../src/profile/fills.ts";
import { accountOf, type DayPrice, hour, quotesOfDays, type Scenario, termsWith } from "./random-account.ts";

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
  const gone = (at: number, terminal: number | null) => [{ entity: "a", at: hour(at), return: terminal }];
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

test("an exit after the last mark is not booked: what was held stands, nothing is missing, and later orders still fill", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 50 },
    { entity: "b", day: 4, value: 10 },
  ];
  for (const terminal of [null, -0.9]) {
    const exits = [{ entity: "a", at: hour(72), return: terminal }];
    const account = (last: number) =>
      accountBy(
        days,
        [
          [30, { a: 0.5 }],
          [60, { a: 0.5, b: 0.5 }],
        ],
        [40, last],
        {},
        exits,
      );
    const before = account(71);
    assert.deepEqual([before.equity, before.exits, before.missing], [[10_000, 7_500], [], []]);
    assert.deepEqual([before.positions, reasons(before)], [{ a: 50, b: 375 }, ["d1 a left"]], `${terminal}`);
    const at = account(72);
    assert.deepEqual(at.equity, [10_000, terminal === null ? null : 5_250]);
    assert.deepEqual([at.missing.length, at.exits.length], terminal === null ? [1, 0] : [0, 1]);
  }
});

test("at one instant a member leaves first, then orders fill, then the account is marked, then the next decision is made", () => {
  const days = [
    { day: 1, value: 100 },
    { day: 2, value: 50 },
    { entity: "b", day: 2, value: 10 },
  ];
  const open = 48 + 9;
  const exits = [{ entity: "a", at: hour(open), return: -0.5 }];
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
