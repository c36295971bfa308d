/** jstat, given the few types that the tests use. */

import { createRequire } from "node:module";

type Distribution = {
  cdf(x: number, ...parameters: number[]): number;
  inv(p: number, ...parameters: number[]): number;
};
type Jstat = {
  studentt: Distribution;
  normal: Distribution;
  mean(values: number[]): number;
  stdev(values: number[], sample?: boolean): number;
  skewness(values: number[]): number;
  /** Excess: 0 for a normal. */
  kurtosis(values: number[]): number;
  quantiles(values: number[], probabilities: number[], alpha: number, beta: number): number[];
};

const loaded: { jStat: Jstat } = createRequire(import.meta.url)("jstat");

export const oracle: Jstat = loaded.jStat;
