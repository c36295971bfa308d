/** What a trajectory used of models: counted from its recorded calls, over all attempts, else as its reader said. */
import type { Retry, Usage } from "../model/reader.ts";
import { sumUsage } from "../model/token-usage.ts";
import type { Entry } from "../run/entry.ts";
import { attemptsOf } from "./trajectory-check.ts";

/** A call's class is null where it was answered. */
export type UsedCall = {
  readonly endpoint: string;
  readonly model: string;
  readonly served: string | null;
  readonly class: string | null;
  readonly cached: boolean;
  readonly retries: readonly Retry[];
  readonly ms: number;
};

export type ModelUse = {
  readonly calls: readonly UsedCall[];
  /** Calls of judges. */
  readonly judged: readonly UsedCall[];
  /** What was spent: calls out of the reply cache cost nothing. null where nobody says anything. */
  readonly usage: Usage | null;
};

export function modelUse(entries: readonly Entry[]): ModelUse {
  const called: (Usage | null)[] = [];
  for (const attempt of attemptsOf(entries)) {
    const models = attempt.filter((entry) => entry.kind === "model");
    for (const entry of models) called.push(entry.cached ? null : entry.usage);
    if (models.length > 0) continue;
    for (const entry of attempt)
      if (entry.kind === "answer" || entry.kind === "decline" || entry.kind === "fault")
        called.push(entry.usage);
  }
  const calls: UsedCall[] = [];
  const judged: UsedCall[] = [];
  for (const entry of entries) {
    if (entry.kind === "judge" && !entry.cached) called.push(entry.usage);
    if (entry.kind !== "model" && entry.kind !== "judge") continue;
    const { name: endpoint, model, served, class: of, cached, retries, ms } = entry;
    (entry.kind === "model" ? calls : judged).push({
      endpoint,
      model,
      served,
      class: of,
      cached,
      retries,
      ms,
    });
  }
  return { calls, judged, usage: sumUsage(called) };
}
