/** Verdicts made again: a floor judge's and a model's that the record bears out pass, what hides one is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backtest } from "../../src/backtest.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, digestOfJson } from "../../src/core/digest.ts";
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
import { type Change, entryOf, nothing } from "./forging.ts";
import { type Draft, type Fields, forged, told } from "./operator.ts";

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
    profile: { judge: judge.identity.name, query_findings: "list" },
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

const isJudgement = (entry: Fields) => entry["kind"] === "judge";
/** Judgements of the first attempt that has two. */
const twoOf = ({ entries }: Draft): [number, number] => {
  const at = entries.findIndex((entry, i) => isJudgement(entry) && isJudgement(entries[i + 1] ?? {}));
  assert.ok(at >= 0);
  return [at, at + 1];
};
const stampOf = ({ manifest }: Draft) => manifest["stamp"] as Fields;
const without =
  (leftOut: (entry: Fields) => boolean): Change =>
  (draft) => {
    const kept = draft.entries.filter((entry) => !leftOut(entry));
    assert.ok(kept.length < draft.entries.length);
    draft.entries = kept;
  };
const judgedBy =
  (change: Fields): Change =>
  (draft) => {
    const stamp = stampOf(draft);
    stamp["judge"] = { ...(stamp["judge"] as object), ...change } as Json;
  };
/** Whatever a judgement said, it says something else. */
const saying =
  (change: Fields): Change =>
  ({ entries }) => {
    for (const entry of entries.filter(isJudgement)) Object.assign(entry, change);
  };
const loaded =
  (name: string, change: (value: Fields) => void): Change =>
  (draft) => {
    const value = JSON.parse(draft.loaded.get(name) as string) as Fields;
    change(value);
    draft.loaded.set(name, `${canonical(value as Json)}\n`);
    if (name === "profile.json") stampOf(draft)["profile"] = digestOfJson(value as Json);
  };
const textOf = (text: (now: readonly string[]) => string[] | undefined): Change =>
  loaded("caseset.json", ({ tables }) => {
    const { notes } = tables as unknown as { notes: { text?: string[] } };
    const next = text(notes.text as string[]);
    delete notes.text;
    if (next !== undefined) notes.text = next;
  });
/** The first judgement is of something else. */
const ofAnother =
  (change: Fields): Change =>
  (draft) => {
    const entry = entryOf(draft, "judge");
    entry["args"] = { ...(entry["args"] as object), ...change } as Json;
  };
const both =
  (...changes: readonly Change[]): Change =>
  (draft) => {
    for (const change of changes) change(draft);
  };

