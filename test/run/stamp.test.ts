import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
import { parseForecastCase } from "../../src/caseset/forecast-case.ts";
import type { Json } from "../../src/core/canonical.ts";
import { digestOf, digestOfJson } from "../../src/core/digest.ts";
import type { ReaderIdentity, ReaderSource } from "../../src/model/reader.ts";
import { type ArmPlan, planArms } from "../../src/run/arms.ts";
import { identify, makeStamp, type RunOptions } from "../../src/run/stamp.ts";
import { createStore } from "../../src/store/door.ts";
import { caseOnDisk } from "../caseset/a-case.ts";
import { refusedLater } from "../core/refused.ts";
import { familyOf, row } from "../model/a-family.ts";

const cases = [parseForecastCase({ ...caseOnDisk, reads: [] }, "cases.jsonl:1") as ForecastCase];
const complete: ReaderIdentity = {
  name: "mine",
  snapshot: "m-1",
  pretrain_cutoff: "2013-06:documented",
  posttrain_cutoff: null,
  temperature: 0,
  prompt_digest: "none",
  uses_tools: true,
  params: {},
};
const options: RunOptions = {
  profile: { name: "p" },
  seed: 1,
  repeats: 1,
  temperature: 0,
  bootstrap: { resamples: 1000, level: 0.95, cluster: "declared" },
  process: "trajectory",
  leak: { slices: null, threshold: null, judge: null, queries: null },
  deadlineSeconds: 600,
  filters: [],
  leverage: 1,
  execution: null,
  limit: null,
  concurrency: 4,
};

function reader(identity: ReaderSource["identity"], family: string | null = null): ReaderSource {
  return { name: "mine", family, identity, open: () => assert.fail("no reader is opened for a stamp") };
}
async function stampFor(readers: ReaderSource, arms: ArmPlan, given: RunOptions) {
  const identities = await identify(readers, arms);
  const { family } = arms;
  return makeStamp({
    store: createStore([]),
    cases,
    readers,
    identities,
    family,
    options: given,
    judge: null,
    entities: null,
  });
}
const stampOf = (identity: unknown, change: Partial<RunOptions> = {}) =>
  stampFor(
    reader(() => identity as ReaderIdentity),
    planArms(cases, null, null),
    { ...options, ...change },
  );

test("makeStamp: an identity that lacks any field is refused, naming what lacks and what is there", async () => {
  for (const field of Object.keys(complete) as (keyof ReaderIdentity)[]) {
    const { [field]: _, ...lacking } = complete;
    const { details, message, hint } = await refusedLater("EvalRunStampIncomplete", () => stampOf(lacking));
    assert.equal(details.place, "reader mine");
    assert.deepEqual(details.missing, [field]);
    assert.deepEqual([...details.found].sort(), Object.keys(lacking).sort());
    assert.match(
      message,
      new RegExp(`^EvalRunStampIncomplete: reader mine: identity lacks ${field}; it has `),
    );
    assert.match(hint as string, /none/);
    if (field !== "posttrain_cutoff")
      await refusedLater("EvalRunStampIncomplete", () => stampOf({ ...complete, [field]: null }));
  }
  assert.deepEqual((await refusedLater("EvalRunStampIncomplete", () => stampOf({}))).details.found, []);
});

test("makeStamp: a complete identity is stamped; a post-training cutoff may be null, which is not absent", async () => {
  const stamp = await stampOf(complete);
  assert.deepEqual(stamp["reader"], {
    name: "mine",
    family: null,
    params: {},
    prompt_digest: "none",
    temperature: 0,
    uses_tools: true,
    checkpoints: [{ snapshot: "m-1", pretrain_cutoff: "2013-06:documented", posttrain_cutoff: null }],
  });
  assert.deepEqual(stamp["selection"], {
    filters: [],
    limit: null,
    cases: 1,
    digest: digestOf("rain-2014-06-01\n"),
  });
  for (const part of ["derive_engine", "embedder", "judge", "family"]) assert.equal(stamp[part], "none");
});

test("makeStamp: one checkpoint that lacks a field refuses the family, before any is asked", async () => {
  const family = familyOf([row("m-1", "2013-06:documented"), row("m-2", "2015-06:documented")]);
  const arms = planArms(cases, family, null);
  const identity = (lack: string | null) => (checkpoint: { snapshot: string } | null) =>
    ({
      ...complete,
      snapshot: checkpoint?.snapshot === lack ? undefined : checkpoint?.snapshot,
    }) as ReaderIdentity;
  const stamp = (lack: string | null) => stampFor(reader(identity(lack), "test"), arms, options);
  for (const lack of ["m-1", "m-2"])
    assert.deepEqual((await refusedLater("EvalRunStampIncomplete", () => stamp(lack))).details.missing, [
      "snapshot",
    ]);
  const whole = (await stamp(null)) as { family: Json; reader: { checkpoints: { snapshot: string }[] } };
  assert.deepEqual(
    whole.reader.checkpoints.map(({ snapshot }) => snapshot),
    ["m-1", "m-2"],
  );
  assert.equal(whole.family, digestOfJson(family.onDisk as unknown as Json));
});

test("makeStamp: what makes two trials changes the stamp, the number at a time does not", async () => {
  const digest = async (change: Partial<RunOptions>, identity = complete) =>
    digestOfJson((await stampOf(identity, change)) as Json);
  const base = await digest({});
  assert.equal(await digest({ concurrency: 99 }), base);
  const others = [
    await digest({ seed: 2 }),
    await digest({ repeats: 2 }),
    await digest({ profile: { name: "q" } }),
    await digest({ limit: 1 }),
    await digest({ filters: [{ key: "tag", value: "rain" }] }),
    await digest({ bootstrap: { ...options.bootstrap, resamples: 999 } }),
    await digest({}, { ...complete, temperature: 1 }),
    await digest({}, { ...complete, prompt_digest: digestOf("x") }),
    await digest({}, { ...complete, params: { k: "v" } }),
    await digest({}, { ...complete, posttrain_cutoff: "2013-12:documented" }),
  ];
  assert.equal(new Set([base, ...others]).size, others.length + 1);
});
