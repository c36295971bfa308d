import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../src/core/limits.ts";
import type { Positions } from "../../src/model/given-answer.ts";
import { missingMcp } from "../../src/model/mcp-reader.ts";
import { noUsage } from "../../src/model/reader.ts";
import { toolSchemas } from "../../src/store/tools.ts";
import { refused, refusedLater } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import { askedCase, askedDecision } from "./an-asked-case.ts";
import { ask, echoTools, held, identity } from "./an-mcp-client.ts";

const closedNow = { ok: false, fault: { class: "aborted", message: "the case is closed" } };
const row = { ref: "weather#2014-05-31", available_at: "2014-06-01T07:00:00Z", body: { precipitation: 0.5 } };

for (const mode of ["legacy", { pin: "2026-07-28" }] as const) {
  const version = typeof mode === "string" ? "2025" : mode.pin;

  test(`mcpReader (${version}): a client is told the question, reads, and answers once`, async () => {
    const one = held({}, mode);
    const { tools, calls } = echoTools(() => ({ ok: true, rows: [row], total: 2, truncated: true }));
    const attempt = ask(one, tools);
    await one.connect();
    const instructions = one.client.getInstructions() as string;
    assert.deepEqual(JSON.parse(instructions.split("\n").at(-1) as string), askedCase);
    const question = await one.call("question");
    assert.deepEqual(question, { body: askedCase, isError: false });
    const rows = await one.call("rows", { table: "weather", limit: 1 });
    assert.deepEqual(rows, { body: { ok: true, rows: [row], total: 2, truncated: true }, isError: false });
    assert.deepEqual(calls, [["rows", { table: "weather", limit: 1 }]]);
    const answer = one.call("answer", { probability: 0.25, usage: { input_tokens: 12, cost: null } });
    assert.deepEqual(await attempt, {
      kind: "answer",
      probability: 0.25,
      usage: { ...noUsage, input_tokens: 12 },
    });
    const closed = one.source.close?.();
    assert.deepEqual(await answer, { body: { ok: true }, isError: false });
    for (const name of ["rows", "question", "answer", "decline"])
      assert.deepEqual(await one.call(name, { probability: 1 }), { body: closedNow, isError: true }, name);
    assert.equal(calls.length, 1, "what came after the answer reached no store");
    await one.client.close();
    await closed;
  });

  test(`mcpReader (${version}): the tools are the store's with their schemas as they are, and three more`, async () => {
    const one = held({}, mode);
    const attempt = ask(one, echoTools().tools);
    await one.connect();
    const { tools } = await one.client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["question", ...toolSchemas.map((tool) => tool.name), "answer", "decline"],
    );
    for (const { name, schema } of toolSchemas)
      assert.deepEqual(tools.find((tool) => tool.name === name)?.inputSchema, schema, name);
    const decline = one.call("decline", { reason: "no data" });
    assert.deepEqual(await attempt, { kind: "decline", reason: "no data", usage: null });
    await Promise.all([one.source.close?.(), decline.then(() => one.client.close())]);
  });
}

test("mcpReader: the answer is heard to be kept when the source is closed, and not before", async () => {
  const one = held();
  const attempt = ask(one, echoTools().tools);
  await one.connect();
  let heard = false;
  const answer = one.call("answer", { probability: 0 }).then(() => {
    heard = true;
  });
  await attempt;
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(heard, false);
  await Promise.all([one.source.close?.(), answer.then(() => one.client.close())]);
  assert.equal(heard, true);
});

test("mcpReader: an answer that is none is malformed output, and ends the case", async () => {
  const faulty: [string, Record<string, unknown>, RegExp][] = [
    ["answer", { probability: 1.5 }, /^answer: probability: .*1\.5$/],
    ["answer", { probability: -0.1 }, /^answer: probability: .*-0\.1$/],
    ["answer", { probability: "0.5" }, /^answer: probability: .*"0\.5"$/],
    ["answer", {}, /^answer: probability: /],
    ["answer", { probability: 0.5, certainty: 1 }, /^answer: certainty: /],
    ["answer", { probability: 0.5, usage: { input_tokens: -1 } }, /^answer: usage\.input_tokens: /],
    ["decline", {}, /^decline: reason: /],
  ];
  for (const [name, args, message] of faulty) {
    const one = held();
    const attempt = ask(one, echoTools().tools);
    await one.connect();
    const heard = one.call(name, args);
    const given = await attempt;
    assert.ok(given.kind === "fault" && given.class === "malformed_output", JSON.stringify(given));
    assert.match(given.message, message);
    const closed = one.source.close?.();
    assert.deepEqual(await heard, {
      body: { ok: false, fault: { class: "malformed_output", message: given.message } },
      isError: true,
    });
    await Promise.all([closed, one.client.close()]);
  }
});

