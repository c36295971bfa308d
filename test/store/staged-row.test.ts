/** Staged rows in any table: every tool serves them as it serves real ones, and none of them is ever taken for a plant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { stream } from "../../src/core/random.ts";
import { createStore, type OpenRequest, type Reply, replyText, type Store } from "../../src/store/door.ts";
import { isPlant, type PlantedRow } from "../../src/store/overlay.ts";
import { plantTable, readerPlants } from "../../src/store/plants.ts";
import { availableAs, redrawn, spelledAs, stagedRow } from "../../src/store/staged-row.ts";
import type { Table } from "../../src/store/table.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { honest, naiveStore } from "../support/naive-store.ts";
import { type Scene, scenes, tableOfRows } from "../support/random-table.ts";

/** Some rows of the days before the horizon, all available by it. */
function stage(table: Table, { horizon }: Scene, seed: number): PlantedRow[] {
  const dice = stream(seed, "staged");
  const taken = new Set<string>();
  return [0, 1, 2].flatMap((day) => {
    const zone = table.zone ?? "UTC";
    const valid = spelledAs(table, table.validColumn, zone, instant(horizon - day * MICROS_PER_DAY));
    const said = availableAs(table, zone, valid.at, valid.at);
    if (said.at > horizon) return [];
    const cells = new Map([
      [table.validColumn, valid.cell],
      ...(table.endColumn === null ? [] : [[table.endColumn, null] as const]),
      ...(said.cell === undefined ? [] : [[table.availableColumn as number, said.cell] as const]),
    ]);
    const parts = { valid: valid.at, end: Number.POSITIVE_INFINITY, available: said.at, cells };
    return stagedRow(table, parts, { horizon, dice, taken }) ?? [];
  });
}

const request = ({ table, horizon }: Scene, rows: readonly PlantedRow[]): OpenRequest => ({
  caseId: "c",
  horizon,
  tables: [table.schema.name],
  overlay: { view: "reader", rows },
  subject: "test",
});
const bytesOf = (reply: Reply): string => (reply.ok ? replyText(reply) : `fault ${reply.fault.class}`);
const repliesOf = (store: Store, scene: Scene, rows: readonly PlantedRow[]): Reply[] => {
  const door = store.open(request(scene, rows));
  return scene.calls.map(({ tool, args }) => door.call(tool, args));
};

test("staged rows are served as the naive reference serves them, with plants beside them and without, and count as none", () => {
  let shown = 0;
  const property = fc.property(scenes, fc.nat(), (scene, seed) => {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    const staged = stage(table, scene, seed);
    const plants = plantTable(table, scene.horizon, "UTC", "secret", "c");
    const both = [...(plants === null ? [] : readerPlants(plants)), ...staged];
    const replies = repliesOf(createStore([table]), scene, staged);
    const bytes = replies.map(bytesOf);
    assert.deepEqual(
      bytes,
      repliesOf(
        naiveStore([table], () => honest),
        scene,
        staged,
      ).map(bytesOf),
    );
    assert.deepEqual(repliesOf(createStore([table]), scene, both).map(bytesOf), bytes);
    assertNone([...replies, null, null], (reply) => reply?.ok === true && reply.planted.length > 0);
    shown += staged.filter((row) => bytes.some((text) => text.includes(row.text))).length;
    const later = tableOfRows(
      scene.table.schema,
      scene.table.rows.filter((row) => row.available <= scene.horizon),
    );
    assert.deepEqual(repliesOf(createStore([later]), scene, staged).map(bytesOf), bytes);
  });
  fc.assert(property, { numRuns: 250 });
  assert.ok(shown > 50, `${shown}`);
});

test("a staged row has a key of its own, is visible at the horizon, and is drawn alike from the same dice", () => {
  let made = 0;
  const property = fc.property(scenes, fc.nat(), (scene, seed) => {
    const table = tableOfRows(scene.table.schema, scene.table.rows);
    const staged = stage(table, scene, seed);
    made += staged.length;
    assert.deepEqual(staged, stage(table, scene, seed));
    assert.equal(new Set(staged.map(({ ref }) => ref)).size, staged.length);
    const door = createStore([table]).open(request(scene, staged));
    for (const row of staged) {
      assert.ok(!isPlant(row) && row.available <= scene.horizon);
      assert.ok(table.forward || row.available >= row.valid);
      const where = Object.fromEntries(scene.table.schema.key.map((name, i) => [name, row.key[i] ?? null]));
      assert.equal(bytesOf(door.call("rows", { table: table.name, where })), `{"rows":[${row.text}]}`);
    }
  });
  fc.assert(property, { numRuns: 300 });
  assert.ok(made > 100, `${made}`);
});

test("redrawn: letters stay letters, digits digits, and the rest as it is", () => {
  const dice = stream(1, "names");
  const names = ["BRK.B", "m07", "A-1 é", ""];
  const look = (name: string) => name.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "0");
  assertEvery(
    names.map((name) => [name, redrawn(name, dice)] as const),
    ([name, drawn]) => look(name) === look(drawn),
  );
});
