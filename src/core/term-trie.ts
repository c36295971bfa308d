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
  const edges = createEdges();
  /** Per node, the root first: the number of the sequence that ends there, or -1. */
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
    edges.add(from, term, ends.length);
    return ends.push(-1) - 1;
  };

  return {
    add(sequence) {
      if (sequence.length === 0) return -1;
      let node = 0;
      for (const { term } of sequence.slice(0, limits.nameTerms)) {
        const number = numbers.get(term) ?? numbers.size;
        if (number === numbers.size) numbers.set(term, number);
        node = edges.next(node, number) || grow(node, number);
      }
      if (ends[node] === -1) ends[node] = sequences++;
      return ends[node] as number;
    },
    walk(terms, start, tell) {
      let node = 0;
      for (let i = start; i < terms.length; i++) {
        const number = numbers.get((terms[i] as Term).term);
        node = number === undefined ? 0 : edges.next(node, number);
        if (node === 0) return;
        const sequence = ends[node] as number;
        if (sequence >= 0) tell(sequence, i + 1);
      }
    },
  };
}

/**
 * From a node by a term to the next, 0 where there is none (nothing leads back to the root): open addressing with linear
 * probing, half full at most. A Map of pairs made one number does not spread them, and a Map a node is ten times the memory.
 */
function createEdges() {
  let size = 64;
  let count = 0;
  let slots = new Int32Array(3 * size);
  const slotOf = (node: number, term: number): number => {
    let at = (Math.imul(node, 0x9e3779b1) ^ Math.imul(term, 0x85ebca6b)) >>> 0;
    at = (at ^ (at >>> 15)) & (size - 1);
    while (slots[3 * at + 2] !== 0 && (slots[3 * at] !== node || slots[3 * at + 1] !== term))
      at = (at + 1) & (size - 1);
    return 3 * at;
  };
  const put = (node: number, term: number, next: number) => slots.set([node, term, next], slotOf(node, term));
  return {
    next: (node: number, term: number) => slots[slotOf(node, term) + 2] as number,
    add(node: number, term: number, next: number) {
      if (2 * ++count > size) {
        const old = slots;
        size *= 2;
        slots = new Int32Array(3 * size);
        for (let i = 0; i < old.length; i += 3)
          if (old[i + 2] !== 0) put(old[i] as number, old[i + 1] as number, old[i + 2] as number);
      }
      put(node, term, next);
    },
  };
}
