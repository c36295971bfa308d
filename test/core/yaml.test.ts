import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { limits } from "../../src/core/limits.ts";
import { fit } from "../../src/core/schema.ts";
import { parseYaml, readYaml } from "../../src/core/yaml.ts";
import { noted, refused, temporary, written } from "./refused.ts";

const parse = (text: string) => parseYaml(text, "caseset.yaml");
const read = (text: string) => (parse(text) as { value: unknown }).value;

test("parseYaml: the core schema of YAML 1.2: no dates, no yes, no octal by a leading zero", () => {
  assert.deepEqual(read("a: yes\nb: 2014-01-01\nc: 012\nd: ~\ne: [1, 2.5]\nf: 'x'\n"), {
    a: "yes",
    b: "2014-01-01",
    c: 12,
    d: null,
    e: [1, 2.5],
    f: "x",
  });
  assert.equal(read(""), null);
});

test("parseYaml: a key that stands twice is refused by line and column", () => {
  const rows = [
    ["a: 1\nb: 2\na: 3\n", "a", "3:1"],
    ["t:\n  w: 1\n  w: 2\n", "w", "3:3"],
    ['{a: 1, "a": 2}\n', "a", "1:8"],
    ["'a b': 1\n'a b': 2\n", "a b", "2:1"],
    ['1: a\n"1": b\n', "1", "2:1"],
  ] as const;
  for (const [text, key, at] of rows)
    assert.deepEqual(refused("DuplicateKey", () => parse(text)).details, {
      place: `caseset.yaml:${at}`,
      key,
    });
  assert.deepEqual(read("a: {b: 1}\nb: {b: 2}\n"), { a: { b: 1 }, b: { b: 2 } });
});

test("parseYaml: what JSON has no place for is refused where it stands", () => {
  const rows = [
    ["a: &x 1\nb: *x\n", "2:4", /alias \*x/],
    ["a: !secret 1\n", "1:4", /tag/i],
    ["? [a, b]\n: 1\n", "1:3", /key/],
    ["a: 1\n---\nb: 2\n", "2:1", /documents/],
    ["a:\n\tb: 1\n", "2:1", /Tabs/],
    ["a: [1, 2\n", "2:1", /./],
    ['a: "\\ud800"\n', "1:4", /surrogate/],
  ] as const;
  for (const [text, at, words] of rows) {
    const refusal = refused("YamlInvalid", () => parse(text));
    assert.equal(refusal.details.place, `caseset.yaml:${at}`, text);
    assert.match(refusal.message, words);
    assert.doesNotMatch(refusal.message, /\n/);
  }
  assert.deepEqual(read("a: &x 1\nb: 2\n"), { a: 1, b: 2 }, "an anchor that nothing refers to");
});

test("parseYaml: nests as deep as the limit, and no deeper, without a crash", () => {
  const lists = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const maps = (depth: number) => `${"{a: ".repeat(depth)}1${"}".repeat(depth)}`;
  const blocks = (depth: number) => Array.from({ length: depth }, (_, i) => `${" ".repeat(i)}a:\n`).join("");
  const dashes = (depth: number) => `${"- ".repeat(depth)}1\n`;
  for (const text of [lists, maps, blocks, dashes]) {
    parse(text(limits.jsonDepth));
    for (const depth of [limits.jsonDepth + 1, 2_000]) {
      const refusal = refused("YamlInvalid", () => parse(text(depth)));
      assert.match(refusal.message, /nested deeper than 64/);
    }
  }
  refused("YamlInvalid", () => parse(lists(200_000)));
});

test("placeOf: names the line and column of a key, of a list's item, of the nearest parent of what is absent", () => {
  const text =
    'name: x\ntables:\n  weather:\n    key: [date,\n      station]\n  "a/b": {k: 1}\nn: {2014: 1}\n';
  const { placeOf } = parse(text) as { placeOf: (pointer: string) => string };
  const rows = {
    "": "1:1",
    "/name": "1:1",
    "/tables/weather": "3:3",
    "/tables/weather/key": "4:5",
    "/tables/weather/key/1": "5:7",
    "/tables/weather/zone": "3:3",
    "/tables/a~1b/k": "6:11",
    "/n/2014": "7:5",
    "/nothing/at/all": "1:1",
  };
  for (const [pointer, at] of Object.entries(rows))
    assert.equal(placeOf(pointer), `caseset.yaml:${at}`, pointer);
});

test("placeOf: an unknown key is refused at its own line and column", () => {
  const schema = Type.Object({ name: Type.String() }, { additionalProperties: false });
  const { value, placeOf } = parse("# a comment\nname: x\nnmae: y\n") as {
    value: unknown;
    placeOf: () => string;
  };
  const { details } = refused("UnknownKey", () => fit(schema, value, placeOf));
  assert.deepEqual(details, { place: "caseset.yaml:3:1", key: "nmae", known: ["name"] });
});

test("readYaml: a file that is absent, not UTF-8 or too long is refused by its name", () => {
  const folder = temporary();
  assert.equal(refused("FileUnreadable", () => readYaml(`${folder}/none`, "none")).details.place, "none");
  const latin = written(folder, "latin.yaml", Buffer.from("a: \xe9\n", "latin1"));
  assert.equal(refused("FileUnreadable", () => readYaml(latin, "latin.yaml")).details.cause, "not UTF-8");
  const long = written(folder, "long.yaml", `# ${"x".repeat(limits.yamlBytes)}\n`);
  assert.equal(refused("LimitExceeded", () => readYaml(long, "long.yaml")).details.limit, limits.yamlBytes);
  assert.deepEqual(readYaml(written(folder, "bom.yaml", "\ufeffa: 1\n"), "bom.yaml")?.value, { a: 1 });
  assert.deepEqual(
    noted((complain) => assert.equal(readYaml(latin, "latin.yaml", complain), undefined)),
    ["FileUnreadable latin.yaml"],
  );
});
