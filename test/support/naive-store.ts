/** A store that is slow and plainly right: arrays of versions, every rule of chapter 21 spelled out, its bound exchangeable. */
import { canonical, type Json } from "../../src/core/canonical.ts";
import { MICROS_PER_DAY, parseInstant } from "../../src/core/instant.ts";
import { localInstant, parseWall } from "../../src/core/local-time.ts";
import type { Cell } from "../../src/core/row-ref.ts";
import { createStore, type Door, type OpenRequest, type Reply, type Store } from "../../src/store/door.ts";
import type { Query } from "../../src/store/select.ts";
import type { Table } from "../../src/store/table.ts";
import {
  AggregateArguments,
  parseMembers,
  parseQuery,
  parseSearch,
  RowsArguments,
  tableOf,
} from "../../src/store/tools.ts";
import { naiveSearch } from "./naive-search.ts";
import {
  byCell,
  byKeyCells,
  byValidAndKey,
  groupBy,
  plantedVersion,
  type Rule,
  servedRow,
  type Version,
  versionsOf,
} from "./naive-versions.ts";

/** The version of greatest available time; of equal ones the later in the list, which is the planted one. */
function newest(versions: readonly Version[]): Version | undefined {
  return versions.reduce<Version | undefined>(
    (best, version) => (best === undefined || version.available >= best.available ? version : best),
    undefined,
  );
}

function shown(version: Version | undefined, asOf: number, forward: boolean): Version | undefined {
  if (version === undefined || version.retracted) return undefined;
  return forward || version.valid <= asOf ? version : undefined;
}

const boundedAt =
  (shift: number): Rule =>
  (versions, asOf, forward) =>
    shown(newest(versions.filter((v) => v.available <= asOf + shift)), asOf + shift, forward);

export const honest: Rule = boundedAt(0);

/** The last version of each key there will ever be: what is counted by an index that was made once, over all rows. */
export const ofAllTime: Rule = (versions) => shown(newest(versions), Infinity, true);

/** Doors that are wrong, each in one way. */
export const brokenRules = {
  "valid time only": (versions, asOf) => shown(newest(versions.filter((v) => v.valid <= asOf)), asOf, true),
  "before instead of at or before": (versions, asOf, forward) =>
    shown(newest(versions.filter((v) => v.available < asOf)), asOf, forward),
  "a day late": boundedAt(MICROS_PER_DAY),
  "a day early": boundedAt(-MICROS_PER_DAY),
  "newest version, then bounded": (versions, asOf, forward) => {
    const last = newest(versions);
    return last !== undefined && last.available <= asOf ? shown(last, asOf, forward) : undefined;
  },
  "filter before version": (versions, asOf, forward, fits) =>
    shown(newest(versions.filter((v) => v.available <= asOf && fits(v))), asOf, forward),
} as const satisfies Record<string, Rule>;

/**
 * A store whose doors follow a rule, which may depend on the request, so that only some doors are broken; `countedBy`: the
 * rule by which a search counts its documents.
 */
export function naiveStore(
  tables: readonly Table[],
  ruleOf: (request: OpenRequest) => Rule,
  countedBy = ruleOf,
): Store {
  const { tables: byName, view } = createStore(tables);
  const known = new Map(tables.map((table) => [table.name, versionsOf(table)]));
  const open = (request: OpenRequest): Door => {
    const rule = ruleOf(request);
    return {
      asOf: request.horizon,
      call(tool, args) {
        const allOf = (table: Table) => {
          const planted = (request.overlay?.rows ?? []).filter((plant) => plant.table === table.name);
          return [...(known.get(table.name) as Version[]), ...planted.map(plantedVersion)];
        };
        if (tool === "search") {
          const search = parseSearch(args, byName, request.tables);
          return "class" in search
            ? { ok: false, fault: search }
            : naiveSearch(search, allOf, request.horizon, rule, countedBy(request));
        }
        if (tool === "members") {
          const asked = parseMembers(args, byName, request.tables, request.horizon);
          return "class" in asked
            ? { ok: false, fault: asked }
            : rowsReply(asked.table, membersOf(asked, allOf(asked.table), request.horizon, rule), asked.page);
        }
        if (tool !== "rows" && tool !== "aggregate") return fault(`no tool ${tool}`);
        const table = tableOf(args, byName, request.tables);
        if ("class" in table) return { ok: false, fault: table };
        const query = parseQuery(tool === "rows" ? RowsArguments : AggregateArguments, args, table);
        if ("class" in query) return { ok: false, fault: query };
        const found = selected(table, allOf(table), request.horizon, rule, query);
        return tool === "rows"
          ? rowsReply(table, found, args as RowsArguments)
          : aggregateReply(table, found, args as AggregateArguments);
      },
    };
  };
  return { tables: byName, view, open };
}

const fault = (message: string): Reply => ({ ok: false, fault: { class: "bad_request", message } });

