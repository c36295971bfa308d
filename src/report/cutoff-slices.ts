/** Cutoff slices: the jump of the outcome at a model's cutoff, at three bandwidths and along its interval. */

import { contract } from "../core/contract.ts";
import { MICROS_PER_DAY } from "../core/instant.ts";
import { formatMonth } from "../core/month.ts";
import { roundAll } from "../core/round.ts";
import { type Cutoff, cutoffInstant } from "../model/cutoff.ts";
import { clusterNumbers } from "../stats/bootstrap.ts";
import type { Interval } from "../stats/cluster-mean.ts";
import {
  type Better,
  type CutoffState,
  type Discontinuity,
  type DiscontinuityInput,
  discontinuity,
  discontinuityBootstrap,
} from "../stats/discontinuity.ts";
import {
  detectable,
  type Envelope,
  envelopeOf,
  finiteOrNull,
  rangeOf,
  type SensitivityRow,
  sensitivityRow,
  shownFit,
  tIntervalOf,
} from "./fit-figures.ts";

export type { Envelope, SensitivityRow };

export type SliceCase = {
  /** When the case resolved: a month since year 0 (year × 12 + month − 1), or an Instant's microseconds. */
  readonly at: number;
  readonly outcome: number;
  readonly cluster: string;
};

export type SliceUnit = "months" | "days";

/** Months of a cutoff's interval, and within it the one at whose end r is 0; absent: `hi`. */
export type SliceCutoff = Pick<Cutoff, "lo" | "hi"> & { readonly point?: number };

export type SliceOptions = {
  /** What `at`, the bandwidth and the donut are counted in. */
  readonly unit: SliceUnit;
  readonly bandwidth: number;
  readonly donut: number;
  readonly better: Better;
  readonly power: number;
  readonly level: number;
  readonly resamples: number;
  readonly seed: number;
};

/**
 * One bandwidth. Not estimable: the estimate, its errors, df and interval are null. Degenerate: the interval is the
 * estimate itself. The interval is the bootstrap's from contract.bootstrapClusters clusters on, else t's.
 */
export type DiscontinuityRow = {
  readonly h: number;
  readonly estimate: number | null;
  readonly se: number | null;
  readonly df: number | null;
  readonly se_cr1: number | null;
  readonly ci95: Interval | null;
  /** What the interval is by; se and df are those of t in either case. */
  readonly method: "t" | "bootstrap";
  readonly n_pre: number;
  readonly n_post: number;
  readonly clusters_pre: number;
  readonly clusters_post: number;
  readonly state: CutoffState;
};

/** A weighted line of one side: its value at r = 0 and its slope per unit of r. */
export type SideLine = { readonly level: number; readonly slope: number };

export type CutoffPlot = {
  readonly unit: SliceUnit;
  readonly h: number;
  readonly donut: number;
  /** Least and greatest outcome of all cases, in no window; null where there is none. */
  readonly range: Interval | null;
  /** Mean outcome of the cases with from ≤ r < to, h/6 wide, from 0 outward within ±2h; bins without a case are left out. */
  readonly bins: readonly {
    readonly from: number;
    readonly to: number;
    readonly mean: number;
    readonly n: number;
  }[];
  /** The two lines at h; null where not estimable. */
  readonly fit: { readonly pre: SideLine; readonly post: SideLine } | null;
};

export type CutoffSlices = {
  /** `2026-01`, `2024-06..2024-10`, or `2024-06..2024-12, stated 2024-10`: the last month is the one at whose end r is 0. */
  readonly cutoff: string;
  /** Cases on each side, in no window. */
  readonly n: { readonly pre: number; readonly post: number };
  /** Mean before against mean after, over all cases, > 0 where before looks better; null where a side has none. No leakage: difficulty and era are in it. */
  readonly gap_not_leakage: number | null;
  /** At h/2, h and 2h. */
  readonly discontinuity: readonly DiscontinuityRow[];
  /** Month by month over the cutoff's interval, at h; none where the interval is one month. */
  readonly sensitivity: readonly SensitivityRow[];
  readonly envelope: Envelope | null;
  /** At h; null unless estimated there. */
  readonly mde: number | null;
  readonly plot: CutoffPlot;
};

/** Months: at − cutoffMonth − ½. Days: from the first instant after the cutoff's month, UTC. Negative is before the cutoff. */
export function runningVariable(at: number, cutoffMonth: number, unit: SliceUnit): number {
  return (at - origin(cutoffMonth, unit)) / (unit === "months" ? 1 : MICROS_PER_DAY);
}

/** As CutoffSlices has it under `cutoff`. */
export function cutoffSpan({ lo, hi, point = hi }: SliceCutoff): string {
  const months = lo === hi ? formatMonth(lo) : `${formatMonth(lo)}..${formatMonth(hi)}`;
  return point === hi ? months : `${months}, stated ${formatMonth(point)}`;
}

