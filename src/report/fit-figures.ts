/** The figures of a fit as a report writes them: null where there is none, intervals, sweeps and what could be seen. */

import { type Interval, tInterval } from "../stats/cluster-mean.ts";
import type { CutoffEstimate, CutoffState } from "../stats/discontinuity.ts";
import { minimumDetectableEffect } from "../stats/power.ts";

/** What the fits of the discontinuity and of the control difference have in common. */
export type Fit = CutoffEstimate & { readonly state: CutoffState };

/** The same fit with the cutoff at another month of its interval. */
export type SensitivityRow = {
  readonly cutoff: string;
  readonly estimate: number | null;
  readonly se: number | null;
  readonly df: number | null;
  /** t interval, however many clusters there are. */
  readonly ci95: Interval | null;
  readonly state: CutoffState;
};

/** Least and greatest estimate of a sweep's estimated months, how many those are, and of how many. */
export type Envelope = {
  readonly lo: number;
  readonly hi: number;
  readonly estimated: number;
  readonly of: number;
};

/** A number of a fit, or null where it has none. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The estimate and its errors, each null where the fit is not estimable. */
export function shownFit(fit: Fit) {
  const shown = (value: number) => (fit.state === "not estimable" ? null : finiteOrNull(value));
  return {
    estimate: shown(fit.estimate),
    se: shown(fit.se),
    df: shown(fit.df),
    se_cr1: shown(fit.seCr1),
  };
}

export function sensitivityRow(cutoff: string, fit: Fit, level: number): SensitivityRow {
  const { estimate, se, df } = shownFit(fit);
  return { cutoff, estimate, se, df, ci95: tIntervalOf(fit, level), state: fit.state };
}

/** Least and greatest of the values; null where there is none. */
export function rangeOf(values: Iterable<number>): Interval | null {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return least > greatest ? null : [least, greatest];
}

/** null where no month of the sweep is estimated. */
export function envelopeOf(sweep: readonly SensitivityRow[]): Envelope | null {
  const estimates = sweep.flatMap(({ state, estimate }) =>
    state === "estimated" && estimate !== null ? [estimate] : [],
  );
  if (estimates.length === 0) return null;
  return {
    lo: Math.min(...estimates),
    hi: Math.max(...estimates),
    estimated: estimates.length,
    of: sweep.length,
  };
}

/** The t interval of an estimate; of a degenerate one the estimate itself; null where not estimable. */
export function tIntervalOf(fit: Fit, level: number): Interval | null {
  if (fit.state === "not estimable" || !Number.isFinite(fit.estimate)) return null;
  if (fit.state === "degenerate") return [fit.estimate, fit.estimate];
  return hasError(fit) ? tInterval(fit.estimate, fit.se, fit.df, level) : null;
}

/** The minimum detectable effect of an estimate; null unless it is estimated. */
export function detectable(fit: Fit, { level, power }: { level: number; power: number }): number | null {
  if (fit.state !== "estimated" || !hasError(fit)) return null;
  return minimumDetectableEffect({ se: fit.se, df: fit.df, alpha: 1 - level, power });
}

const hasError = ({ se, df }: Fit): boolean => Number.isFinite(se) && Number.isFinite(df) && df > 0;
