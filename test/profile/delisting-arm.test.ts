/** The delisting arm: a reader that looks at those that left passes it, one that forgets them does not, and nothing of it scores. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import type { Positions } from "../../src/model/given-answer.ts";
import type { AskedDecision, ServedRow, Tools } from "../../src/model/reader.ts";
import { decisionText } from "../../src/profile/decision-text.ts";
import { type Earlier, findEarlier } from "../../src/run/earlier-run.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { memorySink } from "../../src/run/sink.ts";
import type { OpenRequest, Store } from "../../src/store/door.ts";
import { replayed, told } from "../replay/operator.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { familyOf } from "../support/daily-set.ts";
import {
  type DecisionRunOptions,
  decider,
  type MadeDecisions,
  runDecisions,
} from "../support/decision-set.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import { readRun } from "../support/read-run.ts";
import { MEMBERS, universeProfile, universeSet } from "../support/universe-set.ts";

type Decide = (asked: AskedDecision, tools: Tools) => Promise<Positions> | Positions;
type Failed = {
  readonly case: string;
  readonly arm: string;
  readonly rule: string;
  readonly detail?: string;
};
type Result = {
  readonly verdict: string;
  readonly failed_cases: readonly Failed[];
  readonly findings: readonly { readonly finding: string; readonly [key: string]: Json }[];
  readonly arms: { readonly staged?: { readonly delisting: Readonly<Record<string, Json>> } };
  readonly decisions: {
    readonly slices: Readonly<Record<string, { readonly arms: Readonly<Record<string, Json>> }>>;
  };
  readonly headline: { readonly n: number };
  readonly tally: { readonly sampled: number };
  readonly not_estimated: readonly { readonly section: string; readonly reason: string }[];
};

const made = await universeSet();
const UNIVERSE = ["week-0", "week-1", "week-2"];

const call = async (tools: Tools, tool: string, args: object): Promise<readonly ServedRow[]> => {
  const reply = await tools.call(tool, { limit: 10_000, ...args } as Json);
  assert.ok(reply.ok, JSON.stringify(reply));
  return reply.rows ?? [];
};
const names = (rows: readonly ServedRow[]) => [...new Set(rows.map(({ body }) => String(body["member"])))];
const evenly = (members: readonly string[]): Positions =>
  Object.fromEntries(members.map((member) => [member, 0.9 / members.length]));

/** Who was in at the window's start, what they cost, and what became of those that left; holds those that are in now. */
const careful: Decide = async ({ universe, window, members }, tools) => {
  if (universe === null) return evenly(members ?? []);
  const [then, now] = [
    names(await call(tools, "members", { table: universe, at: window?.[0] })),
    names(await call(tools, "members", { table: universe })),
  ];
  await call(tools, "rows", { table: "prices", where: { member: then }, since: window?.[0] });
  const gone = then.filter((member) => !now.includes(member));
  if (gone.length > 0) await call(tools, "rows", { table: "gone", where: { member: gone } });
  return evenly(now);
};

/** Drops whoever has no price of the last days, and asks what became of the rest. */
const hindsight: Decide = async ({ universe, window, members, horizon }, tools) => {
  if (universe === null) return evenly(members ?? []);
  const then = names(await call(tools, "members", { table: universe, at: window?.[0] }));
  const since = new Date(Date.parse(horizon) - 3 * 86_400_000).toISOString();
  const alive = names(await call(tools, "rows", { table: "prices", where: { member: then }, since }));
  await call(tools, "rows", { table: "gone", where: { member: alive } });
  return evenly(alive);
};

const unasking: Decide = async (_asked, tools) => {
  await call(tools, "rows", { table: "prices", latest: true });
  return { m0: 0.5 };
};

async function run(decide: Decide, options: DecisionRunOptions = {}, of: MadeDecisions = made) {
  const sink = options.sink ?? memorySink();
  const profile = { ...universeProfile, ...options.profile };
  const { report, plan } = await runDecisions(of, decider(decide), { ...options, profile, sink });
  const result = report.result as unknown as Result;
  return { result, report, plan, record: readRun((sink as ReturnType<typeof memorySink>).files) };
}

const waived = { profile: { waive: ["delisting-not-exercised"] } } satisfies DecisionRunOptions;
const failures = ({ failed_cases: failed }: Result) => failed.map((one) => [one.case, one.arm, one.rule]);
const each = (rule: string) => UNIVERSE.map((id) => [id, "delisting", rule]);