test("mcpReader: positions of another than the case's members are malformed output; those of a member stand", async () => {
  const answered = async (positions: Positions) => {
    const one = held({ asked: askedDecision });
    const attempt = ask(one, echoTools().tools, new AbortController().signal, askedDecision);
    await one.connect();
    const heard = one.call("answer", { positions });
    const given = await attempt;
    await Promise.all([one.source.close?.(), heard.then(() => one.client.close())]);
    return given;
  };
  const other = await answered({ m9: 1 });
  assert.ok(other.kind === "fault" && other.class === "malformed_output", JSON.stringify(other));
  assert.equal(other.message, 'positions: "m9", expected members of the case alone: m1, m2');
  assert.deepEqual(await answered({ m2: 1 }), { kind: "answer", positions: { m2: 1 }, usage: null });
});

test("mcpReader: a fault of a tool and a violation are errors to the client, and it may go on", async () => {
  const violation = Object.assign(new Error("served the planted row"), { name: "BoundViolation" });
  const fault = { ok: false, fault: { class: "bad_request", message: "no table" } } as const;
  const one = held();
  const { tools, calls } = echoTools((n) => (n === 1 ? fault : violation));
  const attempt = ask(one, tools);
  await one.connect();
  assert.deepEqual(await one.call("rows", { table: 5 }), { body: fault, isError: true });
  const aborted = { ok: false, fault: { class: "aborted", message: "served the planted row" } };
  assert.deepEqual(await one.call("no such tool", { a: [1] }), { body: aborted, isError: true });
  assert.deepEqual(calls.at(-1), ["no such tool", { a: [1] }], "the host judges names, and records them");
  const answer = one.call("answer", { probability: 1 });
  assert.equal((await attempt).kind, "answer");
  await Promise.all([one.source.close?.(), answer.then(() => one.client.close())]);
});

test("mcpReader: an error that is ours ends the session and comes out of the ask", async () => {
  const one = held();
  const attempt = ask(one, echoTools(() => new Error("the disk is full")).tools);
  await one.connect();
  const heard = one.call("rows");
  await assert.rejects(attempt, /the disk is full/);
  assert.equal((await heard).isError, true);
  await Promise.all([one.source.close?.(), one.client.close()]);
});

test("mcpReader: a client that leaves without an answer is a transport fault", async () => {
  const one = held();
  const attempt = ask(one, echoTools().tools);
  await one.connect();
  await one.call("rows");
  await one.client.close();
  assert.deepEqual(await attempt, {
    kind: "fault",
    class: "transport",
    message: "the client closed the session without an answer",
    usage: null,
  });
  await one.source.close?.();
});

test("mcpReader: an answer that is sent right before the end of the stream stands", async () => {
  const one = held();
  const { tools, calls } = echoTools();
  const attempt = ask(one, tools);
  await one.connect();
  const sent = [
    { name: "rows", arguments: {} },
    { name: "answer", arguments: { probability: 0.75 } },
  ].map((params, n) => JSON.stringify({ jsonrpc: "2.0", id: 100 + n, method: "tools/call", params }));
  one.input.end(`${sent.join("\n")}\n`);
  assert.deepEqual(await attempt, { kind: "answer", probability: 0.75, usage: null });
  assert.equal(calls.length, 1);
  await one.source.close?.();
});

test("mcpReader: when the case's time is over the session is closed", async () => {
  const one = held();
  const deadline = new AbortController();
  const attempt = ask(one, echoTools().tools, deadline.signal);
  await one.connect();
  await one.call("rows");
  deadline.abort();
  assert.deepEqual(await attempt, {
    kind: "fault",
    class: "timeout",
    message: "no answer within the case's time",
    usage: null,
  });
  await one.source.close?.();
  assert.equal(one.input.isPaused(), true, "nobody reads what the client sends");
  assert.equal(one.input.listenerCount("data"), 0);
});

test("mcpReader: a reader that uses no tools is offered none, and a call of one is a protocol fault", async () => {
  const one = held({ identity: { ...identity, uses_tools: false } });
  const attempt = ask(one, null);
  await one.connect();
  const { tools } = await one.client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["question", "answer", "decline"],
  );
  assert.equal((await one.call("question")).isError, false);
  const heard = one.call("rows");
  const given = await attempt;
  assert.ok(given.kind === "fault" && given.class === "protocol");
  assert.equal(given.message, "it called rows, and uses no tools");
  const closed = one.source.close?.();
  assert.equal((await heard).isError, true);
  await Promise.all([closed, one.client.close()]);
});

