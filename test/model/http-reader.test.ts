import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { type Event, parseEvent } from "../../src/core/expression.ts";
import type { EndpointOnDisk } from "../../src/model/endpoint.ts";
import type { Attempt } from "../../src/model/reader.ts";
import { persistence } from "../../src/model/readers/persistence.ts";
import type { TableReads } from "../../src/model/readers/table-reads.ts";
import { assertEvery } from "../support/all.ts";
import { type ChatRequest, imitating, type Said } from "../support/chat-server.ts";
import { askedCase } from "./an-asked-case.ts";
import { ask, readerAt, rowTools, type Scene, served, weatherRows } from "./asked-endpoint.ts";

const reads: TableReads = {
  table: "weather",
  event: parseEvent("precipitation > 0", "test", "event") as Event,
  validColumn: "date",
  zone: "America/Los_Angeles",
  forward: false,
};
const answering = (probability: number): Said => ({ calls: [{ name: "answer", args: { probability } }] });
/** A model that says these things one after the other. */
const script =
  (...said: readonly Said[]) =>
  ({ messages }: ChatRequest): Said =>
    said[messages.filter(({ role }) => role === "assistant").length] ?? { content: "" };
const outcomeOf = (attempt: Attempt) =>
  attempt.kind === "answer"
    ? attempt.probability
    : attempt.kind === "decline"
      ? `decline: ${attempt.reason}`
      : `${attempt.class}: ${attempt.message}`;
const said = async (answers: readonly Said[], scene: Scene = {}) => {
  const server = await served({ answer: script(...answers) });
  const { attempt, calls } = await ask(server.url, scene);
  return {
    outcome: outcomeOf(attempt),
    calls,
    requests: server.bodies.map((body) => JSON.parse(body) as ChatRequest),
  };
};

test("http: a model that imitates persistence answers as the reader does, over as many pages", async () => {
  const rows = weatherRows(100);
  const server = await served({ answer: imitating((tools) => persistence(reads, tools)) });
  const host = rowTools(rows);
  const { attempt, calls } = await ask(server.url, { tools: host.tools });
  const own = rowTools(rows);
  assert.equal(outcomeOf(attempt), await persistence(reads, own.tools));
  assert.deepEqual(host.called, own.called);
  assert.equal(own.called.length, 3, "the rows fill three pages");
  assert.equal(calls.length, 4);
});

test("http: a request passes model, temperature, seed by repeat and functions, and its digest is that of its canonical bytes", async () => {
  const server = await served({ answer: script(answering(0.25)) });
  const asked = { ...askedCase, repeat: 3 };
  const { calls } = await ask(server.url, {
    asked,
    disk: { max_tokens: 99 },
    options: { temperature: 0.5, seed: 2 ** 31 },
  });
  const body = server.bodies[0] as string;
  const request = JSON.parse(body) as ChatRequest & Json;
  assert.equal(canonical(request), body);
  assert.equal(calls[0]?.request, digestOf(body));
  const { model, temperature, seed, max_tokens, tools } = request;
  assert.deepEqual([model, temperature, seed, max_tokens], ["m-1", 0.5, 3, 99]);
  assert.deepEqual(
    tools?.map((each) => each.function.name),
    ["rows", "aggregate", "search", "members", "answer", "decline"],
  );
  assert.match(
    request.messages[1]?.content ?? "",
    /Will it rain\?\nHorizon: 2014-06-01T07:00:00Z\n.*2014-06-01/,
  );
});

