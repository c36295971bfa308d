/** A member that never was: whatever a table's declaration, its stint, prices and return lie where they must, and look right. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DecisionCase } from "../../src/caseset/decision-case.ts";
import { type Instant, instant, MICROS_PER_DAY, parseInstant } from "../../src/core/instant.ts";
import { stream } from "../../src/core/random.ts";
import { stageMember } from "../../src/profile/staged-member.ts";
import { stagedName } from "../../src/profile/staged-name.ts";
import type { StagedRows } from "../../src/run/staging.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import type { Table } from "../../src/store/table.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { dayOf, type MadeDecisions } from "../support/decision-set.ts";
import { MEMBERS, UNIVERSE_TABLES, universeSet } from "../support/universe-set.ts";

const PRICES = { table: "prices", columns: ["open", "close"] };
const terms = { universe: { table: "members", delistings: { table: "gone", column: "d" } }, prices: PRICES };

/** Other declarations of the same files. */
const declared: readonly string[] = [
  UNIVERSE_TABLES,
  UNIVERSE_TABLES.replaceAll("{column: date}", "{column: date, zone: America/New_York}").replace(
    "{from: from, to: to}",
    "{from: from, to: to, zone: America/New_York}",
  ),
  UNIVERSE_TABLES.replace("{column: known}", "{column: known, zone: America/Los_Angeles}").replace(
    "{after: valid_time, delay: P1D}",
    "{member: P0D, date: P0D, d: P3D, why: P4D}",
  ),
  UNIVERSE_TABLES.replace("    key: [date, member]\n", "    key: [member, date]\n").replace(
    "available_time: {date: PT9H30M, member: PT9H30M, open: PT9H30M, close: PT16H}",
    "available_time: {after: valid_time, delay: P2D}",
  ),
];
const worlds = await Promise.all(declared.map((tables) => universeSet({ tables, fixed: false })));

const at = (day: number) => parseInstant(`${dayOf(day)}T00:00:00Z`, "t", "t") as Instant;
type Asked = { readonly day: number; readonly look: number; readonly back: number; readonly seed: number };
const asked: fc.Arbitrary<Asked> = fc.record({
  day: fc.integer({ min: 3, max: 88 }),
  look: fc.integer({ min: 1, max: 60 }),
  back: fc.integer({ min: 0, max: 10 }),
  seed: fc.nat(),
});

function caseOf({ set }: MadeDecisions, { day, look, back }: Asked): DecisionCase {
  const until = instant(at(day) - back * MICROS_PER_DAY);
  const item = set.cases[0] as DecisionCase;
  return { ...item, horizon: at(day), window: [instant(until - look * MICROS_PER_DAY), until] };
}

function staged(made: MadeDecisions, of: Asked, plants: readonly PlantedRow[] = []): StagedRows | null {
  const dice = stream(of.seed, "test");
  return stageMember(caseOf(made, of), terms, { store: made.store, zone: "UTC", plants, dice });
}

const cell = (table: Table, row: PlantedRow, column: string) =>
  row.cells[table.columnIndex.get(column) as number];

