/** Climatology: how often the event happened at this time of the year, smoothed; the reader's floor of skill. */

import { dateOfDay, dayNumber, type Instant, instant, parseDay, parseInstant } from "../../core/instant.ts";
import { dayOfYear, firstInstant, localDay } from "../../core/local-time.ts";
import type { AskedCase, ServedRow, Tools } from "../reader.ts";
import { allRows, dayAndState, firstRow, lastRow, type TableReads } from "./table-reads.ts";

/** Days of the year on either side of the asked day's. */
const CLIMATOLOGY_WINDOW = 15;
const YEAR = 366;

/**
 * p = (1 + events) / (2 + rows) over visible rows whose day of the year (1 to 366) is at most 15 from the asked
 * day's, around the year's end too (modulo 366). Rows whose cell is absent count in neither. Reads only those days.
 */
export async function climatology(asked: AskedCase, reads: TableReads, tools: Tools): Promise<number> {
  const askedDay = parseDay(asked.asked_day) as number;
  const first = await firstRow(reads, tools);
  const end = first === undefined ? askedDay : await lastDay(asked, reads, tools);
  let rows = 0;
  let events = 0;
  if (first !== undefined) {
    for (const [from, to] of windows(dayAndState(first, reads).day, end, askedDay)) {
      const span = {
        since: firstInstant(reads.zone, from),
        until: instant(firstInstant(reads.zone, to + 1) - 1),
      };
      for (const row of await allRows(reads, tools, span)) {
        const { state } = dayAndState(row, reads);
        if (state === undefined) continue;
        rows++;
        if (state) events++;
      }
    }
  }
  return (1 + events) / (2 + rows);
}

/** The last day on which a row can be visible: the horizon's, or of statements about the future the last one's. */
async function lastDay(asked: AskedCase, reads: TableReads, tools: Tools): Promise<number> {
  if (!reads.forward)
    return localDay(reads.zone, parseInstant(asked.horizon, asked.id, "horizon") as Instant);
  return dayAndState((await lastRow(reads, tools)) as ServedRow, reads).day;
}

/** Runs of days from `first` to `last` that lie near the asked day of the year; O(years). */
export function windows(first: number, last: number, asked: number): [number, number][] {
  const centre = dayOfYear(asked);
  const runs: [number, number][] = [];
  for (let year = dateOfDay(first).year; year <= dateOfDay(last).year; year++) {
    const before = dayNumber(year, 1, 1) - 1;
    const length = dayNumber(year + 1, 1, 1) - 1 - before;
    for (const shift of [-YEAR, 0, YEAR]) {
      const from = Math.max(before + Math.max(1, centre - CLIMATOLOGY_WINDOW + shift), first);
      const to = Math.min(before + Math.min(length, centre + CLIMATOLOGY_WINDOW + shift), last);
      if (from > to) continue;
      const run = runs.at(-1);
      if (run !== undefined && run[1] === from - 1) run[1] = to;
      else runs.push([from, to]);
    }
  }
  return runs;
}
