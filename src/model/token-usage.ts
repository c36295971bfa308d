/** What model calls used: tokens as the replies report them, cost by an endpoint's amounts, sums of a trajectory. */
import { limits } from "../core/limits.ts";
import type { Completion } from "./chat.ts";
import { noUsage, type Usage } from "./reader.ts";

/** What a million tokens cost. */
export type TokenCost = {
  readonly input: number;
  readonly cached_input: number;
  readonly output: number;
  readonly currency: string;
};

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

/** `cached` are among the `input` tokens. */
export function costOf(cost: TokenCost, input: number, cached: number, output: number): number {
  const cheap = Math.min(cached, input);
  return ((input - cheap) * cost.input + cheap * cost.cached_input + output * cost.output) / 1e6;
}

/** Field by field, of what is known; a field is null where nobody reported it, and the whole where nobody said anything. */
export function sumUsage(parts: readonly (Usage | null)[]): Usage | null {
  const known = parts.filter((one) => one !== null);
  if (known.length === 0) return null;
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = { ...noUsage };
  for (const usage of known)
    for (const field of Object.keys(noUsage) as (keyof Usage)[]) {
      const value = usage[field];
      if (value !== null) sum[field] = (sum[field] ?? 0) + value;
    }
  return sum;
}
