/** A run with a split: which cases are asked, which labels each is served by `training`, and what a stranger makes of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { finishBacktest } from "../../src/backtest.ts";
import type { Label } from "../../src/caseset/label.ts";
import type { CaseSet } from "../../src/caseset/load.ts";
import { addDuration, type Duration, parseDuration } from "../../src/core/duration.ts";
import type { Instant } from "../../src/core/instant.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import {
  type AskedCase,
  answered,
  type ServedRow,
  type ToolAnswer,
  type Tools,
} from "../../src/model/reader.ts";
import { findEarlier } from "../../src/run/earlier-run.ts";
import { chosenFolds } from "../../src/run/folds.ts";
import { memorySink } from "../../src/run/sink.ts";
import { offeredToolSet } from "../../src/run/training.ts";
import { toolSchemas, toolSchemaVersion } from "../../src/store/tools.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import {
  dailyInputs,
  dailySet,
  date,
  type RunOptions,
  readerOf,
  reading,
  runDaily,
} from "../support/daily-set.ts";
import { decisionSet } from "../support/decision-set.ts";

const at = (i: number) => `${date(i)}T00:00:00Z`;
const dayOf = (id: string) =>
  Math.round((Date.parse(`${id.slice(4)}T00:00:00Z`) - Date.parse(at(0))) / 86_400_000);
function rowsOf(reply: ToolAnswer | undefined): readonly ServedRow[] {
  assert.ok(reply?.ok, JSON.stringify(reply));
  return reply.rows ?? [];
}
/** The days of the cases whose labels were served. */
const days = (rows: readonly ServedRow[]) => rows.map(({ body }) => dayOf(String(body["case"])));

const SPLITS = `  halves: {kind: kfold, folds: 2}
  wide: {kind: kfold, folds: 5, embargo: P2D}
  forward: {kind: walk-forward, folds: 2, rolling: 4}
  blocks: {kind: combinatorial, groups: 4, test_groups: 2}
  none: {kind: kfold, folds: 11}
`;
/** Ten cases, days 10 to 19; a label is formed from its day to the next, and known four days after it. */
const ten = await dailySet({ days: 20, splits: SPLITS, label: (i) => ({ available_time: at(i + 4) }) });

type Heard = Map<number, ToolAnswer>;
async function heard(made: typeof ten, split: string, args: object = {}, options: RunOptions = {}) {
  const answers: Heard = new Map();
  const reader = readerOf(async ({ id }: AskedCase, tools: Tools) => {
    answers.set(dayOf(id), await tools.call("training", args as never));
    return answered(0.5);
  });
  const { report } = await runDaily(made, reader, { ...options, split });
  return { answers, result: report.result as unknown as Result };
}
type Result = {
  readonly verdict: string;
  readonly headline: { readonly n: number; readonly outcomes: { readonly settled: number } };
  readonly tally: { readonly cases: number; readonly not_asked?: number; readonly sampled: number };
  readonly stamp: {
    readonly tool_schema_version: string;
    readonly split?: {
      readonly folds: readonly object[];
      readonly not_asked: number;
      readonly tested: number;
    };
  };
};
/** Settled whatever its label's delay. */
const graced = (made: typeof ten): typeof ten => {
  const grace = parseDuration("P9D", "test", "grace") as Duration;
  return { ...made, set: { ...made.set, grace, onDisk: { ...made.set.onDisk, grace: "P9D" } } };
};
const made = graced(ten);

