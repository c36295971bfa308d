import assert from "node:assert/strict";
import * as net from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import type { FaultClass } from "../../src/model/reader.ts";
import { refusedLater } from "../core/refused.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { type ChatRequest, completionText, type Said, type ServerFault } from "../support/chat-server.ts";
import { ask, type Outcome, rowTools, type Scene, served } from "./asked-endpoint.ts";

/** Reads once, then answers. */
const model = ({ messages }: ChatRequest): Said =>
  messages.some(({ role }) => role === "tool")
    ? { calls: [{ name: "answer", args: { probability: 0.375 } }] }
    : { calls: [{ name: "rows", args: { table: "weather" } }] };
const raw = (status: number, body = "", headers: Record<string, string> = {}): ServerFault => ({
  kind: "raw",
  status,
  body,
  headers,
});
type Passing = { readonly fault: ServerFault; readonly class: FaultClass; readonly status: number | null };
/** Faults that go by, and how each is recorded. */
const passing: readonly Passing[] = [
  { fault: raw(429, "{}", { "retry-after": "0" }), class: "rate_limit", status: 429 },
  { fault: raw(429, "slow down", { "retry-after": "1" }), class: "rate_limit", status: 429 },
  { fault: raw(500, "<html>"), class: "transport", status: 500 },
  { fault: raw(503), class: "transport", status: 503 },
  { fault: raw(408), class: "transport", status: 408 },
  { fault: raw(409), class: "transport", status: 409 },
  { fault: raw(425), class: "transport", status: 425 },
  { fault: { kind: "cut" }, class: "transport", status: 200 },
  { fault: { kind: "reset" }, class: "transport", status: null },
  { fault: raw(200, '{"choices":[{"message"'), class: "malformed_output", status: 200 },
  { fault: raw(200, '{"choices":[]}'), class: "malformed_output", status: 200 },
  { fault: raw(200, '{"choices":[{"message":{"content":7}}]}'), class: "malformed_output", status: 200 },
  { fault: raw(200, '{"error":{"message":"overloaded"}}'), class: "malformed_output", status: 200 },
  { fault: raw(200, "[[[]]]"), class: "malformed_output", status: 200 },
  { fault: raw(204), class: "malformed_output", status: 204 },
];
const faulty = async (
  faults: readonly ServerFault[],
  scene: Scene = {},
): Promise<Outcome & { asked: number }> => {
  const server = await served({ answer: model, fault: (n) => faults[n] ?? null });
  return { ...(await ask(server.url, scene)), asked: server.bodies.length };
};
const quick = async () => faulty([]);
const message = ({ attempt }: Outcome) =>
  attempt.kind === "fault" ? `${attempt.class}: ${attempt.message}` : attempt.kind;

test("http: whatever passing faults come before a reply, the answer is that without them, and each is recorded in order", async () => {
  const plain = await quick();
  assert.equal(plain.attempt.kind, "answer");
  const some = fc.array(fc.constantFrom(...passing), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(some, async (faults) => {
      const { attempt, calls, asked } = await faulty(faults.map(({ fault }) => fault));
      const usage = plain.attempt.usage;
      assert.deepEqual(attempt, { ...plain.attempt, usage: { ...usage, retries: faults.length } });
      assert.deepEqual(
        calls[0]?.retries.map(({ class: of, status }) => [of, status]),
        faults.map((fault) => [fault.class, fault.status]),
      );
      assert.deepEqual(
        calls.map(({ request, reply }) => [request, reply]),
        plain.calls.map(({ request, reply }) => [request, reply]),
      );
      assert.equal(asked, 2 + faults.length);
    }),
    { numRuns: 40 },
  );
});

test("http: each fault that passes ends the trajectory with its class when it does not pass, after as many tries as allowed", async () => {
  assert.ok(passing.length > 10);
  for (const { fault, class: of, status } of passing) {
    const { attempt, calls, asked } = await faulty(Array(9).fill(fault), { disk: { retries: 2 } });
    assert.equal(attempt.kind === "fault" && attempt.class, of);
    assert.equal(asked, 3);
    assert.deepEqual(
      [calls.length, calls[0]?.class, calls[0]?.status, calls[0]?.retries.length],
      [1, of, status, 2],
    );
    assert.deepEqual(
      [attempt.usage?.model_calls, attempt.usage?.retries, attempt.usage?.input_tokens],
      [1, 2, null],
    );
  }
});

