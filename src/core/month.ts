/** Months of the calendar, counted since year 0: year × 12 + month − 1. */
import { dateOfDay, dayNumber, formatDay, MICROS_PER_DAY } from "./instant.ts";

/** The whole years whose months have instants. */
export const FIRST_YEAR = 1685;
export const LAST_YEAR = 2254;

/** Reads `2024-10`; undefined where that is no month of those years. */
export function parseMonth(text: string): number | undefined {
  const parts = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text);
  const year = Number(parts?.[1]);
  return year >= FIRST_YEAR && year <= LAST_YEAR ? year * 12 + Number(parts?.[2]) - 1 : undefined;
}

/** `2024-10` */
export function formatMonth(month: number): string {
  return formatDay(dayNumber(Math.floor(month / 12), (month % 12) + 1, 1)).slice(0, 7);
}

/** The month of an instant, UTC. */
export function monthOfInstant(at: number): number {
  return monthOfDay(Math.floor(at / MICROS_PER_DAY));
}

/** The month of a day number. */
export function monthOfDay(day: number): number {
  const { year, month } = dateOfDay(day);
  return year * 12 + month - 1;
}
