// As-of reads of 5,000,000 rows of 10,000 entities, key (entity, date): the snapshot (`latest`) and 100,000 point
// reads; the door against bare typed arrays and DuckDB in this run. One JSON line of ratios; figures go to stderr.
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.resolve(here, process.env.BLINDCAST_DIST ?? "../dist");
const from = (module) => import(path.join(dist, "src", module));
const { createStore, formatInstant, indexTable, memorySink, selectBounded } = await from("index.js");
const { availableOrder, latestIndex } = await from("store/as-of.js");
const { plantTable, readerPlants } = await from("store/plants.js");
const { hostTools } = await from("run/tool-host.js");
const { Recorder } = await from("run/recorder.js");

const ROWS = Number(process.env.ROWS ?? 5_000_000);
const ENTITIES = 10_000;
const CASES = 1_000;
const READS = 100; // of a case: CASES * READS point reads
const SEED = 20_140_531;
const HOUR = 3_600_000_000;
const START = Date.UTC(2000, 0, 1) * 1000;
const QUARTERS = [0.25, 0.5, 1];

const say = (line) => process.stderr.write(`${line}\n`);
const now = () => performance.now();
const round = (value) => Number(value.toPrecision(3));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const megabytes = (bytes) => Math.round(bytes / 1048576);

function timed(work) {
  const started = now();
  const value = work();
  return { value, ms: now() - started };
}

async function timedAsync(work) {
  const started = now();
  const value = await work();
  return { value, ms: now() - started };
}

/** mulberry32 (T. Ettinger, public domain). */
function dice(seed) {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  };
}

/**
 * Rows in key order, by available time within a key. Of ten rows of an entity nine are a day's first version and one
 * revises the day before it, 1 to 60 days later; a fifth of the first versions is late by up to 40 days.
 */
function generate(count) {
  const each = count / ENTITIES;
  const [entity, day, hour] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const [value, valid, available] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  const below = dice(SEED);
  for (let i = 0; i < count; i++) {
    const place = i % each;
    const late = below(5) === 0 ? below(40 * 24) : below(6);
    entity[i] = (i - place) / each;
    day[i] = place - Math.floor((place + 1) / 10);
    hour[i] = place % 10 === 9 ? hour[i - 1] + 24 * (1 + below(60)) : (day[i] + 1) * 24 + late;
    value[i] = below(100_000) / 100;
    valid[i] = instantOf(24 * day[i]);
    available[i] = instantOf(hour[i]);
  }
  return { count, each, entity, day, hour, value, valid, available };
}

const instantOf = (hour) => START + hour * HOUR;
const entityName = (entity) => `e${String(entity).padStart(5, "0")}`;

function tableOf({ count, each, entity, day, hour, value, valid, available }) {
  const text = (name, codes, size, spell) => {
    const dictionary = Array.from({ length: size }, (_, i) => spell(i));
    return { name, type: "string", numbers: null, codes, dictionary, hidden: null };
  };
  return indexTable({
    name: "readings",
    spec: null,
    zone: "UTC",
    forward: false,
    count,
    columns: [
      text("entity", entity, ENTITIES, entityName),
      text("date", day, each, (i) => formatInstant(instantOf(24 * i)).slice(0, 10)),
      text("published", hour, (each + 110) * 24, (i) => formatInstant(instantOf(i))),
      { name: "value", type: "number", numbers: value, codes: null, dictionary: [], hidden: null },
    ],
    key: ["entity", "date"],
    validColumn: "date",
    availableColumn: "published",
    entity: "entity",
    valid,
    available,
    retracted: null,
    lines: null,
    place: "bench",
  });
}

/** The peer: each entity's rows by available time, and at each the row of greatest (valid time, available time). */
function bareArrays({ count, each, hour }) {
  const available = new Float64Array(count);
  const best = new Int32Array(count);
  const order = new Float64Array(each);
  for (let start = 0; start < count; start += each) {
    for (let i = 0; i < each; i++) order[i] = hour[start + i] * each + i;
    order.sort();
    let top = -1;
    for (let i = 0; i < each; i++) {
      const row = order[i] % each;
      if (row > top) top = row; // rows of an entity stand by (valid time, available time)
      available[start + i] = instantOf((order[i] - row) / each);
      best[start + i] = start + top;
    }
  }
  return { available, best, each };
}

function bareBest({ available, best, each }, entity, asOf) {
  const start = entity * each;
  let low = start;
  let high = start + each;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (available[middle] <= asOf) low = middle + 1;
    else high = middle;
  }
  return low === start ? -1 : best[low - 1];
}

