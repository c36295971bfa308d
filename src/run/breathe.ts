/** Long work in one thread lets signals, timers and pending writes have their turn. */

const EVERY_MS = 50;

/** Resolves at once, or after one turn of the event loop where the last was long ago. */
export function breather(elapsed: () => number): () => Promise<void> {
  let last = elapsed();
  return async () => {
    if (elapsed() - last < EVERY_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = elapsed();
  };
}