test("http: what is wrong with the request or the key is not tried again", async () => {
  const words = (code: string, text: string) => JSON.stringify({ error: { code, message: text } });
  const cases: readonly [ServerFault, string][] = [
    [
      raw(400, words("invalid", "temperature is not supported")),
      "bad_request: HTTP 400: temperature is not supported",
    ],
    [raw(404, "nothing here"), "bad_request: HTTP 404"],
    [raw(422, '{"error":"unprocessable"}'), "bad_request: HTTP 422: unprocessable"],
    [raw(400, words("context_length_exceeded", "too long")), "context_window: HTTP 400: too long"],
    [
      raw(400, words("", "the request exceeds the available context size")),
      "context_window: HTTP 400: the request exceeds the available context size",
    ],
    [raw(401, words("", "wrong key")), "auth: HTTP 401: the endpoint asks for a key"],
    [raw(403), "auth: HTTP 403: the endpoint refused the request"],
    [
      raw(302, "", { location: "http://127.0.0.1:9/v1" }),
      "bad_request: HTTP 302: redirects are not followed",
    ],
  ];
  for (const [fault, expected] of cases) {
    const outcome = await faulty([fault]);
    assert.equal(message(outcome), expected);
    assert.deepEqual([outcome.asked, outcome.calls[0]?.retries], [1, []]);
  }
});

test("http: waits double from the first to the longest, and the endpoint's own word goes before them, up to the longest", async () => {
  const doubling = await faulty(Array(12).fill(raw(500)), { disk: { retries: 10 } });
  const first = limits.waitMsFirst;
  assert.deepEqual(
    doubling.calls[0]?.retries.map(({ wait_ms }) => wait_ms),
    [...[1, 2, 4, 8, 16, 32, 64, 128].map((factor) => factor * first), limits.waitMs, limits.waitMs],
  );
  const after = (value: string) => raw(429, "", { "retry-after": value });
  // The tests' clock starts at 2023-11-14T22:13:20Z, and moves with the waits.
  const said = [
    "2",
    "0",
    "1.5",
    "Tue, 14 Nov 2023 22:13:33 GMT",
    "99999",
    "Tue, 14 Nov 2023 22:13:20 GMT",
    "soon",
  ];
  const { calls } = await faulty(said.map(after), { disk: { retries: 7 } });
  assert.deepEqual(
    calls[0]?.retries.map(({ wait_ms }) => wait_ms),
    [2000, 0, 1500, 9500, limits.waitMs, 0, first * 64],
  );
});

test("http: a request that takes too long is tried again; the case's deadline ends it at once, waiting or asking", async () => {
  const slow = await faulty([{ kind: "silent" }], { disk: { timeout_seconds: 0.4 } });
  assert.equal(slow.attempt.kind, "answer");
  assertEvery(slow.calls[0]?.retries ?? [], ({ class: of, status }) => of === "timeout" && status === null);
  const late = await faulty([{ kind: "silent" }], { deadline: AbortSignal.timeout(50) });
  assert.equal(message(late), "timeout: no answer within the case's time");
  assert.deepEqual([late.calls.length, late.calls[0]?.class, late.calls[0]?.retries], [1, "timeout", []]);
  const waiting = new AbortController();
  const sleep = async () => waiting.abort();
  const ended = await faulty([raw(500)], { deadline: waiting.signal, options: { sleep } });
  assert.equal(message(ended), "timeout: no answer within the case's time");
  assert.deepEqual([ended.asked, ended.calls[0]?.retries.length], [1, 1]);
});

test("http: a reply of more bytes than the limit is cut off and not asked for again", async () => {
  const { calls, attempt, asked } = await faulty([raw(200, " ".repeat(limits.replyBytes + 1))]);
  assert.equal(attempt.kind === "fault" && attempt.class, "malformed_output");
  assert.deepEqual([asked, calls[0]?.reply], [1, ""]);
});

test("http: an endpoint that nobody listens at is a transport fault whose words name no address", async () => {
  const server = await served({ answer: model });
  await server.close();
  const { attempt } = await ask(server.url, { disk: { retries: 1 } });
  assert.equal(attempt.kind === "fault" && attempt.message, "the connection failed (ECONNREFUSED)");
});

