/** Paired rows: two models on the events that both answered. */

import { roundAll } from "../core/round.ts";
import { clusterNumbers } from "../stats/bootstrap.ts";
import { type Interval, pairedDifference, tInterval } from "../stats/cluster-mean.ts";
import { standardDeviation } from "../stats/moments.ts";

/** Of a mean below two events or two clusters there is no error: null. */
export type PairedRow = {
  readonly a: string;
  readonly b: string;
  /** Events that both answered. */
  readonly n: number;
  /** Of a − b, the outcomes as they stand. */
  readonly mean: number;
  /** s/√n: as if events were independent. */
  readonly se: number | null;
  /** CR1, √(G/(G − 1)) times the plain one of cluster sums: the form in which such errors are published. */
  readonly se_clustered: number | null;
  readonly clusters: number;
  /** t interval by CR2 and Bell–McCaffrey, which is the one to judge by. */
  readonly ci95: Interval | null;
};

export type PairedInput = {
  readonly a: string;
  readonly b: string;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly clusters: readonly string[];
};

/** The mean difference of a pair with its errors. Numbers are rounded. At least one event. */
export function pairedRow({ a, b, first, second, clusters }: PairedInput, level: number): PairedRow {
  const groups = clusterNumbers(clusters);
  const n = first.length;
  const differences = first.map((value, i) => value - second[i]!);
  const fit = pairedDifference(first, second, groups);
  return roundAll({
    a,
    b,
    n,
    mean: differences.reduce((sum, value) => sum + value, 0) / n,
    se: n < 2 ? null : standardDeviation(differences) / Math.sqrt(n),
    se_clustered: fit === null ? null : fit.seCr1,
    clusters: new Set(groups).size,
    ci95: fit === null ? null : tInterval(fit.mean, fit.se, fit.df, level),
  });
}
