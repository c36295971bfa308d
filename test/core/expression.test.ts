import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Event, happened, parseEvent } from "../../src/core/expression.ts";
import { refused } from "./refused.ts";

const parse = (text: string) => parseEvent(text, "caseset.yaml:9:3", "readers.climatology.event") as Event;

test("parseEvent: a column, an operator and a number, a text or a truth value", () => {
  const rows: [string, string, string, string | number | boolean][] = [
    ["precipitation > 0", "precipitation", ">", 0],
    ["  t_max>=-3.5 ", "t_max", ">=", -3.5],
    ["a.b-c<=2", "a.b-c", "<=", 2],
    ["x<1", "x", "<", 1],
    ["weather = rain", "weather", "=", "rain"],
    ['weather != "no rain"', "weather", "!=", "no rain"],
    ["weather = 'it''s'", "weather", "=", "it''s"],
    ['code = "007"', "code", "=", "007"],
    ["open = true", "open", "=", true],
    ["open != false", "open", "!=", false],
    ['open = "true"', "open", "=", "true"],
    ['x = ""', "x", "=", ""],
  ];
  for (const [text, column, operator, literal] of rows)
    assert.deepEqual(parse(text), { column, operator, literal, text });
});

test("parseEvent: refuses what is no comparison, beside its nearest neighbour", () => {
  const pairs = [
    ["precipitation", "precipitation > 0"],
    ["precipitation >", "precipitation > 0"],
    ["> 0", "x > 0"],
    ["precipitation ~ 0", "precipitation = 0"],
    ["precipitation > rain", "precipitation = rain"],
    ["precipitation >= true", "precipitation = true"],
    ['weather > "1"', "weather > 1"],
    ["1x > 0", "x1 > 0"],
    ["", "x = 1"],
  ] as const;
  for (const [bad, good] of pairs) {
    const { details, message } = refused("FieldInvalid", () => parse(bad));
    assert.equal(details.place, "caseset.yaml:9:3");
    assert.equal(details.field, "readers.climatology.event");
    assert.ok(message.includes(JSON.stringify(bad)));
    parse(good);
  }
});

test("happened: compares numbers with numbers as JavaScript does, and knows nothing of an absent cell", () => {
  const compare: Record<string, (a: number, b: number) => boolean> = {
    ">": (a, b) => a > b,
    ">=": (a, b) => a >= b,
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    "=": (a, b) => a === b,
    "!=": (a, b) => a !== b,
  };
  const numbers = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(compare)), numbers, numbers, (operator, cell, literal) => {
      const event = parse(`x ${operator} ${literal}`);
      assert.equal(happened(event, cell), compare[operator]?.(cell, literal));
      for (const other of [undefined, null, String(cell), true])
        assert.equal(happened(event, other), undefined);
    }),
  );
  assert.equal(happened(parse("w = rain"), "rain"), true);
  assert.equal(happened(parse("w != rain"), "sun"), true);
  assert.equal(happened(parse("w != rain"), null), undefined);
  assert.equal(happened(parse("open = true"), false), false);
  assert.equal(happened(parse("open = true"), "true"), undefined);
});
