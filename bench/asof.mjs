// As-of reads of 5,000,000 rows of 10,000 entities, key (entity, date): the snapshot (`latest`) and 100,000 point
// reads; the door against bare typed arrays and DuckDB in this run. One JSON line of ratios; figures go to stderr.
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { dice } from "./dice.mjs";

const script = fileURLToPath(import.meta.url);
const dist = path.resolve(path.dirname(script), process.env.BLINDCAST_DIST ?? "../dist");
const compiled = (module) => import(path.join(dist, "src", module));
const { createStore, formatInstant, indexTable, memorySink, selectBounded } = await compiled("index.js");
const { availableOrder, latestIndex } = await compiled("store/as-of.js");
const { plantTable, readerPlants } = await compiled("store/plants.js");
const { hostTools } = await compiled("run/tool-host.js");
const { Recorder } = await compiled("run/recorder.js");

const ROWS = Number(process.env.ROWS ?? 5_000_000);
const ENTITIES = 10_000;
const CASES = 1_000;
const READS = 100;
const POINTS = CASES * READS;
const SEED = 20_140_531;
const HOUR = 3_600_000_000;
const START = Date.UTC(2000, 0, 1) * 1000;

const say = (line) => process.stderr.write(`${line}\n`);
const now = () => performance.now();
const stopwatch =
  (started = now()) =>
  () =>
    now() - started;
/** What repetitions took, the first left out, each divided by `parts`. */
function summary(times, parts = 1) {
  const sorted = times.slice(1).sort((a, b) => a - b);
  return { fastest: sorted[0] / parts, median: sorted[sorted.length >> 1] / parts };
}
const summaries = (times, parts) =>
  Object.fromEntries(Object.entries(times).map(([name, all]) => [name, summary(all, parts)]));
const three = (_, value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value);
const figures = (of) => JSON.stringify(of, three);
const megabytes = (bytes) => Math.round(bytes / 1_048_576);

/** Whole numbers below n. */
function diceBelow(seed) {
  const die = dice(seed);
  return (n) => Math.floor(die() * n);
}

const instantOf = (hour) => START + hour * HOUR;
const entityName = (entity) => `e${String(entity).padStart(5, "0")}`;

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
  const below = diceBelow(SEED);
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
    endColumn: null,
    availableColumn: "published",
    entity: "entity",
    text: [],
    valid,
    available,
    ends: null,
    retracted: null,
    lines: null,
    place: "bench",
  });
}

/** The peer: each entity's rows by available time, and at each the row of greatest (valid time, available time). */
function bareArrays({ count, each, hour }) {
  const [available, best] = [new Float64Array(count), new Int32Array(count)];
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
  for (const row of rows) sum += Math.imul(row + 2, 0x9e3779b1) >>> 0;
  return `${rows.length}:${sum}`;
}

function agree(what, expected, found) {
  if (expected === found) return;
  say(`asof: ${what} differs from bare typed arrays: expected ${expected}, found ${found}`);
  process.exit(1);
}

const LATEST = { where: new Map(), since: -Infinity, until: Infinity, latest: true, order: [] };
const snapshotCall = { table: "readings", latest: true, limit: ENTITIES };
const pointCall = (entity) => ({ table: "readings", where: { entity: entityName(entity) }, latest: true });

/** Cases: each a horizon, the plants that its reader's door holds, the entities that it reads. */
function drawCases(table, each, count) {
  const below = diceBelow(SEED + 1);
  return Array.from({ length: count }, (_, i) => {
    const hour = Math.floor(each * 24 * 0.2) + below(Math.floor(each * 24 * 0.7));
    const [id, horizon] = [`case-${i}`, instantOf(hour)];
    const rows = readerPlants(plantTable(table, horizon, "UTC", "bench", id));
    const entities = Int32Array.from({ length: READS }, () => below(ENTITIES));
    return { id, hour, horizon, overlay: { view: "reader", rows }, entities };
  });
}

const requestOf = ({ id, horizon, overlay }) => ({
  caseId: id,
  horizon,
  tables: ["readings"],
  overlay,
  subject: "bench",
});

