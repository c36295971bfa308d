/** Leak tiers: how cases scored whose worst document told nothing, something or everything of what came later. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { LeakRules } from "../run/leak-rules.ts";
import { type DocumentScore, type Tier, tierOf } from "../score/leak-score.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import type { Figure } from "../stats/figure.ts";
import { quantileSorted } from "../stats/quantile.ts";
import { type ArmScores, caseFigure, type Estimation } from "./arm-scores.ts";

export type TierRow = {
  readonly tier: Tier;
  /** Cases of the tier, and of those the ones with a score in `brier.n`. */
  readonly cases: number;
  readonly brier: Figure;
  readonly median: number | null;
};

/** A (document, case) whose score is above 0, or that has none. */
type Told = {
  readonly case: string;
  readonly document: string;
  readonly ref: string;
  readonly score: number | null;
  readonly reason: string;
};

export type DocumentSection = {
  readonly judge: string;
  /** Of cases that declare none. */
  readonly leak_threshold: number | null;
  /** Distinct (document, case) pairs: each once, with the greatest score that any of its judgements gave. */
  readonly documents: number;
  readonly scored: number;
  readonly unscored: number;
  readonly by_score: readonly [number, number, number, number, number];
  /** Those above 0, and those without a score, in the cases' order. */
  readonly told: readonly Told[];
  /** Cases are where their documents put them, not by chance: no tier is a control of another. */
  readonly observational: true;
  readonly tiers: { readonly [arm: string]: readonly TierRow[] };
};

const tiers: readonly Tier[] = ["no retrieval", "unscored", 0, 1, 2, 3, 4];

type Judged = {
  readonly cases: readonly BoundedCase[];
  readonly scores: readonly TrajectoryScore[];
  /** Of the same scores. */
  readonly arms: ReadonlyMap<string, ArmScores>;
  readonly leak: LeakRules;
  readonly estimation: Estimation;
};

export function documentSection(judged: Judged, judge: string): DocumentSection {
  const { cases, scores, leak } = judged;
  const pairs = pairsOf(scores);
  const by = (value: number) => pairs.filter(({ score }) => score.value === value).length;
  const told = pairs.filter(({ score }) => score.value !== 0);
  return {
    judge,
    leak_threshold: leak.threshold,
    documents: pairs.length,
    scored: pairs.filter(({ score }) => score.value !== null).length,
    unscored: pairs.filter(({ score }) => score.value === null).length,
    by_score: [by(0), by(1), by(2), by(3), by(4)],
    told: told.map(({ caseIndex, score: { document, ref, value, reason } }) => ({
      case: (cases[caseIndex] as BoundedCase).id,
      document,
      ref,
      score: value,
      reason,
    })),
    observational: true,
    tiers: tiersByArm(judged),
  };
}

type Pair = { readonly caseIndex: number; readonly score: DocumentScore };

/** One a (document, case), over arms and repeats, in the cases' order and then that of retrieval. */
function pairsOf(scores: readonly TrajectoryScore[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { caseIndex, leak } of scores) {
    for (const score of leak?.documents ?? []) {
      const key = `${caseIndex}\n${score.document}`;
      const known = pairs.get(key)?.score;
      if (known === undefined || (score.value ?? -1) > (known.value ?? -1))
        pairs.set(key, { caseIndex, score });
    }
  }
  return [...pairs.values()].sort((a, b) => a.caseIndex - b.caseIndex);
}

/** A case's tier in an arm is that of all documents of its repeats; its score is the arm's. */
function tiersByArm({ scores, arms, estimation }: Judged): DocumentSection["tiers"] {
  return Object.fromEntries(
    [...arms.keys()].sort().map((arm) => {
      const documents = new Map<number, DocumentScore[]>();
      for (const { arm: own, caseIndex, leak } of scores) {
        if (own !== arm) continue;
        const known = documents.get(caseIndex);
        if (known === undefined) documents.set(caseIndex, [...(leak?.documents ?? [])]);
        else known.push(...(leak?.documents ?? []));
      }
      const { brier } = arms.get(arm) as ArmScores;
      const cases = [...documents].map(([caseIndex, told]) => ({ caseIndex, tier: tierOf(told) }));
      const rows = tiers.flatMap((tier) => {
        const own = cases.filter((one) => one.tier === tier);
        if (own.length === 0) return [];
        const values = new Map(
          own.flatMap(({ caseIndex }) => {
            const value = brier.get(caseIndex);
            return value === undefined ? [] : [[caseIndex, value] as const];
          }),
        );
        const path = `leakage.documents.tiers.${arm}.${tier}.brier`;
        const sorted = Float64Array.from(values.values()).sort();
        return [
          {
            tier,
            cases: own.length,
            brier: caseFigure(values, path, estimation),
            median: sorted.length === 0 ? null : quantileSorted(sorted, 0.5),
          },
        ];
      });
      return [arm, rows];
    }),
  );
}
