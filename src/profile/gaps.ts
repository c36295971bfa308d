/** Gaps of an account: where cases of the set lie between two of its own, nothing is held, and no period is counted. */
import { type Static, Type } from "@sinclair/typebox";
import type { DecisionCase } from "../caseset/decision-case.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import type { Place } from "../core/refusal.ts";
import type { Decision } from "./fills.ts";
import { type SliceName, sliceNames, sliceOf } from "./slices.ts";

/** Of each slice the horizons at which a gap begins, ascending: of a set's cases that a run does not ask. */
export type Skipped = ReadonlyMap<SliceName, readonly Instant[]>;

/** Of the cases of a set that were not selected, the first after each that was, as long as another comes later. */
export function skippedOf(all: readonly DecisionCase[], selected: readonly DecisionCase[]): Skipped {
  const skipped = new Map<SliceName, readonly Instant[]>();
  const chosen = new Set(selected.map(({ id }) => id));
  for (const slice of sliceNames) {
    const others = all.filter((item) => sliceOf(item) === slice && !chosen.has(item.id));
    const own = selected.filter((item) => sliceOf(item) === slice).map(({ horizon }) => horizon);
    const begun = gapsAfter(sortedInstants(own), sortedInstants(others.map(({ horizon }) => horizon)));
    const gaps = begun.filter((at) => at !== null);
    if (gaps.length > 0) skipped.set(slice, gaps);
  }
  return skipped;
}

/** For each of `own` the first of `others` that lies between it and the next one of `own`; null where none does. Both ascend. */
export function gapsAfter(own: readonly Instant[], others: readonly Instant[]): (Instant | null)[] {
  let at = 0;
  return own.map((horizon, i) => {
    while (at < others.length && (others[at] as Instant) <= horizon) at++;
    const [first, next] = [others[at], own[i + 1]];
    return first !== undefined && next !== undefined && first < next ? first : null;
  });
}

/** What a case was answered, at its horizon. */
type Answered = Pick<Decision, "id" | "positions"> & { readonly horizon: Instant };

/**
 * The decisions of an account, `latency` micros after their horizons: those of `answered`, which ascend, and where one of
 * `others` (in any order) lies before the next of them, one at it that sells all. `gaps`: how many such there are.
 */
export function decisionsWithGaps(
  answered: readonly Answered[],
  others: readonly Instant[],
  latency: number,
): { readonly decisions: readonly Decision[]; readonly gaps: number } {
  const own = answered.map(({ horizon }) => horizon);
  const begun = gapsAfter(own, sortedInstants(others));
  const after = (at: Instant) => (at + latency) as Instant;
  const decisions = answered.flatMap(({ id, horizon, positions }, i): Decision[] => {
    const gap = begun[i] ?? null;
    const out = gap === null ? [] : [{ id, at: after(gap), positions: {} }];
    return [{ id, at: after(horizon), positions }, ...out];
  });
  return { decisions, gaps: decisions.length - answered.length };
}

const sortedInstants = (instants: readonly Instant[]): Instant[] => [...instants].sort((a, b) => a - b);

/** As a stamp has it, slice by slice. */
export const SkippedOnDisk = Type.Partial(
  Type.Object(
    { universe: instants(), fixed_universe: instants(), all: instants() },
    { additionalProperties: false },
  ),
);
export type SkippedOnDisk = Static<typeof SkippedOnDisk>;

function instants() {
  return Type.Array(Type.String(), { minItems: 1 });
}

export function skippedOnDisk(skipped: Skipped): SkippedOnDisk {
  return Object.fromEntries([...skipped].map(([slice, at]) => [slice, at.map(formatInstant)]));
}

export function parseSkipped(disk: SkippedOnDisk, place: Place): Skipped {
  return new Map(
    sliceNames.flatMap((slice): [SliceName, readonly Instant[]][] => {
      const found = disk[slice];
      if (found === undefined) return [];
      const field = `stamp.execution.skipped.${slice}`;
      return [[slice, sortedInstants(found.map((text) => parseInstant(text, place, field) as Instant))]];
    }),
  );
}
