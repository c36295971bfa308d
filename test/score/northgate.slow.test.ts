/** The floor judge and the findings of queries against a key that was made by hand: every document that every case can read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BoundedCase } from "../../src/caseset/bounded-case.ts";
import { entityFinder } from "../../src/caseset/entity-names.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { floorVerdict } from "../../src/model/floor-judge.ts";
import type { Entry } from "../../src/run/entry.ts";
import { queryFindings } from "../../src/score/query-finding.ts";
import { replyText } from "../../src/store/door.ts";
import { entityIndex } from "../../src/store/entity-index.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  cases,
  findingDisagreements,
  findsOf,
  key,
  keyed,
  northgate,
  notes,
  outcomes,
  ratesText,
  readableBy,
  type Scored,
  scripted,
} from "../support/northgate.ts";

const set = loadCaseSet(northgate, "casesets/northgate-ferries") as CaseSet;
const nowhere = {
  folder: northgate,
  workingFolder: northgate,
  ownFolder: northgate,
  cache: null,
  fetch: null,
};
const store = await loadStore(set, nowhere);
const index = entityIndex(store, set.entities);

function scoreAll(): Scored[] {
  const names = entityFinder(index);
  return set.cases.flatMap((item) => {
    const horizon = formatInstant(item.horizon);
    return readableBy({ freeze: horizon }).map((note) => {
      const document = { ref: `notes#${note.id}`, available_at: note.published, body: note };
      const { question, subject } = item;
      const asked = {
        dimension: "leak",
        document,
        question,
        subject,
        reference_answer: "",
        horizon,
      } as const;
      const verdict = floorVerdict(asked, { names, zone: set.zone });
      assert.ok(verdict.scored);
      return { case: item.id, document: note.id, score: verdict.value };
    });
  });
}

describe("the key of the documents", () => {
  it("has pages of each tier, and pages that a rule takes for what they are not", () => {
    assert.ok(cases.length >= 40);
    const titles = new Set(notes.map(({ title }) => title));
    assert.ok(new Set(notes.map(({ id }) => id)).size >= 150 && titles.size >= 100);
    for (const tier of [1, 2, 3, 4]) assert.ok(key.filter((line) => line.tier === tier).length >= 10);
    assert.ok(key.some(({ tier, floor }) => tier === 0 && floor === 4));
    assert.ok(key.some(({ tier, floor }) => tier === 4 && floor === 0));
    const rate = [...outcomes.values()].filter((outcome) => outcome === 1).length / outcomes.size;
    assert.ok(rate > 0.4 && rate < 0.7, `${rate}`);
  });

  it("is of documents that their cases can read, each pair once", () => {
    const readable = new Set(cases.flatMap((item) => readableBy(item).map(({ id }) => `${item.id} ${id}`)));
    assertEvery(key, (line) => readable.has(`${line.case} ${line.document}`));
    assertEvery(key, (line) => line.tier > 0 || line.floor > 0);
    assert.equal(new Set(key.map((line) => `${line.case} ${line.document}`)).size, key.length);
  });
});

describe("the floor judge on every document that a case can read", () => {
  it("scores as its rule does by hand; recall and precision are printed", () => {
    const scored = scoreAll();
    for (const line of ratesText("floor", scored)) console.log(line);
    assert.ok(scored.length > 5000);
    assert.deepEqual(
      scored.filter((one) => one.score !== keyed(one.case, one.document).floor),
      [],
    );
  });

  it("knows the names of a page with a wrong date since the register has them, and not since that page", () => {
    const page = notes.find(({ title }) => title === "A launch at the yard");
    const told = key.filter(({ document, floor }) => document === page?.id && floor === 1);
    assert.ok(told.length > 0);
  });
});

describe("findings of the scripted queries", () => {
  const asked = set.cases.filter(({ id }) => scripted.some((line) => line.case === id));

  /** A case's queries through the store's own search, as entries, and what is found in them. */
  function findingsOf(item: BoundedCase) {
    const { id, horizon, reads } = item;
    const door = store.open({ caseId: id, horizon, tables: reads, overlay: null, subject: "test" });
    const bodies = new Map<string, Json>();
    const lines = scripted.filter((line) => line.case === id);
    const entries = lines.map(({ query }, step) => {
      const args = { query, k: 3 };
      const text = replyText(door.call("search", args));
      const result = digestOf(text);
      bodies.set(result, JSON.parse(text) as Json);
      return { kind: "tool", name: "search", args, result, step } as unknown as Entry;
    });
    const found = queryFindings(item, entries, (digest) => bodies.get(digest) as Json, entityFinder(index));
    return { lines, found };
  }

  /** Query by query, in the order in which they stand in the key's lines of the case. */
  const findsBy = () =>
    asked.flatMap((item) => {
      const { lines, found } = findingsOf(item);
      return lines.map((line, i) => ({
        line,
        finds: found.findings.flatMap(({ step, entity }) => (step === i ? [entity] : [])).sort(),
      }));
    });

  it("are those of the key, but for the disagreements that are named", () => {
    const all = findsBy();
    assert.equal(all.length, scripted.length);
    for (const { line, finds } of all) assert.deepEqual(finds, findsOf(line), `${line.case}: ${line.query}`);
    assert.ok(all.filter(({ finds }) => finds.length > 0).length >= 15);
    const differing = findingDisagreements.filter(({ case: id, query, given }) =>
      scripted.some((line) => line.case === id && line.query === query && line.finds.join() !== given.join()),
    );
    assert.deepEqual(differing, findingDisagreements);
  });

  it("are never of an entity that the question itself names, of a year, or of a name that nobody knows", () => {
    const names = new Map(set.cases.map(({ id, subject }) => [id, subject?.entity]));
    const named = scripted.filter((line) => line.subtracted.includes(names.get(line.case) as string));
    assert.ok(named.length >= 6);
    assertNone(findsBy(), ({ line, finds }) => finds.includes(names.get(line.case) as string));
    const unknown = asked.reduce((sum, item) => sum + findingsOf(item).found.unknown, 0);
    assert.ok(unknown >= 4, `${unknown}`);
  });

  it("leave out what the key says is left out, each counted", () => {
    for (const item of asked) {
      const { lines, found } = findingsOf(item);
      const excused = findingDisagreements.filter(
        ({ case: id, given }) => id === item.id && given.length === 0,
      );
      const wanted = lines.reduce((sum, { subtracted }) => sum + subtracted.length, 0) + excused.length;
      assert.equal(found.subtracted.case + found.subtracted.served, wanted, item.id);
    }
    const { found } = findingsOf(asked.find(({ id }) => id === "harbour-line-2030-09-07") as BoundedCase);
    assert.deepEqual(found.subtracted, { case: 0, served: 1 });
  });
});
