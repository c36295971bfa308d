/** Names of entities: the index of when each could first be known, its one spelling, and what finds them in a text. */
import { type Static, Type } from "@sinclair/typebox";
import { canonical, isCanonical, type Json } from "../core/canonical.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import { createTermTrie } from "../core/term-trie.ts";
import { nfkc, type Term, termsOf } from "../core/terms.ts";
import { datesIn, standsAsMonth } from "../core/text-dates.ts";

const strictly = { additionalProperties: false } as const;
const name = Type.String({
  minLength: 1,
  maxLength: limits.entityCharacters,
  description: `a text of 1 to ${limits.entityCharacters} characters`,
});
const EntityOnDisk = Type.Object(
  {
    name,
    aliases: Type.Array(name),
    first_available: Type.Union([Type.String(), Type.Null()], { description: "an instant or null" }),
  },
  strictly,
);
const IndexOnDisk = Type.Array(EntityOnDisk);

/**
 * `[{"aliases":["HL2"],"first_available":"2031-05-02T00:00:00Z","name":"Harbour Line II"}]`, by names in the order of their
 * code units, aliases too. `first_available` is null where no row names it.
 */
export type EntityIndex = readonly {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly first_available: string | null;
}[];

/** The table that a case set declares under `entities`: each row gives an alias of a name. */
export type AliasTable = {
  readonly table: string;
  readonly name: string;
  readonly alias: string;
  readonly place: Place;
};

export function entityIndexText(index: EntityIndex): string {
  return canonical(index as unknown as Json);
}

/** Reads the one spelling of an index, and refuses every other: what a run keeps is as it was written. */
export function parseEntityIndex(text: string, place: Place): EntityIndex {
  const value = parseJson(text, place) as Json;
  const index = fit(IndexOnDisk, value, place) as Static<typeof IndexOnDisk>;
  demandFew(index, place);
  for (const [i, entity] of index.entries()) {
    const before = index[i - 1]?.name;
    if (before !== undefined && before >= entity.name) disordered(place, `${i}.name`, before, entity.name);
    demandAliases(entity, `${i}.aliases`, place);
    if (entity.first_available !== null)
      demandSpelling(entity.first_available, `${i}.first_available`, place);
  }
  if (!isCanonical(text, value))
    refuse("NotCanonical", { place, found: "another spelling", expected: "canonical JSON" });
  return index;
}

function demandAliases({ name, aliases }: EntityIndex[number], field: string, place: Place): void {
  for (const [i, alias] of aliases.entries()) {
    const before = aliases[i - 1];
    if (before !== undefined && before >= alias) disordered(place, field, before, alias);
    if (alias === name)
      refuse("FieldInvalid", { place, field, found: alias, expected: "another than the name" });
  }
}

function demandSpelling(text: string, field: string, place: Place): void {
  const spelled = formatInstant(parseInstant(text, place, field) as Instant);
  if (spelled !== text)
    refuse("NotCanonical", { place: `${place}: ${field}`, found: text, expected: spelled });
}

function disordered(place: Place, field: string, before: string, found: string): never {
  const expected = `a text after ${JSON.stringify(before)} by code units`;
  return refuse("FieldInvalid", { place, field, found: JSON.stringify(found), expected });
}

/** Names and aliases of an index, counted. */
export function demandFew(index: EntityIndex, place: Place): void {
  const found = index.reduce((sum, { aliases }) => sum + 1 + aliases.length, 0);
  if (found > limits.entityNames)
    refuse("LimitExceeded", { place, what: "names of entities", found, limit: limits.entityNames });
}

export type EntityMatch = {
  readonly name: string;
  /** Offsets into `nfkc(text)`; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly firstAvailable: Instant | null;
  /** Other entities that bear what was matched. */
  readonly shared: readonly string[];
};

/**
 * `longest` (the default): what a text names, each place once. `nested`: names within names too, so what a text may have
 * taught its reader. `every`: and words that are written as no name, so whatever it could be said to have named.
 */
type Reading = "longest" | "nested" | "every";
export type EntityFinder = (text: string, reading?: Reading) => readonly EntityMatch[];

/** What one sequence of terms stands for: the entities that bear it, the earliest first. */
type Bearer = Pick<EntityMatch, "name" | "firstAvailable" | "shared">;

