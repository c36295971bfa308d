/** Universes: who has left and with what; a window that is not there and a return that nobody says are refused by name. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { runAccount } from "../../src/profile/account.ts";
import { type ExecutionTerms, executionTerms } from "../../src/profile/execution.ts";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { quotesOf } from "../../src/profile/quotes.ts";
import { universeExits } from "../../src/profile/universe.ts";
import type { Table } from "../../src/store/table.ts";
import { refused, refusedLater } from "../core/refused.ts";
import { dayOf, decider, type MadeDecisions, runDecisions } from "../support/decision-set.ts";
import { LEAVER, LEFT, UNIVERSE_TABLES, universeProfile, universeSet } from "../support/universe-set.ts";

const terms = { table: "members", delistings: { table: "gone", column: "d" } };
const COLUMNS = ["open", "close"];
const quotesIn = ({ store }: MadeDecisions) =>
  quotesOf(quotesOfTable(store.tables.get("prices") as Table, COLUMNS), COLUMNS);
const exitsIn = (made: MadeDecisions, of = terms) =>
  universeExits(of, made.store, quotesIn(made), () => "profile.yaml");
const DAYS = 60;
const hold = decider(() => ({ m0: 1 }));

test("universeExits: whoever the delistings name has left, when that was known, with the return that stands there", async () => {
  const exits = [...exitsIn(await universeSet()).values()];
  assert.deepEqual(
    exits.map(({ entity, return: terminal }) => [entity, terminal]),
    [[LEAVER, -0.5]],
    "the others' rows end with the data, which is no delisting",
  );
});

test("universeExits: a member that is none any more and has no later price needs a return: without a row it is null, never 0", async () => {
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
  [...exitsIn(made).values()].flatMap(({ entity, available, return: terminal }) =>
    entity === "elsewhere" ? [] : [[entity, formatInstant(available), terminal]],
  );

test("universeExits: prices after the end of the membership switch nothing off: who is not priced to the end of the table is gone", async () => {
  for (const [last, available] of [
    [LEFT - 5, `${dayOf(LEFT)}T00:00:00Z`],
    [LEFT - 1, `${dayOf(LEFT)}T00:00:00Z`],
    [LEFT, `${dayOf(LEFT)}T16:00:00.000001Z`],
    [LEFT + 6, `${dayOf(LEFT + 6)}T16:00:00.000001Z`],
    [DAYS - 2, `${dayOf(DAYS - 2)}T16:00:00.000001Z`],
  ] as const) {
    const made = await universeSet({ days: DAYS, extra: NOBODY, priced: (day) => day <= last });
    assert.deepEqual(silentOf(made), [[LEAVER, available, null]], `last price on day ${last}`);
  }
  const listed = await universeSet({ days: DAYS, extra: NOBODY, priced: () => true });
  assert.deepEqual(silentOf(listed), [], "priced to the end, it has left its list and nothing else");
  const gaps = await universeSet({
    days: DAYS,
    extra: NOBODY,
    priced: (day) => day < LEFT || day === DAYS - 1,
  });
  assert.deepEqual(silentOf(gaps), []);
});

test("a member that is gone without a known return can be sold at its last price; whoever holds it on fails by its name", async () => {
  const made = await universeSet({ days: DAYS, extra: NOBODY, priced: (day) => day <= LEFT });
  const instant = (day: number, time = "00:00") =>
    parseInstant(`${dayOf(day)}T${time}:00Z`, "test", "instant") as Instant;
  const terms = executionTerms(
    { component: "next-available-price", prices: { table: "prices", columns: COLUMNS }, costs: {} },
    "test",
  ) as ExecutionTerms;
  const account = (sold: Instant) =>
    runAccount(
      [
        { id: "in", at: instant(LEFT - 5), positions: { [LEAVER]: 1 } },
        { id: "out", at: sold, positions: {} },
      ],
      quotesIn(made),
      [instant(LEFT - 5), instant(DAYS)],
      terms,
      exitsIn(made),
    );
  const inTime = account(instant(LEFT, "15:59"));
  assert.deepEqual([inTime.fills.at(-1)?.ref, inTime.missing], [`prices#${dayOf(LEFT)},${LEAVER}`, []]);
  const late = account(instant(LEFT, "16:00"));
  assert.deepEqual([late.missing.map(({ entity }) => entity), late.equity.at(-1)], [[LEAVER], null]);
});

test("universeExits: an end of the membership with the end of the rows is no exit, nor is a member that has come back", async () => {
  const stints = (...more: string[]) => ({
    "members.csv": `member,stint,from,to,known\n${["m0", "m1", ...more].map((one) => (one.includes(",") ? one : `${one},1,2021-01-04,,2021-01-04`)).join("\n")}\n`,
  });
  const of = async (priced: (day: number) => boolean, ...more: string[]) =>
    silentOf(await universeSet({ days: DAYS, extra: { ...NOBODY, ...stints(...more) }, priced }));
  const [d10, d25, d30, d40] = [10, 25, 30, 40].map(dayOf);
  const first = `m5,1,${dayOf(0)},${d10},${d10}`;
  assert.deepEqual(await of(() => true, `m5,1,${dayOf(0)},${dayOf(DAYS)},${dayOf(DAYS)}`), []);
  assert.deepEqual(await of((day) => day < 25, first, `m5,2,${d25},,${d25}`), [], "it is suspended");
  const again = await of((day) => day < 30, first, `m5,2,${d25},${d40},${d40}`);
  assert.deepEqual(again, [["m5", `${d40}T00:00:00Z`, null]]);
  // A stint that never was does not move the end.
  const never = await of((day) => day < 10, first, `m5,2,${d30},${d30},${d40}`);
  assert.deepEqual(never, [["m5", `${d10}T00:00:00Z`, null]]);
});

test("universeExits: any stints, any days with prices: a member without a row is an exit, or a member still, or priced to the end", async () => {
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
      const last = Math.max(0, ...all.flatMap(({ priced }) => priced));
      all.forEach(({ stints, priced }, k) => {
        const own = Math.max(...priced);
        const isMember = stints.some(([, to]) => to === null);
        const isGone = stints.length > 0 && !isMember && priced.length > 0 && own < last;
        const exit = found.get(`m${k}`);
        assert.equal(exit !== undefined, isGone, `m${k}`);
        if (exit === undefined) return;
        exits++;
        assert.equal(exit.return, null);
        const sold = parseInstant(`${dayOf(own)}T16:00:00Z`, "test", "last price") as Instant;
        assert.ok(exit.available > sold, "it can be sold at its last price");
      });
    }),
    { numRuns: 30 },
  );
  assert.ok(exits > 0, `${exits}`);
});

test("MemberListedAgain: a stint that begins when its member has been delisted; before it, or under another id, it may", async () => {
  const of = (from: string, id = LEAVER) =>
    universeSet({
      extra: {
        "members.csv": `member,stint,from,to,known\nm0,1,${dayOf(0)},,${dayOf(0)}\n${LEAVER},1,${dayOf(5)},${dayOf(9)},${dayOf(9)}\n${id},2,${from},,${from}\n`,
      },
    });
  for (const from of [dayOf(LEFT), dayOf(LEFT + 1), dayOf(60)]) {
    const made = await of(from);
    const { details, hint } = refused("MemberListedAgain", () => exitsIn(made));
    assert.deepEqual(
      [path.basename(details.place), details.member, details.stint, details.begins, details.left],
      ["members.csv:4", LEAVER, `members#${LEAVER},2`, `${from}T00:00:00Z`, `${dayOf(LEFT)}T00:00:00Z`],
    );
    assert.match(hint ?? "", /an id of its own/);
    assert.equal(exitsIn(await of(from, "m6")).get(LEAVER)?.return, -0.5);
  }
  assert.equal(exitsIn(await of(dayOf(LEFT - 1))).get(LEAVER)?.return, -0.5);
  const once = { "members.csv": `member,stint,from,to,known\n${LEAVER},1,${dayOf(LEFT)},,${dayOf(LEFT)}\n` };
  assert.equal(
    exitsIn(await universeSet({ extra: once })).get(LEAVER)?.return,
    -0.5,
    "its first and only one",
  );
});

test("universeExits: tables and columns that are not there, or are not of numbers, are refused", async () => {
  const made = await universeSet();
  refused("TableUnknown", () => exitsIn(made, { ...terms, table: "crew" }));
  refused("TableUnknown", () => exitsIn(made, { ...terms, delistings: { table: "crew", column: "d" } }));
  refused("ColumnUnknown", () => exitsIn(made, { ...terms, delistings: { table: "gone", column: "r" } }));
  refused("ColumnUnknown", () => exitsIn(made, { ...terms, delistings: { table: "gone", column: "why" } }));
});

test("a case of a universe without a window is refused by its id, and one whose member left without a return by the member", async () => {
  const profile = { ...universeProfile, waive: ["delisting-not-exercised"] } as typeof universeProfile;
  const without = await universeSet({ more: (week) => (week === 1 ? { window: undefined } : {}) });
  const missing = await refusedLater("UniverseWindowMissing", () => runDecisions(without, hold, { profile }));
  assert.equal(missing.details.id, "week-1");
  const empty = await universeSet({
    from: 21,
    look: 14,
    extra: { "gone.csv": `member,date,d,why\n${LEAVER},2021-01-29,,failed\n` },
  });
  const unsaid = await refusedLater("DelistingReturnMissing", () => runDecisions(empty, hold, { profile }));
  assert.equal(unsaid.details.member, LEAVER);
  await runDecisions(await universeSet(), hold, { profile }); // the nearest, with both
  // One price after it had left, and nothing said of it: as before.
  const span = { from: 21, look: 14, extra: NOBODY };
  const traded = await universeSet({ ...span, priced: (day) => day <= LEFT });
  const late = await refusedLater("DelistingReturnMissing", () => runDecisions(traded, hold, { profile }));
  assert.deepEqual([late.details.member, late.details.left], [LEAVER, `${dayOf(LEFT)}T16:00:00.000001Z`]);
  assert.match(late.hint ?? "", /add its row to the delistings.*or its later prices/);
  await runDecisions(await universeSet({ ...span, priced: () => true }), hold, { profile });
});
