/** Decisions in a report: accounts worked out by hand, slices that never pool, and what is refused before any case. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import type { Positions } from "../../src/model/given-answer.ts";
import { decisionText } from "../../src/profile/decision-text.ts";
import { refusedLater } from "../core/refused.ts";
import { decider, decisionSet, priceOf, runDecisions, tradingProfile } from "../support/decision-set.ts";

/** The repeats of the routed arm of a slice. */
const routed = (result: Result, slice: string): readonly Repeat[] => {
  const repeats = result.decisions.slices[slice]?.arms["routed"];
  assert.ok(repeats !== undefined && repeats.length > 0, `slice ${slice}`);
  return repeats;
};

type Repeat = {
  returns: [string, number | null][];
  orders: { case: string; entity: string; quoted: number; ref: string; column: string; available: string }[];
  not_filled: { case: string; reason: string }[];
  equity: [number, number];
  total_return: number;
  held: number;
  sharpe: number | null;
  state: string;
};
type Result = {
  verdict: string;
  headline: { n: number; slice: string; decisions: { sharpe: number | null; periods: number } };
  decisions: { slice: string; slices: Record<string, { cases: number; arms: Record<string, Repeat[]> }> };
  tally: { unscored: number; declined: number };
};
const resultOf = ({ report }: { report: { result: Json } }) => report.result as unknown as Result;
const near = (found: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) <= 1e-9, `found ${found}, expected ${expected}`);

test("decisions: all in one entity, no costs: filled at the next open, valued at the last close, each return by hand", async () => {
  const made = await decisionSet({ weeks: 4 });
  const result = resultOf(
    await runDecisions(
      made,
      decider(() => ({ ash: 1 })),
    ),
  );
  const [own] = routed(result, "all") as [Repeat];
  // Bought at the open of day 7; at each later horizon worth the close of the day before it.
  const closes = [1, 2, 3, 4].map((week) => priceOf("ash", (week + 1) * 7 - 1, "close"));
  const worth = [1000, ...closes.map((close) => (1000 / priceOf("ash", 7, "open")) * close)];
  own.returns.forEach(([id, value], i) => {
    assert.equal(id, `week-${i}`);
    near(value, (worth[i + 1] as number) / (worth[i] as number) - 1);
  });
  assert.equal(own.returns.length, 4);
  const [first] = own.orders;
  assert.deepEqual(
    [first?.case, first?.ref, first?.column, first?.available, first?.quoted],
    ["week-0", "prices#2021-01-11,ash", "open", "2021-01-11T09:30:00Z", priceOf("ash", 7, "open")],
  );
  assert.equal(result.verdict, "green");
  assert.deepEqual([result.headline.n, result.headline.slice, result.tally.unscored], [4, "all", 0]);
});

test("decisions: without an answer nothing is traded and what was held stands; it is counted, and never 0", async () => {
  const made = await decisionSet({ weeks: 4 });
  const steady = await runDecisions(
    made,
    decider(() => ({ ash: 1 })),
  );
  const lapsed = await runDecisions(
    made,
    decider(({ id }) => (id === "week-2" ? null : { ash: 1 })),
  );
  const [a, b] = [steady, lapsed].map((one) => routed(resultOf(one), "all")[0]) as [Repeat, Repeat];
  assert.deepEqual([a.held, b.held], [0, 1]);
  assert.deepEqual(b.returns, a.returns);
  assert.equal(resultOf(lapsed).tally.declined, 1);
});

test("decisions: cases that name members and cases that do not are accounts of their own, and never pool", async () => {
  const members = { members: ["ash"] };
  const made = await decisionSet({ weeks: 6, more: (week) => (week % 2 === 0 ? {} : members) });
  const { decisions, headline } = resultOf(
    await runDecisions(
      made,
      decider(() => ({ ash: 1 })),
    ),
  );
  assert.deepEqual(Object.keys(decisions.slices).sort(), ["all", "fixed_universe"]);
  assert.deepEqual(
    Object.values(decisions.slices).map(({ cases }) => cases),
    [3, 3],
  );
  assert.equal(decisions.slice, "fixed_universe", "cases with a universe of their own speak for the trial");
  assert.deepEqual([headline.n, headline.decisions.periods], [6, 3], "of six cases, three are in it");
  for (const { arms } of Object.values(decisions.slices))
    assert.equal(arms["routed"]?.[0]?.returns.length, 3, "each follows its own cases alone");
});

