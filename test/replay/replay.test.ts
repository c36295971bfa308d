/** Real runs replayed: green as a record, whatever their own verdict was; nothing that changed, or that was hidden, passes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { sha256Hex } from "../../src/core/digest.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { builtInReader } from "../../src/model/built-in.ts";
import { type Family, parseFamily } from "../../src/model/family.ts";
import { type Memory, parseMemory } from "../../src/model/memory.ts";
import { answered, type ReaderSource } from "../../src/model/reader.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import { stageNames } from "../../src/replay/stage.ts";
import { type Earlier, findEarlier } from "../../src/run/earlier-run.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { memorySink } from "../../src/run/sink.ts";
import { caseSetDigest } from "../../src/run/stamp.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, date, familyOf, readerOf, reading, runDaily } from "../support/daily-set.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import { closedRun, type Fields, type Files, forged, replayed, reword, told } from "./operator.ts";

const daily = await dailySet({ days: 16 });
const context = readerContext(daily.set, daily.store);
const builtIn = (name: string, memories: ReadonlyMap<string, Memory> = new Map()) =>
  builtInReader(name, { context, params: {}, temperature: 0, memories });
const verdictIn = (files: Files) =>
  JSON.parse(Buffer.from(files.get("report.json") as Uint8Array).toString("utf8")).result.verdict;

test("replay: every built-in reader without a family is executed again, and every stage passes", async () => {
  for (const name of ["climatology", "persistence", "always:0.25", "question-only"]) {
    const { files } = await closedRun(daily, builtIn(name), { profile: { repeats: 2 } });
    const found = await replayed(files);
    assert.equal(told(found), "verified", found.failure?.message);
    const passed = found.stages.filter(({ state }) => state === "passed").map(({ stage }) => stage);
    assert.deepEqual(
      passed,
      stageNames.filter((stage) => stage !== "state"),
    );
    assert.deepEqual(found.replayed?.arms, { routed: "re-executed" }, name);
    assert.equal(found.replayed?.unanswered, null);
    assert.equal(found.assurance, "self-signed");
    const report = Buffer.from(files.get("report.json") as Uint8Array).toString("utf8");
    assert.equal(found.replayed?.report.bytes, report);
  }
});

test("replay: without a policy a signed run is unauthenticated, and so is an unsigned one, which no policy takes", async () => {
  const signed = await closedRun(daily, builtIn("climatology"));
  const unsigned = await closedRun(daily, builtIn("climatology"), { signed: false });
  for (const [{ files }, assurance] of [
    [signed, null],
    [unsigned, "unsigned"],
  ] as const) {
    const found = await replayed(files, { trusting: false });
    assert.equal(told(found), "unauthenticated", found.failure?.message);
    assert.equal(found.assurance, assurance);
    assert.deepEqual(found.replayed?.arms, { routed: "re-executed" });
  }
  assert.equal(told(await replayed(unsigned.files)), "signature SignatureMissing");
});

test("replay: a reader from outside is scored as it stands, and the verdict says why", async () => {
  const reader = readerOf(async (_asked, tools) => {
    await tools.call("rows", { table: "readings", limit: 3 });
    return { kind: "decline", reason: "no", usage: null };
  });
  const { files } = await closedRun(daily, reader);
  const found = await replayed(files);
  assert.equal(told(found), "verified", found.failure?.message);
  assert.deepEqual(found.replayed?.arms, { routed: "re-scored" });
  const served = found.stages.find(({ stage }) => stage === "re-serve");
  assert.deepEqual(served, {
    stage: "re-serve",
    state: "skipped",
    reason: 'the reader "test" is not built in',
  });
  assert.equal(found.replayed?.unanswered, served?.reason);
});

test("replay: arguments as deep as an entry can hold are recorded, deeper ones are refused as a value, and both replay", async () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
  const said: string[] = [];
  const reader = readerOf(async (_asked, tools) => {
    for (const depth of [62, 63, 64, 65]) {
      const reply = await tools.call("rows", nested(depth));
      if (!reply.ok) said.push(reply.fault.message.slice(0, 30));
    }
    return answered(0.5);
  });
  const { files } = await closedRun(daily, reader);
  assert.equal(told(await replayed(files)), "verified");
  assert.equal(new Set(said).size, 2, "too deep, and no table");
});

test("replay: a reader from outside that has a built-in's name is not taken for it", async () => {
  const { files } = await closedRun(daily, { ...readerOf(() => answered(0.5)), name: "climatology" });
  const renamed = await closedRun(daily, {
    ...readerOf(() => answered(0.5)),
    identity: () => ({ ...builtIn("climatology").identity(null), prompt_digest: "mine" }),
  });
  for (const each of [files, renamed.files]) {
    const found = await replayed(each);
    assert.equal(told(found), "verified", found.failure?.message);
    assert.deepEqual(found.replayed?.arms, { routed: "re-scored" });
  }
});

/** Checkpoint `a` remembers nothing yet, `b` some days; cases are routed to both. */
function recall(lost: string | null = null): {
  reader: ReaderSource;
  family: Family;
  artifacts: Map<string, string>;
} {
  const memory = (days: readonly number[]) =>
    days
      .map(
        (i) =>
          `${canonical({ id: `day-${date(i)}`, outcome: reading(i) > 50 ? 1 : 0, resolved_at: `${date(i + 1)}T00:00:00Z` })}\n`,
      )
      .join("");
  const texts = new Map([
    ["a", memory([])],
    ["b", memory([10, 11, 12, 20, 21])],
  ]);
  const artifact = (snapshot: string) => ({
    file: `${snapshot}.jsonl`,
    sha256: sha256Hex(texts.get(snapshot) as string),
  });
  const checkpoints = [
    { snapshot: "a", posttrain: "2019-06:documented", artifact: artifact("a") },
    { snapshot: "b", posttrain: "2020-01:documented", artifact: artifact("b") },
  ];
  const family = parseFamily({ family: "days", checkpoints }, ".", "family", () => "family");
  const memories = new Map(
    family.checkpoints.map((one) => [
      one.snapshot,
      parseMemory(texts.get(one.snapshot) as string, one.snapshot, one),
    ]),
  );
  const kept = [...texts].filter(([snapshot]) => snapshot !== lost);
  const artifacts = new Map(kept.map(([, text]) => [sha256Hex(text), text]));
  return { reader: builtIn("recall:days", memories), family, artifacts };
}

