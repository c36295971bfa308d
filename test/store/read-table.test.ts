import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { parseTableSpec, type TableOnDisk, type TableSpec } from "../../src/caseset/table-spec.ts";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { type BlindcastError, noting } from "../../src/core/refusal.ts";
import { createStore, replyText } from "../../src/store/door.ts";
import { readTable } from "../../src/store/read-table.ts";
import { cellOf, type Table } from "../../src/store/table.ts";
import { assertNone } from "../support/all.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-table-"));
after(() => fs.rmSync(folder, { recursive: true }));

type Declared = Partial<TableOnDisk> & { readonly zone?: string };
type Read = { readonly table: Table | undefined; readonly refusals: readonly BlindcastError[] };

/** Reads a file's text as the table `t`, whose rows are dated by `date` and known a day later unless it says otherwise. */
async function read(text: string, declared: Declared = {}, type = "csv"): Promise<Read> {
  const file = path.join(folder, `t.${type}`);
  fs.writeFileSync(file, text);
  const { zone, ...rest } = declared;
  const disk: TableOnDisk = {
    rows: { file: `t.${type}` },
    key: ["date"],
    valid_time: { column: "date" },
    available_time: { after: "valid_time", delay: "P1D" },
    ...rest,
  };
  const { complain, refusals } = noting(20);
  const spec = parseTableSpec("t", disk, zone ?? "UTC", () => "caseset.yaml:9", complain) as TableSpec;
  const table = await readTable(spec, file, `t.${type}`, "0".repeat(64), complain);
  return { table, refusals };
}

async function tableOf(text: string, declared: Declared = {}, type = "csv"): Promise<Table> {
  const { table, refusals } = await read(text, declared, type);
  assert.deepEqual(refusals, []);
  return table as Table;
}

const messagesOf = async (text: string, declared: Declared = {}, type = "csv") =>
  (await read(text, declared, type)).refusals.map((refusal) => refusal.message);

const columnOf = (table: Table, name: string) => {
  const column = table.columnIndex.get(name) as number;
  const cells = Array.from({ length: table.count }, (_, version) => cellOf(table, version, column));
  return { type: table.columns[column]?.type, cells };
};

const rowsAt = (table: Table, at: string, args: object = {}) => {
  const horizon = parseInstant(at, "t", "t") as Instant;
  const door = createStore([table]).open({
    caseId: "c",
    horizon,
    tables: ["t"],
    overlay: null,
    subject: "t",
  });
  const reply = JSON.parse(replyText(door.call("rows", { table: "t", ...args })));
  const rows = reply.rows as { available_at: string; body: Record<string, unknown> }[];
  return rows.map(({ available_at, body }): Record<string, unknown> => ({ ...body, available_at }));
};

test("a column has the type of its first cell that is not empty; numbers are spelled as JSON's, or begin with the point", async () => {
  const table = await tableOf(
    "date,a,b,c,d\n2014-03-01,,007,true,\n2014-03-02,1.5e1,08,,\n2014-03-03,-.5,x,false,\n",
  );
  assert.deepEqual(columnOf(table, "a"), { type: "number", cells: [null, 15, -0.5] });
  assert.deepEqual(columnOf(table, "b"), { type: "string", cells: ["007", "08", "x"] });
  assert.deepEqual(columnOf(table, "c"), { type: "boolean", cells: [true, null, false] });
  assert.deepEqual(columnOf(table, "d"), { type: "string", cells: [null, null, null] });
  for (const text of ["+1", "1.", "0x10", "NaN", "Infinity", "1,5", " 1", "1 ", "1_000", "--1"])
    assert.equal(columnOf(await tableOf(`date,a\n2014-03-01,"${text}"\n`), "a").type, "string");
});

test("a later cell that does not parse is refused with its line and column, never NaN", async () => {
  assert.deepEqual(await messagesOf("date,a\n2014-03-01,1\n2014-03-02,n/a\n"), [
    'CellInvalid: t.csv:3: column a: "n/a" is not a finite number',
  ]);
  assert.deepEqual(await messagesOf("date,a\n2014-03-01,1\n2014-03-02,007\n"), [
    'CellInvalid: t.csv:3: column a: "007" is not a finite number',
  ]);
  assert.deepEqual(await messagesOf("date,a\n2014-03-01,true\n2014-03-02,yes\n"), [
    'CellInvalid: t.csv:3: column a: "yes" is not true or false',
  ]);
  assert.deepEqual(await messagesOf("date,a\n2014-03-01,1e999\n"), [
    'CellInvalid: t.csv:2: column a: "1e999" is not a finite number',
  ]);
});