test("http: what an endpoint does not take is not sent, and where that is the temperature somebody must say which it is", async () => {
  const server = await served({ answer: script(answering(0.25)) });
  const disk = {
    max_tokens: 99,
    max_tokens_key: "max_completion_tokens",
    omits: ["seed", "temperature"],
  } as const;
  const { attempt } = await ask(server.url, { disk: { ...disk, omits: [...disk.omits] } });
  assert.equal(attempt.kind, "answer");
  const body = server.bodies[0] as string;
  const request = JSON.parse(body) as Record<string, Json>;
  assert.equal(canonical(request), body);
  assert.deepEqual(Object.keys(request), ["max_completion_tokens", "messages", "model", "tools"]);
  const told = (more: Partial<EndpointOnDisk>) =>
    readerAt(server.url, { disk: { ...disk, omits: ["temperature"], ...more } }).source.identity(null);
  assert.equal("temperature" in (await told({})), false);
  assert.equal((await told({ identity: { temperature: 1 } })).temperature, 1);
  assert.equal((await told({ omits: ["seed"] })).temperature, 0);
});

test("http: the question names the tables that the case may read, where there are functions to read them with", async () => {
  const server = await served({ answer: script(answering(0.25), { content: '{"probability":0.5}' }) });
  await ask(server.url, {});
  await ask(server.url, { disk: { tools: false } });
  const said = server.bodies.map((body) => (JSON.parse(body) as ChatRequest).messages[1]?.content ?? "");
  assert.match(said[0] as string, /^Table weather: date \(string\), precipitation \(number\)$/m);
  assert.doesNotMatch(said[1] as string, /Table/);
});

test("http: usage is summed over the calls, and cost follows from the endpoint's amounts with cached input apart", async () => {
  const cost = { input: 3, cached_input: 1, output: 10, currency: "USD" };
  const { calls } = await said([{ calls: [{ name: "rows", args: { table: "weather" } }] }, answering(0.5)], {
    disk: { cost },
  });
  const server = await served({ answer: script({ calls: [{ name: "rows", args: {} }] }, answering(0.5)) });
  const { attempt } = await ask(server.url, { disk: { cost } });
  assert.equal(calls.length, 2);
  assertEvery(calls, ({ usage }) => {
    const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
    return usage.cost === (((input ?? 0) - (cached ?? 0)) * 3 + (cached ?? 0) + (output ?? 0) * 10) / 1e6;
  });
  const { usage } = attempt;
  assert.deepEqual([usage?.output_tokens, usage?.model_calls, usage?.retries], [20, 2, 0]);
  assert.ok((usage?.input_tokens ?? 0) > (calls[0]?.usage.input_tokens ?? 0));
});

test("http: text that is exactly the answer's object is taken, bare or in one fence; anything beside it is not", async () => {
  const good = [
    '{"probability": 0.4}',
    ' {"probability":0.4}\n',
    '```json\n{"probability": 0.4}\n```',
    '```\n{"probability":0.4}\n```',
  ];
  for (const content of good) assert.equal((await said([{ content }])).outcome, 0.4, content);
  assert.equal((await said([{ content: '{"decline":"no data"}' }])).outcome, "decline: no data");
  const bad = [
    "0.4",
    'I say {"probability":0.4}',
    '{"probability":0.4,"why":"x"}',
    '{"probability":1.4}',
    '{"probability":"0.4"}',
    '{"probability":0.4}{"probability":0.4}',
    "[0.4]",
    '{"decline":""}',
    '{"probability":0.4,"probability":0.5}',
  ];
  for (const content of bad) {
    const { outcome, requests } = await said([{ content }, { content }]);
    assert.equal(
      outcome,
      "malformed_output: a reply that is no answer, and another after a reminder",
      content,
    );
    assert.equal(requests.length, 2);
  }
});

test("http: one reminder follows a reply that is no answer, and the answer after it stands", async () => {
  const { outcome, requests } = await said([{ content: "Rain is likely." }, answering(0.7)]);
  assert.equal(outcome, 0.7);
  assert.deepEqual(
    requests[1]?.messages.map(({ role }) => role),
    ["system", "user", "assistant", "user"],
  );
  assert.equal(
    String((await said([{ content: "" }, { content: " " }])).outcome).split(":")[0],
    "empty_output",
  );
});

