/** A trie over terms: many sequences of terms, each found in a text where the walk from one of its terms comes to its end. */
import { limits } from "./limits.ts";
import { refuse } from "./refusal.ts";
import type { Term } from "./terms.ts";

export type TermTrie = {
  /**
   * Takes a sequence up; its number, the same for equal ones, -1 where it has no term. Of a sequence longer than the limit
   * the first terms alone are looked for.
   */
  add(sequence: readonly Term[]): number;
  /** Tells each sequence that begins with the term at `start`, shorter ones first; `end` is exclusive. */
  walk(terms: readonly Term[], start: number, tell: (sequence: number, end: number) => void): void;
};

/** Adding costs O(terms), a walk O(the longest sequence), which a limit bounds: a text is read in linear time. */
export function createTermTrie(): TermTrie {
  const numbers = new Map<string, number>();
  /** From a node by a term's number to the next; node 0 is the root. */
  const edges = new Map<number, number>();
  /** Per node: the number of the sequence that ends there, or -1. */
  const ends = [-1];
  let sequences = 0;

  const grow = (from: number, term: number): number => {
    if (ends.length > limits.trieNodes)
      refuse("LimitExceeded", {
        place: "entities",
        what: "different terms of names",
        found: ends.length,
        limit: limits.trieNodes,
      });
    edges.set(from * WIDTH + term, ends.length);
    return ends.push(-1) - 1;
  };
  const numberOf = (term: string): number => {
    const known = numbers.get(term) ?? numbers.size;
    if (known === numbers.size) numbers.set(term, known);
    return known;
  };

  return {
    add(sequence) {
      if (sequence.length === 0) return -1;
      let node = 0;
      for (const { term } of sequence.slice(0, limits.nameTerms)) {
        const number = numberOf(term);
        node = edges.get(node * WIDTH + number) ?? grow(node, number);
      }
      if (ends[node] === -1) ends[node] = sequences++;
      return ends[node] as number;
    },
    walk(terms, start, tell) {
      let node = 0;
      for (let i = start; i < terms.length; i++) {
        const number = numbers.get((terms[i] as Term).term);
        const next = number === undefined ? undefined : edges.get(node * WIDTH + number);
        if (next === undefined) return;
        node = next;
        const sequence = ends[node] as number;
        if (sequence >= 0) tell(sequence, i + 1);
      }
    },
  };
}

/** More than there can be terms, so that a node and a term make one key; with the limit of nodes it stays exact. */
const WIDTH = 33_554_432;
