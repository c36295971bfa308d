/** Judging: recorded behind the answer it judges, resumed where it stopped, unscored where it failed, replayed as it stands. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backtest } from "../../src/backtest.ts";
import type { Digest } from "../../src/core/digest.ts";
import { digestOf } from "../../src/core/digest.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import type { Judge, Judgement } from "../../src/model/judge.ts";
import {
  answered,
  type ModelCall,
  noUsage,
  type ReaderIdentity,
  type ServedRow,
} from "../../src/model/reader.ts";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { replay } from "../../src/replay/replay.ts";
import { type Earlier, findEarlier } from "../../src/run/earlier-run.ts";
import type { JudgeEntry } from "../../src/run/entry.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import type { Judging } from "../../src/run/judging.ts";
import { memorySink } from "../../src/run/sink.ts";
import { assertEvery } from "../support/all.ts";
import { dailyInputs, dailySet, type RunOptions, readerOf } from "../support/daily-set.ts";
import { readRun } from "../support/read-run.ts";

const daily = await dailySet({ days: 18, from: 10 });
const reader = readerOf(async (_asked, tools) => {
  await tools.call("rows", { table: "readings", order: ["-date"], limit: 2 });
  return answered(0.25);
});
const identity: ReaderIdentity = {
  name: "judge",
  snapshot: "j-1",
  pretrain_cutoff: "2019-01:documented",
  posttrain_cutoff: "2019-06:documented",
  temperature: 0,
  prompt_digest: digestOf("rubric"),
  uses_tools: false,
  params: {},
};
const call: ModelCall = {
  name: "bench",
  model: "j-1",
  served: "j-1",
  request: digestOf("asked"),
  reply: '{"value":0}',
  status: 200,
  class: null,
  retries: [],
  cached: false,
  usage: { ...noUsage, input_tokens: 7, output_tokens: 1, model_calls: 1, retries: 0 },
  ms: 1,
};
const zero: Judgement = {
  kind: "verdict",
  verdict: { scored: true, value: 0, rationale: null },
  usage: noUsage,
};

/** Every row that the attempt was served is an item. */
function judgingBy(verdict: (ref: string, nth: number) => Judgement): Judging & { readonly asked: string[] } {
  const asked: string[] = [];
  const judge: Judge = {
    identity,
    judge: async ({ document }, opening) => {
      const why = opening.refusal();
      if (why !== null) return { kind: "fault", class: "budget", message: why, usage: null };
      asked.push(document.ref);
      opening.record(call);
      return verdict(document.ref, asked.length);
    },
  };
  const items: Judging["items"] = (item, attempt, body) =>
    attempt
      .flatMap((entry) => (entry.kind === "tool" ? rowsOf(body, entry.result) : []))
      .map((document) => ({
        dimension: "leak",
        document,
        question: item.question,
        subject: item.subject,
        reference_answer: "below 50",
        horizon: String(item.horizon),
      }));
  return { judge, items, asked };
}
const rowsOf = (body: (digest: Digest) => unknown, digest: Digest) =>
  (body(digest) as { rows: readonly ServedRow[] }).rows;

const run = (judging: Judging | undefined, options: RunOptions) => {
  const [set, selection, checks, world] = dailyInputs(daily, reader, options);
  return backtest(set, selection, checks, judging === undefined ? world : { ...world, judging });
};

describe("a judge", () => {
  it("is asked once an item, behind the answer; its calls, verdicts and identity are in the record", async () => {
    const sink = memorySink();
    const judging = judgingBy((_ref, nth) =>
      nth === 3
        ? { kind: "verdict", verdict: { scored: false, why: "invalid_reply" }, usage: noUsage }
        : zero,
    );
    const { report } = await run(judging, { sink });
    const { entries, body } = readRun(sink.files);
    const cases = daily.set.cases.length;
    const judged = entries.filter((entry): entry is typeof entry & JudgeEntry => entry.kind === "judge");
    assert.equal(judged.length, 2 * cases);
    assert.deepEqual(
      judged.map(({ value }) => value).filter((value) => value === null),
      [null],
    );
    assertEvery(judged, ({ result }) => body(result) === '{"reply":"{\\"value\\":0}"}');
    const kinds = entries.filter((entry) => entry.case === daily.set.cases[0]?.id).map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(-5), ["tool", "answer", "judge", "judge", "end"]);
    const { stamp } = report.result as unknown as { stamp: { judge: unknown } };
    assert.deepEqual(stamp.judge, identity);
    const { judges, usage } = report.evidence as unknown as {
      judges: { calls: number };
      usage: { input_tokens: number };
    };
    assert.deepEqual([judges.calls, usage.input_tokens], [2 * cases, 14 * cases]);
    const replayed = await replay(memoryBundle(sink.files, "run"), { policy: null });
    assert.equal(replayed.failure, null);
    assert.equal(replayed.replayed?.report.reportDigest, report.reportDigest);
  });

  it("that fails leaves its item unscored, and the answer as it was", async () => {
    const sink = memorySink();
    const fails: Judgement = {
      kind: "fault",
      class: "transport",
      message: "the connection was cut",
      usage: null,
    };
    const { report } = await run(
      judgingBy(() => fails),
      { sink },
    );
    const { entries } = readRun(sink.files);
    const judged = entries.filter((entry): entry is typeof entry & JudgeEntry => entry.kind === "judge");
    assertEvery(
      judged,
      ({ value, reason }) => value === null && reason === "transport: the connection was cut",
    );
    const plain = await run(undefined, {});
    const brier = (one: typeof report) => (one.result as unknown as { headline: object }).headline;
    assert.deepEqual(brier(report), brier(plain.report));
  });

  it("is not asked again about what it judged before the run stopped, nor is an answer", async () => {
    const whole = await run(
      judgingBy(() => zero),
      { concurrency: 1 },
    );
    const sink = memorySink();
    const ledger = memoryLedger();
    const first = judgingBy(() => zero);
    const budget = { profile: { budget: { model_calls: 5 } }, concurrency: 1, sink, ledger };
    await assert.rejects(run(first, budget), Interrupted);
    assert.equal(first.asked.length, 5);
    const earlier = (await findEarlier(sink, ledger)) as Earlier;
    const rest = judgingBy(() => zero);
    const { report } = await run(rest, { concurrency: 1, sink, ledger, earlier });
    assert.equal(report.resultDigest, whole.report.resultDigest);
    assert.equal(first.asked.length + rest.asked.length, 2 * daily.set.cases.length);
    const { entries } = readRun(sink.files);
    assertEvery(entries, ({ attempt }) => attempt === 0);
    const { failure } = await replay(memoryBundle(sink.files, "run"), { policy: null });
    assert.equal(failure, null);
  });

  it("before an answer is no run's: a record that says so does not replay", async () => {
    const sink = memorySink();
    await run(
      judgingBy(() => zero),
      { sink },
    );
    const { failure } = await replay(memoryBundle(sink.files, "run"), { policy: null });
    assert.equal(failure, null);
    const files = new Map(sink.files);
    const lines = (files.get("entries.jsonl") as Buffer).toString("utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"kind":"judge"'));
    [lines[at - 1], lines[at]] = [lines[at] as string, lines[at - 1] as string];
    files.set("entries.jsonl", Buffer.from(lines.join("\n")));
    const broken = await replay(memoryBundle(files, "run"), { policy: null });
    assert.ok(broken.failure !== null);
  });
});
