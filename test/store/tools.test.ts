import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { type Instant, parseInstant } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import { createStore, replyText } from "../../src/store/door.ts";
import { toolSchemas } from "../../src/store/tools.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { callsOf, type Row, type Schema, START, scenes, tableOfRows } from "../support/random-table.ts";

const schema: Schema = {
  name: "t",
  key: ["n"],
  entity: "group",
  text: [],
  forward: false,
  span: false,
  delay: null,
};
const rowOf = (n: number, x: number | null, hour: number): Row => ({
  valid: START,
  available: (START + hour * 3_600_000_000) as Instant,
  retracted: false,
  cells: {
    at: "at",
    released: "released",
    id: `id ${n}`,
    n,
    flag: n > 1,
    group: "g",
    rank: null,
    x,
    "note, #1": null,
    until: null,
  },
});
const table = tableOfRows(schema, [
  rowOf(0, 0.1, 0),
  rowOf(1, 0.2, 1),
  rowOf(2, null, 2),
  rowOf(3, 0.3, 3),
  rowOf(4, 9, 99),
]);
const other = tableOfRows({ ...schema, name: "undeclared" }, [rowOf(0, 1, 0)]);
const horizon = (START + 3 * 3_600_000_000) as Instant;
const open = () =>
  createStore([table, other]).open({ caseId: "c", horizon, tables: ["t"], overlay: null, subject: "test" });

const faultOf = (tool: string, args: unknown): string => {
  const reply = open().call(tool, args);
  assert.ok(!reply.ok, `${tool} ${JSON.stringify(args)} was answered`);
  assert.equal(reply.fault.class, "bad_request");
  assert.deepEqual(JSON.parse(replyText(reply)), { fault: reply.fault });
  return reply.fault.message;
};
const answerOf = (tool: string, args: object) =>
  JSON.parse(replyText(open().call(tool, { table: "t", ...args })));
const numbersOf = (args: object) =>
  answerOf("rows", args).rows.map((row: { body: { n: number } }) => row.body.n);

test("each tool has a schema, and no tool but these is answered", () => {
  assert.deepEqual(
    toolSchemas.map(({ name }) => name),
    ["rows", "aggregate", "search", "members"],
  );
  for (const tool of ["member", "", "Rows", "__proto__", "constructor"])
    assert.match(faultOf(tool, { table: "t" }), /^no tool ".*"; known: rows, aggregate, search, members$/);
});

test("a table that the case does not declare is not there, though the store has it", () => {
  assert.match(faultOf("rows", { table: "undeclared" }), /no table "undeclared" in this case; it reads t$/);
  for (const args of [
    undefined,
    null,
    7,
    "t",
    [],
    {},
    { table: 7 },
    { table: "__proto__" },
    { table: ["t"] },
  ])
    assert.match(faultOf("rows", args), /^(no table .* in this case|table is missing); .*reads t$/);
});

test("arguments beyond their bounds, of the wrong type or of no column are faults that say which", () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ limit: 10_001 }, /^limit: .*10000.*found 10001$/],
    [{ limit: 0 }, /^limit: /],
    [{ limit: 1.5 }, /^limit: /],
    [{ offset: -1 }, /^offset: /],
    [{ latest: "yes" }, /^latest: /],
    [{ colour: 1 }, /^colour: /],
    [{ where: { nowhere: 1 } }, /^table t has no column "nowhere"; it has at, id, n, released/],
    [{ where: { x: "0.1" } }, /^where.x: "0.1" is not a number$/],
    [{ where: { id: [1] } }, /^where.id: 1 is not a string$/],
    [{ where: { x: { not: 1 } } }, /^where.x: /],
    [{ order: ["-nowhere"] }, /^table t has no column "nowhere"/],
    [{ order: ["-"] }, /^table t has no column ""/],
    [{ order: "x" }, /^order: /],
    [{ since: "2014-03-01" }, /since.*"2014-03-01", expected an RFC 3339 instant/],
    [{ until: "2014-03-01T00:00:00" }, /until.*expected an RFC 3339 instant/],
    [{ since: "2014-03-01T00:00:00.1234567Z" }, /more than six fractional digits/],
    [{ where: { x: Array(limits.whereValues + 1).fill(1) } }, /^where.x: /],
    [{ order: Array(limits.orderColumns + 1).fill("x") }, /^order: /],
  ];
  for (const [args, message] of wrong) assert.match(faultOf("rows", { table: "t", ...args }), message);
  const measured: readonly (readonly [object, RegExp])[] = [
    [{}, /^measure: /],
    [{ measure: "median", column: "x" }, /^measure: /],
    [{ measure: "sum" }, /^measure sum needs a column$/],
    [{ measure: "mean", column: "id" }, /^measure mean needs a column of numbers; id holds strings$/],
    [{ measure: "sum", column: "flag" }, /^measure sum needs a column of numbers; flag holds booleans$/],
    [{ measure: "count", column: "nowhere" }, /^table t has no column "nowhere"/],
    [{ measure: "count", by: ["nowhere"] }, /^table t has no column "nowhere"/],
    [{ measure: "count", limit: 1 }, /^limit: /],
  ];
  for (const [args, message] of measured)
    assert.match(faultOf("aggregate", { table: "t", ...args }), message);
});

test("the nearest arguments that are within bounds are answered", () => {
  for (const args of [{ limit: 10_000 }, { offset: 0 }, { where: {} }, { order: [] }, { where: { x: [] } }])
    assert.ok(open().call("rows", { table: "t", ...args }).ok);
  assert.deepEqual(numbersOf({}), [0, 1, 2, 3]);
  assert.deepEqual(numbersOf({ where: { x: [0.1, null] } }), [0, 2]);
  assert.deepEqual(numbersOf({ where: { x: [] } }), []);
  assert.deepEqual(numbersOf({ order: ["-x"] }), [3, 1, 0, 2]);
  assert.deepEqual(numbersOf({ order: ["flag", "-n"] }), [1, 0, 3, 2]);
});

