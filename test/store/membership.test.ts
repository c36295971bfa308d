import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { parseTableSpec, type TableOnDisk, type TableSpec } from "../../src/caseset/table-spec.ts";
import { formatInstant, type Instant, instant, parseInstant } from "../../src/core/instant.ts";
import { type BlindcastError, noting } from "../../src/core/refusal.ts";
import { createStore, replyText } from "../../src/store/door.ts";
import { plantTable, probePlants, type TablePlants } from "../../src/store/plants.ts";
import { readTable } from "../../src/store/read-table.ts";
import type { Table } from "../../src/store/table.ts";
import { shared } from "../core/refused.ts";
import { assertEvery, assertNone } from "../support/all.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-members-"));
after(() => fs.rmSync(folder, { recursive: true }));

type Read = { readonly table: Table | undefined; readonly refusals: readonly BlindcastError[] };

/** A universe `u` of the given rows: who, which stint, from, to, known. */
async function read(text: string, declared: Partial<TableOnDisk> = {}): Promise<Read> {
  const file = path.join(folder, "u.csv");
  fs.writeFileSync(file, text);
  const disk: TableOnDisk = {
    rows: { file: "u.csv" },
    key: ["who", "stint"],
    entity: "who",
    valid_time: { from: "from", to: "to" },
    available_time: { column: "known" },
    ...declared,
  };
  const { complain, refusals } = noting(20);
  const spec = parseTableSpec("u", disk, "UTC", () => "caseset.yaml:9", complain) as TableSpec;
  if (spec === undefined) return { table: undefined, refusals };
  return { table: await readTable(spec, file, "u.csv", "0".repeat(64), complain), refusals };
}

async function universe(rows: string, declared: Partial<TableOnDisk> = {}): Promise<Table> {
  const { table, refusals } = await read(`who,stint,from,to,known\n${rows}`, declared);
  assert.deepEqual(refusals, []);
  return table as Table;
}

const instantOf = (text: string) =>
  parseInstant(text.includes("T") ? text : `${text}T00:00:00Z`, "t", "t") as Instant;
const open = (table: Table, horizon: string, plants: TablePlants | null = null) =>
  createStore([table]).open({
    caseId: "c",
    horizon: instantOf(horizon),
    tables: [table.name],
    overlay: plants === null ? null : { view: "probe", rows: probePlants(plants) },
    subject: "t",
  });

type Body = { readonly who: string; readonly stint: number; readonly to: string | null };
const replyOf = (table: Table, horizon: string, args: object = {}) =>
  JSON.parse(replyText(open(table, horizon).call("members", { table: table.name, ...args }))) as {
    rows: { body: Body; ref: string }[];
    total?: number;
    truncated?: boolean;
  };
/** `who` of those that are in at an instant (its horizon unless one is given), in the order of the reply. */
const members = (table: Table, horizon: string, at?: string) =>
  replyOf(table, horizon, at === undefined ? {} : { at: formatInstant(instantOf(at)) }).rows.map(
    ({ body }) => body.who,
  );
const faultOf = (table: Table, horizon: string, args: object) => {
  const reply = open(table, horizon).call("members", { table: table.name, ...args });
  assert.ok(!reply.ok, `${JSON.stringify(args)} was answered`);
  return reply.fault.message;
};

const plain =
  "B,1,2020-01-10,2020-02-10,2020-01-10\nA,1,2020-01-01,,2020-01-01\nC,1,2020-02-10,2020-03-01,2020-02-10\n";

test("members: from its start on, until its end and not at it; without an end, on and on; in the order of the keys", async () => {
  const table = await universe(plain);
  assert.deepEqual(members(table, "2019-12-31T23:59:59.999999Z"), []);
  assert.deepEqual(members(table, "2020-01-01"), ["A"]);
  assert.deepEqual(members(table, "2020-01-09T23:59:59.999999Z"), ["A"]);
  assert.deepEqual(members(table, "2020-01-10"), ["A", "B"]);
  assert.deepEqual(members(table, "2020-02-09T23:59:59.999999Z"), ["A", "B"]);
  assert.deepEqual(members(table, "2020-02-10"), ["A", "C"]);
  assert.deepEqual(members(table, "2199-01-01"), ["A"]);
});

