/** casesets/saltmarsh-exchange: what its makers know of it, as its tables, its accounts and docs/agents/picker.mjs tell it. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { DecisionCase } from "../../src/caseset/decision-case.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { TableSpec } from "../../src/caseset/table-spec.ts";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { runAccount, type TradedAccount } from "../../src/profile/account.ts";
import type { ExecutionTerms } from "../../src/profile/execution.ts";
import { checkDelistingReturns, compoundReturn } from "../../src/profile/exits.ts";
import { marksOf } from "../../src/profile/marks.ts";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { loadProfile, type Profile } from "../../src/profile/profile.ts";
import { type Quotes, quotesOf } from "../../src/profile/quotes.ts";
import { sliceOf } from "../../src/profile/slices.ts";
import { type UniverseTerms, universeExits } from "../../src/profile/universe.ts";
import { universeWarnings } from "../../src/profile/universe-lint.ts";
import { createStore, replyText, type Store } from "../../src/store/door.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { readTable } from "../../src/store/read-table.ts";
import type { Table } from "../../src/store/table.ts";
import { refused, repository, temporary } from "../core/refused.ts";
import { close } from "../stats/close.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { countedExits, saltmarshLines } from "./counted-exits.ts";

const home = path.join(repository, "casesets/saltmarsh-exchange");
const profiles = path.join(repository, "profiles");
const SURVIVORS = ["m01", "m02", "m03", "m04", "m10", "m11", "m12", "m14"];

type World = { readonly set: CaseSet; readonly store: Store; readonly quotes: Quotes };

async function load(folder: string): Promise<World> {
  const set = loadCaseSet(folder, "saltmarsh-exchange") as CaseSet;
  const lookup = { folder, workingFolder: folder, ownFolder: folder, cache: null, fetch: null };
  const store = await loadStore(set, lookup);
  const columns = ["open", "close"];
  return {
    set,
    store,
    quotes: quotesOf(quotesOfTable(store.tables.get("prices") as Table, columns), columns),
  };
}

let world: World;
let profile: Profile;
let terms: ExecutionTerms;
before(async () => {
  world = await load(home);
  profile = loadProfile(path.join(profiles, "universe.yaml"), "universe", [profiles]) as Profile;
  terms = profile.execution as ExecutionTerms;
});

const at = (text: string): Instant => parseInstant(text, "t", "t") as Instant;
/** Midnight on the first of a month in New York. */
const first = (month: string): Instant =>
  at(`${month}-01T00:00:00-0${/-(12|01|02|03)$/.test(month) ? 5 : 4}:00`);
const exitsOf = ({ store, quotes }: World) =>
  universeExits(profile.universe as UniverseTerms, store, quotes, () => "p");

type Body = Readonly<Record<string, string | number | null>>;
/** What a reader is told at a horizon. */
function told(horizon: Instant, tool: string, args: object): Body[] {
  const tables = [...world.store.tables.keys()];
  const door = world.store.open({ caseId: "c", horizon, tables, overlay: null, subject: "t" });
  const reply = door.call(tool, args);
  assert.ok(reply.ok, JSON.stringify(reply));
  return (JSON.parse(replyText(reply)) as { rows: { body: Body }[] }).rows.map(({ body }) => body);
}
const members = (horizon: Instant, then = horizon) =>
  told(horizon, "members", { table: "members", at: formatInstant(then) }).map(({ member }) => String(member));

/** The file itself, read without the engine: opens and closes of a member by day, as they were first printed. */
const printed = fs
  .readFileSync(path.join(home, "tables/prices.csv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [date, member, open, last, listed] = line.split(",") as [string, string, string, string, string];
    return { date, member, open: Number(open), close: Number(last), listed };
  });
const priced = (who: string, from: string, until: string) =>
  printed.filter(({ member, date, listed }) => {
    return member === who && listed === date && date >= from && date < until;
  });