/** On one line. */
const said = (report: Parameters<typeof decisionText>[0]) =>
  (decisionText(report) as string[]).join(" ").replace(/ +/g, " ");

describe("delisting arm", () => {
  it("passes a reader that looks at who left; each case of the universe has it, and no other", async () => {
    const { result, report, record } = await run(careful);
    assert.deepEqual([result.verdict, result.failed_cases, result.findings], ["green", [], []]);
    assert.deepEqual(result.arms.staged?.delisting, {
      n: 3,
      served: 3,
      not_served: 0,
      not_exercised: 0,
      waived: false,
      trajectories: 3,
      answered: 3,
      declined: 0,
      faults: 0,
    });
    assert.deepEqual([result.headline.n, result.tally.sampled], [4, 7]);
    const arms = new Set(record.entries.map((entry) => `${entry.case} ${entry.arm}`));
    assert.deepEqual(
      [...arms].filter((one) => one.endsWith("delisting")),
      UNIVERSE.map((id) => `${id} delisting`),
    );
    assert.match(
      said(report),
      /Delisting arm: 3 of 3 cases saw the planted member's delisting return Trials/,
    );
  });

  it("shows a member that looks like the others in that arm alone, to every tool, and none of it counts as a plant", async () => {
    const { record } = await run(careful);
    const calls = record.entries.filter((entry) => entry.kind === "tool");
    assertEvery(calls, (entry) => entry.result === entry.unplanted && entry.planted === undefined);
    const staged = record.plants.filter(({ kind }) => kind === "staged-entity");
    assert.deepEqual(
      staged.map((one) => one.case),
      UNIVERSE,
    );
    assertEvery(staged, ({ ref }) => /^m\d$/.test(ref) && !(MEMBERS as readonly string[]).includes(ref));
    for (const { case: id, ref } of staged) {
      const told = (arm: string) =>
        calls
          .filter((entry) => entry.case === id && entry.arm === arm)
          .map(({ result }) => record.body(result))
          .join();
      assert.ok(told("delisting").includes(`"member":"${ref}"`));
      assert.ok(!told("routed").includes(`"${ref}"`));
    }
  });

  it("leaves its answers out of accounts: they are those of a reader that answers the others alone", async () => {
    const { result } = await run(careful);
    const elsewhere: Decide = async (asked, tools) => {
      const answer = await careful(asked, tools);
      const strange = names(await call(tools, "rows", { table: "prices" })).some(
        (name) => !(MEMBERS as readonly string[]).includes(name),
      );
      return strange ? { m0: -0.9 } : answer;
    };
    const other = await run(elsewhere);
    assert.deepEqual(other.result.decisions, result.decisions);
    assertEvery(Object.values(result.decisions.slices), ({ arms }) => Object.keys(arms).join() === "routed");
  });

  it("fails each case of a reader that drops who has no later price: it asked for members, and was never served the return", async () => {
    const { result, report } = await run(hindsight);
    assert.equal(result.verdict, "red");
    assert.deepEqual(failures(result), each("staged-not-served"));
    assert.deepEqual(failures((await run(hindsight, waived)).result), each("staged-not-served"));
    assert.match(said(report), /Delisting arm: 0 of 3 .*; 3 asked for members and did not/);
  });

  it("fails each case of a reader that never asks for members, unless that is waived by its name", async () => {
    const { result } = await run(unasking);
    assert.deepEqual([result.verdict, failures(result)], ["red", each("staged-not-exercised")]);
    const other = await run(unasking, waived);
    assert.deepEqual([other.result.verdict, other.result.failed_cases], ["green", []]);
    assert.deepEqual(
      other.result.findings,
      UNIVERSE.map((id) => ({
        arm: "delisting",
        case: id,
        finding: "staged-not-exercised",
        reason: "the reader never asked members",
        repeat: 0,
        waived: true,
      })),
    );
    assert.match(said(other.report), /Delisting arm: 0 of 3 cases .*; 3 not exercised, which is waived/);
    assert.deepEqual(failures(result).length, result.findings.length, "a finding, waived or not");
  });

  it("a row of the members' table that is only counted is asked for too", async () => {
    const counting: Decide = async ({ universe }, tools) => {
      if (universe !== null) await tools.call("aggregate", { table: universe, measure: "count" });
      return { m0: 0.5 };
    };
    assert.deepEqual(failures((await run(counting, waived)).result), each("staged-not-served"));
  });

  it("says that nothing could be staged where no member has prices in the window, or a table is not read: waived, it passes", async () => {
    const early = await universeSet({ from: 1, look: 1, weeks: 2, fixed: false });
    const unread = await universeSet({ reads: ["members", "prices"] });
    for (const [of, n] of [
      [early, 2],
      [unread, 3],
    ] as const) {
      const { result, record } = await run(unasking, {}, of);
      const none = record.plants.filter(({ kind }) => kind === "staged-none");
      assert.equal(none.length, n);
      assert.deepEqual(
        result.failed_cases
          .filter(({ rule }) => rule === "staged-not-exercised")
          .map((one) => [one.case, one.detail]),
        none.map((one) => [one.case, "no row that could be staged"]),
      );
      assert.deepEqual(failures((await run(unasking, waived, of)).result), []);
    }
  });

  it("fails a position in whom no real row names, in a scored arm: a staged member, or one of a plant", async () => {
    const { record } = await run(careful);
    const strangers = new Map<string, string>();
    for (const { case: id, kind, ref } of record.plants)
      if (kind === "staged-entity" || (kind === "planted-entity" && id === "week-2")) strangers.set(id, ref);
    assert.equal(strangers.size, 3);
    const hoarding: Decide = async (asked, tools) => {
      const { m0: _, ...answer } = await careful(asked, tools);
      const stranger = strangers.get(asked.id);
      return stranger === undefined ? answer : { ...answer, [stranger]: 0.01 };
    };
    const { result } = await run(hoarding);
    assert.deepEqual(
      failures(result),
      UNIVERSE.map((id) => [id, "routed", "position-in-plant"]),
    );
    assertNone([...result.failed_cases.map(({ detail }) => detail ?? ""), "", ""], (detail) =>
      [...strangers.values()].some((name) => detail.includes(name)),
    );
    const flat: Decide = async (asked, tools) => ({
      ...(await careful(asked, tools)),
      [strangers.get(asked.id) ?? "m0"]: 0,
    });
    assert.deepEqual(failures((await run(flat)).result), [], "a weight of 0 holds nothing");
  });

  it("draws from the run's secret: another run stages others, and fails alike with the same result", async () => {
    const first = await run(hindsight);
    const again = await run(hindsight);
    assert.deepEqual(first.record.plants, again.record.plants);
    const other = await run(hindsight, { secret: 8 });
    const entities = (record: typeof first.record) =>
      record.plants.filter(({ kind }) => kind.startsWith("staged"));
    assert.notDeepEqual(entities(other.record), entities(first.record));
    assert.equal(other.report.resultDigest, first.report.resultDigest);
    assert.notEqual(other.report.reportDigest, first.report.reportDigest);
  });
});

