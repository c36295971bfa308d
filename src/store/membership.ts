/** Membership: which rows of a table of spans hold at an instant, as was known at the horizon. */
import { visibleVersion } from "./as-of.ts";
import { outranks, type PlantedRow } from "./overlay.ts";
import { compareKeys, endAt, stands, validAt } from "./rows.ts";
import type { Selection } from "./select.ts";
import type { Table } from "./table.ts";

/**
 * Rows with start ≤ `at` < end, by key; a row without an end holds from its start on. Of each key the last version available
 * at `asOf` speaks, so that a member that was only later said to have left is one, and one that was only later said to have
 * joined is none. `at` is at or before `asOf`; the table has spans, `plants` are those visible. O(keys · log versions).
 */
export function selectMembers(
  table: Table,
  asOf: number,
  plants: readonly PlantedRow[],
  at: number,
): Selection {
  const holds = (row: number) => validAt(table, plants, row) <= at && endAt(table, plants, row) > at;
  const members: number[] = [];
  for (let key = 0; key < table.keys; key++) {
    const version = visibleVersion(table, key, asOf);
    if (version < 0 || !holds(version)) continue;
    if (!plants.some((plant) => outranks(plant, table, version))) members.push(version);
  }
  const real = members.length;
  for (let i = 0; i < plants.length; i++)
    if (holds(-1 - i) && stands(table, plants, i, asOf)) members.push(-1 - i);
  if (members.length > real) members.sort((a, b) => compareKeys(table, plants, a, b));
  return { rows: Int32Array.from(members), plants };
}