describe("a run with a split", () => {
  it("serves the labels of the fold's training cases that were known at the horizon, by hand", async () => {
    const { answers, result } = await heard(made, "halves");
    // The second half, 15 to 19, is trained on 10 to 13: the label of 14 meets day 15.
    const served = new Map([...answers].map(([day, reply]) => [day, days(rowsOf(reply))]));
    const expected = new Map<number, number[]>([
      ...[10, 11, 12, 13, 14].map((day) => [day, []] as [number, number[]]),
      [15, [10, 11]],
      [16, [10, 11, 12]],
      [17, [10, 11, 12, 13]],
      [18, [10, 11, 12, 13]],
      [19, [10, 11, 12, 13]],
    ]);
    assert.deepEqual(new Map([...served].sort(([a], [b]) => a - b)), expected);
    assert.deepEqual(answers.get(15), {
      ok: true,
      rows: [10, 11].map((i) => ({
        ref: `training#day-${date(i)}`,
        available_at: at(i + 4),
        body: { case: `day-${date(i)}`, outcome: reading(i) > 50 ? 1 : 0, resolved_at: at(i + 1) },
      })),
    });
    assert.deepEqual(result.stamp.split?.folds, [
      { test: 5, train: 4, purged: 1, embargoed: 0, unused: 0, ends: at(15), embargoed_until: at(15) },
      { test: 5, train: 4, purged: 1, embargoed: 0, unused: 0, ends: at(20), embargoed_until: at(20) },
    ]);
    assert.deepEqual([result.headline.n, result.tally.sampled, result.tally.not_asked], [10, 10, undefined]);
  });

  it("cases that no fold tests are trained on and not asked, and counted", async () => {
    const { answers, result } = await heard(made, "forward");
    // Groups of 4, 3 and 3: 14 to 16 is tested on what ended before day 14, 17 to 19 on the last four that ended before 17.
    assert.deepEqual([...answers.keys()].sort(), [14, 15, 16, 17, 18, 19]);
    const served = (day: number) => days(rowsOf(answers.get(day)));
    assert.deepEqual([14, 15, 16, 17, 18, 19].map(served), [
      [10],
      [10, 11],
      [10, 11, 12],
      [12, 13],
      [12, 13, 14],
      [12, 13, 14, 15],
    ]);
    const { tested, not_asked: stamped } = result.stamp.split as NonNullable<Result["stamp"]["split"]>;
    assert.deepEqual([tested, stamped, result.tally.not_asked, result.tally.cases], [6, 4, 4, 10]);
    assert.deepEqual([result.tally.sampled, result.headline.n, result.headline.outcomes.settled], [6, 6, 6]);
  });

  it("pages as `rows` does, and faults where the arguments do not fit", async () => {
    const page = async (args: object) => (await heard(made, "halves", args)).answers.get(17);
    const whole = rowsOf(await page({}));
    assert.deepEqual(await page({ limit: 3 }), {
      ok: true,
      rows: whole.slice(0, 3),
      total: 4,
      truncated: true,
    });
    assert.deepEqual(await page({ limit: 3, offset: 3 }), { ok: true, rows: whole.slice(3) });
    assert.deepEqual(await page({ offset: 9 }), { ok: true, rows: [] });
    for (const wrong of [{ limit: 0 }, { offset: -1 }, { table: "readings" }, { limit: 10_001 }]) {
      const reply = (await page(wrong)) as { ok: false; fault: { class: string } };
      assert.deepEqual([reply.ok, reply.fault?.class], [false, "bad_request"], JSON.stringify(wrong));
    }
  });

  it("a reader that learns says what the labels of its fold say, whatever runs at a time", async () => {
    const learner = readerOf(async (_, tools) => {
      let [events, n] = [0, 0];
      for (let more = true; more; ) {
        const reply = await tools.call("training", { offset: n, limit: 3 });
        const rows = rowsOf(reply);
        for (const { body } of rows) events += body["outcome"] as number;
        n += rows.length;
        more = reply.ok && reply.truncated === true;
      }
      return answered((1 + events) / (2 + n));
    });
    const many = graced(await dailySet({ days: 60, splits: SPLITS }));
    const [one, four] = await Promise.all(
      [1, 4].map((concurrency) => runDaily(many, learner, { split: "wide", concurrency })),
    );
    assert.equal(one?.report.resultDigest, four?.report.resultDigest);
    assertEvery(one?.scores ?? [], ({ caseIndex, probability }) => {
      const learnt = expectedDays(many.set, { folds: 5, embargo: 2 }, caseIndex);
      const events = learnt.filter((i) => reading(i) > 50).length;
      return probability === (1 + events) / (2 + learnt.length);
    });
  });
});

/** By definition, case by case: known at the horizon, of another fold, not met by a test case's label, not embargoed. */
function expectedDays(
  set: CaseSet,
  { folds, embargo }: { folds: number; embargo: number },
  asked: number,
): number[] {
  const { cases } = set;
  const labels = new Map(set.labels.map((label: Label) => [label.caseId, label]));
  const size = cases.length / folds;
  const tested = cases.filter((_, i) => Math.floor(i / size) === Math.floor(asked / size));
  const end = Math.max(...tested.map(({ labelInterval }) => labelInterval[1])) as Instant;
  const span = parseDuration(`P${embargo}D`, "test", "embargo") as Duration;
  return cases
    .filter(({ id, labelInterval: [t0, t1] }) => {
      const known = labels.get(id);
      if (known === undefined || known.outcome === "annulled") return false;
      if (known.availableAt > (cases[asked]?.horizon as number)) return false;
      const meets = tested.some(({ labelInterval: [from, to] }) => t0 <= to && from <= t1);
      return !meets && !(t0 > end && t0 <= addDuration(set.zone, end, span));
    })
    .map(({ id }) => dayOf(id));
}