test("members: `at` an earlier instant who was in then; after the horizon nobody can be asked for, at it they can", async () => {
  const table = await universe(plain);
  assert.deepEqual(members(table, "2020-06-01", "2020-01-15"), ["A", "B"]);
  assert.deepEqual(members(table, "2020-06-01", "2020-06-01"), members(table, "2020-06-01"));
  assert.match(
    faultOf(table, "2020-06-01", { at: "2020-06-01T00:00:00.000001Z" }),
    /^at: 2020-06-01T00:00:00\.000001Z is after the horizon, 2020-06-01T00:00:00Z$/,
  );
  assert.deepEqual(members(table, "2020-06-01T00:00:00.000001Z", "2020-06-01T00:00:00.000001Z"), ["A"]);
});

test("members: a late correction is a new version, and both are read as of their instants", async () => {
  // B was said to have left on 10 February; in May it was found that it had left in January. D was found to have been in.
  const table = await universe(
    `${plain}B,1,2020-01-10,2020-01-20,2020-05-01\nD,1,2020-01-05,2020-04-01,2020-05-02\nC,1,2020-02-10,,2020-05-03\n`,
  );
  assert.deepEqual(members(table, "2020-04-30", "2020-02-01"), ["A", "B"]);
  assert.deepEqual(members(table, "2020-05-01", "2020-02-01"), ["A"]);
  assert.deepEqual(members(table, "2020-05-02", "2020-02-01"), ["A", "D"]);
  assert.deepEqual(members(table, "2020-05-02"), ["A"]);
  assert.deepEqual(members(table, "2020-05-03"), ["A", "C"]);
  const ends = (horizon: string) =>
    replyOf(table, horizon, { at: "2020-01-15T00:00:00Z" }).rows.map(({ body }) => body.to);
  assert.deepEqual(ends("2020-04-30"), [null, "2020-02-10"]);
  assert.deepEqual(ends("2020-05-01"), [null, "2020-01-20"]);
});

test("members: an end that was not yet said is not known, and one that was said ahead is what its version says", async () => {
  const said = await universe("A,1,2020-01-01,,2020-01-01\nA,1,2020-01-01,2020-03-01,2020-02-20\n");
  const seen = (horizon: string) => replyOf(said, horizon).rows.map(({ body }) => body.to);
  assert.deepEqual(seen("2020-02-19"), [null]);
  assert.deepEqual(seen("2020-02-20"), ["2020-03-01"]);
  assert.deepEqual(seen("2020-03-01"), []);
  // `rows` is bounded by the start alone: what has ended is served by it, and by `members` is not.
  const rows = JSON.parse(replyText(open(said, "2020-06-01").call("rows", { table: "u" }))).rows;
  assert.equal(rows.length, 1);
  const hidden = await universe("A,1,2020-01-01,2020-01-05,\nB,1,2020-01-02,,\n", {
    available_time: { who: "P0D", stint: "P0D", from: "P0D", to: "P10D", known: "P0D" },
  });
  assert.deepEqual(members(hidden, "2020-01-10"), ["A", "B"]);
  assert.deepEqual(members(hidden, "2020-01-11"), ["B"]);
});

