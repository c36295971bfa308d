import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseInstant,
} from "../../src/core/instant.ts";
import type { Cell } from "../../src/core/row-ref.ts";
import { createStore, replyText } from "../../src/store/door.ts";
import { compareKeyCells, type PlantedRow } from "../../src/store/overlay.ts";
import { plantTable, probePlants, readerPlants, type TablePlants } from "../../src/store/plants.ts";
import { rowText, type Table } from "../../src/store/table.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { honest, naiveStore } from "../support/naive-store.ts";
import { type Version, versionsOf } from "../support/naive-versions.ts";
import {
  momentsOf,
  type RandomTable,
  type Row,
  randomTables,
  type Schema,
  tableOfRows,
} from "../support/random-table.ts";

const at = (text: string) => parseInstant(text, "test", "instant") as Instant;
const HOUR = MICROS_PER_DAY / 24;

type Garden = { readonly random: RandomTable; readonly table: Table; readonly horizon: Instant };
const gardens: fc.Arbitrary<Garden> = randomTables.chain((random) =>
  momentsOf(random).map((horizon) => ({
    random,
    table: tableOfRows(random.schema, random.rows),
    horizon,
  })),
);

const plant = ({ table, horizon }: Garden, secret = "secret") =>
  plantTable(table, horizon, "UTC", secret, "case");

/** Versions available by the horizon, and of them the rows that are seen, by (valid time, key). */
function seenOf({ table, horizon }: Garden): { known: Version[]; visible: Version[] } {
  const all = versionsOf(table);
  const known = all.filter((version) => version.available <= horizon);
  const visible = [...new Set(all.map((version) => version.ref))]
    .map((ref) =>
      honest(
        all.filter((version) => version.ref === ref),
        horizon,
        table.forward,
        () => true,
      ),
    )
    .filter((version) => version !== undefined)
    .sort((a, b) => a.valid - b.valid || compareKeyCells(a.key, b.key));
  return { known, visible };
}

