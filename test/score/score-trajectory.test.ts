/** Scoring sees the record alone: a record that was honest scores, and each way of breaking it fails its case by name. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
import type { Entry } from "../../src/run/entry.ts";
import type { Trajectory } from "../../src/run/record.ts";
import { memorySink } from "../../src/run/sink.ts";
import { scoreTrajectory } from "../../src/score/score-trajectory.ts";
import { dailySet, date, readerOf, runDaily } from "../support/daily-set.ts";
import { noRules } from "../support/no-rules.ts";
import { type ReadRun, readRun } from "../support/read-run.ts";

const settled = { state: "settled", outcome: 1, resolvedAt: 0 as never } as const;
let item: ForecastCase;
let honest: Trajectory;
let run: ReadRun;

before(async () => {
  const sink = memorySink();
  const reader = readerOf(async (_, tools) => {
    await tools.call("rows", { table: "readings", limit: 5 });
    await tools.call("aggregate", { table: "readings", measure: "mean", column: "value" });
    return { kind: "answer", probability: 0.25, usage: null };
  });
  const { plan } = await runDaily(await dailySet(), reader, { sink });
  run = readRun(sink.files);
  item = plan.cases[3] as ForecastCase;
  honest = {
    caseIndex: 3,
    arm: "routed",
    repeat: 0,
    entries: run.entries.filter((entry) => entry.case === item.id),
    plants: run.plants.filter((plant) => plant.case === item.id),
    staged: [],
    body: (digest) => JSON.parse(run.body(digest)),
  };
});

const score = (change: Partial<Trajectory>) =>
  scoreTrajectory(item, settled, { ...honest, ...change }, noRules);
const rules = (change: Partial<Trajectory>) => score(change).failures.map((failure) => failure.rule);
const changed = (kind: string, change: (entry: Entry) => object) =>
  honest.entries.map((entry) => (entry.kind === kind ? ({ ...entry, ...change(entry) } as Entry) : entry));

describe("an honest trajectory", () => {
  it("has two probes, two calls, an answer and an end, and no failure", () => {
    assert.deepEqual(
      honest.entries.map((entry) => entry.kind),
      ["probe", "probe", "tool", "tool", "answer", "end"],
    );
    const found = score({});
    assert.deepEqual(found.failures, []);
    assert.equal(found.brier, 0.5625);
    assert.deepEqual([found.plants.tables, found.plants.proven, found.plants.served], [1, 1, 0]);
    assert.ok(found.plants.inReach >= 1);
  });
});

describe("trajectory-check", () => {
  it("fails a call without one of the bound's attributes, naming it", () => {
    for (const name of ["case", "horizon", "as_of", "view"]) {
      const entries = changed("tool", () => ({ [name]: undefined }));
      const found = score({ entries: entries.map((entry) => entry) }).failures;
      assert.equal(found[0]?.rule, "bound-missing", name);
      assert.match(found[0]?.detail as string, new RegExp(name));
      assert.match(found[0]?.call as string, /^rows \{/);
    }
  });

  it("fails an as_of that is not the horizon on a call or an answer, and allows it on a probe", () => {
    const later = { as_of: `${date(30)}T00:00:00Z` };
    assert.deepEqual(rules({ entries: changed("tool", () => later) }), ["bound-as-of", "bound-as-of"]);
    assert.deepEqual(rules({ entries: changed("answer", () => later) }), ["bound-as-of"]);
    assert.deepEqual(rules({ entries: changed("probe", () => later) }), []);
  });

  it("fails another case's entry, a later horizon in the entries, and a torn end", () => {
    assert.deepEqual(rules({ entries: changed("answer", () => ({ case: "other" })) }), ["bound-case"]);
    const late = `${date(30)}T00:00:00Z`;
    const entries = honest.entries.map((entry) => ({ ...entry, horizon: late, as_of: late }));
    assert.ok(rules({ entries }).includes("bound-horizon"));
    assert.deepEqual(rules({ entries: honest.entries.slice(0, -1) }), ["trajectory-end"]);
    assert.deepEqual(rules({ entries: honest.entries.filter((entry) => entry.step !== 3) }), [
      "trajectory-end",
    ]);
  });
});

describe("plants on the record", () => {
  const withBody = (kind: string, change: (text: string) => string) => ({
    entries: changed(kind, () => ({})),
    body: (digest: string) => {
      const entry = honest.entries.find(
        (one) => (one.kind === "tool" || one.kind === "probe") && one.result === digest,
      );
      return JSON.parse(entry?.kind === kind ? change(run.body(digest)) : run.body(digest));
    },
  });
  const plantText = (kind: string) => {
    const probe = honest.entries.find((entry) => entry.kind === "probe" && entry.name === "presence");
    const replies = JSON.parse(run.body((probe as Entry & { kind: "probe" }).result));
    return JSON.stringify(replies.find((reply: { kind: string }) => reply.kind === kind).reply.rows[0]);
  };

  it("a served revision or new key fails the case and names the call", () => {
    for (const kind of ["revision", "new-key"]) {
      const found = score(
        withBody("tool", (text) => text.replace('{"rows":[', `{"rows":[${plantText(kind)},`)),
      );
      assert.deepEqual([...new Set(found.failures.map((failure) => failure.rule))], ["plant-served"], kind);
      assert.equal(found.plants.served, 1);
      assert.match(found.failures[0]?.call as string, /"limit":5/);
    }
  });

  it("a row from after the horizon fails the case though it is no plant", () => {
    const late = `{"available_at":"${date(20)}T00:00:00Z","body":{"date":"${date(19)}","value":1},"ref":"readings#${date(19)}"}`;
    assert.deepEqual(rules(withBody("tool", (text) => text.replace('{"rows":[', `{"rows":[${late},`))), [
      "row-after-horizon",
    ]);
  });

  it("so does a row that says nothing of its available time", () => {
    for (const undated of ['"available_at":null', '"available_at":"soon"', '"x":1']) {
      const row = `{${undated},"body":{},"ref":"readings#x"}`;
      assert.deepEqual(rules(withBody("tool", (text) => text.replace('{"rows":[', `{"rows":[${row},`))), [
        "row-after-horizon",
      ]);
    }
  });

  it("an answer that differs from the one without plants fails the case, for an aggregate too", () => {
    const entries = honest.entries.map((entry) =>
      entry.kind === "tool" && entry.name === "aggregate"
        ? { ...entry, unplanted: "sha256:0" as never }
        : entry,
    );
    const found = score({ entries });
    assert.deepEqual(
      found.failures.map((failure) => failure.rule),
      ["plant-shows"],
    );
    assert.match(found.failures[0]?.call as string, /^aggregate/);
    assert.equal(found.plants.served, 1);
  });

  it("a probe that is missing, late, or was answered otherwise leaves the plants unproven", () => {
    const drop = (name: string) =>
      honest.entries.filter((entry) => !(entry.kind === "probe" && entry.name === name));
    for (const name of ["presence", "absence"])
      assert.ok(rules({ entries: drop(name) }).includes("plant-unproven"), name);
    const moved = [
      ...honest.entries.slice(1, -1),
      honest.entries[0] as Entry,
      honest.entries.at(-1) as Entry,
    ];
    assert.deepEqual(rules({ entries: moved }), ["plant-unproven"]);
    assert.deepEqual(rules(withBody("probe", (text) => text.replaceAll('"value":', '"other":'))), [
      "plant-unproven",
      "plant-unproven",
    ]);
    assert.equal(score(withBody("probe", () => "[]")).plants.proven, 0);
  });
});