const newRecorder = () => new Recorder(memorySink(), { now: Date.now, elapsed: now }, "bench", "");

/** The tools as a run's reader gets them: bounded, compared with the answers without plants, recorded. */
function recordedTools(store, item, recorder) {
  const request = requestOf(item);
  const horizon = formatInstant(item.horizon);
  const bound = { case: item.id, horizon, as_of: horizon, view: store.view };
  const log = recorder.begin(0, "bench", 0, 0);
  return hostTools({
    door: store.open(request),
    bare: store.open({ ...request, overlay: null }),
    at: (instant) => store.open({ ...request, horizon: instant }),
    horizon: item.horizon,
    plants: item.overlay.rows,
    elapsed: now,
    record({ inReach, text, ...call }) {
      recorder.keep(text, call.result);
      const bytes = Buffer.byteLength(text);
      recorder.append(log, bound, { kind: "tool", ...call, bytes, in_reach: inReach, usage: null });
    },
  }).tools;
}

function textOf(door, args) {
  const reply = door.call("rows", args);
  if (!reply.ok) throw new Error(reply.fault.message);
  return reply.text();
}

async function snapshots(table, store, bare, cases) {
  const times = { bare: [], rows: [], text: [], objects: [], recorded: [] };
  for (const item of cases.slice(0, 201)) {
    const bareSpent = stopwatch();
    const expected = bareSnapshot(bare, item.horizon);
    times.bare.push(bareSpent());
    const spent = stopwatch();
    const { rows } = selectBounded(table, item.horizon, item.overlay, LATEST);
    times.rows.push(spent());
    agree(`the door's snapshot of ${item.id}`, expected.join(), rows.join());
  }
  for (const item of cases.slice(0, 15)) {
    const door = store.open(requestOf(item));
    const textSpent = stopwatch();
    textOf(door, snapshotCall);
    times.text.push(textSpent());
    const spent = stopwatch();
    const { rows } = JSON.parse(textOf(door, snapshotCall));
    times.objects.push(spent());
    agree(`the count of objects of ${item.id}`, bareSnapshot(bare, item.horizon).length, rows.length);
  }
  const recorder = newRecorder();
  for (const item of cases.slice(0, 6)) {
    const tools = recordedTools(store, item, recorder);
    const spent = stopwatch();
    await tools.call("rows", snapshotCall);
    times.recorded.push(spent());
  }
  return summaries(times);
}

/** Microseconds a read, over all cases one after the other; of the recorded reply over some. */
async function points(table, store, bare, cases) {
  const column = table.columnIndex.get("entity");
  const names = Array.from({ length: ENTITIES }, (_, i) => entityName(i));
  const found = { bare: new Int32Array(POINTS), rows: new Int32Array(POINTS) };
  const shown = (work) => (_item, _at, entity, door) => work(textOf(door, pointCall(entity)));
  const methods = {
    bare({ horizon }, at, entity) {
      found.bare[at] = bareBest(bare, entity, horizon);
    },
    rows({ horizon, overlay }, at, entity) {
      const where = new Map([[column, [names[entity]]]]);
      const { rows } = selectBounded(table, horizon, overlay, { ...LATEST, where });
      found.rows[at] = rows.length === 0 ? -1 : rows[0];
    },
    text: shown(() => {}),
    objects: shown((text) => JSON.parse(text)),
  };
  const times = { bare: [], rows: [], text: [], objects: [], recorded: [] };
  for (let i = 0; i < 9; i++) {
    // One method after the other, so that what else the machine does falls on all of them.
    for (const [name, read] of Object.entries(methods)) {
      if (i >= 4 && (name === "text" || name === "objects")) continue;
      const spent = stopwatch();
      let at = 0;
      for (const item of cases) {
        const door = store.open(requestOf(item));
        for (const entity of item.entities) read(item, at++, entity, door);
      }
      times[name].push(spent() / POINTS);
    }
  }
  agree("the door's point reads", found.bare.join(), found.rows.join());
  const recorder = newRecorder();
  for (const item of cases.slice(0, 60)) {
    const tools = recordedTools(store, item, recorder);
    const spent = stopwatch();
    for (const entity of item.entities) await tools.call("rows", pointCall(entity));
    times.recorded.push(spent() / READS);
  }
  return { micros: summaries(times, 0.001), rows: found.bare };
}

