import assert from "node:assert/strict";
import { test } from "node:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { limits } from "../../src/core/limits.ts";
import { shared } from "./refused.ts";

const json = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }).map((value) => value as Json);
const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

test("canonical: RFC 8785, appendix B and section 3.2.2 as printed there", () => {
  const numbers = [
    [Number("333333333.33333329"), "333333333.3333333"],
    [1e30, "1e+30"],
    [4.5, "4.5"],
    [2e-3, "0.002"],
    [1e-27, "1e-27"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [1e21, "1e+21"],
    [9.999999999999997e22, "9.999999999999997e+22"],
  ] as const;
  for (const [number, text] of numbers) assert.equal(canonical(number), text);
  assert.equal(canonical('€$\u000F\nA\'B"\\\\"/'), '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  assert.equal(
    canonical({ "€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\u0080": 6, ö: 7 }),
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  );
});

test("canonical: the files of the RFC's author", (t) => {
  const text = shared(t, "reference/jcs-files.json");
  if (text === undefined) return;
  const { files } = JSON.parse(text) as { files: { name: string; input: string; output: string }[] };
  assert.ok(files.length >= 5);
  for (const { name, input, output } of files)
    assert.equal(canonical(JSON.parse(input) as Json), output, name);
});

test("canonical: ten thousand numbers by their bits, of the RFC's author", (t) => {
  const text = shared(t, "reference/es6-numbers-10k.txt");
  if (text === undefined) return;
  const lines = text.trimEnd().split("\n");
  assert.ok(lines.length >= 10_000);
  const view = new DataView(new ArrayBuffer(8));
  for (const line of lines) {
    const [bits, expected] = line.split(",") as [string, string];
    view.setBigUint64(0, BigInt(`0x${bits}`));
    assert.equal(canonical(view.getFloat64(0)), expected, bits);
  }
});

test("canonical: equals the canonicalize package on every JSON value, and is read back as the same value", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonical(value);
      assert.equal(text, canonicalize(value));
      assert.equal(canonical(JSON.parse(text) as Json), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 1000 },
  );
});

test("canonical: does not depend on the order in which keys were set", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.integer()), fc.integer(), (value, seed) => {
      const keys = Object.keys(value);
      const turned = [...keys.slice(Math.abs(seed) % (keys.length + 1)), ...keys].reverse();
      const other = Object.fromEntries(turned.map((key) => [key, value[key] as number]));
      assert.equal(canonical(other), canonical(value as Json));
    }),
  );
});

test("canonical: throws on what JSON cannot hold, wherever it stands", () => {
  // biome-ignore lint/suspicious/noSparseArray: that is the case
  const sparse = [1, , 2];
  const impossible: [string, unknown][] = [
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["minus infinity", Number.NEGATIVE_INFINITY],
    ["a lone surrogate", "a\ud800b"],
    ["a low surrogate", "\udc00"],
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["a Set", new Set()],
    ["bytes", new Uint8Array(2)],
    ["a buffer", Buffer.from("ab")],
    ["a boxed string", Object("a")],
    ["a class instance", new (class Point {})()],
    ["a sparse array", sparse],
  ];
  for (const [name, value] of impossible) {
    for (const place of [value, [value], { a: value }, [{ b: [value] }]])
      assert.throws(() => canonical(place as Json), TypeError, name);
  }
  assert.throws(() => canonical({ "\ud800": 1 }), TypeError, "a lone surrogate as a key");
  assert.equal(canonical(Object.assign(Object.create(null), { a: "😀" }) as Json), '{"a":"😀"}');
});

test("canonical: nests as deep as the limit, and no deeper", () => {
  assert.ok(canonical(nested(limits.jsonDepth)).length > limits.jsonDepth);
  assert.throws(() => canonical(nested(limits.jsonDepth + 1)), TypeError);
  const ring: { self?: unknown } = {};
  ring.self = ring;
  assert.throws(() => canonical(ring as Json), TypeError);
});
