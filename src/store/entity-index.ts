/** From a store to the index of its entities: who is named in its tables, and since when a row has named them. */
import { type AliasTable, demandFew, type EntityIndex, entityFinder } from "../caseset/entity-names.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import { termsOf } from "../core/terms.ts";
import type { Store } from "./door.ts";
import type { Column, Table } from "./table.ts";

/** What is known of a name: its aliases, and its least available time so far. */
type Entity = { aliases: ReadonlySet<string>; first: number };
type Known = Map<string, Entity>;

/**
 * Every entity of a store. Names are the texts of `entity` columns and of the alias table's name column; a text of an
 * `entity` column that is an alias, and no name, stands for the names it is an alias of. `first_available` is the least
 * available time of a row version that names it in its entity column, whenever that is; of a name that no entity column
 * has, in a text column: a page that bears too early a date must not make what it tells of known since then. The index is
 * for judging and no reader sees it. Versions that withdraw a row, and cells not yet available, name nobody, and the alias
 * table's own rows date nobody unless it has an `entity` column. One pass over each table; each different text is read
 * once. Refuses ColumnUnknown, FieldInvalid and LimitExceeded.
 */
export function entityIndex(store: Store, aliases: AliasTable | null): EntityIndex {
  const known: Known = new Map();
  const aliasTable = aliases === null ? undefined : (store.tables.get(aliases.table) as Table);
  if (aliases !== null && aliasTable !== undefined) readAliases(aliases, aliasTable, known);
  const tables = [...store.tables.values()].filter((table) => table !== aliasTable || table.entity !== null);
  const namesOf = namedBy(known);
  for (const table of tables) {
    if (table.entity === null) continue;
    for (const [text, first] of earliest(table, table.entity)) {
      if (text === "") continue;
      demandLength(text, table);
      for (const name of namesOf(text)) date(known, name, first);
    }
  }
  const dated = new Set([...known].flatMap(([name, { first }]) => (Number.isFinite(first) ? [name] : [])));
  const texts =
    dated.size === known.size
      ? []
      : tables.flatMap((table) => table.text.map((column) => [table, column] as const));
  const find = texts.length === 0 ? () => [] : entityFinder(indexOf(known));
  for (const [table, column] of texts) {
    for (const [text, first] of earliest(table, column))
      for (const { name, shared } of find(text))
        for (const each of [name, ...shared]) if (!dated.has(each)) date(known, each, first);
  }
  const index = indexOf(known);
  demandFew(index, aliases?.place ?? "entities");
  return index;
}

function date(known: Known, name: string, at: number): void {
  const entity = entityOf(known, name);
  entity.first = Math.min(entity.first, at);
}

const NONE: ReadonlySet<string> = new Set();

function entityOf(known: Known, name: string): Entity {
  let entity = known.get(name);
  if (entity === undefined) {
    entity = { aliases: NONE, first: Number.POSITIVE_INFINITY };
    known.set(name, entity);
  }
  return entity;
}

function indexOf(known: Known): EntityIndex {
  return [...known.keys()].sort().map((name) => {
    const { aliases, first } = known.get(name) as Entity;
    return {
      name,
      aliases: [...aliases].sort(),
      first_available: first === Number.POSITIVE_INFINITY ? null : formatInstant(first),
    };
  });
}

/** What an entity column's text names: itself, or what it is an alias of. */
function namedBy(known: Known): (text: string) => readonly string[] {
  const aliasOf = new Map<string, string[]>();
  for (const [name, { aliases }] of known) {
    for (const key of new Set([...aliases].map(sameName))) {
      const names = aliasOf.get(key);
      if (names === undefined) aliasOf.set(key, [name]);
      else names.push(name);
    }
  }
  const declared = new Set(known.keys());
  if (aliasOf.size === 0) return (text) => [text];
  return (text) => (declared.has(text) ? undefined : aliasOf.get(sameName(text))) ?? [text];
}

/** Equal for texts of equal terms; a text without any is like none but itself. */
const sameName = (text: string): string =>
  termsOf(text)
    .map(({ term }) => term)
    .join(" ") || `\u0000${text}`;

/** A row without a name or an alias gives none. */
function readAliases({ name, alias, place }: AliasTable, table: Table, known: Known): void {
  const [names, others] = [name, alias].map((column, i) => {
    const found = table.columns[table.columnIndex.get(column) ?? -1];
    if (found === undefined)
      refuse("ColumnUnknown", { place, column, known: table.columns.map((each) => each.name) });
    if (found.codes === null)
      refuse("FieldInvalid", {
        place,
        field: `entities.${i === 0 ? "name" : "alias"}`,
        found: `${column}, a column of ${found.type}s`,
        expected: "a column of strings",
      });
    return found;
  }) as [Column, Column];
  for (let version = 0; version < table.count; version++) {
    if (table.retracted?.[version] === 1) continue;
    const [entity, other] = [textAt(names, version), textAt(others, version)];
    if (entity === undefined || entity === "") continue;
    demandLength(entity, table);
    const found = entityOf(known, entity);
    if (other === undefined || other === "" || other === entity) continue;
    demandLength(other, table);
    if (found.aliases === NONE) found.aliases = new Set();
    (found.aliases as Set<string>).add(other);
  }
}

function textAt({ codes, hidden, dictionary }: Column, version: number): string | undefined {
  return hidden?.[version] === 1 ? undefined : dictionary[codes?.[version] ?? -1];
}

/** The different texts of a column, each with the least available time of a version that shows it; none of numbers. */
function* earliest(table: Table, column: number): Generator<[text: string, at: number]> {
  const { codes, hidden, dictionary } = table.columns[column] as Column;
  if (codes === null) return;
  const first = new Float64Array(dictionary.length).fill(Number.POSITIVE_INFINITY);
  for (let version = 0; version < table.count; version++) {
    const code = codes[version] as number;
    if (code < 0 || table.retracted?.[version] === 1 || hidden?.[version] === 1) continue;
    const at = table.available[version] as number;
    if (at < (first[code] as number)) first[code] = at;
  }
  for (let code = 0; code < first.length; code++) {
    const at = first[code] as number;
    if (at !== Number.POSITIVE_INFINITY) yield [dictionary[code] as string, at];
  }
}

function demandLength(text: string, table: Table): void {
  if (text.length <= limits.entityCharacters) return;
  refuse("LimitExceeded", {
    place: table.spec?.place ?? table.name,
    what: "characters of an entity's name",
    found: text.length,
    limit: limits.entityCharacters,
  });
}
