/** Universes: who has left and with what; a window that is not there and a return that nobody says are refused by name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { quotesOf } from "../../src/profile/quotes.ts";
import { universeExits } from "../../src/profile/universe.ts";
import type { Table } from "../../src/store/table.ts";
import { refused, refusedLater } from "../core/refused.ts";
import { decider, type MadeDecisions, runDecisions } from "../support/decision-set.ts";
import { LEAVER, UNIVERSE_TABLES, universeProfile, universeSet } from "../support/universe-set.ts";

const terms = { table: "members", delistings: { table: "gone", column: "d" } };
const exitsIn = ({ store }: MadeDecisions, of = terms) => {
  const quotes = quotesOf(quotesOfTable(store.tables.get("prices") as Table, ["open", "close"]), [
    "open",
    "close",
  ]);
  return universeExits(of, store, quotes, "profile.yaml");
};
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
});
