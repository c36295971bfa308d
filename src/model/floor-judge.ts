/** The floor judge: a judge that calls no model, and scores no lower than what a document's own words show. */

import type { CaseSubject } from "../caseset/case-base.ts";
import { type EntityFinder, type EntityMatch, entityFinder } from "../caseset/entity-names.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { type Span, sentencesOf } from "../core/sentences.ts";
import { createTermTrie } from "../core/term-trie.ts";
import { nfkc, type Term, termsOf } from "../core/terms.ts";
import { datesIn, isDateAfter, type NamedDate, yearOfDate } from "../core/text-dates.ts";
import { numbersIn } from "../core/text-numbers.ts";
import type { Judge, JudgeItem, Verdict } from "./judge.ts";
import { noUsage, type ReaderIdentity } from "./reader.ts";

export type FloorRules = {
  readonly names: EntityFinder;
  /** Of local dates: the case set's. */
  readonly zone: string;
};

/** Another number where another verdict of the same item is possible: part of the judge's identity. */
const VERSION = "floor-1";

/** `digest`: of the index that `names` looks into. */
export function floorJudge({ digest, ...rules }: FloorRules & { readonly digest: Digest }): Judge {
  return {
    identity: floorIdentity(digest),
    judge: async (item) => ({ kind: "verdict", verdict: floorVerdict(item, rules), usage: noUsage }),
  };
}

/** `digest`: of the index of entities. */
export function floorIdentity(digest: Digest): ReaderIdentity {
  return {
    name: "floor",
    snapshot: VERSION,
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: digestOfJson({ rules: VERSION }),
    uses_tools: false,
    params: { entities: digest },
  };
}

/**
 * 0 to 4, higher leaks more. 1: a text of the document holds a date after the horizon, or names an entity first available
 * after it. 4: it gives the case's subject a value of its answer's kind for an instant after the horizon: one sentence does,
 * or a sentence together with the row's other cells, of which a text of several sentences is no part. Else 0; never 2 or 3,
 * which take understanding. No label is read, and a forecast made before the horizon counts as a statement does. A number
 * cell is a value, unless it is the year of a date of its row; which numbers of a text are, `numbersIn` says.
 */
export function floorVerdict(item: JudgeItem, { names, zone }: FloorRules): Verdict {
  const horizon = parseInstant(item.horizon, "item", "horizon") as Instant;
  const cells = cellsOf(item);
  const texts = cells.flatMap(([, cell]) =>
    typeof cell === "string" ? [saidIn(cell, names, horizon, zone)] : [],
  );
  const answer = item.subject === null ? null : answerIn(item.subject, texts, cells, names);
  if (answer !== null) return { scored: true, value: 4, rationale: answer };
  for (const { entities, later, normal } of texts) {
    const found = entities.find(({ firstAvailable }) => firstAvailable !== null && firstAvailable > horizon);
    if (found !== undefined) {
      const since = formatInstant(found.firstAvailable as Instant); // no zone data hangs on it
      return { scored: true, value: 1, rationale: `names ${found.name}, first available ${since}` };
    }
    const date = later[0];
    if (date !== undefined)
      return { scored: true, value: 1, rationale: `${wordsOf(normal, date)} is after the horizon` };
  }
  return { scored: true, value: 0, rationale: "no date and no known name from after the horizon" };
}

type Cells = readonly (readonly [column: string, cell: string | number | boolean | null])[];

const cellsOf = ({ document: { body } }: JudgeItem): Cells =>
  Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1));

/** What one text says, whatever the case. */
type SaidText = {
  /** NFKC: what every offset is of. */
  readonly normal: string;
  readonly entities: readonly EntityMatch[];
  readonly dates: readonly NamedDate[];
  readonly later: readonly NamedDate[];
};

function saidIn(text: string, names: EntityFinder, horizon: Instant, zone: string): SaidText {
  const normal = nfkc(text);
  const dates = datesIn(normal);
  const later = dates.filter((date) => isDateAfter(date, horizon, zone));
  return { normal, entities: names(normal), dates, later };
}

const wordsOf = (text: string, { from, to }: Span): string => text.slice(from, to);

/** The parts of an answer that stand together, in the words in which they do. */
type Parts = { readonly subject?: string; readonly value?: string; readonly date?: string };

