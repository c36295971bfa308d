import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf } from "../../src/model/endpoint.ts";
import { endpointClient } from "../../src/model/http-call.ts";
import { httpJudge } from "../../src/model/http-judge.ts";
import type { JudgeItem, Judgement } from "../../src/model/judge.ts";
import type { ModelCall } from "../../src/model/reader.ts";
import type { ChatRequest, Said, ServerFault } from "../support/chat-server.ts";
import { served, skippingClock } from "./asked-endpoint.ts";

const item: JudgeItem = {
  dimension: "leak",
  document: { ref: "news#1", available_at: "2014-05-31T07:00:00Z", body: { text: "It will pour." } },
  question: "Will it rain on 2014-06-01?",
  subject: { entity: "Seattle", values: ["rain", "no rain"] },
  reference_answer: "It rained.",
  horizon: "2014-06-01T07:00:00Z",
};

async function judged(said: Said, faults: readonly ServerFault[] = [], given: JudgeItem = item) {
  const server = await served({ answer: () => said, fault: (n) => faults[n] ?? null });
  const { clock, sleep } = skippingClock();
  const endpoint = endpointOf({ endpoint: "judge", url: server.url }, "judge.yaml");
  const client = endpointClient(endpoint, { clock, sleep, key: () => undefined });
  const judge = httpJudge({ client, model: "j-1", identity: {}, seed: 2 ** 31 + 5 });
  const calls: ModelCall[] = [];
  const judgement = await judge.judge(given, {
    deadline: () => new AbortController().signal,
    refusal: () => null,
    paused: (work) => work,
    record: (call) => void calls.push(call),
  });
  client.close();
  return {
    judgement,
    calls,
    identity: judge.identity,
    requests: server.bodies.map((body) => JSON.parse(body) as ChatRequest),
  };
}
const verdict = ({ judgement }: { judgement: Judgement }) =>
  judgement.kind === "verdict" ? judgement.verdict : judgement.class;
const raw = (status: number, body = ""): ServerFault => ({ kind: "raw", status, body });

test("judge: one call at temperature 0 without tools, whose verdict is a score with its rationale or why there is none", async () => {
  const scored = await judged({ content: '{"value": 3, "rationale": "It says so."}' });
  assert.deepEqual(verdict(scored), { scored: true, value: 3, rationale: "It says so." });
  assert.equal(scored.requests.length, 1);
  const { temperature, seed, tools, model } = scored.requests[0] as ChatRequest;
  assert.deepEqual([temperature, seed, tools, model], [0, 5, undefined, "j-1"]);
  assert.deepEqual(verdict(await judged({ content: '```json\n{"value":0}\n```' })), {
    scored: true,
    value: 0,
    rationale: null,
  });
  for (const why of ["inconclusive", "not_applicable"])
    assert.deepEqual(verdict(await judged({ content: JSON.stringify({ unscored: why }) })), {
      scored: false,
      why,
    });
});

test("judge: a reply that is no verdict is unscored and not asked for again, whether the text or the body is wrong", async () => {
  const texts = [
    "3",
    '{"value":5}',
    '{"value":2.5}',
    '{"value":-1}',
    '{"value":"3"}',
    '{"value":3,"unscored":"inconclusive"}',
    '{"unscored":"tired"}',
    'It is {"value":3}',
    "",
  ];
  for (const content of texts) {
    const given = await judged({ content });
    assert.deepEqual(
      [verdict(given), given.calls.length, given.requests.length],
      [{ scored: false, why: "invalid_reply" }, 1, 1],
      content,
    );
  }
  for (const body of ["{", '{"choices":[]}']) {
    const given = await judged({ content: '{"value":1}' }, [raw(200, body)]);
    assert.deepEqual([verdict(given), given.requests.length], [{ scored: false, why: "invalid_reply" }, 1]);
    assert.equal(given.calls[0]?.class, "malformed_output");
  }
});

test("judge: what fails on the way is tried again and recorded; what does not pass is a fault and no verdict", async () => {
  const given = await judged({ content: '{"value":1}' }, [
    raw(500),
    { kind: "cut" },
    raw(429),
    { kind: "reset" },
  ]);
  assert.deepEqual(verdict(given), { scored: true, value: 1, rationale: null });
  assert.deepEqual(
    given.calls[0]?.retries.map(({ class: of }) => of),
    ["transport", "transport", "rate_limit", "transport"],
  );
  assert.equal(verdict(await judged({ content: '{"value":1}' }, Array(9).fill(raw(503)))), "transport");
  assert.equal(verdict(await judged({ content: '{"value":1}' }, [raw(401)])), "auth");
});

test("judge: an outcome that is smuggled into an item reaches nobody", async () => {
  const smuggled = { ...item, outcome: 1, document: { ...item.document, outcome: "sMuGgLeD" } };
  const { requests } = await judged({ content: '{"value":1}' }, [], smuggled);
  const asked = JSON.stringify(requests);
  assert.ok(asked.includes("It will pour.") && asked.includes("It rained."));
  assert.ok(asked.includes("Will it rain on 2014-06-01?"), "the question is sent");
  assert.ok(!asked.includes("outcome") && !asked.includes("sMuGgLeD"));
});

test("judge: another rubric is another identity, and the rest of it is what the judge runs on", async () => {
  const { identity } = await judged({ content: "" });
  assert.deepEqual(
    [identity.name, identity.snapshot, identity.temperature, identity.uses_tools],
    ["http:judge", "j-1", 0, false],
  );
  const endpoint = endpointOf({ endpoint: "judge", url: "http://h" }, "judge.yaml");
  const { clock, sleep } = skippingClock();
  const client = endpointClient(endpoint, { clock, sleep, key: () => undefined });
  const digests = [{}, { prompt: "Score it." }].map(
    (more) => httpJudge({ client, model: "j-1", identity: {}, seed: 1, ...more }).identity.prompt_digest,
  );
  assert.notEqual(digests[0], digests[1]);
  assert.equal(digests[0], identity.prompt_digest);
});
