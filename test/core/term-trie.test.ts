import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { createTermTrie } from "../../src/core/term-trie.ts";
import { termsOf } from "../../src/core/terms.ts";

const word = fc.constantFrom("a", "B", "c", "北");
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));

test("a walk tells exactly the sequences that begin there, shorter first, equal ones under one number", () => {
  const property = fc.property(fc.array(phrase, { maxLength: 12 }), fc.array(word), (phrases, words) => {
    const trie = createTermTrie();
    const numbers = phrases.map((each) => trie.add(termsOf(each)));
    for (const [i, a] of phrases.entries())
      for (const [j, b] of phrases.entries())
        assert.equal(numbers[i] === numbers[j], a.toLowerCase() === b.toLowerCase());
    const terms = termsOf(words.join(" "));
    for (const start of terms.keys()) {
      const told: string[] = [];
      trie.walk(terms, start, (sequence, end) => told.push(`${sequence} ${end}`));
      const wanted = phrases
        .map((each, i) => [numbers[i], start + termsOf(each).length, termsOf(each)] as const)
        .filter(
          ([, end, own]) =>
            own.every(({ term }, k) => terms[start + k]?.term === term) && end <= terms.length,
        )
        .sort(([, a], [, b]) => a - b)
        .map(([sequence, end]) => `${sequence} ${end}`);
      assert.deepEqual(told, [...new Set(wanted)]);
    }
  });
  fc.assert(property);
});

test("no term is no sequence; of a long one the first terms are known", () => {
  const trie = createTermTrie();
  assert.equal(trie.add([]), -1);
  const long = termsOf("x ".repeat(limits.nameTerms + 5));
  const number = trie.add(long);
  assert.equal(trie.add(long.slice(0, limits.nameTerms)), number);
  const told: number[] = [];
  trie.walk(long, 0, (sequence, end) => told.push(sequence, end));
  assert.deepEqual(told, [number, limits.nameTerms]);
});