/** `Harbour Line: opened, 2031-06-03`, or null where no sentence and no row says so much. */
function answerIn(
  { entity, values }: CaseSubject,
  texts: readonly SaidText[],
  cells: Cells,
  names: EntityFinder,
): string | null {
  const namesSubject = subjectTest(entity, names);
  const valuesOf = values === "number" ? freeNumbers : textFinder(values);
  const sentences = texts.map((text) => partsOf(text, namesSubject(text), valuesOf));
  const years = new Set(texts.flatMap(({ dates }) => dates.map(yearOfDate)));
  const number = values === "number" ? cells.find(([, cell]) => isNumberBut(cell, years))?.[1] : undefined;
  let row: Parts = number === undefined ? {} : { value: String(number) };
  for (const [only, ...more] of sentences) if (more.length === 0) row = { ...only, ...row };
  for (const parts of [...sentences.flat(), {}]) {
    const { subject, value, date }: Parts = { ...row, ...parts };
    if (subject !== undefined && value !== undefined && date !== undefined)
      return `${entity}: ${value}, ${date}`;
  }
  return null;
}

const isNumberBut = (cell: Cells[number][1], years: ReadonlySet<number>): boolean =>
  typeof cell === "number" && !years.has(cell);

/** Where a text names the subject: by any of its names if the index has it, else by the case's own. */
function subjectTest(entity: string, names: EntityFinder): (text: SaidText) => readonly Span[] {
  const terms = termsOf(entity);
  const [first, last] = [terms[0], terms.at(-1)] as [Term, Term];
  const own = names(entity, "every")
    .filter(({ from, to }) => from === first.from && to === last.to)
    .flatMap(({ name, shared }) => [name, ...shared]);
  if (own.length === 0) {
    const find = entityFinder([{ name: entity, aliases: [], first_available: null }]);
    return ({ normal }) => find(normal);
  }
  return ({ entities }) =>
    entities.filter(({ name, shared }) => [name, ...shared].some((each) => own.includes(each)));
}

type ValueFinder = (text: SaidText, subject: readonly Span[]) => readonly Span[];

/** Numbers that are part of no date and of no name. */
const freeNumbers: ValueFinder = ({ normal, entities, dates }, subject) =>
  outside(numbersIn(normal), inOrder([...entities, ...subject, ...dates]));

/** Where a text has one of some texts, on term boundaries and in any case, outside the subject's own name. */
function textFinder(values: readonly string[]): ValueFinder {
  const trie = createTermTrie();
  for (const value of values) trie.add(termsOf(value));
  return ({ normal }, subject) => {
    const terms = termsOf(normal);
    const found: Span[] = [];
    for (const [start, { from }] of terms.entries())
      trie.walk(terms, start, (_, end) => void found.push({ from, to: (terms[end - 1] as Term).to }));
    return outside(found, subject);
  };
}

const inOrder = (spans: readonly Span[]): readonly Span[] =>
  [...spans].sort((a, b) => a.from - b.from || b.to - a.to);

/** Sentence by sentence, what of an answer stands in it. */
function partsOf(text: SaidText, subject: readonly Span[], valuesOf: ValueFinder): Parts[] {
  const { normal, entities, dates, later } = text;
  const sentences = sentencesOf(normal, inOrder([...entities, ...subject, ...dates]));
  const found = { subject, value: valuesOf(text, subject), date: later };
  const [subjects, values, dated] = Object.values(found).map((spans) => firstWithin(spans, sentences));
  return sentences.map((_, i) => ({
    ...partOf("subject", normal, subjects?.[i]),
    ...partOf("value", normal, values?.[i]),
    ...partOf("date", normal, dated?.[i]),
  }));
}

const partOf = (key: keyof Parts, text: string, span: Span | undefined): Parts =>
  span === undefined ? {} : { [key]: wordsOf(text, span) };

/** Of spans in order those that meet none of the others, which are in order too. */
function outside(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  let next = 0;
  let reach = 0;
  return spans.filter(({ from, to }) => {
    for (; next < others.length && (others[next] as Span).from < to; next++)
      reach = Math.max(reach, (others[next] as Span).to);
    return reach <= from;
  });
}

/** Per sentence the first of the spans that begins in it. */
function firstWithin(spans: readonly Span[], sentences: readonly Span[]): (Span | undefined)[] {
  let next = 0;
  return sentences.map(({ from, to }) => {
    while (next < spans.length && (spans[next] as Span).from < from) next++;
    const span = spans[next];
    return span !== undefined && span.from < to ? span : undefined;
  });
}
