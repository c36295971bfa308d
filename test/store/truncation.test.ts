import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { createStore, type OpenRequest, type Reply, replyText, type Store } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import { plantTable, probePlants, readerPlants } from "../../src/store/plants.ts";
import type { Table } from "../../src/store/table.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import type { Rule } from "../support/naive-versions.ts";
import { type Scene, scenes, tableOfRows } from "../support/random-table.ts";

const requestOf = ({ table, horizon }: Scene, rows: readonly PlantedRow[] | null): OpenRequest => ({
  caseId: "c",
  horizon,
  tables: [table.schema.name],
  overlay: rows === null ? null : { view: "reader", rows },
  subject: "test",
});

/** Answers as bytes; of a fault its class, since its words are each store's own. */
const bytesOf = (reply: Reply): string => (reply.ok ? replyText(reply) : `fault ${reply.fault.class}`);

const answersOf = (store: Store, scene: Scene, rows: readonly PlantedRow[] | null): string[] => {
  const door = store.open(requestOf(scene, rows));
  return scene.calls.map(({ tool, args }) => bytesOf(door.call(tool, args)));
};

const truncated = ({ table, horizon }: Scene): Table =>
  tableOfRows(
    table.schema,
    table.rows.filter((row) => row.available <= horizon),
  );

type MakeStore = (table: Table) => Store;
const ours: MakeStore = (table) => createStore([table]);
const reference: MakeStore = (table) => naiveStore([table], () => honest);

const sameWhenTruncated = (make: MakeStore) =>
  fc.property(scenes, (scene) => {
    const full = answersOf(make(tableOfRows(scene.table.schema, scene.table.rows)), scene, null);
    assert.deepEqual(full, answersOf(make(truncated(scene)), scene, null));
  });

const sameAsReference = (make: MakeStore) =>
  fc.property(scenes, (scene) => {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    assert.deepEqual(answersOf(make(table), scene, null), answersOf(reference(table), scene, null));
  });

/** Whether a property is found false, by two answers that are not the same; the first such scene is as good as the least. */
function differs(property: fc.IProperty<[Scene]>, runs: { readonly numRuns: number }): boolean {
  const { failed, errorInstance } = fc.check(property, { ...runs, endOnFailure: true });
  assert.equal(failed, errorInstance instanceof assert.AssertionError);
  return failed;
}

const plantsOf = (scene: Scene, table: Table) => plantTable(table, scene.horizon, "UTC", "secret", "c");

test("every reply is byte-equal to that of a store without the rows available after the horizon", () => {
  fc.assert(sameWhenTruncated(ours), { numRuns: 600 });
});

test("every reply is byte-equal to the naive reference's", () => {
  fc.assert(sameAsReference(ours), { numRuns: 600 });
});

test("the properties look at something: rows, members, cut replies, faults, groups and withdrawn rows are among the scenes", () => {
  const seen = new Set<string>();
  for (const scene of fc.sample(scenes, { numRuns: 300, seed: 1 })) {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    const note = (name: string, is: boolean) => (is ? seen.add(name) : seen);
    note("retracted", table.retracted !== null);
    note("moved valid time", !table.constantValid);
    note("moved entity", !table.constantEntity);
    note("steady", table.constantValid && table.constantEntity && table.retracted === null);
    note(
      "hidden cell",
      table.columns.some((column) => column.hidden !== null),
    );
    note(
      "later rows",
      scene.table.rows.some((row) => row.available > scene.horizon),
    );
    for (const [i, answer] of answersOf(createStore([table]), scene, null).entries()) {
      if (scene.calls[i]?.tool === "members") {
        const { length } = [...answer.matchAll(/"ref":/g)];
        note("members", length > 0);
        note("several members", length > 1);
        note("no members", answer === '{"rows":[]}');
        note("cut members", answer.includes('"truncated":true'));
        note("members with an end", /"until":"/.test(answer));
        note("no universe", answer.startsWith("fault"));
      }
      note("rows", answer.startsWith('{"rows":[{'));
      note("cut", answer.includes('"truncated":true'));
      note("fault", answer.startsWith("fault"));
      note("groups", answer.startsWith('{"groups":[{'));
      note("scores", /"scores":\[\d/.test(answer));
      note("nothing found", answer === '{"rows":[],"scores":[]}');
    }
  }
  const wanted = [
    "retracted",
    "moved valid time",
    "moved entity",
    "steady",
    "hidden cell",
    "later rows",
    "rows",
  ];
  const asked = [
    "members",
    "several members",
    "no members",
    "cut members",
    "members with an end",
    "no universe",
  ];
  assertEvery([...wanted, ...asked, "cut", "fault", "groups", "scores", "nothing found"], (name) =>
    seen.has(name),
  );
});

for (const [name, rule] of Object.entries<Rule>(brokenRules)) {
  test(`a door that is broken is caught by the same properties: ${name}`, () => {
    const broken: MakeStore = (table) => naiveStore([table], () => rule);
    const runs = { numRuns: 1500 };
    assert.ok(differs(sameAsReference(broken), runs));
    // These look at no row from after the horizon, so that only the reference tells them apart.
    const bounded = ["before instead of at or before", "a day early", "filter before version"];
    assert.equal(differs(sameWhenTruncated(broken), runs), !bounded.includes(name));
  });
}

test("with a case's plants, every reply at the horizon is the one without them, and no plant is in it", () => {
  let planted = 0;
  const property = fc.property(scenes, (scene) => {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    const plants = plantsOf(scene, table);
    if (plants === null) return;
    planted++;
    const rows = readerPlants(plants);
    assert.deepEqual(answersOf(ours(table), scene, rows), answersOf(ours(table), scene, null));
    const door = createStore([table]).open(requestOf(scene, rows));
    assertNone([...scene.calls, ...scene.calls], ({ tool, args }) => {
      const reply = door.call(tool, args);
      return reply.ok && reply.planted.length > 0;
    });
  });
  fc.assert(property, { numRuns: 1000 });
  assert.ok(planted > 0);
});

test("with the probe's plants, at the horizon and at each plant's instant, every reply is the naive reference's", () => {
  let served = 0;
  const property = fc.property(scenes, (scene) => {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    const plants = plantsOf(scene, table);
    if (plants === null) return;
    const rows = probePlants(plants);
    const keyed = rows.map(({ key }) => ({
      tool: "rows" as const,
      args: {
        table: table.name,
        where: Object.fromEntries(scene.table.schema.key.map((name, i) => [name, key[i] ?? null])),
      },
    }));
    for (const at of [0, 1, MICROS_PER_DAY, 3 * MICROS_PER_DAY]) {
      const later = { ...scene, calls: [...scene.calls, ...keyed], horizon: instant(scene.horizon + at) };
      const [our, their] = [ours(table), reference(table)].map((store) => store.open(requestOf(later, rows)));
      for (const { tool, args } of later.calls) {
        const [a, b] = [our?.call(tool, args), their?.call(tool, args)] as [Reply, Reply];
        assert.equal(bytesOf(a), bytesOf(b));
        if (!a.ok || !b.ok) continue;
        served += a.planted.length;
        assert.deepEqual(new Set(a.planted), new Set(b.planted));
      }
    }
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(served > 0);
});
