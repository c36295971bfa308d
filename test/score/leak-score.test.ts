/** Leak scores: each document once, what has no verdict unscored, a threshold that fails its case at the call that served it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
import type { Json } from "../../src/core/canonical.ts";
import { rowDigest } from "../../src/core/row-ref.ts";
import type { ServedRow } from "../../src/model/reader.ts";
import type { Entry } from "../../src/run/entry.ts";
import { scoreLeaks, tierOf } from "../../src/score/leak-score.ts";
import { noRules } from "../support/no-rules.ts";

const row = (ref: string, text: string): ServedRow => ({
  ref,
  available_at: "2031-01-01T00:00:00Z",
  body: { text },
});
const [a, b, c] = [row("notes#1", "a"), row("notes#2", "b"), row("notes#3", "c")];
const number = row("rates#1", "no document");
const replies: Record<string, Json> = {
  first: { rows: [a, number] } as unknown as Json,
  second: { rows: [b, a, c] } as unknown as Json,
  figure: { n: 3, value: 1 },
};
const body = (digest: string) => replies[digest] as Json;
const tool = (step: number, result: string) =>
  ({ kind: "tool", name: "search", args: { query: result }, result, step }) as unknown as Entry;
const judge = (step: number, document: ServedRow, value: number | null, reason = "") =>
  ({
    kind: "judge",
    name: "floor",
    args: { document: rowDigest(document as unknown as Json), ref: document.ref },
    value,
    reason,
    step,
  }) as unknown as Entry;
const served = [tool(2, "first"), tool(3, "figure"), tool(4, "second")];
const rules = { ...noRules, documents: new Set(["notes"]), judged: true };
const item = (leakThreshold: number | null) => ({ leakThreshold }) as ForecastCase;
const score = (entries: readonly Entry[], threshold: number | null, given: Partial<typeof rules> = {}) =>
  scoreLeaks(item(threshold), entries, body, { ...rules, ...given });

describe("leak scores", () => {
  it("are of documents, each once, in the order in which they were served; other tables' rows are none", () => {
    const found = score([...served, judge(6, a, 0), judge(7, b, 2, "a hint"), judge(8, c, 1)], null);
    assert.deepEqual(
      found?.documents.map(({ ref, value, reason }) => [ref, value, reason]),
      [
        ["notes#1", 0, ""],
        ["notes#2", 2, "a hint"],
        ["notes#3", 1, ""],
      ],
    );
    assert.equal(found?.tier, 2);
    assert.deepEqual(found?.failures, []);
  });

  it("count what a judge could not score, and what the record has no verdict of, as unscored", () => {
    const found = score([...served, judge(6, a, null, "invalid_reply"), judge(7, b, 0)], 0);
    assert.deepEqual(
      found?.documents.map(({ value, reason }) => [value, reason]),
      [
        [null, "invalid_reply"],
        [0, ""],
        [null, "no verdict in the record"],
      ],
    );
    assert.equal(found?.tier, 0);
    assert.deepEqual(
      found?.failures.map(({ detail }) => detail),
      ["notes#2 scored 0, at or above the threshold 0"],
    );
  });

  it("take a document's first verdict where the record has several", () => {
    const found = score(
      [
        ...served,
        judge(6, a, 3, "first"),
        judge(7, a, 0, "again"),
        judge(8, b, null, "timeout"),
        judge(9, b, 4),
      ],
      3,
    );
    assert.deepEqual(
      found?.documents.slice(0, 2).map(({ value, reason }) => [value, reason]),
      [
        [3, "first"],
        [null, "timeout"],
      ],
    );
    assert.deepEqual(
      found?.failures.map(({ step }) => step),
      [2],
    );
  });

  it("fail the case from its threshold on, naming the call that served the document first", () => {
    const judged = [...served, judge(6, a, 3, "tells most"), judge(7, b, 0), judge(8, c, 4)];
    assert.deepEqual(score(judged, 3)?.failures, [
      {
        rule: "leak-threshold",
        step: 2,
        call: 'search {"query":"first"}',
        detail: "notes#1 scored 3, at or above the threshold 3: tells most",
      },
      {
        rule: "leak-threshold",
        step: 4,
        call: 'search {"query":"second"}',
        detail: "notes#3 scored 4, at or above the threshold 3",
      },
    ]);
    assert.equal(score(judged, 4)?.failures.length, 1);
    assert.equal(score(judged, null)?.failures.length, 0);
    assert.equal(score(judged, null, { threshold: 3 } as never)?.failures.length, 2);
    assert.equal(score(judged, 4, { threshold: 3 } as never)?.failures.length, 1);
  });

  it("are none where nothing was judged, and `no retrieval` where no document was served", () => {
    assert.equal(score(served, 0, { judged: false }), null);
    const found = score([tool(2, "figure")], 0);
    assert.deepEqual(found, { documents: [], tier: "no retrieval", failures: [] });
  });

  it("tier: the greatest score; unscored where there are documents and no score", () => {
    assert.equal(tierOf([{ value: 1 }, { value: null }, { value: 4 }]), 4);
    assert.equal(tierOf([{ value: null }]), "unscored");
    assert.equal(tierOf([]), "no retrieval");
  });
});
