import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { termsOf } from "../../src/core/terms.ts";
import { assertEvery } from "../support/all.ts";

const wordsOf = (text: string) => termsOf(text).map(({ term }) => term);

test("terms are runs of letters, marks and digits, in lower case", () => {
  assert.deepEqual(wordsOf("Harbour Line opens: 2.5% up, A2B!"), [
    "harbour",
    "line",
    "opens",
    "2",
    "5",
    "up",
    "a2b",
  ]);
  assert.deepEqual(wordsOf("don't U.S. e-mail x_y"), ["don", "t", "u", "s", "e", "mail", "x", "y"]);
  assert.deepEqual(wordsOf("हिन्दी שָׁלוֹם"), ["हिन्दी", "שָׁלוֹם".normalize("NFKC")]);
  for (const text of ["", " \n\t", "—…!?#", "😀", "\u0301", "\ud800", "¨"])
    assert.deepEqual(wordsOf(text), []);
});

test("compatible spellings are one term", () => {
  assert.deepEqual(wordsOf("ｃａｆé ﬁne ② ½"), ["café", "fine", "2", "1", "2"]);
  assert.deepEqual(wordsOf("Cafe\u0301"), wordsOf("CAFÉ"));
  assert.deepEqual(wordsOf("ΟΔΟΣ"), ["οδος"]);
});

test("a character of a script without spaces is a term of its own, its marks with it", () => {
  assert.deepEqual(wordsOf("東京2020"), ["東", "京", "2020"]);
  assert.deepEqual(wordsOf("ラーメンは"), ["ラ", "ー", "メ", "ン", "は"]);
  assert.deepEqual(wordsOf("か\u3099ｶﾞ"), ["が", "ガ"]);
  assert.deepEqual(wordsOf("ดีX"), ["ดี", "x"]);
  assert.deepEqual(wordsOf("서울 한국"), ["서울", "한국"]);
});

test("a capital is the first letter's, wherever it stands in the term", () => {
  const capitals = (text: string) => termsOf(text).map(({ capital }) => capital);
  assert.deepEqual(capitals("Ford ford iPhone 3M 3m 3\u0301M 42 Élan ǅ 東"), [
    true,
    false,
    false,
    true,
    false,
    true,
    false,
    true,
    true,
    false,
  ]);
});

test("offsets are into the text in NFKC, in order, and a term's own spelling gives the term again", () => {
  const property = fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
    const normal = text.normalize("NFKC");
    let last = 0;
    for (const { term, from, to } of termsOf(text)) {
      assert.ok(from >= last && to > from && to <= normal.length);
      assert.doesNotMatch(normal.slice(last, from), /[\p{L}\p{N}]/u);
      assert.deepEqual(wordsOf(normal.slice(from, to)), [term]);
      last = to;
    }
    assert.doesNotMatch(normal.slice(last), /[\p{L}\p{N}]/u);
  });
  fc.assert(property, { numRuns: 500 });
});

test("of every character there is, a term's terms are the term, so that a query can be written as it was indexed", () => {
  const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  const terms = new Set(characters.flatMap(wordsOf));
  assert.ok(terms.size > 100_000);
  assertEvery(terms, (term) => {
    const [again, ...rest] = termsOf(term);
    return rest.length === 0 && again?.term === term && again.to === term.length && !again.capital;
  });
});
