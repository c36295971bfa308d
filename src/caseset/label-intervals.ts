/** Label intervals in start order: over what time each case's label is formed, both ends included. */
import { formatInstant } from "../core/instant.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { CaseBase } from "./case-base.ts";

/** What t0 and t1 count: microseconds of instants, or days on a calendar of the cases' own. */
export type TimeUnit = "instant" | "day";

/** In start order: by t0, then t1, then id by code units. A case's position in it is its number everywhere here. */
export type LabelIntervals = {
  readonly unit: TimeUnit;
  /** In whose calendar a span's days are added; days are in none, and say UTC. */
  readonly zone: string;
  readonly ids: readonly string[];
  readonly t0: Float64Array;
  readonly t1: Float64Array;
};

/** Case by case, in any order. */
export type IntervalColumns = Pick<LabelIntervals, "ids" | "t0" | "t1">;

/**
 * Sorts cases into start order: the result depends on the cases alone, never on the order they come in. Refused:
 * NaN for an end (EvalLabelIntervalMissing), t1 < t0 (EvalLabelIntervalInvalid), an id twice (CaseDuplicate), no case
 * (SelectionEmpty). `placeOf` says where the case of a number came from.
 */
export function labelIntervals(
  columns: IntervalColumns,
  { unit, zone }: Pick<LabelIntervals, "unit" | "zone">,
  placeOf: (index: number) => Place = (index) => `intervals.${index}`,
): LabelIntervals {
  const { ids, t0, t1 } = columns;
  if (ids.length !== t0.length || ids.length !== t1.length)
    throw new RangeError(`${ids.length} ids, ${t0.length} starts and ${t1.length} ends: expected as many`);
  if (ids.length === 0) refuse("SelectionEmpty", { place: placeOf(0), selection: "no row", of: 0 });
  demandIntervals(columns, unit, placeOf);
  demandOnce(ids, placeOf);
  const order = startOrder(columns);
  if (order === null) return { unit, zone, ids, t0, t1 };
  const sorted = (values: Float64Array) => Float64Array.from(order, (index) => values[index] as number);
  return {
    unit,
    zone,
    ids: Array.from(order, (index) => ids[index] as string),
    t0: sorted(t0),
    t1: sorted(t1),
  };
}

/** Of a loaded case set, in its declared time zone. */
export function caseIntervals(
  cases: readonly Pick<CaseBase, "id" | "labelInterval" | "place">[],
  zone: string,
): LabelIntervals {
  const columns = {
    ids: cases.map(({ id }) => id),
    t0: Float64Array.from(cases, ({ labelInterval }) => labelInterval[0]),
    t1: Float64Array.from(cases, ({ labelInterval }) => labelInterval[1]),
  };
  return labelIntervals(columns, { unit: "instant", zone }, (index) => cases[index]?.place ?? "cases.jsonl");
}

/** A time as it is told. */
export function shownTime(unit: TimeUnit, at: number): string {
  return unit === "day" ? String(at) : formatInstant(at);
}

function demandIntervals(
  { ids, t0, t1 }: IntervalColumns,
  unit: TimeUnit,
  placeOf: (index: number) => Place,
): void {
  for (let i = 0; i < ids.length; i++) {
    const [start, end] = [t0[i] as number, t1[i] as number];
    if (start <= end && Math.abs(start) < Infinity && Math.abs(end) < Infinity) continue;
    const at = { place: placeOf(i), id: ids[i] as string };
    if (Number.isNaN(start) || Number.isNaN(end)) refuse("EvalLabelIntervalMissing", at);
    if (!Number.isFinite(start) || !Number.isFinite(end))
      throw new RangeError(`case ${at.id}: [${start}, ${end}], expected numbers that are finite`);
    const ends = { t0: shownTime(unit, start), t1: shownTime(unit, end) };
    refuse("EvalLabelIntervalInvalid", { ...at, ...ends });
  }
}

function demandOnce(ids: readonly string[], placeOf: (index: number) => Place): void {
  if (new Set(ids).size === ids.length) return;
  const first = new Map<string, number>();
  for (const [i, id] of ids.entries()) {
    const before = first.get(id);
    if (before !== undefined) refuse("CaseDuplicate", { place: placeOf(i), id, first: placeOf(before) });
    first.set(id, i);
  }
}

/** null where the cases stand in it already. */
function startOrder({ ids, t0, t1 }: IntervalColumns): Int32Array | null {
  const compare = (a: number, b: number): number => {
    const starts = (t0[a] as number) - (t0[b] as number);
    if (starts !== 0) return starts;
    const ends = (t1[a] as number) - (t1[b] as number);
    if (ends !== 0) return ends;
    return (ids[a] as string) < (ids[b] as string) ? -1 : 1;
  };
  let sorted = true;
  for (let i = 1; i < ids.length && sorted; i++) sorted = compare(i - 1, i) < 0;
  return sorted ? null : Int32Array.from(ids, (_, i) => i).sort(compare);
}