test("mcpReader: a message without an end is cut off at the limit", async () => {
  const one = held();
  const attempt = ask(one, echoTools().tools);
  await one.connect();
  await one.call("rows");
  const chunk = Buffer.alloc(1 << 16, "x");
  for (let bytes = 0; bytes <= limits.lineBytes; bytes += chunk.length) one.input.write(chunk);
  const given = await attempt;
  assert.ok(given.kind === "fault" && given.class === "protocol", JSON.stringify(given));
  assert.equal(given.message, `a message of more than ${limits.lineBytes} bytes`);
  await one.source.close?.();
});

test("mcpReader: lines that are no messages are passed over, and nothing but the protocol is written", async () => {
  const one = held();
  const attempt = ask(one, echoTools().tools);
  one.input.write("hello?\n{}\n[1]\n");
  await one.connect();
  const answer = one.call("answer", { probability: 0.5 });
  await attempt;
  await Promise.all([one.source.close?.(), answer.then(() => one.client.close())]);
  assertEvery(one.written().trimEnd().split("\n"), (line) => JSON.parse(line).jsonrpc === "2.0");
});

test("mcpReader: calls that arrive at once are answered in their order, the closing one last", async () => {
  const one = held();
  const { tools, calls } = echoTools();
  const attempt = ask(one, tools);
  await one.connect();
  const sent = Array.from({ length: 3 * limits.turns }, (_, n) => one.call("rows", { n }));
  const last = [one.call("answer", { probability: 0.1 }), one.call("answer", { probability: 0.9 })] as const;
  assertEvery(await Promise.all(sent), ({ isError }) => !isError);
  assert.deepEqual(
    calls,
    sent.map((_, n) => ["rows", { n }]),
  );
  assert.deepEqual(await attempt, { kind: "answer", probability: 0.1, usage: null });
  assert.deepEqual(await last[1], { body: closedNow, isError: true });
  await Promise.all([one.source.close?.(), last[0].then(() => one.client.close())]);
});

test("mcpReader: a client that asks without reading is answered no further", async () => {
  const one = held();
  const body = { text: "x".repeat(100_000) };
  const { tools, calls } = echoTools(() => ({ ok: true, rows: [{ ...row, body }] }));
  const deadline = new AbortController();
  const attempt = ask(one, tools, deadline.signal);
  await one.connect();
  await one.call("rows");
  one.output.pause();
  const sent = Array.from({ length: 50 }, () => one.call("rows").catch(() => "cut off"));
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(calls.length >= 2 && calls.length < 5, `${calls.length} calls were answered`);
  deadline.abort();
  const given = await attempt;
  assert.ok(given.kind === "fault" && given.class === "timeout");
  await one.source.close?.();
  await one.client.close();
  assertEvery(await Promise.all(sent), (heard) => heard === "cut off");
});

test("mcpReader: who only looks who is there leaves no run: the reader is unavailable", async () => {
  const one = held();
  const identified = one.source.identity(null);
  await one.connect();
  await one.client.listTools();
  await one.client.close();
  const { details } = await refusedLater("ReaderUnavailable", async () => identified);
  assert.equal(details.problem, "the client left before it called a tool");
  await one.source.close?.();
});

test("mcpReader: its identity is the profile's, and a session serves one trajectory", async () => {
  const one = held({ params: { k: "v" }, temperature: 0.5 });
  const identified = one.source.identity(null);
  await one.connect();
  const question = one.call("question");
  assert.deepEqual(await identified, { ...identity, temperature: 0.5, params: { k: "v" } });
  const opening = {
    deadline: () => AbortSignal.abort(),
    refusal: () => null,
    paused: <T>(work: Promise<T>) => work,
    record: () => undefined,
  };
  const reader = one.source.open(null, opening);
  assert.throws(() => one.source.open(null, opening), /one trajectory/);
  const given = await reader.answer(askedCase, null, AbortSignal.abort());
  assert.ok(given.kind === "fault" && given.class === "timeout", "its time was over before it began");
  await one.source.close?.();
  await one.client.close();
  await assert.rejects(question);
});

test("mcpReader: without the package nothing runs, and the words say what to install", async () => {
  const absent = Object.assign(
    new Error("Cannot find package '@modelcontextprotocol/server' imported from x"),
    {
      code: "ERR_MODULE_NOT_FOUND",
    },
  );
  const one = held({}, "legacy", async () => missingMcp(absent));
  const { details, hint } = await refusedLater("PackageMissing", async () => one.source.identity(null));
  assert.deepEqual(details, { place: "serve", name: "@modelcontextprotocol/server", version: "2.4.0" });
  assert.equal(hint, "npm install @modelcontextprotocol/server@2.4.0");
  assert.equal(refused("PackageMissing", () => missingMcp(absent)).code, "PackageMissing");
  const other = Object.assign(new Error("Cannot find package 'zod'"), { code: "ERR_MODULE_NOT_FOUND" });
  assert.throws(() => missingMcp(other), other);
});
