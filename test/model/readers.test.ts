import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTableSpec, type TableOnDisk, type TableSpec } from "../../src/caseset/table-spec.ts";
import {
  dateOfDay,
  formatDay,
  formatInstant,
  type Instant,
  parseDay,
  parseInstant,
} from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import { firstInstant, localDay } from "../../src/core/local-time.ts";
import { type BuiltInOptions, builtInReader, familyOf as familyNameOf } from "../../src/model/built-in.ts";
import type { ModelCheckpoint } from "../../src/model/family.ts";
import type { AskedCase, Attempt, ServedRow, ToolAnswer, Tools } from "../../src/model/reader.ts";
import { windows } from "../../src/model/readers/climatology.ts";
import { refused } from "../core/refused.ts";
import { familyOf, row } from "./a-family.ts";

const ZONE = "America/Los_Angeles";
const disk: TableOnDisk = {
  rows: { file: "w.csv" },
  key: ["date"],
  valid_time: { column: "date" },
  available_time: { after: "valid_time", delay: "P1D" },
  columns: { date: "string", rain: "number", sky: "string" },
};
const spec = parseTableSpec("weather", disk, ZONE, (pointer) => `c.yaml${pointer}`) as TableSpec;
const climatologyReads = { climatology: { table: "weather", event: "rain > 0" } };
const options = (
  change: Partial<BuiltInOptions> = {},
  readers: object = { ...climatologyReads, persistence: climatologyReads.climatology },
): BuiltInOptions => ({
  context: {
    zone: ZONE,
    tables: new Map([
      [
        "weather",
        { zone: ZONE, forward: false, valid_column: "date", columns: Object.fromEntries(spec.columns) },
      ],
    ]),
    readers: readers as never,
    placeOf: (pointer) => `c.yaml${pointer}`,
  },
  params: {},
  temperature: 0,
  memories: new Map(),
  ...change,
});
const asked = (day: string, id = "a"): AskedCase => ({
  id,
  repeat: 0,
  kind: "forecast",
  question: "?",
  horizon: formatInstant(firstInstant(ZONE, parseDay(day) as number)),
  asked_day: day,
  tables: { weather: { date: "string", precipitation: "number" } },
  answer: "probability",
});

type Day = { readonly day: number; readonly rain: number | null };

/** A `rows` tool over days in order, made by hand: spans, offset, a page's limit, and a list of the calls made. */
function toolsOver(
  days: readonly Day[],
  page: number = limits.replyRows,
): Tools & { calls: Record<string, unknown>[] } {
  const calls: Record<string, unknown>[] = [];
  return {
    calls,
    async call(tool, args): Promise<ToolAnswer> {
      assert.equal(tool, "rows");
      const {
        since,
        until,
        offset = 0,
        limit = 100,
      } = args as { since?: string; until?: string; offset?: number; limit?: number };
      calls.push(args as Record<string, unknown>);
      const bound = (text: string | undefined, absent: number) =>
        text === undefined ? absent : (parseInstant(text, "test", "bound") as number);
      const [from, to] = [bound(since, Number.NEGATIVE_INFINITY), bound(until, Number.POSITIVE_INFINITY)];
      const visible = days.filter(({ day }) => {
        const at = firstInstant(ZONE, day);
        return at >= from && at <= to;
      });
      const cut = visible.slice(offset, offset + Math.min(limit, page));
      const rows: ServedRow[] = cut.map(({ day, rain }) => ({
        ref: `weather#${formatDay(day)}`,
        available_at: "2000-01-01T00:00:00Z",
        body: { date: formatDay(day), rain, sky: "x" },
      }));
      const more = offset + cut.length < visible.length;
      return { ok: true, rows, ...(more ? { total: visible.length, truncated: true as const } : {}) };
    },
  };
}

async function answerOf(
  name: string,
  day: string,
  tools: Tools | null,
  change: Partial<BuiltInOptions> = {},
): Promise<Attempt> {
  const reader = builtInReader(name, options(change)).open(null);
  return reader.answer(asked(day), tools, new AbortController().signal);
}
async function probability(...args: Parameters<typeof answerOf>): Promise<number> {
  const attempt = await answerOf(...args);
  assert.equal(attempt.kind, "answer");
  return (attempt as { probability: number }).probability;
}

const dayOfYear = (day: number) =>
  day - (parseDay(`${String(dateOfDay(day).year).padStart(4, "0")}-01-01`) as number) + 1;
const isNear = (a: number, b: number) => {
  const apart = Math.abs(dayOfYear(a) - dayOfYear(b));
  return apart <= 15 || 366 - apart <= 15;
};

/** The definition, read off the contract: every visible row, one after the other. */
function climatologyByHand(days: readonly Day[], askedDay: number): number {
  const near = days.filter(({ day, rain }) => rain !== null && isNear(day, askedDay));
  return (1 + near.filter(({ rain }) => (rain as number) > 0).length) / (2 + near.length);
}

