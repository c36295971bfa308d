/** A hundred thousand hostile calls through the reader's own tool host: answers or faults, and nothing of later. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { isCanonical, type Json } from "../../src/core/canonical.ts";
import {
  formatInstant,
  type Instant,
  instant,
  MICROS_PER_DAY,
  parseInstant,
} from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Tools } from "../../src/model/reader.ts";
import { entryLine } from "../../src/run/entry.ts";
import { hostTools, type Said, type ToolCall } from "../../src/run/tool-host.ts";
import { createStore, type OpenRequest, type Store } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import { plantTable, readerPlants } from "../../src/store/plants.ts";
import type { Table } from "../../src/store/table.ts";
import { toolSchemas } from "../../src/store/tools.ts";
import { assertEvery } from "../support/all.ts";
import { momentsOf, type RandomTable, randomTables, tableOfRows } from "../support/random-table.ts";
import { type HostileCall, likelyCalls, rawCalls, type Truth, truthOf } from "./hostile-calls.ts";

type ToolReply = Awaited<ReturnType<Tools["call"]>>;

const CALLS = 250;
/** Runs of `CALLS` calls: of each half fifty thousand. */
const RUNS = 200;
/** In the store, and not in the case. */
const UNDECLARED = "undeclared";

type Assault = {
  readonly table: RandomTable;
  readonly horizon: Instant;
  readonly calls: readonly HostileCall[];
};

const assaults = (callsOf: (truth: Truth) => fc.Arbitrary<HostileCall>): fc.Arbitrary<Assault> =>
  randomTables.chain((table) =>
    momentsOf(table).chain((horizon) =>
      fc.record({
        table: fc.constant(table),
        horizon: fc.constant(horizon),
        calls: fc.array(callsOf(truthOf(table, horizon, [UNDECLARED])), {
          minLength: CALLS,
          maxLength: CALLS,
        }),
      }),
    ),
  );

/** What came of one call: what the reader was told, what stands in the record, what was wrong with it. */
type Outcome = {
  readonly reply: ToolReply | null;
  readonly record: ToolCall;
  readonly said: Said;
  readonly wrong: readonly string[];
};

type Host = (
  call: HostileCall,
) => Promise<{ reply: ToolReply | null; thrown: string | null; record: ToolCall }>;

/** The reader's tools over a store; opened anew after a violation, which would answer all that follows. */
function hostOver(store: Store, name: string, horizon: Instant, plants: readonly PlantedRow[]): Host {
  const overlay = { view: "reader" as const, rows: plants };
  const request: OpenRequest = { caseId: "c", horizon, tables: [name], overlay, subject: "test" };
  let record: ToolCall | null = null;
  const open = () =>
    hostTools({
      door: store.open(request),
      bare: store.open({ ...request, overlay: null }),
      at: (at) => store.open({ ...request, horizon: at }),
      horizon,
      plants,
      elapsed: () => 0,
      record: (call) => {
        record = call;
      },
    }).tools;
  let tools = open();
  return async ({ tool, args }) => {
    record = null;
    let reply: ToolReply | null = null;
    let thrown: string | null = null;
    try {
      reply = await tools.call(tool as string, args as Json);
    } catch (error) {
      thrown = (error as Error).name;
      tools = open();
    }
    assert.ok(record !== null, `no record; ${thrown}`);
    return { reply, thrown, record };
  };
}

/** Every call of an assault on a store that `make` makes, against a store that holds no row of later. */
async function assault(make: (tables: readonly Table[]) => Store, { table, horizon, calls }: Assault) {
  const whole = tableOfRows(table.schema, table.rows);
  const early = table.rows.filter((row) => row.available <= horizon);
  const other = tableOfRows({ ...table.schema, name: UNDECLARED }, table.rows);
  const plants = plantTable(whole, horizon, "UTC", "secret", "c");
  const attacked = hostOver(
    make([whole, other]),
    table.schema.name,
    horizon,
    plants === null ? [] : readerPlants(plants),
  );
  const reference = hostOver(createStore([tableOfRows(table.schema, early)]), table.schema.name, horizon, []);
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    const { reply, thrown, record } = await attacked(call);
    const expected = (await reference(call)).record.text;
    const said = JSON.parse(record.text) as Said;
    const wrong = thrown === null ? wrongInReply(reply, said) : [`threw ${thrown}`];
    if (record.text !== expected) wrong.push("not the answer of a store that ends at the horizon");
    wrong.push(...wrongInRecord(record, said, horizon));
    outcomes.push({ reply, record, said, wrong });
  }
  return { outcomes, planted: plants !== null };
}

function wrongInReply(reply: ToolReply | null, said: Said): string[] {
  if (reply === null || typeof reply.ok !== "boolean") return ["no reply"];
  if (reply.ok) return said.fault === undefined ? [] : ["a fault is told as an answer"];
  const { class: kind, message } = reply.fault;
  return kind === "bad_request" && message.isWellFormed() ? [] : [`a fault of class ${kind}`];
}

