import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type EntityIndex, entityFinder } from "../../src/caseset/entity-names.ts";
import { type ForecastCase, parseForecastCase } from "../../src/caseset/forecast-case.ts";
import type { Json } from "../../src/core/canonical.ts";
import { type Digest, digestOf } from "../../src/core/digest.ts";
import { limits } from "../../src/core/limits.ts";
import type { Entry } from "../../src/run/entry.ts";
import { queryFindings } from "../../src/score/query-finding.ts";
import { caseOnDisk } from "../caseset/a-case.ts";
import { assertNone } from "../support/all.ts";

const entity = (name: string, first: string | null, ...aliases: string[]): EntityIndex[number] => ({
  name,
  aliases,
  first_available: first === null ? null : `${first}T00:00:00Z`,
});
/** The horizon is 2031-06-01. */
const index: EntityIndex = [
  entity("2032", "2032-01-01"),
  entity("Blue Boat", "2031-06-01"),
  entity("Ford", "2032-01-01"),
  entity("Harbour Line", "2029-03-05", "HL"),
  entity("Harbour Line II", "2031-06-20", "HL2", "新線"),
  entity("May", "2033-01-01"),
  entity("Night Boat", null),
  entity("Zenith", "2031-07-01"),
];
const find = entityFinder(index);

function caseOf(change: Partial<typeof caseOnDisk> = {}): ForecastCase {
  const disk = {
    ...caseOnDisk,
    id: "x-1",
    question: "Will the Harbour Line open by 2032?",
    freeze: "2031-06-01T00:00:00Z",
    resolution: { statement: "the register says opened", vintage: "first", at: "2031-07-01T00:00:00Z" },
    ...change,
  };
  return parseForecastCase(disk, "cases.jsonl:1") as ForecastCase;
}

type Call = readonly [name: string, args: Json, reply?: Json];
const nothing = { rows: [] };

/** Calls of one attempt, with an entry of another kind between them. */
function findingsOf(calls: readonly Call[], item = caseOf(), finder = find) {
  const bodies = new Map<string, Json>();
  const entries = calls.flatMap(([name, args, reply = nothing], i) => {
    const result = digestOf(JSON.stringify(reply));
    bodies.set(result, reply);
    return [
      { kind: "tool", name, args, result, step: 2 * i },
      { kind: "model", name: "m", step: 2 * i + 1 },
    ];
  });
  return queryFindings(
    item,
    entries as unknown as Entry[],
    (digest: Digest) => bodies.get(digest) as Json,
    finder,
  );
}
const search = (query: Json, reply: Json = nothing): Call => ["search", { query, k: 3 }, reply];
const row = (text: string) => ({
  ref: "notes#1",
  available_at: "2031-05-01T00:00:00Z",
  body: { id: 1, text },
});
const entities = (calls: readonly Call[], item?: ForecastCase) =>
  findingsOf(calls, item).findings.map((one) => one.entity);

describe("a finding", () => {
  it("names the call and the entity, with when it is first available", () => {
    const { findings, subtracted, unknown, queries } = findingsOf([
      search("tides"),
      search("when does HL2 open, and the Zenith?"),
    ]);
    assert.deepEqual(findings, [
      {
        step: 2,
        call: 'search {"k":3,"query":"when does HL2 open, and the Zenith?"}',
        entity: "Harbour Line II",
        first_available: "2031-06-20T00:00:00Z",
      },
      {
        step: 2,
        call: 'search {"k":3,"query":"when does HL2 open, and the Zenith?"}',
        entity: "Zenith",
        first_available: "2031-07-01T00:00:00Z",
      },
    ]);
    assert.deepEqual([subtracted, unknown, queries], [{ case: 0, served: 0 }, 0, 2]);
  });

  it("comes of a query of a search, and of each text in where of rows or an aggregate; of nothing else", () => {
    assert.deepEqual(entities([["rows", { table: "fleet", where: { name: "Zenith" } }]]), ["Zenith"]);
    assert.deepEqual(
      entities([
        ["aggregate", { table: "fleet", measure: "count", where: { name: ["Zenith", 3, null, "HL2"] } }],
      ]),
      ["Zenith", "Harbour Line II"],
    );
    assert.deepEqual(
      entities([["rows", { table: "fleet", where: "Zenith" }]]),
      ["Zenith"],
      "even where it is no filter",
    );
    const others: Call[] = [
      ["rows", { table: "Zenith", since: "Zenith", order: ["Zenith"], where: { Zenith: 1 } }],
      ["members", { table: "fleet", query: "Zenith", where: { name: "Zenith" } }],
      ["search", { query: ["Zenith"], where: { name: "Zenith" } }],
      ["rows", null],
      ["search", "Zenith"],
      ["search", {}],
    ];
    assert.deepEqual(entities(others), []);
  });

  it("is one for each entity and call", () => {
    const calls = [search("Zenith, ZENITH and the Zenith"), search("zenith")];
    assert.deepEqual(
      findingsOf(calls).findings.map(({ step, entity }) => [step, entity]),
      [
        [0, "Zenith"],
        [2, "Zenith"],
      ],
    );
    const where = { table: "fleet", where: { a: "HL2", b: "Harbour Line II" } };
    assert.equal(findingsOf([["rows", where]]).findings.length, 1);
  });

  it("stands where the call was not answered", () => {
    const fault = { fault: { class: "bad_request", message: "no table Zenith" } };
    assert.deepEqual(
      entities([search("Zenith", fault), search("Zenith again")]),
      ["Zenith", "Zenith"],
      "a fault shows nothing",
    );
  });

  it("is none for what was available at the horizon, for a year, a month, or a word within a word", () => {
    const queries = [
      "Blue Boat and Harbour Line",
      "what happens in 2032",
      "by 2032 or during 2032",
      "can they afford it",
      "Fordism",
      "It may rain in Leeds, to ford a river",
      "in May 2031",
      "3 May 2031",
      "Zeniths",
      "Harbour Lines II",
    ];
    for (const query of queries) assert.deepEqual(entities([search(query)]), [], query);
    assert.deepEqual(entities([search("Ｚｅｎｉｔｈ")]), ["Zenith"]);
    assert.deepEqual(entities([search("新線は")]), ["Harbour Line II"]);
  });
});