/** An account without costs that decides on firsts of months; marked there, and at the end of the last. */
function held(
  months: readonly [month: string, positions: Record<string, number>][],
  end: string,
): TradedAccount {
  const decisions = months.map(([month, positions]) => ({ id: month, at: first(month), positions }));
  const free = { ...terms, costs: { basisPoints: 0, fixed: 0, halfSpread: 0 } };
  const marks = [...decisions.map((one) => one.at), first(end)];
  return runAccount(decisions, world.quotes, marks, free, exitsOf(world));
}
const total = (returns: readonly (number | null)[]) =>
  returns.reduce<number>((product, one) => product * (1 + (one ?? Number.NaN)), 1) - 1;

test("the set: 24 cases of the list with their windows, 12 of a list of their own, and nothing that doctor would warn of", () => {
  const cases = world.set.cases as readonly DecisionCase[];
  const of = (slice: string) => cases.filter((item) => sliceOf(item) === slice);
  assert.deepEqual([of("universe").length, of("fixed_universe").length, cases.length], [24, 12, 36]);
  assertEvery(of("universe"), ({ universe, window, horizon }) => {
    return (
      universe === "members" && window?.[1] === horizon && horizon - (window?.[0] ?? 0) >= 365 * 86_400e6
    );
  });
  assertEvery(of("fixed_universe"), (item) => String(item.members) === String(SURVIVORS));
  assert.deepEqual(universeWarnings(world.store, "delistings"), []);
  assert.deepEqual(
    universeWarnings(world.store).map(({ kind, table, found, of: all }) => [kind, table, found, all]),
    [["rowless", "members", 10, 15]],
  );
});

test("membership as of dates: who has come, gone and come back, at the instant at which it is said and not before", () => {
  const [before2016, march] = [
    "m01 m02 m03 m04 m05 m06 m07 m08 m09 m10 m12 m13 m14",
    "m01 m02 m03 m04 m05 m06 m07 m08 m09 m10 m11 m12 m13 m14",
  ];
  for (const [instant, expected] of [
    ["2015-06-15T11:59:59Z", before2016.replace("m12 ", "").concat(" m15")],
    ["2015-06-15T12:00:00Z", before2016.concat(" m15")],
    ["2015-11-06T12:59:59Z", before2016.concat(" m15")],
    ["2015-11-06T13:00:00Z", before2016],
    ["2016-02-01T13:00:00Z", march],
    ["2016-03-15T12:00:00Z", march.replace("m08 ", "")],
    ["2016-04-18T12:00:00Z", march.replace("m08 ", "").replace("m10 ", "")],
    ["2016-11-14T12:59:59Z", "m01 m02 m03 m04 m06 m07 m09 m11 m12 m14"],
    ["2016-11-14T13:00:00Z", "m01 m02 m03 m04 m06 m07 m09 m10 m11 m12 m14"],
    ["2018-01-12T21:00:00Z", SURVIVORS.join(" ")],
  ] as const)
    assert.equal(members(at(instant)).join(" "), expected, instant);
  const stints = told(first("2017-01"), "rows", { table: "members", where: { member: "m10" } });
  assert.deepEqual(
    stints.map(({ stint, from, to }) => [stint, from, to]),
    [
      [1, "2011-04-04", "2016-04-18"],
      [2, "2016-11-14", null],
    ],
  );
});

test("the late correction: on 1 March 2016 m08 was a member, until on 10 May it was found that it had not been", () => {
  const march = first("2016-03");
  const corrected = at("2016-05-10T17:00:00-04:00");
  const knew = (horizon: Instant, then: Instant) => members(horizon, then).includes("m08");
  assert.deepEqual(
    [march, first("2016-04"), (corrected - 1) as Instant, corrected, first("2017-06")].map((one) =>
      knew(one, march),
    ),
    [true, true, true, false, false],
  );
  const lastDay = at("2016-02-15T23:59:59-05:00");
  assert.deepEqual([knew(first("2016-04"), lastDay), knew(corrected, lastDay)], [true, true]);
  const end = (horizon: Instant) =>
    told(horizon, "rows", { table: "members", where: { member: "m08" } }).map(({ to }) => to);
  assert.deepEqual(
    [end(march), end(first("2016-04")), end(corrected)],
    [[null], ["2016-03-15"], ["2016-02-16"]],
  );
});