test("where `limit` cut the rows, the reply says so and how many there are; an offset alone does not", () => {
  const { rows, ...rest } = answerOf("rows", { limit: 2, offset: 1 });
  assert.equal(rows.length, 2);
  assert.deepEqual(rest, { total: 4, truncated: true });
  assert.deepEqual(Object.keys(answerOf("rows", { limit: 2, offset: 2 })), ["rows"]);
  assert.deepEqual(answerOf("rows", { offset: 99 }), { rows: [] });
});

test("aggregates: sums in row order, absent cells out of n, null of nothing, groups in cell order", () => {
  assert.deepEqual(answerOf("aggregate", { measure: "sum", column: "x" }), { n: 3, value: 0.1 + 0.2 + 0.3 });
  assert.deepEqual(answerOf("aggregate", { measure: "mean", column: "x" }), {
    n: 3,
    value: (0.1 + 0.2 + 0.3) / 3,
  });
  assert.deepEqual(answerOf("aggregate", { measure: "count" }), { n: 4, value: 4 });
  assert.deepEqual(answerOf("aggregate", { measure: "count", column: "x" }), { n: 3, value: 3 });
  assert.deepEqual(answerOf("aggregate", { measure: "max", column: "id" }), { n: 4, value: "id 3" });
  assert.deepEqual(answerOf("aggregate", { measure: "min", column: "flag" }), { n: 4, value: false });
  const none = { where: { n: 77 } };
  assert.deepEqual(answerOf("aggregate", { measure: "sum", column: "x", ...none }), { n: 0, value: null });
  assert.deepEqual(answerOf("aggregate", { measure: "count", by: ["flag"], ...none }), { groups: [] });
  assert.deepEqual(answerOf("aggregate", { measure: "sum", column: "x", by: ["flag"] }), {
    groups: [
      { by: { flag: false }, n: 2, value: 0.1 + 0.2 },
      { by: { flag: true }, n: 1, value: 0.3 },
    ],
  });
});

test("a sum beyond the range of numbers is a fault; the least and the greatest of the same cells are not", () => {
  const huge = tableOfRows(schema, [rowOf(0, 1.7e308, 0), rowOf(1, 1.7e308, 1)]);
  const door = createStore([huge]).open({
    caseId: "c",
    horizon,
    tables: ["t"],
    overlay: null,
    subject: "test",
  });
  const call = (measure: string) => replyText(door.call("aggregate", { table: "t", measure, column: "x" }));
  for (const measure of ["sum", "mean"])
    assert.match(call(measure), /the sum of x is beyond the range of numbers/);
  for (const measure of ["min", "max"]) assert.equal(call(measure), '{"n":2,"value":1.7e+308}');
});

test("a fault is written as JSON whatever was sent: cut in the middle of a character, or with half of one", () => {
  const sent = ["", "a"].flatMap((head) => [
    { table: "t", limit: head + "😀".repeat(100) },
    { table: "t", where: { x: head + "😀".repeat(100) } },
    { table: "t", since: head + "😀".repeat(100) },
    { table: "t", ["\ud83d"]: 1 },
    { table: `${head}\ud83d` },
  ]);
  for (const args of sent)
    for (const tool of ["rows", "aggregate"]) assert.ok(faultOf(tool, args).isWellFormed());
});

const names = fc.constantFrom(
  "table",
  "where",
  "since",
  "until",
  "order",
  "offset",
  "limit",
  "latest",
  "measure",
  "column",
  "by",
);
const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });

test("arguments of any JSON never throw, and never bring a row from after the horizon", () => {
  const counts = { answered: 0, faults: 0 };
  const property = fc.property(
    scenes.chain((scene) =>
      fc.record({
        scene: fc.constant(scene),
        tool: fc.constantFrom("rows", "aggregate"),
        args: fc.oneof(
          anyJson,
          fc.dictionary(names, anyJson).map((args) => ({ ...args, table: scene.table.schema.name })),
          fc
            .tuple(callsOf(scene.table), fc.dictionary(names, anyJson, { maxKeys: 1 }))
            .map(([call, more]) => ({
              ...(call.args as object),
              ...more,
              table: scene.table.schema.name,
            })),
          callsOf(scene.table).map((call) => call.args),
        ),
      }),
    ),
    ({ scene, tool, args }) => {
      const { schema: own, rows } = scene.table;
      const store = createStore([tableOfRows(own, rows)]);
      const door = store.open({
        caseId: "c",
        horizon: scene.horizon,
        tables: [own.name],
        overlay: null,
        subject: "t",
      });
      const reply = door.call(tool, args);
      const text = replyText(reply);
      assert.equal(canonical(JSON.parse(text) as Json), text);
      counts[reply.ok ? "answered" : "faults"]++;
      const served = (JSON.parse(text).rows ?? []) as { available_at: string }[];
      for (const row of served)
        assert.ok((parseInstant(row.available_at, "t", "t") as number) <= scene.horizon);
    },
  );
  fc.assert(property, { numRuns: 1000 });
  assertEvery(Object.values(counts), (count) => count > 50);
});

test("a row that becomes available at the horizon is served, one a microsecond later is not", () => {
  const at = (shift: number) => {
    const request = {
      caseId: "c",
      horizon: (horizon + shift) as Instant,
      tables: ["t"],
      overlay: null,
      subject: "t",
    };
    return replyText(createStore([table]).open(request).call("rows", { table: "t" }));
  };
  assert.match(at(0), /"ref":"t#3"/);
  assertNone([at(-1)], (text) => text.includes('"ref":"t#3"'));
});
