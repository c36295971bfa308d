import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTableSpec, type TableOnDisk, type TableSpec } from "../../src/caseset/table-spec.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { quotesOfTable } from "../../src/profile/price-table.ts";
import { type Quote, quotesOf } from "../../src/profile/quotes.ts";
import { readTable } from "../../src/store/read-table.ts";
import type { Table } from "../../src/store/table.ts";
import { noted, refused, temporary, written } from "../core/refused.ts";
import { versionsOf } from "../support/naive-versions.ts";
import { randomTables, tableOfRows } from "../support/random-table.ts";

const folder = temporary();

async function tableOf(text: string, declared: Partial<TableOnDisk>): Promise<Table> {
  const disk: TableOnDisk = {
    rows: { file: "index.csv" },
    key: ["date"],
    valid_time: { column: "date", zone: "America/New_York" },
    available_time: { date: "P0D", open: "PT9H30M", close: "PT16H", note: "PT16H" },
    ...declared,
  };
  const spec = parseTableSpec("index", disk, "UTC", () => "caseset.yaml:9") as TableSpec;
  const table = await readTable(spec, written(folder, "index.csv", text), "index.csv", "0".repeat(64));
  return table as Table;
}

const brief = (quotes: Iterable<Quote>) =>
  [...quotes].map(({ entity, ref, column, available, firstAvailable, value }) => [
    entity,
    ref,
    column,
    formatInstant(available),
    ...(firstAvailable === available ? [] : [formatInstant(firstAvailable)]),
    value,
  ]);

test("each price has the available instant of its own column, by the local day; an empty cell is no price", async () => {
  const days = "date,open,close,note\n2014-03-07,100,101,a\n2014-03-10,,102,b\n";
  const table = await tableOf(days, {});
  assert.deepEqual(brief(quotesOfTable(table, ["open", "close"])), [
    ["index", "index#2014-03-07", "open", "2014-03-07T14:30:00Z", 100],
    ["index", "index#2014-03-07", "close", "2014-03-07T21:00:00Z", 101],
    ["index", "index#2014-03-10", "close", "2014-03-10T20:00:00Z", 102],
  ]);
});

const RESTATED = `date,member,open,known
2014-03-03,a,100,2014-03-03T10:00:00Z
2014-03-03,a,100,2014-03-04T10:00:00Z
2014-03-03,a,,2014-03-05T10:00:00Z
2014-03-03,a,90,2014-03-06T10:00:00Z
2014-03-03,b,7,2014-03-03T11:00:00Z
2014-03-04,b,,2014-03-04T10:00:00Z
2014-03-04,b,8,2014-03-05T10:00:00Z
`;
const versioned: Partial<TableOnDisk> = {
  key: ["date", "member"],
  valid_time: { column: "date", zone: "UTC" },
  available_time: { column: "known" },
  entity: "member",
};

test("a restatement keeps when its cell was first known; what says nothing new is no version", async () => {
  const table = await tableOf(RESTATED, versioned);
  assert.deepEqual(brief(quotesOfTable(table, ["open"])), [
    ["a", "index#2014-03-03,a", "open", "2014-03-03T10:00:00Z", 100],
    ["a", "index#2014-03-03,a", "open", "2014-03-06T10:00:00Z", "2014-03-03T10:00:00Z", 90],
    ["b", "index#2014-03-03,b", "open", "2014-03-03T11:00:00Z", 7],
    ["b", "index#2014-03-04,b", "open", "2014-03-05T10:00:00Z", 8],
  ]);
  assert.deepEqual(
    brief(quotesOfTable(table, ["open"], new Set(["b"]))).map(([entity]) => entity),
    ["b", "b"],
  );
});

test("a price that was withdrawn stands until the next; one put back as it was is no restatement", async () => {
  const withdrawn = `date,member,open,known,retracted
2014-03-03,a,100,2014-03-03T10:00:00Z,false
2014-03-03,a,55,2014-03-04T10:00:00Z,true
2014-03-03,a,100,2014-03-05T10:00:00Z,false
`;
  const quotes = brief(quotesOfTable(await tableOf(withdrawn, versioned), ["open"]));
  assert.deepEqual(quotes, [["a", "index#2014-03-03,a", "open", "2014-03-03T10:00:00Z", 100]]);
});