test("decisions: a profile without returns, cases that share a horizon, an unknown table of prices are refused", async () => {
  const made = await decisionSet({ weeks: 3 });
  const hold = decider(() => ({}));
  const { execution } = tradingProfile as { execution: Record<string, Json> };
  const missing = await refusedLater("KeyMissing", () =>
    runDecisions(made, hold, { profile: { returns: undefined } as never }),
  );
  assert.equal(missing.details.key, "returns");
  const elsewhere = { ...execution, prices: { table: "weights", columns: ["open"] } } as never;
  const unknown = await refusedLater("TableUnknown", () =>
    runDecisions(made, hold, { profile: { execution: elsewhere } }),
  );
  assert.deepEqual(unknown.details.known, ["prices"]);
  const same = {
    horizon: "2021-01-11T00:00:00Z",
    label_interval: ["2021-01-11T00:00:00Z", "2021-01-25T00:00:00Z"],
  };
  const twice = await decisionSet({ weeks: 3, more: (week) => (week === 1 ? same : {}) });
  const equal = await refusedLater("FieldInvalid", () => runDecisions(twice, hold));
  assert.match(equal.message, /horizon.*no later.*one decision at a time/);
  await runDecisions(made, hold); // and the nearest that is none of these runs
});

test("decisions: positions beyond the leverage are no answer; at it they are", async () => {
  const made = await decisionSet({ weeks: 2 });
  const run = (weight: number) =>
    runDecisions(
      made,
      decider(() => ({ ash: weight, birch: -0.5 })),
    );
  const [beyond, at] = [resultOf(await run(0.51)), resultOf(await run(0.5))];
  assert.equal(routed(beyond, "all")[0]?.held, 2);
  assert.equal(routed(at, "all")[0]?.held, 0);
});

test("decisions: what is no answer stands in the report by its case, with the sizes' sum and the leverage, or with the name and the list", async () => {
  const made = await decisionSet({ weeks: 3, more: () => ({ members: ["ash"] }) });
  const { report } = await runDecisions(
    made,
    decider(
      ({ id }): Positions => (id === "week-1" ? { birch: 0.5 } : id === "week-2" ? { ash: 1.5 } : { ash: 1 }),
    ),
  );
  const { faults } = report.evidence as unknown as { faults: Record<string, string>[] };
  assert.deepEqual(
    faults.map((one) => [one["case"], one["class"], one["message"]]),
    [
      ["week-1", "malformed_output", 'positions: "birch", expected members of the case alone: ash'],
      ["week-2", "malformed_output", "positions whose sizes add up to 1.5, expected at most the leverage, 1"],
    ],
  );
  const [own] = routed(resultOf({ report }), "fixed_universe");
  assert.deepEqual([own?.held, own?.orders.map(({ entity }) => entity)], [2, ["ash"]]);
});

test("decisions: whatever is answered, the states of the arms add up to the tally's, and an answer is not among the unscored", async () => {
  const made = await decisionSet({ weeks: 4 });
  const { report } = await runDecisions(
    made,
    decider(({ id }) => (id === "week-1" ? null : { ash: id === "week-2" ? 2 : 1 })),
  );
  const { arms, tally } = report.result as unknown as {
    arms: { routed: Record<string, number> };
    tally: Record<string, number>;
  };
  const { answered, declined, faults, unscored, trajectories } = arms.routed;
  assert.deepEqual([answered, declined, faults, unscored, trajectories], [2, 1, 1, 2, 4]);
  assert.deepEqual(
    [tally["answered"], tally["unscored"], tally["sampled"]],
    [answered, unscored, trajectories],
  );
});

test("decisions: a universe without a window is refused by its case, and with one of another table; the nearest runs", async () => {
  const without = await decisionSet({ weeks: 2, more: () => ({ universe: "prices" }) });
  const { message } = await refusedLater("FieldInvalid", () =>
    runDecisions(
      without,
      decider(() => ({})),
    ),
  );
  assert.match(message, /universe\.table.*nothing.*prices/);
});