/**
 * The slices of one model's cases about the end of its cutoff's month. Every number is rounded to the report's digits.
 * `path` is the slices' place in the report and names the bootstrap's streams: `path.discontinuity.0` and so on.
 * Spec chapter 42.
 */
export function cutoffSlices(
  cases: readonly SliceCase[],
  cutoff: SliceCutoff,
  options: SliceOptions,
  path: string,
): CutoffSlices {
  const { unit, better, bandwidth: h, donut } = options;
  const y = Float64Array.from(cases, (one) => one.outcome);
  const clusters = clusterNumbers(cases.map((one) => one.cluster));
  const about = (r: Float64Array, bandwidth: number): DiscontinuityInput => ({
    r,
    y,
    better,
    clusters,
    bandwidth,
    donut,
  });
  const r = distances(cases, cutoff.point ?? cutoff.hi, unit);
  const fits = [h / 2, h, 2 * h].map((bandwidth) => {
    const input = about(r, bandwidth);
    return { input, fit: discontinuity(input) };
  });
  const middle = (fits[1] as (typeof fits)[number]).fit;
  const sensitivity = sweptMonths(cutoff).map((month) =>
    sensitivityRow(formatMonth(month), discontinuity(about(distances(cases, month, unit), h)), options.level),
  );
  const { pre, post } = sidesOf(r, y);
  const rise = post.total / post.n - pre.total / pre.n;
  return roundAll({
    cutoff: cutoffSpan(cutoff),
    n: { pre: pre.n, post: post.n },
    gap_not_leakage: finiteOrNull(better === "lower" ? rise : -rise),
    discontinuity: fits.map(({ input, fit }, i) =>
      discontinuityRow(input, fit, options, `${path}.discontinuity.${i}`),
    ),
    sensitivity,
    envelope: envelopeOf(sensitivity),
    mde: detectable(middle, options),
    plot: plotOf(r, y, middle, options),
  });
}

/** The months of an interval, or none where it is one month: nothing is swept there. */
export function sweptMonths({ lo, hi }: SliceCutoff): number[] {
  return lo === hi ? [] : Array.from({ length: hi - lo + 1 }, (_, i) => lo + i);
}

/** Where a month's cases before the cutoff end: r = 0. */
function origin(month: number, unit: SliceUnit): number {
  return unit === "months" ? month + 0.5 : cutoffInstant({ lo: month, hi: month, tag: "documented" });
}

function distances(cases: readonly SliceCase[], month: number, unit: SliceUnit): Float64Array {
  const zero = origin(month, unit);
  const one = unit === "months" ? 1 : MICROS_PER_DAY;
  const r = new Float64Array(cases.length);
  for (let i = 0; i < r.length; i++) r[i] = ((cases[i] as SliceCase).at - zero) / one;
  return r;
}

function discontinuityRow(
  input: DiscontinuityInput,
  fit: Discontinuity,
  options: SliceOptions,
  path: string,
): DiscontinuityRow {
  const { level, resamples, seed } = options;
  const resampled = fit.state === "estimated" && fit.clusters >= contract.bootstrapClusters;
  const drawn = resampled ? discontinuityBootstrap(input, { resamples, level, seed, path }) : null;
  return {
    h: input.bandwidth,
    ...shownFit(fit),
    ci95: resampled ? drawn && [drawn.lo, drawn.hi] : tIntervalOf(fit, level),
    method: resampled ? "bootstrap" : "t",
    n_pre: fit.nPre,
    n_post: fit.nPost,
    clusters_pre: fit.clustersPre,
    clusters_post: fit.clustersPost,
    state: fit.state,
  };
}

/** Σ and n of each side, over all cases. */
function sidesOf(r: Float64Array, y: Float64Array) {
  const pre = { n: 0, total: 0 };
  const post = { n: 0, total: 0 };
  for (let i = 0; i < r.length; i++) {
    const side = r[i]! < 0 ? pre : post;
    side.n += 1;
    side.total += y[i]!;
  }
  return { pre, post };
}

const BINS_PER_BANDWIDTH = 6;

function plotOf(r: Float64Array, y: Float64Array, fit: Discontinuity, options: SliceOptions): CutoffPlot {
  const width = options.bandwidth / BINS_PER_BANDWIDTH;
  const reach = 2 * BINS_PER_BANDWIDTH;
  const bins = Array.from({ length: 2 * reach }, () => ({ n: 0, total: 0 }));
  for (let i = 0; i < r.length; i++) {
    const bin = bins[Math.floor(r[i]! / width) + reach];
    if (bin === undefined) continue;
    bin.n += 1;
    bin.total += y[i]!;
  }
  return {
    unit: options.unit,
    h: options.bandwidth,
    donut: options.donut,
    range: rangeOf(y),
    bins: bins.flatMap(({ n, total }, i) =>
      n === 0 ? [] : [{ from: (i - reach) * width, to: (i - reach + 1) * width, mean: total / n, n }],
    ),
    fit: fit.state === "not estimable" ? null : { pre: fit.pre, post: fit.post },
  };
}