test("a price is known at 9:30 and at 16:00 of New York, before and after the clocks change", () => {
  for (const [date, open, last] of [
    ["2016-03-11", "2016-03-11T14:30:00Z", "2016-03-11T21:00:00Z"],
    ["2016-03-14", "2016-03-14T13:30:00Z", "2016-03-14T20:00:00Z"],
  ] as const) {
    const [row] = priced("m01", date, `${date}~`);
    const seen = (horizon: number) =>
      told(horizon as Instant, "rows", { table: "prices", where: { member: "m01", date } });
    assert.deepEqual(seen(at(open) - 1), []);
    assert.deepEqual(seen(at(open))[0], { date, member: "m01", open: row?.open, listed: date });
    assert.equal(seen(at(last) - 1)[0]?.["close"], undefined);
    assert.deepEqual(seen(at(last))[0]?.["close"], row?.close);
  }
});

for (const [what, who, month, end, date, terminal] of [
  ["bankrupt after a fall", "m07", "2017-08", "2017-09", "2017-08-23", -0.95],
  ["merged for cash above its price", "m05", "2016-06", "2016-07", "2016-06-13", 0.18],
  ["merged for stock", "m06", "2017-03", "2017-04", "2017-03-20", -0.04],
] as const)
  test(`${what}: whoever held ${who} has (1 + r)(1 + d) - 1, which is no other member's and not 0`, () => {
    const days = priced(who, `${month}-01`, "2019");
    const [bought, last] = [days[0]?.open as number, days.at(-1)?.close as number];
    const account = held([[month, { [who]: 1 }]], end);
    const r = last / bought - 1;
    assert.ok(account.returns.length === 1 && days.length > 0 && (days.at(-1)?.date as string) < date);
    close(account.returns[0] as number, (1 + r) * (1 + terminal) - 1, 1e-12);
    close(account.returns[0] as number, compoundReturn(r, terminal), 1e-12);
    assert.deepEqual(
      account.exits.map(({ entity, return: d, last: price }) => [entity, d, price]),
      [[who, terminal, last]],
    );
    assert.deepEqual([account.positions, account.fills.length], [{}, 1]);
    if (terminal === -0.95) assert.ok(r < -0.5 && (account.returns[0] as number) < -0.97);
  });

test("the rename: an account holds m04 through it, one position bought once; what it is called changes that morning", () => {
  const account = held(
    [
      ["2016-09", { m04: 1 }],
      ["2016-10", { m04: 1 }],
      ["2016-11", { m04: 1 }],
    ],
    "2016-12",
  );
  assert.deepEqual(
    account.fills.map(({ entity, decision }) => [entity, decision]),
    [["m04", "2016-09"]],
  );
  assert.deepEqual([Object.keys(account.positions), account.exits, account.unfilled], [["m04"], [], []]);
  const days = priced("m04", "2016-09-01", "2016-12-01");
  close(total(account.returns), (days.at(-1)?.close as number) / (days[0]?.open as number) - 1, 1e-12);
  const name = (horizon: string) =>
    told(at(horizon), "rows", { table: "names", where: { member: "m04" }, latest: true }).map(
      ({ member, ticker, name: called }) => [member, ticker, called].join(),
    );
  assert.deepEqual(name("2016-10-03T11:59:59Z"), ["m04,DRFT,Drift Timber"]);
  assert.deepEqual(name("2016-10-03T12:00:00Z"), ["m04,NWDG,Northwood Group"]);
  // Nobody can tell from what it is called that m07 will fail, until it has.
  const ended = told(first("2017-08"), "rows", { table: "names" }).map(({ ticker }) => String(ticker));
  assertNone(ended, (ticker) => ticker.endsWith("Q"));
});

const foundExits = (of: World) =>
  [...exitsOf(of).values()].map((one) => [one.entity, one.return, formatInstant(one.at)].join()).sort();
const counted = (rows: readonly string[][]) =>
  countedExits(rows).map(([who, d, then]) => [who, d, formatInstant(at(then as string))].join());

