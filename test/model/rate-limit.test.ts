import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { type Rates, rateLimit, timerSleep } from "../../src/model/rate-limit.ts";
import { assertEvery } from "../support/all.ts";

const free: Rates = { requestsPerMinute: null, tokensPerMinute: null, concurrency: 1000 };
const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands until everything waits, then goes to the next end of a sleep or of a request. */
function scheduler() {
  let at = 0;
  const due: { at: number; go: () => void }[] = [];
  const later = (ms: number) => new Promise<void>((resolve) => void due.push({ at: at + ms, go: resolve }));
  const sleep = (ms: number, signal: AbortSignal) =>
    Promise.race([
      later(ms),
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    ]);
  const run = async (): Promise<void> => {
    for (await settled(); due.length > 0; await settled()) {
      due.sort((a, b) => a.at - b.at);
      const next = due.shift() as { at: number; go: () => void };
      at = Math.max(at, next.at);
      next.go();
    }
  };
  return { elapsed: () => at, later, sleep, run };
}

type Wish = {
  readonly arrives: number;
  readonly takes: number;
  readonly expected: number;
  readonly used: number;
};
const wish: fc.Arbitrary<Wish> = fc.record({
  arrives: fc.integer({ min: 0, max: 90_000 }),
  takes: fc.integer({ min: 0, max: 20_000 }),
  expected: fc.integer({ min: 1, max: 50 }),
  used: fc.integer({ min: 0, max: 50 }),
});

/** When each wish started and ended, in the order of their starts. */
async function startsOf(rates: Rates, wishes: readonly Wish[]) {
  const time = scheduler();
  const limit = rateLimit(rates, time.elapsed, time.sleep);
  const starts: { wish: Wish; at: number; end: number }[] = [];
  const all = wishes.map(async (each) => {
    await time.later(each.arrives);
    const turn = await limit.turn(each.expected, never);
    if (typeof turn === "string") return assert.fail(turn);
    const start = { wish: each, at: time.elapsed(), end: time.elapsed() + each.takes };
    starts.push(start);
    await time.later(each.takes);
    turn.end(Math.min(each.used, each.expected));
  });
  await time.run();
  await Promise.all(all);
  return starts;
}

const inMinute = <T extends { at: number }>(starts: readonly T[], from: T) =>
  starts.filter(({ at }) => at >= from.at && at < from.at + 60_000);

test("rateLimit: in no minute, wherever it begins, more requests start than its rate, and all of them start", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wish, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (wishes, most) => {
        const starts = await startsOf({ ...free, requestsPerMinute: most }, wishes);
        assert.equal(starts.length, wishes.length);
        assertEvery(starts, (start) => inMinute(starts, start).length <= most);
      },
    ),
    { numRuns: 60 },
  );
});

test("rateLimit: in no minute more tokens are used than its rate, unless one request alone is more", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wish, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 5, max: 120 }),
      async (wishes, most) => {
        const starts = await startsOf({ ...free, tokensPerMinute: most }, wishes);
        assert.equal(starts.length, wishes.length);
        assertEvery(starts, (start) => {
          const window = inMinute(starts, start);
          const used = window.reduce((sum, each) => sum + Math.min(each.wish.used, each.wish.expected), 0);
          return used <= most || window.length === 1 || window[0]!.wish.expected > most;
        });
      },
    ),
    { numRuns: 60 },
  );
});

test("rateLimit: no more run at once than it allows, and they start in the order in which they came", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(wish, { selector: ({ arrives }) => arrives, minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (wishes, concurrency) => {
        const starts = await startsOf({ ...free, requestsPerMinute: 20, concurrency }, wishes);
        assertEvery(
          starts,
          ({ at }) => starts.filter((other) => other.at < at && other.end > at).length < concurrency,
        );
        const arrivals = starts.map((start) => start.wish.arrives);
        assert.deepEqual(
          arrivals,
          arrivals.toSorted((a, b) => a - b),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("rateLimit: without rates nothing waits, and a pause holds everybody back until it is over", async () => {
  const time = scheduler();
  const limit = rateLimit(free, time.elapsed, time.sleep);
  const started: number[] = [];
  const go = async () => {
    const turn = await limit.turn(1, never);
    started.push(time.elapsed());
    if (typeof turn !== "string") turn.end(null);
  };
  await go();
  limit.pause(700);
  limit.pause(300);
  const waiting = Promise.all([go(), go()]);
  await time.run();
  await waiting;
  assert.deepEqual(started, [0, 700, 700]);
});

test("rateLimit: whoever is out of time leaves the line at once, and those behind do not wait for it", async () => {
  const time = scheduler();
  const limit = rateLimit({ ...free, tokensPerMinute: 10 }, time.elapsed, time.sleep);
  const first = await limit.turn(5, never);
  const leaving = new AbortController();
  const big = limit.turn(10, leaving.signal);
  const small = limit.turn(5, never);
  await settled();
  leaving.abort();
  assert.equal(await big, "late");
  assert.equal(typeof (await small), "object");
  assert.equal(time.elapsed(), 0);
  assert.equal(await limit.turn(1, leaving.signal), "late");
  assert.equal(typeof first, "object");
});

test("rateLimit: as many wait as the limit, and they start one by one without a second look at the others", async () => {
  const limit = rateLimit({ ...free, concurrency: 1 }, () => 0, timerSleep);
  const leaving = new AbortController();
  const first = await limit.turn(1, never);
  const order: number[] = [];
  const all = Array.from({ length: limits.waiting }, async (_, i) => {
    const turn = await limit.turn(1, new AbortController().signal);
    if (typeof turn === "string") return;
    order.push(i);
    turn.end(null);
  });
  assert.equal(await limit.turn(1, leaving.signal), "full");
  if (typeof first !== "string") first.end(null);
  await Promise.all(all);
  assert.equal(order.length, limits.waiting);
  assertEvery(order, (value, i) => value === i);
});

test("timerSleep: ends at once when its signal aborts", async () => {
  const control = new AbortController();
  const slept = timerSleep(3_600_000, control.signal);
  control.abort();
  await slept;
  await timerSleep(3_600_000, control.signal);
});
