/** What a judge is told: each document once, and of the case's subject no more than was available at the horizon. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { formatInstant } from "../../src/core/instant.ts";
import type { Judge } from "../../src/model/judge.ts";
import type { Entry } from "../../src/run/entry.ts";
import { leakJudging } from "../../src/run/leak-items.ts";
import { replyText } from "../../src/store/door.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { northgate } from "../support/northgate.ts";

const set = loadCaseSet(northgate, "casesets/northgate-ferries") as CaseSet;
const folders = { folder: northgate, workingFolder: northgate, ownFolder: northgate };
const store = await loadStore(set, { ...folders, cache: null, fetch: null });
const { items } = leakJudging({} as Judge, store);

/** The items of a case that was served what a search for its question finds, twice. */
const asked = set.cases.map((item) => {
  const door = store.open({ ...item, caseId: item.id, tables: item.reads, overlay: null, subject: "test" });
  const text = replyText(door.call("search", { query: item.question, k: 5 }));
  const result = digestOf(text);
  const call = (step: number) =>
    ({ kind: "tool", name: "search", args: {}, result, step }) as unknown as Entry;
  return { item, found: items(item, [call(2), call(3)], () => JSON.parse(text) as Json) };
});

describe("what a judge of leaks is told", () => {
  it("every document that was served, once", () => {
    assertEvery(asked, ({ found }) => found.length > 0 && found.length <= 5);
    assertEvery(
      asked,
      ({ found }) => new Set(found.map(({ document }) => document.ref)).size === found.length,
    );
  });

  it("of the subject no row from after the horizon, though there are some; and no label", () => {
    const later = set.cases.filter(({ subject, horizon }) => {
      const all = store.open({
        caseId: "all",
        horizon: (horizon + 3000 * 86_400_000_000) as typeof horizon,
        tables: ["routes"],
        overlay: null,
        subject: "test",
      });
      const rows = JSON.parse(
        replyText(all.call("rows", { table: "routes", where: { route: subject?.entity as string } })),
      ) as { rows: { available_at: string }[] };
      return rows.rows.some((row) => row.available_at > formatInstant(horizon));
    });
    assert.ok(later.length > set.cases.length / 2, "what must not be told is there");
    const told = asked.flatMap(({ item, found }) =>
      found.map(({ reference_answer: text }) => ({ text, horizon: formatInstant(item.horizon) })),
    );
    const known = told.flatMap(({ text, horizon }) =>
      [...text.matchAll(/known (\d{4}-\d\d-\d\dT[\d:.]+Z)/g)].map(
        ([, at]) => [at as string, horizon] as const,
      ),
    );
    assertEvery(known, ([at, horizon]) => at <= horizon);
    assertNone(told, ({ text }) => /outcome|resolved/.test(text));
  });
});
