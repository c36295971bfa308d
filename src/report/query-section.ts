/** Queries of readers: how many named what only came to be known after the horizon, and what was taken out before that was said. */
import type { TrajectoryScore } from "../score/score-trajectory.ts";

type QueryCounts = {
  readonly queries: number;
  readonly findings: number;
  /** Later entities that the case's own text named, and that earlier replies did. */
  readonly subtracted: { readonly case: number; readonly served: number };
  /** Names that no row has. */
  readonly unknown: number;
};
export type QuerySection = { readonly [arm: string]: QueryCounts };

/** Per arm, over its trajectories. */
export function querySection(scores: readonly TrajectoryScore[]): QuerySection {
  const arms = [...new Set(scores.map(({ arm }) => arm))].sort();
  return Object.fromEntries(
    arms.map((arm) => {
      const own = scores.flatMap((score) =>
        score.arm === arm && score.queries !== null ? [score.queries] : [],
      );
      const sum = (pick: (one: (typeof own)[number]) => number) =>
        own.reduce((total, one) => total + pick(one), 0);
      return [
        arm,
        {
          queries: sum((one) => one.queries),
          findings: sum((one) => one.findings.length),
          subtracted: {
            case: sum((one) => one.subtracted.case),
            served: sum((one) => one.subtracted.served),
          },
          unknown: sum((one) => one.unknown),
        },
      ];
    }),
  );
}