const MARK = "sk-MARK/q+6f1=";
const spelled = (text: string) =>
  [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const keyed: Pick<Scene, "disk" | "options"> = {
  disk: { key_variable: "LOCAL_API_KEY" },
  options: { key: (variable) => (variable === "LOCAL_API_KEY" ? MARK : undefined) },
};
const holdsMark = (value: unknown): boolean =>
  typeof value === "string"
    ? value.replaceAll("\\/", "/").includes(MARK) || (/^[[{]/.test(value) && holdsMark(parsed(value)))
    : value !== null &&
      typeof value === "object" &&
      Object.entries(value).some((entry) => entry.some(holdsMark));
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

test("http: a key that the endpoint echoes, plain or escaped, in errors, text or arguments, is in nothing that comes out", async () => {
  const echoes: ((request: ChatRequest) => ServerFault)[] = [
    () => raw(500, `Authorization: Bearer ${MARK}`),
    () => raw(401, JSON.stringify({ error: { message: `bad key ${MARK.slice(0, 9)}` } })),
    () => raw(400, JSON.stringify({ error: { message: `bad key ${MARK}` } })),
    () => raw(400, `{"error":{"message":"bad key ${spelled(MARK)}"}}`),
    (request) => raw(200, completionText(request, { content: JSON.stringify({ decline: MARK }) })),
    (request) => raw(200, completionText(request, { content: `{"decline":"${spelled(MARK)}"}` })),
    (request) => raw(200, completionText(request, { refusal: MARK })),
    (request) => raw(200, completionText(request, { refusal: MARK }).replaceAll("/", "\\/")),
    (request) => raw(200, completionText(request, { calls: [{ name: "rows", args: { table: MARK } }] })),
    (request) =>
      raw(200, completionText(request, { calls: [{ name: MARK, args: `{"table":"${spelled(MARK)}"}` }] })),
    (request) => raw(200, completionText(request, { calls: [{ name: "answer", args: { [MARK]: MARK } }] })),
    (request) => raw(200, completionText(request, { calls: [{ name: "rows", args: MARK }] })),
    (request) => raw(200, completionText({ ...request, model: MARK }, { content: MARK })),
  ];
  for (const echo of echoes) {
    let last: ChatRequest | undefined;
    const server = await served({
      answer: (request) => {
        last = request;
        return model(request);
      },
      fault: (n, request) => (n === 0 ? echo(request) : null),
    });
    const host = rowTools([]);
    const outcome = await ask(server.url, { ...keyed, tools: host.tools });
    assert.equal(server.authorizations[0], `Bearer ${MARK}`, "the key is sent");
    assert.ok(!holdsMark([outcome, host.called, last, server.bodies]), String(echo));
    assertNone(outcome.calls, ({ reply }) => reply.includes("sk-MARK"));
  }
  assert.ok(
    holdsMark({ a: [`{"b":"${spelled(MARK)}"}`] }) && holdsMark([{ [MARK]: 1 }]),
    "the look finds what is there",
  );
});

test("http: a key that is not there, or is none, is refused before anything is asked, without a word of it", async () => {
  const server = await served({ answer: model });
  const none = await refusedLater("CredentialMissing", () => ask(server.url, { disk: keyed.disk ?? {} }));
  assert.equal(none.details.variable, "LOCAL_API_KEY");
  for (const value of ["sk-1", `${MARK}\n`, "redacted", "sk-MÄRK-6f1", 'sk-"MARK']) {
    const options = { key: () => value };
    const error = await refusedLater("FieldInvalid", () => ask(server.url, { ...keyed, options }));
    assert.ok(!error.message.includes(value));
  }
  assert.equal(server.bodies.length, 0);
});

test("http: tries of one call are as many as its record says, each with its time and its wait", async () => {
  const { calls, sleeps } = await faulty([raw(500), raw(429, "", { "retry-after": "3" }), { kind: "cut" }]);
  const retries = calls[0]?.retries ?? [];
  assert.deepEqual(
    retries.map(({ wait_ms }) => wait_ms),
    [500, 3000, 2000],
  );
  assertEvery(retries, ({ ms }) => ms >= 0);
  assert.deepEqual(sleeps, [500, 3000, 2000]);
});

test("http: a status that is none is a fault of the way, and is recorded as no status at all", async () => {
  const server = net.createServer((socket) => {
    socket.on("data", () => socket.end("HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\n{}"));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  try {
    const { attempt, calls } = await ask(`http://127.0.0.1:${port}/v1`, { disk: { retries: 1 } });
    assert.equal(attempt.kind === "fault" && attempt.class, "transport");
    assert.deepEqual([calls[0]?.status, calls[0]?.retries[0]?.status], [null, null]);
  } finally {
    server.close();
  }
});
