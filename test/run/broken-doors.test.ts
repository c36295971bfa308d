/** Doors that are broken in one way each: proven wrong before anything runs, or caught in the record of the run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { type Attempt, answered, type Tools } from "../../src/model/reader.ts";
import type { Report } from "../../src/report/build-report.ts";
import { renderText } from "../../src/report/render-text.ts";
import { digestsServed } from "../../src/run/probe.ts";
import { memorySink } from "../../src/run/sink.ts";
import type { OpenRequest, Store } from "../../src/store/door.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { dailySet, date, readerOf, runDaily } from "../support/daily-set.ts";
import { brokenRules, honest, naiveStore, ofAllTime } from "../support/naive-store.ts";
import type { Rule } from "../support/naive-versions.ts";
import { readRun } from "../support/read-run.ts";

type Failed = { readonly case: string; readonly rule: string; readonly call: string; readonly step: number };
type Result = {
  readonly verdict: string;
  readonly failed_cases: readonly Failed[];
  readonly plants: Readonly<Record<string, number>>;
  readonly tally: { readonly answered: number; readonly faults: Readonly<Record<string, number>> };
};

const daily = await dailySet();
const cases = daily.set.cases.map((item) => item.id);

const storeOf = (ruleOf: (request: OpenRequest) => Rule): Store =>
  naiveStore([...daily.store.tables.values()], ruleOf);
const everywhere = (rule: Rule) => storeOf(() => rule);
/** Sound for the engine's probes, broken for all other doors. */
const onReaderPath = (rule: Rule) => storeOf(({ overlay }) => (overlay?.view === "probe" ? honest : rule));

const readAll = { table: "readings", limit: 1000 };
const reads =
  (tool: string, args: Json) =>
  async (_asked: object, tools: Tools): Promise<Attempt> => {
    await tools.call(tool, args);
    return answered(0.5);
  };

async function run(store: Store, answer: Parameters<typeof readerOf>[0], set = daily.set) {
  const sink = memorySink();
  const { report, outcomes } = await runDaily({ set, store }, readerOf(answer), { sink });
  const result = report.result as unknown as Result;
  const inReach = (report.evidence as unknown as { plants: { in_reach: number } }).plants.in_reach;
  return { result, inReach, report, outcomes, record: readRun(sink.files) };
}

const printed = (report: Report) => renderText(report, report.reportDigest, (text) => text);

