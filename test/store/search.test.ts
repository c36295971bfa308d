import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { type Instant, instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import { round12 } from "../../src/core/round.ts";
import { createStore, type Reply, replyText, type Store } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import { plantTable, probePlants } from "../../src/store/plants.ts";
import type { Table } from "../../src/store/table.ts";
import { assertNone } from "../support/all.ts";
import { naiveScore, wordsOf } from "../support/naive-search.ts";
import { honest, naiveStore, ofAllTime } from "../support/naive-store.ts";
import { versionsOf } from "../support/naive-versions.ts";
import {
  momentsOf,
  queries,
  type RandomTable,
  type Row,
  randomTables,
  tableOfRows,
} from "../support/random-table.ts";
import { type Answer, answerOf, day, doorAt, found, tableOf } from "./a-corpus.ts";

const three = [
  { id: "1", text: "The harbour opens." },
  { id: "2", text: "Delayed, again delayed!" },
  { id: "3", text: "The line of our HARBOUR opens" },
];

test("three documents: the scores are those worked out by hand", () => {
  // N = 3; lengths 3, 3, 6, mean 4: k1(1 - b + b l/m) is 1.2(0.25 + 0.75 · 3/4) = 0.975, and 1.2(0.25 + 0.75 · 6/4) = 1.65.
  const tables = [tableOf(three)];
  // df = 2: ln 1.6 = 0.470003629246; · 2.2/1.975, · 2.2/2.65.
  assert.deepEqual(found(tables, 0, "harbour"), [
    ["t#1", 0.523548346502],
    ["t#3", 0.390191692204],
  ]);
  // df = 1: ln(8/3) = 0.980829253012; twice in the second: · 4.4/2.975; once in the third: · 2.2/2.65.
  assert.deepEqual(found(tables, 0, "delayed"), [["t#2", 1.45063822294]]);
  assert.deepEqual(found(tables, 0, "line"), [["t#3", 0.814273342123]]);
  // Sums: 0.523548346501579 of the first; 0.390191692204007 + 0.814273342122943 of the third.
  assert.deepEqual(found(tables, 0, "line harbour"), [
    ["t#3", 1.20446503433],
    ["t#1", 0.523548346502],
  ]);
});

test("a query is a set of terms: neither case, order, punctuation nor doubles change a byte", () => {
  const door = doorAt(createStore([tableOf(three)]), day(0));
  const text = (query: string) => replyText(door.call("search", { query }));
  const wanted = text("line harbour opens the");
  assert.match(wanted, /"t#3".*"t#1"/);
  for (const query of [
    "the OPENS Harbour line",
    "(Line) — harbour; the 'opens'…",
    "line line the harbour opens harbour",
    "the ＨＡＲＢＯＵＲ line opens and nothing else",
  ])
    assert.equal(text(query), wanted);
});

test("nothing found is two empty lists; what `k` cut is told", () => {
  const door = doorAt(createStore([tableOf(three)]), day(0));
  const text = (args: Json) => replyText(door.call("search", args));
  assert.equal(text({ query: "ferry" }), '{"rows":[],"scores":[]}');
  assert.match(
    text({ query: "harbour", k: 1 }),
    /^\{"rows":\[\{[^\]]*"t#1"\}\],"scores":\[0\.5235[0-9]*\],"total":2,"truncated":true\}$/,
  );
  assert.match(text({ query: "harbour", k: 2 }), /\],"scores":\[[^\]]*\]\}$/);
  const many = Array.from({ length: 150 }, (_, i) => ({ id: String(1000 + i), text: "same words" }));
  const ten = answerOf([tableOf(many)], 0, { query: "same" });
  assert.deepEqual([ten.rows.length, ten.total, ten.truncated], [10, 150, true]);
  assert.equal(answerOf([tableOf(many)], 0, { query: "same", k: 100 }).rows.length, 100);
});

test("equal scores stand by table, then valid time, then key", () => {
  const docs = [
    { id: "b", text: "wet day", valid: 1 },
    { id: "c", text: "wet day", valid: 0 },
    { id: "a", text: "wet day", valid: 1 },
    { id: "d", text: "wet wet", valid: 5 },
  ].map((doc) => ({ ...doc, available: 5 }));
  const tables = [tableOf(docs, { name: "u" }), tableOf(docs, { name: "Z" })];
  assert.deepEqual(
    answerOf(tables, 5, { query: "wet" }).rows.map(({ ref }) => ref),
    ["Z#d", "u#d", "Z#c", "Z#a", "Z#b", "u#c", "u#a", "u#b"],
  );
});

