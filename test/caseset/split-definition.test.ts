/** Definitions of splits: what fits, what is refused beside it, and the digest that stamps one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  parseSplitDefinition,
  type SplitDefinition,
  stampedSplit,
} from "../../src/caseset/split-definition.ts";
import { splitCases } from "../../src/caseset/splits.ts";
import { canonical } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { noted, refused } from "../core/refused.ts";
import { daily, intervalsOf, someDefinition } from "./naive-split.ts";

const days = { unit: "day", zone: "UTC" } as const;

const pairs: readonly (readonly [bad: object, fault: string, good: object])[] = [
  [{ kind: "kfold", folds: 1 }, "FieldInvalid folds", { kind: "kfold", folds: 2 }],
  [{ kind: "kfold", folds: 2.5 }, "FieldInvalid folds", { kind: "kfold", folds: 10_000 }],
  [{ kind: "kfold" }, "KeyMissing folds", { kind: "kfold", folds: 3 }],
  [{ kind: "kfold", folds: 2, groups: 2 }, "UnknownKey groups", { kind: "kfold", folds: 2 }],
  [
    { kind: "kfold", folds: 2, embargo: "5D" },
    "DurationInvalid",
    { kind: "kfold", folds: 2, embargo: "P5D" },
  ],
  [
    { kind: "kfold", folds: 2, embargo: "P200Y" },
    "LimitExceeded",
    { kind: "kfold", folds: 2, embargo: "P100Y" },
  ],
  [
    { kind: "combinatorial", groups: 6, test_groups: 6 },
    "FieldInvalid test_groups",
    { kind: "combinatorial", groups: 6, test_groups: 5 },
  ],
  [
    { kind: "combinatorial", groups: 22, test_groups: 11 },
    "FieldInvalid groups",
    { kind: "combinatorial", groups: 20, test_groups: 10 },
  ],
  [
    { kind: "walk-forward", folds: 3, minimum_train: 5, rolling: 4 },
    "FieldInvalid rolling",
    { kind: "walk-forward", folds: 3, minimum_train: 5, rolling: 5 },
  ],
  [{ kind: "walk-forward", folds: 0 }, "FieldInvalid folds", { kind: "walk-forward", folds: 1, rolling: 1 }],
];

test("parseSplitDefinition: each fault is refused by its field, and its nearest neighbour is not", () => {
  for (const [bad, fault, good] of pairs) {
    const [code] = fault.split(" ");
    assert.deepEqual(
      noted((complain) => parseSplitDefinition(bad, "splits", complain)),
      [`${code} splits`],
    );
    assert.throws(
      () => parseSplitDefinition(bad, "splits"),
      (error: Error) => fault.split(" ").every((word) => error.message.includes(word)),
    );
    assert.deepEqual(parseSplitDefinition(good, "splits"), good);
  }
  assert.throws(() => parseSplitDefinition({ kind: "shuffled", folds: 2 }, "splits"), /FieldInvalid/);
});

test("splitCases: refuses a definition that does not fit, and months on days that have none", () => {
  const intervals = intervalsOf(
    daily([
      [0, 0],
      [9, 9],
    ]),
  );
  refused("FieldInvalid", () => splitCases(intervals, { kind: "kfold", folds: 1 }));
  const { message } = refused("FieldInvalid", () =>
    splitCases(intervals, { kind: "kfold", folds: 2, embargo: "P1M" }),
  );
  assert.match(message, /^FieldInvalid: split: embargo: P1M, expected days or hours/);
  splitCases(intervals, { kind: "kfold", folds: 2, embargo: "P31D" });
  splitCases(
    intervalsOf(
      daily([
        [0, 0],
        [9, 9],
      ]),
      "UTC",
    ),
    { kind: "kfold", folds: 2, embargo: "P1M" },
  );
});

test("stampedSplit: the digest is of the definition's canonical JSON, and nothing is left to a default", () => {
  const { definition, digest } = stampedSplit({ folds: 5, kind: "kfold" }, days);
  const text = '{"embargo":"P0D","folds":5,"kind":"kfold","unit":"day","v":"blindcast.split/1"}';
  assert.equal(canonical(definition), text);
  assert.equal(digest, digestOf(text));
  assert.deepEqual(stampedSplit({ kind: "kfold", folds: 5, embargo: "P0D" }, days).digest, digest);
  const zoned = (zone: string) => stampedSplit({ kind: "kfold", folds: 5 }, { unit: "instant", zone });
  assert.deepEqual(zoned("UTC").definition["zone"], "UTC");
  assert.equal(new Set([digest, zoned("UTC").digest, zoned("Europe/Berlin").digest]).size, 3);
});

test("stampedSplit: two definitions share a digest exactly where they are one", () => {
  const whole = (one: SplitDefinition) => canonical({ embargo: "P0D", ...one });
  fc.assert(
    fc.property(someDefinition, someDefinition, (a, b) => {
      assert.equal(stampedSplit(a, days).digest === stampedSplit(b, days).digest, whole(a) === whole(b));
    }),
    { numRuns: 300 },
  );
});