test("decisions: the ledger's row has the report's own figures, and the report's evidence deflates for what it knew", async () => {
  const made = await decisionSet({ weeks: 6 });
  const trials = memoryTrialLedger("weekly");
  const weights = [1, 0.5, 0.25];
  const runs = [];
  for (const [i, weight] of weights.entries())
    runs.push(
      await runDecisions(
        made,
        decider(({ id }) => ({ ash: weight, birch: id === `week-${i}` ? 0.1 : 0 })),
        {
          trials,
          run: `01TESTRUN0000000000000000${i}`,
        },
      ),
    );
  const { rows } = await trials.read();
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ["start", "end", "start", "end", "start", "end"],
  );
  runs.forEach((one, i) => {
    const { trials: known } = one.report.evidence as unknown as {
      trials: {
        rows: number;
        row: number;
        figures: { n_trials: number; own: { sharpe: number; dsr: number | null }; sr0: number | null };
      };
    };
    assert.deepEqual([known.rows, known.row, known.figures.n_trials], [2 * i + 2, 2 * i, i + 1]);
    const end = rows[2 * i + 1] as unknown as {
      measures: { repeats: { sharpe: number }[]; returns: number[] };
    };
    assert.equal(known.figures.own.sharpe, end.measures.repeats[0]?.sharpe);
    assert.equal(resultOf(one).headline.decisions.sharpe, end.measures.repeats[0]?.sharpe);
    assert.equal(end.measures.returns.length, 6);
    if (i === 0) assert.equal(known.figures.sr0, 0, "one trial: nothing to deflate for");
    else assert.ok((known.figures.sr0 ?? 0) > 0);
  });
  assert.equal(
    new Set(runs.map(({ report }) => (report.result as unknown as { stamp: { seed: number } }).stamp.seed))
      .size,
    1,
  );
});

/** The files of src/profile that these load, themselves among them. */
function loaded(...parts: string[]): string[] {
  const found = new Set<string>();
  const bytes = (part: string) =>
    fs.readFileSync(new URL(`../../src/profile/${part}.js`, import.meta.url), "utf8");
  const visit = (part: string) => {
    if (found.has(part)) return;
    found.add(part);
    for (const [, other] of bytes(part).matchAll(/from "\.\/([a-z-]+)\.js"/g)) visit(other as string);
  };
  for (const part of parts) visit(part);
  return [...found].sort();
}

test("decisions: the component's digest is of every file that makes orders, exits and marks", async () => {
  const { report } = await runDecisions(
    await decisionSet({ weeks: 2 }),
    decider(() => ({})),
  );
  const { execution } = (report.result as unknown as { stamp: { execution: { code: string } } }).stamp;
  const parts = loaded("account", "gaps", "marks", "price-table", "universe");
  assert.ok(parts.length > 8 && parts.includes("exits"), `${parts}`);
  const digests = parts.map((part) =>
    digestOf(fs.readFileSync(new URL(`../../src/profile/${part}.js`, import.meta.url))),
  );
  assert.equal(execution.code, digestOf(digests.join("\n")));
});

test("decisions: an account that fell to 0 or below is ruined: no total return, no ratio, and it is said", async () => {
  const made = await decisionSet({ weeks: 4 });
  const short = decider(() => ({ ash: -20 }));
  const profile = { execution: { ...(tradingProfile.execution as object), leverage: 20 } } as never;
  const found = await runDecisions(made, short, { profile });
  const [own] = routed(resultOf(found), "all") as [Repeat];
  assert.ok(own.equity[1] !== null && own.returns.some(([, value]) => value === null));
  assert.deepEqual([own.state, own.total_return, own.sharpe], ["ruined", null, null]);
  assert.match((decisionText(found.report) as string[]).join(" "), /RUINED: the equity fell to 0 or below/);
  const safe = routed(
    resultOf(
      await runDecisions(
        made,
        decider(() => ({ ash: -0.1 })),
      ),
    ),
    "all",
  );
  assert.deepEqual([safe[0]?.state, safe[0]?.total_return === null], ["ok", false]);
});
