/** The time that a reader from outside has for one case: it runs from when the reader is asked, and not while it waits for us. */

export type Deadline = {
  /** Aborted when the time is over; the first to ask for it starts the time. */
  readonly signal: () => AbortSignal;
  /** The time stands still until the work is done. */
  readonly paused: <T>(work: Promise<T>) => Promise<T>;
  readonly end: () => void;
};

/** `elapsed`: milliseconds of a clock that never steps back. */
export function createDeadline(seconds: number, elapsed: () => number): Deadline {
  const controller = new AbortController();
  let left = seconds * 1000;
  let since: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;
  let started = false;
  let ended = false;
  const run = () => {
    if (ended || pauses > 0 || since !== null) return;
    since = elapsed();
    timer = setTimeout(() => controller.abort(), Math.max(0, left));
  };
  const stop = () => {
    clearTimeout(timer);
    if (since !== null) left -= elapsed() - since;
    since = null;
  };
  return {
    signal() {
      if (!started) run();
      started = true;
      return controller.signal;
    },
    async paused(work) {
      if (pauses++ === 0) stop();
      try {
        return await work;
      } finally {
        if (--pauses === 0 && started) run();
      }
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
