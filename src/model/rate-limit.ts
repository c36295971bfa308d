/** How often an endpoint is asked: requests and tokens of any minute, requests at once, a pause that all keep. */
import { limits } from "../core/limits.ts";

const MINUTE_MS = 60_000;

/** Ends after `ms`, or at once when the signal aborts; it never throws. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sleeps by the timers of this process. */
export const timerSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });

export type Rates = {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number;
};

/** A request that may go: `end` says that it came back, and the tokens that it used, null where nobody said. */
export type Turn = { readonly end: (tokens: number | null) => void };

export type RateLimit = {
  /** Waits for a turn, first come, first served: `late` where the signal aborted first, `full` where too many wait. */
  turn(tokens: number, signal: AbortSignal): Promise<Turn | "late" | "full">;
  /** No request goes before so many milliseconds have passed. */
  pause(ms: number): void;
};

type Waiter = { readonly tokens: number; go: ((turn: Turn) => void) | null };

/**
 * `requestsPerMinute` requests start in no minute, wherever it begins, more; `tokensPerMinute` likewise, each request
 * with its estimate until `end` says better; one of more than the whole goes when it is alone. O(1) a request.
 */
export function rateLimit(rates: Rates, elapsed: () => number, sleep: Sleep): RateLimit {
  const started = slidingWindow(rates.requestsPerMinute ?? Number.POSITIVE_INFINITY);
  const spent = slidingWindow(rates.tokensPerMinute ?? Number.POSITIVE_INFINITY);
  const queue = waitingLine();
  const alarm = oneAlarm(sleep);
  let running = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const start = ({ tokens: expected, go }: Waiter): void => {
    const at = elapsed();
    started.add(at, 1);
    const charge = spent.add(at, expected);
    running++;
    let ended = false;
    const end = (tokens: number | null) => {
      if (ended) return;
      ended = true;
      running--;
      if (tokens !== null) spent.correct(charge, tokens);
      alarm.stop(); // what was waited for may be there sooner
      advance();
    };
    go?.({ end });
  };

  /** Starts whoever may, in order; where the first may not yet, once it may. */
  const advance = (): void => {
    for (let first = queue.first(); first !== undefined; first = queue.first()) {
      if (running >= rates.concurrency) return;
      const now = elapsed();
      const at = Math.max(pausedUntil, started.free(now, 1), spent.free(now, first.tokens));
      if (at > now) {
        alarm.set(at - now, advance);
        return;
      }
      queue.shift();
      start(first);
    }
    alarm.stop();
  };

  return {
    turn: (tokens, signal) => {
      if (signal.aborted) return Promise.resolve("late");
      if (queue.size() >= limits.waiting) return Promise.resolve("full");
      return new Promise((resolve) => {
        const late = () => {
          waiter.go = null;
          queue.left();
          resolve("late");
          alarm.stop(); // it may have been the one that was waited for
          advance();
        };
        const go = (turn: Turn) => {
          signal.removeEventListener("abort", late);
          resolve(turn);
        };
        const waiter: Waiter = { tokens, go };
        signal.addEventListener("abort", late, { once: true });
        queue.push(waiter);
        advance();
      });
    },
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, elapsed() + ms);
    },
  };
}

/** One sleep at a time: set while one is under way, it changes nothing. */
function oneAlarm(sleep: Sleep): { set(ms: number, ring: () => void): void; stop(): void } {
  let under: AbortController | null = null;
  return {
    set: (ms, ring) => {
      if (under !== null) return;
      const mine = new AbortController();
      under = mine;
      void sleep(Math.ceil(ms), mine.signal).then(() => {
        if (under !== mine) return;
        under = null;
        ring();
      });
    },
    stop: () => {
      under?.abort();
      under = null;
    },
  };
}

/** `kept`: its minute is not over. */
type Charge = { readonly at: number; amount: number; kept: boolean };

/** Charges of the last minute and their sum. */
function slidingWindow(most: number): {
  /** The earliest instant, from `now`, at which so much more fits. */
  free(now: number, amount: number): number;
  add(at: number, amount: number): Charge;
  correct(charge: Charge, amount: number): void;
} {
  let charges: Charge[] = [];
  let head = 0;
  let sum = 0;
  const forget = (now: number): void => {
    for (; head < charges.length && (charges[head] as Charge).at + MINUTE_MS <= now; head++) {
      const charge = charges[head] as Charge;
      sum -= charge.amount;
      charge.kept = false;
    }
    if (head > 1000 && head * 2 > charges.length) {
      charges = charges.slice(head);
      head = 0;
    }
  };
  return {
    free: (now, amount) => {
      if (most === Number.POSITIVE_INFINITY) return now;
      forget(now);
      // The oldest charge must go before any other can: whoever waits looks again then.
      return head === charges.length || sum + amount <= most ? now : (charges[head] as Charge).at + MINUTE_MS;
    },
    add: (at, amount) => {
      const charge = { at, amount, kept: true };
      if (most === Number.POSITIVE_INFINITY) return charge;
      charges.push(charge);
      sum += amount;
      return charge;
    },
    correct: (charge, amount) => {
      if (charge.kept) sum += amount - charge.amount;
      charge.amount = amount;
    },
  };
}

/** Waiters in order; those that left stand in it until they are first, or until they are the most of it. */
function waitingLine(): {
  size(): number;
  push(waiter: Waiter): void;
  first(): Waiter | undefined;
  shift(): void;
  /** One of them left: its `go` is null. */
  left(): void;
} {
  let line: Waiter[] = [];
  let head = 0;
  let gone = 0;
  return {
    size: () => line.length - head - gone,
    push: (waiter) => void line.push(waiter),
    first: () => {
      for (; head < line.length && (line[head] as Waiter).go === null; head++) gone--;
      return line[head];
    },
    shift: () => {
      head++;
      if (head <= 1000 || head * 2 <= line.length) return;
      line = line.slice(head);
      head = 0;
    },
    left: () => {
      gone++;
      if (gone <= 1000 || gone * 2 <= line.length - head) return;
      line = line.slice(head).filter((waiter) => waiter.go !== null);
      head = 0;
      gone = 0;
    },
  };
}
