import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { canonical } from "../../src/core/canonical.ts";
import { limits } from "../../src/core/limits.ts";
import {
  type ChatSettings,
  type Completion,
  chatFunctions,
  parseCompletion,
  requestWriter,
} from "../../src/model/chat.ts";
import { type Conversation, converse } from "../../src/model/chat-loop.ts";
import { parseWithout } from "../../src/model/credential.ts";
import type { ToolAnswer } from "../../src/model/reader.ts";
import { toolSchemas } from "../../src/store/tools.ts";
import { assertEvery } from "../support/all.ts";
import { askedCase, askedDecision } from "./an-asked-case.ts";

const settings: ChatSettings = {
  model: "m",
  temperature: 0,
  seed: 1,
  maxTokens: null,
  maxTokensKey: "max_tokens",
  omits: [],
  functions: canonical(chatFunctions(toolSchemas, "probability")),
};
const none: Completion = {
  content: null,
  refusal: null,
  calls: [],
  finish: null,
  served: null,
  tokens: { input: null, cached: null, output: null },
};
/** A conversation with a model that says these, and the bodies that it was sent. */
async function talk(said: readonly Partial<Completion>[], more: Partial<Conversation> = {}) {
  const bodies: string[] = [];
  const ending = await converse({
    asked: askedCase,
    tools: { call: async () => ({ ok: true, rows: [] }) },
    settings,
    prompt: "Forecast.",
    maxTurns: 5,
    deadline: new AbortController().signal,
    parse: (text) => parseWithout({ redact: (same) => same }, text)?.value,
    complete: async (body) => {
      bodies.push(body);
      return { kind: "completion", completion: { ...none, ...said[bodies.length - 1] } };
    },
    ...more,
  });
  return { ending, bodies };
}

const call = fc.record({
  id: fc.string({ maxLength: 5 }),
  name: fc.constantFrom("rows", "answer", "decline", "", "__proto__", "constructor", "x".repeat(300)),
  args: fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      "",
      "null",
      "[]",
      '{"__proto__":1}',
      '{"probability":null}',
      '{"probability":1e999}',
      '"\\ud800"',
    ),
    fc.constant("[".repeat(100_000)),
  ),
});
const hostile: fc.Arbitrary<Partial<Completion>> = fc.record({
  content: fc.oneof(fc.constant(null), fc.string(), fc.json(), fc.constant("```json\n".repeat(1000))),
  refusal: fc.constantFrom(null, null, ""),
  calls: fc.oneof(fc.constant([]), fc.array(call, { maxLength: 6 })),
  finish: fc.constantFrom(null, "stop", "length", "tool_calls"),
});

test("chat loop: whatever a model says, the conversation ends with an attempt, and each request is canonical and grows", async () => {
  const endings = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 6 }), async (said) => {
      const { ending, bodies } = await talk(said);
      endings.add(ending.kind);
      assert.ok(bodies.length >= 1 && bodies.length <= 5);
      assertEvery(bodies, (body) => canonical(JSON.parse(body) as Json) === body);
      assertEvery(bodies, (body, i) => i === 0 || body.length > (bodies[i - 1]?.length ?? 0));
    }),
  );
  assert.ok(endings.has("fault"));
});

test("chat loop: positions of another than the case's members are no answer: the model is told who they are, and may answer again", async () => {
  const held = (entity: string) => ({
    calls: [{ id: entity, name: "answer", args: canonical({ positions: { [entity]: 1 } }) }],
  });
  const { ending, bodies } = await talk([held("m9"), held("m2")], { asked: askedDecision });
  assert.deepEqual([ending.kind, "positions" in ending && ending.positions], ["answer", { m2: 1 }]);
  assert.equal(bodies.length, 2);
  assert.match(bodies[1] as string, /m9.*expected members of the case alone: m1, m2/);
  const text = await talk([{ content: '{"positions":{"m9":1}}' }], { asked: askedDecision, maxTurns: 1 });
  assert.equal(text.ending.kind, "fault");
});

test("parseCompletion: any JSON is a completion or none, and counts that are no counts are absent", () => {
  const plain = { choices: [{ message: { content: "x" } }] };
  assert.deepEqual(parseCompletion(plain), { ...none, content: "x" });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      parseCompletion(value as Json);
      const given = parseCompletion({ ...plain, usage: value, model: value } as Json);
      const { input, cached, output } = (given as Completion).tokens;
      assertEvery(
        [input, cached, output],
        (count) => count === null || (Number.isSafeInteger(count) && count >= 0),
      );
    }),
  );
  for (const wrong of [-1, 1.5, "7", 1e300, {}])
    assert.equal(parseCompletion({ ...plain, usage: { prompt_tokens: wrong } })?.tokens.input, null);
  const long = parseCompletion({ ...plain, model: "m".repeat(70_000) })?.served;
  assert.equal(long?.length, limits.nameCharacters, "a name that an entry can hold");
});

test("requestWriter: with and without a limit of tokens the bytes are canonical, and functions stand only where there are some", () => {
  for (const maxTokens of [null, 7])
    for (const functions of [null, settings.functions]) {
      const body = requestWriter({ ...settings, maxTokens, functions })([
        '{"content":"é\\"","role":"user"}',
        "{}",
      ]);
      const value = JSON.parse(body) as Record<string, Json>;
      assert.equal(canonical(value), body);
      assert.deepEqual([value["max_tokens"], "tools" in value], [maxTokens ?? undefined, functions !== null]);
    }
});

test("chat loop: a conversation that outgrows the limit of a request ends there, though the model would go on", async () => {
  const rows = [{ ref: "t#1", available_at: "2014-01-01T00:00:00Z", body: { text: "x".repeat(9_000_000) } }];
  let called = 0;
  const tools = {
    call: async (): Promise<ToolAnswer> => {
      called++;
      return { ok: true, rows };
    },
  };
  const calls = Array.from({ length: 1000 }, (_, i) => ({ id: `${i}`, name: "rows", args: "{}" }));
  const { ending, bodies } = await talk([{ calls }], { tools });
  assert.equal(ending.kind === "fault" && ending.class, "context_window");
  assert.equal(called, Math.ceil(limits.requestBytes / 9_000_100));
  assert.equal(bodies.length, 1);
});

test("chat loop: a deadline that passes between the calls of one reply ends them", async () => {
  const time = new AbortController();
  let called = 0;
  const tools = {
    call: async (): Promise<ToolAnswer> => {
      if (++called === 2) time.abort();
      return { ok: true, rows: [] };
    },
  };
  const calls = Array.from({ length: 5 }, (_, i) => ({ id: `${i}`, name: "rows", args: "{}" }));
  const { ending } = await talk([{ calls }], { tools, deadline: time.signal });
  assert.equal(ending.kind === "fault" && ending.class, "timeout");
  assert.equal(called, 2);
});
