import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type EntityIndex,
  type EntityMatch,
  entityFinder,
  entityIndexText,
  parseEntityIndex,
} from "../../src/caseset/entity-names.ts";
import { formatInstant, parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Code } from "../../src/core/refusal.ts";
import { termsOf } from "../../src/core/terms.ts";
import { datesIn } from "../../src/core/text-dates.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";

type Reading = "longest" | "nested" | "every";
const entity = (name: string, first: string | null = null, ...aliases: string[]): EntityIndex[number] => ({
  name,
  aliases,
  first_available: first === null ? null : `${first}T00:00:00Z`,
});
const index: EntityIndex = [
  entity("2031", "2031-01-01"),
  entity("Ford", "2020-01-01", "Blue Oval"),
  entity("Harbour Line", "2021-01-01"),
  entity("Harbour Line II", "2031-05-02", "HL2", "新線"),
  entity("May", "2022-01-01"),
  entity("Zenith", null, "Blue Oval"),
];
const find = entityFinder(index);
/** `name: words` of each match. */
const found = (text: string, reading?: Reading) =>
  find(text, reading).map(({ name, from, to }) => `${name}: ${text.normalize("NFKC").slice(from, to)}`);

test("entityFinder: the longest name on term boundaries, in any case, by any alias, in any width", () => {
  const rows: [text: string, ...names: string[]][] = [
    ["When does Harbour Line II open?", "Harbour Line II: Harbour Line II"],
    ["harbour line ii", "Harbour Line II: harbour line ii"],
    ["Harbour Line III", "Harbour Line: Harbour Line"],
    ["Harbour Line's trains, harbour-line news", "Harbour Line: Harbour Line", "Harbour Line: harbour-line"],
    ["HL2; hl2.", "Harbour Line II: HL2", "Harbour Line II: hl2"],
    ["When does hl2 reach Leeds?", "Harbour Line II: hl2"],
    ["When does zenith open", "Zenith: zenith"],
    ["The zenith", "Zenith: zenith"],
    ["“The” zenith", "Zenith: zenith"],
    ["zenith", "Zenith: zenith"],
    ["hl2 opening", "Harbour Line II: hl2"],
    ["Ｈａｒｂｏｕｒ　Ｌｉｎｅ　ＩＩ", "Harbour Line II: Harbour Line II"],
    ["あの新線は", "Harbour Line II: 新線"],
    ["Ford, FORD", "Ford: Ford", "Ford: FORD"],
  ];
  for (const [text, ...names] of rows) assert.deepEqual(found(text), names, text);
});

test("entityFinder: no name within a word, no word that is written as one, no part of a date, no year", () => {
  const texts = [
    "Can we afford a Fordist Fjord?",
    "It may rain in Leeds; to ford a river",
    "When does zenith open in Leeds?",
    "the Zenithal zenith",
    "What happened in May 2031, or on 3 May 2031?",
    "Dogs are welcome in May, on 3 May, on May 3rd, this May",
    "What happens in 2031?",
    "Harbour, Lines",
    "",
  ];
  for (const text of texts) assert.deepEqual(found(text), [], text);
  assert.deepEqual(found("may 2031 harbour line"), ["Harbour Line: harbour line"], "nor in lower case");
  assert.deepEqual(
    found("what may ford do"),
    ["May: may", "Ford: ford"],
    "a text without capitals tells no names apart",
  );
  assert.deepEqual(
    found("What may ford do"),
    ["May: may", "Ford: ford"],
    "nor does one whose only capital begins it",
  );
  assert.deepEqual(found("2031"), ["2031: 2031"], "digits that are the whole text may be a name");
  assert.deepEqual(found("What did May say in May 2031? Ask the May."), ["May: May", "May: May"]);
});

test("entityFinder: a name that two entities bear is the earlier one's, and names the other", () => {
  const both = [
    entity("A", "2031-01-01", "Mercury"),
    entity("B", "2030-01-01", "Mercury"),
    entity("C", null, "mercury"),
  ];
  const [match] = entityFinder(both)("Mercury rises") as [EntityMatch];
  assert.deepEqual(
    [match.name, formatInstant(match.firstAvailable ?? 0), match.shared],
    ["B", "2030-01-01T00:00:00Z", ["A", "C"]],
  );
  const tied = entityFinder([entity("A", "2031-01-01", "X"), entity("B", "2031-01-01", "X")]);
  assert.deepEqual([tied("X")[0]?.name, tied("X")[0]?.shared], ["A", ["B"]]);
  assert.equal(find("Blue Oval")[0]?.name, "Ford", "known before unknown");
});

