import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { parseTableSpec, type TableOnDisk, type TableSpec } from "../../src/caseset/table-spec.ts";
import { universeWarnings } from "../../src/profile/universe-lint.ts";
import { createStore } from "../../src/store/door.ts";
import { readTable } from "../../src/store/read-table.ts";
import type { Table } from "../../src/store/table.ts";
import { shared } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-lint-"));
after(() => fs.rmSync(folder, { recursive: true }));

async function tableOf(name: string, text: string, declared: Omit<TableOnDisk, "rows">): Promise<Table> {
  const file = path.join(folder, `${name}.csv`);
  fs.writeFileSync(file, text);
  const disk = { rows: { file: `${name}.csv` }, ...declared } as TableOnDisk;
  const spec = parseTableSpec(name, disk, "UTC", () => "caseset.yaml:9") as TableSpec;
  return (await readTable(spec, file, `${name}.csv`, "0".repeat(64))) as Table;
}

const universe = (rows: string, more: Partial<TableOnDisk> = {}) =>
  tableOf("members", `who,stint,from,to,known\n${rows}`, {
    key: ["who", "stint"],
    entity: "who",
    valid_time: { from: "from", to: "to" },
    available_time: { column: "known" },
    ...more,
  });
const closes = (rows: string) =>
  tableOf("closes", `day,who,close\n${rows}`, {
    key: ["who", "day"],
    entity: "who",
    valid_time: { column: "day" },
    available_time: { after: "valid_time", delay: "PT16H" },
  });
const warned = (...tables: readonly Table[]) =>
  universeWarnings(createStore(tables)).map(({ kind, table, found, of, examples }) => [
    kind,
    table,
    `${found} of ${of}`,
    ...examples,
  ]);

const sound =
  "LEHM,1,1998-01-12,,1998-01-12\nLEHM,1,1998-01-12,2008-09-17,2008-09-16T20:00:00Z\nNDAQ,1,2008-10-22,,2008-10-22\n";

test("an end that was announced a few hours ahead is told ahead, unless the table speaks of the future", async () => {
  assert.deepEqual(warned(await universe(sound, { forward: true })), []);
  assert.deepEqual(warned(await universe(sound)), [
    [
      "end-told-ahead",
      "members",
      "1 of 1",
      "members#LEHM,1 ends 2008-09-17T00:00:00Z, available 2008-09-16T20:00:00Z",
    ],
  ]);
  assert.deepEqual(warned(await universe(sound.replace("2008-09-16T20", "2008-09-17T00"))), []);
});

test("identifiers that tell how it ends: the bankrupt's letter behind four, and a date that had not come", async () => {
  const rows = [
    "LEHMQ",
    "LKQ",
    "NDAQ",
    "LEHMQX",
    "lehmq",
    "ACME-201312",
    "ACME-199801",
    "ACME_20131231",
    "X201312",
    "ACME-201313",
  ];
  const members = await universe(rows.map((who) => `${who},1,1998-01-12,,1998-01-12\n`).join(""));
  assert.deepEqual(warned(members), [
    ["later-identifier", "members", "1 of 10", "LEHMQ"],
    ["dated-identifier", "members", "2 of 10", "ACME-201312", "ACME_20131231"],
  ]);
  // A table of no universe is looked at as well, by its entities.
  const table = await closes("2008-09-15,WAMUQ,0.3\n2014-01-02,ACME-2013-12,7\n2013-11-30,ACME-2013-11,7\n");
  assert.deepEqual(warned(table), [["later-identifier", "closes", "1 of 3", "WAMUQ"]]);
});

