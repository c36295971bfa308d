/** Budgets: what is spent is counted, a bound that is reached stops the run, and a resumed run counts what went before. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digestOf } from "../../src/core/digest.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { type ModelCall, noUsage, type Opening, type ReaderSource } from "../../src/model/reader.ts";
import type { ProfileOnDisk } from "../../src/profile/profile.ts";
import { createSpending, nothingSpent, spentOf } from "../../src/run/budget.ts";
import type { Earlier } from "../../src/run/earlier-run.ts";
import { findEarlier } from "../../src/run/earlier-run.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { memorySink } from "../../src/run/sink.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, readerOf, runDaily } from "../support/daily-set.ts";
import { readRun } from "../support/read-run.ts";

const daily = await dailySet({ days: 22, from: 10 });
const usage = { ...noUsage, input_tokens: 100, output_tokens: 10, cost: 0.25, model_calls: 1, retries: 0 };
const call: ModelCall = {
  name: "test",
  model: "m",
  served: "m-1",
  request: digestOf("asked"),
  reply: "{}",
  status: 200,
  class: null,
  retries: [],
  cached: false,
  usage,
  ms: 3,
};

/** Two calls of a model a trajectory, as an endpoint's adapter makes them. */
function spender(change: Partial<ModelCall> = {}): ReaderSource & { readonly asked: string[] } {
  const asked: string[] = [];
  const source = readerOf(() => assert.fail("opened below"));
  return {
    ...source,
    adapter: "http",
    asked,
    open: (_checkpoint, opening: Opening) => ({
      async answer(given) {
        asked.push(given.id);
        for (let i = 0; i < 2; i++) {
          const why = opening.refusal();
          if (why !== null) return { kind: "fault", class: "budget", message: why, usage: null };
          opening.record({ ...call, ...change });
        }
        return { kind: "answer", probability: 0.25, usage };
      },
    }),
  };
}

const budgeted = (budget: NonNullable<ProfileOnDisk["budget"]>) => ({ profile: { budget }, concurrency: 1 });

describe("a budget", () => {
  it("of calls, tokens or cost is reached at its bound, with both values", () => {
    for (const [budget, says] of [
      [{ model_calls: 2, tokens: null, cost: null }, /budget of 2 model calls: 2 spent/],
      [{ model_calls: null, tokens: 220, cost: null }, /budget of 220 tokens: 220 spent/],
      [{ model_calls: null, tokens: null, cost: 0.5 }, /budget of 0.5 cost: 0.5 spent/],
    ] as const) {
      const spending = createSpending(budget, nothingSpent);
      spending.add(usage);
      assert.equal(spending.reached(), null);
      spending.add(usage);
      assert.match(spending.reached() as string, says);
    }
    const open = createSpending(null, nothingSpent);
    for (let i = 0; i < 100; i++) open.add(usage);
    assert.equal(open.reached(), null);
  });

  it("counts every try of a call", () => {
    const spending = createSpending({ model_calls: 5, tokens: null, cost: null }, nothingSpent);
    spending.add({ ...usage, retries: 3 });
    assert.equal(spending.reached(), null);
    spending.add(usage);
    assert.match(spending.reached() as string, /5 spent/);
  });

  it("stops a run so that it can be resumed with another budget, to the result of one that had none", async () => {
    const whole = await runDaily(daily, spender(), { concurrency: 1 });
    const sink = memorySink();
    const ledger = memoryLedger();
    const first = spender();
    await assert.rejects(
      runDaily(daily, first, { sink, ledger, ...budgeted({ model_calls: 5 }) }),
      (error) =>
        error instanceof Interrupted && /3 of|2 of/.test(error.message) && /budget of 5/.test(error.message),
    );
    const earlier = (await findEarlier(sink, ledger)) as Earlier;
    const same = spender();
    await assert.rejects(
      runDaily(daily, same, { sink, ledger, earlier, ...budgeted({ model_calls: 5 }) }),
      (error) => error instanceof Interrupted && /budget of 5/.test(error.message),
    );
    assert.deepEqual(same.asked, [], "nothing is asked where nothing is left");
    const rest = spender();
    const again = (await findEarlier(sink, ledger)) as Earlier;
    const { report } = await runDaily(daily, rest, {
      sink,
      ledger,
      earlier: again,
      ...budgeted({ model_calls: 1000 }),
    });
    assert.equal(report.resultDigest, whole.report.resultDigest);
    const { entries } = readRun(sink.files);
    const answered = entries.filter((entry) => entry.kind === "answer").map((entry) => entry.case);
    assert.equal(answered.length, daily.set.cases.length);
    const twice = first.asked.filter((id) => rest.asked.includes(id));
    assert.equal(twice.length, 1, "the one whose second call was refused is asked again, and no other");
    const evidence = report.evidence as unknown as {
      models: { calls: number };
      usage: { input_tokens: number };
    };
    const calls = 2 * daily.set.cases.length + 1;
    assert.deepEqual([evidence.models.calls, evidence.usage.input_tokens], [calls, 100 * calls]);
    assert.equal(spentOf(entries).model_calls, calls);
  });

  it("is not touched by replies out of the cache, which the evidence counts apart", async () => {
    const { report } = await runDaily(daily, spender({ cached: true }), budgeted({ model_calls: 1 }));
    const { models, usage: used } = report.evidence as unknown as {
      models: { calls: number; cached: number };
      usage?: unknown;
    };
    assert.equal(models.cached, models.calls);
    assert.equal(used, undefined);
  });

  it("of a reader that tells its usage itself is counted by what it tells", async () => {
    const told: ReaderSource = {
      ...readerOf(() => ({ kind: "answer", probability: 0.5, usage })),
      adapter: "exec",
    };
    await assert.rejects(
      runDaily(daily, told, budgeted({ cost: 1 })),
      (error) => error instanceof Interrupted && /4 of .*budget of 1 cost: 1 spent/.test(error.message),
    );
  });
});