test("columns that are none, or not of numbers, are refused; two rows of one entity and day too", async () => {
  const table = await tableOf(RESTATED, versioned);
  const place = "caseset.yaml:9";
  assert.deepEqual(refused("ColumnUnknown", () => quotesOfTable(table, ["opne"])).details, {
    place,
    column: "opne",
    known: ["date", "member", "open", "known"],
  });
  assert.equal(
    refused("FieldInvalid", () => quotesOfTable(table, ["member"])).details.found,
    "a column of strings",
  );
  assert.deepEqual(
    noted((complain) => [...quotesOfTable(table, ["x", "known", "open"], null, place, complain)]),
    [`ColumnUnknown ${place}`, `FieldInvalid ${place}`],
  );
  const double = "date,member,desk,open,known\n2014-03-03,a,1,5,2014-03-03\n2014-03-03,a,2,5,2014-03-03\n";
  const twice = await tableOf(double, { ...versioned, key: ["date", "desk"] });
  const { place: second } = refused("PriceDuplicate", () =>
    quotesOf(quotesOfTable(twice, ["open"]), ["open"]),
  ).details;
  assert.equal(second, "index#2014-03-03,2");
  const zero = await tableOf("date,member,open,known\n2014-03-03,a,0,2014-03-03\n", versioned);
  refused("PriceInvalid", () => quotesOf(quotesOfTable(zero, ["open"]), ["open"]));
});

test("a price that is none is refused with its line, entity, column and value, though the rows are sorted", async () => {
  const rows = ["2014-03-11,100,101,a", "2014-03-10,99,100,b", "2014-03-07,98,-3,c", "2014-03-06,,97,d"];
  const table = await tableOf(`date,open,close,note\n${rows.join("\n")}\n`, {});
  const quotes = (all: Table) => quotesOf(quotesOfTable(all, ["open", "close"]), ["open", "close"]);
  const { details } = refused("PriceInvalid", () => quotes(table));
  assert.deepEqual(details, { place: "index.csv:4", entity: "index", column: "close", found: "-3" });
  const mended = await tableOf(`date,open,close,note\n${rows.join("\n").replace("-3", "3")}\n`, {});
  assert.equal(quotes(mended).series.get("index")?.refs.length, 7);
});

test("columns are in the order of a day, as the table says when each is known; else the profile's line is named", async () => {
  const table = await tableOf("date,open,close,note\n2014-03-07,100,101,a\n", {});
  const placeOf = (pointer: string) => `p.yaml${pointer}`;
  const turned = refused("FieldInvalid", () => quotesOfTable(table, ["close", "open"], null, placeOf));
  assert.equal(turned.details.place, "p.yaml/execution/prices/columns");
  assert.match(
    turned.message,
    /execution\.prices\.columns: close, open, expected .*open \(PT9H30M\), close \(PT16H\), as available_time/,
  );
  assert.equal([...quotesOfTable(table, ["open", "close"], null, placeOf)].length, 2);
  assert.equal([...quotesOfTable(table, ["close"], null, placeOf)].length, 1);
  const other = { available_time: { after: "valid_time", delay: "P1D" } } as const;
  const whole = await tableOf("date,open,close,note\n2014-03-07,100,101,a\n", other);
  assert.equal([...quotesOfTable(whole, ["close", "open"], null, placeOf)].length, 2, "it does not say");
  const unknown = refused("ColumnUnknown", () => quotesOfTable(table, ["open", "shut"], null, placeOf));
  assert.match(
    unknown.message,
    /p\.yaml\/execution\/prices\/columns\/1: execution\.prices\.columns\.1: column shut/,
  );
});

test("of any table: a cell is known as its last quote by an instant says, and no quote is of a cell unseen", () => {
  let seen = 0;
  const property = fc.property(randomTables, ({ schema, rows }) => {
    const column = "x";
    const raised = rows.map(({ cells, ...row }) => {
      const x = cells[column];
      return {
        ...row,
        cells: typeof x === "number" ? { ...cells, [column]: 2 + x / (1 + Math.abs(x)) } : cells,
      };
    });
    const table = tableOfRows(schema, raised); // prices are above 0
    if (!table.columnIndex.has(column)) return;
    const quotes = [...quotesOfTable(table, [column])];
    seen += quotes.length;
    for (const version of versionsOf(table)) {
      const value = version.cells[table.columnIndex.get(column) as number];
      if (version.retracted || typeof value !== "number") continue;
      const entity = table.entity === null ? table.name : String(version.cells[table.entity] ?? "");
      if (entity === "") continue;
      const mine = quotes.filter(
        (q) => q.ref === version.ref && q.entity === entity && q.available <= version.available,
      );
      assert.equal(mine.at(-1)?.value, value);
      assert.equal(mine.at(-1)?.valid, version.valid);
    }
    for (const q of quotes) assert.ok(q.firstAvailable <= q.available);
  });
  fc.assert(property, { numRuns: 300 });
  assert.ok(seen > 100, `${seen} quotes were looked at`);
});
