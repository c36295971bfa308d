/** The smallest effect that a design could have detected. */

import { normalQuantile } from "./normal.ts";
import { studentQuantile } from "./student.ts";

export type PowerInput = {
  /** Standard error of the estimate, ≥ 0, in the units of the effect. */
  se: number;
  /** Degrees of freedom of se; null for the normal quantiles. */
  df: number | null;
  /** Two-sided size, in (0, 1). */
  alpha: number;
  /** In (0, 1). */
  power: number;
};

/**
 * Minimum detectable effect (q(1 − α/2) + q(power))·se, q of Student's t with df, or of the normal for null.
 * ≥ 0, lower is a sharper design; a true effect of that size is found significant with the given power.
 * Throws RangeError outside the ranges above. Bloom (1995), Evaluation Review 19(5).
 */
export function minimumDetectableEffect({ se, df, alpha, power }: PowerInput): number {
  if (!(se >= 0 && Number.isFinite(se))) throw new RangeError(`se: expected a finite number >= 0, got ${se}`);
  if (!(alpha > 0 && alpha < 1)) throw new RangeError(`alpha: expected a number in (0, 1), got ${alpha}`);
  if (!(power > 0 && power < 1)) throw new RangeError(`power: expected a number in (0, 1), got ${power}`);
  const quantile = (p: number) => (df === null ? normalQuantile(p) : studentQuantile(p, df));
  return (quantile(1 - alpha / 2) + quantile(power)) * se;
}