test("http: garbage arguments, an unknown function and an answer out of range are told to the model, which may mend them", async () => {
  const wrong: Said[] = [
    { calls: [{ name: "rows", args: "{not json" }] },
    { calls: [{ name: "fetch_the_future", args: {} }] },
    { calls: [{ name: "answer", args: { probability: 1.5 } }] },
    { calls: [{ name: "answer", args: '{"probability":0.1,"probability":0.2}' }] },
    { calls: [{ name: "decline", args: {} }] },
  ];
  const { outcome, requests } = await said([...wrong, answering(0.3)]);
  assert.equal(outcome, 0.3);
  const told = requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  assert.equal(told.length, wrong.length);
  assertEvery(told, ({ content }) => (JSON.parse(content ?? "") as { ok: boolean }).ok === false);
});

test("http: calls beside an answer are executed first, in order; two answers in one reply are none", async () => {
  const beside = [
    { name: "rows", args: { table: "a" } },
    { name: "answer", args: { probability: 0.6 } },
    { name: "rows", args: { table: "b" } },
  ];
  const host = rowTools([]);
  assert.equal((await said([{ calls: beside }], { tools: host.tools })).outcome, 0.6);
  assert.deepEqual(host.called, [
    { tool: "rows", args: { table: "a" } },
    { tool: "rows", args: { table: "b" } },
  ]);
  const two = [
    { name: "answer", args: { probability: 0.6 } },
    { name: "decline", args: { reason: "x" } },
  ];
  assert.equal((await said([{ calls: two }])).outcome, "malformed_output: two answers in one reply");
});

test("http: a refusal declines, a content filter is an empty output, the turns end", async () => {
  assert.equal((await said([{ refusal: "I will not." }])).outcome, "decline: I will not.");
  const filtered = await said([{ content: '{"probability":0.5}', finish: "content_filter" }]);
  assert.equal(filtered.outcome, "empty_output: the endpoint's content filter held the reply back");
  const calls = [{ name: "rows", args: {} }];
  const busy = await said([{ calls }, { calls }, { calls }, answering(0.5)], { disk: { max_turns: 3 } });
  assert.equal(busy.outcome, "malformed_output: no answer within 3 calls of the model");
  assert.equal(busy.requests.length, 3);
  assert.equal((await said([{ calls }, { calls }, answering(0.5)], { disk: { max_turns: 3 } })).outcome, 0.5);
});

test("http: without function calling none is offered, and a call is a protocol fault", async () => {
  const disk = { tools: false };
  const { outcome, requests } = await said([{ content: '{"probability":0.2}' }], { disk, tools: null });
  assert.equal(outcome, 0.2);
  assert.equal(requests[0]?.tools, undefined);
  assert.equal(
    (await said([answering(0.5)], { disk, tools: null })).outcome,
    "protocol: a function call, and none was offered",
  );
  const called = await said([{ calls: [{ name: "rows", args: {} }] }], { tools: null });
  assert.equal(called.outcome, "protocol: a tool call without tools");
});

test("http: a run that may spend no more is asked before each call, and the attempt keeps what was used", async () => {
  let left = 1;
  const server = await served({ answer: script({ calls: [{ name: "rows", args: {} }] }, answering(0.5)) });
  const { attempt, calls } = await ask(server.url, {
    refusal: () => (left-- > 0 ? null : "the limit is reached"),
  });
  assert.equal(outcomeOf(attempt), "budget: the limit is reached");
  assert.equal(calls.length, 1);
  assert.equal(attempt.usage?.model_calls, 1);
});

test("http: a violation is told to the model, whose answer goes on; any other rejection of a tool is thrown", async () => {
  const rejecting = (name: string) => ({
    call: async () => {
      throw Object.assign(new Error("served a planted row"), { name });
    },
  });
  const two = [{ calls: [{ name: "rows", args: {} }] }, answering(0.9)];
  const { outcome, requests } = await said(two, { tools: rejecting("BoundViolation") });
  assert.equal(outcome, 0.9);
  assert.equal(
    requests[1]?.messages.at(-1)?.content,
    '{"fault":{"class":"aborted","message":"served a planted row"},"ok":false}',
  );
  await assert.rejects(said(two, { tools: rejecting("Error") }), /served a planted row/);
});