test("five have left the exchange, and nobody else: not who left the list, was suspended, or is there when the rows end", () => {
  const found = foundExits(world);
  assert.deepEqual(found, [
    "m05,0.18,2016-06-13T04:00:00Z",
    "m06,-0.04,2017-03-20T04:00:00Z",
    "m07,-0.95,2017-08-23T04:00:00Z",
    "m13,-0.35,2016-10-27T04:00:00Z",
    "m15,-0.1,2015-11-06T05:00:00Z",
  ]);
  assert.deepEqual(found, counted(saltmarshLines("delistings")));
  assertEvery(["m08", "m09"], (who) => priced(who, "2018-01-12", "2019").length === 1);
  assert.deepEqual(held([["2017-12", { m09: 0.5, m01: 0.5 }]], "2018-01").unfilled, []);
});

test("m13 was struck off a week before anybody said what that meant: at the horizon between there is no row yet", () => {
  const row = (month: string) =>
    told(first(month), "rows", { table: "delistings", where: { member: "m13" } });
  assert.deepEqual([row("2016-11").length, row("2016-12")[0]?.["return"]], [0, -0.35]);
  assert.ok(!members(first("2016-11")).includes("m13") && members(first("2016-10")).includes("m13"));
});

test("m10 is suspended: it cannot be sold until it is traded again, at the price of that morning", () => {
  const out = ["05", "06", "07", "08", "09", "10", "11"].map((month): [string, Record<string, number>] => [
    `2016-${month}`,
    {},
  ]);
  const account = held([["2016-04", { m10: 1 }], ...out], "2016-12");
  assert.deepEqual(
    account.unfilled.map(({ decision, entity, reason }) => [decision, entity, reason].join(" ")),
    out.slice(0, -1).map(([month]) => `${month} m10 superseded`),
  );
  const back = priced("m10", "2016-11-14", "2016-11-15")[0];
  assert.deepEqual(account.fills.map(({ ref, quoted, column }) => [ref, quoted, column]).at(-1), [
    "prices#2016-11-14,m10",
    back?.open,
    "open",
  ]);
  assert.deepEqual(account.exits, []);
  assertEvery(account.returns.slice(1, -1), (value) => value === 0);
});

test("the open of 1 September 2016 was printed 5.00 too high: whoever bought at it paid it, later readers see what was put right", () => {
  const rows = printed.filter(({ member, date }) => member === "m03" && date === "2016-09-01");
  const [wrong, right] = [rows[0]?.open as number, rows[1]?.open as number];
  assert.deepEqual([rows.length, Math.round((wrong - right) * 100), rows[1]?.listed], [2, 500, "2016-09-08"]);
  const [fill] = held([["2016-09", { m03: 1 }]], "2016-10").fills;
  assert.deepEqual([fill?.quoted, fill?.ref], [wrong, "prices#2016-09-01,m03"]);
  const seen = (horizon: string) =>
    told(at(horizon), "rows", { table: "prices", where: { member: "m03", date: "2016-09-01" } })[0]?.["open"];
  assert.deepEqual([seen("2016-09-08T13:29:59Z"), seen("2016-09-08T13:30:00Z")], [wrong, right]);
});

test("without its delisting row m07 fails by its name; the end of the rows of all the others is nothing", async () => {
  const all = fs.readFileSync(path.join(home, "tables/delistings.csv"), "utf8").split("\n");
  const without = all.filter((line) => !line.startsWith("m07,"));
  assert.equal(without.length, all.length - 1);
  const file = path.join(temporary(), "delistings.csv");
  fs.writeFileSync(file, without.join("\n"));
  const { spec } = world.store.tables.get("delistings") as Table;
  const fewer = (await readTable(spec as TableSpec, file, "delistings.csv", "0".repeat(64))) as Table;
  const tables = [...world.store.tables.values()].map((table) => (table.name === fewer.name ? fewer : table));
  const changed = { ...world, store: createStore(tables) };
  const exits = exitsOf(changed);
  assert.deepEqual([exits.size, exits.get("m07")?.return], [5, null]);
  assert.deepEqual(foundExits(changed), counted(without.slice(1, -1).map((line) => line.split(","))));
  const refusal = refused("DelistingReturnMissing", () => checkDelistingReturns(exits.values(), "p"));
  assert.match(refusal.message, /m07/);
  checkDelistingReturns(exitsOf(world).values(), "p");
});