describe("subtracted", () => {
  it("is what the case's own text names: by another alias, within a longer name, in any case; counted once a call", () => {
    const calls = [search("HL2 opening"), search("Harbour Line II, HL2"), search("Zenith")];
    const texts: Partial<typeof caseOnDisk>[] = [
      { question: "Will Harbour Line II open?" },
      { question: "will the harbour line ii open?" },
      { question: "新線?" },
      { resolution: { ...caseOnDisk.resolution, statement: "HL2 opened", at: "2031-07-01T00:00:00Z" } },
      { resolution: { ...caseOnDisk.resolution, source: "HL2", at: "2031-07-01T00:00:00Z" } },
      { id: "HL2-2031" },
      { subject: { entity: "Harbour Line II", values: ["HL2"] } },
    ];
    for (const text of texts) {
      const { findings, subtracted } = findingsOf(calls, caseOf(text));
      assert.deepEqual([findings.map((one) => one.entity), subtracted], [["Zenith"], { case: 2, served: 0 }]);
    }
    const nested = entityFinder([
      entity("Harbour Line", "2031-07-01"),
      entity("Harbour Line II", "2031-07-01"),
    ]);
    const asked = caseOf({ question: "Will Harbour Line II open?" });
    assert.deepEqual(findingsOf([search("Harbour Line")], asked, nested).subtracted, { case: 1, served: 0 });
    const shares = entityFinder([entity("A", "2031-07-01", "Mercury"), entity("B", "2031-08-01", "Mercury")]);
    assert.deepEqual(
      findingsOf([search("Mercury")], caseOf({ question: "Does B rise?" }), shares).findings,
      [],
    );
    assert.deepEqual(
      findingsOf([search("B")], caseOf({ question: "Does Mercury rise?" }), shares).findings,
      [],
    );
  });

  it("is what an earlier reply showed in a cell, a group or a figure; not a later reply, nor the call's own", () => {
    const replies: Json[] = [
      { rows: [row("Work on HL2 has begun")] },
      { groups: [{ by: { line: "Harbour Line II" }, n: 1, value: 3 }] },
      { n: 1, value: "新線" },
      { rows: [row("The Harbour Line II Museum")], scores: [1.5] },
    ];
    for (const reply of replies) {
      const { findings, subtracted } = findingsOf([search("news", reply), search("HL2")]);
      assert.deepEqual([findings, subtracted], [[], { case: 0, served: 1 }]);
      assert.equal(findingsOf([search("HL2", reply)]).findings.length, 1);
      assert.equal(findingsOf([search("HL2"), search("news", reply)]).findings.length, 1);
      assert.equal(
        findingsOf([search("HL2", reply), search("HL2")]).findings.length,
        1,
        "the first of the two",
      );
    }
    const word = { rows: [row("It may rain in Leeds, they ford rivers")] };
    assert.deepEqual(
      entities([search("news", word), search("the May, and Ford")]),
      ["May", "Ford"],
      "words teach no name",
    );
  });

  it("counts what would have been a finding, and nothing that was known anyway", () => {
    const reply = { rows: [row("Harbour Line, Zenith, Night Boat, Blue Boat")] };
    const { findings, subtracted, unknown } = findingsOf([
      search("news", reply),
      search("Harbour Line, Zenith, Night Boat, Blue Boat"),
    ]);
    assert.deepEqual([findings, subtracted, unknown], [[], { case: 0, served: 1 }, 0]);
  });
});

