/** Aggregates over a selection: sums run in (valid time, key) order, absent cells are counted out of n. */
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import type { Cell } from "../core/row-ref.ts";
import { cellAt } from "./rows.ts";
import type { Selection } from "./select.ts";
import { type Column, compareCells, type Table } from "./table.ts";
import { type AggregateArguments, badRequest, columnOf, type Fault } from "./tools.ts";

type Group = {
  readonly by: readonly (Cell | undefined)[];
  n: number;
  sum: number;
  least: Cell;
  greatest: Cell;
};

/** `{"n":31,"value":4.2}`, or with `by` `{"groups":[{"by":{"weather":"rain"},"n":9,"value":…}]}`; value null where n is 0. */
export function aggregate(table: Table, selection: Selection, args: AggregateArguments): string | Fault {
  const column = args.column === undefined ? null : columnOf(table, args.column);
  if (column !== null && typeof column !== "number") return column;
  if (column === null && args.measure !== "count")
    return badRequest(`measure ${args.measure} needs a column`);
  const isSum = args.measure === "sum" || args.measure === "mean";
  const type = column === null ? "number" : (table.columns[column] as Column).type;
  if (isSum && type !== "number") {
    return badRequest(`measure ${args.measure} needs a column of numbers; ${args.column} holds ${type}s`);
  }
  const told = [...(args.by ?? []), ...(isSum || args.measure === "count" ? [] : [args.column as string])];
  const text = table.text
    .map((index) => (table.columns[index] as Column).name)
    .find((name) => told.includes(name));
  // A figure is no document: what it would show of one, nobody would see that it was served.
  if (text !== undefined)
    return badRequest(
      `${text} is a text of documents: \`rows\` and \`search\` show it, no figure is made of it`,
    );
  const by: number[] = [];
  for (const name of args.by ?? []) {
    const index = columnOf(table, name);
    if (typeof index !== "number") return index;
    by.push(index);
  }
  const groups = collect(table, selection, column, by);
  if (groups.length > limits.groups) return badRequest(`${groups.length} groups, at most ${limits.groups}`);
  if (isSum && groups.some((group) => !Number.isFinite(group.sum)))
    return badRequest(`the sum of ${args.column} is beyond the range of numbers`);
  if (args.by === undefined) return canonical(figure(groups[0], args.measure));
  const rows = groups.map((group) => {
    const shown = args.by?.map((name, i) => [name, group.by[i] ?? null]) ?? [];
    return { by: Object.fromEntries(shown) as Json, ...figure(group, args.measure) };
  });
  return canonical({ groups: rows });
}

function collect(
  table: Table,
  { rows, plants }: Selection,
  column: number | null,
  by: readonly number[],
): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const values = by.map((index) => cellAt(table, plants, row, index));
    const name = by.length === 0 ? "" : JSON.stringify(values);
    let group = groups.get(name);
    if (group === undefined) {
      group = { by: values, n: 0, sum: 0, least: null, greatest: null };
      groups.set(name, group);
    }
    const cell = column === null ? true : cellAt(table, plants, row, column);
    if (cell === undefined || cell === null) continue;
    group.n++;
    if (typeof cell === "number") group.sum += cell;
    if (group.least === null || cell < group.least) group.least = cell;
    if (group.greatest === null || cell > group.greatest) group.greatest = cell;
  }
  return [...groups.values()].sort((a, b) => {
    for (let i = 0; i < by.length; i++) {
      const d = compareCells(a.by[i], b.by[i]);
      if (d !== 0) return d;
    }
    return 0;
  });
}

function figure(group: Group | undefined, measure: string): { n: number; value: Cell } {
  const n = group?.n ?? 0;
  if (measure === "count") return { n, value: n };
  if (group === undefined || n === 0) return { n, value: null };
  const value =
    measure === "sum"
      ? group.sum
      : measure === "mean"
        ? group.sum / n
        : measure === "min"
          ? group.least
          : group.greatest;
  return { n, value };
}