function bareSnapshot(bare, asOf) {
  const rows = new Int32Array(ENTITIES);
  let count = 0;
  for (let entity = 0; entity < ENTITIES; entity++) {
    const row = bareBest(bare, entity, asOf);
    if (row >= 0) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** The same for the same rows in any order. */
function checksum(rows) {
  let sum = 0;
  for (const row of rows) sum += Math.imul(row + 1, 0x9e3779b1) >>> 0;
  return `${rows.length}:${sum}`;
}

function agree(what, expected, found) {
  if (expected === found) return;
  say(`asof: ${what} found ${found}, bare typed arrays ${expected}`);
  process.exit(1);
}

/** A child's own work: one table and what reads and plants need of it, then what is held of it. */
async function measureMemory(count) {
  const settle = async () => {
    for (let i = 0; i < 4; i++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
    return { rss, held: arrayBuffers + heapUsed };
  };
  const before = await settle();
  const table = tableOf(generate(count));
  const built = await settle();
  latestIndex(table);
  availableOrder(table);
  const indexed = await settle();
  const each = (bytes) => round(bytes / table.count);
  return {
    rows: count,
    table: each(built.held - before.held),
    indexed: each(indexed.held - before.held),
    rss: each(indexed.rss - before.rss),
    peak: each(process.resourceUsage().maxRSS * 1024 - before.rss),
    built_mb: megabytes(indexed.rss),
    peak_mb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

async function openDuckdb(rows, bare) {
  const { DuckDBInstance, DuckDBDataChunk, INTEGER } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const load = async (name, columns) => {
    const names = Object.keys(columns);
    await connection.run(`create table ${name} (${names.map((column) => `${column} integer`).join(", ")})`);
    const appender = await connection.createAppender(name);
    const total = columns[names[0]].length;
    for (let i = 0; i < total; i += 2048) {
      const size = Math.min(2048, total - i);
      const chunk = DuckDBDataChunk.create(
        names.map(() => INTEGER),
        size,
      );
      names.forEach((column, c) => {
        chunk.setColumnValues(c, columns[column].subarray(i, i + size));
      });
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  };
  const number = Int32Array.from({ length: rows.count }, (_, i) => i);
  await load("raw", { entity: rows.entity, day: rows.day, hour: rows.hour, number });
  await connection.run(
    "create table readings as select entity, hour, number, (day::bigint << 32) + hour as rank from raw order by number",
  );
  await connection.run("drop table raw");
  const hour = Int32Array.from(bare.available, (at) => (at - START) / HOUR);
  await load("prefixed", { entity: rows.entity, hour, best: bare.best });
  // Of rows that became available at one instant the last holds the best of all: an ASOF join needs one.
  await connection.run(
    "create table prefix as select entity, hour, arg_max(best, rowid) as best from prefixed group by all order by all",
  );
  await connection.run("drop table prefixed");
  return { connection, load };
}

const LATEST = { where: new Map(), since: -Infinity, until: Infinity, latest: true, order: [] };
const snapshotCall = { table: "readings", latest: true, limit: ENTITIES };
const pointCall = (entity) => ({ table: "readings", where: { entity: entityName(entity) }, latest: true });

/** A case: its horizon, its plants as its door holds them, and the entities that it reads. */
function drawCases(table, each) {
  const below = dice(SEED + 1);
  return Array.from({ length: CASES }, (_, i) => {
    const hour = Math.floor(each * 24 * 0.2) + below(Math.floor(each * 24 * 0.7));
    const plants = plantTable(table, instantOf(hour), "UTC", "bench", `case-${i}`);
    const overlay = { view: "reader", rows: readerPlants(plants) };
    return {
      id: `case-${i}`,
      hour,
      horizon: instantOf(hour),
      overlay,
      entities: Int32Array.from({ length: READS }, () => below(ENTITIES)),
    };
  });
}

const requestOf = ({ id, horizon, overlay }) => ({
  caseId: id,
  horizon,
  tables: ["readings"],
  overlay,
  subject: "bench",
});

/** The tools as a reader gets them: bounded, compared with the answers without plants, recorded. */
function recordedTools(store, item, recorder) {
  const request = requestOf(item);
  const horizon = formatInstant(item.horizon);
  const bound = { case: item.id, horizon, as_of: horizon, view: store.view };
  const log = recorder.begin(0, "bench", 0);
  return hostTools({
    door: store.open(request),
    bare: store.open({ ...request, overlay: null }),
    at: (instant) => store.open({ ...request, horizon: instant }),
    horizon: item.horizon,
    plants: item.overlay.rows,
    elapsed: now,
    record({ name, args, text, result, unplanted, inReach, ms }) {
      recorder.keep(text, result);
      const bytes = Buffer.byteLength(text);
      recorder.append(log, bound, {
        kind: "tool",
        name,
        args,
        result,
        bytes,
        ms,
        unplanted,
        in_reach: inReach,
        usage: null,
      });
    },
  });
}

const textOf = (door, args) => {
  const reply = door.call("rows", args);
  if (!reply.ok) throw new Error(reply.fault.message);
  return reply.text();
};

async function snapshots(table, store, bare, cases, recorder) {
  const times = { bare: [], door: [], text: [], objects: [], recorded: [] };
  for (const item of cases.slice(0, 201)) {
    const { value: expected, ms: bareMs } = timed(() => bareSnapshot(bare, item.horizon));
    const { value: found, ms: doorMs } = timed(() =>
      selectBounded(table, item.horizon, item.overlay, LATEST),
    );
    agree(`the door's snapshot of ${item.id}`, expected.join(), found.rows.join());
    times.bare.push(bareMs);
    times.door.push(doorMs);
  }
  for (const item of cases.slice(0, 15)) {
    const door = store.open(requestOf(item));
    times.text.push(timed(() => textOf(door, snapshotCall)).ms);
    const { value: objects, ms } = timed(() => JSON.parse(textOf(door, snapshotCall)).rows);
    times.objects.push(ms);
    agree(`the row objects of ${item.id}`, bareSnapshot(bare, item.horizon).length, objects.length);
  }
  for (const item of cases.slice(0, 3)) {
    const tools = recordedTools(store, item, recorder);
    times.recorded.push((await timedAsync(() => tools.call("rows", snapshotCall))).ms);
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all.slice(1))]));
}

/** Each method over all cases, several times over; microseconds a read. */
async function points(table, store, bare, cases, recorder) {
  const column = table.columnIndex.get("entity");
  const names = Array.from({ length: ENTITIES }, (_, i) => entityName(i));
  const rows = { bare: new Int32Array(CASES * READS), door: new Int32Array(CASES * READS) };
  const methods = {
    bare() {
      let at = 0;
      for (const { horizon, entities } of cases)
        for (const entity of entities) rows.bare[at++] = bareBest(bare, entity, horizon);
    },
    door() {
      let at = 0;
      for (const { horizon, overlay, entities } of cases) {
        for (const entity of entities) {
          const where = new Map([[column, [names[entity]]]]);
          const found = selectBounded(table, horizon, overlay, { ...LATEST, where }).rows;
          rows.door[at++] = found.length === 0 ? -1 : found[0];
        }
      }
    },
    text() {
      for (const item of cases) {
        const door = store.open(requestOf(item));
        for (const entity of item.entities) textOf(door, pointCall(entity));
      }
    },
    objects() {
      for (const item of cases) {
        const door = store.open(requestOf(item));
        for (const entity of item.entities) JSON.parse(textOf(door, pointCall(entity)));
      }
    },
  };
  const micros = {};
  for (const [name, method] of Object.entries(methods)) {
    const repetitions = name === "bare" || name === "door" ? 7 : 3;
    const times = Array.from({ length: repetitions }, () => timed(method).ms);
    micros[name] = (median(times.slice(1)) / (CASES * READS)) * 1000;
  }
  agree("the door's point reads", checksum(rows.bare), checksum(rows.door));
  const some = cases.slice(0, 20);
  const { ms } = await timedAsync(async () => {
    for (const item of some) {
      const tools = recordedTools(store, item, recorder);
      for (const entity of item.entities) await tools.call("rows", pointCall(entity));
    }
  });
  micros.recorded = (ms / (some.length * READS)) * 1000;
  return { micros, rows: rows.bare };
}

async function duckdb({ connection, load }, bare, cases, expectedPoints) {
  const columnsOf = async (result) =>
    (await result.getColumns()).map((column) => Int32Array.from(column, (cell) => cell ?? -1));
  const grouped = (best) => `select entity, ${best} as number from readings where hour <= $1 group by entity`;
  const shapes = {
    packed: grouped("arg_max(number, rank)"),
    struct: grouped("arg_max(number, {day: rank >> 32, hour: hour})"),
    // Only since the rows were numbered in key order: what a table that is not so sorted cannot do.
    number: grouped("max(number)"),
  };
  const ms = {};
  for (const [name, sql] of Object.entries(shapes)) {
    const statement = await connection.prepare(sql);
    const times = [];
    for (const { hour, horizon, id } of cases.slice(0, 12)) {
      statement.bindInteger(1, hour);
      const { value: result, ms: spent } = await timedAsync(() => statement.run());
      times.push(spent);
      agree(
        `DuckDB (${name}) of ${id}`,
        checksum(bareSnapshot(bare, horizon)),
        checksum((await columnsOf(result)).at(-1)),
      );
    }
    ms[name] = median(times.slice(1));
  }
  const spread = (of) =>
    Int32Array.from({ length: CASES * READS }, (_, i) => of(cases[Math.floor(i / READS)], i % READS));
  await load("points", {
    id: Int32Array.from({ length: CASES * READS }, (_, i) => i),
    entity: spread((item, i) => item.entities[i]),
    hour: spread((item) => item.hour),
  });
  const joins = {
    points_asof:
      "select best from points q asof left join prefix p on q.entity = p.entity and q.hour >= p.hour",
    points_join:
      "select arg_max(r.number, r.rank) from points q join readings r on q.entity = r.entity and r.hour <= q.hour group by q.id",
  };
  for (const [name, sql] of Object.entries(joins)) {
    const times = [];
    for (let i = 0; i < (name === "points_asof" ? 4 : 2); i++) {
      const { value: result, ms: spent } = await timedAsync(() => connection.run(sql));
      times.push(spent);
      const [found] = await columnsOf(result);
      agree(
        `DuckDB (${name})`,
        checksum(expectedPoints.filter((row) => row >= 0)),
        checksum(found.filter((row) => row >= 0)),
      );
    }
    ms[name] = median(times.slice(1));
  }
  const one = await connection.prepare(
    "select arg_max(number, rank) from readings where entity = $1 and hour <= $2",
  );
  const times = [];
  for (const { hour, entities } of cases.slice(0, 31)) {
    one.bindInteger(1, entities[0]);
    one.bindInteger(2, hour);
    times.push((await timedAsync(() => one.run())).ms);
  }
  return { ...ms, point: median(times.slice(1)) };
}

const figures = (of) => JSON.stringify(of, (_, value) => (typeof value === "number" ? round(value) : value));

async function main() {
  const started = now();
  const memory = QUARTERS.map((part) => {
    const child = ["--expose-gc", fileURLToPath(import.meta.url), "memory", String(ROWS * part)];
    return JSON.parse(execFileSync(process.execPath, child, { encoding: "utf8" }));
  });
  for (const sizes of memory) say(`memory, bytes a row: ${figures(sizes)}`);

  const rows = generate(ROWS);
  const { value: bare, ms: bareBuild } = timed(() => bareArrays(rows));
  const { value: table, ms: tableBuild } = timed(() => tableOf(rows));
  const { ms: latestBuild } = timed(() => latestIndex(table));
  const { ms: orderBuild } = timed(() => availableOrder(table));
  const { value: cases, ms: plants } = timed(() => drawCases(table, rows.each));
  agree("the table", rows.count, table.count);
  const build = { bare: bareBuild, table: tableBuild, latest: latestBuild, plants: orderBuild };
  say(`build, ms: ${figures(build)}; plants of a case, ms: ${round(plants / CASES)}`);

  const store = createStore([table]);
  const recorder = new Recorder(memorySink(), { now: Date.now, elapsed: now }, "bench", "");
  const snapshot = await snapshots(table, store, bare, cases, recorder);
  say(`snapshot, ms: ${figures(snapshot)}`);
  const { micros: point, rows: expected } = await points(table, store, bare, cases, recorder);
  say(`point read, µs: ${figures(point)}`);
  const { value: opened, ms: load } = await timedAsync(() => openDuckdb(rows, bare));
  const duck = await duckdb(opened, bare, cases, expected);
  say(`DuckDB, ms: ${figures({ load, ...duck })}`);
  say(`total: ${round((now() - started) / 1000)} s`);

  const reads = (CASES * READS) / 1000;
  const best = Math.min(duck.packed, duck.struct);
  const ratios = {
    snapshot_rows_to_bare: snapshot.door / snapshot.bare,
    snapshot_text_to_bare: snapshot.text / snapshot.bare,
    snapshot_objects_to_bare: snapshot.objects / snapshot.bare,
    snapshot_recorded_to_bare: snapshot.recorded / snapshot.bare,
    snapshot_duckdb_to_rows: best / snapshot.door,
    snapshot_duckdb_to_recorded: best / snapshot.recorded,
    points_rows_to_bare: point.door / point.bare,
    points_text_to_bare: point.text / point.bare,
    points_objects_to_bare: point.objects / point.bare,
    points_recorded_to_bare: point.recorded / point.bare,
    points_duckdb_to_rows: Math.min(duck.points_asof, duck.points_join) / (point.door * reads),
    point_alone_duckdb_to_recorded: (duck.point * 1000) / point.recorded,
    build_to_bare: (tableBuild + latestBuild) / bareBuild,
    memory_full_to_quarter: memory[2].indexed / memory[0].indexed,
  };
  const aims =
    ratios.snapshot_rows_to_bare <= 3 &&
    ratios.snapshot_duckdb_to_rows >= 8 &&
    ratios.memory_full_to_quarter <= 1.1;
  const head = { bench: "asof", rows: ROWS, entities: ENTITIES, points: CASES * READS };
  const tail = { bytes_a_row: memory[2].indexed, peak_rss_mb: memory[2].peak_mb, aims_met: aims };
  console.log(figures({ ...head, ...ratios, ...tail }));
}

if (process.argv[2] === "memory") console.log(JSON.stringify(await measureMemory(Number(process.argv[3]))));
else await main();