test("a declared type is enforced from the first cell on", async () => {
  const texts = await tableOf("date,a\n2014-03-01,1\n2014-03-02,x\n", { columns: { a: "string" } });
  assert.deepEqual(columnOf(texts, "a"), { type: "string", cells: ["1", "x"] });
  assert.equal((await messagesOf("date,a\n2014-03-01,x\n", { columns: { a: "number" } })).length, 1);
});

test("JSON lines keep their types: a number is no text, and a text no number", async () => {
  const line = (day: number, a: string) => `{"date":"2014-03-0${day}","a":${a}}\n`;
  const table = await tableOf(line(1, "null") + line(2, '"007"') + line(3, '""'), {}, "jsonl");
  assert.deepEqual(columnOf(table, "a"), { type: "string", cells: [null, "007", ""] });
  assert.deepEqual(columnOf(await tableOf(line(1, "-0.0"), {}, "jsonl"), "a"), {
    type: "number",
    cells: [0],
  });
  assert.deepEqual(await messagesOf(line(1, "1") + line(2, '"1"'), {}, "jsonl"), [
    'CellInvalid: t.jsonl:2: column a: "1" is not a finite number',
  ]);
  assert.deepEqual(await messagesOf(line(1, '"x"') + line(2, "1"), {}, "jsonl"), [
    'CellInvalid: t.jsonl:2: column a: "1" is not a text',
  ]);
  assert.match((await messagesOf(line(1, '"\\ud800"'), {}, "jsonl")).join("\n"), /well-formed|surrogate/);
});

test("a row without an available time is refused by its line", async () => {
  const released = { available_time: { column: "released" } };
  assert.deepEqual(await messagesOf("date,released\n2014-03-01,2014-03-02\n2014-03-02,\n", released), [
    "RowAvailableTimeMissing: t.csv:3: table t: no available time in released, expected an instant",
  ]);
  const table = await tableOf("date,released\n2014-03-01,2014-03-02\n", released);
  assert.equal(formatInstant(table.available[0] as number), "2014-03-02T00:00:00Z");
});

test("a row available before its valid time is refused by its line, unless the table is `forward`", async () => {
  const text = "date,released\n2014-03-01,2014-03-02\n2014-03-05,2014-03-04\n";
  const released = { available_time: { column: "released" } };
  assert.deepEqual(await messagesOf(text, released), [
    "RowAvailableBeforeValid: t.csv:3: table t: available at 2014-03-04T00:00:00Z, before its valid time 2014-03-05T00:00:00Z",
  ]);
  const table = await tableOf(text, { ...released, forward: true });
  assert.deepEqual(
    rowsAt(table, "2014-03-04T00:00:00Z").map((row) => row["date"]),
    ["2014-03-01", "2014-03-05"],
  );
});

test("one key at one available time twice: both lines are named; the same bytes are one row", async () => {
  assert.deepEqual(await messagesOf("date,a\n2014-03-01,1\n2014-03-02,1\n2014-03-01,2\n"), [
    "RowVersionAmbiguous: t.csv:4: t#2014-03-01: another version with the same available time 2014-03-02T00:00:00Z stands at t.csv:2",
  ]);
  assert.equal((await tableOf("date,a\n2014-03-01,1\n2014-03-01,1\n")).count, 1);
});

