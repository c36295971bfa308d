/** Exits of a universe: who has left, when, with what return, and what of the tables is refused. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { formatInstant } from "../../src/core/instant.ts";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { quotesOf } from "../../src/profile/quotes.ts";
import { universeExits } from "../../src/profile/universe.ts";
import type { Table } from "../../src/store/table.ts";
import { refused } from "../core/refused.ts";
import { dayOf, type MadeDecisions } from "../support/decision-set.ts";
import { LEAVER, LEFT, UNIVERSE_TABLES, universeSet } from "../support/universe-set.ts";

const terms = { table: "members", delistings: { table: "gone", column: "d" } };
const COLUMNS = ["open", "close"];
const quotesIn = ({ store }: MadeDecisions) =>
  quotesOf(quotesOfTable(store.tables.get("prices") as Table, COLUMNS), COLUMNS);
const exitsIn = (made: MadeDecisions, of = terms) =>
  universeExits(of, made.store, quotesIn(made), () => "profile.yaml");
const DAYS = 60;

test("universeExits: whoever the delistings name has left, with the return that stands there", async () => {
  const exits = [...exitsIn(await universeSet()).values()];
  assert.deepEqual(
    exits.map(({ entity, return: terminal }) => [entity, terminal]),
    [[LEAVER, -0.5]],
    "the others' rows end with the data, which is no delisting",
  );
});

/** Delistings that say themselves when they were known, and are corrected and withdrawn. */
const SAID = UNIVERSE_TABLES.replace(
  `    key: [member]
    entity: member
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
    columns: {member: string, date: string, d: number, why: string}
`,
  `    key: [member, date]
    entity: member
    forward: true
    valid_time: {column: date}
    available_time: {column: known}
    columns: {member: string, date: string, d: number, known: string, retracted: boolean}
`,
);
const said = (...rows: string[]) => ({
  "gone.csv": `member,date,d,known,retracted\n${rows.map((row) => `${row}\n`).join("")}`,
});
type Row = readonly [left: number, d: number | "", known: number | string, retracted?: boolean];
const rowOf = ([left, d, known, retracted = false]: Row) =>
  `${LEAVER},${dayOf(left)},${d},${typeof known === "number" ? dayOf(known) : known},${retracted}`;
const saidBy = async (rows: readonly Row[], priced?: (day: number) => boolean) =>
  universeSet({
    tables: SAID,
    days: DAYS,
    extra: said(...rows.map(rowOf)),
    ...(priced === undefined ? {} : { priced }),
  });
const exitBy = async (rows: readonly Row[], priced?: (day: number) => boolean) => {
  const exit = exitsIn(await saidBy(rows, priced)).get(LEAVER);
  return exit === undefined ? null : [formatInstant(exit.at), exit.return];
};

test("universeExits: an exit is when its member left, or right after its last price, and no later than it was published", async () => {
  const left = `${dayOf(LEFT)}T00:00:00Z`;
  const row = (known: number | string): Row => [LEFT, -0.9, known];
  for (const known of [LEFT, LEFT + 1, LEFT + 30]) assert.deepEqual(await exitBy([row(known)]), [left, -0.9]);
  const priced = (last: number) => (day: number) => day <= last;
  const after = `${dayOf(LEFT)}T16:00:00.000001Z`;
  assert.deepEqual(await exitBy([row(LEFT + 30)], priced(LEFT)), [after, -0.9], "sold at its last price");
  const published = `${dayOf(LEFT)}T12:00:00Z`;
  assert.deepEqual(await exitBy([row(published)], priced(LEFT)), [published, -0.9]);
  const stray = (day: number) => day < LEFT || day === DAYS - 1;
  assert.deepEqual(await exitBy([row(LEFT + 3)], stray), [`${dayOf(LEFT + 3)}T00:00:00Z`, -0.9]);
  assert.deepEqual(await exitBy([row(LEFT - 9)]), [left, -0.9], "told ahead, it is there until it leaves");
  assert.deepEqual(await exitBy([row(LEFT - 9)], priced(LEFT)), [left, -0.9]);
});

test("universeExits: the return is the last that a row says; a row that was withdrawn is none", async () => {
  const left = `${dayOf(LEFT)}T00:00:00Z`;
  const of = (...rows: (readonly [d: number | "", known: number, retracted?: boolean])[]) =>
    exitBy(
      rows.map(([d, known, retracted = false]): Row => [LEFT, d, known, retracted]),
      () => true,
    );
  const at = (known: number) => `${dayOf(known)}T00:00:00Z`;
  assert.deepEqual(await of([0, 26], [-0.9, 50]), [at(26), -0.9], "what stood there first was put right");
  assert.deepEqual(await of(["", 26], [-0.9, 50]), [at(26), -0.9]);
  assert.deepEqual(await of([-0.9, 26], ["", 50]), [at(26), -0.9], "an empty cell takes nothing back");
  assert.deepEqual(await of(["", 26]), [at(26), null]);
  assert.equal(await of([-0.9, 26], ["", 30, true]), null);
  assert.deepEqual(await of([-0.9, 26], ["", 30, true], [-0.2, 40]), [at(40), -0.2]);
  assert.deepEqual(await of([-0.9, 26], ["", 30, true], ["", 40]), [at(40), null]);
  // Withdrawn, and right under another day: one row is left.
  const moved: Row[] = [
    [LEFT - 5, -0.9, 26],
    [LEFT - 5, "", 30, true],
    [LEFT, -0.5, 31],
  ];
  assert.deepEqual(await exitBy(moved), [left, -0.5]);
});

test("FieldInvalid: a second row of one member, and a return below -1, at the row's own line", async () => {
  const twice = await saidBy([
    [LEFT - 3, -0.9, 26],
    [LEFT, -0.5, 27],
  ]);
  const { details } = refused("FieldInvalid", () => exitsIn(twice));
  assert.deepEqual(
    [path.basename(details.place), details.field, details.found],
    ["gone.csv:3", `the delisting of ${LEAVER}`, `gone#${LEAVER},${dayOf(LEFT)}, a second one`],
  );
  assert.match(
    details.expected,
    new RegExp(`^gone#${LEAVER},${dayOf(LEFT - 3)} \\(.*gone\\.csv:2\\) alone$`),
  );
  const beyond = await saidBy([
    [LEFT, -0.9, 26],
    [LEFT, -1.5, 27],
  ]);
  const { details: wrong } = refused("FieldInvalid", () => exitsIn(beyond));
  assert.deepEqual([path.basename(wrong.place), wrong.found], ["gone.csv:3", "-1.5"]);
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
