/** Seeded draws for simulations, on the engine's own stream. */

import { stream } from "../../src/core/random.ts";
import { normalQuantile } from "../../src/stats/normal.ts";

export type Draws = {
  /** In (0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
};

export function draws(seed: number, name: string): Draws {
  const { nextUint32 } = stream(seed, name);
  const uniform = () => (nextUint32() + 0.5) / 4_294_967_296;
  return { uniform, normal: () => normalQuantile(uniform()) };
}

/** Share of the runs, 0..1, that pass. */
export function share<T>(runs: readonly T[], passes: (run: T) => boolean): number {
  return runs.filter(passes).length / runs.length;
}

export const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