type Hidden = readonly [how: string, change: Change, expected: string, says: RegExp];
const mismatch = "rules JudgementMismatch";
/** Whoever judged. */
const hidden: readonly Hidden[] = [
  ["all dropped", without(isJudgement), mismatch, /says no verdict; what it holds gives one, since/],
  [
    "the first of two dropped",
    (draft) => void draft.entries.splice(twoOf(draft)[0], 1),
    mismatch,
    /a verdict of it here; what it holds gives one of notes#/,
  ],
  [
    "the last dropped",
    (draft) => void draft.entries.splice(draft.entries.findLastIndex(isJudgement), 1),
    mismatch,
    /says no verdict; what it holds gives one, since/,
  ],
  [
    "one doubled",
    (draft) => {
      const [at] = twoOf(draft);
      const entry = draft.entries[at] as Fields;
      draft.entries.splice(at, 0, { ...entry, seq: (entry["seq"] as number) - 0.5 });
    },
    mismatch,
    /a verdict of it here; what it holds gives one of notes#/,
  ],
  [
    "one more at the end",
    (draft) => {
      const at = draft.entries.findLastIndex(isJudgement);
      const entry = draft.entries[at] as Fields;
      draft.entries.splice(at, 0, { ...entry, seq: (entry["seq"] as number) - 0.5 });
    },
    mismatch,
    /one more verdict; what it holds gives one a document/,
  ],
  [
    "two in each other's place",
    ({ entries }) => {
      const [a, b] = twoOf({ entries } as Draft).map((at) => entries[at]) as [Fields, Fields];
      for (const key of ["args", "value", "reason", "result", "bytes"]) [a[key], b[key]] = [b[key], a[key]];
    },
    mismatch,
    /a verdict of it here; what it holds gives one of notes#/,
  ],
  ["of another document", ofAnother({ document: "0".repeat(64) }), mismatch, /a verdict of it here/],
  [
    "of another reference",
    ofAnother({ ref: "notes#other" }),
    mismatch,
    /notes#other: .* a verdict of it here/,
  ],
  ["of another dimension", ofAnother({ dimension: "style" }), mismatch, /a verdict of it here/],
  [
    "no judge, though the profile declares one",
    both(without(isJudgement), (draft) => void Object.assign(stampOf(draft), { judge: "none" })),
    "bounds FieldInvalid",
    /stamp\.judge: none, expected the judge that profile\.json declares, /,
  ],
  [
    "a judge of another name",
    both(judgedBy({ name: "panel" }), saying({ value: 0, reason: "" })),
    "bounds FieldInvalid",
    /stamp\.judge: panel, expected the judge that profile\.json declares, /,
  ],
  [
    "no columns of text",
    both(
      without(isJudgement),
      textOf(() => undefined),
    ),
    "bounds FieldInvalid",
    /tables\.notes\.text: none, expected title, text, as declared/,
  ],
  [
    "fewer columns of text",
    textOf(([first]) => [first as string]),
    "bounds FieldInvalid",
    /tables\.notes\.text: title, expected title, text/,
  ],
  [
    "columns of text in another order",
    textOf((columns) => columns.toReversed()),
    "bounds FieldInvalid",
    /tables\.notes\.text: text, title, expected/,
  ],
  [
    "text where none was declared",
    loaded("caseset.json", ({ tables }) => {
      Object.assign((tables as unknown as { fleet: object }).fleet, { text: ["name"] });
    }),
    "bounds FieldInvalid",
    /tables\.fleet\.text: name, expected none, as declared/,
  ],
  [
    "a table with text that is not there",
    loaded("caseset.json", ({ tables }) => {
      delete (tables as unknown as Fields)["notes"];
    }),
    "bounds FieldInvalid",
    /tables\.notes\.text: none, expected title, text/,
  ],
];
const hiddenOfFloor: readonly Hidden[] = [
  [
    "a floor judge by other rules",
    both(judgedBy({ prompt_digest: digestOf("other") }), saying({ value: 0, reason: "" })),
    "bounds FieldInvalid",
    /stamp\.judge: .*, expected .*"floor".*, the floor judge/,
  ],
  [
    "a floor judge that looked for other entities",
    both(judgedBy({ params: { entities: digestOf("[]") } }), saying({ value: 0, reason: "" })),
    "bounds FieldInvalid",
    /, the floor judge$/,
  ],
  [
    "a floor judge that looked for none",
    both(
      (draft) => {
        const { entities, ...stamp } = stampOf(draft);
        draft.loaded.delete(`artifacts/${(entities as string).slice("sha256:".length)}`);
        draft.manifest["stamp"] = stamp as Json;
      },
      loaded("profile.json", (profile) => void delete profile["query_findings"]),
    ),
    "bounds FieldInvalid",
    /stamp\.entities: nothing, expected the digest/,
  ],
  [
    "an endpoint's, though the profile declares the floor",
    judgedBy({ name: "http:endpoint" }),
    "bounds FieldInvalid",
    /stamp\.judge: http:endpoint, expected the judge that profile\.json declares, floor/,
  ],
];
const hiddenOfModel: readonly Hidden[] = [
  [
    "the floor's, though the profile declares an endpoint",
    judgedBy({ name: "floor" }),
    "bounds FieldInvalid",
    /stamp\.judge: floor, expected the judge that profile\.json declares, http:endpoint/,
  ],
  [
    "a value of a call that failed",
    saying({ class: "transport", status: null, value: 0, reason: "" }),
    mismatch,
    /says 0; what it holds gives unscored/,
  ],
];
const replies = modelled('{"value":4,"rationale":"states it"}', verdict(4, "states it"));

describe("a verdict that was hidden by whoever has the key is refused", async () => {
  const bases = [
    ["floor", floor, [...hidden, ...hiddenOfFloor]],
    ["model", replies, [...hidden, ...hiddenOfModel]],
  ] as const;
  for (const [name, judge, all] of bases) {
    const { sink } = await runWith(judge);
    const files = new Map([...sink.files].map(([file, bytes]) => [file, Uint8Array.from(bytes)]));
    const after = async (change: Change) =>
      replay(memoryBundle(await forged({ files, signer: null }, change), "run"), { policy: null });
    it(`${name}: as it was, it replays; so it does where the profile declares no judge, but for its report`, async () => {
      const same = await after(nothing);
      assert.equal(same.failure, null);
      const undeclared = await after(loaded("profile.json", (profile) => void delete profile["judge"]));
      assert.equal(told(undeclared), "score RescoreMismatch", undeclared.failure?.message);
    });
    for (const [how, change, expected, says] of all)
      it(`${name}: ${how}`, async () => {
        const found = await after(change);
        assert.equal(told(found), expected, found.failure?.message);
        assert.match(found.failure?.message as string, says);
      });
  }
  const { sink } = await runWith(replies);
  const files = new Map([...sink.files].map(([file, bytes]) => [file, Uint8Array.from(bytes)]));
  it("a failed call's document is unscored", async () => {
    const failed = saying({ class: "transport", status: null, value: null, reason: "transport: cut" });
    const bundle = memoryBundle(await forged({ files, signer: null }, failed), "run");
    const found = await replay(bundle, { policy: null });
    assert.equal(told(found), "score RescoreMismatch", found.failure?.message);
  });
});

describe("a stamp's judge that is none", async () => {
  const { sink } = await runWith(floor);
  const files = new Map([...sink.files].map(([file, bytes]) => [file, Uint8Array.from(bytes)]));
  for (const judge of [undefined, null, 7, [], {}, "", "floor", { name: 3 }, { name: "floor" }])
    it(`is refused: ${JSON.stringify(judge)}`, async () => {
      const change: Change = (draft) => {
        const { judge: _, ...stamp } = stampOf(draft);
        draft.manifest["stamp"] = (judge === undefined ? stamp : { ...stamp, judge }) as Json;
      };
      const found = await replay(memoryBundle(await forged({ files, signer: null }, change), "run"), {
        policy: null,
      });
      assert.match(told(found), /^bounds (FieldInvalid|KeyMissing)$/);
      assert.match(found.failure?.message as string, /judge/);
    });
});
