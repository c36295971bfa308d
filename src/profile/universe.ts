/** A universe whose members change: which table says who they are, and which says what became of those that left. */
import { type Static, Type } from "@sinclair/typebox";
import type { DecisionCase } from "../caseset/decision-case.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { rowRef } from "../core/row-ref.ts";
import type { PlaceOf } from "../core/schema.ts";
import type { Store } from "../store/door.ts";
import { cellOf, keyCells, rowPlace, type Table } from "../store/table.ts";
import { type Exit, type Exits, exitsOf } from "./exits.ts";
import type { PriceSeries, Quotes } from "./quotes.ts";
import { memberOf, type Stint, silentExits, stintsOf } from "./silent-exits.ts";

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
 * Who has left, when, and what its holders got: each row of the delistings, and each member of which none is there and that
 * is gone all the same, as silentExits says. A row's exit is at its valid time, when the member left, or right after its last
 * price where that is later, but no later than the row was first available; its return is the last that the row says. Refuses
 * FieldInvalid by the row: a return that is none, and a second row of one member; ColumnUnknown; and MemberListedAgain: an
 * exit ends what an id stands for.
 */
export function universeExits(
  { table, delistings }: UniverseTerms,
  store: Store,
  quotes: Quotes,
  placeOf: PlaceOf,
): Exits {
  const left = entityTable(store, delistings.table, "universe.delistings.table", placeOf);
  const said = new Map<string, Said>();
  for (const row of saidExits(left, delistings.column, quotes, placeOf("/universe/delistings/column"))) {
    const { exit, ref, place } = row;
    const first = said.get(exit.entity);
    if (first !== undefined)
      refuse("FieldInvalid", {
        place,
        field: `the delisting of ${exit.entity}`,
        found: `${ref}, a second one`,
        expected: `${first.ref} (${first.place}) alone`,
      });
    exitsOf([exit], place);
    said.set(exit.entity, row);
  }
  const members = entityTable(store, table, "universe.table", placeOf);
  const stints = stintsOf(members);
  for (const [member, row] of said) checkLast(members, stints.get(member) ?? [], member, row.left);
  const exits = [...said.values()].map(({ exit }): [string, Exit] => [exit.entity, exit]);
  return new Map([...exits, ...silentExits(stints, quotes, new Set(said.keys()))]);
}

/**
 * The prices that accounts may trade at. Where each case names a universe or members, those of whoever the table ever names or
 * a case lists: nobody else can be held. The table is one that universeExits found.
 */
export function tradedQuotes(
  { table }: UniverseTerms,
  store: Store,
  quotes: Quotes,
  cases: readonly DecisionCase[],
): Quotes {
  if (cases.some(({ universe, members }) => universe === null && members === null)) return quotes;
  const members = store.tables.get(table) as Table;
  const named = new Set(cases.flatMap((item) => item.members ?? []));
  for (let version = 0; version < members.count; version++) named.add(memberOf(members, version));
  return { ...quotes, series: new Map([...quotes.series].filter(([entity]) => named.has(entity))) };
}

/** Refuses MemberListedAgain for a stint that begins after the member's delisting, or at it where it is not the first. */
function checkLast(members: Table, all: readonly Stint[], member: string, left: number): void {
  // A stint that ends where it begins never was: it counts where a member has no other.
  const real = all.filter(({ begin, end }) => end > begin);
  const stints = real.length > 0 ? real : all;
  const last = stints.reduce<Stint | null>((a, b) => (a === null || b.begin > a.begin ? b : a), null);
  const first = Math.min(...stints.map(({ begin }) => begin));
  if (last === null || last.begin < left || (last.begin === left && first === left)) return;
  const stint = rowRef(members.name, keyCells(members, last.version));
  refuse("MemberListedAgain", {
    place: rowPlace(members, last.version),
    member,
    stint,
    begins: formatInstant(last.begin),
    left: formatInstant(left),
  });
}

/** An exit as a row says it; `left`: the row's valid time. */
type Said = { readonly exit: Exit; readonly left: Instant; readonly ref: string; readonly place: Place };

/** Of each key the versions since it was last withdrawn: of the last that has a return, that return. */
function* saidExits(table: Table, column: string, quotes: Quotes, place: Place): Generator<Said> {
  const index = table.columnIndex.get(column);
  const type = table.columns[index ?? -1]?.type;
  if (index === undefined || type !== "number") {
    const known = table.columns.filter((one) => one.type === "number").map((one) => one.name);
    const field = "universe.delistings.column";
    return refuse("ColumnUnknown", { place, field, column, known, next: "name a column of numbers" });
  }
  for (let key = 0; key < table.keys; key++) {
    const all = range(table.keyStart[key] as number, table.keyStart[key + 1] as number);
    const versions = all.slice(all.findLastIndex((version) => table.retracted?.[version] === 1) + 1);
    const [first, last] = [versions[0], versions.at(-1)];
    if (first === undefined || last === undefined) continue;
    const version = versions.findLast((one) => typeof cellOf(table, one, index) === "number") ?? last;
    const terminal = cellOf(table, version, index);
    const entity = memberOf(table, last);
    const left = table.valid[last] as Instant;
    const published = table.available[first] as number;
    yield {
      exit: {
        entity,
        at: goneAt(left, published, quotes.series.get(entity)),
        return: typeof terminal === "number" ? terminal : null,
      },
      left,
      ref: rowRef(table.name, keyCells(table, version)),
      place: rowPlace(table, version),
    };
  }
}

/** Whoever sells at the last price has sold: the exit is the instant after it. A row told ahead makes none before `left`. */
function goneAt(left: Instant, published: number, series: PriceSeries | undefined): Instant {
  const last = series?.firstAvailable.at(-1) ?? Number.NEGATIVE_INFINITY;
  return Math.max(left, Math.min(published, last + 1)) as Instant;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