/** Runs a check on every random garden where something grows; at least a few must. */
function always(check: (plants: TablePlants, garden: Garden, seen: ReturnType<typeof seenOf>) => void): void {
  let grown = 0;
  const property = fc.property(gardens, (garden) => {
    const plants = plant(garden);
    if (plants === null) return;
    grown++;
    check(plants, garden, seenOf(garden));
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(grown > 100, `only ${grown} gardens grew`);
}

test("nothing is planted where no row is visible, and where one is, plants are", () => {
  const counts = { grown: 0, bare: 0 };
  const property = fc.property(gardens, (garden) => {
    const { visible } = seenOf(garden);
    const plants = plant(garden);
    counts[plants === null ? "bare" : "grown"]++;
    if (visible.length === 0) assert.equal(plants, null);
    // A revision that could only be a real row's bytes is none.
    else if (plants === null)
      assert.ok(versionsOf(garden.table).some((one) => one.available === garden.horizon + 1));
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(counts.grown > 0 && counts.bare > 0);
});

test("revision: at horizon + 1 µs, under the key of the next-greatest visible row, or of the only one", () => {
  const seen = new Set<boolean>();
  always(({ revision, real }, { table, horizon }, { visible }) => {
    const row = (visible.at(-2) ?? visible.at(-1)) as Version;
    seen.add(visible.length === 1);
    assert.equal(revision.available, horizon + 1);
    assert.deepEqual([revision.ref, revision.key, revision.valid], [row.ref, row.key, row.valid]);
    const version = versionsOf(table).findIndex(
      (one) => one.ref === row.ref && one.available === row.available,
    );
    assert.equal(real.text, rowText(table, version));
  });
  assert.equal(seen.size, 2);
});

test("past plant: at the horizon, under the key of the greatest visible row, or a new key where it is the only one", () => {
  always(({ past }, { horizon }, { visible, known }) => {
    assert.equal(past.available, horizon);
    const greatest = visible.at(-1) as Version;
    // Where the greatest was published at the horizon itself, other bytes than its own may not be there to be drawn.
    const isNew = visible.length === 1 || (past.ref !== greatest.ref && greatest.available === horizon);
    if (isNew) assertNone(known, (version) => version.ref === past.ref);
    else assert.deepEqual([past.ref, past.valid], [greatest.ref, greatest.valid]);
  });
});

test("new key: of no row that is available at the horizon, and not the past plant's", () => {
  always(({ newKey, past, revision }, _garden, { known }) => {
    assertNone(known, (version) => version.ref === newKey.ref);
    assertNone([past, revision], (other) => other.ref === newKey.ref);
  });
});

test("no plant's valid time is after its available time, but in tables that speak of the future", () => {
  always((plants, { table }) => {
    if (!table.forward) assertEvery(probePlants(plants), ({ valid, available }) => valid <= available);
  });
});

test("values come from versions available at the horizon; key, entity and time columns are the plant's own", () => {
  always((plants, { table }, { known }) => {
    const standing = known.filter((version) => !version.retracted);
    const own = new Set([
      ...table.keyColumns,
      table.validColumn,
      table.endColumn,
      table.availableColumn,
      table.entity,
    ]);
    const drawn = table.columns.flatMap((_column, i) => (own.has(i) ? [] : [i]));
    assertEvery(probePlants(plants), ({ cells, key }) => {
      const values = drawn.every((column) => {
        const pool = standing.map((version) => version.cells[column]);
        return (
          pool.some((cell) => cell === cells[column]) ||
          (cells[column] === null && !pool.some((c) => c !== undefined))
        );
      });
      return values && table.keyColumns.every((column, i) => cells[column] === key[i]);
    });
    assertEvery(probePlants(plants), ({ cells, valid, available }) => {
      const released = table.availableColumn === null ? undefined : cells[table.availableColumn];
      return (
        cells[table.validColumn] === formatInstant(valid) &&
        (released === undefined || released === formatInstant(available))
      );
    });
  });
});

test("a plant of a table of spans has begun and not ended when it is there: its end is a known version's, or none", () => {
  const seen = new Set<boolean>();
  always((plants, { table }, { known }) => {
    if (table.endColumn === null) return;
    const column = table.endColumn;
    const ends = known.map(({ cells }) => cells[column]);
    assertEvery(probePlants(plants), ({ cells, end, available }) => {
      const cell = cells[column] ?? null;
      seen.add(cell === null);
      if (cell === null) return end === Number.POSITIVE_INFINITY;
      return end > available && cell === formatInstant(end) && ends.includes(cell);
    });
  });
  assert.equal(seen.size, 2);
});

test("no plant's digest is a real row's: the bytes differ from each version's", () => {
  always((plants, { table }) => {
    const real = new Set(Array.from({ length: table.count }, (_, version) => rowText(table, version)));
    assertNone(probePlants(plants), ({ text }) => real.has(text));
    assert.equal(new Set(probePlants(plants).map(({ digest }) => digest)).size, 3);
  });
});

test("plants follow from the secret, the case and the table, and another secret draws others", () => {
  let others = 0;
  always((plants, garden) => {
    assert.deepEqual(plant(garden), plants);
    const different = plant(garden, "another secret");
    if (JSON.stringify(different) !== JSON.stringify(plants)) others++;
  });
  assert.ok(others > 100);
  const { table, horizon } = fc
    .sample(gardens, { numRuns: 50, seed: 3 })
    .find((one) => plant(one) !== null) as Garden;
  const draw = (secret: string, id: string) => JSON.stringify(plantTable(table, horizon, "UTC", secret, id));
  const many = Array.from({ length: 20 }, (_, i) => [draw("s", `${i}`), draw(`${i}`, "c")]).flat();
  assert.ok(new Set(many).size > 5);
});

/** The answer under a plant's key, from a door at an instant. */
function underKey(
  garden: Garden,
  rows: readonly PlantedRow[],
  of: PlantedRow,
  when: number,
  naive: boolean,
): string {
  const { table } = garden;
  const store = naive ? naiveStore([table], () => honest) : createStore([table]);
  const overlay = { view: "probe" as const, rows };
  const door = store.open({
    caseId: "c",
    horizon: instant(when),
    tables: [table.name],
    overlay,
    subject: "test",
  });
  const where: Record<string, Cell> = {};
  table.keyColumns.forEach((column, i) => {
    where[table.columns[column]?.name as string] = of.key[i] as Cell;
  });
  return replyText(door.call("rows", { table: table.name, where }));
}

for (const naive of [false, true]) {
  test(`presence, then absence, through ${naive ? "the naive door" : "the door"}`, () => {
    always((plants, garden) => {
      const { horizon } = garden;
      const rows = probePlants(plants);
      assertEvery(
        rows,
        (row) => underKey(garden, rows, row, row.available, naive) === `{"rows":[${row.text}]}`,
      );
      assertEvery([plants.past], (row) => underKey(garden, rows, row, horizon, naive).includes(row.text));
      assert.equal(underKey(garden, rows, plants.revision, horizon, naive), `{"rows":[${plants.real.text}]}`);
      assert.equal(underKey(garden, rows, plants.newKey, horizon, naive), '{"rows":[]}');
      const bare = readerPlants(plants);
      assertNone(rows, (row) => underKey(garden, bare, row, horizon, naive).includes(row.text));
    });
  });
}

const plain: Schema = {
  name: "t",
  key: ["id"],
  entity: null,
  text: [],
  forward: false,
  span: false,
  delay: null,
};
const rowOf = (valid: string, released: string, cells: Record<string, Cell>, retracted = false): Row => ({
  valid: at(valid),
  available: at(released),
  retracted,
  cells: {
    at: valid,
    released,
    id: "a",
    n: 0,
    flag: false,
    group: null,
    rank: null,
    x: null,
    "note, #1": null,
    until: null,
    ...cells,
  },
});

test("the new key is one local day after the horizon: 23 hours on the day when the clocks go forward", () => {
  const row = rowOf("2014-03-01T05:00:00Z", "2014-03-02T05:00:00Z", {});
  const table = tableOfRows(plain, [row]);
  const newKeyAt = (horizon: string) =>
    formatInstant(plantTable(table, at(horizon), "UTC", "s", "c")?.newKey.available ?? 0);
  assert.equal(newKeyAt("2014-03-07T17:00:00Z"), "2014-03-08T17:00:00Z");
  assert.equal(newKeyAt("2014-03-08T17:00:00Z"), "2014-03-09T16:00:00Z");
  assert.equal(newKeyAt("2014-11-01T16:00:00Z"), "2014-11-02T17:00:00Z");
  const zoneless = { ...table, zone: null };
  const newKey = plantTable(zoneless, at("2014-03-08T17:00:00Z"), "UTC", "s", "c")?.newKey;
  assert.equal(newKey?.available, at("2014-03-09T17:00:00Z"));
});

test("keys that leave little room: one letter, an empty text, a large number, a flag, dates without a gap", () => {
  const plants = (schema: Partial<Schema>, rows: readonly Row[], horizon = "2014-03-05T00:00:00Z") =>
    plantTable(tableOfRows({ ...plain, ...schema }, rows), at(horizon), "UTC", "s", "c");
  const one = (cells: Record<string, Cell>) => rowOf("2014-03-01T00:00:00Z", "2014-03-05T00:00:00Z", cells);
  for (const id of ["a", "", "7", "😀"]) assert.notEqual(plants({}, [one({ id })]), null);
  for (const n of [0, -1, 0.5, 2e18, -1e300]) assert.notEqual(plants({ key: ["n"] }, [one({ n })]), null);
  for (const flag of [true, false]) assert.notEqual(plants({ key: ["n", "flag"] }, [one({ flag })]), null);
  const days = Array.from({ length: 400 }, (_, i) => {
    const day = formatInstant(at("2013-02-01T00:00:00Z") + i * MICROS_PER_DAY);
    return rowOf(day, day, { id: "a", x: i }, i > 0);
  });
  for (const count of [1, 2, 30, 400]) {
    const rows = days.slice(0, count);
    const last = rows.at(-1) as Row;
    const grown = plants({ key: ["at"] }, rows, formatInstant(last.available));
    assertEvery(probePlants(grown as TablePlants), ({ valid, available }) => valid <= available);
  }
});

test("a table of keys alone: where the past plant could only be the real row, it takes a new key; else none is planted", () => {
  const bare = (id: string) => rowOf("2014-03-01T00:00:00Z", "2014-03-05T00:00:00Z", { id, released: "-" });
  const table = tableOfRows({ ...plain, delay: null }, [bare("a"), bare("b")]);
  const keysOnly = { ...table, availableColumn: null };
  const plants = plantTable(keysOnly, at("2014-03-05T00:00:00Z"), "UTC", "s", "c");
  assertNone(["t#a", "t#b"], (ref) => plants?.past.ref === ref);
  const flags = [true, false].map((flag) => rowOf("2014-03-01T00:00:00Z", "2014-03-01T00:00:00Z", { flag }));
  const full = tableOfRows({ ...plain, key: ["flag"] }, flags);
  assert.equal(plantTable(full, at("2014-03-05T00:00:00Z"), "UTC", "s", "c"), null);
});

test("rows of one key released over and over do not hide the plants: their valid time never passes their release", () => {
  // Most versions are released long after their day, so that a drawn lag seldom names a free day.
  const days = Array.from({ length: 60 }, (_, i) => at("2014-01-01T00:00:00Z") + i * MICROS_PER_DAY);
  const rows = days.flatMap((day, i) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((lag) =>
      rowOf(formatInstant(day), formatInstant(day + lag * MICROS_PER_DAY), { x: 10 * i + lag }),
    ),
  );
  const table = tableOfRows({ ...plain, key: ["at"] }, rows);
  const all = Array.from({ length: 300 }, (_, i) =>
    plantTable(table, instant((days[40] as number) + 13 * HOUR), "UTC", "s", `${i}`),
  );
  assertEvery(
    all,
    (plants) => plants !== null && probePlants(plants).every((row) => row.valid <= row.available),
  );
});

test("cells of time columns are spelled as the table spells them", () => {
  const spelled = (valid: string, released: string) => {
    const row = {
      ...rowOf("2014-03-01T05:00:00Z", "2014-03-02T05:00:00Z", {}),
      cells: { at: valid, released, id: "ab" },
    };
    const plants = plantTable(tableOfRows(plain, [row]), at("2014-03-05T06:07:08.5Z"), "UTC", "s", "c");
    const columns = [0, 3].map((column) => plants?.newKey.cells[column]);
    return [...columns, formatInstant(plants?.newKey.valid ?? 0)];
  };
  // New York: released at 01:07:08.5 on 6 March by its clocks; true of the world 24 hours before.
  assert.deepEqual(spelled("2014-03-01", "2014-03-02"), ["2014-03-05", "2014-03-06", "2014-03-05T05:00:00Z"]);
  assert.deepEqual(spelled("2014-03-01T00:00", "2014-03-02T00:00:00"), [
    "2014-03-05T01:07",
    "2014-03-06T01:07:08",
    "2014-03-05T06:07:00Z",
  ]);
  assert.deepEqual(spelled("2014-03-01T05:00:00Z", "2014-03-02T07:00:00+02:00"), [
    "2014-03-05T06:07:08.5Z",
    "2014-03-06T08:07:08.5+02:00",
    "2014-03-05T06:07:08.5Z",
  ]);
});