for (const [name, rule] of Object.entries<Rule>(brokenRules)) {
  test(`a door that is broken everywhere never starts: ${name}`, async () => {
    const sink = memorySink();
    const opened: string[] = [];
    const reader = readerOf(() => {
      opened.push("reader");
      return answered(0.5);
    });
    await assert.rejects(runDaily({ set: daily.set, store: everywhere(rule) }, reader, { sink }), (error) => {
      assert.ok(isRefusal(error, "EvalPlantUnproven"));
      const { probe, found } = error.details;
      assert.match(
        probe,
        /^case day-2020-01-11: table readings: (presence|absence) of (the row behind )?the (past|revision|new-key) plant/,
      );
      assert.match(found, /^\{"rows":\[/);
      assert.ok(error.message.includes(found));
      return true;
    });
    assert.deepEqual([...sink.files.keys()], []);
    assert.deepEqual(opened, []);
  });
}

for (const name of ["valid time only", "a day late", "newest version, then bounded"] as const) {
  test(`a door that is broken for readers alone fails each case that meets it: ${name}`, async () => {
    const looking = new Set(cases.filter((_id, i) => i % 3 === 0));
    const { result, record } = await run(onReaderPath(brokenRules[name]), async (asked, tools) => {
      if (looking.has(asked.id)) await tools.call("rows", readAll);
      return answered(0.5);
    });
    assert.equal(result.verdict, "red");
    const failed = new Set(result.failed_cases.map((failure) => failure.case));
    assert.deepEqual(failed, looking);
    const rules =
      name === "newest version, then bounded" ? ["plant-shows"] : ["plant-served", "row-after-horizon"];
    assertEvery(
      result.failed_cases,
      ({ rule, call }) => rules.includes(rule) && call === 'rows {"limit":1000,"table":"readings"}',
    );
    assert.equal(result.plants["proven"], cases.length);
    const served = new Set(
      result.failed_cases.flatMap((one) => (one.rule.startsWith("plant") ? [one.case] : [])),
    );
    assert.equal(result.plants["served"], served.size);
    assert.ok(served.size > 0);
    // The call that met it is on the record, and the attempt is an abort, never an answer.
    assertEvery(result.failed_cases, ({ case: id, step }) =>
      record.entries.some((entry) => entry.case === id && entry.step === step && entry.kind === "tool"),
    );
    assert.deepEqual(result.tally.faults, { aborted: looking.size });
    assert.equal(result.tally.answered, cases.length - looking.size);
  });
}

test("a violation latches: swallowed, it is thrown again at each later call, and the case fails though answered", async () => {
  const thrown: string[] = [];
  const { result, record } = await run(onReaderPath(brokenRules["a day late"]), async (_asked, tools) => {
    for (const args of [readAll, { table: "readings", limit: 1 }, readAll]) {
      try {
        await tools.call("rows", args);
      } catch (error) {
        thrown.push((error as Error).name);
      }
    }
    return answered(1);
  });
  assert.equal(thrown.length, 3 * cases.length);
  assertEvery(thrown, (name) => name === "BoundViolation");
  assert.equal(result.tally.answered, cases.length);
  assert.deepEqual(new Set(result.failed_cases.map((failure) => failure.case)), new Set(cases));
  assert.equal(record.entries.filter((entry) => entry.kind === "tool").length, cases.length);
});

/** A day late, but with none of the plants. */
const sparing: Rule = (versions, asOf, forward, fits) => {
  const real = versions.filter((version) => version.plant === null);
  return brokenRules["a day late"](real, asOf, forward, fits);
};

test("a door that serves real rows too early, but none of the plants, is caught by their available times", async () => {
  const { result } = await run(onReaderPath(sparing), reads("rows", readAll));
  assert.deepEqual(new Set(result.failed_cases.map((failure) => failure.case)), new Set(cases));
  assertEvery(result.failed_cases, ({ rule }) => rule === "row-after-horizon");
  assert.deepEqual([result.plants["served"], result.verdict], [0, "red"]);
});

test("a reader that only aggregates is caught by the plants that its answer was made from", async () => {
  const mean = { table: "readings", measure: "mean", column: "value" };
  const { result, record } = await run(
    onReaderPath(brokenRules["valid time only"]),
    reads("aggregate", mean),
  );
  assert.equal(result.verdict, "red");
  assertEvery(cases, (id) => result.failed_cases.some((failure) => failure.case === id));
  assertEvery(
    result.failed_cases,
    ({ rule, call }) => (rule === "plant-served" || rule === "plant-shows") && call.startsWith("aggregate {"),
  );
  assertEvery(
    record.entries.filter((entry) => entry.kind === "tool"),
    (entry) => entry.unplanted !== entry.result,
  );
});

test("provenance decides: an answer made from a plant fails though it is the same as without", async () => {
  const revised = (id: string) =>
    date(Math.round((Date.parse(id.slice(4)) - Date.parse(date(0))) / 86_400_000) - 2);
  const counted: string[] = [];
  const { result, record } = await run(onReaderPath(brokenRules["valid time only"]), async (asked, tools) => {
    const call = { table: "readings", measure: "count", where: { date: revised(asked.id) } };
    try {
      await tools.call("aggregate", call);
    } catch {
      counted.push(asked.id);
    }
    return answered(0.5);
  });
  const calls = record.entries.filter((entry) => entry.kind === "tool");
  assertEvery(calls, (entry) => entry.unplanted === entry.result && entry.planted === 1);
  assert.deepEqual(counted.length, cases.length);
  assertEvery(cases, (id) =>
    result.failed_cases.some((failure) => failure.case === id && failure.rule === "plant-served"),
  );
});

/** Each day has a page in the log, longer than the one before, which is known a day later. */
const logged = await dailySet({ note: (i) => `page p${i} of the log${" and rain".repeat(i)}` });
const loggedStore = (ruleOf: (request: OpenRequest) => Rule, countedBy = ruleOf): Store =>
  naiveStore([...logged.store.tables.values()], ruleOf, countedBy);
const forReaders = (rule: Rule) => (request: OpenRequest) =>
  request.overlay?.view === "probe" ? honest : rule;
const pageOf = (id: string): string =>
  `p${Math.round((Date.parse(id.slice(4)) - Date.parse(date(0))) / 86_400_000)}`;

test("a later page served by search fails its case and names the call; sound doors find none", async () => {
  const late = loggedStore(forReaders(sparing));
  const looking = new Set(cases.filter((_id, i) => i % 2 === 0));
  const answer = async (asked: { id: string }, tools: Tools): Promise<Attempt> => {
    if (looking.has(asked.id)) await tools.call("search", { query: pageOf(asked.id) });
    return answered(0.5);
  };
  const broken = await run(late, answer, logged.set);
  assert.equal(broken.result.verdict, "red");
  assert.deepEqual(new Set(broken.result.failed_cases.map((failure) => failure.case)), looking);
  assertEvery(
    broken.result.failed_cases,
    ({ case: id, rule, call }) => rule === "row-after-horizon" && call === `search {"query":"${pageOf(id)}"}`,
  );
  for (const store of [logged.store, loggedStore(() => honest)]) {
    const { result, record } = await run(store, answer, logged.set);
    assert.equal(result.verdict, "green");
    const calls = record.entries.filter((entry) => entry.kind === "tool");
    assertEvery(calls, (entry) => record.body(entry.result) === '{"rows":[],"scores":[]}');
  }
});

test("scores moved by later documents fail the case and name the call, though every row was known", async () => {
  const call = { k: 3, query: "page log" };
  const searches = reads("search", call);
  const moved = loggedStore(() => honest, forReaders(ofAllTime));
  const broken = await run(moved, searches, logged.set);
  const sound = await run(logged.store, searches, logged.set);
  const bodies = ({ record }: typeof sound) =>
    record.entries.flatMap((entry) =>
      entry.kind === "tool" ? [JSON.parse(record.body(entry.result)) as { rows: Json; scores: Json }] : [],
    );
  const [theirs, ours] = [bodies(broken), bodies(sound)];
  assert.equal(theirs.length, cases.length);
  assertEvery(theirs, ({ rows, scores }, i) => {
    assert.deepEqual(rows, ours[i]?.rows);
    return canonical(scores) !== canonical(ours[i]?.scores ?? null);
  });
  assert.deepEqual([sound.result.verdict, broken.result.verdict], ["green", "red"]);
  assert.deepEqual(new Set(broken.result.failed_cases.map((failure) => failure.case)), new Set(cases));
  assertEvery(
    broken.result.failed_cases,
    (failure) => failure.rule === "plant-shows" && failure.call === `search ${canonical(call)}`,
  );
});

test("a search is in reach of the plants of the tables that it searches, where it finds anything", async () => {
  const reach = async (...calls: Json[]) => {
    const answer = async (_asked: object, tools: Tools) => {
      for (const args of calls) await tools.call("search", args);
      return answered(0.5);
    };
    return (await run(logged.store, answer, logged.set)).inReach;
  };
  assert.equal(await reach({ query: "page" }), cases.length);
  assert.equal(await reach({ query: "page", tables: ["readings"] }), cases.length);
  assert.equal(await reach({ query: "nowhere" }, { query: "page", tables: ["other"] }, { query: "—" }), 0);
});

test("an honest door: green, each pair proven, no plant served, and the calls in reach are counted", async () => {
  for (const store of [daily.store, everywhere(honest)]) {
    const { result, inReach, record } = await run(store, reads("rows", readAll));
    assert.equal(result.verdict, "green");
    assert.deepEqual(result.failed_cases, []);
    const { future, past, proven, served } = result.plants;
    assert.deepEqual([future, past, proven, served], [cases.length, cases.length, cases.length, 0]);
    assert.equal(inReach, cases.length);
    // Presence before absence: the probes hold each plant, the reader's answers hold none.
    const digests = new Set(record.plants.map((plant) => plant.digest));
    const bodies = (kind: string) =>
      record.entries.flatMap((entry) =>
        entry.kind === kind && "result" in entry ? [record.body(entry.result)] : [],
      );
    const probed = bodies("probe").flatMap((text) =>
      (JSON.parse(text) as { reply: Json }[]).flatMap(({ reply }) => digestsServed(canonical(reply))),
    );
    assertEvery(digests, (digest) => probed.includes(digest));
    assertNone(bodies("tool").flatMap(digestsServed), (digest) => digests.has(digest));
    assertEvery(
      record.entries.filter((entry) => entry.kind === "tool"),
      (entry) => entry.unplanted === entry.result,
    );
  }
});

test("a reader that reads nothing, or only what no plant can touch, has nothing in reach", async () => {
  const nothing = await run(daily.store, () => answered(0.5));
  assert.deepEqual(
    [nothing.inReach, nothing.result.plants["served"], nothing.result.verdict],
    [0, 0, "green"],
  );
  assert.equal(nothing.result.plants["proven"], cases.length);
  assert.match(printed(nothing.report), /not\s+exercised/);
  const first = await run(daily.store, reads("rows", { table: "readings", where: { date: "2020-01-01" } }));
  assert.equal(first.inReach, 0);
  const last = await run(daily.store, reads("rows", { table: "readings", order: ["-date"], limit: 1 }));
  assert.equal(last.inReach, cases.length);
  assert.doesNotMatch(printed(last.report), /not\s+exercised/);
});

test("arguments of any kind are answered with faults, recorded, and the case goes on", async () => {
  const odd: Json[] = [
    null,
    "rows",
    [],
    { table: 7 },
    { table: "other" },
    { table: "readings", limit: 10_001 },
  ];
  const { result, record } = await run(daily.store, async (_asked, tools) => {
    for (const args of [...odd, undefined, Number.NaN, { a: "\ud800" }, { table: "x".repeat(40_000) }]) {
      const reply = await tools.call("rows", args as Json);
      assert.ok(!reply.ok);
      assert.equal(reply.fault.class, "bad_request");
    }
    const wrongly = await tools.call("rows", { table: "readings", limit: `a${"😀".repeat(200)}` });
    assert.ok(!wrongly.ok);
    assert.ok(!(await tools.call("search", { table: "readings" })).ok);
    return answered(0.5);
  });
  assert.equal(result.verdict, "green");
  assert.equal(
    record.entries.filter((entry) => entry.kind === "tool").length,
    cases.length * (odd.length + 6),
  );
});
