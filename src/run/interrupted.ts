/** A run that ended early: what was recorded is kept where it is, and the rest was not begun. */
import { isRefusal } from "../core/refusal.ts";

export class Interrupted extends Error {
  readonly done: number;
  readonly of: number;
  /** The failure of storage that ended it; null where it was asked to stop. */
  readonly storage: Error | null;
  constructor(done: number, of: number, storage: Error | null) {
    super(`stopped after ${done} of ${of} trajectories`);
    this.name = "Interrupted";
    this.done = done;
    this.of = of;
    this.storage = storage;
  }
}

/** Once a run is open, a disk that fails leaves it incomplete; anything else that is thrown is passed on. */
export function interruptedBy(error: unknown, done: number, of: number): unknown {
  return isRefusal(error, "StorageFailed") ? new Interrupted(done, of, error) : error;
}
