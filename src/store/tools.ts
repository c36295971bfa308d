/** The bounded tools that a reader is offered: names, JSON schemas, and the check of what an agent sends. */
import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { misfit } from "../core/schema.ts";
import { termsOf } from "../core/terms.ts";
import { clip } from "../core/words.ts";
import type { Query } from "./select.ts";
import type { Column, Table } from "./table.ts";

const strictly = { additionalProperties: false } as const;
const cell = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const bounds = {
  table: Type.String({ description: "the table's name" }),
  where: Type.Optional(
    Type.Record(Type.String(), Type.Union([cell, Type.Array(cell, { maxItems: limits.whereValues })]), {
      description: "column to a value, or to a list of values",
    }),
  ),
  since: Type.Optional(Type.String({ description: "least valid time, an RFC 3339 instant, inclusive" })),
  until: Type.Optional(Type.String({ description: "greatest valid time, an RFC 3339 instant, inclusive" })),
};

export const RowsArguments = Type.Object(
  {
    ...bounds,
    order: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: limits.orderColumns,
        description: "columns, `-` before a descending one",
      }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.rows })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.replyRows, default: limits.replyRowsDefault }),
    ),
    latest: Type.Optional(
      Type.Boolean({
        description: "per entity the visible row of greatest valid time; `where` filters after",
      }),
    ),
  },
  { ...strictly, description: "rows visible at the horizon, by valid time and key" },
);

export const AggregateArguments = Type.Object(
  {
    ...bounds,
    measure: Type.Union(["count", "sum", "mean", "min", "max"].map((name) => Type.Literal(name))),
    column: Type.Optional(Type.String({ description: "what is measured; `count` without it counts rows" })),
    by: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: limits.orderColumns,
        description: "one figure for each value of these columns",
      }),
    ),
  },
  {
    ...strictly,
    description:
      "one figure over the rows visible at the horizon, absent cells left out and counted out of n; a searched text has none",
  },
);

const MembersArguments = Type.Object(
  {
    table: Type.String({ description: "the table's name; its rows have a start and an end" }),
    at: Type.Optional(
      Type.String({
        description: "an RFC 3339 instant, the horizon or before it; without it, the horizon",
      }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.rows })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.replyRows, default: limits.replyRows })),
  },
  {
    ...strictly,
    description:
      "rows that hold at an instant, as known at the horizon: begun by then, and not ended at it; by key",
  },
);

const SearchArguments = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: limits.queryCharacters,
      description:
        "words to look for, no pattern; a row needs one of them, those that few rows have count most, case does not matter",
    }),
    k: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.searchRows,
        default: limits.searchRowsDefault,
        description: "how many rows at most, the best first",
      }),
    ),
    tables: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: limits.searchTables,
        description: "names of tables; without it all of this case that have text are searched",
      }),
    ),
  },
  {
    ...strictly,
    description:
      "ranked text search (BM25) of the rows visible at the horizon: those that have a word of the query, best first, each with its score",
  },
);

export type RowsArguments = Static<typeof RowsArguments>;
export type AggregateArguments = Static<typeof AggregateArguments>;
type SearchArguments = Static<typeof SearchArguments>;
type MembersArguments = Static<typeof MembersArguments>;

export type ToolSchema = { readonly name: string; readonly schema: Json };
export const toolSchemas: readonly ToolSchema[] = [
  { name: "rows", schema: plain(RowsArguments) },
  { name: "aggregate", schema: plain(AggregateArguments) },
  { name: "search", schema: plain(SearchArguments) },
  { name: "members", schema: plain(MembersArguments) },
];
/** Two runs whose tools differ are two trials: part of the stamp. */
export const toolSchemaVersion: Digest = digestOfJson(toolSchemas as unknown as Json);

function plain(schema: object): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** A call that cannot be answered: a value for the reader, recorded, never an exception. */
export type Fault = { readonly class: "bad_request"; readonly message: string };
export const badRequest = (message: string): Fault => ({
  class: "bad_request",
  message: message.toWellFormed(), // it quotes what was sent, and may cut it in the middle of a character
});
export const unknownTool = (tool: string, known: readonly string[]): Fault =>
  badRequest(`no tool ${JSON.stringify(tool)}; known: ${known.join(", ")}`);
export const isFault = (value: object): value is Fault => "class" in value;

/** The table that arguments name, if the case declares it. */
export function tableOf(
  args: unknown,
  tables: ReadonlyMap<string, Table>,
  declared: readonly string[],
): Table | Fault {
  const name = (args as { table?: unknown } | null)?.table;
  const table = typeof name === "string" && declared.includes(name) ? tables.get(name) : undefined;
  return (
    table ??
    badRequest(
      name === undefined
        ? `table is missing; this case reads ${declared.join(", ") || "none"}`
        : `no table ${JSON.stringify(name)} in this case; it reads ${declared.join(", ") || "none"}`,
    )
  );
}

