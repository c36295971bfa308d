/** Leak tiers: each (document, case) once, at its greatest score, whichever arm, repeat or order it came in. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
import { byArm } from "../../src/report/arm-scores.ts";
import { documentSection } from "../../src/report/leak-tiers.ts";
import type { LeakRules } from "../../src/run/leak-rules.ts";
import { type DocumentScore, tierOf } from "../../src/score/leak-score.ts";
import type { TrajectoryScore } from "../../src/score/score-trajectory.ts";

const cases = ["one", "two"].map((id) => ({ id }) as ForecastCase);
const leak: LeakRules = { slices: null, threshold: 3, judge: "floor", queries: null } as never;
const estimation = { seed: 1, level: 0.95, resamples: 50, cluster: String };

const documentOf = (document: string, value: number | null, reason: string): DocumentScore => ({
  document,
  ref: `notes#${document}`,
  value,
  reason,
});
const scored = (
  caseIndex: number,
  arm: string,
  repeat: number,
  documents: readonly DocumentScore[],
): TrajectoryScore =>
  ({
    caseIndex,
    arm,
    repeat,
    brier: 0.1 + 0.2 * repeat,
    leak: { documents, tier: tierOf(documents), failures: [] },
  }) as never;

const scores = [
  scored(1, "latest", 0, [documentOf("a", null, "timeout"), documentOf("b", 0, "")]),
  scored(0, "latest", 0, [documentOf("a", 1, "first"), documentOf("b", 0, "")]),
  scored(0, "latest", 1, [documentOf("a", 4, "states it"), documentOf("b", 0, "")]),
  scored(0, "routed", 0, [documentOf("a", 2, "last"), documentOf("b", null, "timeout")]),
  scored(1, "routed", 0, [documentOf("a", 0, ""), documentOf("c", null, "timeout")]),
];

describe("documents", () => {
  for (const [order, given] of [
    ["as they came", scores],
    ["in reverse", scores.toReversed()],
  ] as const)
    it(`are counted once a case, at the greatest score over arms and repeats: ${order}`, () => {
      const section = documentSection(
        { cases, scores: given, arms: byArm(given), leak, estimation },
        "floor",
      );
      assert.deepEqual([section.documents, section.scored, section.unscored], [5, 4, 1]);
      assert.deepEqual(section.by_score, [3, 0, 0, 0, 1]);
      assert.deepEqual(section.told, [
        { case: "one", document: "a", ref: "notes#a", score: 4, reason: "states it" },
        { case: "two", document: "c", ref: "notes#c", score: null, reason: "timeout" },
      ]);
    });

  it("put a case into the tier of the worst of all its repeats, in each arm", () => {
    const { tiers } = documentSection({ cases, scores, arms: byArm(scores), leak, estimation }, "floor");
    const shown = (arm: string) =>
      tiers[arm]?.map(({ tier, cases: n, brier, median }) => [tier, n, brier.mean, median]);
    assert.deepEqual(shown("latest"), [
      [0, 1, 0.1, 0.1],
      [4, 1, 0.2, 0.2],
    ]);
    assert.deepEqual(shown("routed"), [
      [0, 1, 0.1, 0.1],
      [2, 1, 0.1, 0.1],
    ]);
  });
});