/**
 * Finds names and aliases on term boundaries, NFKC, in any case; from the left, and of several that begin at one place the
 * longest. Of entities that share a name the one first available, then by code units. Three kinds of words are no name,
 * unless the reading is `every`: one term in lower case and without a digit, in a text with a capital beyond its first term,
 * which any text may begin with ("Can it help to ford the Tees"); one term that is part of a date or stands as a month
 * ("May 2031", "in May"); and digits alone, unless they are the whole text. A name is known by its first terms up to a limit.
 * Time linear in the text, whatever it holds and however many names there are.
 */
export function entityFinder(index: EntityIndex): EntityFinder {
  const trie = createTermTrie();
  const bearers = bearersOf(index, trie.add);
  return (text, reading = "longest") => {
    const normal = nfkc(text);
    const terms = termsOf(normal);
    const isName = reading === "every" ? () => true : nameTest(normal, terms);
    const matches: EntityMatch[] = [];
    for (let start = 0; start < terms.length; ) {
      const before = matches.length;
      let next = start + 1;
      trie.walk(terms, start, (sequence, end) => {
        if (!isName(start, end)) return;
        if (reading === "longest") {
          if (matches.length > before) matches.pop();
          next = end;
        }
        const { name, firstAvailable, shared } = bearers[sequence] as Bearer;
        const { from } = terms[start] as Term;
        matches.push({ name, from, to: (terms[end - 1] as Term).to, firstAvailable, shared });
      });
      start = next;
    }
    return matches;
  };
}

function bearersOf(index: EntityIndex, add: (terms: readonly Term[]) => number): Bearer[] {
  const owners: number[][] = [];
  for (const [i, { name, aliases }] of index.entries()) {
    for (const spelled of [name, ...aliases]) {
      const sequence = add(termsOf(spelled));
      if (sequence < 0) continue;
      const own = owners[sequence] ?? [];
      owners[sequence] = own;
      if (own.at(-1) !== i) own.push(i);
      if (own.length > limits.nameBearers) demandFewBearers(spelled, own.length);
    }
  }
  const first = index.map(({ first_available }) =>
    first_available === null
      ? null
      : (parseInstant(first_available, "entities", "first_available") as Instant),
  );
  const at = (i: number) => first[i] ?? Number.POSITIVE_INFINITY;
  const nameOf = (i: number) => (index[i] as EntityIndex[number]).name;
  return owners.map((own) => {
    const [earliest, ...others] = own.sort((a, b) => (at(a) === at(b) ? a - b : at(a) - at(b)));
    return {
      name: nameOf(earliest as number),
      firstAvailable: first[earliest as number] ?? null,
      shared: others.map(nameOf),
    };
  });
}

function demandFewBearers(name: string, found: number): never {
  const what = `entities that are called ${JSON.stringify(name)}`;
  return refuse("LimitExceeded", { place: "entities", what, found, limit: limits.nameBearers });
}

/** Whether terms from `start` to `end` may be a name where they stand; dates are looked for when first asked about. */
function nameTest(text: string, terms: readonly Term[]): (start: number, end: number) => boolean {
  // Not the first term's: a sentence begins with a capital even where its writer uses none.
  const hasCapitals = /[\p{Lu}\p{Lt}]/u.test(text.slice(terms[0]?.to));
  let dated: Set<number> | undefined;
  return (start, end) => {
    const { from, to } = terms[start] as Term;
    if (end - start > 1)
      return end - start === terms.length || hasLetter(text.slice(from, (terms[end - 1] as Term).to));
    const written = text.slice(from, to);
    if (!hasLetter(written)) return terms.length === 1;
    if (hasCapitals && /\p{Ll}/u.test(written) && !/[\p{Lu}\p{Lt}\p{N}]/u.test(written)) return false;
    if (standsAsMonth(terms, start)) return false;
    dated ??= termsWithin(terms, datesIn(text));
    return !dated.has(from);
  };
}

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** Where terms begin that lie in one of the spans; both in order. */
function termsWithin(terms: readonly Term[], spans: readonly { from: number; to: number }[]): Set<number> {
  const within = new Set<number>();
  let next = 0;
  for (const { from } of terms) {
    while (next < spans.length && (spans[next] as { to: number }).to <= from) next++;
    if (next < spans.length && (spans[next] as { from: number }).from <= from) within.add(from);
  }
  return within;
}