test("entityFinder: nested takes names within names, every also what is written as no name", () => {
  const text = "To ford the harbour line ii in May 2031";
  assert.deepEqual(found(text), ["Harbour Line II: harbour line ii"]);
  assert.deepEqual(found(text, "nested"), ["Harbour Line: harbour line", "Harbour Line II: harbour line ii"]);
  assert.deepEqual(found("to ford the harbour line ii in May 2031", "every"), [
    "Ford: ford",
    "Harbour Line: harbour line",
    "Harbour Line II: harbour line ii",
    "May: May",
    "2031: 2031",
  ]);
});

test("entityFinder: a name of more terms than the limit is known by its first", () => {
  const long = `Act ${"to amend ".repeat(limits.nameTerms)}`.trim();
  const [match] = entityFinder([entity(long)])(`The ${long}`) as [EntityMatch];
  assert.equal(match.name, long);
  assert.equal(termsOf(long.slice(0, match.to - match.from)).length, limits.nameTerms);
});

/** Every rule spelled out, every name tried at every place. */
function naiveFind(names: EntityIndex, text: string, reading: Reading): string[] {
  const normal = text.normalize("NFKC");
  const terms = termsOf(normal);
  const at = (one: EntityIndex[number]) => one.first_available ?? "9999";
  const matches: string[] = [];
  let free = 0;
  for (let start = 0; start < terms.length; start++) {
    const here: { names: EntityIndex[number][]; end: number }[] = [];
    for (let end = start + 1; end <= terms.length; end++) {
      const wanted = terms.slice(start, end).map(({ term }) => term);
      const bearers = names.filter(({ name, aliases }) =>
        [name, ...aliases].some(
          (spelled) => String(termsOf(spelled).map(({ term }) => term)) === String(wanted),
        ),
      );
      const words = normal.slice(terms[start]?.from, terms[end - 1]?.to);
      const inDate = datesIn(normal).some(
        ({ from, to }) => from <= (terms[start]?.from ?? 0) && (terms[start]?.from ?? 0) < to,
      );
      const [previous, following] = [terms[start - 1]?.term ?? "", terms[end]?.term ?? ""];
      const isMonth =
        wanted[0] === "may" && (previous === "in" || /^\d\d?$/.test(previous) || /^\d\d?$/.test(following));
      const plain = /\p{Ll}/u.test(words) && !/\p{Lu}|\p{Lt}|\p{N}/u.test(words);
      const lower =
        plain && terms.slice(1).some(({ from, to }) => /\p{Lu}|\p{Lt}/u.test(normal.slice(from, to)));
      const bare = !/\p{L}/u.test(words) && wanted.length < terms.length;
      const isWord = bare || (wanted.length === 1 && /\p{L}/u.test(words) && (lower || inDate || isMonth));
      if (bearers.length > 0 && (reading === "every" || !isWord)) here.push({ names: bearers, end });
    }
    for (const { names: bearers, end } of reading !== "longest" ? here : start < free ? [] : here.slice(-1)) {
      const sorted = [...bearers].sort((a, b) =>
        at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : a.name < b.name ? -1 : 1,
      );
      matches.push(`${sorted.map(({ name }) => name)} ${terms[start]?.from} ${terms[end - 1]?.to}`);
      free = end;
    }
  }
  return matches;
}