async function openDuckdb(rows, bare, cases) {
  const { DuckDBInstance, DuckDBDataChunk, INTEGER } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const load = async (name, columns) => {
    const [names, arrays] = [Object.keys(columns), Object.values(columns)];
    await connection.run(`create table ${name} (${names.map((column) => `${column} integer`).join(", ")})`);
    const appender = await connection.createAppender(name);
    for (let i = 0; i < arrays[0].length; i += 2048) {
      const parts = arrays.map((array) => array.subarray(i, i + 2048));
      const chunk = DuckDBDataChunk.create(Array(names.length).fill(INTEGER), parts[0].length);
      parts.forEach((part, c) => {
        chunk.setColumnValues(c, part);
      });
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  };
  const replace = (name, raw, select) =>
    connection.run(`create table ${name} as ${select}; drop table ${raw}`);
  const { entity, day, hour } = rows;
  await load("raw", { entity, day, hour, number: Int32Array.from(hour, (_, i) => i) });
  const rank = "(day::bigint << 32) + hour as rank";
  await replace("readings", "raw", `select entity, hour, number, ${rank} from raw order by number`);
  await load("raw", {
    entity,
    hour: Int32Array.from(bare.available, (at) => (at - START) / HOUR),
    best: bare.best,
  });
  // Of rows that became available at one instant the last holds the best of all: an ASOF join needs one.
  const last = "select entity, hour, arg_max(best, rowid) as best from raw group by all order by all";
  await replace("prefix", "raw", last);
  const spread = (of) =>
    Int32Array.from({ length: POINTS }, (_, i) => of(cases[Math.floor(i / READS)], i % READS));
  const asked = { entity: spread((item, i) => item.entities[i]), hour: spread((item) => item.hour) };
  await load("points", { id: Int32Array.from({ length: POINTS }, (_, i) => i), ...asked });
  return connection;
}

/** Milliseconds of each shape of query, fastest and median; what is answered stays in DuckDB's memory. */
async function duckdb(connection, bare, cases, expected) {
  const grouped = (best) => `select ${best} from readings where hour <= $1 group by entity`;
  const shapes = {
    packed: [11, grouped("arg_max(number, rank)")],
    struct: [5, grouped("arg_max(number, {day: rank >> 32, hour: hour})")],
    // Right only where rows are numbered by (entity, date, available time).
    number: [5, grouped("max(number)")],
    asof: [4, "select best from points q asof join prefix p on q.entity = p.entity and q.hour >= p.hour"],
    join: [
      3,
      "select arg_max(number, rank) from points q join readings r on q.entity = r.entity and r.hour <= q.hour group by q.id",
    ],
    alone: [31, "select arg_max(number, rank) from readings where hour <= $1 and entity = $2"],
  };
  const known = checksum(expected.filter((row) => row >= 0));
  const ms = {};
  for (const [name, [repetitions, sql]] of Object.entries(shapes)) {
    const times = [];
    for (const { hour, horizon, entities, id } of cases.slice(0, repetitions)) {
      const statement = await connection.prepare(sql); // a second run of one ASOF join is DuckDB 1.5.6's error
      if (statement.parameterCount > 0) statement.bindInteger(1, hour);
      if (statement.parameterCount > 1) statement.bindInteger(2, entities[0]);
      const spent = stopwatch();
      const result = await statement.run();
      times.push(spent());
      const rows = (await result.getColumns())[0].map((cell) => cell ?? -1);
      const wanted = [
        known,
        checksum(bareSnapshot(bare, horizon)),
        checksum([bareBest(bare, entities[0], horizon)]),
      ];
      agree(`DuckDB (${name}) of ${id}`, wanted[statement.parameterCount], checksum(rows));
    }
    ms[name] = summary(times);
  }
  return ms;
}

/** A child's own work: one table, recorded reads of it, then what is held and what was held at most. */
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
  const store = createStore([table]);
  for (const item of drawCases(table, count / ENTITIES, 2)) {
    const tools = recordedTools(store, item, newRecorder());
    for (const args of [snapshotCall, pointCall(item.entities[0])]) await tools.call("rows", args);
  }
  const read = await settle();
  const peak = process.resourceUsage().maxRSS * 1024;
  return {
    rows: count,
    table_bytes_a_row: (built.held - before.held) / table.count,
    bytes_a_row: (read.held - before.held) / table.count,
    rss_mb_built: megabytes(built.rss),
    rss_mb: megabytes(read.rss),
    peak_mb: megabytes(peak),
  };
}

