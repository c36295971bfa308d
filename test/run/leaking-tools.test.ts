/** Tools that leak in what they say, and in no available time: documents with a lawful date that tell what came later. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backtest } from "../../src/backtest.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import { formatDay, formatInstant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { floorJudge } from "../../src/model/floor-judge.ts";
import { answered } from "../../src/model/reader.ts";
import { knownEntities } from "../../src/run/known-entities.ts";
import { leakJudging } from "../../src/run/leak-items.ts";
import { memorySink } from "../../src/run/sink.ts";
import { replyText, type Store } from "../../src/store/door.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { assertEvery } from "../support/all.ts";
import { dailyInputs, readerOf } from "../support/daily-set.ts";
import { northgate } from "../support/northgate.ts";

const set = loadCaseSet(northgate, "casesets/northgate-ferries") as CaseSet;
const folders = { folder: northgate, workingFolder: northgate, ownFolder: northgate };
const sound = await loadStore(set, { ...folders, cache: null, fetch: null });
const entities = knownEntities(set, sound);
const judge = floorJudge({ names: entities.find, digest: entities.digest, zone: set.zone });
const CASES = 12;

/** A store whose searches find a summary beside the documents, for readers; for the engine's probes and judge it is sound. */
function summarising(textOf: (subject: string, later: string) => string): Store {
  return {
    ...sound,
    open(request) {
      const door = sound.open(request);
      const item = set.cases.find(({ id }) => id === request.caseId);
      if (request.subject !== "test" || item === undefined) return door;
      const later = formatDay(Math.floor(item.horizon / MICROS_PER_DAY) + 9);
      const text = textOf(item.subject?.entity as string, later);
      const row = { available_at: formatInstant(item.horizon), body: { id: "s", text }, ref: "notes#s" };
      return {
        ...door,
        call(tool, args) {
          const reply = door.call(tool, args);
          if (tool !== "search" || !reply.ok) return reply;
          const { rows, ...rest } = JSON.parse(replyText(reply)) as { rows: object[] };
          return { ...reply, rows: null, text: () => JSON.stringify({ rows: [row, ...rows], ...rest }) };
        },
      };
    },
  };
}

/** The searches look for words that no other document has, so that the summary is all that they find. */
const reader = readerOf(async (_asked, tools) => {
  await tools.call("rows", { table: "routes", limit: 1 });
  await tools.call("search", { query: "zzzz" });
  return answered(0.5);
});

async function failuresOf(store: Store, leakage: object) {
  const [, selection, checks, world] = dailyInputs({ set, store }, reader, {
    sink: memorySink(),
    profile: { judge: "floor", leakage },
  });
  const options = { ...selection.options, limit: CASES };
  const judging = leakJudging(judge, store);
  const { report, plan } = await backtest(set, { ...selection, options, entities }, checks, {
    ...world,
    judging,
  });
  const { failed_cases: failed, verdict } = report.result as unknown as {
    failed_cases: { case: string; rule: string; call: string; step: number; detail: string }[];
    verdict: string;
  };
  return { failed, verdict, ids: plan.cases.map(({ id }) => id), cases: plan.cases };
}

describe("a tool that leaks", () => {
  it("a summary that gives the subject a value at a later date fails each case, at the search that served it", async () => {
    const store = summarising((subject, later) => `${subject}: delayed, as of ${later}.`);
    const { failed, verdict, ids, cases } = await failuresOf(store, { leak_threshold: 4 });
    assert.equal(verdict, "red");
    const promised = cases.filter(({ subject }) => subject?.values !== "number").map(({ id }) => id);
    assert.ok(promised.length >= 5 && ids.length === CASES);
    assert.deepEqual(
      failed.filter(({ detail }) => detail.includes("delayed")).map((one) => one.case),
      promised,
    );
    assertEvery(
      failed,
      ({ rule, call, detail }) =>
        rule === "leak-threshold" &&
        call === 'search {"query":"zzzz"}' &&
        detail.startsWith("notes#s scored 4"),
    );
  });

  it("a summary that only bears a later date scores 1, and fails the cases whose threshold is that low", async () => {
    const store = summarising((_subject, later) => `Collected from several pages; last seen ${later}.`);
    const { failed, cases } = await failuresOf(store, { leak_threshold: 1 });
    const low = cases.filter(({ leakThreshold }) => leakThreshold === null).map(({ id }) => id);
    assert.ok(low.length > 0 && low.length < cases.length, "some cases have a threshold of their own");
    assert.deepEqual(
      failed.map((one) => one.case),
      low,
    );
    assertEvery(failed, ({ detail }) => detail.startsWith("notes#s scored 1, at or above the threshold 1"));
  });

  it("no figure is made of a document's text: a group, a least or a greatest would show what nobody judges", () => {
    const [item] = set.cases;
    assert.ok(item !== undefined);
    const door = sound.open({
      caseId: item.id,
      horizon: item.horizon,
      tables: ["notes"],
      overlay: null,
      subject: "t",
    });
    const asked = (args: object) => door.call("aggregate", { table: "notes", ...args });
    assertEvery(
      [
        { measure: "count", by: ["text"] },
        { measure: "count", by: ["published", "title"] },
        { measure: "max", column: "text" },
        { measure: "min", column: "title" },
      ],
      (args) => {
        const reply = asked(args);
        return !reply.ok && /is a text of documents/.test(reply.fault.message);
      },
    );
    assertEvery(
      [
        { measure: "count", column: "text" },
        { measure: "max", column: "published" },
      ],
      (args) => asked(args).ok,
    );
  });

  it("the same searches of a sound store fail nothing", async () => {
    const { failed, verdict } = await failuresOf(sound, { leak_threshold: 1 });
    assert.deepEqual([failed, verdict], [[], "green"]);
  });
});
