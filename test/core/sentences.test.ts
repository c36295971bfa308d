import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sentencesOf } from "../../src/core/sentences.ts";

const split = (text: string, ...whole: string[]) => {
  const spans = whole.map((words) => ({ from: text.indexOf(words), to: text.indexOf(words) + words.length }));
  return sentencesOf(text, spans).map(({ from, to }) => text.slice(from, to).trim());
};

test("sentencesOf: full stops, marks and lines end a sentence; abbreviations and what goes on in lower case do not", () => {
  assert.deepEqual(split("It opened. It rained! Why? Nobody knows."), [
    "It opened.",
    "It rained!",
    "Why?",
    "Nobody knows.",
  ]);
  assert.deepEqual(split('He said "It opened." Then he left.'), ['He said "It opened."', "Then he left."]);
  assert.deepEqual(split("Red Line opened\nHarbour Line did not"), [
    "Red Line opened",
    "Harbour Line did not",
  ]);
  assert.deepEqual(split("それは開いた。雨が降った。"), ["それは開いた。", "雨が降った。"]);
  const one = [
    "Up 4.5 points",
    "Mr. Smith of Acme Inc. said so",
    "The U.S. Open began",
    "Approx. five people",
    "",
  ];
  for (const text of one) assert.deepEqual(split(text), [text]);
  assert.deepEqual(split("St. Mary. It opened."), ["St. Mary.", "It opened."]);
});

test("sentencesOf: none ends within what is whole", () => {
  const text = "Who is Yahoo! It asked. Panic! At the Disco played.";
  assert.deepEqual(split(text, "Panic! At the Disco"), [
    "Who is Yahoo!",
    "It asked.",
    "Panic! At the Disco played.",
  ]);
  assert.equal(split(text).length, 4);
});

test("sentencesOf: the sentences are the text, in order and without gaps", () => {
  const parts = fc.constantFrom("a", "B", ".", "!", " ", "\n", "。", '"', "no", "é");
  fc.assert(
    fc.property(fc.array(parts), (each) => {
      const text = each.join("");
      const spans = sentencesOf(text);
      assert.equal(spans.map(({ from, to }) => text.slice(from, to)).join(""), text);
      assert.ok(spans.length > 0);
    }),
  );
});

test("sentencesOf: a hostile text takes time in its length", () => {
  const started = process.hrtime.bigint();
  for (const piece of [".", ". ", " ", "\n", '."', "a.", "A. "])
    sentencesOf(piece.repeat(300_000 / piece.length));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  assert.ok(seconds < 10, `${seconds} s for 7 texts of 300,000 characters`);
});
