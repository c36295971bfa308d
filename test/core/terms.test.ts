import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nfkc, termsOf } from "../../src/core/terms.ts";
import { assertEvery } from "../support/all.ts";

const wordsOf = (text: string) => termsOf(text).map(({ term }) => term);

/** The longest run of marks that nothing breaks. */
const longestRun = (text: string) =>
  Math.max(0, ...[...text.matchAll(/(?:(?!\u034f)\p{M})+/gu)].map(([run]) => [...run].length));

test("nfkc: NFKC, but no run of more than 30 marks, however many there are", () => {
  const marks = nfkc(`a${"\u0300\u0316".repeat(250_000)}`);
  // à is one character; of the first 30 marks 28 stand behind it once a grave has gone into it and all are in order.
  const first = `\u00e0${"\u0316".repeat(15)}${"\u0300".repeat(14)}`;
  const block = `\u034f${"\u0316".repeat(15)}${"\u0300".repeat(15)}`;
  assert.ok(marks.startsWith(first + block));
  const blocks = Math.ceil(500_000 / 30) - 2;
  assert.ok(marks === `${first}${block.repeat(blocks)}\u034f${"\u0316".repeat(10)}${"\u0300".repeat(10)}`);
  for (const [hostile, times] of [
    ["\u0344", 40],
    ["\uff9e\u0300\u0316", 40],
    ["\u1ed9\u0323\u0300", 40],
    ["\u09c7\u09be", 40],
    ["\ufb1e", 40],
  ] as const) {
    const normal = nfkc(`x${hostile.repeat(times)}`);
    assert.ok(longestRun(normal) <= 30, hostile);
    assert.equal(nfkc(normal), normal);
    assert.equal(normal.normalize("NFKC"), normal);
  }
  assert.equal(termsOf(`A${"\u0300\u0316".repeat(250_000)} b`).length, 2, "a long run is still of one term");
});

test("nfkc: what becomes a mark counts as one, so that no text is ordered in a longer run than is looked at", () => {
  const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  const hidden = characters.filter((c) => /^\p{M}+$/u.test(c.normalize("NFKD")) && !/\p{M}/u.test(c));
  assert.deepEqual(hidden, ["\uff9e", "\uff9f"]);
  assertEvery(hidden, (c) => longestRun(nfkc(`x${c.repeat(100)}`)) === 30);
});

test("nfkc: an ordinary text's is NFKC's, and of its own result the same again", () => {
  for (const text of [
    "",
    "Café ﬁne ½",
    "हिन्दी שָׁלוֹם",
    "か\u3099ｶﾞ",
    `a${"\u0301".repeat(30)}b`,
    "e\u034f\u0301",
  ])
    assert.equal(nfkc(text), text.normalize("NFKC"), text);
  const piece = fc.constantFrom(
    "a",
    "ồ",
    "\u0300",
    "\u0316",
    "\u0344",
    "\uff9e",
    "\u034f",
    "\u0fb2\u0f81",
    " ",
    "\ud800",
  );
  const repeated = fc.tuple(piece, fc.integer({ min: 1, max: 40 })).map(([one, times]) => one.repeat(times));
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(repeated, { maxLength: 8 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      const normal = nfkc(given);
      assert.equal(nfkc(normal), normal);
      assert.equal(normal.normalize("NFKC"), normal);
      assert.ok(longestRun(normal) <= 30);
      if (longestRun(given.normalize("NFKD")) <= 30) assert.equal(normal, given.normalize("NFKC"));
    }),
    { numRuns: 500 },
  );
});

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
  const terms = new Set<string>();
  // A line each, a few thousand lines at a time: nothing is ordered or composed across a line's end.
  for (let first = 0; first < 0x110000; first += 0x1000) {
    const characters = Array.from({ length: 0x1000 }, (_, i) => String.fromCodePoint(first + i));
    for (const word of wordsOf(characters.join("\n"))) terms.add(word);
  }
  assert.ok(terms.size > 100_000);
  assertEvery(terms, (term) => {
    const [again, ...rest] = termsOf(term);
    return rest.length === 0 && again?.term === term && again.to === term.length && !again.capital;
  });
});