test("several tables are one corpus: those that are named, or all that have text", () => {
  const tables = [
    tableOf([{ id: "1", text: "wet" }], { name: "a" }),
    tableOf(
      [
        { id: "1", text: "wet" },
        { id: "2", text: "dry" },
      ],
      { name: "b" },
    ),
    tableOf([{ id: "1", text: "wet" }], { name: "silent", text: [] }),
  ];
  const refs = (args: Json) => answerOf(tables, 0, args).rows.map(({ ref }) => ref);
  assert.deepEqual(refs({ query: "wet" }), ["a#1", "b#1"]);
  assert.deepEqual(refs({ query: "wet", tables: ["b"] }), ["b#1"]);
  assert.deepEqual(refs({ query: "wet", tables: ["b", "a", "b"] }), ["a#1", "b#1"]);
  // In b alone df is 1 of 2; in both 2 of 3.
  assert.deepEqual(answerOf(tables, 0, { query: "wet", tables: ["b"] }).scores, [round12(Math.LN2)]);
  assert.deepEqual(answerOf(tables, 0, { query: "wet" }).scores, [0.470003629246, 0.470003629246]);
});

test("what cannot be searched is a fault that says why; the nearest that can is answered", () => {
  const store = createStore([tableOf(three), tableOf(three, { name: "silent", text: [] })]);
  const call = (args: unknown, tables = ["t", "silent"]): Reply =>
    store.open({ caseId: "c", horizon: day(0), tables, overlay: null, subject: "test" }).call("search", args);
  const fault = (args: unknown, tables?: string[]) => {
    const reply = call(args, tables);
    assert.ok(!reply.ok);
    assert.equal(reply.fault.class, "bad_request");
    return reply.fault.message;
  };
  const terms = (n: number) => Array.from({ length: n }, (_, i) => i.toString(36)).join(" ");
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{ query: "harbour", tables: ["no"] }, /^no table "no" in this case; it reads t, silent$/],
    [
      { query: "harbour", tables: ["t", "silent"] },
      /^table silent has no text to search; of this case t have$/,
    ],
    [{ query: "harbour", tables: [] }, /^tables: /],
    [{ query: "harbour", tables: "t" }, /^tables: /],
    [{ query: "harbour", table: "t" }, /^table: /],
    [{ query: "" }, /^query: /],
    [{ query: " —\n😀 " }, /^query: ".*" has no letter and no digit$/],
    [{ query: 7 }, /^query: /],
    [{}, /^query: /],
    [null, /^arguments: /],
    [{ query: "a".repeat(limits.queryCharacters + 1) }, /^query: .*4000/],
    [{ query: terms(limits.queryTerms + 1) }, /^query: 257 different terms, at most 256$/],
    [{ query: "harbour", k: 0 }, /^k: /],
    [{ query: "harbour", k: limits.searchRows + 1 }, /^k: .*100/],
  ];
  for (const [args, message] of wrong) assert.match(fault(args), message);
  assert.match(fault({ query: "harbour" }, ["silent"]), /^no table of this case has text to search$/);
  assert.match(fault({ query: "harbour", tables: ["t"] }, ["silent"]), /^no table of this case has text/);
  for (const args of [
    { query: "harbour", tables: ["t"] },
    { query: "a".repeat(limits.queryCharacters) },
    { query: terms(limits.queryTerms) },
    { query: "harbour", k: limits.searchRows },
    { query: "😀 x" },
  ])
    assert.ok(call(args).ok);
});

/** Two or three random tables, an instant at which something happened, and searches of them. */
const corpora = fc.array(randomTables, { minLength: 2, maxLength: 3 }).chain((made) => {
  const named = made.map(({ schema, rows }, i) => {
    const text = schema.text.length === 0 && i > 0 ? ["note, #1"] : schema.text;
    return { schema: { ...schema, name: "tuv"[i] as string, text }, rows };
  });
  return fc.record({
    tables: fc.constant<readonly RandomTable[]>(named),
    horizon: momentsOf(named[0] as RandomTable),
    calls: fc.array(
      fc.record(
        {
          query: fc
            .array(fc.constantFrom(...queries), { minLength: 1, maxLength: 4 })
            .map((all) => all.join(" ")),
          k: fc.integer({ min: 1, max: 12 }),
          tables: fc.subarray(["u", "t", "v"].slice(0, made.length), { minLength: 1 }),
        },
        { requiredKeys: ["query"] },
      ),
      { minLength: 2, maxLength: 6 },
    ),
  });
});
type Corpus = typeof corpora extends fc.Arbitrary<infer T> ? T : never;

const built = ({ tables }: Corpus) => tables.map(({ schema, rows }) => tableOfRows(schema, rows));
const early = ({ tables, horizon }: Corpus) =>
  tables.map(({ schema, rows }) =>
    tableOfRows(
      schema,
      rows.filter((row) => row.available <= horizon),
    ),
  );
const texts = (store: Store, at: Instant, { calls }: Corpus, rows: readonly PlantedRow[] | null = null) => {
  const door = doorAt(store, at, rows);
  return calls.map((args) => {
    const reply = door.call("search", args as Json);
    return reply.ok ? replyText(reply) : `fault ${reply.fault.class}`;
  });
};

