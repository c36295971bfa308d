/** A case's time: from when it is asked for, standing still while it waits, over once. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createDeadline } from "../../src/run/deadline.ts";

test("a deadline begins with the first who asks for it, stands still while something waits, and is over when its time is", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
  };
  try {
    const deadline = createDeadline(10, () => now);
    pass(60_000);
    const signal = deadline.signal();
    assert.equal(signal.aborted, false, "nobody had asked for it");
    pass(9_000);
    let go = () => {};
    const first = deadline.paused(new Promise<string>((resolve) => (go = () => resolve("done"))));
    const second = deadline.paused(Promise.resolve());
    await second;
    pass(60_000);
    assert.equal(signal.aborted, false, "one of two still waits");
    go();
    assert.equal(await first, "done");
    pass(999);
    assert.equal(deadline.signal().aborted, false);
    pass(1);
    assert.equal(signal.aborted, true);
    await assert.rejects(deadline.paused(Promise.reject(new Error("as it was"))), /as it was/);
    const ended = createDeadline(1, () => now);
    ended.signal();
    ended.end();
    pass(2_000);
    assert.equal(ended.signal().aborted, false, "an answer had come");
  } finally {
    mock.timers.reset();
  }
});
