/** Silent exits: who is gone though no row says it, and who has left a list and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { runAccount } from "../../src/profile/account.ts";
import { type ExecutionTerms, executionTerms } from "../../src/profile/execution.ts";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { quotesOf } from "../../src/profile/quotes.ts";
import { universeExits } from "../../src/profile/universe.ts";
import type { Table } from "../../src/store/table.ts";
import { dayOf, type MadeDecisions } from "../support/decision-set.ts";
import { LEAVER, LEFT, UNIVERSE_TABLES, universeSet } from "../support/universe-set.ts";

const terms = { table: "members", delistings: { table: "gone", column: "d" } };
const COLUMNS = ["open", "close"];
const quotesIn = ({ store }: MadeDecisions) =>
  quotesOf(quotesOfTable(store.tables.get("prices") as Table, COLUMNS), COLUMNS);
const exitsIn = (made: MadeDecisions) =>
  universeExits(terms, made.store, quotesIn(made), () => "profile.yaml");
const DAYS = 60;

test("silentExits: a member that is none any more and has no later price needs a return: without a row it is null, never 0", async () => {
  const silent = UNIVERSE_TABLES.replace("rows: {file: gone.csv}", "rows: {file: none.csv}");
  const made = await universeSet({
    tables: silent,
    extra: { "none.csv": "member,date,d,why\nelsewhere,2021-01-30,-1,failed\n" },
  });
  const [other, found] = [...exitsIn(made).values()];
  assert.deepEqual([other?.entity, other?.return], ["elsewhere", -1]);
  assert.deepEqual([found?.entity, found?.return], [LEAVER, null]);
});

const NOBODY = { "gone.csv": "member,date,d,why\nelsewhere,2021-01-30,-1,failed\n" };
const silentOf = (made: MadeDecisions) =>
  [...exitsIn(made).values()].flatMap(({ entity, at, return: terminal }) =>
    entity === "elsewhere" ? [] : [[entity, formatInstant(at), terminal]],
  );
const instant = (day: number, time = "00:00") =>
  parseInstant(`${dayOf(day)}T${time}:00Z`, "test", "instant") as Instant;
const execution = executionTerms(
  { component: "next-available-price", prices: { table: "prices", columns: COLUMNS }, costs: {} },
  "test",
) as ExecutionTerms;

test("silentExits: who has a price on fewer than half of the days after its last stint is gone when it was no longer traded; else it is traded on", async () => {
  const of = async (priced: (day: number) => boolean) =>
    silentOf(await universeSet({ days: DAYS, extra: NOBODY, priced }));
  // The table has prices on 35 days from LEFT on.
  for (const last of [LEFT - 5, LEFT - 1, LEFT, LEFT + 6, LEFT + 16])
    assert.deepEqual(
      await of((day) => day <= last),
      [[LEAVER, last < LEFT ? `${dayOf(LEFT)}T00:00:00Z` : `${dayOf(last)}T16:00:00.000001Z`, null]],
      `last price on day ${last}: whoever is traded on after the list can be sold until then`,
    );
  for (const last of [LEFT + 17, DAYS - 2, DAYS - 1])
    assert.deepEqual(await of((day) => day <= last), [], `last price on day ${last}`);
  const stray = await of((day) => day < LEFT || day === DAYS - 1);
  assert.deepEqual(
    stray,
    [[LEAVER, `${dayOf(LEFT)}T00:00:00Z`, null]],
    "a price on the last day hides nobody",
  );
  // On half of the days it is traded on, thinly.
  const even = { days: DAYS - 1, extra: NOBODY };
  const thin = (days: number) =>
    universeSet({ ...even, priced: (day) => day < LEFT || (day - LEFT) % 2 < days });
  assert.deepEqual(silentOf(await thin(1)), []);
  assert.equal(silentOf(await thin(0)).length, 1);
});

test("a member that is gone without a known return can be sold at its last price; whoever holds it on fails by its name", async () => {
  const made = await universeSet({ days: DAYS, extra: NOBODY });
  const account = (sold: Instant) =>
    runAccount(
      [
        { id: "in", at: instant(LEFT - 5), positions: { [LEAVER]: 1 } },
        { id: "out", at: sold, positions: {} },
      ],
      quotesIn(made),
      [instant(LEFT - 5), instant(DAYS)],
      execution,
      exitsIn(made),
    );
  const inTime = account(instant(LEFT - 1, "15:59"));
  assert.deepEqual([inTime.fills.at(-1)?.ref, inTime.missing], [`prices#${dayOf(LEFT - 1)},${LEAVER}`, []]);
  const late = account(instant(LEFT - 1, "16:00"));
  assert.deepEqual([late.missing.map(({ entity }) => entity), late.equity.at(-1)], [[LEAVER], null]);
});

test("silentExits: a stint without a price is passed over; the end of the rows is no exit, nor is a member that has come back", async () => {
  const stints = (...more: string[]) => ({
    "members.csv": `member,stint,from,to,known\n${["m0", "m1", ...more].map((one) => (one.includes(",") ? one : `${one},1,2021-01-04,,2021-01-04`)).join("\n")}\n`,
  });
  const of = async (priced: (day: number) => boolean, ...more: string[]) =>
    silentOf(await universeSet({ days: DAYS, extra: { ...NOBODY, ...stints(...more) }, priced }));
  const [d10, d25, d30, d40] = [10, 25, 30, 40].map(dayOf);
  const first = `m5,1,${dayOf(0)},${d10},${d10}`;
  const atEnd = [["m5", `${d10}T00:00:00Z`, null]];
  assert.deepEqual(await of(() => true, `m5,1,${dayOf(0)},${dayOf(DAYS)},${dayOf(DAYS)}`), []);
  const back = await of((day) => day < 10 || day === 26, first, `m5,2,${d25},,${d25}`);
  assert.deepEqual(back, [], "it has come back, and its stint has no end");
  const unpriced = await of((day) => day < 10, first, `m5,2,${d25},,${d25}`);
  assert.deepEqual(unpriced, atEnd, "in its second stint nobody saw a price of it");
  const again = await of((day) => day < 30, first, `m5,2,${d25},${d40},${d40}`);
  assert.deepEqual(again, [["m5", `${d40}T00:00:00Z`, null]]);
  // A stint that never was does not move the end.
  assert.deepEqual(await of((day) => day < 10, first, `m5,2,${d30},${d30},${d40}`), atEnd);
  assert.deepEqual(await of((day) => day < 10, `m5,2,${d30},${d40},${d40}`), [], "no stint has a price");
});

test("silentExits: any stints, any days with prices: silent exits are those that a count of all days finds", async () => {
  const day = fc.nat(9);
  const one = fc.record({
    stints: fc.array(fc.tuple(day, fc.option(day)), { maxLength: 3 }),
    priced: fc.subarray([...Array(10).keys()]),
  });
  let exits = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 3 }), async (all) => {
      const rows = all.flatMap(({ stints }, k) =>
        stints.map(([from, to], i) => {
          const end = to === null ? "" : dayOf(Math.max(from, to));
          return `m${k},${i},${dayOf(from)},${end},${dayOf(9)}\n`;
        }),
      );
      const prices = all.flatMap(({ priced }, k) => priced.map((i) => `${dayOf(i)},m${k},5,6\n`));
      const made = await universeSet({
        weeks: 1,
        extra: {
          ...NOBODY,
          "members.csv": `member,stint,from,to,known\nx,1,${dayOf(0)},,${dayOf(0)}\n${rows.join("")}`,
          "prices.csv": `date,member,open,close\n${dayOf(0)},x,5,6\n${prices.join("")}`,
        },
      });
      const found = exitsIn(made);
      const days = [...new Set([0, ...all.flatMap(({ priced }) => priced)])];
      all.forEach(({ stints, priced }, k) => {
        const seen = stints
          .map(([from, to]) => ({ from, end: to === null ? Infinity : Math.max(from, to) }))
          .filter(({ from, end }) => priced.some((i) => i >= from && i < end));
        const end = Math.max(-1, ...seen.map((stint) => stint.end));
        const [own, of] = [priced, days].map((each) => each.filter((i) => i >= end).length) as [
          number,
          number,
        ];
        const isGone = end >= 0 && of > 0 && own < of / 2;
        let [greatest, until] = [0, isGone ? instant(end) : (0 as Instant)];
        for (const i of [...priced].sort((x, y) => x - y).filter((each) => each >= end)) {
          const upTo = (each: readonly number[]) => each.filter((other) => other >= end && other <= i).length;
          const excess = 2 * upTo(priced) - upTo(days);
          if (excess > greatest) [greatest, until] = [excess, (instant(i, "16:00") + 1) as Instant];
        }
        const exit = found.get(`m${k}`);
        assert.deepEqual(
          exit === undefined ? null : [exit.at, exit.return],
          isGone ? [until, null] : null,
          `m${k}`,
        );
        if (exit !== undefined) exits++;
      });
    }),
    { numRuns: 60 },
  );
  assert.ok(exits > 0, `${exits}`);
});

test("silentExits: a day is one of the table's whatever the hours at which its members' prices are known", async () => {
  const tables = UNIVERSE_TABLES.replace(
    "available_time: {date: PT9H30M, member: PT9H30M, open: PT9H30M, close: PT16H}",
    "available_time: {column: known}\n    columns: {date: string, member: string, open: number, close: number, known: string}",
  );
  const lines = Array.from({ length: DAYS }, (_, i) =>
    ["m0", "m1", "m2", LEAVER].map((who, k) => `${dayOf(i)},${who},5,6,${dayOf(i)}T1${k}:00:00Z\n`),
  );
  const prices = `date,member,open,close,known\n${lines.flat().join("")}`;
  const made = await universeSet({ tables, extra: { ...NOBODY, "prices.csv": prices } });
  assert.deepEqual(silentOf(made), [], "it has a price on each day, and none at most instants");
});