describe("delisting arm and plants", () => {
  const tables = [...made.store.tables.values()];
  const onReaderPath = naiveStore(tables, ({ overlay }: OpenRequest) =>
    overlay?.view === "probe" || overlay?.rows.some(({ kind }) => kind === "staged") !== true
      ? honest
      : brokenRules["a day late"],
  );

  it("another store that is sound gives the same result", async () => {
    const other = await run(careful, {}, { ...made, store: naiveStore(tables, () => honest) });
    assert.equal(other.report.resultDigest, (await run(careful)).report.resultDigest);
  });

  it("a door that serves plants in that arm alone, or rows of after the horizon, is caught there", async () => {
    const sees = (request: OpenRequest) => onReaderPath.open(request);
    const proving: Store = {
      ...onReaderPath,
      // What proves staged rows is sound: it is the reader's door that is not.
      open: (request) => (request.subject === "probe" ? made.store.open(request) : sees(request)),
    };
    const { result } = await run(careful, {}, { ...made, store: proving });
    const broken = result.failed_cases.filter(
      ({ rule }) => rule === "row-after-horizon" || rule.startsWith("plant-"),
    );
    assert.deepEqual(
      new Set(broken.map((one) => `${one.case} ${one.arm}`)),
      new Set(UNIVERSE.map((id) => `${id} delisting`)),
    );
  });

  it("a store that does not serve what is staged is refused before anything runs", async () => {
    const without: Store = {
      ...made.store,
      open: (request) => {
        const rows = (request.overlay?.rows ?? []).filter(({ kind }) => kind !== "staged");
        return made.store.open({ ...request, overlay: request.overlay && { ...request.overlay, rows } });
      },
    };
    await assert.rejects(run(careful, {}, { ...made, store: without }), (error) => {
      assert.ok(isRefusal(error, "EvalPlantUnproven"));
      assert.match(
        error.details.probe,
        /^case week-0: table members: presence of the staged row members#m\d,1$/,
      );
      assert.equal(error.details.found, '{"rows":[]}');
      return true;
    });
  });
});

