/** Trials' names for people: the start row, the reader, what it was given, and what else tells two of them apart. */
import type { Trial } from "../ledger/trial-ledger.ts";
import type { TrialConfig } from "./trial-config.ts";

/**
 * `12 module:timer.mjs rule=momentum months=6`; then the filters and the limit of its cases, the seed where another could
 * be meant, the profile where the ledger's trials have several, and the start of the identity where all that is the same
 * of two that differ.
 */
export function trialNames(trials: readonly Trial[]): string[] {
  const profiles = new Set(trials.map(({ config }) => (config as TrialConfig)?.profile?.name));
  const words = trials.map((trial) => wordsOf(trial, profiles.size > 1));
  const identities = new Map<string, Set<string>>();
  trials.forEach(({ identity }, i) => {
    const same = identities.get(words[i] as string);
    identities.set(words[i] as string, (same ?? new Set()).add(identity));
  });
  return trials.map(({ start, identity }, i) => {
    const own = words[i] as string;
    const mark = (identities.get(own)?.size ?? 0) > 1 ? [identity.replace("sha256:", "").slice(0, 8)] : [];
    return [String(start), ...(own === "" ? [] : [own]), ...mark].join(" ");
  });
}

function wordsOf({ start, config, seed, first }: Trial, withProfile: boolean): string {
  const { reader, profile, cases } = (config ?? {}) as NonNullable<TrialConfig>;
  const params = reader?.params;
  const given = typeof params === "object" && params !== null ? Object.entries(params) : [];
  const filters = Array.isArray(cases?.filters) ? cases.filters.map(String) : [];
  return [
    ...(typeof reader?.name === "string" ? [reader.name] : []),
    ...given.map(([key, value]) => `${key}=${String(value)}`),
    ...filters,
    ...(typeof cases?.limit === "number" ? [`limit=${cases.limit}`] : []),
    ...(withProfile && typeof profile?.name === "string" ? [`profile=${profile.name}`] : []),
    ...(seed === 1 && first === start ? [] : [`seed=${seed}`]),
  ].join(" ");
}
