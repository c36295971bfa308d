import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical } from "../../src/core/canonical.ts";
import { round12 } from "../../src/core/round.ts";
import { countVisible, postingsOf, searchIndex } from "../../src/store/search-index.ts";
import { cellOf } from "../../src/store/table.ts";
import { assertEvery } from "../support/all.ts";
import { wordsOf } from "../support/naive-search.ts";
import { honest } from "../support/naive-store.ts";
import { groupBy, versionsOf } from "../support/naive-versions.ts";
import { randomTables, tableOfRows } from "../support/random-table.ts";
import { answerOf, found, tableOf } from "./a-corpus.ts";

test("a revision's text takes the place of the one before, from its instant on; a withdrawn row is gone", () => {
  const tables = [
    tableOf([
      { id: "1", text: "harbour opens" },
      { id: "1", text: "ferry opens", available: 2 },
      { id: "1", text: null, available: 4, gone: true },
      { id: "2", text: "nothing opens" },
    ]),
  ];
  const refs = (at: number, query: string) => answerOf(tables, at, { query }).rows.map(({ ref }) => ref);
  assert.deepEqual([refs(1, "harbour"), refs(1, "ferry")], [["t#1"], []]);
  assert.deepEqual([refs(2, "harbour"), refs(2, "ferry")], [[], ["t#1"]]);
  assert.deepEqual([refs(4, "ferry"), refs(4, "opens")], [[], ["t#2"]]);
  // One document is left, and it has the term: ln(1 + 0.5/1.5) · 2.2/2.2.
  assert.deepEqual(found(tables, 4, "nothing"), [["t#2", 0.287682072452]]);
  assert.deepEqual(found(tables, 3, "nothing"), [["t#2", round12(Math.LN2)]]);
});

test("a row is found once it is both known and valid; in a forward table once it is known", () => {
  const docs = [
    { id: "1", text: "wet", valid: 3, available: 1 },
    { id: "2", text: "wet", valid: 0, available: 2 },
  ];
  const counts = (forward: boolean) => {
    // A test's table may be known before it is valid; a loaded one only where it is `forward`.
    const table = { ...tableOf(docs, { forward: true }), forward };
    return [0, 1, 2, 3].map((at) => answerOf([table], at, { query: "wet" }).rows.length);
  };
  assert.deepEqual(counts(false), [0, 0, 1, 2]);
  assert.deepEqual(counts(true), [0, 1, 2, 2]);
});

test("a version that is replaced before it is valid never counts, and its key comes back with the next", () => {
  const docs = [
    { id: "1", text: "early wet", valid: 5, available: 1 },
    { id: "1", text: "late wet", valid: 5, available: 3 },
    { id: "2", text: "wet", valid: 0, available: 0 },
  ];
  const table = { ...tableOf(docs, { forward: true }), forward: false };
  for (const at of [1, 2, 3, 4]) assert.deepEqual(found([table], at, "wet"), found([table], 0, "wet"));
  assert.deepEqual(found([table], 4, "early"), []);
  assert.deepEqual(
    found([table], 5, "wet late").map(([ref]) => ref),
    ["t#1", "t#2"],
  );
});

test("a cell that is not yet available is absent from its row's text, and a row without a term is no document", () => {
  const docs = [
    { id: "1", text: undefined, group: "north" },
    { id: "1", text: "wet", group: "north", available: 1 },
    { id: "2", text: "dry", group: "south" },
    { id: "3", text: null },
    { id: "4", text: " — " },
  ];
  const tables = [tableOf(docs, { text: ["note, #1", "group"] })];
  assert.deepEqual(found(tables, 0, "wet"), []);
  // Two documents of 1 and 2 terms; then of 2 and 2.
  const score = (l: number, mean: number) =>
    Number(((Math.log(2) * 2.2) / (1 + 1.2 * (0.25 + (0.75 * l) / mean))).toPrecision(12));
  assert.deepEqual(found(tables, 0, "north"), [["t#1", score(1, 1.5)]]);
  assert.deepEqual(found(tables, 1, "north"), [["t#1", score(2, 2)]]);
  assert.deepEqual(found(tables, 1, "wet"), [["t#1", score(2, 2)]]);
});

test("the properties look at something: texts of each kind are among the tables", () => {
  const seen = new Set<string>();
  for (const { schema, rows } of fc.sample(randomTables, { numRuns: 200, seed: 1 })) {
    const table = tableOfRows(schema, rows);
    for (const column of table.text)
      for (let version = 0; version < table.count; version++) {
        const cell = cellOf(table, version, column);
        seen.add(
          cell === undefined
            ? "hidden"
            : cell === null
              ? "absent"
              : wordsOf(cell as string).length === 0
                ? "empty"
                : "words",
        );
      }
    if (table.text.length === 0) seen.add("no text");
  }
  assertEvery(["hidden", "absent", "empty", "words", "no text"], (kind) => seen.has(kind));
});

test("documents, their terms and each term's documents at every instant are those of the naive rule", () => {
  let counted = 0;
  const property = fc.property(randomTables, ({ schema, rows }) => {
    const table = tableOfRows(schema, rows);
    const index = searchIndex(table);
    assert.equal(searchIndex(table), index);
    const all = versionsOf(table).map((version, number) => {
      const texts = table.text.map((column) => version.cells[column]);
      const words = texts.flatMap((cell) => (typeof cell === "string" ? wordsOf(cell) : []));
      return { ...version, number, words };
    });
    const keys = [...groupBy(all, ({ key }) => canonical(key)).values()];
    for (const at of new Set(
      rows.flatMap(({ available, valid }) => [available - 1, available, valid, valid - 1]),
    )) {
      const seen = keys
        .flatMap((versions) => honest(versions, at, table.forward, () => true) ?? [])
        .map((version) => all.find(({ number }) => number === (version as (typeof all)[number]).number))
        .flatMap((version) => (version === undefined || version.words.length === 0 ? [] : [version]));
      const { begun, documents, terms } = countVisible(index, at);
      assert.equal(documents, seen.length);
      assert.equal(terms, seen.flatMap(({ words }) => words).length);
      for (const term of index.numberOf.keys()) {
        const [from, to] = postingsOf(index, term, begun);
        const having = [...index.documents.subarray(from, to).keys()]
          .map((i) => ({ document: index.documents[from + i] as number, times: index.frequencies[from + i] }))
          .filter(({ document }) => (index.ends[document] as number) > at)
          .map(({ document, times }) => `${index.versionOf[document]} ${times}`);
        const naive = seen.flatMap(({ number, words }) => {
          const times = words.filter((word) => word === term).length;
          return times === 0 ? [] : [`${number} ${times}`];
        });
        assert.deepEqual(having.sort(), naive.sort());
        counted += having.length;
      }
    }
  });
  fc.assert(property, { numRuns: 200 });
  assert.ok(counted > 1000);
});