test("a revision replaces, a withdrawn row is gone, each from its instant on", async () => {
  const released = { available_time: { column: "released" }, key: ["id"], valid_time: { column: "date" } };
  const table = await tableOf(
    `id,date,released,a,retracted
k,2014-03-01,2014-03-02,1,
k,2014-03-01,2014-03-03,2,false
k,2014-03-01,2014-03-04,2,true
k,2014-03-01,2014-03-05,3,
`,
    released,
  );
  const seen = (day: number) => rowsAt(table, `2014-03-0${day}T00:00:00Z`).map((row) => row["a"]);
  assert.deepEqual([1, 2, 3, 4, 5].map(seen), [[], [1], [2], [], [3]]);
  assertNone(table.columns, ({ name }) => name === "retracted");
  assert.deepEqual(await messagesOf("id,date,released,retracted\nk,2014-03-01,2014-03-02,yes\n", released), [
    'CellInvalid: t.csv:2: column retracted: "yes" is not true or false',
  ]);
});

test("keys and entities may not be empty, but that a withdrawal need not repeat its entity", async () => {
  const both = { key: ["id"], entity: "who" };
  assert.deepEqual(await messagesOf("date,id,who\n2014-03-01,,w\n2014-03-02,k,\n", both), [
    'CellInvalid: t.csv:2: column id: "" is not a key, which may not be empty',
    'CellInvalid: t.csv:3: column who: "" is not an entity, which may not be empty',
  ]);
  await tableOf("date,id,who,retracted\n2014-03-02,k,,true\n", both);
});

test("dates are the first instant of the local day, local times in a gap move on, repeated ones are the earlier", async () => {
  const validOf = async (text: string, zone: string) =>
    formatInstant((await tableOf(`date\n${text}\n`, { zone })).valid[0] as number);
  assert.equal(await validOf("2014-03-09", "America/New_York"), "2014-03-09T05:00:00Z");
  assert.equal(await validOf("2014-03-09T02:30", "America/New_York"), "2014-03-09T07:30:00Z");
  assert.equal(await validOf("2014-11-02T01:30", "America/New_York"), "2014-11-02T05:30:00Z");
  assert.equal(await validOf("2013-10-20", "America/Sao_Paulo"), "2013-10-20T03:00:00Z");
  assert.equal(await validOf("2014-03-09T02:30:00-05:00", "America/New_York"), "2014-03-09T07:30:00Z");
  const long = await tableOf("date\n2014-03-08T12:00\n", { zone: "America/New_York" });
  assert.equal(formatInstant(long.available[0] as number), "2014-03-09T16:00:00Z");
  const released = { available_time: { column: "released", zone: "Asia/Tokyo" }, zone: "UTC" };
  const tokyo = await tableOf("date,released\n2014-03-01,2014-03-02T09:00\n", released);
  assert.equal(formatInstant(tokyo.available[0] as number), "2014-03-02T00:00:00Z");
});

test("times that are no times are refused with line and column", async () => {
  for (const text of ["2014-02-29", "03/01/2014", "2014", "2014-03-01T25:00", "9999-12-31"])
    assert.match((await messagesOf(`date\n${text}\n`)).join("\n"), /^CellInvalid: t\.csv:2: column date: /);
  assert.match(
    (await messagesOf("date\n2014-03-01T00:00:00-00:00\n")).join("\n"),
    /^InstantInvalid: t\.csv:2: column date: /,
  );
});

test("cells with instants of their own: a row appears at its earliest, a later cell is absent from reply, filter and aggregate", async () => {
  const columns = { available_time: { open: "PT9H30M", close: "PT16H" } } as Declared;
  const table = await tableOf("date,open,close\n2014-03-03,10,12\n", columns);
  const at = (time: string) => `2014-03-03T${time}Z`;
  assert.deepEqual(rowsAt(table, at("09:29:59.999999")), []);
  assert.deepEqual(rowsAt(table, at("09:30:00")), [
    { date: "2014-03-03", open: 10, available_at: at("09:30:00") },
  ]);
  assert.deepEqual(rowsAt(table, at("16:00:00")), [
    { date: "2014-03-03", open: 10, close: 12, available_at: at("16:00:00") },
  ]);
  assert.equal(rowsAt(table, at("16:00:00"), { where: { close: 12 } }).length, 1);
  for (const close of [12, null, [12, null]])
    assert.deepEqual(rowsAt(table, at("15:00:00"), { where: { close } }), []);
  const horizon = parseInstant(at("15:00:00"), "t", "t") as Instant;
  const door = createStore([table]).open({
    caseId: "c",
    horizon,
    tables: ["t"],
    overlay: null,
    subject: "t",
  });
  const count = (column: string) =>
    replyText(door.call("aggregate", { table: "t", measure: "count", column }));
  assert.deepEqual([count("open"), count("close")], ['{"n":1,"value":1}', '{"n":0,"value":0}']);
});