/** What is searched for: tables in the order of their names, terms each once. */
export type Search = {
  readonly tables: readonly Table[];
  readonly terms: readonly string[];
  readonly k: number;
};

export function parseSearch(
  args: unknown,
  tables: ReadonlyMap<string, Table>,
  declared: readonly string[],
): Search | Fault {
  const wrong = misfit(SearchArguments, args);
  if (wrong !== undefined) return badRequest(wrong);
  const call = args as SearchArguments;
  const known = declared.filter((name) => (tables.get(name)?.text.length ?? 0) > 0).sort();
  if (known.length === 0) return badRequest("no table of this case has text to search");
  for (const name of call.tables ?? []) {
    const table = tableOf({ table: name }, tables, declared);
    if (isFault(table)) return table;
    if (!known.includes(name))
      return badRequest(`table ${name} has no text to search; of this case ${known.join(", ")} have`);
  }
  const searched = new Set(call.tables ?? known);
  const terms = new Set(termsOf(call.query).map(({ term }) => term));
  if (terms.size === 0)
    return badRequest(`query: ${JSON.stringify(clip(call.query, 80))} has no letter and no digit`);
  if (terms.size > limits.queryTerms)
    return badRequest(`query: ${terms.size} different terms, at most ${limits.queryTerms}`);
  return {
    tables: known.filter((name) => searched.has(name)).map((name) => tables.get(name) as Table),
    terms: [...terms],
    k: call.k ?? limits.searchRowsDefault,
  };
}

/** Who is asked for, when, and which page of them. */
type Membership = {
  readonly table: Table;
  readonly at: number;
  readonly page: { readonly offset: number; readonly limit: number };
};

export function parseMembers(
  args: unknown,
  tables: ReadonlyMap<string, Table>,
  declared: readonly string[],
  horizon: Instant,
): Membership | Fault {
  const table = tableOf(args, tables, declared);
  if (isFault(table)) return table;
  const wrong = misfit(MembersArguments, args);
  if (wrong !== undefined) return badRequest(wrong);
  if (table.ends === null) {
    const known = declared.filter((name) => (tables.get(name)?.ends ?? null) !== null).sort();
    return badRequest(
      `rows of table ${table.name} have no end; of this case those of ${known.join(", ") || "no table"} have`,
    );
  }
  const { at: text, offset = 0, limit = limits.replyRows } = args as MembersArguments;
  const at = boundOf(text, "at", horizon);
  if (typeof at !== "number") return at;
  if (at > horizon)
    return badRequest(`at: ${formatInstant(at)} is after the horizon, ${formatInstant(horizon)}`);
  return { table, at, page: { offset, limit } };
}

/** Arguments of `rows` or `aggregate`, as a query of one table. */
export function parseQuery(
  schema: typeof RowsArguments | typeof AggregateArguments,
  args: unknown,
  table: Table,
): Query | Fault {
  const wrong = misfit(schema, args);
  if (wrong !== undefined) return badRequest(wrong);
  const call = args as RowsArguments;
  const since = boundOf(call.since, "since", -Infinity);
  const until = boundOf(call.until, "until", Infinity);
  if (typeof since !== "number") return since;
  if (typeof until !== "number") return until;
  const where = new Map<number, readonly Cell[]>();
  for (const [name, wanted] of Object.entries(call.where ?? {})) {
    const column = columnOf(table, name);
    if (typeof column !== "number") return column;
    const values = Array.isArray(wanted) ? (wanted as Cell[]) : [wanted as Cell];
    const { type } = table.columns[column] as Column;
    const misfitting = values.find((value) => value !== null && typeof value !== type);
    if (misfitting !== undefined)
      return badRequest(`where.${name}: ${JSON.stringify(misfitting)} is not a ${type}`);
    where.set(column, values);
  }
  const order = [];
  for (const term of call.order ?? []) {
    const descending = term.startsWith("-");
    const column = columnOf(table, descending ? term.slice(1) : term);
    if (typeof column !== "number") return column;
    order.push({ column, descending });
  }
  return { where, since, until, latest: call.latest ?? false, order };
}

export function columnOf(table: Table, name: string): number | Fault {
  return (
    table.columnIndex.get(name) ??
    badRequest(
      `table ${table.name} has no column ${JSON.stringify(name)}; it has ${[...table.columnIndex.keys()].join(", ")}`,
    )
  );
}

function boundOf(text: string | undefined, name: string, absent: number): number | Fault {
  if (text === undefined) return absent;
  try {
    return parseInstant(text, name, name) as number;
  } catch (error) {
    if (isRefusal(error)) return badRequest(error.message);
    throw error;
  }
}
