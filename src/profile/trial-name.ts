/** A trial's name for people: its start row, its reader, what it was given. */
import type { Trial } from "../ledger/trial-ledger.ts";

type Config = { readonly reader?: { readonly name?: unknown; readonly params?: unknown } } | null;

/** `12 module:timer.mjs rule=momentum months=6`; the seed where the same was tried before. */
export function trialName({ start, config, seed, first }: Trial): string {
  const { name, params } = (config as Config)?.reader ?? {};
  const given = typeof params === "object" && params !== null ? Object.entries(params) : [];
  const words = [
    String(start),
    ...(typeof name === "string" ? [name] : []),
    ...given.map(([key, value]) => `${key}=${String(value)}`),
    ...(seed === 1 && first === start ? [] : [`seed=${seed}`]),
  ];
  return words.join(" ");
}
