/** Ranked text search: BM25 over the documents visible at an instant, and over no others. */
import { contract } from "../core/contract.ts";
import { round12 } from "../core/round.ts";
import { termsOf } from "../core/terms.ts";
import { visibleVersion } from "./as-of.ts";
import { isPlant, outranks, type PlantedRow } from "./overlay.ts";
import { cellAt, compareRows, stands } from "./rows.ts";
import { countVisible, postingsOf, type SearchIndex, searchIndex } from "./search-index.ts";
import type { Table } from "./table.ts";

/** A table that is searched, and its planted rows that are visible. */
export type Searched = { readonly table: Table; readonly plants: readonly PlantedRow[] };

/** A row of one of the tables, each by its number; a row as in a selection. */
export type Hit = { readonly table: number; readonly row: number; readonly score: number };

export type Found = {
  /** By falling score, rounded to 12 digits; of equal ones by table, then (valid time, key). At most k. */
  readonly hits: readonly Hit[];
  /** Documents that have one of the terms. */
  readonly total: number;
  /** Plants that the answer was made from, staged rows left out: where anything was found, all that are documents or hide one. */
  readonly planted: readonly PlantedRow[];
};

const { bm25K1: K1, bm25B: B } = contract;

/**
 * Okapi BM25, more is closer: Σ over the query's terms, each once, of idf · f · (k1 + 1) / (f + k1 · (1 − b + b · l / m)),
 * idf = ln(1 + (N − df + ½) / (df + ½)) > 0. N visible documents in all tables together, of which df have the term; f
 * times it stands in the document, whose length is l terms, m on the mean. A row without a term is no document.
 * Robertson and Zaragoza (2009), Foundations and Trends in Information Retrieval 3(4), with k1 + 1 in the numerator and
 * 1 in the logarithm. O(postings of the terms + log n); `terms` are without doubles.
 */
export function searchVisible(
  searched: readonly Searched[],
  asOf: number,
  terms: readonly string[],
  k: number,
): Found {
  const views = searched.map((one) => viewOf(one, asOf));
  const sum = (of: (view: View) => number) => views.reduce((total, view) => total + of(view), 0);
  const documents = sum((view) => view.documents);
  const mean = sum((view) => view.terms) / documents;
  // In one order whatever the query's, so that sums have the same last bits.
  for (const term of [...terms].sort()) {
    const having = sum((view) => countHaving(view, term));
    const idf = Math.log(1 + (documents - having + 0.5) / (having + 0.5));
    for (const view of views) addScores(view, term, idf, mean);
  }
  const hits = takeBest(views, k);
  const total = sum((view) => view.matched.length + view.planted.filter(({ score }) => score > 0).length);
  return { hits, total, planted: total === 0 ? [] : views.flatMap((view) => view.used.filter(isPlant)) };
}

/** What a table's search sees at an instant: its index, and what the plants change in it. */
type View = Searched & {
  readonly index: SearchIndex;
  readonly asOf: number;
  /** Documents that began to be visible by then; those that are, and their terms. */
  readonly begun: number;
  readonly documents: number;
  readonly terms: number;
  /** Visible documents that a plant outranks; they are not counted. */
  readonly hidden: readonly number[];
  readonly planted: readonly Planted[];
  readonly used: readonly PlantedRow[];
  /** Documents that have one of the query's terms so far. */
  readonly matched: number[];
};

/** A plant that is a document: the number of its row, and its terms. */
type Planted = {
  readonly row: number;
  readonly frequencies: ReadonlyMap<string, number>;
  readonly length: number;
  score: number;
};