test("members: who leaves and comes back at one instant stands there once; a withdrawn stint, and one of no length, never", async () => {
  const table = await universe(
    "A,1,2020-01-01,2020-02-01,2020-01-01\nA,2,2020-02-01,,2020-02-01\nE,1,2020-01-01,2020-01-01,2020-01-01\n",
  );
  assert.deepEqual(
    replyOf(table, "2020-02-01").rows.map(({ ref }) => ref),
    ["u#A,2"],
  );
  assert.deepEqual(
    replyOf(table, "2020-01-31").rows.map(({ ref }) => ref),
    ["u#A,1"],
  );
  const { table: gone } = await read(
    "who,stint,from,to,known,retracted\nA,1,2020-01-01,,2020-01-01,\nA,1,2020-01-01,,2020-03-01,true\n",
  );
  assert.deepEqual(members(gone as Table, "2020-02-29"), ["A"]);
  assert.deepEqual(members(gone as Table, "2020-03-01"), []);
  assert.deepEqual(members(gone as Table, "2020-03-01", "2020-01-01"), []);
});

test("members: who was announced is in from its start on, not before, in a table that speaks of the future", async () => {
  const table = await universe("A,1,2020-01-10,2020-01-20,2020-01-05\n", { forward: true });
  assert.equal(JSON.parse(replyText(open(table, "2020-01-05").call("rows", { table: "u" }))).rows.length, 1);
  assert.deepEqual(members(table, "2020-01-09T23:59:59Z"), []);
  assert.deepEqual(members(table, "2020-01-10"), ["A"]);
  assert.deepEqual(members(table, "2020-01-20"), []);
});

test("members: more than a page are cut, and the reply says how many there are; without a limit ten thousand are a page", async () => {
  const many = Array.from({ length: 150 }, (_, i) => `m${1000 + i},1,2020-01-01,,2020-01-01\n`).join("");
  const table = await universe(many);
  const { rows, ...rest } = replyOf(table, "2020-01-01", { limit: 2, offset: 1 });
  assert.deepEqual(
    rows.map(({ body }) => body.who),
    ["m1001", "m1002"],
  );
  assert.deepEqual(rest, { total: 150, truncated: true });
  assert.deepEqual(Object.keys(replyOf(table, "2020-01-01")), ["rows"]);
  assert.equal(members(table, "2020-01-01").length, 150);
});

test("members: of a table without ends, of an undeclared one, and beyond its arguments' bounds it answers with a fault", async () => {
  const table = await universe(plain);
  const undated = await universe(plain, { valid_time: { column: "from" } });
  assert.equal(
    faultOf(undated, "2020-06-01", {}),
    "rows of table u have no end; of this case those of no table have",
  );
  const both = createStore([table, { ...undated, name: "v" }]);
  const request = { caseId: "c", horizon: instantOf("2020-06-01"), overlay: null, subject: "t" };
  const told = (args: unknown, tables: readonly string[]) => {
    const reply = both.open({ ...request, tables }).call("members", args);
    return reply.ok ? "answered" : reply.fault.message;
  };
  assert.equal(told({ table: "v" }, ["u", "v"]), "rows of table v have no end; of this case those of u have");
  assert.equal(told({ table: "u" }, ["u", "v"]), "answered");
  assert.match(told({ table: "u" }, ["v"]), /^no table "u" in this case; it reads v$/);
  for (const [args, message] of [
    [{ at: "2020-01-01" }, /at.*expected an RFC 3339 instant/],
    [{ at: 7 }, /^at: /],
    [{ limit: 10_001 }, /^limit: /],
    [{ where: {} }, /^where: /],
    [{ as_of: "2021-01-01T00:00:00Z" }, /^as_of: /],
  ] as const)
    assert.match(faultOf(table, "2020-06-01", args), message);
  assertEvery(
    [{}, { at: "2020-01-01T00:00:00Z" }, { limit: 10_000, offset: 0 }],
    (args) => open(table, "2020-06-01").call("members", { table: "u", ...args }).ok,
  );
});

const refusalsOf = async (rows: string, declared: Partial<TableOnDisk> = {}) =>
  (await read(`who,stint,from,to,known\n${rows}`, declared)).refusals.map(({ message }) => message);

