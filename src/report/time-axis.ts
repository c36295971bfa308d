/** The axis of time of a picture: ticks at the starts of years, months, days, hours, minutes or seconds, in UTC. */
import { dateOfDay, dayNumber, formatInstant, MICROS_PER_DAY, MICROS_PER_SECOND } from "../core/instant.ts";

export type TimeTick = { readonly at: number; readonly label: string };

type Step = { readonly months: number } | { readonly micros: number };

const HOUR = 3600 * MICROS_PER_SECOND;
const MINUTE = 60 * MICROS_PER_SECOND;

/** From the finest. */
const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30].map((seconds) => ({ micros: seconds * MICROS_PER_SECOND })),
  ...[1, 5, 15, 30].map((minutes) => ({ micros: minutes * MINUTE })),
  ...[1, 3, 6, 12].map((hours) => ({ micros: hours * HOUR })),
  ...[1, 2, 7, 14].map((days) => ({ micros: days * MICROS_PER_DAY })),
  ...[1, 3, 6].map((months) => ({ months })),
  ...[1, 2, 5, 10, 20, 50, 100, 200].map((years) => ({ months: 12 * years })),
];

/** 1970-01-05: ticks of weeks are Mondays. */
const MONDAY = 4 * MICROS_PER_DAY;

/** Of the finest step that has at most `most` ticks from `from` to `to`, both included; the two ends where none has two. */
export function timeTicks(from: number, to: number, most: number): TimeTick[] {
  for (const step of STEPS) {
    const ticks = ticksBy(step, from, to, most);
    if (ticks !== null && ticks.length > 1) return ticks;
    if (ticks !== null) break;
  }
  return [...new Set([from, to])].map((at) => ({ at, label: formatInstant(at) }));
}

/** null: more than `most`. */
function ticksBy(step: Step, from: number, to: number, most: number): TimeTick[] | null {
  const size = "months" in step ? step.months : step.micros;
  const offset = size % (7 * MICROS_PER_DAY) === 0 ? MONDAY : 0;
  const place = (at: number) => ("months" in step ? monthOf(at) : at - offset) / size;
  const instantAt = (n: number) => ("months" in step ? monthStart(n * size) : n * size + offset);
  let first = Math.floor(place(from));
  if (instantAt(first) < from) first++;
  const last = Math.floor(place(to));
  if (last - first + 1 > most) return null;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => instantAt(first + i)).map((at) => ({
    at,
    label: labelOfTick(at, step),
  }));
}

/** Months since the year 0, of the month that an instant lies in. */
function monthOf(at: number): number {
  const { year, month } = dateOfDay(Math.floor(at / MICROS_PER_DAY));
  return year * 12 + month - 1;
}

function monthStart(months: number): number {
  const year = Math.floor(months / 12);
  return dayNumber(year, months - year * 12 + 1, 1) * MICROS_PER_DAY;
}

/** As much of the instant as the step leaves open. */
function labelOfTick(at: number, step: Step): string {
  const text = formatInstant(at);
  if ("months" in step) return text.slice(0, step.months % 12 === 0 ? "2014".length : "2014-06".length);
  if (step.micros % MICROS_PER_DAY === 0) return text.slice(0, "2014-06-02".length);
  const end = step.micros % MINUTE === 0 ? "2014-06-02T06:59".length : "2014-06-02T06:59:59".length;
  return text.slice("2014-".length, end).replace("T", " ");
}
