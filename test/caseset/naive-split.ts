/** Splits as their definition reads, case by case and pair by pair: what the sweeps are held against. */
import fc from "fast-check";
import { type LabelIntervals, labelIntervals } from "../../src/caseset/label-intervals.ts";
import type { SplitDefinition } from "../../src/caseset/split-definition.ts";
import type { Split } from "../../src/caseset/splits.ts";
import { addDuration, parseDuration } from "../../src/core/duration.ts";
import { type Instant, parseInstant } from "../../src/core/instant.ts";

export type Case = { readonly id: string; readonly t0: number; readonly t1: number };

export function intervalsOf(cases: readonly Case[], zone: string | null = null): LabelIntervals {
  return labelIntervals(
    {
      ids: cases.map(({ id }) => id),
      t0: Float64Array.from(cases, ({ t0 }) => t0),
      t1: Float64Array.from(cases, ({ t1 }) => t1),
    },
    zone === null ? { unit: "day", zone: "UTC" } : { unit: "instant", zone },
  );
}

/** `0..n−1` as ids `a0`, `a1`, …, each with its label. */
export function daily(labels: readonly (readonly [t0: number, t1: number])[]): Case[] {
  return labels.map(([t0, t1], i) => ({ id: `a${i}`, t0, t1 }));
}

export const meets = (a: Case, b: Case): boolean => a.t0 <= b.t1 && b.t0 <= a.t1;

export type NaiveSplit = {
  readonly train: string[];
  readonly test: string[];
  readonly purged: (readonly [id: string, by: string])[];
  readonly embargoed: (readonly [id: string, by: string])[];
};

/** `cases` in start order; `reachOf` an end. */
export function naiveSplit(
  cases: readonly Case[],
  tested: ReadonlySet<number>,
  reachOf: (end: number) => number,
): NaiveSplit {
  const split: NaiveSplit = { train: [], test: [], purged: [], embargoed: [] };
  const tests = [...cases.keys()].filter((i) => tested.has(i));
  const blocks: Case[][] = [];
  for (const i of tests) {
    if (tested.has(i - 1)) blocks.at(-1)?.push(cases[i]!);
    else blocks.push([cases[i]!]);
  }
  for (const [i, one] of cases.entries()) {
    if (tested.has(i)) {
      split.test.push(one.id);
      continue;
    }
    const met = tests.find((j) => meets(one, cases[j]!));
    if (met !== undefined) {
      split.purged.push([one.id, cases[met]!.id]);
      continue;
    }
    const close = blocks.find((block) => {
      const end = Math.max(...block.map(({ t1 }) => t1));
      return one.t0 > end && one.t0 <= reachOf(end);
    });
    if (close === undefined) split.train.push(one.id);
    else {
      const end = Math.max(...close.map(({ t1 }) => t1));
      split.embargoed.push([one.id, close.find(({ t1 }) => t1 === end)!.id]);
    }
  }
  return split;
}

export function startOrdered(cases: readonly Case[]): Case[] {
  return [...cases].sort((a, b) => a.t0 - b.t0 || a.t1 - b.t1 || (a.id < b.id ? -1 : 1));
}

/** Sizes as numpy's array_split has them. */
export function naiveGroups(from: number, to: number, groups: number): number[][] {
  const members = Array.from({ length: to - from }, (_, i) => from + i);
  return Array.from({ length: groups }, (_, group) => {
    const size = Math.floor((to - from) / groups) + (group < (to - from) % groups ? 1 : 0);
    return members.splice(0, size);
  });
}

/** By ids, as the naive ones are. */
export function named({ ids }: LabelIntervals, split: Split): NaiveSplit {
  const of = (positions: Int32Array) => Array.from(positions, (i) => ids[i]!);
  const pairs = (positions: Int32Array, by: Int32Array) =>
    Array.from(positions, (position, i) => [ids[position]!, ids[by[i]!]!] as const);
  return {
    train: of(split.train),
    test: of(split.test),
    purged: pairs(split.purged, split.purgedBy),
    embargoed: pairs(split.embargoed, split.embargoedBy),
  };
}

export const HOUR = 3_600_000_000;
/** Two days before the clocks of New York go forward, and the next such day's end. */
const SPRING = parseInstant("2024-03-08T05:00:00Z", "", "") as Instant;
export const NEW_YORK = "America/New_York";

/** Cases with ties, points, and labels much longer than others; days, or hours about a change of the clocks. */
export const someCases = fc
  .record({
    labels: fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), lengths()), { minLength: 1, maxLength: 24 }),
    zone: fc.constantFrom(null, "UTC", NEW_YORK),
  })
  .map(({ labels, zone }) => {
    const at = (hours: number) => (zone === null ? hours : SPRING + hours * HOUR);
    return {
      zone,
      cases: labels.map(([t0, length], i) => ({ id: `c${i}`, t0: at(t0), t1: at(t0 + length) })),
    };
  });

function lengths() {
  return fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: 0, max: 50 }),
  );
}

export const someSpan = fc.constantFrom("P0D", "P1D", "P2D", "PT5H", "P1DT1H", "P9D", "P50D", "PT0.000001S");

export function naiveReach(zone: string | null, span: string): (end: number) => number {
  const duration = parseDuration(span, "", "");
  if (duration === undefined) throw new Error(span);
  return zone === null
    ? (end) => end + duration.days + duration.micros / (24 * HOUR)
    : (end) => addDuration(zone, end as Instant, duration);
}

export const someDefinition: fc.Arbitrary<SplitDefinition> = fc.oneof(
  fc.record({
    kind: fc.constant("kfold" as const),
    folds: fc.integer({ min: 2, max: 7 }),
    embargo: someSpan,
  }),
  fc.tuple(fc.integer({ min: 2, max: 6 }), fc.nat(), someSpan).map(([groups, pick, embargo]) => ({
    kind: "combinatorial" as const,
    groups,
    test_groups: 1 + (pick % (groups - 1)),
    embargo,
  })),
  fc
    .tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.option(fc.integer({ min: 1, max: 9 })),
      fc.option(fc.nat(6)),
      someSpan,
    )
    .map(([folds, least, more, embargo]) => ({
      kind: "walk-forward" as const,
      folds,
      ...(least === null ? {} : { minimum_train: least }),
      ...(more === null ? {} : { rolling: (least ?? 1) + more }),
      embargo,
    })),
);