test("stints of one member that overlap, as they stand in the end; those that meet do not", async () => {
  const meeting =
    "A,1,2001-01-01,2002-01-01,2002-01-01\nA,2,2002-01-01,,2002-01-01\nB,1,2001-01-01,,2001-01-01\n";
  assert.deepEqual(warned(await universe(meeting)), []);
  const late = `${meeting}A,1,2001-01-01,2002-01-02,2003-01-01\n`;
  assert.deepEqual(warned(await universe(late)), [
    [
      "overlap",
      "members",
      "1 of 2",
      "members#A,1 is until 2002-01-02T00:00:00Z, members#A,2 from 2002-01-01T00:00:00Z",
    ],
  ]);
  // It is the longest before that counts, not the one before; what was put right, and what has no length, is not told.
  const long =
    "A,1,2001-01-01,,2001-01-01\nA,2,2001-02-01,2001-03-01,2001-03-01\nA,3,2001-04-01,,2001-04-01\n";
  assert.deepEqual(
    warned(await universe(long)).map(([, , count]) => count),
    ["2 of 1"],
  );
  assert.deepEqual(warned(await universe(`${late}A,1,2001-01-01,2002-01-01,2004-01-01\n`)), []);
  assert.deepEqual(warned(await universe(`${meeting}A,3,2002-06-01,2002-06-01,2002-06-01\n`)), []);
});

test("who has rows and was never a member, and which members have none; of tables that share no name nothing is said", async () => {
  const members = await universe("A,1,2001-01-01,,2001-01-01\nB,1,2001-01-01,2002-01-01,2002-01-01\n");
  assert.deepEqual(warned(members, await closes("2001-02-01,INDEX,1\n")), []);
  assert.deepEqual(warned(members, await closes("2001-02-01,A,1\n2001-02-01,B,1\n")), []);
  assert.deepEqual(warned(members, await closes("2001-02-01,A,1\n2001-02-01,INDEX,1\n")), [
    ["stranger", "closes", "1 of 2", "INDEX"],
    ["rowless", "members", "1 of 2", "B"],
  ]);
});

test("members that did not leave have no row among those that left: only the table that is declared so may lack them", async () => {
  const members = await universe("A,1,2001-01-01,,2001-01-01\nB,1,2001-01-01,2002-01-01,2002-01-01\n");
  const store = createStore([members, await closes("2002-01-01,B,1\n")]);
  const kinds = (delistings: string | null) => universeWarnings(store, delistings).map(({ kind }) => kind);
  assert.deepEqual([kinds(null), kinds("members"), kinds("closes")], [["rowless"], ["rowless"], []]);
  const strange = createStore([members, await closes("2002-01-01,B,1\n2002-01-01,Z,1\n")]);
  assert.deepEqual(
    universeWarnings(strange, "closes").map(({ kind }) => kind),
    ["stranger"],
  );
});

test("a warning says where, how many, which first, and what to do", async () => {
  const rows = Array.from({ length: 7 }, (_, i) => `ABC${"DEFGHIJ"[i]}Q,1,1998-01-12,,1998-01-12\n`).join("");
  const [warning] = universeWarnings(createStore([await universe(rows)]));
  assert.match(
    warning?.message as string,
    /^caseset\.yaml:9: table members: 7 of 7 identifiers end in Q, .*: ABCDQ; ABCEQ; ABCFQ; ABCGQ; ABCHQ; …$/,
  );
  assert.match(warning?.hint as string, /as it was called then/);
});

test("the real universe: bankrupt members carry their later ticker, and every end stands in its row from the start", async (t) => {
  const text = shared(t, "data/sp500/sp500_ticker_start_end.csv");
  if (text === undefined) return;
  const table = await tableOf("members", text, {
    key: ["ticker", "start_date"],
    entity: "ticker",
    valid_time: { from: "start_date", to: "end_date" },
    available_time: { after: "valid_time", delay: "P0D" },
  });
  const lines = text.trim().split("\n").slice(1);
  const marked = new Set(lines.flatMap((line) => /^([A-Z]{4}Q),/.exec(line)?.[1] ?? []));
  const ended = lines.filter((line) => !line.endsWith(","));
  assertEvery(["LEHMQ", "WAMUQ", "ENRNQ"], (name) => marked.has(name));
  const warnings = universeWarnings(createStore([table]));
  assert.deepEqual(
    warnings.map(({ kind, found, of }) => [kind, found, of]),
    [
      ["later-identifier", marked.size, 1181],
      ["end-told-ahead", ended.length, ended.length],
    ],
  );
  assert.deepEqual([marked.size, ended.length, lines.length], [28, 727, 1230]);
});
