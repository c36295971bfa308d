/** A universe whose members change: which table says who they are, and which says what became of those that left. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, type Instant } from "../core/instant.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { rowRef } from "../core/row-ref.ts";
import type { PlaceOf } from "../core/schema.ts";
import type { Store } from "../store/door.ts";
import { cellOf, keyCells, rowPlace, type Table } from "../store/table.ts";
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

/** The table of a name, which `key` of the profile says; refuses TableUnknown, and FieldInvalid where its rows name no entity. */
function entityTable(store: Store, table: string, key: string, placeOf: PlaceOf): Table {
  const found = store.tables.get(table);
  const place = placeOf(`/${key.replaceAll(".", "/")}`);
  if (found === undefined)
    return refuse("TableUnknown", { place, field: key, found: table, known: [...store.tables.keys()] });
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
 * none any more, whose prices end before those of the table, and of which no such row is there: then nobody says it, and
 * it has left at the end of its last stint, or at the instant after its last price, whichever is later. Refuses what
 * exitsOf refuses, ColumnUnknown, and MemberListedAgain: an exit ends what an id stands for.
 */
export function universeExits(
  { table, delistings }: UniverseTerms,
  store: Store,
  quotes: Quotes,
  placeOf: PlaceOf,
): Exits {
  const left = entityTable(store, delistings.table, "universe.delistings.table", placeOf);
  const rows = [...saidExits(left, delistings.column, placeOf("/universe/delistings/column"))];
  const said = exitsOf(
    rows.map(({ exit }) => exit),
    placeOf("/universe/delistings"),
  );
  const members = entityTable(store, table, "universe.table", placeOf);
  const stints = lastStints(members);
  for (const { exit, left } of rows) checkLast(members, stints.get(exit.entity), exit.entity, left);
  return new Map([...said, ...silentExits(stints, quotes, said)]);
}

/** Refuses MemberListedAgain for a stint that begins after the member's delisting, or at it where it is not the first. */
function checkLast(members: Table, stints: Stints | undefined, member: string, left: number): void {
  if (stints === undefined || stints.last < left || (stints.last === left && stints.first === left)) return;
  const stint = rowRef(members.name, keyCells(members, stints.version));
  refuse("MemberListedAgain", {
    place: rowPlace(members, stints.version),
    member,
    stint,
    begins: formatInstant(stints.last),
    left: formatInstant(left),
  });
}

type Said = { readonly exit: Exit; readonly left: Instant };

/** Of each key the first version with a return; where none has one, its first version, without. `left`: its valid time. */
function* saidExits(table: Table, column: string, place: Place): Generator<Said> {
  const index = table.columnIndex.get(column);
  const type = table.columns[index ?? -1]?.type;
  if (index === undefined || type !== "number") {
    const known = table.columns.filter((one) => one.type === "number").map((one) => one.name);
    const field = "universe.delistings.column";
    return refuse("ColumnUnknown", { place, field, column, known, next: "name a column of numbers" });
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
      exit: {
        entity: memberOf(table, version),
        available: table.available[version] as Instant,
        return: typeof terminal === "number" ? terminal : null,
      },
      left: table.valid[version] as Instant,
    };
  }
}

/** A member's stints as the table knows them in the end: where the first and the last begin, and where all have ended. */
type Stints = {
  readonly first: number;
  readonly last: number;
  /** Of the last one's row. */
  readonly version: number;
  readonly end: number;
};

/** A stint that ends where it begins never was: it counts where a member has no other. */
function lastStints(table: Table): ReadonlyMap<string, Stints> {
  const stints = new Map<string, Stints>();
  const never = new Map<string, Stints>();
  for (let key = 0; key < table.keys; key++) {
    const version = (table.keyStart[key + 1] as number) - 1;
    if (table.retracted?.[version] === 1) continue;
    const begin = table.valid[version] as number;
    const end = table.ends?.[version] ?? Number.POSITIVE_INFINITY;
    const kept = end > begin ? stints : never;
    const entity = memberOf(table, version);
    const before = kept.get(entity) ?? { first: begin, last: begin, version, end };
    kept.set(entity, {
      first: Math.min(before.first, begin),
      last: Math.max(before.last, begin),
      version: begin > before.last ? version : before.version,
      end: Math.max(before.end, end),
    });
  }
  return new Map([...never, ...stints]);
}

/** A member whose prices go on to the last price of the table has left its list and nothing else. */
function silentExits(stints: ReadonlyMap<string, Stints>, quotes: Quotes, said: Exits): Map<string, Exit> {
  let tableEnd = Number.NEGATIVE_INFINITY;
  for (const series of quotes.series.values()) tableEnd = Math.max(tableEnd, lastPrice(series));
  const silent = new Map<string, Exit>();
  for (const [entity, { end }] of stints) {
    const series = quotes.series.get(entity);
    if (said.has(entity) || series === undefined || !Number.isFinite(end)) continue;
    const last = lastPrice(series);
    // The instant after it, so that whoever sells at the last price has sold.
    const available = Math.max(end, last + 1) as Instant;
    if (last < tableEnd) silent.set(entity, { entity, available, return: null });
  }
  return silent;
}

const lastPrice = ({ firstAvailable }: PriceSeries) => firstAvailable.at(-1) ?? Number.NEGATIVE_INFINITY;

const memberOf = (table: Table, version: number) => String(cellOf(table, version, table.entity as number));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