test("cells with instants of their own: no row is there before its key can be known", async () => {
  const columns = { key: ["date", "id"], available_time: { id: "PT10H", a: "PT1H", b: "PT20H" } } as Declared;
  const table = await tableOf("date,id,a,b\n2014-03-03,k,1,2\n", columns);
  assert.deepEqual(rowsAt(table, "2014-03-03T09:59:59Z"), []);
  assert.deepEqual(rowsAt(table, "2014-03-03T10:00:00Z"), [
    { date: "2014-03-03", id: "k", a: 1, available_at: "2014-03-03T10:00:00Z" },
  ]);
  assert.deepEqual([table.count, table.keys], [2, 1]);
});

test("a column without an instant of its own, or no column with one, is refused", async () => {
  const missing = (column: string) =>
    `TableAvailableTimeMissing: caseset.yaml:9: table t: no available_time for column ${column}, expected one`;
  const open = { available_time: { open: "PT9H" } } as Declared;
  assert.deepEqual(await messagesOf("date,open,close\n2014-03-03,1,2\n", open), [missing("close")]);
  assert.deepEqual(await messagesOf("date\n2014-03-03\n", { available_time: {} } as Declared), [
    missing("date"),
  ]);
});

test("columns that the declaration names and the file lacks are refused", async () => {
  const declared: Declared = { key: ["date", "id"], entity: "who", columns: { x: "number" }, text: ["note"] };
  const messages = await messagesOf("date\n2014-03-03\n", declared);
  assert.deepEqual(
    messages.map((message) => message.split(":").slice(0, 4).join(":")),
    ["id", "x", "who", "note"].map((column) => `ColumnUnknown: caseset.yaml:9: column ${column}`),
  );
});

test("a searched column holds texts, whatever its first cell looks like", async () => {
  const file = "date,note,more\n2014-03-03,1984,1\n2014-03-04,a storm,2\n";
  const table = await tableOf(file, { text: ["note"] });
  assert.deepEqual(
    table.columns.map(({ type }) => type),
    ["string", "string", "number"],
  );
  assert.deepEqual(table.text, [1]);
  assert.deepEqual((await tableOf(file.replace("a storm", "7"))).text, []);
  const [row] = await messagesOf('{"date":"2014-03-03","note":1984}\n', { text: ["note"] }, "jsonl");
  assert.equal(row, 'CellInvalid: t.jsonl:1: column note: "1984" is not a text');
});

test("a row whose delay would pass the end of time is refused, the nearest before it is not", async () => {
  const [message] = await messagesOf("date,v\n2200-01-01,1\n");
  assert.match(
    message ?? "",
    /^CellInvalid: t\.csv:2: column date: "2200-01-01T00:00:00Z" is not a valid time a century/,
  );
  assert.equal((await tableOf("date,v\n2150-01-01,1\n")).count, 1);
});

test("local dates need a zone: a table and set that name none are refused once, instants with offsets are not", async () => {
  const { complain, refusals } = noting(20);
  const disk: TableOnDisk = {
    rows: { file: "t.csv" },
    key: ["date"],
    valid_time: { column: "date" },
    available_time: { after: "valid_time", delay: "P1D" },
  };
  const spec = parseTableSpec("t", disk, null, () => "caseset.yaml:9", complain) as TableSpec;
  const file = path.join(folder, "t.csv");
  fs.writeFileSync(file, "date\n2014-01-01\n2014-01-02\n");
  await readTable(spec, file, "t.csv", "0".repeat(64), complain);
  assert.deepEqual(
    refusals.map((refusal) => refusal.message),
    ["KeyMissing: caseset.yaml:9: tables.t.valid_time.zone: required, and absent; present: column"],
  );
  fs.writeFileSync(file, "date\n2014-01-01T00:00:00Z\n");
  await readTable(spec, file, "t.csv", "0".repeat(64), complain);
  assert.equal(refusals.length, 1);
});
