/** What model calls used: tokens as the replies report them, cost by an endpoint's amounts, sums of a trajectory. */
import { limits } from "../core/limits.ts";
import type { Completion } from "./chat.ts";
import type { TokenCost } from "./endpoint.ts";
import { noUsage, type Usage } from "./reader.ts";

/** Of one call. Cost is unknown where the reply does not report both counts, or the endpoint names no amounts. */
export function callUsage(
  tokens: Completion["tokens"] | null,
  retries: number,
  cost: TokenCost | null,
): Usage {
  const { input = null, cached = null, output = null } = tokens ?? {};
  const amount =
    cost === null || input === null || output === null ? null : costOf(cost, input, cached ?? 0, output);
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    cost: amount === null || amount > limits.usage ? null : amount,
    model_calls: 1,
    retries,
  };
}

function costOf(cost: TokenCost, input: number, cached: number, output: number): number {
  const cheap = Math.min(cached, input);
  return ((input - cheap) * cost.input + cheap * cost.cached_input + output * cost.output) / 1e6;
}

/** Field by field; null where no call reported it. */
export function summedUsage(usages: readonly Usage[]): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = { ...noUsage, model_calls: 0, retries: 0 };
  for (const usage of usages)
    for (const field of Object.keys(noUsage) as (keyof Usage)[]) {
      const value = usage[field];
      if (value !== null) sum[field] = (sum[field] ?? 0) + value;
    }
  return sum;
}