test("a span whose end is before its start, or is no time, is refused by its line; one that ends as it starts is not", async () => {
  assert.deepEqual(await refusalsOf("A,1,2020-01-02,2020-01-01,2020-01-02\n"), [
    'CellInvalid: u.csv:2: column to: "2020-01-01" is not an instant at or after the start in from, 2020-01-02T00:00:00Z',
  ]);
  assert.deepEqual(
    await refusalsOf("A,1,2020-01-02,2020-01-02,2020-01-02\nB,1,2020-01-02,later,2020-01-02\n"),
    ['CellInvalid: u.csv:3: column to: "later" is not a date, a local date-time or an RFC 3339 instant'],
  );
});

test("an end that is a column of the key, or the start's own, is refused: a corrected end would be another row", async () => {
  const one = "A,1,2020-01-02,2020-01-05,2020-01-02\n";
  assert.match(
    (await refusalsOf(one, { key: ["who", "to"] })).join(),
    /^FieldInvalid: caseset\.yaml:9: tables\.u\.valid_time\.to: .*to, a column of the key/,
  );
  assert.match(
    (await refusalsOf(one, { valid_time: { from: "from", to: "from" } })).join(),
    /^FieldInvalid.*which is `from` as well/,
  );
  assert.deepEqual(await refusalsOf(one, { key: ["who", "from"] }), []);
});

test("members: a plant is one at its own instant, and at the horizon the answer is the one without it", async () => {
  const rows = Array.from(
    { length: 9 },
    (_, i) => `m${i},1,2020-01-0${i + 1},${i % 3 === 0 ? "2020-02-01" : ""},2020-01-1${i}\n`,
  );
  const table = await universe(rows.join(""));
  const horizon = "2020-03-01";
  let held = 0;
  for (const secret of ["a", "b", "c", "d"]) {
    const plants = plantTable(table, instantOf(horizon), "UTC", secret, "c") as TablePlants;
    assertEvery(probePlants(plants), (plant) => {
      const reply = open(table, formatInstant(plant.available), plants).call("members", { table: "u" });
      held += Number(reply.ok);
      return reply.ok && reply.planted.includes(plant) && replyText(reply).includes(plant.text);
    });
    const past = open(table, horizon, plants).call("members", { table: "u" });
    assert.ok(past.ok && past.planted.length === 1 && past.planted[0] === plants.past);
    const before = formatInstant(instant(instantOf(horizon) - 1));
    assertNone(probePlants(plants), ({ text }) =>
      replyText(open(table, before, plants).call("members", { table: "u" })).includes(text),
    );
  }
  assert.equal(held, 12);
});

test("the real universe of 1,230 stints has as many members on three days as its owner publishes", async (t) => {
  const text = shared(t, "data/sp500/sp500_ticker_start_end.csv");
  const figures = shared(t, "data/published_figures.csv");
  if (text === undefined || figures === undefined) return;
  const { table, refusals } = await read(text, {
    key: ["ticker", "start_date"],
    entity: "ticker",
    valid_time: { from: "start_date", to: "end_date" },
    available_time: { after: "valid_time", delay: "P0D" },
  });
  assert.deepEqual([refusals, table?.keys], [[], 1230]);
  const published = figures.split("\n").flatMap((line) => {
    const [, day, count] =
      /^SP-\d,.*(\d{4}-\d\d-\d\d)[^,"]*"?(?:, start <= d < end")?,(\d+),/.exec(line) ?? [];
    return day === undefined ? [] : [[day, Number(count)] as const];
  });
  assert.equal(published.length, 3);
  // Every member once, whether it is asked for on the day or long after: no row of this file was corrected.
  const tickers = (horizon: string, day: string) =>
    replyOf(table as Table, horizon, { at: `${day}T00:00:00Z` }).rows.map(
      ({ body }) => (body as unknown as { ticker: string }).ticker,
    );
  assertEvery(published, ([day, count]) => {
    const now = tickers(day, day);
    return (
      now.length === count &&
      new Set(now).size === count &&
      String(tickers("2025-12-31", day)) === String(now)
    );
  });
});
