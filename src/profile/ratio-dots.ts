/** Ratios as dots of a picture: each with its errors, against the benchmark and what luck alone would reach. */
import type { Dots } from "../report/dot-range.ts";
import { shownGiven, shownRatio } from "./sharpe-words.ts";

/** Φ⁻¹(.975) */
const Z = 1.959963984540054;

/** With 1.96 standard errors a side; full above SR0. */
export function ratioDot(
  label: string,
  value: number,
  error: number | null,
  sr0: number | null,
): Dots["dots"][number] {
  return {
    label,
    value,
    reach: error === null ? null : [value - Z * error, value + Z * error],
    strong: sr0 !== null && value > sr0,
  };
}

/** The benchmark, and SR0 where it says something of luck. */
export function ratioLines(benchmark: number, sr0: number | null, trials: number): Dots["lines"] {
  const luck =
    sr0 === null || trials === 1
      ? []
      : [{ value: sr0, label: `SR0 ${shownRatio(sr0)}: the best of ${trials} by luck alone` }];
  return [{ value: benchmark, label: `${shownGiven(benchmark)}: the benchmark` }, ...luck];
}
