/** Messages of readers from outside: each that is refused stands beside the nearest that is taken. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { askOf, attemptOf, type Closing, readMessage, tellLine } from "../../src/model/agent-protocol.ts";
import { faultClasses, noUsage } from "../../src/model/reader.ts";
import { asked } from "./agents.ts";

const problemOf = (line: string): string | null => {
  const message = readMessage(line);
  return message.type === "misread" ? message.problem : null;
};

const call = { type: "call", call_id: "1", tool: "rows", args: {} };
const pairs: readonly [what: string, refused: string, taken: string, words: RegExp][] = [
  ["text", "thinking …", '{"type":"answer","probability":0.5}', /^a line that is not JSON: "thinking …"$/],
  ["nothing", "", '{"type":"decline","reason":""}', /^a line that is not JSON: ""$/],
  [
    "a line that was cut",
    '{"type":"answer","probability":0.2',
    '{"type":"answer","probability":0.2}',
    /not JSON/,
  ],
  ["NaN", '{"type":"answer","probability":NaN}', '{"type":"answer","probability":null}', /not JSON/],
  ["two values", '{"type":"decline","reason":"a"} {}', '{"type":"decline","reason":"a"} ', /not JSON/],
  [
    "a key twice",
    '{"type":"answer","probability":0.1,"probability":0.9}',
    '{"type":"answer","probability":0.1}',
    /probability: the same key stands twice/,
  ],
  [
    "a lone surrogate",
    '{"type":"decline","reason":"\\ud800"}',
    '{"type":"decline","reason":"\\ud83d\\ude00"}',
    /not JSON/,
  ],
  [
    "a list",
    '[{"type":"decline","reason":"a"}]',
    '{"type":"decline","reason":"a"}',
    /is no message; known types/,
  ],
  ["null", "null", '{"type":"identity"}', /is no message/],
  ["an unknown type", '{"type":"thought","text":"a"}', '{"type":"identity","name":"a"}', /is no message/],
  ["a type of every object", '{"type":"constructor"}', '{"type":"identity"}', /is no message/],
  [
    "an unknown key",
    '{"type":"answer","probability":0.5,"confidence":1}',
    '{"type":"answer","probability":0.5,"usage":null}',
    /^answer: confidence: Unexpected property/,
  ],
  ["no probability", '{"type":"answer"}', '{"type":"answer","probability":"high"}', /^answer: probability/],
  [
    "no arguments",
    JSON.stringify({ ...call, args: undefined }),
    JSON.stringify({ ...call, args: null }),
    /^call: args/,
  ],
  ["an empty call id", JSON.stringify({ ...call, call_id: "" }), JSON.stringify(call), /^call: call_id/],
  [
    "a long call id",
    JSON.stringify({ ...call, call_id: "x".repeat(limits.nameCharacters + 1) }),
    JSON.stringify({ ...call, call_id: "x".repeat(limits.nameCharacters) }),
    /^call: call_id/,
  ],
  [
    "tokens that are no count",
    '{"type":"answer","probability":0.5,"usage":{"input_tokens":1.5}}',
    '{"type":"answer","probability":0.5,"usage":{"input_tokens":1,"cost":1.5}}',
    /^answer: usage/,
  ],
  [
    "usage of another's",
    '{"type":"decline","reason":"a","usage":{"prompt_tokens":1}}',
    '{"type":"decline","reason":"a","usage":{"input_tokens":null}}',
    /^decline: usage/,
  ],
  [
    "a class of no fault",
    '{"type":"fault","class":"tired","message":"a"}',
    '{"type":"fault","class":"auth","message":"a"}',
    /^fault: class/,
  ],
  [
    "an identity that says more",
    '{"type":"identity","vendor":"a"}',
    '{"type":"identity","name":"a","posttrain_cutoff":null,"temperature":0.5,"uses_tools":false}',
    /^identity: vendor/,
  ],
];

for (const [what, refused, taken, words] of pairs) {
  test(`a message is misread, and its nearest neighbour is not: ${what}`, () => {
    assert.equal(problemOf(taken), null);
    assert.match(problemOf(refused) ?? "taken", words);
  });
}

test("any text is read as a message or misread, and never thrown at", () => {
  const json = fc.json({ maxDepth: 8 });
  const worded = fc
    .constantFrom("identity", "call", "answer", "decline", "fault", "bye")
    .chain((type) =>
      fc
        .dictionary(
          fc.constantFrom("probability", "reason", "usage", "id", "args", "tool", "x"),
          fc.jsonValue(),
        )
        .map((rest) => JSON.stringify({ ...rest, type })),
    );
  fc.assert(
    fc.property(fc.oneof(fc.string(), json, worded), (line) => {
      const message = readMessage(line);
      if (message.type === "misread") assert.ok(message.problem.length < 1_000, message.problem);
    }),
    { numRuns: 2_000 },
  );
});

test("nesting beyond the limit is misread, and one level less is not", () => {
  const nested = (depth: number) =>
    `{"type":"call","call_id":"1","tool":"rows","args":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.equal(problemOf(nested(limits.jsonDepth - 1)), null);
  assert.match(problemOf(nested(limits.jsonDepth)) ?? "taken", /nesting/);
});

test("a million brackets and a key that every object has are misread like any other", () => {
  assert.match(problemOf(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`) ?? "taken", /nesting/);
  assert.match(
    problemOf('{"type":"answer","probability":0.5,"__proto__":{}}') ?? "taken",
    /^answer: __proto__: Unexpected property/,
  );
});

test("a question says the case, and nothing of which kind it is", () => {
  const { kind: _, ...rest } = asked;
  assert.deepEqual(askOf(asked), { type: "ask", ...rest });
});

test("what is told is one line, by whatever rule it is split, and says what was said", () => {
  const told = { ...askOf(asked), question: "a\nb\rc\u0085d\u2028e\u2029f\u{1f600}" };
  const line = tellLine(told);
  assert.doesNotMatch(line, /[\n\r\u0085\u2028\u2029]/);
  assert.deepEqual(JSON.parse(line), told);
});

const closing = (message: object, named = false) => attemptOf(message as Closing, asked, named);

test("an answer outside 0 to 1, or that is no number, is malformed output with its usage; 0 and 1 are answers", () => {
  for (const probability of [0, 0.5, 1])
    assert.deepEqual(closing({ type: "answer", probability }), { kind: "answer", probability, usage: null });
  const usage = { input_tokens: 7 };
  for (const probability of [1.7, -0.1, 1e300, null, "0.5", true, [0.5], {}])
    assert.deepEqual(closing({ type: "answer", probability, usage }), {
      kind: "fault",
      class: "malformed_output",
      message: `probability ${JSON.stringify(probability)}, expected a number from 0 to 1`,
      usage: { ...noUsage, ...usage },
    });
});

test("whoever names a question is held to it", () => {
  const { id, repeat } = asked;
  for (const type of [
    { type: "answer", probability: 0.5 },
    { type: "decline", reason: "a" },
    { type: "fault", class: "auth", message: "a" },
  ]) {
    assert.ok("kind" in closing({ ...type, id, repeat }));
    assert.ok("problem" in closing({ ...type, id: "case-2" }));
    assert.ok("problem" in closing({ ...type, repeat: repeat + 1 }));
    assert.ok("kind" in closing({ ...type, id, repeat }, true));
    for (const some of [{}, { id }, { repeat }]) {
      assert.ok("kind" in closing({ ...type, ...some }), "one process, one question");
      assert.ok("problem" in closing({ ...type, ...some }, true), "one process, many questions");
    }
  }
});

test("a reader can say each class of fault of itself, in words that fit a record", () => {
  for (const each of faultClasses) {
    const line = JSON.stringify({ type: "fault", class: each, message: "x".repeat(10_000) });
    const attempt = closing(readMessage(line));
    assert.ok("kind" in attempt && attempt.kind === "fault" && attempt.class === each);
    assert.equal(attempt.message.length, limits.wordsCharacters);
  }
});
