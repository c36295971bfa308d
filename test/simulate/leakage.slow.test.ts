/** What the leakage statistics promise, held against drawn data: coverage of their intervals, and stated power. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ForecastCase, parseForecastCase } from "../../src/caseset/forecast-case.ts";
import { contract } from "../../src/core/contract.ts";
import { type ArmScores, estimationOf } from "../../src/report/arm-scores.ts";
import { premiumOf } from "../../src/report/premium.ts";
import { planArms } from "../../src/run/arms.ts";
import { brier } from "../../src/stats/brier.ts";
import { tInterval } from "../../src/stats/cluster-mean.ts";
import { controlDifference } from "../../src/stats/control-difference.ts";
import {
  type CutoffEstimate,
  type CutoffSides,
  type CutoffState,
  discontinuity,
  discontinuityBootstrap,
} from "../../src/stats/discontinuity.ts";
import { mean, standardDeviation } from "../../src/stats/moments.ts";
import { minimumDetectableEffect } from "../../src/stats/power.ts";
import { familyOf } from "../support/daily-set.ts";
import { type Draws, draws, percent, share } from "./draws.ts";

const SEED = 42_001;
const RUNS = 2000;
const CASES = 5; // of a cluster, a side
const CLUSTER_SD = 0.1;
const CASE_SD = 0.2;

type Sample = { r: Float64Array; y: Float64Array; clusters: Int32Array; h: number };
type Design = (draw: Draws) => Sample;
type Found = CutoffEstimate & CutoffSides & { state: CutoffState };

/** y = .2 + .01 r + its cluster's effect + its own: no jump. */
function sample(draw: Draws, rows: readonly { r: number; cluster: number }[], h: number): Sample {
  const effects = new Map<number, number>();
  const y = rows.map(({ r, cluster }) => {
    if (!effects.has(cluster)) effects.set(cluster, CLUSTER_SD * draw.normal());
    return 0.2 + 0.01 * r + effects.get(cluster)! + CASE_SD * draw.normal();
  });
  return {
    r: Float64Array.from(rows, (row) => row.r),
    y: Float64Array.from(y),
    clusters: Int32Array.from(rows, (row) => row.cluster),
    h,
  };
}

/** A cluster is a month, on one side: its cases share r = ±(k + ½); as many months a side as the bandwidth. */
const months =
  (a: number): Design =>
  (draw) => {
    const rows = Array.from({ length: 2 * a * CASES }, (_, i) => {
      const cluster = Math.floor(i / CASES);
      return { r: cluster - a + 0.5, cluster };
    });
    return sample(draw, rows, a);
  };

/** A cluster is a family of questions with cases on both sides, r uniform in ±h. */
const families =
  (a: number): Design =>
  (draw) => {
    const rows = Array.from({ length: 2 * a * CASES }, (_, i) => ({
      r: (i % 2 === 0 ? -6 : 6) * draw.uniform(),
      cluster: Math.floor(i / (2 * CASES)),
    }));
    return sample(draw, rows, 6);
  };

/** Each case its own cluster, r uniform in ±h. */
const alone =
  (a: number): Design =>
  (draw) => {
    const rows = Array.from({ length: 2 * a }, (_, i) => ({
      r: (i % 2 === 0 ? -6 : 6) * draw.uniform(),
      cluster: i,
    }));
    return sample(draw, rows, 6);
  };

type Estimator = (of: Sample) => Found;

const clustered: Estimator = ({ r, y, clusters, h }) =>
  discontinuity({ r, y, clusters, better: "lower", bandwidth: h, donut: 0 });
const unclustered: Estimator = ({ r, y, h }) =>
  discontinuity({ r, y, better: "lower", bandwidth: h, donut: 0 });
/** The edge over the control has the design's noise and no trend. */
const control: Estimator = ({ r, y, clusters }) =>
  controlDifference({ d: y.map((value, i) => 0.01 * r[i]! - value), r, clusters });

/** The same cases, where those before the cutoff look better by `leak`. */
const planted = (of: Sample, leak: number): Sample => ({
  ...of,
  y: of.y.map((value, i) => (of.r[i]! < 0 ? value - leak : value)),
});

const excludes = (found: Found, value: number, se = found.se, df = found.df): boolean => {
  const [lo, hi] = tInterval(found.estimate, se, df, contract.bootstrapLevel);
  return value < lo || value > hi;
};

const SIZE = { alpha: 1 - contract.bootstrapLevel, power: contract.power };

/**
 * The design's own minimum detectable effect: a run's stated one is as uncertain as its error, so the error is
 * the root of the mean square (what CR2 aims at is the variance), the df their mean.
 */
function effectOf(runs: readonly Found[]): number {
  const se = Math.sqrt(mean(runs.map((run) => run.se * run.se)));
  return minimumDetectableEffect({ ...SIZE, se, df: mean(runs.map(({ df }) => df)) });
}

