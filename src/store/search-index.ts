/** The inverted index of a table's texts: which documents have a term, how often, and from when to when each is visible. */
import { termsOf } from "../core/terms.ts";
import { countUpTo } from "./as-of.ts";
import { sortedOrder } from "./index-table.ts";
import { cellOf, type Table } from "./table.ts";

/**
 * Documents are versions that are visible at some instant and have a term. They are numbered in the order in which they
 * become visible, so that those that began by an instant are the first of every list.
 */
export type SearchIndex = {
  /** Document → its version; version → its document, or -1. */
  readonly versionOf: Int32Array;
  readonly documentOf: Int32Array;
  /** Document → from when (inclusive) to when (exclusive) it is visible. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Document → its terms, repeated ones too. */
  readonly lengths: Int32Array;
  /** How many terms the first i documents have. */
  readonly begunTerms: Float64Array;
  /** Ends in order, and how many terms the first i documents to end have. */
  readonly ended: Float64Array;
  readonly endedTerms: Float64Array;
  /** Term → its number; number → its postings, `postingStart[n]` to `postingStart[n + 1]`, by document. */
  readonly numberOf: ReadonlyMap<string, number>;
  readonly postingStart: Int32Array;
  readonly documents: Int32Array;
  readonly frequencies: Int32Array;
  /** Document → its score during one search; 0 between two. */
  readonly scores: Float64Array;
};

const indexes = new WeakMap<Table, SearchIndex>();

/** Built at first use: linear in the texts' lengths, and O(n log n) in versions. */
export function searchIndex(table: Table): SearchIndex {
  let known = indexes.get(table);
  if (known === undefined) {
    known = buildIndex(table);
    indexes.set(table, known);
  }
  return known;
}

/** Of what is visible at `asOf`: documents, and their terms; `begun`: of which documents it is a part. O(log n). */
export function countVisible(
  index: SearchIndex,
  asOf: number,
): { readonly begun: number; readonly documents: number; readonly terms: number } {
  const begun = countUpTo(index.starts, asOf);
  const ended = countUpTo(index.ended, asOf);
  const terms = (index.begunTerms[begun] as number) - (index.endedTerms[ended] as number);
  return { begun, documents: begun - ended, terms };
}

/** A term's postings of the first `begun` documents: from where to where. O(log n). */
export function postingsOf(index: SearchIndex, term: string, begun: number): readonly [number, number] {
  const { numberOf, postingStart, documents } = index;
  const number = numberOf.get(term);
  if (number === undefined) return [0, 0];
  const from = postingStart[number] as number;
  let low = from;
  let high = postingStart[number + 1] as number;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((documents[middle] as number) < begun) low = middle + 1;
    else high = middle;
  }
  return [from, low];
}

function buildIndex(table: Table): SearchIndex {
  const spans = visibleSpans(table);
  const versionOf = new Numbers();
  const lengths = new Numbers();
  const postings = new Postings();
  for (const version of spans.order) {
    const before = postings.terms;
    for (const column of table.text) {
      const cell = cellOf(table, version, column);
      if (typeof cell !== "string") continue;
      for (const { term } of termsOf(cell)) postings.add(term, versionOf.count);
    }
    if (postings.terms === before) continue;
    versionOf.push(version);
    lengths.push(postings.terms - before);
  }
  const documents = versionOf.whole();
  const documentOf = new Int32Array(table.count).fill(-1);
  for (const [document, version] of documents.entries()) documentOf[version] = document;
  const starts = Float64Array.from(documents, (version) => spans.starts[version] as number);
  const ends = Float64Array.from(documents, (version) => spans.ends[version] as number);
  const long = lengths.whole();
  const byEnd = sortedOrder(ends.length, (a, b) => ((ends[a] as number) < (ends[b] as number) ? -1 : 1));
  return {
    versionOf: documents,
    documentOf,
    starts,
    ends,
    lengths: long,
    begunTerms: runningSum(long),
    ended: Float64Array.from(byEnd, (document) => ends[document] as number),
    endedTerms: runningSum(byEnd.map((document) => long[document] as number)),
    ...postings.byTerm(),
    scores: new Float64Array(documents.length),
  };
}

/**
 * Visible from when both its times are past until the next version of its key, a withdrawn one too, is available. `order`:
 * versions that are visible at some instant, in the order in which they begin.
 */
function visibleSpans(table: Table) {
  const { count, valid, available, retracted, keyOf } = table;
  const starts = available.slice();
  const ends = new Float64Array(count).fill(Infinity);
  const some: number[] = [];
  for (let version = 0; version < count; version++) {
    if (keyOf[version + 1] === keyOf[version]) ends[version] = available[version + 1] as number;
    if (!table.forward) starts[version] = Math.max(available[version] as number, valid[version] as number);
    if (retracted !== null && retracted[version] === 1) continue;
    if ((starts[version] as number) < (ends[version] as number)) some.push(version);
  }
  const startOf = (i: number) => starts[some[i] as number] as number;
  const order = sortedOrder(some.length, (a, b) => startOf(a) - startOf(b) || a - b);
  return { starts, ends, order: order.map((i) => some[i] as number) };
}

/** 0, then the sums of the first 1, 2, … */
function runningSum(values: Int32Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] as number) + (values[i] as number);
  return sums;
}

/** Postings as they come, document after document. */
class Postings {
  /** All terms so far, repeated ones too. */
  terms = 0;
  readonly #numberOf = new Map<string, number>();
  /** By term: its postings, and its last one. */
  readonly #counts: number[] = [];
  readonly #last: number[] = [];
  readonly #numbers = new Numbers();
  readonly #documents = new Numbers();
  readonly #frequencies = new Numbers();

  add(term: string, document: number): void {
    this.terms++;
    let number = this.#numberOf.get(term);
    if (number === undefined) {
      number = this.#counts.push(0) - 1;
      this.#numberOf.set(term, number);
    } else {
      const last = this.#last[number] as number;
      if (this.#documents.at(last) === document) {
        this.#frequencies.increment(last);
        return;
      }
    }
    this.#last[number] = this.#numbers.count;
    (this.#counts[number] as number)++;
    this.#numbers.push(number);
    this.#documents.push(document);
    this.#frequencies.push(1);
  }

  /** In the order of their terms, and of the documents within each. */
  byTerm() {
    const postingStart = new Int32Array(this.#counts.length + 1);
    this.#counts.forEach((count, number) => {
      postingStart[number + 1] = (postingStart[number] as number) + count;
    });
    const next = postingStart.slice();
    const documents = new Int32Array(this.#numbers.count);
    const frequencies = new Int32Array(this.#numbers.count);
    for (let i = 0; i < documents.length; i++) {
      const number = this.#numbers.at(i);
      const place = next[number] as number;
      next[number] = place + 1;
      documents[place] = this.#documents.at(i);
      frequencies[place] = this.#frequencies.at(i);
    }
    return { numberOf: this.#numberOf, postingStart, documents, frequencies };
  }
}

/** A growing list of small integers. */
class Numbers {
  count = 0;
  #values = new Int32Array(1024);

  at(i: number): number {
    return this.#values[i] as number;
  }

  increment(i: number): void {
    (this.#values[i] as number)++;
  }

  push(value: number): void {
    if (this.count === this.#values.length) {
      const grown = new Int32Array(this.count * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.count++] = value;
  }

  whole(): Int32Array {
    return this.#values.slice(0, this.count);
  }
}