describe("a key that no endpoint takes", () => {
  it("stops the run, which can be resumed; of a process that says so, it is a fault like any other", async () => {
    const refused = {
      kind: "fault",
      class: "auth",
      message: "the endpoint answered 401",
      usage: null,
      stops: true,
    } as const;
    const source = readerOf(() => refused);
    await assert.rejects(
      runDaily(daily, { ...source, adapter: "http" }, { concurrency: 1 }),
      (error) => error instanceof Interrupted && /0 of .*answered 401/.test(error.message),
    );
    const { scores } = await runDaily(daily, { ...source, adapter: "exec" });
    assertEvery(scores, (score) => score.fault === "auth");
  });
});

describe("an endpoint that answers nothing", () => {
  /** A reader of an endpoint whose n-th trajectory ends so. */
  const source = (of: (n: number) => "fault" | "answer"): ReaderSource => {
    let n = 0;
    return {
      ...readerOf(() => assert.fail("opened below")),
      adapter: "http",
      open: (_checkpoint, opening: Opening) => ({
        async answer() {
          if (of(n++) === "answer") {
            opening.record(call);
            return { kind: "answer", probability: 0.5, usage };
          }
          opening.record({ ...call, class: "bad_request", status: 403, usage: noUsage });
          return { kind: "fault", class: "bad_request", message: "HTTP 403", usage: null };
        },
      }),
    };
  };

  it("stops the run after some cases, none of which is lost; once it has answered, a fault is its case's", async () => {
    const sink = memorySink();
    const ledger = memoryLedger();
    await assert.rejects(
      runDaily(
        daily,
        source(() => "fault"),
        { sink, ledger, concurrency: 1 },
      ),
      (error) =>
        error instanceof Interrupted &&
        /^stopped after 0 of .*no call of a model was ever answered: HTTP 403/.test(error.message),
    );
    const earlier = (await findEarlier(sink, ledger)) as Earlier;
    // The first case alone is turned down, always: it is passed over, asked again once others were answered, and stands then.
    await assert.rejects(
      runDaily(
        daily,
        source((n) => (n === 0 ? "fault" : "answer")),
        { sink, ledger, earlier, concurrency: 1 },
      ),
      (error) => error instanceof Interrupted && error.done === daily.set.cases.length - 1,
    );
    const again = (await findEarlier(sink, ledger)) as Earlier;
    const { scores } = await runDaily(
      daily,
      source(() => "fault"),
      { sink, ledger, earlier: again },
    );
    assert.deepEqual(
      scores.filter(({ state }) => state !== "answered").map(({ caseIndex, fault }) => [caseIndex, fault]),
      [[0, "bad_request"]],
    );
  });
});

describe("a budget of what nobody tells", () => {
  it("stops the run at the first answer: it could not hold", async () => {
    const silentOf = (kind: "answer" | "decline"): ReaderSource => ({
      ...readerOf(() =>
        kind === "answer"
          ? { kind, probability: 0.5, usage: null }
          : { kind, reason: "no", usage: { ...noUsage, model_calls: 1 } },
      ),
      adapter: "exec",
    });
    for (const kind of ["answer", "decline"] as const) {
      await assert.rejects(
        runDaily(daily, silentOf(kind), budgeted({ tokens: 1000 })),
        (error) =>
          error instanceof Interrupted &&
          /budget of 1000 tokens: the reader does not tell/.test(error.message),
      );
    }
    const { scores } = await runDaily(daily, silentOf("decline"), budgeted({ model_calls: 1000 }));
    assertEvery(scores, ({ state }) => state === "declined");
  });
});

describe("evidence of model calls", () => {
  it("says what was tried again, how often and why, and no result hangs on it", async () => {
    const plain = await runDaily(daily, spender());
    const retries = [
      { class: "rate_limit", status: 429, ms: 2, wait_ms: 1000 },
      { class: "transport", status: null, ms: 1, wait_ms: 500 },
    ] as const;
    const tried = await runDaily(daily, spender({ retries, usage: { ...usage, retries: 2 } }));
    assert.equal(tried.report.resultDigest, plain.report.resultDigest);
    const { models } = tried.report.evidence as unknown as { models: Record<string, unknown> };
    const count = 2 * daily.set.cases.length;
    assert.deepEqual(models["retries"], { rate_limit: count, transport: count });
    assert.equal(models["wait_ms"], 1500 * count);
    assert.deepEqual(models["served"], [{ endpoint: "test", model: "m", served: "m-1", calls: count }]);
    assert.equal((models["retried"] as unknown[]).length, daily.set.cases.length);
    assert.deepEqual((models["retried"] as unknown[])[0], {
      case: daily.set.cases[0]?.id,
      arm: "routed",
      repeat: 0,
      retries: { rate_limit: 2, transport: 2 },
    });
    const none = plain.report.evidence as unknown as { models: { retried: unknown[]; retries: object } };
    assert.deepEqual([none.models.retried, none.models.retries], [[], {}]);
  });

  it("is absent where nobody called a model", async () => {
    const { report } = await runDaily(
      daily,
      readerOf(() => ({ kind: "answer", probability: 0.5, usage: null })),
    );
    for (const key of ["models", "judges", "usage"])
      assert.equal(Object.hasOwn(report.evidence as object, key), false);
  });
});