test("a staged stint begins before the window and ends inside it; all of it was known by the horizon, and its return is a loss", () => {
  const made: number[] = worlds.map(() => 0);
  const property = fc.property(fc.nat({ max: worlds.length - 1 }), asked, (k, of) => {
    const world = worlds[k] as MadeDecisions;
    const found = staged(world, of);
    if (found === null) return;
    made[k] = (made[k] as number) + 1;
    const { horizon, window } = caseOf(world, of);
    const [since, until] = window as readonly [Instant, Instant];
    const [members, prices, gone] = ["members", "prices", "gone"].map((name) =>
      world.store.tables.get(name),
    ) as [Table, Table, Table];
    const of_ = (name: string) => found.rows.filter(({ table }) => table === name);
    const [stint, ...others] = of_("members");
    assert.ok(stint !== undefined && others.length === 0);
    assert.ok(stint.valid < since && stint.end > since && stint.end <= until);
    assertEvery(
      found.rows,
      (row) => row.available <= horizon && row.valid <= horizon && row.kind === "staged",
    );
    assertEvery(found.rows, (row) => row.available >= row.valid);
    const priced = of_("prices");
    assertEvery(priced, ({ valid }) => valid >= stint.valid && valid < stint.end);
    assert.ok(priced.some(({ valid }) => valid >= since && valid <= until));
    assert.equal(new Set(priced.map(({ valid }) => valid)).size, priced.length);
    assert.deepEqual(of_("gone"), [found.must]);
    const terminal = cell(gone, found.must, "d") as number;
    assert.ok(terminal >= -1 && terminal <= -0.3);
    assert.match(found.entity, /^m\d$/);
    assertNone(MEMBERS, (name) => name === found.entity);
    for (const row of found.rows)
      assert.equal(cell({ members, prices, gone }[row.table] as Table, row, "member"), found.entity);
    // Dates as the files have them, and instants as the table makes them of such a date.
    assertEvery(
      [
        cell(members, stint, "from"),
        cell(members, stint, "to"),
        cell(members, stint, "known"),
        cell(gone, found.must, "date"),
      ],
      (text) => /^2021-\d\d-\d\d$|^2020-1\d-\d\d$/.test(String(text)),
    );
    const closes = priced.map((row) => cell(prices, row, "close") as number);
    assertEvery(closes, (close) => close > 0 && Number(close.toFixed(1)) === close);
    if (closes.length > 2) assert.ok(new Set(closes).size > 1, "it moves as another does");
  });
  fc.assert(property, { numRuns: 500 });
  assertEvery(made, (count) => count > 20);
});

test("what is staged hangs on nothing that came to be known after the horizon", async () => {
  let made = 0;
  for (const day of [20, 33, 47, 60]) {
    const [whole, cut] = [
      await universeSet({ fixed: false }),
      await universeSet({ fixed: false, days: day }),
    ];
    for (const seed of [1, 2, 3, 4, 5]) {
      const of = { day, look: 15, back: 0, seed };
      const found = staged(whole, of);
      assert.deepEqual(found, staged(cut, of));
      if (found !== null) made++;
    }
  }
  assert.ok(made > 15, `${made}`);
});

test("nothing is staged without a window, without one of the three tables, or without two prices in the window", () => {
  const world = worlds[0] as MadeDecisions;
  const of = { day: 40, look: 20, back: 0, seed: 1 };
  const item = caseOf(world, of);
  const stage = (changed: Partial<DecisionCase>) =>
    stageMember({ ...item, ...changed }, terms, {
      store: world.store,
      zone: "UTC",
      plants: [],
      dice: stream(1, "t"),
    });
  assert.notEqual(stage({}), null);
  assert.equal(stage({ window: null }), null);
  assertEvery(
    ["members", "prices", "gone"],
    (left) => stage({ reads: item.reads.filter((name) => name !== left) }) === null,
  );
  const [since] = item.window as readonly [Instant, Instant];
  assert.equal(stage({ window: [since, instant(since + MICROS_PER_DAY - 1)] }), null, "one price");
  assert.notEqual(stage({ window: [since, instant(since + MICROS_PER_DAY)] }), null, "two");
  assert.equal(
    stage({ window: [instant(since - 100 * MICROS_PER_DAY), instant(since - 90 * MICROS_PER_DAY)] }),
    null,
  );
});

test("a staged name looks like its peers', is nobody's, and there is none where all are taken", () => {
  const dice = stream(1, "names");
  const name = (like: string | number, peers: readonly (string | number)[], taken: readonly string[]) =>
    stagedName(like, peers, (one) => taken.includes(one), dice);
  assert.match(String(name("m07", ["m01", "m02", "BRK"], ["m07", "m01", "m02"])), /^m\d\d$/);
  assert.match(String(name("BRK.B", ["BF.B", "BRK.B"], ["BRK.B"])), /^[A-Z]{3}\.[A-Z]$/);
  const digits = [..."0123456789"];
  assert.equal(typeof name(4, [4, 7], ["4", "7"]), "number");
  assert.equal(name(4, [4, 7], digits), null);
  assertEvery([...Array(50).keys()], () => !["10", "11"].includes(String(name(10, [10, 11], ["10", "11"]))));
});