const spelled = fc
  .array(
    fc.constantFrom("Ford", "ford", "Harbour", "line", "II", "2031", "May", "新", "é", "Ａ", "12", "hl2"),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((words) => words.join(" "));
const indexes: fc.Arbitrary<EntityIndex> = fc
  .uniqueArray(
    fc.record({
      name: spelled,
      aliases: fc.uniqueArray(spelled, { maxLength: 2 }),
      first_available: fc.constantFrom(null, "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"),
    }),
    { selector: ({ name }) => name, maxLength: 8 },
  )
  .map((some) =>
    some
      .map(({ name, aliases, first_available }) => ({
        name,
        aliases: aliases.filter((alias) => alias !== name).sort(),
        first_available,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
const text = fc
  .array(
    fc.constantFrom(
      "Ford",
      "ford",
      "FORD",
      "afford",
      "Harbour",
      "harbour",
      "line",
      "II",
      "in",
      "2031",
      "May",
      "新",
      "é",
      "A",
      "hl2",
      "12",
      ",",
      "-",
    ),
    { maxLength: 12 },
  )
  .chain((words) => fc.constantFrom(" ", "  ", "").map((gap) => words.join(gap || " ")));

test("entityFinder finds what a naive, quadratic one finds", () => {
  let matched = 0;
  const property = fc.property(
    indexes,
    text,
    fc.constantFrom<Reading>("longest", "nested", "every"),
    (names, words, reading) => {
      const matches = entityFinder(names)(words, reading);
      matched += matches.length;
      assert.deepEqual(
        matches.map(({ name, shared, from, to }) => `${[name, ...shared]} ${from} ${to}`),
        naiveFind(names, words, reading),
      );
    },
  );
  fc.assert(property, { numRuns: 800 });
  assert.ok(matched > 100, "names were found at all");
});

test("entityFinder: a hostile text takes time in its length, whatever the names", () => {
  const names = entityFinder([
    entity("a ".repeat(limits.nameTerms).trim()),
    entity("a".repeat(900)),
    entity("b"),
  ]);
  const started = process.hrtime.bigint();
  for (const piece of ["a ", "a", "b ", "B may 2031 ", "新"]) {
    const length = names(piece.repeat(200_000 / piece.length)).length;
    assert.equal(length > 0, piece.endsWith(" "), piece);
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  assert.ok(seconds < 20, `${seconds} s for 5 texts of 200,000 characters`);
});

test("parseEntityIndex ∘ entityIndexText is the identity, and no other spelling is read", () => {
  fc.assert(
    fc.property(indexes, (names) => {
      const written = entityIndexText(names);
      const read = parseEntityIndex(written, "artifact");
      assert.deepEqual(read, names);
      assert.equal(entityIndexText(read), written);
    }),
  );
});

test("parseEntityIndex: each fault is refused with its place, and its neighbour is read", () => {
  const one = '{"aliases":[],"first_available":null,"name":"A"}';
  const two = '{"aliases":["C","D"],"first_available":"2031-05-02T00:00:00Z","name":"B"}';
  const change = (from: string, to: string) => `[${one},${two.replace(from, to)}]`;
  const rows: [code: Code, text: string][] = [
    ["JsonInvalid", `[${one}`],
    ["FieldInvalid", "{}"],
    ["FieldInvalid", "[1]"],
    ["FieldInvalid", change('"B"', '""')],
    ["FieldInvalid", change('"B"', `"${"B".repeat(limits.entityCharacters + 1)}"`)],
    ["KeyMissing", change(',"name":"B"', "")],
    ["UnknownKey", change('"name":"B"', '"name":"B","x":1')],
    ["FieldInvalid", `[${two},${one}]`],
    ["FieldInvalid", `[${one},${one}]`],
    ["FieldInvalid", change('"C","D"', '"D","C"')],
    ["FieldInvalid", change('"C","D"', '"C","C"')],
    ["FieldInvalid", change('"C","D"', '"B","C"')],
    ["InstantInvalid", change("2031-05-02T00:00:00Z", "2031-05-02")],
    ["NotCanonical", change("2031-05-02T00:00:00Z", "2031-05-02T02:00:00+02:00")],
    ["NotCanonical", `[${one}, ${two}]`],
    ["DuplicateKey", change('"name":"B"', '"name":"B","name":"B"')],
  ];
  for (const [code, bad] of rows) {
    const { details } = refused(code, () => parseEntityIndex(bad, "artifact"));
    assert.ok(details.place.startsWith("artifact"), bad);
  }
  assert.deepEqual(parseEntityIndex(`[${one},${two}]`, "artifact").length, 2);
  assert.deepEqual(parseEntityIndex("[]", "artifact"), []);
});

test("entityFinder: more entities than the limit under one name are refused, as many are not", () => {
  const bearers = (count: number) =>
    Array.from({ length: count }, (_, i) => entity(`e${String(i).padStart(9, "0")}`, null, "Same"));
  const { message } = refused("LimitExceeded", () => entityFinder(bearers(limits.nameBearers + 1)));
  assert.match(message, /entities: entities that are called "Same": 1001/);
  const [match] = entityFinder(bearers(limits.nameBearers))("Same") as [EntityMatch];
  assert.equal(match.shared.length, limits.nameBearers - 1);
});

test("a match's first_available is its entity's", () => {
  const instants = find("Ford, Harbour Line II, HL2").map(({ firstAvailable }) => firstAvailable);
  assert.deepEqual(
    instants,
    ["2020-01-01", "2031-05-02", "2031-05-02"].map((day) => parseInstant(`${day}T00:00:00Z`, "t", "t")),
  );
  assertEvery(find("Harbour Line II"), ({ shared }) => shared.length === 0);
});
