/** Verdicts made again: a floor judge's and a model's that the record bears out pass, one that it does not is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backtest } from "../../src/backtest.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import { digestOf } from "../../src/core/digest.ts";
import { floorJudge } from "../../src/model/floor-judge.ts";
import type { Judge, Judgement } from "../../src/model/judge.ts";
import { answered, noUsage } from "../../src/model/reader.ts";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { replay } from "../../src/replay/replay.ts";
import { knownEntities } from "../../src/run/known-entities.ts";
import { leakJudging } from "../../src/run/leak-items.ts";
import { memorySink } from "../../src/run/sink.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { dailyInputs, readerOf } from "../support/daily-set.ts";
import { northgate } from "../support/northgate.ts";
import { readRun } from "../support/read-run.ts";

const set = loadCaseSet(northgate, "casesets/northgate-ferries") as CaseSet;
const CASES = 6;
const folders = { folder: northgate, workingFolder: northgate, ownFolder: northgate };
const store = await loadStore(set, { ...folders, cache: null, fetch: null });
const entities = knownEntities(set, store);
const floor = floorJudge({ names: entities.find, digest: entities.digest, zone: set.zone });

const reader = readerOf(async (asked, tools) => {
  await tools.call("search", { query: asked.question, k: 5 });
  return answered(0.5);
});

async function runWith(judge: Judge) {
  const sink = memorySink();
  const [, selection, checks, world] = dailyInputs({ set, store }, reader, {
    sink,
    profile: { judge: "floor", query_findings: "list" },
  });
  const judging = leakJudging(judge, store);
  const options = { ...selection.options, limit: CASES };
  const { report } = await backtest(set, { ...selection, options, entities }, checks, { ...world, judging });
  return { report, sink };
}

async function replayed(judge: Judge) {
  const { report, sink } = await runWith(judge);
  const { fault, replayed: again } = (await replay(memoryBundle(sink.files, "run"), {
    policy: null,
  })) as unknown as {
    fault?: { stage: string; error: { code: string; message: string } };
    replayed: { report: { reportDigest: string } } | null;
  };
  return { report, sink, again, fault };
}

/** The floor's verdicts but for the n-th, under its name. */
function lyingOnce(nth: number, lie: Judgement): Judge {
  let asked = 0;
  return {
    identity: floor.identity,
    judge: async (item, opening) => (asked++ === nth ? lie : floor.judge(item, opening)),
  };
}
const verdict = (value: 0 | 4, rationale: string): Judgement => ({
  kind: "verdict",
  verdict: { scored: true, value, rationale },
  usage: noUsage,
});

/** A model whose reply is recorded, and whose verdict is what it is told to say of it. */
const modelled = (reply: string, judgement: Judgement): Judge => ({
  identity: { ...floor.identity, name: "http:endpoint", snapshot: "m-1" },
  judge: async (_item, opening) => {
    const completion = { choices: [{ message: { content: reply }, finish_reason: "stop" }], model: "m-1" };
    opening.record({
      name: "endpoint",
      model: "m-1",
      served: "m-1",
      request: digestOf("asked"),
      reply: JSON.stringify(completion),
      status: 200,
      class: null,
      retries: [],
      cached: false,
      usage: { ...noUsage, model_calls: 1, retries: 0 },
      ms: 1,
    });
    return judgement;
  },
});

describe("verdicts again", () => {
  it("the floor judge's follow from documents, cases and entities of the record", async () => {
    const { report, sink, again, fault } = await replayed(floor);
    const judged = readRun(sink.files).entries.filter(({ kind }) => kind === "judge");
    assert.ok(judged.length >= CASES, "documents were judged");
    assert.equal(fault, undefined);
    assert.equal(again?.report.reportDigest, report.reportDigest);
  });

  it("a floor judge that lied once is found out, at its entry, with both verdicts", async () => {
    const { again, sink } = await replayed(lyingOnce(7, verdict(4, "because")));
    assert.equal(again, null);
    const found = await replay(memoryBundle(sink.files, "run"), { policy: null });
    const text = JSON.stringify(found);
    assert.match(text, /JudgementMismatch/);
    assert.match(text, /4: because/);
  });

  it("a model's verdict is the one of its recorded reply", async () => {
    const honest = await replayed(modelled('{"value":0,"rationale":"old"}', verdict(0, "old")));
    assert.equal(honest.again?.report.reportDigest, honest.report.reportDigest);
    const { sink, again } = await replayed(
      modelled('{"value":4,"rationale":"states it"}', verdict(0, "old")),
    );
    assert.equal(again, null);
    assert.match(
      JSON.stringify(await replay(memoryBundle(sink.files, "run"), { policy: null })),
      /JudgementMismatch.*the record says 0: old; what it holds gives 4: states it/,
    );
  });
});