test("several tables: every answer is the naive one, and that of a store without the rows after the horizon", () => {
  let rows = 0;
  const property = fc.property(corpora, (corpus) => {
    const { horizon } = corpus;
    const store = createStore(built(corpus));
    const answers = texts(store, horizon, corpus);
    assert.deepEqual(
      answers,
      texts(
        naiveStore(built(corpus), () => honest),
        horizon,
        corpus,
      ),
    );
    assert.deepEqual(answers, texts(createStore(early(corpus)), horizon, corpus));
    // What one search left behind does not reach the next.
    assert.deepEqual(answers, texts(store, horizon, corpus));
    rows += answers.filter((text) => text.startsWith('{"rows":[{')).length;
  });
  fc.assert(property, { numRuns: 400 });
  assert.ok(rows > 200);
});

test("several tables with plants, at the horizon and at the plants' instants: every answer is the naive one", () => {
  let planted = 0;
  const property = fc.property(corpora, (corpus) => {
    const tables = built(corpus);
    const plants = tables.flatMap((table) => {
      const drawn = plantTable(table, corpus.horizon, "UTC", "secret", "c");
      return drawn === null ? [] : probePlants(drawn);
    });
    for (const shift of [0, 1, 2 * MICROS_PER_DAY]) {
      const at = instant(corpus.horizon + shift);
      const naive = naiveStore(tables, () => honest);
      assert.deepEqual(texts(createStore(tables), at, corpus, plants), texts(naive, at, corpus, plants));
      const doors = [createStore(tables), naive].map((store) => doorAt(store, at, plants));
      for (const args of corpus.calls) {
        const [ours, theirs] = doors.map((door) => door.call("search", args as Json)) as [Reply, Reply];
        if (!ours.ok || !theirs.ok) continue;
        assert.deepEqual(new Set(ours.planted), new Set(theirs.planted));
        planted += ours.planted.length;
      }
    }
  });
  fc.assert(property, { numRuns: 200 });
  assert.ok(planted > 100);
});

test("scores are BM25's by its definition, over the rows of a store that ends at the horizon", () => {
  let compared = 0;
  const property = fc.property(
    randomTables,
    fc.subarray(queries, { minLength: 1, maxLength: 6 }),
    fc.boolean(),
    ({ schema, rows }, some, late) => {
      const query = some.join(" ");
      const terms = [...new Set(wordsOf(query))];
      if (schema.text.length === 0 || terms.length === 0) return;
      const at = late ? day(20) : (rows[0] as Row).available;
      const table = tableOfRows(
        schema,
        rows.filter((row) => row.available <= at),
      );
      const store = createStore([table]);
      const all = JSON.parse(replyText(doorAt(store, at).call("rows", { table: schema.name, limit: 1000 })));
      const version = versionsOf(table)[0];
      const documents = (all.rows as { ref: string; body: Record<string, string | null> }[]).map(
        ({ ref, body }) => ({
          ref,
          table,
          version: version as NonNullable<typeof version>,
          words: schema.text.flatMap((name) => wordsOf(body[name] ?? "")),
        }),
      );
      const reply = JSON.parse(replyText(doorAt(store, at).call("search", { query, k: 100 }))) as Answer;
      const wanted = documents.filter(({ words }) => terms.some((term) => words.includes(term)));
      assert.equal(reply.rows.length, wanted.length);
      reply.rows.forEach(({ ref }, i) => {
        const document = wanted.find((one) => one.ref === ref);
        assert.ok(document !== undefined);
        const score = naiveScore(document, documents, terms);
        assert.ok(Math.abs((reply.scores[i] as number) / score - 1) < 1e-11);
        assert.ok(i === 0 || (reply.scores[i] as number) <= (reply.scores[i - 1] as number));
        compared++;
      });
    },
  );
  fc.assert(property, { numRuns: 800 });
  assert.ok(compared > 150);
});

const countingAll = (tables: readonly Table[]) =>
  naiveStore(
    tables,
    () => honest,
    () => ofAllTime,
  );

test("a door that counts later documents is seen: its ranks and scores are others, and the same property finds it", () => {
  const now = [
    { id: "1", text: "storm" },
    { id: "2", text: "ferry" },
    { id: "3", text: "ferry" },
  ];
  const later = [4, 5, 6, 7].map((n) => ({ id: String(n), text: "storm", available: 1 }));
  const tables = [tableOf([...now, ...later])];
  const ask = (store: Store) =>
    JSON.parse(replyText(doorAt(store, day(0)).call("search", { query: "ferry storm" }))) as Answer;
  const [ours, broken] = [ask(createStore(tables)), ask(countingAll(tables))];
  assert.deepEqual(
    ours.rows.map(({ ref }) => ref),
    ["t#1", "t#2", "t#3"],
  );
  // To a count over all rows the storm is the common word, and the one row that has it comes last.
  assert.deepEqual(
    broken.rows.map(({ ref }) => ref),
    ["t#2", "t#3", "t#1"],
  );
  assertNone(broken.scores, (score) => ours.scores.includes(score));
  const property = fc.property(corpora, (corpus) => {
    const { horizon } = corpus;
    const whole = texts(countingAll(built(corpus)), horizon, corpus);
    assert.deepEqual(whole, texts(countingAll(early(corpus)), horizon, corpus));
  });
  const { failed, errorInstance } = fc.check(property, { numRuns: 500, endOnFailure: true });
  assert.ok(failed && errorInstance instanceof assert.AssertionError);
});
