/** Audits: every leak of anybody's lists, each by its rule and its case, and none of our own splits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { auditSplits, type Leak, type SplitAudit, type SplitLists } from "../../src/caseset/split-audit.ts";
import { readSplitLists } from "../../src/caseset/split-lists.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { limits } from "../../src/core/limits.ts";
import { refused, temporary, written } from "../core/refused.ts";
import {
  type Case,
  daily,
  intervalsOf,
  meets,
  naiveReach,
  naiveSplit,
  named,
  someCases,
  someDefinition,
  someSpan,
  startOrdered,
} from "./naive-split.ts";

function auditOne(
  cases: readonly Case[],
  lists: SplitLists,
  embargo = "P0D",
  zone: string | null = null,
): SplitAudit {
  const [audit] = [...auditSplits([lists], intervalsOf(cases, zone), embargo)] as [SplitAudit];
  return audit;
}
const told = (cases: readonly Case[], { leaks }: SplitAudit) => {
  const ids = startOrdered(cases).map(({ id }) => id);
  return leaks.map(({ train, rule, by, overlaps }: Leak) => [ids[train]!, rule, ids[by]!, overlaps]);
};

test("auditSplits: a case in both lists, labels that touch, a start within the span, each once by its first rule", () => {
  const cases = daily([
    [0, 2],
    [1, 3],
    [2, 4],
    [4, 6],
    [5, 7],
    [6, 8],
    [7, 9],
  ]);
  const lists = { train: ["a6", "a1", "a3", "a4"], test: ["a2", "a0", "a1"] };
  const audit = auditOne(cases, lists, "P2D");
  assert.deepEqual(told(cases, audit), [
    ["a1", "both", "a1", 2],
    ["a3", "overlap", "a2", 1],
    ["a4", "embargo", "a2", 0],
  ]);
  assert.deepEqual([audit.train, audit.test, audit.neither, audit.pairs], [4, 3, 1, 4]);
  assert.deepEqual(told(cases, auditOne(cases, lists, "P3D")).at(-1), ["a6", "embargo", "a2", 0]);
});

test("auditSplits: finds what the definition gives pair by pair, for any lists", () => {
  const lists = someCases.chain((made) =>
    fc.record({
      made: fc.constant(made),
      train: fc.shuffledSubarray(made.cases.map(({ id }) => id)),
      test: fc.shuffledSubarray(made.cases.map(({ id }) => id)),
    }),
  );
  fc.assert(
    fc.property(lists, someSpan, ({ made: { cases, zone }, train, test: tests }, embargo) => {
      const ordered = startOrdered(cases);
      const tested = new Set(ordered.flatMap(({ id }, i) => (tests.includes(id) ? [i] : [])));
      const split = naiveSplit(ordered, tested, naiveReach(zone, embargo));
      const met = (one: Case) =>
        ordered.filter((other) => tests.includes(other.id) && meets(one, other)).length;
      const dropped = new Map<string, readonly (string | number)[]>([
        ...split.purged.map(([id, by]) => [id, ["overlap", by]] as const),
        ...split.embargoed.map(([id, by]) => [id, ["embargo", by]] as const),
        ...split.test.map((id) => [id, ["both", id]] as const),
      ]);
      const expected = ordered
        .filter(({ id }) => train.includes(id) && dropped.has(id))
        .map((one) => [one.id, ...dropped.get(one.id)!, met(one) - (tests.includes(one.id) ? 1 : 0)]);
      const audit = auditOne(cases, { train, test: tests }, embargo, zone);
      assert.deepEqual(told(cases, audit), expected);
      const trained = ordered.filter(({ id }) => train.includes(id));
      assert.equal(
        audit.pairs,
        trained.reduce((sum, one) => sum + met(one), 0),
      );
      assert.equal(audit.neither, cases.length - new Set([...train, ...tests]).size);
    }),
    { numRuns: 400 },
  );
});

test("auditSplits: finds nothing in our own splits, and every case that is put back", () => {
  fc.assert(
    fc.property(someCases, someDefinition, ({ cases, zone }, definition) => {
      const intervals = intervalsOf(cases, zone);
      for (const split of splitCases(intervals, definition).splits) {
        const { train, test: tested, purged, embargoed } = named(intervals, split);
        const own = auditOne(cases, { train, test: tested }, definition.embargo, zone);
        assert.deepEqual([own.leaks, own.pairs], [[], 0]);
        const back = [...purged, ...embargoed];
        const audit = auditOne(
          cases,
          { train: [...train, ...back.map(([id]) => id)], test: tested },
          definition.embargo,
          zone,
        );
        const found = told(cases, audit).map(([id, rule, by]) => `${id} ${rule} ${by}`);
        assert.deepEqual(
          found.sort(),
          [
            ...purged.map(([id, by]) => `${id} overlap ${by}`),
            ...embargoed.map(([id, by]) => `${id} embargo ${by}`),
          ].sort(),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test("auditSplits: refuses an id that no case has, and one twice in a list; one in both lists is a leak", () => {
  const cases = daily([
    [0, 0],
    [1, 1],
    [5, 5],
  ]);
  const unknown = refused("FieldInvalid", () => auditOne(cases, { train: ["a0", "b"], test: ["a1"] }));
  assert.match(
    unknown.message,
    /^FieldInvalid: splits: splits\.0\.train\.1: "b", expected the id of a case$/,
  );
  const twice = refused("FieldInvalid", () => auditOne(cases, { train: ["a0"], test: ["a1", "a2", "a1"] }));
  assert.match(twice.message, /splits\.0\.test\.2: "a1", expected each id once in its list$/);
  assert.equal(auditOne(cases, { train: ["a0", "a1"], test: ["a1", "a2"] }).leaks.length, 1);
});

const folder = temporary();
const lists = (text: string) => readSplitLists(written(folder, "s.json", text), "s.json");

test("readSplitLists: one JSON object; what our own splits have beside the lists is let be, anything else refused", () => {
  const own =
    '{"cases":2,"definition":{},"digest":"","groups":[1],"splits":[{"split":0,"groups":[0],"paths":[0],"empty":false,"test":["b"],"train":["a"],"purged":[],"embargoed":[],"unused":[]}],"paths":[[0]]}';
  const [split] = lists(own) as [SplitLists];
  assert.deepEqual([split.train, split.test], [["a"], ["b"]]);
  assert.equal(lists('{"splits":[{"train":[],"test":[]},{"train":["a"],"test":["b"]}]}').length, 2);
  for (const [code, text, value] of [
    ["UnknownKey", '{"splits":[{"train":["a"],"test":["b"],"validation":["c"]}]}', "splits.0.validation"],
    ["UnknownKey", '{"folds":[],"splits":[]}', "folds"],
    ["KeyMissing", '{"splits":[{"train":["a"]}]}', "splits.0.test"],
    ["FieldInvalid", '{"splits":[{"train":[0],"test":["b"]}]}', "splits.0.train.0"],
    ["FieldInvalid", '{"splits":[]}', "at least 1 split"],
    ["FieldInvalid", '[{"train":["a"],"test":["b"]}]', ""],
    ["JsonInvalid", '{"train":["a"],"test":["b"]}\n{"train":["b"],"test":["a"]}\n', ""],
    ["DuplicateKey", '{"splits":[{"train":["a"],"test":["b"],"test":["c"]}]}', "test"],
  ] as const) {
    const { message } = refused(code, () => lists(text));
    assert.ok(message.startsWith(`${code}: s.json:`) && message.includes(value), message);
  }
});

test("readSplitLists: a file above the limit is refused before it is read", () => {
  const { splitFileBytes } = limits;
  const text = '{"splits":[{"train":["a"],"test":["b"]}]}';
  try {
    (limits as { splitFileBytes: number }).splitFileBytes = text.length;
    lists(text);
    refused("LimitExceeded", () => lists(`${text}\n`));
  } finally {
    (limits as { splitFileBytes: number }).splitFileBytes = splitFileBytes;
  }
});