describe("what must not show", () => {
  it("no label after the horizon, of the asked case, or of one that is purged or embargoed; each other one does", async () => {
    // Long labels and short ones, known early and late, some annulled, some missing.
    const spans = (i: number) => 1 + ((i * 5) % 4);
    const wild = graced(
      await dailySet({
        days: 60,
        splits: SPLITS,
        span: spans,
        label: (i) =>
          i % 11 === 0
            ? null
            : { available_time: at(i + 1 + ((i * 7) % 8)), ...(i % 13 === 0 ? { outcome: "annulled" } : {}) },
      }),
    );
    const { answers } = await heard(wild, "wide", { limit: 10_000 });
    assert.equal(answers.size, 50);
    let served = 0;
    wild.set.cases.forEach((item, i) => {
      const rows = rowsOf(answers.get(dayOf(item.id)));
      const found = days(rows);
      served += found.length;
      assert.deepEqual(
        [...found].sort((a, b) => a - b),
        expectedDays(wild.set, { folds: 5, embargo: 2 }, i),
        item.id,
      );
      const inOrder = rows.map(({ available_at: known, ref }) => `${known} ${ref}`);
      assert.deepEqual(inOrder, [...inOrder].sort());
    });
    assert.ok(served > 300, `${served} labels`);
  });

  it("the tool is offered only in a run with a split, which says so", async () => {
    assert.deepEqual(offeredToolSet(false), { schemas: toolSchemas, version: toolSchemaVersion });
    assert.deepEqual(
      offeredToolSet(true).schemas.map(({ name }) => name),
      [...toolSchemas.map(({ name }) => name), "training"],
    );
    const { result } = await heard(made, "halves");
    assert.equal(result.stamp.tool_schema_version, offeredToolSet(true).version);
    const faults: unknown[] = [];
    const reader = readerOf(async (_, tools) => {
      faults.push(await tools.call("training", {}), await tools.call("labels", {}));
      return answered(0.5);
    });
    const plain = await runDaily(made, reader);
    const stamp = (plain.report.result as unknown as Result).stamp;
    assert.deepEqual([stamp.split, stamp.tool_schema_version], [undefined, toolSchemaVersion]);
    const known = "known: rows, aggregate, search, members";
    const message = (fault: unknown) => (fault as { fault: { message: string } }).fault.message;
    assert.deepEqual(faults.slice(0, 2).map(message), [
      `no tool "training"; ${known}`,
      `no tool "labels"; ${known}`,
    ]);
    faults.splice(0);
    await runDaily(made, reader, { split: "halves" });
    assert.equal(message(faults[1]), `no tool "labels"; ${known}, training`);
  });
});

describe("what a run with a split refuses", () => {
  const quiet = readerOf(() => answered(0.5));
  const run = (split: string, of: typeof ten = made, options: RunOptions = {}) =>
    runDaily(of, quiet, { split, ...options });
  const rows: [
    name: string,
    split: string,
    code: string,
    says: RegExp,
    of?: () => typeof ten,
    options?: RunOptions,
  ][] = [
    [
      "a name that is not declared",
      "thirds",
      "ArgumentInvalid",
      /"thirds" given, expected one of halves, wide/,
    ],
    [
      "a combinatorial one",
      "blocks",
      "FieldInvalid",
      /splits\.blocks\.kind: combinatorial, expected kfold or walk-forward/,
    ],
    ["an empty fold", "none", "SplitEmpty", /split none, fold 10: its test set is empty/],
    [
      "a shared process",
      "halves",
      "FieldInvalid",
      /process: shared, expected trajectory/,
      () => made,
      { profile: { process: "shared" } },
    ],
    [
      "a table of the tool's name",
      "halves",
      "FieldInvalid",
      /tables\.training: a table/,
      () => ({
        ...made,
        set: {
          ...made.set,
          tables: new Map([...made.set.tables, ["training", [...made.set.tables.values()][0] as never]]),
        },
      }),
    ],
  ];
  for (const [name, split, code, says, of = () => made, options] of rows)
    it(name, async () => {
      await assert.rejects(run(split, of(), options), (error: Error & { code?: string }) => {
        assert.equal(error.code, code, error.message);
        return says.test(error.message);
      });
    });

  it("a set of decisions", async () => {
    const { set } = await decisionSet();
    const splits = new Map([["halves", { kind: "kfold", folds: 2 } as const]]);
    const fold = (of: Pick<CaseSet, "cases" | "labels">) =>
      chosenFolds(
        { ...made.set, splits, labels: of.labels },
        { cases: of.cases, deadlines: [] },
        "halves",
        "trajectory",
      );
    const { details } = refused("FieldInvalid", () => fold(set));
    assert.deepEqual([details.field, details.found], ["kind", "decision"]);
    assert.equal(fold({ cases: made.set.cases, labels: [] }).stamped.tested, 10);
  });

  it("and takes the nearest", async () => {
    assert.equal(((await run("halves")).report.result as unknown as Result).verdict, "green");
  });

  it("resume: another split, or none, is another configuration", async () => {
    const [sink, ledger] = [memorySink(), memoryLedger()];
    await run("halves", made, { sink, ledger });
    const earlier = await findEarlier(sink, ledger);
    const again = (options: RunOptions) =>
      finishBacktest(...dailyInputs(made, quiet, { sink, ledger, earlier, ...options }));
    const fields: string[] = [];
    for (const options of [{}, { split: "forward" }] as RunOptions[])
      await assert.rejects(again(options), (error: Error) => {
        fields.push(error.message.split(": ")[2] as string);
        return error.message.startsWith("ResumeMismatch");
      });
    assert.deepEqual(fields, ["stamp.split", "stamp.split.digest"]);
    assert.ok(await again({ split: "halves" }));
  });
});