test("replay: recall is executed again in each arm from the artifacts in the folder, and only where they are there", async () => {
  const long = await dailySet({ days: 50 });
  const whole = recall();
  const { files } = await closedRun(long, whole.reader, { ...whole, profile: { repeats: 2 } });
  const found = await replayed(files);
  assert.equal(told(found), "verified", found.failure?.message);
  assert.deepEqual(found.replayed?.arms, {
    "control:a": "re-executed",
    latest: "re-executed",
    routed: "re-executed",
  });
  const lost = recall("b");
  const partly = await replayed((await closedRun(long, lost.reader, { ...lost })).files);
  assert.equal(told(partly), "verified", partly.failure?.message);
  assert.deepEqual(partly.replayed?.arms, {
    "control:a": "re-executed",
    latest: "re-scored",
    routed: "re-scored",
  });
});

test("replay: a reader that the record cannot make again, because the case set no longer says what it reads, is scored", async () => {
  const run = await closedRun(daily, builtIn("climatology"));
  const files = await forged(run, (draft) => {
    const kept = JSON.parse(draft.loaded.get("caseset.json") as string);
    delete kept.declared.readers;
    const { cases, labels } = daily.set;
    const digest = caseSetDigest({ onDisk: kept.declared, cases, labels }, kept.view);
    kept.digest = digest;
    (draft.manifest["caseset"] as Fields)["digest"] = digest;
    reword(draft, ({ result }) => Object.assign(result["caseset"] as object, { digest }));
    draft.loaded.set("caseset.json", `${canonical(kept)}\n`);
  });
  const found = await replayed(files);
  assert.equal(told(found), "verified", found.failure?.message);
  assert.match(
    found.replayed?.unanswered as string,
    /cannot be made again: KeyMissing: run\/caseset\.json: \/readers/,
  );
});

const onReaderPath = (name: keyof typeof brokenRules) =>
  naiveStore([...daily.store.tables.values()], ({ overlay }) =>
    overlay?.view === "probe" ? honest : brokenRules[name],
  );
const broken = Object.keys(brokenRules).filter((name) =>
  /valid time only|a day late/.test(name),
) as (keyof typeof brokenRules)[];

