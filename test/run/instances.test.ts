/** Instances: one a trajectory or one a lane, held to their order, ended, and undone by what they say too late. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
import {
  type AskedCase,
  type Attempt,
  answered,
  type Reader,
  type ReaderSource,
} from "../../src/model/reader.ts";
import { createInstances, type Instances } from "../../src/run/instances.ts";
import { lanes } from "../../src/run/lanes.ts";
import { memorySink } from "../../src/run/sink.ts";
import type { World } from "../../src/run/world.ts";
import { dailyInputs, dailySet, familyOf, readerOf, runDaily } from "../support/daily-set.ts";
import { noRules } from "../support/no-rules.ts";
import { readRun } from "../support/read-run.ts";

const daily = await dailySet({ days: 16, from: 10 });
const [, , , world] = dailyInputs(
  daily,
  readerOf(() => answered(0.5)),
);
const rules = { process: "shared", seconds: 600, refusal: () => null } as const;
const cases = daily.set.cases as readonly ForecastCase[];

const askOf = (instances: Instances, item: ForecastCase): Promise<Attempt> =>
  instances.ask({
    checkpoint: null,
    horizon: item.horizon,
    asked: { id: item.id, answer: "probability" } as AskedCase,
    tools: null,
    record: () => {},
  });

function counted(end: Reader["end"] = async () => null): ReaderSource & { readonly opened: () => number } {
  let opened = 0;
  const source = readerOf(() => answered(0.5));
  return {
    ...source,
    opened: () => opened,
    open: (...given) => {
      opened++;
      return { ...source.open(...given), ...(end === undefined ? {} : { end }) };
    },
  };
}

test("a shared instance that was asked about a later horizon is not asked about an earlier one: ReaderSawLater", async () => {
  const readers = counted();
  const instances = createInstances({ ...world, readers } as World, rules);
  const [first, second] = cases as [ForecastCase, ForecastCase];
  assert.equal((await askOf(instances, first)).kind, "answer");
  assert.equal((await askOf(instances, second)).kind, "answer");
  assert.equal((await askOf(instances, second)).kind, "answer", "the same horizon is no earlier one");
  const refused = await askOf(instances, first);
  assert.deepEqual(refused.kind === "fault" ? [refused.class, refused.broke] : refused.kind, [
    "aborted",
    "ReaderSawLater",
  ]);
  assert.equal(readers.opened(), 1);
  const own = createInstances({ ...world, readers } as World, { ...rules, process: "trajectory" });
  assert.equal((await askOf(own, second)).kind, "answer");
  assert.equal((await askOf(own, first)).kind, "answer", "a new instance has seen nothing");
});

test("an ask that came too early for its process fails its case, and no other", async () => {
  const broken = readerOf(() => answered(0.5));
  const sawLater = {
    kind: "fault",
    class: "aborted",
    message: "ReaderSawLater: …",
    usage: null,
    broke: "ReaderSawLater",
  } as const;
  const sink = memorySink();
  const { report } = await runDaily(daily, broken, { sink });
  const clean = report.result as unknown as { verdict: string };
  assert.equal(clean.verdict, "green");
  const { scoreTrajectory } = await import("../../src/score/score-trajectory.ts");
  const { entries } = readRun(sink.files);
  const own = entries.filter((entry) => entry.case === cases[0]?.id);
  const asked = own.map((entry) => (entry.kind === "answer" ? { ...entry, ...sawLater } : entry));
  const { body } = readRun(sink.files);
  const trajectory = {
    caseIndex: 0,
    arm: "routed",
    repeat: 0,
    plants: readRun(sink.files).plants.filter((plant) => plant.case === cases[0]?.id),
    body: (digest: string) => JSON.parse(body(digest)),
  };
  const outcome = { state: "settled", outcome: 1 } as never;
  const score = (given: typeof own) =>
    scoreTrajectory(cases[0] as ForecastCase, outcome, { ...trajectory, entries: given } as never, noRules);
  assert.deepEqual(score(own).failures, []);
  assert.deepEqual(
    score(asked as typeof own).failures.map(({ rule }) => rule),
    ["reader-saw-later"],
  );
});

test("what an instance says after its answer undoes the answer; what it says at its end alone does not", async () => {
  const late = async (end: Reader["end"]) => {
    const own = createInstances({ ...world, readers: counted(end) } as World, {
      ...rules,
      process: "trajectory",
    });
    return askOf(own, cases[0] as ForecastCase);
  };
  assert.equal((await late(async () => null)).kind, "answer");
  assert.equal((await late(undefined)).kind, "answer");
  const undone = await late(async () => "said more after its answer");
  assert.deepEqual(undone.kind === "fault" ? [undone.class, undone.message] : undone.kind, [
    "protocol",
    "said more after its answer",
  ]);
});

test("an instance of the library's user that does not end is left behind when its time is over", async () => {
  const hanging: ReaderSource = {
    ...readerOf(() => answered(0.5)),
    open: () => ({ answer: () => new Promise<never>(() => {}) }),
  };
  const own = createInstances({ ...world, readers: hanging } as World, {
    ...rules,
    process: "trajectory",
    seconds: 0.02,
  });
  const attempt = await askOf(own, cases[0] as ForecastCase);
  assert.equal(attempt.kind === "fault" ? attempt.class : attempt.kind, "timeout");
});

test("lanes: each trajectory its own, or one a (arm, repeat) in the order of horizons; every position once", async () => {
  const family = familyOf(["a", "2019-06:documented"], ["b", "2020-02:documented"]);
  const backwards = { ...daily, set: { ...daily.set, cases: [...daily.set.cases].reverse() } };
  const plans = await Promise.all(
    (["trajectory", "shared"] as const).map(
      async (process) =>
        (
          await runDaily(
            backwards,
            readerOf(() => answered(0.5), family),
            {
              family,
              profile: { process, repeats: 2 },
            },
          )
        ).plan,
    ),
  );
  const [own, shared] = plans.map((plan) => [...lanes(plan, () => true)]);
  const total = (plans[0]?.arms.assignments.length ?? 0) * 2;
  assert.ok(total > 20 && own !== undefined && shared !== undefined);
  assert.deepEqual(
    own,
    [...Array(total).keys()].map((position) => [position]),
  );
  assert.deepEqual(
    shared.flat().sort((a, b) => a - b),
    [...Array(total).keys()],
  );
  const plan = plans[1] as NonNullable<(typeof plans)[1]>;
  for (const lane of shared) {
    const places = lane.map((position) => plan.arms.assignments[Math.floor(position / 2)]);
    assert.equal(new Set(lane.map((position, i) => `${places[i]?.arm} ${position % 2}`)).size, 1);
    const horizons = places.map((place) => plan.cases[place?.caseIndex as number]?.horizon as number);
    assert.deepEqual(
      horizons,
      [...horizons].sort((a, b) => a - b),
    );
  }
  assert.equal(shared.length, 2 * new Set(plan.arms.assignments.map(({ arm }) => arm)).size);
  assert.deepEqual([...lanes(plan, (position) => position === 3)], [[3]]);
});
