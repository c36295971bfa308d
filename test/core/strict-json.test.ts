import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { limits } from "../../src/core/limits.ts";
import { parseJson } from "../../src/core/strict-json.ts";
import { noted, refused } from "./refused.ts";

const parse = (text: string) => parseJson(text, "cases.jsonl:7") as Json;

test("parseJson: a key that stands twice is refused by its column, however it is spelled and wherever", () => {
  const rows: [text: string, key: string, column: number][] = [
    ['{"a":1,"a":2}', "a", 8],
    ['{"a":1,"\\u0061":2}', "a", 8],
    ['{"a":{"b":1, "b":2}}', "b", 14],
    ['[{"a":1},{"b":1,"b":1}]', "b", 17],
    ['{"":1,"x":{},"" : 2}', "", 14],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b', 11],
    ['{"\\n":1,"\\u000a":2}', "\n", 9],
    ['{"é":1,"\\u00e9":2}', "é", 8],
    ['{"__proto__":1,"__proto__":2}', "__proto__", 16],
    ['{"a" \t:1,"b":["a","a"],"a" :3}', "a", 24],
  ];
  for (const [text, key, column] of rows) {
    const { details } = refused("DuplicateKey", () => parse(text));
    assert.deepEqual(details, { place: `cases.jsonl:7:${column}`, key }, text);
  }
});

test("parseJson: the same word twice as a value, in a text, or in two objects is no duplicate", () => {
  for (const text of [
    '["a","a"]',
    '{"a":"a"}',
    '{"a":["a",{"a":{"a":1}}],"b":{"a":1}}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":1,"A":2}',
    '{"a":1,"a ":2}',
    '{"\\\\":1,"\\"":2}',
    '[{"a":1},{"a":1}]',
  ])
    assert.deepEqual(parse(text), JSON.parse(text));
});

test("parseJson: reads what JSON.parse reads of every JSON text, with any white space", () => {
  const spaces = fc.constantFrom(undefined, 1, 2, "\t");
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), spaces, (value, space) => {
      const text = JSON.stringify(value, null, space);
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
    { numRuns: 1000 },
  );
});

test("parseJson: doubling any key of any object is refused", () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
  fc.assert(
    fc.property(objects, fc.nat(), fc.boolean(), (value, pick, escaped) => {
      const keys = Object.keys(value);
      const key = keys[pick % keys.length] as string;
      const spelled = escaped
        ? `"${[...key].map((c) => [...Array(c.length)].map((_, i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")).join("")}"`
        : JSON.stringify(key);
      const text = `${JSON.stringify(value).slice(0, -1)},${spelled}:0}`;
      assert.equal(refused("DuplicateKey", () => parse(text)).details.key, key);
    }),
  );
});

test("parseJson: bad syntax is refused in one line, whatever stands in the text", () => {
  for (const text of [
    "",
    "{",
    "{a:1}",
    "{'a':1}",
    "[1,]",
    "01",
    "NaN",
    '{"a":1}x',
    '"\t"',
    "{\n\u001b[31mx}",
  ]) {
    const refusal = refused("JsonInvalid", () => parse(text));
    assert.match(refusal.message, /^JsonInvalid: cases\.jsonl:7: [^\p{Cc}]+$/u, text);
  }
});

test("parseJson: a lone surrogate has no bytes, and is refused by its column; a pair is a character", () => {
  for (const [text, column] of [
    ['{"a":"\\ud800"}', 6],
    ['{"a":"\\uDC00x"}', 6],
    ['{"\\ud800":1}', 2],
    ['["\\ude00\\ud83d"]', 2],
  ] as const)
    assert.equal(refused("JsonInvalid", () => parse(text)).details.place, `cases.jsonl:7:${column}`);
  assert.deepEqual(parse('{"a":"\\ud83d\\ude00","b":"\\\\ud800","\\uD83D\\uDE00":1}'), {
    a: "😀",
    b: "\\ud800",
    "😀": 1,
  });
});

test("parseJson: nests as deep as the limit, and no deeper, without a crash", () => {
  const text = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  assert.ok(Array.isArray(parse(text(limits.jsonDepth))));
  const { details } = refused("LimitExceeded", () => parse(text(limits.jsonDepth + 1)));
  assert.equal(details.place, `cases.jsonl:7:${limits.jsonDepth + 1}`);
  refused("LimitExceeded", () => parse(text(200_000)));
  assert.equal((parse(`{"a":"${"\\n".repeat(1_500_000)}"}`) as { a: string }).a.length, 1_500_000);
});

test("parseJson: a complain that goes on gets the refusal, and no value comes back", () => {
  assert.deepEqual(
    noted((complain) => assert.equal(parseJson('{"a":1,"a":2}', "x:1", complain), undefined)),
    ["DuplicateKey x:1:8"],
  );
});
