/** Evidence of model calls: how many, which model served them, what was tried again and why, what was spent. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Json } from "../core/canonical.ts";
import { sumUsage } from "../model/token-usage.ts";
import type { UsedCall } from "../score/model-use.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";

/** `models`, `judges` and `usage`, each only where there is something to say: a reader without models says nothing. */
export function modelEvidence(
  cases: readonly BoundedCase[],
  scores: readonly TrajectoryScore[],
): { readonly [key: string]: Json } {
  const usage = sumUsage(scores.map((score) => score.models.usage));
  const models = callsJson(cases, scores, (score) => score.models.calls);
  const judges = callsJson(cases, scores, (score) => score.models.judged);
  return {
    ...(models === null ? {} : { models }),
    ...(judges === null ? {} : { judges }),
    ...(usage === null ? {} : { usage: { ...usage } }),
  };
}

function callsJson(
  cases: readonly BoundedCase[],
  scores: readonly TrajectoryScore[],
  pick: (score: TrajectoryScore) => readonly UsedCall[],
): Json {
  const calls = scores.flatMap(pick);
  if (calls.length === 0) return null;
  const retries = calls.flatMap((call) => call.retries);
  return {
    calls: calls.length,
    cached: calls.filter((call) => call.cached).length,
    failed: countBy(calls.flatMap((call) => (call.class === null ? [] : [call.class]))),
    retries: countBy(retries.map((retry) => retry.class)),
    wait_ms: retries.reduce((total, retry) => total + retry.wait_ms, 0),
    ms: calls.reduce((total, call) => total + call.ms, 0),
    served: servedJson(calls),
    retried: scores.flatMap((score) => {
      const again = pick(score).flatMap((call) => call.retries);
      if (again.length === 0) return [];
      const { caseIndex, arm, repeat } = score;
      const { id } = cases[caseIndex] as BoundedCase;
      return [{ case: id, arm, repeat, retries: countBy(again.map((retry) => retry.class)) }];
    }),
  };
}

/** Which model the replies named, where another was asked for too. */
function servedJson(calls: readonly UsedCall[]): Json {
  const counts = new Map<string, { readonly call: UsedCall; count: number }>();
  for (const call of calls) {
    const key = JSON.stringify([call.endpoint, call.model, call.served]);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { call, count: 1 });
    else known.count++;
  }
  return [...counts.keys()].sort().map((key) => {
    const { call, count } = counts.get(key) as { call: UsedCall; count: number };
    return { endpoint: call.endpoint, model: call.model, served: call.served, calls: count };
  });
}

function countBy(names: readonly string[]): { readonly [name: string]: number } {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