describe("unknown", () => {
  const unknown = (query: string, item?: ForecastCase, before: Json = nothing) =>
    findingsOf([search("news", before), search(query)], item).unknown;

  it("counts runs of capitalised terms that are no entity's, and entities that no row names, once a call", () => {
    const rows: [query: string, count: number][] = [
      ["Pellow Water Taxi", 1],
      ["Pellow Water Taxi and Tidewater Mutual", 2],
      ["Pellow, Pellow, Pellow", 1],
      ["U.S. Open results of Marks & Spencer", 2],
      ["the Night Boat to Nowhere", 2],
      ["NIGHT BOAT", 1],
      ["pellow water taxi", 0],
      ["What is it? Will the Harbour Line open? Why?", 0],
      ["In June 2031 or on Monday, 3 July 2031", 0],
      ["Harbour Line Three", 1],
      ["Zenith", 0],
      ["", 0],
    ];
    for (const [query, count] of rows) assert.equal(unknown(query), count, query);
    assert.equal(findingsOf([search("Pellow"), search("Pellow")]).unknown, 2);
  });

  it("leaves out what stands in the case's text or in an earlier reply, as it stands there", () => {
    assert.equal(unknown("Pellow Taxi", caseOf({ question: "Will the pellow taxi sail?" })), 0);
    assert.equal(unknown("Pellow Taxi", caseOf({ question: "Will Pellow's taxi sail?" })), 1);
    assert.equal(unknown("Pellow Taxi", undefined, { rows: [row("The Pellow Taxi sails")] }), 0);
    assert.equal(unknown("Pellow Taxi", undefined, { rows: [row("Pellow")] }), 1);
    assert.equal(unknown("Night Boat", caseOf({ question: "Will the night boat sail?" })), 0);
  });

  it("counts each run by itself beyond the limit, and nothing breaks", () => {
    const word = (n: number) => `Q${String(n)}x, `;
    const many = Array.from({ length: limits.unknownRuns + 10 }, (_, n) => word(n)).join("");
    assert.equal(findingsOf([search(many)]).unknown, limits.unknownRuns + 10);
  });
});

const spoken = [
  "Harbour Line",
  "Harbour Line II",
  "HL2",
  "Zenith",
  "zenith",
  "May",
  "may",
  "Ford",
  "afford",
  "Night Boat",
  "Pellow",
  "2032",
  "in",
  "open?",
  "新線",
];
const words = fc.array(fc.constantFrom(...spoken), { maxLength: 6 }).map((some) => some.join(" "));
const calls = fc.array(
  fc
    .tuple(fc.constantFrom("search", "rows"), words, words)
    .map(
      ([name, query, text]): Call => [
        name,
        name === "search" ? { query } : { table: "fleet", where: { name: query } },
        { rows: [row(text)] },
      ],
    ),
  { maxLength: 6 },
);

describe("over any calls", () => {
  it("no finding is of an entity that the question names, nor of one that an earlier reply names", () => {
    let found = 0;
    const property = fc.property(calls, words, (made, question) => {
      const item = caseOf({ question: `Will it? ${question}` });
      const { findings } = findingsOf(made, item);
      found += findings.length;
      const asked = new Set(find(item.question, "every").map(({ name }) => name));
      if (findings.length > 0) assertNone(findings, ({ entity }) => asked.has(entity));
      for (const { step, entity } of findings) {
        const shown = made
          .slice(0, step / 2)
          .map(
            ([, , reply]) => (reply as { rows: { body: { text: string } }[] }).rows[0]?.body.text as string,
          );
        assert.ok(!shown.some((text) => find(text).some(({ name }) => name === entity)));
      }
    });
    fc.assert(property, { numRuns: 1000 });
    assert.ok(found > 300, `${found} findings`);
  });

  it("what is found and what is subtracted are the later entities of the queries, each once a call", () => {
    const property = fc.property(calls, words, (made, question) => {
      const item = caseOf({ question: `Will it? ${question}` });
      const { findings, subtracted, queries } = findingsOf(made, item);
      const later = made.map(([, args]) => {
        const { query, where } = args as { query?: string; where?: { name: string } };
        const names = find(query ?? (where as { name: string }).name);
        return new Set(
          names.filter(({ firstAvailable: at }) => at !== null && at > item.horizon).map(({ name }) => name),
        ).size;
      });
      assert.equal(
        findings.length + subtracted.case + subtracted.served,
        later.reduce((sum, n) => sum + n, 0),
      );
      assert.equal(queries, made.length);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("no call, no query, no index: nothing is found", () => {
    assert.deepEqual(findingsOf([]), {
      findings: [],
      subtracted: { case: 0, served: 0 },
      unknown: 0,
      queries: 0,
    });
    assert.deepEqual(findingsOf([search("Zenith")], caseOf(), entityFinder([])).unknown, 1);
  });
});