const start = parseDay("2009-06-15") as number;
const rain = fc.constantFrom(0, 0, 1, 2.5, null);
const someDays = (length: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 700 }),
      fc.array(fc.record({ rain, kept: fc.integer({ min: 0, max: 9 }) }), {
        minLength: 0,
        maxLength: length,
      }),
    )
    .map(([from, rows]) =>
      rows.flatMap(({ rain, kept }, i): Day[] => (kept === 0 ? [] : [{ day: start + from + i, rain }])),
    );

test("climatology: equals the definition over every row, around the year's end, in leap years, with gaps", async () => {
  const ends = [
    "2012-01-01",
    "2011-12-31",
    "2012-12-31",
    "2012-02-29",
    "2013-03-01",
    "2012-01-15",
    "2012-12-16",
  ];
  const day = fc.oneof(
    fc.constantFrom(...ends).map((text) => parseDay(text) as number),
    fc.integer({ min: start, max: start + 2000 }),
  );
  await fc.assert(
    fc.asyncProperty(someDays(1200), day, async (days, askedDay) => {
      const visible = days.filter(({ day }) => day < askedDay);
      const found = await probability("climatology", formatDay(askedDay), toolsOver(visible));
      assert.equal(found, climatologyByHand(visible, askedDay));
    }),
    { numRuns: 60 },
  );
});

test("climatology: the windows are exactly the days within 15 days of the year, as runs", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: start + 1500 }),
      fc.integer({ min: 0, max: 1500 }),
      (first, length) => {
        const last = first + length;
        const runs = windows(first, last, last);
        const inside = new Set(
          runs.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
        );
        for (let day = first; day <= last; day++)
          assert.equal(inside.has(day), isNear(day, last), formatDay(day));
        for (let i = 1; i < runs.length; i++)
          assert.ok((runs[i - 1]?.[1] as number) + 1 < (runs[i]?.[0] as number));
      },
    ),
    { numRuns: 50 },
  );
  const end = parseDay("2012-01-05") as number;
  const around = windows(parseDay("2011-12-01") as number, end, end);
  assert.deepEqual(
    around.map((run) => run.map(formatDay)),
    [["2011-12-22", "2012-01-05"]],
    "366 − 356 + 5 = 15",
  );
});

test("climatology: no visible row is one half, and one call", async () => {
  const tools = toolsOver([]);
  assert.equal(await probability("climatology", "2012-01-01", tools), 0.5);
  assert.equal(tools.calls.length, 1);
});

test("climatology, persistence: page past the limit, never truncate", async () => {
  const days = Array.from({ length: 800 }, (_, i): Day => ({ day: start + i, rain: i % 3 === 0 ? 1 : 0 }));
  const end = formatDay(start + 800);
  for (const name of ["climatology", "persistence"]) {
    const whole = await probability(name, end, toolsOver(days));
    const tools = toolsOver(days, 7);
    assert.equal(await probability(name, end, tools), whole);
    assert.ok(tools.calls.some(({ offset }) => offset === 7));
    assert.ok(tools.calls.length > 8);
  }
});

/** The definition, read off the contract: pairs one calendar day apart, rows without a cell passed over. */
function persistenceByHand(days: readonly Day[]): number {
  const known = days
    .filter(({ rain }) => rain !== null)
    .map(({ day, rain }) => ({ day, wet: (rain as number) > 0 }));
  const last = known.at(-1);
  if (last === undefined) return 0.5;
  let [pairs, wet] = [0, 0];
  for (const a of known)
    for (const b of known)
      if (b.day === a.day + 1 && a.wet === last.wet) {
        pairs++;
        if (b.wet) wet++;
      }
  return (1 + wet) / (2 + pairs);
}

test("persistence: equals the definition over all pairs of days", async () => {
  await fc.assert(
    fc.asyncProperty(someDays(60), async (days) => {
      assert.equal(await probability("persistence", "2015-01-01", toolsOver(days)), persistenceByHand(days));
    }),
  );
  assert.equal(await probability("persistence", "2015-01-01", toolsOver([])), 0.5);
  const one = [{ day: start, rain: 1 }];
  assert.equal(await probability("persistence", "2015-01-01", toolsOver(one)), 0.5);
});

test("always:<p> and question-only: the same answer to everything, no call made", async () => {
  for (const [name, p] of [
    ["always:0.3", 0.3],
    ["always:0", 0],
    ["always:1", 1],
    ["always:.5", 0.5],
    ["always:1.0", 1],
    ["question-only", 0.5],
  ] as const) {
    const tools = toolsOver([]);
    assert.equal(await probability(name, "2012-01-01", tools), p);
    assert.equal(tools.calls.length, 0);
    assert.equal(builtInReader(name, options()).identity(null).uses_tools, false);
  }
  for (const name of [
    "always:",
    "always:1.1",
    "always:-0",
    "always:1e-3",
    "always:NaN",
    "always:0,5",
    "always:2",
  ])
    assert.equal(refused("ReaderUnknown", () => builtInReader(name, options())).details.found, name);
});

