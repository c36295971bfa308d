import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, isCanonical, type Json } from "../../src/core/canonical.ts";
import { limits } from "../../src/core/limits.ts";
import { assertEvery, assertNone } from "../support/all.ts";

/** By the definition: the text is the canonical form of its parse. */
function byDefinition(text: string): boolean {
  try {
    return canonical(JSON.parse(text) as Json) === text;
  } catch {
    return false;
  }
}
const agrees = (text: string) => {
  const value = JSON.parse(text) as Json;
  assert.equal(isCanonical(text, value), byDefinition(text), text);
  return isCanonical(text, value);
};

const values = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }).map((value) => value as Json);
/** Keys that JavaScript or a sloppy order treats as others. */
const keys = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "9",
    "10",
    "-1",
    "__proto__",
    "constructor",
    "a",
    "a\u0000",
    "ab",
    "é",
    "😀",
    "\ufb33",
    '"',
    "\\",
    ":",
  ),
  fc.string(),
);
const sly = fc.dictionary(keys, values, { maxKeys: 6 }).map((value) => value as Json);

test("is canonical: agrees with the definition on canonical texts and on JSON.stringify's", () => {
  const property = fc.property(fc.oneof(values, sly), (value) => {
    assert.equal(agrees(canonical(value)), true);
    agrees(JSON.stringify(value));
  });
  fc.assert(property, { numRuns: 1000 });
});

/** One token in another place, or more of it. */
const mutations = fc.constantFrom(
  " ",
  "\n",
  "\t",
  "0",
  "1",
  "-",
  ".",
  "e",
  "E",
  "+",
  ",",
  '"',
  ":",
  "[",
  "]",
  "{",
  "}",
  "\\",
  "\\u0041",
  "\\ud800",
  "a",
  "\u007f",
  "é",
);
test("is canonical: agrees with the definition on texts with a character more, less or another", () => {
  const texts = fc.oneof(values, sly).map(canonical);
  let parsed = 0;
  const property = fc.property(texts, fc.nat(), fc.nat(1), mutations, (text, at, drop, piece) => {
    const place = at % (text.length + 1);
    const other = text.slice(0, place) + piece + text.slice(place + drop);
    try {
      JSON.parse(other);
    } catch {
      return; // no JSON at all: nobody asks whether it is canonical
    }
    parsed++;
    agrees(other);
  });
  fc.assert(property, { numRuns: 5000 });
  assert.ok(parsed > 500, `only ${parsed} texts were JSON`);
});

test("is canonical: numbers as ECMAScript writes them, and no other spelling of them", () => {
  const property = fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
    for (const text of [
      JSON.stringify(number),
      number.toExponential(),
      number.toFixed(3),
      number.toPrecision(20),
    ])
      agrees(text);
    agrees(`[${JSON.stringify(number)},${number}]`);
  });
  fc.assert(property, { numRuns: 1000 });
});

const spellings: readonly (readonly [good: string, bad: readonly string[]])[] = [
  ["1", ["1.0", "1e0", "1E0", "10e-1", " 1", "1 ", "1\n"]],
  ["100", ["1e2", "1E+2", "100.0"]],
  ["0", ["-0", "0.0", "0e5", "-0.0"]],
  ["0.3", ["0.30", "3e-1", ".3e0".replace(".", "0.")]],
  ["9007199254740992", ["9007199254740993", "9007199254740992.0"]],
  ["1e+21", ["1e21", "1000000000000000000000", "1E+21"]],
  ["1e-7", ["0.0000001"]],
  ["-5", ["-5.0", "-5e0"]],
  ["123456789012345", ["123456789012345.0"]],
  ["1234567890123456", ["1234567890123456e0"]],
  ['"A"', ['"\\u0041"']],
  ['"é"', ['"\\u00e9"']],
  ['"/"', ['"\\/"']],
  ['"\\n"', ['"\\u000a"']],
  ['"\\u001f"', ['"\\u001F"']],
  ['"\\\\ud800"', ['"\\ud800"', '"\\ud83d"', '"\\udc00\\ud83d"']],
  ['"😀"', ['"\\ud83d\\ude00"']],
  [
    '{"a":1,"b":2}',
    ['{"b":2,"a":1}', '{"a":1, "b":2}', '{"a" :1,"b":2}', '{"a":1,"b":2,"b":2}', '{"a":1,"b":2,"\\u0062":2}'],
  ],
  ['{"10":1,"9":2}', ['{"9":2,"10":1}']],
  ['{"":1,"a":2}', ['{"a":2,"":1}']],
  ['{"__proto__":1}', ['{"__proto__":1,"__proto__":1}']],
  ['{"😀":1,"\ufb33":2}', ['{"\ufb33":2,"😀":1}']],
  ['{"a":{"a":1,"b":2},"b":{"a":1}}', ['{"a":{"b":2,"a":1},"b":{"a":1}}', '{"b":{"a":1},"a":{"a":1,"b":2}}']],
  ['[{"b":1},{"a":1}]', ['[{"b":1}, {"a":1}]', '[{"b":1,"a":1}]']],
  ["[true,false,null]", ["[true,false,null ]", "[ true,false,null]"]],
  [
    `${"[".repeat(limits.jsonDepth)}${"]".repeat(limits.jsonDepth)}`,
    [`${"[".repeat(limits.jsonDepth + 1)}${"]".repeat(limits.jsonDepth + 1)}`],
  ],
];

test("is canonical: each spelling that is, and those beside it that are not", () => {
  assertEvery(spellings, ([good]) => agrees(good));
  assertNone(
    spellings.flatMap(([, bad]) => bad),
    agrees,
  );
});

test("is canonical: never throws, whatever it is given", () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const impossible: unknown[] = [ring, 1n, undefined, Number.NaN, () => 1, new Map(), "\ud800"];
  const texts = ["", '"', '"a', "}}}}", "]", "[", "1", "{", '{"a"', "\ud800", '"\ud800"', "-", '":"', "null"];
  for (const text of texts)
    for (const value of impossible) assert.equal(typeof isCanonical(text, value as Json), "boolean");
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  assert.equal(isCanonical(deep, JSON.parse(deep) as Json), false);
});
