/** Turns: calls that arrive at once are answered one after the other, each once what was said before is taken. */
import type { Readable, Writable } from "node:stream";
import { limits } from "../core/limits.ts";

export type Turns = {
  /** Does the work when it is its turn. */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Nobody reads any more: what is still to be done waits for nobody. */
  over(): void;
};

/**
 * A client that asks without reading is made to wait: while an answer is not taken no other is made, and while many
 * questions wait no more are read.
 */
export function turnsOver(input: Readable, output: Writable): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isOver = false;
  let wake: () => void = () => undefined;
  const quiet = async () => {
    await new Promise((resolve) => setImmediate(resolve)); // the answer before is written by now
    if (isOver || !output.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      output.once("drain", resolve);
    });
    output.off("drain", wake);
  };
  return {
    async take(work) {
      if (++waiting >= limits.turns && !isOver) input.pause();
      const mine = last.then(quiet).then(work);
      last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        if (--waiting < limits.turns && !isOver && input.isPaused()) input.resume();
      }
    },
    over() {
      isOver = true;
      wake();
    },
  };
}