describe("delisting arm and the rest of a run", () => {
  it("a run that was cut off goes on to the same rows and the same result", async () => {
    const whole = await run(careful);
    for (const after of [1, 3, 5]) {
      const [sink, ledger, abort] = [memorySink(), memoryLedger(), new AbortController()];
      const trials = memoryTrialLedger("members");
      let asked = 0;
      const counting: Decide = (...words) => {
        if (++asked > after) abort.abort();
        return careful(...words);
      };
      await assert.rejects(run(counting, { sink, ledger, trials, signal: abort.signal }), Interrupted);
      const earlier = (await findEarlier(sink, ledger)) as Earlier;
      const { report, record } = await run(careful, { sink, ledger, trials, earlier });
      assert.equal(report.resultDigest, whole.report.resultDigest);
      assert.deepEqual(record.plants, whole.record.plants);
    }
  });

  it("another waiver is another configuration, which a resumed run is refused for by its name", async () => {
    const [sink, ledger, abort] = [memorySink(), memoryLedger(), new AbortController()];
    const stopping: Decide = (...words) => {
      abort.abort();
      return careful(...words);
    };
    await assert.rejects(run(stopping, { sink, ledger, signal: abort.signal }), Interrupted);
    const earlier = (await findEarlier(sink, ledger)) as Earlier;
    await assert.rejects(run(careful, { sink, ledger, earlier, ...waived }), (error) =>
      isRefusal(error, "ResumeMismatch"),
    );
  });

  it("with a family, the arm is the routed checkpoint's once more; a case that none was routed to has none, and it is said", async () => {
    const family = familyOf(["a", "2021-01:documented"], ["b", "2021-02:documented"]);
    const long = await universeSet({ from: 14, look: 14, weeks: 10, days: 100 });
    const { result, plan } = await run(careful, { family }, long);
    const { routes, assignments } = plan.arms;
    const routed = routes.map((checkpoint) => checkpoint?.snapshot ?? null);
    assert.deepEqual(new Set(routed), new Set([null, "a", "b"]));
    const again = assignments.filter(({ arm }) => arm === "delisting");
    assert.deepEqual(
      again.map(({ caseIndex, checkpoint }) => [caseIndex, checkpoint?.snapshot]),
      routed.flatMap((snapshot, i) => (snapshot === null || i === 9 ? [] : [[i, snapshot]])),
    );
    assertEvery(long.set.cases, (_, i) => {
      const arms = assignments.filter(({ caseIndex }) => caseIndex === i).map(({ arm }) => arm);
      return arms.join() === [...arms].sort().join() && arms.includes("latest");
    });
    assert.deepEqual([result.verdict, result.arms.staged?.delisting["served"]], ["green", again.length]);
    const left = routed.filter((snapshot) => snapshot === null).length;
    const { reason } = result.not_estimated.find(({ section }) => section === "arms.staged.delisting") ?? {};
    assert.ok(reason?.startsWith(`${left} cases were not asked in the arm delisting`), reason);
  });

  it("repeats: a case is served where each of them was", async () => {
    const once: Decide = (asked, tools) =>
      asked.id === "week-1" && asked.repeat === 1 ? unasking(asked, tools) : careful(asked, tools);
    const { result } = await run(once, { profile: { repeats: 2 } });
    const { n, trajectories, served, not_exercised: unasked } = result.arms.staged?.delisting ?? {};
    assert.deepEqual([n, trajectories, served, unasked], [3, 6, 2, 1]);
    assert.deepEqual(failures(result), [["week-1", "delisting", "staged-not-exercised"]]);
  });

  it("a session is one trajectory: it has no such arm, which the report says, and its replay does", async () => {
    const sink = memorySink();
    const readers = { ...decider(careful), adapter: "serve" as const };
    const { report, plan } = await runDecisions(made, readers, { sink, profile: universeProfile });
    const result = report.result as unknown as Result;
    assert.deepEqual([plan.arms.staged, result.verdict, result.arms.staged], [null, "green", undefined]);
    assert.ok(result.not_estimated.some(({ section }) => section === "arms.staged.delisting"));
    assertNone(readRun(sink.files).plants, ({ kind }) => kind.startsWith("staged"));
    const files = new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
    const found = await replayed(files, { trusting: false });
    assert.equal(told(found), "unauthenticated", found.failure?.message);
  });
});
