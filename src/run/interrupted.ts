/** A run that ended early: what was recorded is kept where it is, and the rest was not begun. */
import { isRefusal } from "../core/refusal.ts";

export class Interrupted extends Error {
  readonly done: number;
  readonly of: number;
  /** What ended it: the disk, or the ledger; null where it was asked to stop. */
  readonly refusal: Error | null;
  /** A budget ended it, and the same one would again. */
  readonly overBudget: boolean;
  /** `why`: a reason that is no refusal, such as a budget that is reached. */
  constructor(
    done: number,
    of: number,
    refusal: Error | null,
    why: string | null = null,
    overBudget = false,
  ) {
    super(`stopped after ${done} of ${of} trajectories${why === null ? "" : `: ${why}`}`);
    this.name = "Interrupted";
    this.done = done;
    this.of = of;
    this.refusal = refusal;
    this.overBudget = overBudget;
  }
}

/** Once a run is open, a disk or a ledger that refuses leaves it incomplete; a bug is passed on. */
export function interruptedBy(error: unknown, done: number, of: number): unknown {
  return isRefusal(error) ? new Interrupted(done, of, error) : error;
}