test("replay: a run through a broken door holds as a record, red as it is; a report that hides it does not", async () => {
  const outside = readerOf(async (_asked, tools) => {
    await tools.call("aggregate", { table: "readings", measure: "mean", column: "value" });
    await tools.call("rows", { table: "readings", limit: 1000 });
    return answered(0.5);
  });
  for (const rule of broken) {
    for (const reader of [builtIn("persistence"), builtIn("climatology"), outside]) {
      const run = await closedRun({ ...daily, store: onReaderPath(rule) }, reader);
      assert.equal(verdictIn(run.files), "red");
      const found = await replayed(run.files);
      assert.equal(told(found), "verified", `${rule}: ${found.failure?.message}`);
      assert.deepEqual(found.replayed?.arms, { routed: reader === outside ? "re-scored" : "re-executed" });
      const hidden = await forged(run, (draft) =>
        reword(draft, ({ result }) => {
          const [first, ...rest] = result["failed_cases"] as Fields[];
          result["failed_cases"] = rest.filter((one) => one["case"] !== first?.["case"]) as Json;
        }),
      );
      const refusal = await replayed(hidden);
      assert.match(told(refusal), /^rules (PlantServed|LeakServed)$/, rule);
      assert.match(refusal.failure?.message as string, /run\/entries\.jsonl:\d+: /);
    }
  }
});

test("replay: a case that the report lists with another rule, or at another step, is hidden all the same", async () => {
  const reads = readerOf(async (_asked, tools) => {
    await tools.call("rows", { table: "readings", limit: 1000 });
    return answered(0.5);
  });
  const run = await closedRun({ ...daily, store: onReaderPath("a day late") }, reads);
  for (const change of [{ rule: "plant-unproven" }, { step: 3 }, { repeat: 1 }, { arm: "latest" }]) {
    const hidden = await forged(run, (draft) =>
      reword(draft, ({ result }) => {
        const failed = result["failed_cases"] as Fields[];
        const first = failed[0]?.["case"];
        result["failed_cases"] = failed.map((one) =>
          one["case"] === first ? { ...one, ...change } : one,
        ) as Json;
      }),
    );
    assert.match(told(await replayed(hidden)), /^rules (PlantServed|LeakServed)$/);
  }
});

test("replay: a run that was cut off and resumed holds, its abandoned attempts in the record", async () => {
  const sink = memorySink();
  const ledger = memoryLedger();
  const abort = new AbortController();
  let calls = 0;
  const climatology = builtIn("climatology");
  const dying: ReaderSource = {
    ...climatology,
    open: (checkpoint) => ({
      answer: async (asked, tools, signal) => {
        if (++calls === 3) abort.abort();
        return await climatology.open(checkpoint).answer(asked, tools, signal);
      },
    }),
  };
  const given = { sink, ledger, concurrency: 1 };
  await assert.rejects(runDaily(daily, dying, { ...given, signal: abort.signal }), Interrupted);
  const journal = sink.files.get("journal.jsonl") as Buffer;
  (sink.files as Map<string, Buffer>).set(
    "journal.jsonl",
    journal.subarray(0, journal.lastIndexOf('{"kind":"answer"') - 900),
  );
  const earlier = (await findEarlier(sink, ledger)) as Earlier;
  await runDaily(daily, climatology, { ...given, earlier });
  const report = JSON.parse((sink.files.get("report.json") as Buffer).toString("utf8"));
  assert.ok(report.evidence.attempts.abandoned > 0, "an attempt was abandoned");
  const found = await replayed(sink.files, { trusting: false });
  assert.equal(told(found), "unauthenticated", found.failure?.message);
  assert.deepEqual(found.replayed?.arms, { routed: "re-executed" });
});

test("replay: arms of a family and repeats from outside hold, with labels late, annulled and missing", async () => {
  const made = await dailySet({
    days: 60,
    label: (i) =>
      i === 12
        ? null
        : i === 13
          ? { outcome: "annulled" }
          : i === 14
            ? { available_time: "2021-01-01T00:00:00Z" }
            : {},
    tags: (i) => [`weekday-${i % 7}`],
    cluster: (i) => `week-${Math.floor(i / 7)}`,
  });
  const family = familyOf(["a", "2019-06:documented"], ["b", "2020-01:documented"]);
  const reader = readerOf(async (asked, tools, snapshot) => {
    await tools.call("rows", { table: "readings", limit: snapshot === "a" ? 400 : 3 });
    await tools.call("search", { q: asked.id });
    return asked.repeat === 1
      ? { kind: "fault", class: "timeout", message: "late", usage: null }
      : answered(0.3);
  }, family);
  const { files } = await closedRun(made, reader, { family, profile: { repeats: 2 }, concurrency: 8 });
  const found = await replayed(files);
  assert.equal(told(found), "verified", found.failure?.message);
  assert.deepEqual(Object.keys(found.replayed?.arms ?? {}), ["control:a", "latest", "routed"]);
  assertEvery(Object.values(found.replayed?.arms ?? {}), (how) => how === "re-scored");
});
