import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { dotted, fit, misfit } from "../../src/core/schema.ts";
import { noted, refused } from "./refused.ts";

const strictly = { additionalProperties: false } as const;
const Shape = Type.Object(
  {
    name: Type.String({ description: "a name" }),
    n: Type.Optional(Type.Integer({ minimum: 1, description: "an integer of at least 1" })),
    where: Type.Optional(
      Type.Union(
        [Type.Object({ source: Type.String() }, strictly), Type.Object({ file: Type.String() }, strictly)],
        {
          description: "{source: NAME} or {file: PATH}",
        },
      ),
    ),
    tables: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Number(), {
        ...strictly,
        description: "tables by name",
      }),
    ),
  },
  strictly,
);
const at = (pointer: string) => `c.yaml${pointer}`;

test("fit: gives the value back where it fits", () => {
  for (const value of [{ name: "x" }, { name: "x", n: 2, where: { file: "f" }, tables: { a: 1 } }])
    assert.equal(fit(Shape, value, at), value);
});

test("fit: an unknown key, an absent one and a misfit each have their code, place and both values", () => {
  assert.deepEqual(refused("UnknownKey", () => fit(Shape, { name: "x", m: 1 }, at)).details, {
    place: "c.yaml/m",
    key: "m",
    known: ["name", "n", "where", "tables"],
  });
  assert.deepEqual(refused("KeyMissing", () => fit(Shape, { n: 1 }, at)).details, {
    place: "c.yaml",
    key: "name",
    present: ["n"],
  });
  assert.deepEqual(refused("FieldInvalid", () => fit(Shape, { name: "x", n: 0 }, at)).details, {
    place: "c.yaml/n",
    field: "n",
    found: "0",
    expected: "an integer of at least 1",
  });
  assert.equal(refused("FieldInvalid", () => fit(Shape, [], "a.jsonl:1")).details.found, "[]");
});

test("fit: of a union, the variant whose keys stand there is meant", () => {
  const where = (value: unknown) => () => fit(Shape, { name: "x", where: value }, at);
  const unknown = refused("UnknownKey", where({ source: "s", zone: "UTC" })).details;
  assert.deepEqual(unknown, { place: "c.yaml/where/zone", key: "where.zone", known: ["source"] });
  assert.equal(refused("FieldInvalid", where({ file: 3 })).details.field, "where.file");
  assert.deepEqual(refused("FieldInvalid", where({ fiel: "f" })).details, {
    place: "c.yaml/where",
    field: "where",
    found: '{"fiel":"f"}',
    expected: "{source: NAME} or {file: PATH}",
  });
  refused("UnknownKey", where({ source: "s", file: "f" }));
});

test("fit: a name that a record does not take is refused, not passed over", () => {
  const { details } = refused("FieldInvalid", () =>
    fit(Shape, { name: "x", tables: { a: 1, "B c": "?" } }, at),
  );
  assert.deepEqual(details, {
    place: "c.yaml/tables/B c",
    field: "tables.B c",
    found: 'the key "B c"',
    expected: "tables by name",
  });
});

test("fit: every misfit of a value is noted, each path once", () => {
  assert.deepEqual(
    noted((complain) => fit(Shape, { n: 0, m: 1, k: 2, tables: { a: "x" } }, at, complain)),
    [
      "KeyMissing c.yaml",
      "UnknownKey c.yaml/m",
      "UnknownKey c.yaml/k",
      "FieldInvalid c.yaml/n",
      "FieldInvalid c.yaml/tables/a",
    ],
  );
});

test("fit: keys that are names of Object.prototype are unknown like any others", () => {
  for (const key of ["constructor", "toString", "__proto__"]) {
    const value = JSON.parse(`{"name":"x","${key}":1}`) as unknown;
    assert.equal(refused("UnknownKey", () => fit(Shape, value, at)).details.key, key);
  }
});

test("misfit: says the first misfit in words, or nothing", () => {
  assert.equal(misfit(Shape, { name: "x" }), undefined);
  assert.match(misfit(Shape, { name: 1 }) as string, /^name: .*found 1$/);
  assert.match(misfit(Shape, 7) as string, /^arguments: .*found 7$/);
});

test("dotted: undoes the escapes of JSON pointers", () => {
  assert.equal(dotted("/tables/a~1b/k~0"), "tables.a/b.k~");
  assert.equal(dotted(""), "");
});
