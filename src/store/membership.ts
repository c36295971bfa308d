/** Membership: which rows of a table of spans hold at an instant, as was known at the horizon. */
import type { PlantedRow } from "./overlay.ts";
import { compareKeys, endAt } from "./rows.ts";
import { type Selection, select } from "./select.ts";
import type { Table } from "./table.ts";

/**
 * Rows with start ≤ `at` < end, by key; a row without an end holds from its start on. Of each key the last version available
 * at `asOf` speaks, so that a member that was only later said to have left is one, and one that was only later said to have
 * joined is none. `at` is at or before `asOf`. O(rows begun · log versions); the table has spans.
 */
export function selectMembers(
  table: Table,
  asOf: number,
  plants: readonly PlantedRow[],
  at: number,
): Selection {
  const begun = select(table, asOf, plants, {
    where: new Map(),
    since: Number.NEGATIVE_INFINITY,
    until: at,
    latest: false,
    order: [],
  });
  const members = begun.rows.filter((row) => endAt(table, plants, row) > at);
  return { rows: members.sort((a, b) => compareKeys(table, plants, a, b)), plants };
}