function study(t: TestContext, name: string, design: Design, estimator: Estimator) {
  const times = Array.from({ length: RUNS });
  const draw = draws(SEED, `${name}.null`);
  const none = times.map(() => estimator(design(draw)));
  assert.ok(none.every(({ state }) => state === "estimated"));
  const stated = mean(none.map(({ se, df }) => minimumDetectableEffect({ ...SIZE, se, df })));
  const effect = effectOf(none);
  const again = draws(SEED, `${name}.planted`);
  const leaky = times.map(() => estimator(planted(design(again), effect)));
  const measured = {
    coverage: share(none, (run) => !excludes(run, 0)),
    coverageCr1: share(none, (run) => !excludes(run, 0, run.seCr1, run.clusters - 1)),
    power: share(leaky, (run) => excludes(run, 0)),
    // An effect added is an estimate moved: the same runs, at the mean of what they state.
    powerAtMean: share(leaky, (run) => excludes({ ...run, estimate: run.estimate - effect + stated }, 0)),
  };
  const { coverage, coverageCr1, power, powerAtMean } = measured;
  t.diagnostic(
    `seed ${SEED}, ${RUNS} runs, ${name}: coverage ${percent(coverage)} (CR1, t(G−1): ${percent(coverageCr1)}), ` +
      `df ${mean(none.map(({ df }) => df)).toFixed(1)}, power ${percent(power)} at ${effect.toFixed(3)}, ` +
      `${percent(powerAtMean)} at the mean stated ${stated.toFixed(3)}`,
  );
  return measured;
}

const covers = (coverage: number) =>
  assert.ok(coverage >= 0.93 && coverage <= 0.97, `covers ${percent(coverage)}; seed ${SEED}`);
const detects = (power: number) =>
  assert.ok(Math.abs(power - contract.power) <= 0.03, `detected ${percent(power)}; seed ${SEED}`);

const KINDS = [
  ["months on one side", months],
  ["families on both sides", families],
] as const;

for (const [kind, design] of KINDS) {
  for (const a of [6, 12, 24]) {
    test(`discontinuity, clusters: ${kind}, ${a} a side: covers 93–97 %, detects its effect 80 % ± 3`, (t) => {
      const { coverage, coverageCr1, power } = study(t, `${a} ${kind}`, design(a), clustered);
      covers(coverage);
      detects(power);
      // Chapter 42: CR1 with t(G − 1) covers 75 % at six clusters a side.
      if (design === months && a === 6)
        assert.ok(Math.abs(coverageCr1 - 0.75) < 0.03, `CR1 covers ${percent(coverageCr1)}; seed ${SEED}`);
    });
  }
}

test("discontinuity, unclustered: 100 a side: HC1 covers 93–97 %, detects its effect 80 % ± 3", (t) => {
  const { coverage, power } = study(t, "100 cases, unclustered", alone(100), unclustered);
  covers(coverage);
  detects(power);
});

test("discontinuity, unclustered: at 20 a side HC1 falls short of 93 %, and CR2 of single cases does not", (t) => {
  const hc1 = study(t, "20 cases, unclustered", alone(contract.leakCases), unclustered);
  const cr2 = study(t, "20 cases, each its own cluster", alone(contract.leakCases), clustered);
  assert.ok(hc1.coverage < 0.93 && hc1.coverage > 0.89, `${percent(hc1.coverage)}; seed ${SEED}`);
  covers(cr2.coverage);
});

for (const [kind, design] of KINDS) {
  for (const a of [6, 12, 24]) {
    test(`controlDifference: ${kind}, ${a} a side: covers 93–97 %, detects its effect 80 % ± 3`, (t) => {
      const { coverage, power } = study(t, `control, ${a} ${kind}`, design(a), control);
      covers(coverage);
      detects(power);
    });
  }
}

test("discontinuityBootstrap: over 240 clusters covers 93–97 %; over 120 it is shown", (t) => {
  const runs = 1000;
  const coverage = (a: number) => {
    const draw = draws(SEED, `bootstrap.${a}`);
    const found = Array.from({ length: runs }, (_, seed) => {
      const { r, y, clusters, h } = months(a)(draw);
      const input = { r, y, clusters, better: "lower", bandwidth: h, donut: 0 } as const;
      return discontinuityBootstrap(input, {
        level: contract.bootstrapLevel,
        resamples: 199,
        seed,
        path: "leak",
      })!;
    });
    return share(found, ({ lo, hi }) => lo <= 0 && 0 <= hi);
  };
  const [least, twice] = [coverage(60), coverage(120)];
  t.diagnostic(
    `seed ${SEED}, ${runs} runs of 199 resamples: 120 clusters ${percent(least)}, 240 clusters ${percent(twice)}`,
  );
  covers(twice);
});

