/** What stands for an answer: weights within the leverage, a probability where one is wanted, and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { attemptOf, readMessage } from "../../src/model/agent-protocol.ts";
import { type Given, givenAnswer, type Positions, type Wanted } from "../../src/model/given-answer.ts";
import type { Attempt } from "../../src/model/reader.ts";
import { checkAttempt } from "../../src/run/ask.ts";
import { askedDecision } from "./an-asked-case.ts";

const positions: Wanted = { answer: "positions", leverage: 1, members: null };
const probability: Wanted = { answer: "probability" };
const wrong = (given: Given | string) =>
  typeof given === "string" ? given : assert.fail(JSON.stringify(given));

test("givenAnswer: sizes that add up to the leverage are positions, a hair more is none; thirds are not rounded away", () => {
  assert.deepEqual(givenAnswer({ positions: { a: 0.75, b: -0.25 } }, positions), {
    positions: { a: 0.75, b: -0.25 },
  });
  assert.deepEqual(givenAnswer({ positions: {} }, positions), { positions: {} });
  assert.deepEqual(givenAnswer({ positions: { a: 0.1, b: 0.2, c: 0.7 } }, positions), {
    positions: { a: 0.1, b: 0.2, c: 0.7 },
  });
  assert.match(
    wrong(givenAnswer({ positions: { a: 0.75, b: -0.26 } }, positions)),
    /add up to 1\.01, expected at most the leverage, 1$/,
  );
  assert.deepEqual(givenAnswer({ positions: { a: 2 } }, { ...positions, leverage: 2 }), {
    positions: { a: 2 },
  });
});

test("givenAnswer: what is no positions is told in words; an answer of another kind is none", () => {
  for (const given of [
    undefined,
    null,
    3,
    "all",
    [1],
    { a: "1" },
    { a: null },
    { a: Number.NaN },
    { a: Infinity },
    { "": 1 },
    { "\ud800": 0.5 },
  ])
    wrong(givenAnswer({ positions: given }, positions));
  wrong(givenAnswer({ probability: 0.5 }, positions));
  wrong(givenAnswer({ probability: 0.5, positions: { a: 1 } }, positions));
  wrong(givenAnswer({ positions: { a: 1 } }, probability));
  wrong(givenAnswer({ probability: 1.01 }, probability));
  assert.deepEqual(givenAnswer({ probability: -0 }, probability), { probability: 0 });
});

test("givenAnswer: as many entities as the limit, whose names fit into an entry; one more is refused", () => {
  const many = (count: number, name = (i: number) => `e${i}`) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 0]));
  assert.ok(typeof givenAnswer({ positions: many(limits.positions) }, positions) === "object");
  assert.match(wrong(givenAnswer({ positions: many(limits.positions + 1) }, positions)), /1001 entities/);
  const long = many(limits.positions, (i) => `${"x".repeat(100)}${i}`);
  assert.match(wrong(givenAnswer({ positions: long }, positions)), /bytes, expected at most/);
});

test("givenAnswer: a case's list of members binds: another name is no answer, whatever its weight; a list that has it takes it", () => {
  const listed: Wanted = { ...positions, members: ["m1", "m2"] };
  assert.deepEqual(givenAnswer({ positions: { m2: 0.5 } }, listed), { positions: { m2: 0.5 } });
  assert.deepEqual(givenAnswer({ positions: {} }, listed), { positions: {} });
  for (const weight of [0.5, 0])
    assert.equal(
      givenAnswer({ positions: { m1: 0.5, m9: weight } }, listed),
      'positions: "m9", expected members of the case alone: m1, m2',
    );
  assert.ok(typeof givenAnswer({ positions: { m1: 0.5, m9: 0.5 } }, positions) === "object");
  const names = fc.constantFrom("a", "b", "c", "d", "constructor", "__proto__");
  fc.assert(
    fc.property(fc.uniqueArray(names), fc.uniqueArray(names), (held, members) => {
      const weights = Object.fromEntries(held.map((name) => [name, 1 / 8]));
      const found = givenAnswer({ positions: weights }, { ...positions, members });
      const strangers = held.filter((name) => !members.includes(name));
      assert.equal(typeof found === "object", strangers.length === 0);
      if (typeof found === "string") assert.ok(found.includes(JSON.stringify(strangers[0])), found);
    }),
  );
});

/** Every way in which an answer comes: a program's line, a module's object, a record; http and MCP stand beside their tests. */
test("a case's list of members binds a program and a module alike", () => {
  const program = (given: Positions) =>
    attemptOf(
      readMessage(JSON.stringify({ type: "answer", positions: given })) as never,
      askedDecision,
      false,
    );
  const module = (given: Positions) => checkAttempt({ kind: "answer", positions: given }, askedDecision);
  for (const way of [program, module]) {
    const attempt = way({ m9: 1 }) as Attempt & { kind: "fault" };
    assert.deepEqual([attempt.kind, attempt.class], ["fault", "malformed_output"]);
    assert.match(attempt.message, /"m9", expected members of the case alone: m1, m2$/);
    assert.equal((way({ m1: 1 }) as Attempt).kind, "answer");
  }
});

test("givenAnswer: whatever is given, an answer has finite weights within the leverage, under the same names, or there is none", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.string(), fc.double())),
      fc.double({ min: 0.1, max: 3, noNaN: true }),
      (given, leverage) => {
        const found = givenAnswer({ positions: given }, { ...positions, leverage });
        if (typeof found === "string") return;
        const weights = Object.values(found.positions ?? {});
        assert.deepEqual(Object.keys(found.positions ?? {}), Object.keys(given as object));
        assert.ok(weights.every(Number.isFinite));
        assert.ok(weights.reduce((sum, one) => sum + Math.abs(one), 0) <= leverage + 1e-9);
      },
    ),
    { numRuns: 1000 },
  );
});
