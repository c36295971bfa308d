/** A universe whose members change: which table says who they are, and which says what became of those that left. */
import { type Static, Type } from "@sinclair/typebox";
import type { Instant } from "../core/instant.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { Store } from "../store/door.ts";
import { cellOf, type Table } from "../store/table.ts";
import { type Exit, type Exits, exitsOf } from "./exits.ts";
import type { PriceSeries, Quotes } from "./quotes.ts";

const strictly = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200, description: "a name" });

/** `universe:` of a profile. */
export const UniverseOnDisk = Type.Object(
  {
    table: name,
    delistings: Type.Object({ table: name, column: name }, strictly),
  },
  strictly,
);
export type UniverseTerms = Static<typeof UniverseOnDisk>;

/** The table of a name; refuses TableUnknown, and FieldInvalid where its rows name no entity. */
function entityTable(store: Store, table: string, place: Place): Table {
  const found = store.tables.get(table);
  if (found === undefined)
    return refuse("TableUnknown", { place, found: table, known: [...store.tables.keys()] });
  if (found.entity === null)
    refuse("FieldInvalid", {
      place,
      field: `tables.${table}.entity`,
      found: "nothing",
      expected: "the column that names a member: accounts and universes need it",
    });
  return found;
}

/**
 * Who has left, when that could be known, and what its holders got: each row of the delistings, and each member that is
 * none any more, has no later price and no such row: then nobody says it. Refuses what exitsOf refuses, ColumnUnknown.
 */
export function universeExits(
  { table, delistings }: UniverseTerms,
  store: Store,
  quotes: Quotes,
  place: Place,
): Exits {
  const said = exitsOf(
    saidExits(entityTable(store, delistings.table, place), delistings.column, place),
    place,
  );
  const silent = silentExits(entityTable(store, table, place), quotes, said);
  return new Map([...said, ...silent]);
}

/** Of each key the first version with a return; where none has one, its first version, without. */
function* saidExits(table: Table, column: string, place: Place): Generator<Exit> {
  const index = table.columnIndex.get(column);
  const type = table.columns[index ?? -1]?.type;
  if (index === undefined || type !== "number") {
    const known = table.columns.filter((one) => one.type === "number").map((one) => one.name);
    return refuse("ColumnUnknown", { place, column, known, next: "name a column of numbers" });
  }
  for (let key = 0; key < table.keys; key++) {
    const versions = range(table.keyStart[key] as number, table.keyStart[key + 1] as number).filter(
      (version) => table.retracted?.[version] !== 1,
    );
    const known = versions.find((version) => typeof cellOf(table, version, index) === "number");
    const version = known ?? versions[0];
    if (version === undefined) continue;
    const terminal = cellOf(table, version, index);
    yield {
      entity: memberOf(table, version),
      available: table.available[version] as Instant,
      return: typeof terminal === "number" ? terminal : null,
    };
  }
}

/** Members whose last stint has ended as the table knows it in the end, and whose prices end with it. */
function silentExits(table: Table, quotes: Quotes, said: Exits): Map<string, Exit> {
  const ends = new Map<string, number>();
  for (let key = 0; key < table.keys; key++) {
    const version = (table.keyStart[key + 1] as number) - 1;
    if (table.retracted?.[version] === 1) continue;
    const entity = memberOf(table, version);
    const end = table.ends?.[version] ?? Number.POSITIVE_INFINITY;
    ends.set(entity, Math.max(ends.get(entity) ?? Number.NEGATIVE_INFINITY, end));
  }
  const silent = new Map<string, Exit>();
  for (const [entity, end] of ends) {
    const series = quotes.series.get(entity);
    if (said.has(entity) || series === undefined || !Number.isFinite(end)) continue;
    if (lastPrice(series) <= end) silent.set(entity, { entity, available: end as Instant, return: null });
  }
  return silent;
}

const lastPrice = ({ firstAvailable }: PriceSeries) => firstAvailable.at(-1) ?? Number.NEGATIVE_INFINITY;

const memberOf = (table: Table, version: number) => String(cellOf(table, version, table.entity as number));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
