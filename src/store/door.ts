/** The one door to rows: opened for a case at its horizon, it answers tool calls and nothing else. */
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import type { Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { aggregate } from "./aggregate.ts";
import { selectMembers } from "./membership.ts";
import { isPlant, type Overlay, type PlantedRow, visiblePlants } from "./overlay.ts";
import { type Searched, searchVisible } from "./search.ts";
import { type Query, type Selection, select } from "./select.ts";
import { rowText, type Table } from "./table.ts";
import {
  AggregateArguments,
  type Fault,
  isFault,
  parseMembers,
  parseQuery,
  parseSearch,
  RowsArguments,
  tableOf,
  toolSchemas,
  unknownTool,
} from "./tools.ts";

export type OpenRequest = {
  readonly caseId: string;
  readonly horizon: Instant;
  /** Tables that the case declares; no other is answered. */
  readonly tables: readonly string[];
  readonly overlay: Overlay | null;
  /** Who asks: the reader's name. Row policies are labels, not enforced here. */
  readonly subject: string;
};

/** What a call is answered with. `text` is canonical JSON; it is made when asked for. */
export type Reply =
  | {
      readonly ok: true;
      readonly text: () => string;
      /** Row numbers in order, for cheap comparison of two answers of one store; null where there are none. */
      readonly rows: Int32Array | null;
      /** Plants that the answer was made from; staged rows are none. */
      readonly planted: readonly PlantedRow[];
    }
  | { readonly ok: false; readonly fault: Fault };

export interface Door {
  /** The instant that every call passes as available-as-of; it stands on each entry. */
  readonly asOf: Instant;
  call(tool: string, args: unknown): Reply;
}

export interface Store {
  readonly tables: ReadonlyMap<string, Table>;
  /** SHA-256 of the canonical list of table digests, overlay excluded. */
  readonly view: Digest;
  open(request: OpenRequest): Door;
}

/** A store over tables; `open` costs O(1), so one door a case and repeat is cheap. */
export function createStore(tables: readonly Table[]): Store {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const names = [...byName.keys()].sort();
  const view = digestOfJson(
    names.map((name) => ({ digest: (byName.get(name) as Table).digest, table: name })),
  );
  return { tables: byName, view, open: (request) => openDoor(byName, request) };
}

const toolNames = toolSchemas.map(({ name }) => name);

function openDoor(tables: ReadonlyMap<string, Table>, request: OpenRequest): Door {
  const asOf = request.horizon;
  return {
    asOf,
    call(tool, args) {
      if (tool === "search") return searchReply(tables, request, args);
      if (tool === "members") return membersReply(tables, request, args);
      if (tool !== "rows" && tool !== "aggregate") return failed(unknownTool(tool, toolNames));
      const table = tableOf(args, tables, request.tables);
      if (isFault(table)) return failed(table);
      const query = parseQuery(tool === "rows" ? RowsArguments : AggregateArguments, args, table);
      if (isFault(query)) return failed(query);
      const selection = selectBounded(table, asOf, request.overlay, query);
      return tool === "rows"
        ? rowsReply(table, selection, args as RowsArguments)
        : aggregateReply(table, selection, args as AggregateArguments);
    },
  };
}

/** The door's selection before it is rendered: row numbers, the case's overlay applied. */
export function selectBounded(table: Table, asOf: Instant, overlay: Overlay | null, query: Query): Selection {
  return select(table, asOf, visiblePlants(overlay, table, asOf), query);
}

const failed = (fault: Fault): Reply => ({ ok: false, fault });

type Page = Pick<RowsArguments, "offset" | "limit">;

/** `{"rows":[…]}`, and where `limit` left rows out also `"total":…,"truncated":true`. */
function rowsReply(table: Table, { rows, plants }: Selection, args: Page): Reply {
  const from = args.offset ?? 0;
  const page = rows.subarray(from, from + (args.limit ?? limits.replyRowsDefault));
  const text = () => {
    let out = "";
    for (const row of page) out += (out === "" ? "" : ",") + textOfRow(table, plants, row);
    const cut = from + page.length < rows.length ? `,"total":${rows.length},"truncated":true` : "";
    return `{"rows":[${out}]${cut}}`;
  };
  const planted =
    plants.length === 0 ? plants : plants.filter((row, i) => isPlant(row) && page.includes(-1 - i));
  // The total is part of the answer, so it is part of what two answers are compared by.
  const compared = new Int32Array(page.length + 1);
  compared[0] = rows.length;
  compared.set(page, 1);
  return { ok: true, text, rows: compared, planted };
}

function membersReply(
  tables: ReadonlyMap<string, Table>,
  { horizon, overlay, tables: declared }: OpenRequest,
  args: unknown,
): Reply {
  const asked = parseMembers(args, tables, declared, horizon);
  if (isFault(asked)) return failed(asked);
  const { table, at, page } = asked;
  return rowsReply(table, selectMembers(table, horizon, visiblePlants(overlay, table, horizon), at), page);
}

function aggregateReply(table: Table, selection: Selection, args: AggregateArguments): Reply {
  const text = aggregate(table, selection, args);
  if (typeof text !== "string") return failed(text);
  const planted = selection.plants.filter((row, i) => isPlant(row) && selection.rows.includes(-1 - i));
  return { ok: true, text: () => text, rows: null, planted };
}

/** `{"rows":[…],"scores":[…]}`, best first, and where `k` left rows out also `"total":…,"truncated":true`. */
function searchReply(
  tables: ReadonlyMap<string, Table>,
  { horizon, overlay, tables: declared }: OpenRequest,
  args: unknown,
): Reply {
  const search = parseSearch(args, tables, declared);
  if (isFault(search)) return failed(search);
  const searched = search.tables.map((table) => ({ table, plants: visiblePlants(overlay, table, horizon) }));
  const { hits, total, planted } = searchVisible(searched, horizon, search.terms, search.k);
  const text = () => {
    const rows = hits.map(({ table: at, row }) => {
      const { table, plants } = searched[at] as Searched;
      return textOfRow(table, plants, row);
    });
    const scores = canonical(hits.map(({ score }) => score));
    const cut = hits.length < total ? `,"total":${total},"truncated":true` : "";
    return `{"rows":[${rows.join(",")}],"scores":${scores}${cut}}`;
  };
  // Scores move with what is merely counted, so that equal rows are not an equal answer.
  return { ok: true, text, rows: null, planted };
}

const textOfRow = (table: Table, plants: readonly PlantedRow[], row: number): string =>
  row >= 0 ? rowText(table, row) : (plants[-1 - row] as PlantedRow).text;

export const replyText = (reply: Reply): string =>
  reply.ok ? reply.text() : canonical({ fault: reply.fault as Json });
