/** Runs under a universe: what an exit does to an account and a verdict, who has prices, and what is refused before any case. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memorySink } from "../../src/run/sink.ts";
import { refusedLater } from "../core/refused.ts";
import { dayOf, decider, type MadeDecisions, runDecisions } from "../support/decision-set.ts";
import { LEAVER, LEFT, UNIVERSE_TABLES, universeProfile, universeSet } from "../support/universe-set.ts";

const DAYS = 60;
const hold = decider(() => ({ m0: 1 }));
const NOBODY = { "gone.csv": "member,date,d,why\nelsewhere,2021-01-30,-1,failed\n" };

type Repeat = {
  readonly returns: readonly (readonly [id: string, value: number | null])[];
  readonly not_filled: readonly object[];
  readonly left: readonly { readonly entity: string; readonly at: string; readonly return: number }[];
  readonly positions: Readonly<Record<string, number>>;
};
type Result = {
  readonly verdict: string;
  readonly decisions: { readonly slices: Record<string, { readonly arms: { readonly routed: Repeat[] } }> };
};
async function runOf(made: MadeDecisions, who: string) {
  const profile = { ...universeProfile, waive: ["delisting-not-exercised"] } as typeof universeProfile;
  const sink = memorySink();
  const { report } = await runDecisions(
    made,
    decider(() => ({ [who]: 1 })),
    { profile, sink },
  );
  const { verdict, decisions } = report.result as unknown as Result;
  const artifacts = [...sink.files].filter(([name]) => name.startsWith("artifacts/"));
  const kept = artifacts.map(([, bytes]) => Buffer.from(bytes).toString("utf8")).join("");
  return { verdict, slices: decisions.slices, kept };
}
/** The account of a slice, of the routed arm. */
const accountIn = ({ slices }: { readonly slices: Result["decisions"]["slices"] }, slice = "universe") =>
  slices[slice]?.arms.routed[0] as Repeat;

test("a return that was published after the last mark is in the account, at the instant at which its member left", async () => {
  const tables = UNIVERSE_TABLES.replace("delay: P1D", "delay: P30D");
  const late = await universeSet({ tables, from: 21, look: 14, weeks: 2, fixed: false, days: DAYS });
  const found = await runOf(late, LEAVER);
  const own = accountIn(found);
  assert.deepEqual(
    [found.verdict, own.left.map((exit) => [exit.entity, exit.at, exit.return])],
    ["green", [[LEAVER, `${dayOf(LEFT)}T00:00:00Z`, -0.5]]],
  );
  // Bought at the open of day 21, 93; its last price is the close of day 24, 95.5.
  const [first, second] = own.returns.map(([, value]) => value ?? Number.NaN) as [number, number];
  assert.ok(Math.abs(first - ((95.5 / 93) * 0.5 - 1)) < 1e-9 && second === 0, `${own.returns}`);
  assert.deepEqual(own.not_filled, [{ case: "week-1", entity: LEAVER, reason: "left" }]);
  assert.match(
    found.kept,
    new RegExp(`\\{"at":"${dayOf(LEFT)}T00:00:00Z","entity":"${LEAVER}","return":-0.5\\}`),
  );
});

test("an exit after the last mark turns no run red, with a return or without; at the mark it is refused by its name", async () => {
  const at = (from: number) =>
    universeSet({ from, look: 10, weeks: 1, fixed: false, days: DAYS, extra: NOBODY });
  const found = await runOf(await at(LEFT - 8), LEAVER);
  const own = accountIn(found);
  assert.deepEqual([found.verdict, own.left, Object.keys(own.positions)], ["green", [], [LEAVER]]);
  assert.ok(own.returns.length === 1 && own.returns[0]?.[1] !== null);
  const atMark = await at(LEFT - 7);
  await refusedLater("DelistingReturnMissing", () => runOf(atMark, LEAVER));
});

test("under a universe nobody but its members, and whom a case lists, has prices: an order for another is not filled", async () => {
  const lines = Array.from({ length: DAYS }, (_, i) =>
    ["m0", "m1", "zz"].map((who) => `${dayOf(i)},${who},5,6\n`),
  );
  const prices = `date,member,open,close\n${lines.flat().join("")}`;
  const members = `member,stint,from,to,known\n${["m0", "m1"].map((who) => `${who},1,${dayOf(0)},,${dayOf(0)}\n`).join("")}`;
  const extra = { ...NOBODY, "prices.csv": prices, "members.csv": members };
  const span = { from: 21, look: 14, weeks: 2, days: DAYS, extra };
  const stranger = await runOf(await universeSet({ ...span, fixed: false }), "zz");
  const own = accountIn(stranger);
  assert.deepEqual(
    [own.positions, own.not_filled],
    [{}, [0, 1].map((week) => ({ case: `week-${week}`, entity: "zz", reason: "no-later-price" }))],
  );
  assert.ok(!stranger.kept.includes('"zz"') && stranger.kept.includes('"m1"'));
  const listed = { ...span, more: (week: number) => (week === 1 ? { members: ["zz"] } : {}) };
  const named = await runOf(await universeSet(listed), "zz");
  assert.deepEqual(Object.keys(accountIn(named, "fixed_universe").positions), ["zz"]);
  // A case that names neither chooses among all that have a price.
  const free = { ...span, more: (week: number) => (week === 1 ? { members: undefined } : {}) };
  const all = await runOf(await universeSet(free), "zz");
  assert.deepEqual(Object.keys(accountIn(all, "all").positions), ["zz"]);
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
