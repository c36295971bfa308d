import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilityPairs } from "./tidy/capability-pairs.ts";
import { type Pair, pairs } from "./tidy/pairs.ts";
import { repositoryFiles } from "./tidy/repository.ts";
import { rules } from "./tidy/rules.ts";
import { type Finding, inside, type Rule, treeOf } from "./tidy/source.ts";

const files = repositoryFiles();
const shown = ({ path, line, found }: Finding) => `${path}:${line}: ${found}`;

function pairsOf(rule: Rule): readonly Pair[] {
  return [
    ...(pairs[rule.name] ?? []),
    ...(rule.name === "capabilities have one home" ? capabilityPairs(files) : []),
  ];
}

test("tidy: the rules look at sources and tests that are there", () => {
  const tree = treeOf(files);
  for (const path of ["src/index.ts", "src/core/refusal.ts", "src/cli/main.ts", "test/tidy.test.ts"])
    assert.ok(path in files, `${path} was not read`);
  assert.ok(inside(tree, "src").length > 50 && inside(tree, "test").length > 10);
  assert.ok(
    tree.sources.some(({ imports }) => imports.some(({ target }) => target === "src/core/refusal.ts")),
    "no import was resolved",
  );
});

test("tidy: each rule has a name of its own and a pair, and no pair is of no rule", () => {
  const names = rules.map(({ name }) => name);
  assert.ok(names.length > 20);
  assert.equal(new Set(names).size, names.length);
  for (const rule of rules) assert.ok(pairsOf(rule).length > 0, `${rule.name} has no pair`);
  assert.deepEqual(
    Object.keys(pairs).filter((name) => !names.includes(name)),
    [],
  );
});

for (const rule of rules) {
  test(`tidy: ${rule.name}: refuses what is planted and accepts the nearest`, () => {
    for (const { refused, accepted } of pairsOf(rule)) {
      assert.notEqual(rule.check(treeOf(refused)).length, 0, `accepted: ${JSON.stringify(refused)}`);
      assert.deepEqual(rule.check(treeOf(accepted)).map(shown), [], `refused: ${JSON.stringify(accepted)}`);
    }
  });

  test(`tidy: ${rule.name}: the repository keeps it`, () => {
    assert.deepEqual(rule.check(treeOf(files)).map(shown), []);
  });
}

test("tidy: an upward import and Date.now() planted in the repository itself are found", () => {
  const planted = "src/core/planted.ts";
  const text = 'import { runId } from "../run/run-id.ts";\nexport const at = () => runId(Date.now());\n';
  const tree = treeOf({ ...files, [planted]: text });
  const asked = rules.filter(({ name }) => name === "room order" || name === "ambient: Date.now");
  const all = asked.flatMap((rule) => rule.check(tree).map(shown));
  for (const expected of [
    `${planted}:1: core imports run (../run/run-id.ts); it may import nothing`,
    `${planted}:2: Date.now is banned; use world.clock.now()`,
  ])
    assert.ok(all.includes(expected), `not found: ${expected}`);
});