/** Of medians: those of two methods whose repetitions took turns, or stood close to one another. */
function toBare({ bare, rows, text, objects, recorded }, name) {
  const layers = Object.entries({ rows, text, objects, recorded });
  return Object.fromEntries(
    layers.map(([of, spent]) => [`${name}_${of}_to_bare`, spent.median / bare.median]),
  );
}

/** Of fastest repetitions: what else the machine did falls on DuckDB's minutes or on ours. */
function toDuckdb(duck, snapshot, point) {
  const least = (...names) => Math.min(...names.map((name) => duck[name].fastest));
  return {
    snapshot_duckdb_to_rows: least("packed", "struct") / snapshot.rows.fastest,
    snapshot_duckdb_to_recorded: least("packed", "struct") / snapshot.recorded.fastest,
    points_duckdb_to_rows: (least("asof", "join") * 1000) / POINTS / point.rows.fastest,
    point_alone_duckdb_to_recorded: (least("alone") * 1000) / point.recorded.fastest,
  };
}

async function main() {
  const total = stopwatch();
  const memory = [0.25, 0.5, 1].map((part) => {
    const child = ["--expose-gc", script, "memory", String(ROWS * part)];
    return JSON.parse(execFileSync(process.execPath, child, { encoding: "utf8" }));
  });
  for (const sizes of memory) say(`memory: ${figures(sizes)}`);

  const seconds = {};
  const built = (name, build) => {
    const spent = stopwatch();
    const value = build();
    seconds[name] = spent() / 1000;
    return value;
  };
  const rows = built("generate", () => generate(ROWS));
  const bare = built("bare", () => bareArrays(rows));
  const table = built("table", () => tableOf(rows));
  built("latest", () => latestIndex(table));
  built("available", () => availableOrder(table));
  const cases = built("plants of 1000 cases", () => drawCases(table, rows.each, CASES));
  agree("the table's count", rows.count, table.count);

  const store = createStore([table]);
  const snapshot = await snapshots(table, store, bare, cases);
  const { micros: point, rows: expected } = await points(table, store, bare, cases);
  const loaded = stopwatch();
  const connection = await openDuckdb(rows, bare, cases);
  seconds.duckdb = loaded() / 1000;
  const duck = await duckdb(connection, bare, cases, expected);
  say(`build, s: ${figures(seconds)}`);
  say(`snapshot, ms: ${figures(snapshot)}`);
  say(`point read, µs: ${figures(point)}`);
  say(`DuckDB, ms: ${figures(duck)}`);
  say(`total, s: ${figures(total() / 1000)}`);

  const ratios = {
    ...toBare(snapshot, "snapshot"),
    ...toBare(point, "points"),
    ...toDuckdb(duck, snapshot, point),
    build_to_bare: (seconds.table + seconds.latest) / seconds.bare,
    bytes_a_row_to_quarter: memory[2].bytes_a_row / memory[0].bytes_a_row,
  };
  const aims = {
    snapshot_to_bare: ratios.snapshot_rows_to_bare <= 3,
    snapshot_to_duckdb: ratios.snapshot_duckdb_to_rows >= 8,
    memory_linear: ratios.bytes_a_row_to_quarter <= 1.1,
  };
  const { bytes_a_row, rss_mb, peak_mb } = memory[2];
  console.log(
    figures({
      bench: "asof",
      rows: ROWS,
      entities: ENTITIES,
      points: POINTS,
      ...ratios,
      bytes_a_row,
      rss_mb,
      peak_mb,
      aims,
    }),
  );
}

if (process.argv[2] === "memory") console.log(JSON.stringify(await measureMemory(Number(process.argv[3]))));
else await main();
