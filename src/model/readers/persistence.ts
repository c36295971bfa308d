/** Persistence: how often the last day's state was followed by the event, smoothed. */
import type { Tools } from "../reader.ts";
import { allRows, dayAndState, type TableReads } from "./table-reads.ts";

/**
 * p = (1 + pairs s→event) / (2 + pairs from s), over all pairs of visible rows one calendar day apart, s the state of
 * the last visible row; 0.5 where no row is visible. Rows whose cell is absent are passed over. O(rows).
 */
export async function persistence(reads: TableReads, tools: Tools): Promise<number> {
  const days = new Map<number, { rows: number; events: number }>();
  let last: boolean | undefined;
  for (const row of await allRows(reads, tools, null)) {
    const { day, state } = dayAndState(row, reads);
    if (state === undefined) continue;
    const known = days.get(day) ?? { rows: 0, events: 0 };
    days.set(day, { rows: known.rows + 1, events: known.events + (state ? 1 : 0) });
    last = state;
  }
  if (last === undefined) return 0.5;
  let pairs = 0;
  let followed = 0;
  for (const [day, before] of days) {
    const after = days.get(day + 1);
    if (after === undefined) continue;
    const from = last ? before.events : before.rows - before.events;
    pairs += from * after.rows;
    followed += from * after.events;
  }
  return (1 + followed) / (2 + pairs);
}