test("recall: what is remembered is answered with no call; else climatology answers", async () => {
  const checkpoint = familyOf([
    row("m-2013", "2013-12:documented", { pretrain: "2013-06..2013-08:estimated" }),
  ]).checkpoints[0] as ModelCheckpoint;
  const memories = new Map([
    [
      "m-2013",
      new Map<string, 0 | 1>([
        ["known-0", 0],
        ["known-1", 1],
      ]),
    ],
  ]);
  const source = builtInReader("recall:elders", options({ memories }));
  const days = Array.from({ length: 40 }, (_, i): Day => ({ day: start + i, rain: i % 2 }));
  const ask = async (id: string) => {
    const tools = toolsOver(days);
    const attempt = await source
      .open(checkpoint)
      .answer(asked(formatDay(start + 40), id), tools, new AbortController().signal);
    return [(attempt as { probability: number }).probability, tools.calls.length > 0];
  };
  assert.deepEqual(await ask("known-0"), [0, false]);
  assert.deepEqual(await ask("known-1"), [1, false]);
  assert.deepEqual(await ask("unknown"), [climatologyByHand(days, start + 40), true]);
  const { snapshot, pretrain_cutoff, posttrain_cutoff } = source.identity(checkpoint);
  assert.deepEqual(
    [snapshot, pretrain_cutoff, posttrain_cutoff],
    ["m-2013", "2013-06..2013-08:estimated", "2013-12:documented"],
  );
  assert.equal(source.family, "elders");
  assert.deepEqual([familyNameOf("recall:elders"), familyNameOf("climatology")], ["elders", null]);
});

test("a tool's fault, or no tools, is a fault of the attempt: never one half", async () => {
  const broken: Tools = {
    call: async () => ({ ok: false, fault: { class: "bad_request", message: "no such column" } }),
  };
  for (const name of ["climatology", "persistence"]) {
    const attempt = await answerOf(name, "2012-01-01", broken);
    assert.deepEqual(attempt, {
      kind: "fault",
      class: "bad_request",
      message: "no such column",
      usage: null,
    });
    assert.equal((await answerOf(name, "2012-01-01", null)).kind, "fault");
  }
  const bug: Tools = { call: async () => assert.fail("a bug") };
  await assert.rejects(answerOf("climatology", "2012-01-01", bug), /a bug/);
});

test("builtInReader: an unknown name, a parameter it does not take, a declaration that lacks or misnames something", () => {
  const unknown = refused("ReaderUnknown", () =>
    builtInReader("climate", options({ params: { x: "1" } })),
  ).details;
  assert.deepEqual([unknown.place, unknown.found], ["--reader", "climate"]);
  assert.equal(
    refused("ArgumentInvalid", () => builtInReader("climatology", options({ params: { x: "1" } }))).details
      .place,
    "--param",
  );
  refused("ArgumentInvalid", () => builtInReader("question-only", options({ params: { table: "weather" } })));
  const climate =
    (readers: object, params = {}) =>
    () =>
      builtInReader("climatology", options({ params }, readers));
  const missing = refused("KeyMissing", climate({ climatology: { table: "weather" } })).details;
  assert.deepEqual(missing, {
    place: "c.yaml/readers/climatology",
    key: "readers.climatology.event",
    present: ["table"],
  });
  refused("KeyMissing", climate({}));
  const table = refused(
    "TableUnknown",
    climate({ climatology: { table: "wether", event: "rain > 0" } }),
  ).details;
  assert.deepEqual([table.found, table.known], ["wether", ["weather"]]);
  assert.equal(
    refused("ColumnUnknown", climate(climatologyReads, { event: "snow > 0" })).details.column,
    "snow",
  );
  refused("FieldInvalid", climate(climatologyReads, { event: "rain" }));
  const typed = refused("FieldInvalid", climate(climatologyReads, { event: "sky = 3" })).details;
  assert.equal(typed.expected, "a string, as column sky is");
  refused("FieldInvalid", climate(climatologyReads, { event: "rain = wet" }));
  climate(climatologyReads, { event: 'sky = "3"' })();
  assert.deepEqual(
    builtInReader("climatology", options({ params: { event: "rain > 1" } })).identity(null).params,
    { event: "rain > 1" },
  );
});

test("climatology: the local day of a row whose valid time is an instant is that of the zone", () => {
  const at = parseInstant("2014-06-01T06:59:59Z", "t", "t") as Instant;
  assert.equal(formatDay(localDay(ZONE, at)), "2014-05-31");
});

test("persistence: of several rows a day all pairs count, each row of a day with each of the next", async () => {
  const wet = (day: string, n: number, rain: number): ServedRow => ({
    ref: `weather#${day},${n}`,
    available_at: "2012-02-01T00:00:00Z",
    body: { date: day, rain, sky: null },
  });
  const rows = [
    wet("2012-01-01", 1, 1),
    wet("2012-01-01", 2, 0),
    wet("2012-01-02", 1, 1),
    wet("2012-01-02", 2, 0),
    wet("2012-01-02", 3, 1),
  ];
  const tools: Tools = { call: async () => ({ ok: true, rows }) };
  // The last state is wet: one wet row on the first day, three on the next, two of them wet.
  assert.equal(await probability("persistence", "2012-01-03", tools), (1 + 2) / (2 + 3));
});