/**
 * Three cases a week over a year, each resolved after a week: half of them by the latest checkpoint's cutoff.
 * Two older checkpoints, to which the inside cases were routed.
 */
function premiumPlan() {
  const family = familyOf(
    ["m-a", "2019-05:documented"],
    ["m-b", "2019-07:documented"],
    ["m-c", "2019-11:documented"],
  );
  const day = (i: number) => `${new Date(Date.UTC(2019, 5, 3 + i)).toISOString().slice(0, 10)}T00:00:00Z`;
  const cases = Array.from({ length: 3 * 52 }, (_, i) => {
    const from = day(7 * Math.floor(i / 3) + (i % 3));
    const to = day(7 * Math.floor(i / 3) + (i % 3) + 7);
    return parseForecastCase(
      {
        id: `case-${i}`,
        kind: "forecast",
        question: "Will it?",
        freeze: from,
        reads: [],
        resolution: { statement: "it did", vintage: "first", at: to },
        label_interval: [from, to],
        answer: "probability",
        cluster: `week-${Math.floor(i / 3)}`,
      },
      "cases",
    ) as ForecastCase;
  });
  const outcomes = cases.map(
    (one) => ({ state: "settled", outcome: 0, resolvedAt: one.resolvedAt }) as const,
  );
  return { plan: planArms(cases, family, null), cases, outcomes };
}

/** How far a checkpoint's answer is from the outcome: .45, .4 and .25, wherever the case lies; noise by week and case. */
function armScores({ plan, cases }: ReturnType<typeof premiumPlan>, draw: Draws): Map<string, ArmScores> {
  const skill = new Map([
    ["m-a", 0.45],
    ["m-b", 0.4],
    ["m-c", 0.25],
  ]);
  const noise = new Map<string, number>();
  const drawn = (name: string, sd: number) => {
    if (!noise.has(name)) noise.set(name, sd * draw.normal());
    return noise.get(name)!;
  };
  const arms = new Map<string, Map<number, number>>();
  for (const { caseIndex, arm, checkpoint } of plan.assignments) {
    const { snapshot } = checkpoint!;
    const { cluster } = cases[caseIndex]!;
    const shared = drawn(`${cluster}`, 0.05) + drawn(`${caseIndex}`, 0.08);
    const own = drawn(`${cluster} ${snapshot}`, 0.03) + drawn(`${caseIndex} ${snapshot}`, 0.08);
    const wrong = Math.min(1, Math.max(0, skill.get(snapshot)! + shared + own));
    if (!arms.has(arm)) arms.set(arm, new Map());
    arms.get(arm)!.set(caseIndex, brier(wrong, 0));
  }
  const none = { cases: 0, trajectories: 0, answered: 0, declined: 0, faults: 0, unscored: 0 };
  return new Map([...arms].map(([arm, scores]) => [arm, { arm, brier: scores, ...none }]));
}

test("premiumOf: a latest checkpoint better by skill alone: inside < 0, net 0 on average and covered 93–97 %", (t) => {
  const made = premiumPlan();
  assert.deepEqual(
    made.plan.controls.map(({ snapshot }) => snapshot),
    ["m-a", "m-b"],
  );
  // The interval of net is by t: a bootstrap of the others is drawn once and not looked at.
  const estimation = estimationOf(made.cases, SEED, { resamples: 1, level: 0.95, cluster: "declared" });
  const draw = draws(SEED, "premium");
  const runs = Array.from({ length: RUNS }, () => {
    const { inside, net } = premiumOf(
      made.plan,
      made.outcomes,
      armScores(made, draw),
      estimation,
      "no family",
    );
    return { inside: inside!, net: net! };
  });
  const nets = runs.map(({ net }) => net.mean!);
  const [centre, error] = [mean(nets), standardDeviation(nets) / Math.sqrt(RUNS)];
  const coverage = share(runs, ({ net }) => net.ci95![0] <= 0 && 0 <= net.ci95![1]);
  const insides = runs.map(({ inside }) => inside.mean!);
  const { inside, net } = runs[0]!;
  t.diagnostic(
    `seed ${SEED}, ${RUNS} runs, ${inside.n} cases inside, ${net.clusters} weeks: inside ${mean(insides).toFixed(4)}, ` +
      `net ${centre.toFixed(5)} ± ${error.toFixed(5)}, covered ${percent(coverage)}`,
  );
  assert.ok(Math.abs(centre) <= 3 * error, `net ${centre} ± ${error}; seed ${SEED}`);
  covers(coverage);
  assert.ok(Math.max(...insides) < 0 && mean(insides) < -0.05, `inside ${mean(insides)}; seed ${SEED}`);
});