function selected(
  table: Table,
  all: readonly Version[],
  asOf: number,
  rule: Rule,
  query: Query,
): readonly Version[] {
  const inSpan = (v: Version) => v.valid >= query.since && v.valid <= query.until;
  const matches = (v: Version) =>
    [...query.where].every(([column, values]) => {
      const cell = v.cells[column];
      return cell !== undefined && values.some((value) => value === cell);
    });
  const byKey = groupBy(all, (v) => canonical(v.key));
  let rows: Version[] = [];
  for (const versions of byKey.values()) {
    const seen = rule(versions, asOf, table.forward, (v) => inSpan(v) && matches(v));
    if (seen !== undefined && inSpan(seen)) rows.push(seen);
  }
  const entityOf = (v: Version) => (table.entity === null ? null : (v.cells[table.entity] ?? null));
  if (query.latest) {
    const groups = groupBy(rows, (v) => canonical(entityOf(v)));
    rows = [...groups.values()].map((group) => group.sort(byValidAndKey).at(-1) as Version);
  }
  rows = rows.filter(matches);
  return rows.sort((a, b) => {
    for (const { column, descending } of query.order) {
      const [x, y] = [a.cells[column] ?? null, b.cells[column] ?? null];
      if (x === null || y === null) {
        if (x !== y) return x === null ? 1 : -1;
        continue;
      }
      const d = byCell(x, y);
      if (d !== 0) return descending ? -d : d;
    }
    return query.latest ? byCell(entityOf(a), entityOf(b)) || byKeyCells(a, b) : byValidAndKey(a, b);
  });
}

/** Of each key the row that is seen, if it has begun at the instant and not ended; an end is read from its cell. */
function membersOf(
  { table, at }: { readonly table: Table; readonly at: number },
  all: readonly Version[],
  asOf: number,
  rule: Rule,
): readonly Version[] {
  const until = table.endColumn as number;
  const endOf = (cell: string): number => {
    const wall = parseWall(cell);
    return wall === undefined
      ? (parseInstant(cell, "test", "until") as number)
      : localInstant(table.zone as string, wall);
  };
  const holds = ({ valid, cells }: Version) => {
    const end = cells[until] ?? null;
    return valid <= at && (end === null || endOf(String(end)) > at);
  };
  return [...groupBy(all, (v) => canonical(v.key)).values()]
    .flatMap((versions) => rule(versions, asOf, table.forward, holds) ?? [])
    .filter(holds)
    .sort(byKeyCells);
}

const plantsOf = (rows: readonly Version[]) =>
  rows.flatMap(({ plant }) => (plant === null || plant.kind === "staged" ? [] : [plant]));

type Page = Pick<RowsArguments, "offset" | "limit">;

function rowsReply(table: Table, found: readonly Version[], args: Page): Reply {
  const from = args.offset ?? 0;
  const page = found.slice(from, from + (args.limit ?? 100));
  const cut = from + page.length < found.length;
  const reply = {
    rows: page.map((version) => servedRow(table, version)),
    ...(cut ? { total: found.length, truncated: true } : {}),
  };
  return { ok: true, text: () => canonical(reply), rows: null, planted: plantsOf(page) };
}

function aggregateReply(table: Table, found: readonly Version[], args: AggregateArguments): Reply {
  const names = table.columns.map(({ name }) => name);
  const wanted = [...(args.by ?? []), ...(args.column === undefined ? [] : [args.column])];
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) return fault(`no column ${unknown}`);
  const { measure } = args;
  if (args.column === undefined && measure !== "count") return fault("no column to measure");
  const shown = [...(args.by ?? []), ...(measure === "min" || measure === "max" ? [args.column] : [])];
  if (table.text.some((text) => shown.includes(table.columns[text]?.name as string)))
    return fault("a figure of a document's text");
  const column = args.column === undefined ? null : names.indexOf(args.column);
  if (column !== null && (measure === "sum" || measure === "mean")) {
    if (table.columns[column]?.type !== "number") return fault("not numbers");
  }
  const figure = (rows: readonly Version[]) => {
    const cells = rows.flatMap((row) => {
      const cell = column === null ? true : (row.cells[column] ?? null);
      return cell === null ? [] : [cell];
    });
    return { n: cells.length, value: measured(measure, cells) };
  };
  const text = () => {
    if (args.by === undefined) return canonical(figure(found));
    const by = args.by.map((name) => names.indexOf(name));
    const groups = groupBy(found, (row) => canonical(by.map((i) => row.cells[i] ?? null)));
    const sorted = [...groups.values()].sort((a, b) => {
      for (const i of by) {
        const d = byCell(a[0]?.cells[i] ?? null, b[0]?.cells[i] ?? null);
        if (d !== 0) return d;
      }
      return 0;
    });
    const shownBy = (row: Version | undefined) =>
      Object.fromEntries(by.map((i) => [names[i], row?.cells[i] ?? null])) as Json;
    return canonical({ groups: sorted.map((rows) => ({ by: shownBy(rows[0]), ...figure(rows) })) });
  };
  if (text().includes('"overflow"')) return fault("beyond the range of numbers");
  return { ok: true, text, rows: null, planted: plantsOf(found) };
}

function measured(measure: string, cells: readonly Cell[]): Cell {
  if (measure === "count") return cells.length;
  if (cells.length === 0) return null;
  const sorted = [...cells].sort(byCell);
  if (measure === "min") return sorted[0] as Cell;
  if (measure === "max") return sorted.at(-1) as Cell;
  const sum = (cells as readonly number[]).reduce((total, cell) => total + cell, 0);
  if (!Number.isFinite(sum)) return "overflow";
  return measure === "sum" ? sum : sum / cells.length;
}
