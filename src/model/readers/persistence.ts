/** Persistence: how often the last day's state was followed by the event, smoothed. */
import type { Tools } from "../reader.ts";
import { allRows, dayAndState, type TableReads } from "./table-reads.ts";

/**
 * p = (1 + pairs s→event) / (2 + pairs from s), over pairs of visible rows one calendar day apart, s the state of
 * the last visible row; 0.5 where no row is visible. Rows whose cell is absent are passed over.
 */
export async function persistence(reads: TableReads, tools: Tools): Promise<number> {
  const days = (await allRows(reads, tools, null))
    .map((row) => dayAndState(row, reads))
    .filter((day) => day.state !== undefined);
  const last = days.at(-1);
  if (last === undefined) return 0.5;
  let pairs = 0;
  let followed = 0;
  for (let i = 1; i < days.length; i++) {
    const [before, after] = [days[i - 1], days[i]] as [
      { day: number; state: boolean },
      { day: number; state: boolean },
    ];
    if (after.day !== before.day + 1 || before.state !== last.state) continue;
    pairs++;
    if (after.state) followed++;
  }
  return (1 + followed) / (2 + pairs);
}