function wrongInRecord(record: ToolCall, said: Said, horizon: Instant): string[] {
  const { text, name, args, result, unplanted, inReach, planted } = record;
  const wrong: string[] = [];
  const later = (said.rows ?? []).filter(
    (row) => (parseInstant(row.available_at, "row", "available_at") as Instant) > horizon,
  );
  if (later.length > 0) wrong.push("rows after the horizon");
  if (planted > 0) wrong.push("made from plants");
  if (result !== unplanted) wrong.push("changes with the plants");
  const bytes = Buffer.byteLength(text);
  const at = formatInstant(horizon);
  const line = entryLine(
    { kind: "tool", name, args, result, bytes, ms: 0, unplanted, in_reach: inReach, usage: null },
    { case: "c".repeat(limits.nameCharacters), horizon: at, as_of: at, view: result },
    {
      v: "blindcast.entry/1",
      run: "r",
      seq: 0,
      at,
      arm: "a",
      repeat: 0,
      attempt: 1,
      step: 0,
      prev: "0".repeat(64),
    },
  );
  if (Buffer.byteLength(line) > limits.entryBytes) wrong.push("an entry that is too large");
  if (!isCanonical(line, JSON.parse(line) as Json)) wrong.push("an entry that is not canonical");
  return wrong;
}

const shown = (call: HostileCall | undefined) => inspect(call, { depth: 8 }).slice(0, 2_000);

/** Checks `RUNS` assaults with a seed that is told, and looks at each outcome. */
async function withstands(
  t: TestContext,
  callsOf: (truth: Truth) => fc.Arbitrary<HostileCall>,
  see: (outcome: Outcome) => void,
): Promise<{ readonly planted: number; readonly horizons: number }> {
  let calls = 0;
  let planted = 0;
  const horizons = new Set<number>();
  const property = fc.asyncProperty(assaults(callsOf), async (one) => {
    const done = await assault(createStore, one);
    planted += Number(done.planted);
    horizons.add(one.horizon);
    for (const [i, outcome] of done.outcomes.entries()) {
      if (outcome.wrong.length > 0) assert.fail(`${outcome.wrong.join(", ")}: ${shown(one.calls[i])}`);
      see(outcome);
      calls++;
    }
  });
  const details = await fc.check(property, { numRuns: RUNS, endOnFailure: true });
  t.diagnostic(
    `seed ${details.seed}, ${calls} calls at ${horizons.size} horizons, ${planted} runs with plants`,
  );
  if (details.failed) assert.fail(String((details.errorInstance as Error | null)?.stack ?? "interrupted"));
  assert.equal(calls, RUNS * CALLS);
  return { planted, horizons: horizons.size };
}

test("50,000 calls near the tools' schemas: each is answered as if nothing later were there, or with a fault", async (t) => {
  const seen = new Map<string, number>();
  const { planted, horizons } = await withstands(t, likelyCalls, ({ reply, record, said }) => {
    const count = (what: string, is: boolean) => is && seen.set(what, (seen.get(what) ?? 0) + 1);
    count(`${record.name} answered`, reply?.ok === true);
    count(`${record.name} refused`, reply?.ok === false);
    count("rows", (said.rows?.length ?? 0) > 0);
    count("ranked", record.text.includes(',"scores":[') && (said.rows?.length ?? 0) > 0);
    count("ranked in reach of a plant", record.name === "search" && record.inReach);
    count("cut", record.text.endsWith(',"truncated":true}'));
    count("in reach of a plant", record.inReach);
  });
  t.diagnostic([...seen].map(([what, count]) => `${what} ${count}`).join(", "));
  const wanted = toolSchemas.flatMap(({ name }) => [`${name} answered`, `${name} refused`]);
  assertEvery([...wanted, "rows", "in reach of a plant"], (what) => (seen.get(what) ?? 0) >= 1_000);
  assertEvery(["ranked", "ranked in reach of a plant"], (what) => (seen.get(what) ?? 0) >= 200);
  assert.ok((seen.get("cut") ?? 0) >= 50);
  assert.ok(planted > RUNS / 2 && horizons > RUNS / 4);
});

test("50,000 calls of any JSON, and of what is none: each is answered as if nothing later were there, or with a fault", async (t) => {
  const faults = new Set<string>();
  let answered = 0;
  await withstands(t, rawCalls, ({ reply }) => {
    if (reply?.ok === false) faults.add(reply.fault.message.replace(/[^a-z ].*/su, ""));
    else answered++;
  });
  t.diagnostic(`${answered} answered; faults: ${[...faults].join(" | ")}`);
  const wanted = [
    "no tool ",
    "no table ",
    "table ",
    "where",
    "since",
    "query",
    "arguments of ",
    "arguments are not plain ",
  ];
  assertEvery(wanted, (start) => [...faults].some((fault) => fault.startsWith(start)));
  assert.ok(answered >= 1_000);
});

/** A store whose doors look past the horizon. */
const openedLater =
  (shift: number) =>
  (tables: readonly Table[]): Store => {
    const store = createStore(tables);
    const open: Store["open"] = (request) =>
      store.open({ ...request, horizon: instant(request.horizon + shift) });
    return { ...store, open };
  };

for (const [name, shift] of [
  ["without a bound", 10_000 * MICROS_PER_DAY],
  ["a day late", MICROS_PER_DAY],
  ["a microsecond late", 1],
] as const) {
  test(`the same calls meet rows after the horizon, and it is seen, where a door is opened ${name}`, async () => {
    const seen = new Map<string, number>();
    for (const one of fc.sample(assaults(likelyCalls), { numRuns: 30, seed: 1 })) {
      for (const { wrong } of (await assault(openedLater(shift), one)).outcomes)
        for (const what of wrong) seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    assertEvery(
      [
        "threw BoundViolation",
        "rows after the horizon",
        "made from plants",
        "changes with the plants",
        "not the answer of a store that ends at the horizon",
      ],
      (what) => (seen.get(what) ?? 0) >= 20,
    );
  });
}