type Picker = {
  answer(asked: object, tools: object): Promise<{ positions: Record<string, number> }>;
};
type Asked = { readonly positions: Record<string, number>; readonly calls: readonly string[] };

/** docs/agents/picker.mjs, asked a case; what it called for. */
async function pick(item: DecisionCase, params: object): Promise<Asked> {
  const { reader } = (await import(pathToFileURL(path.join(repository, "docs/agents/picker.mjs")).href)) as {
    reader(params: object): Picker;
  };
  const { id, horizon, reads, window, universe, members: list } = item;
  const door = world.store.open({ caseId: id, horizon, tables: reads, overlay: null, subject: id });
  const calls: string[] = [];
  const tools = {
    call: (tool: string, args: { table: string; where?: { member?: unknown } }) => {
      calls.push([tool, args.table, args.where?.member].flat().join(" ").trim());
      const reply = door.call(tool, args);
      assert.ok(reply.ok, JSON.stringify(reply));
      return Promise.resolve({ ok: true, ...JSON.parse(replyText(reply)) });
    },
  };
  const asked = {
    id,
    horizon: formatInstant(horizon),
    window: window?.map(formatInstant),
    universe,
    members: list,
  };
  return { positions: (await reader(params).answer(asked, tools)).positions, calls };
}

async function picked(
  slice: string,
  params: object,
): Promise<{ account: TradedAccount; asked: Map<string, Asked> }> {
  const cases = (world.set.cases as readonly DecisionCase[]).filter((item) => sliceOf(item) === slice);
  const asked = new Map<string, Asked>();
  for (const item of cases) asked.set(item.id, await pick(item, params));
  const decisions = cases.map(({ id, horizon }) => ({
    id,
    at: horizon,
    positions: asked.get(id)?.positions ?? null,
  }));
  return { account: runAccount(decisions, world.quotes, marksOf(cases), terms, exitsOf(world)), asked };
}

test("the picker: who is a member at the horizon, half of them in equal parts, and of each that left in the window the row", async () => {
  const { account, asked } = await picked("universe", {});
  assertEvery([...asked], ([id, { positions, calls }]) => {
    const item = world.set.cases.find((one) => one.id === id) as DecisionCase;
    const now = members(item.horizon);
    const gone = members(item.horizon, item.window?.[0]).filter((who) => !now.includes(who));
    const weights = Object.values(positions);
    return (
      Object.keys(positions).every((who) => now.includes(who)) &&
      weights.every((weight) => weight === weights[0]) &&
      Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-12 &&
      gone.every((who) => calls.includes(`rows delistings ${who}`)) &&
      calls.filter((call) => call.startsWith("rows delistings")).length === gone.length
    );
  });
  assert.deepEqual(
    account.exits.map(({ entity }) => entity),
    ["m05", "m06", "m07"],
  );
  // Gone and ahead of the rest by what its holders got: it takes a place in the better half, and cannot be held.
  assert.ok(asked.get("2016-07")?.calls.includes("rows delistings m05"));
});

test("survivors do better: a list that was made at the end, and a reader that looks at nobody who has left", async () => {
  const [honest, naive, fixed] = [
    await picked("universe", {}),
    await picked("universe", { universe: "survivors" }),
    await picked("fixed_universe", {}),
  ];
  assertNone(
    [...naive.asked.values(), ...fixed.asked.values()].flatMap(({ calls }) => calls),
    (call) => /members|delistings/.test(call),
  );
  const [all, survivors] = [total(honest.account.returns), total(naive.account.returns)];
  assert.ok(survivors > all + 0.1, `${survivors} and ${all}`);
  // The same twelve months: among the eight that would still be there nobody fails.
  const [lived, chosen] = [total(fixed.account.returns), total(honest.account.returns.slice(12))];
  assert.ok(lived > chosen + 0.15, `${lived} and ${chosen}`);
  assert.deepEqual([fixed.account.exits, fixed.account.returns.length], [[], 12]);
  const text = fs.readFileSync(path.join(repository, "docs/universes.md"), "utf8");
  const shown = [all, survivors, lived, chosen].map((value) => `${(100 * value).toFixed(1)} %`);
  assertEvery(shown, (percent) => text.includes(percent));
});
