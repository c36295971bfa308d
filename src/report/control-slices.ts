/** Control rows: how much better a model is than a control before a split, against after it, on the same cases. */

import { formatMonth } from "../core/month.ts";
import { roundAll } from "../core/round.ts";
import { clusterNumbers } from "../stats/bootstrap.ts";
import type { Interval } from "../stats/cluster-mean.ts";
import { type ControlDifference, controlDifference } from "../stats/control-difference.ts";
import type { CutoffState } from "../stats/discontinuity.ts";
import {
  cutoffSpan,
  runningVariable,
  type SliceCutoff,
  type SliceOptions,
  sweptMonths,
} from "./cutoff-slices.ts";
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

/** One case that both answered. */
export type ControlCase = {
  /** As SliceCase's. */
  readonly at: number;
  readonly treated: number;
  readonly control: number;
  readonly cluster: string;
};

export type ControlRow = {
  readonly treated: string;
  readonly control: string;
  /** The last month before, or the interval that it lies in, as CutoffSlices has a cutoff. */
  readonly split: string;
  /** > 0 where the treated model's lead is greater before the split. Not estimable: it, its errors and the slope are null. */
  readonly estimate: number | null;
  /** CR2. */
  readonly se: number | null;
  readonly df: number | null;
  readonly se_cr1: number | null;
  readonly ci95: Interval | null;
  readonly clusters: number;
  readonly n_pre: number;
  readonly n_post: number;
  /** Slope of the lead per unit of r after the split: 0 where the lead is the treated model's skill alone. */
  readonly placebo_slope: number | null;
  /** t interval of that slope, by clusters: without 0 in it the lead drifts, so that the estimate may be drift too. */
  readonly placebo_ci95: Interval | null;
  readonly mde: number | null;
  readonly state: CutoffState;
  /** Whether the treated model's cutoff may lie after the split: it may then remember cases after it, too. */
  readonly before_cutoff: boolean;
  /** Least and greatest outcome of both; null where there is none. */
  readonly range: Interval | null;
  /** The same with the split at each month of its interval; none where it is one month. */
  readonly sensitivity: readonly SensitivityRow[];
  readonly envelope: Envelope | null;
};

export type ControlInput = {
  readonly treated: string;
  readonly control: string;
  readonly cases: readonly ControlCase[];
  /** As a cutoff: cases up to the end of its month are before. */
  readonly split: SliceCutoff;
  /** The last month that the treated model's cutoff may be; absent: the end of the split's interval. */
  readonly cutoffEnd?: number;
};

type ControlOptions = Pick<SliceOptions, "unit" | "better" | "power" | "level">;

/** The difference in differences of one pair of models, over all their shared cases. Numbers are rounded. Spec chapter 42. */
export function controlSlice(input: ControlInput, options: ControlOptions): ControlRow {
  const { cases, split } = input;
  const sign = options.better === "lower" ? 1 : -1;
  const d = Float64Array.from(cases, ({ treated, control }) => sign * (control - treated));
  const clusters = clusterNumbers(cases.map((one) => one.cluster));
  const fitAt = (month: number) =>
    controlDifference({
      d,
      r: Float64Array.from(cases, ({ at }) => runningVariable(at, month, options.unit)),
      clusters,
    });
  const at = split.point ?? split.hi;
  const fit = fitAt(at);
  const sensitivity = sweptMonths(split).map((month) =>
    sensitivityRow(formatMonth(month), fitAt(month), options.level),
  );
  return roundAll({
    treated: input.treated,
    control: input.control,
    split: cutoffSpan(split),
    ...shownFit(fit),
    ci95: tIntervalOf(fit, options.level),
    clusters: fit.clusters,
    n_pre: fit.nPre,
    n_post: fit.nPost,
    placebo_slope: fit.state === "not estimable" ? null : finiteOrNull(fit.placeboSlope),
    placebo_ci95: placeboInterval(fit, options.level),
    mde: detectable(fit, options),
    state: fit.state,
    before_cutoff: at < (input.cutoffEnd ?? split.hi),
    range: rangeOf(cases.flatMap(({ treated, control }) => [treated, control])),
    sensitivity,
    envelope: envelopeOf(sensitivity),
  });
}

function placeboInterval(fit: ControlDifference, level: number): Interval | null {
  const { placeboSlope: estimate, placeboSe: se, placeboDf: df } = fit;
  return fit.state === "estimated" ? tIntervalOf({ ...fit, estimate, se, df }, level) : null;
}