function viewOf({ table, plants }: Searched, asOf: number): View {
  const index = searchIndex(table);
  const visible = countVisible(index, asOf);
  let { documents, terms } = visible;
  const hidden: number[] = [];
  const planted: Planted[] = [];
  const used = plants.filter((plant, i) => {
    const version = plant.keyId < 0 ? -1 : visibleVersion(table, plant.keyId, asOf);
    const document = version < 0 ? -1 : (index.documentOf[version] as number);
    const hides = document >= 0 && outranks(plant, table, version);
    if (hides && !hidden.includes(document)) {
      hidden.push(document);
      documents--;
      terms -= index.lengths[document] as number;
    }
    const own = stands(table, plants, i, asOf) ? plantedDocument(table, plants, -1 - i) : null;
    if (own !== null) {
      planted.push(own);
      documents++;
      terms += own.length;
    }
    return hides || own !== null;
  });
  return {
    table,
    plants,
    index,
    asOf,
    begun: visible.begun,
    documents,
    terms,
    hidden,
    planted,
    used,
    matched: [],
  };
}

function plantedDocument(table: Table, plants: readonly PlantedRow[], row: number): Planted | null {
  const frequencies = new Map<string, number>();
  let length = 0;
  for (const column of table.text) {
    const cell = cellAt(table, plants, row, column);
    for (const { term } of typeof cell === "string" ? termsOf(cell) : []) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
      length++;
    }
  }
  return length === 0 ? null : { row, frequencies, length, score: 0 };
}

const weight = (idf: number, frequency: number, length: number, mean: number): number =>
  (idf * (frequency * (K1 + 1))) / (frequency + K1 * (1 - B + B * (length / mean)));

function countHaving({ index, begun, asOf, hidden, planted }: View, term: string): number {
  const { documents, ends } = index;
  const [from, to] = postingsOf(index, term, begun);
  let having = 0;
  for (let i = from; i < to; i++) {
    const document = documents[i] as number;
    if ((ends[document] as number) > asOf && !isHidden(hidden, document)) having++;
  }
  for (const { frequencies } of planted) if (frequencies.has(term)) having++;
  return having;
}

function addScores(view: View, term: string, idf: number, mean: number): void {
  const { index, begun, asOf, hidden, planted, matched } = view;
  const { documents, frequencies, ends, lengths, scores } = index;
  const [from, to] = postingsOf(index, term, begun);
  for (let i = from; i < to; i++) {
    const document = documents[i] as number;
    if ((ends[document] as number) <= asOf || isHidden(hidden, document)) continue;
    const before = scores[document] as number;
    if (before === 0) matched.push(document);
    scores[document] = before + weight(idf, frequencies[i] as number, lengths[document] as number, mean);
  }
  for (const one of planted) {
    const frequency = one.frequencies.get(term);
    if (frequency !== undefined) one.score += weight(idf, frequency, one.length, mean);
  }
}

const isHidden = (hidden: readonly number[], document: number): boolean =>
  hidden.length > 0 && hidden.includes(document);

/** A score moves by less than this part of itself when it is rounded, and most need not be. */
const ROUNDING = 1e-11;

/** The k best, by rounded scores; the index's scores are 0 again afterwards. */
function takeBest(views: readonly View[], k: number): Hit[] {
  const hits: Hit[] = [];
  const rounded = new Map<number, number>();
  const offer = (table: number, row: number, exact: number): void => {
    const last = hits.length < k ? undefined : hits[k - 1];
    if (last !== undefined && exact < last.score * (1 - ROUNDING)) return;
    const score = rounded.get(exact) ?? round12(exact);
    rounded.set(exact, score);
    const hit = { table, row, score };
    let at = hits.length;
    while (at > 0 && compareHits(views, hit, hits[at - 1] as Hit) < 0) at--;
    if (at === k) return;
    hits.splice(at, 0, hit);
    if (hits.length > k) hits.pop();
  };
  views.forEach(({ index, matched, planted }, table) => {
    for (const document of matched) {
      offer(table, index.versionOf[document] as number, index.scores[document] as number);
      index.scores[document] = 0;
    }
    for (const { row, score } of planted) if (score > 0) offer(table, row, score);
  });
  return hits;
}

function compareHits(views: readonly View[], a: Hit, b: Hit): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.table !== b.table) return a.table - b.table;
  const { table, plants } = views[a.table] as View;
  return compareRows(table, plants, a.row, b.row);
}
