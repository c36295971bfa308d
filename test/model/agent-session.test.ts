/** The conversation with a reader, over a transport in memory: what breaks it off, as which fault, and what does not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello } from "../../src/model/agent-protocol.ts";
import { openSession, type Received, type Transport } from "../../src/model/agent-session.ts";
import { type Attempt, OUT_OF_TIME, type Tools } from "../../src/model/reader.ts";
import { assertEvery } from "../support/all.ts";
import { asked, faultOf, never, notingTools } from "./agents.ts";

type Said = { readonly type: string; readonly [key: string]: unknown };
/** What the other side says to a message; text is said as it is. */
type Other = (told: Said) => readonly (string | object)[];

type Memory = Transport & {
  readonly told: Said[];
  killed(): boolean;
  say(line: string | object): void;
  end(): void;
};

/** The other side in memory: it is not read unless it is received from. */
function memoryTransport(other: Other): Memory {
  const told: Said[] = [];
  const waiting: Received[] = [];
  let wake = (): void => {};
  let killed = false;
  let settle = (): void => {};
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const say = (line: string | object): void => {
    waiting.push({ kind: "line", text: typeof line === "string" ? line : JSON.stringify(line) });
    wake();
  };
  const END: Received = { kind: "end", how: "ended with exit code 0", rest: "" };
  const end = (): void => {
    waiting.push(END);
    settle();
    wake();
  };
  const kill = (): void => {
    killed = true;
    end();
  };
  return {
    told,
    say,
    end,
    killed: () => killed,
    async send(line) {
      const message = JSON.parse(line) as Said;
      told.push(message);
      for (const said of other(message)) say(said);
    },
    async receive() {
      for (;;) {
        const first = killed ? END : waiting.shift();
        if (first !== undefined) return first;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    waiting: () => waiting.shift() ?? null,
    close: end,
    expire: kill,
    kill,
    ended,
    words: () => "",
  };
}

const hello: Hello = {
  type: "hello",
  v: 1,
  snapshot: null,
  tools: [],
  tool_schema_version: "sha256:0",
  params: {},
};
const answer = { type: "answer", probability: 0.25 };
const call = (id: string, args: unknown = {}) => ({ type: "call", call_id: id, tool: "rows", args });

/** One question to a reader that says `lines` to it, and `more` to each reply. */
async function ask(
  lines: readonly (string | object)[],
  more: Other = () => [],
  tools: Tools | null = notingTools().tools,
): Promise<{ attempt: Attempt; transport: Memory; over: boolean }> {
  const transport = memoryTransport((told) =>
    told.type === "ask" ? lines : told.type === "reply" ? more(told) : [],
  );
  const session = openSession(transport);
  const attempt = await session.ask(asked, tools, never);
  return { attempt, transport, over: session.over() };
}

test("an answer, a decline and a fault of its own are taken, and the process goes on", async () => {
  const cases: [object, Attempt][] = [
    [answer, { kind: "answer", probability: 0.25, usage: null }],
    [
      { type: "decline", reason: "no_data" },
      { kind: "decline", reason: "no_data", usage: null },
    ],
    [
      { type: "fault", class: "rate_limit", message: "slow down" },
      { kind: "fault", class: "rate_limit", message: "slow down", usage: null },
    ],
  ];
  for (const [line, expected] of cases) {
    const { attempt, transport, over } = await ask([line]);
    assert.deepEqual(attempt, expected);
    assert.ok(!over && !transport.killed());
  }
});

const broken: readonly [what: string, lines: readonly (string | object)[], fault: RegExp][] = [
  ["garbage", ["Loading model…", answer], /^protocol: a line that is not JSON: "Loading model…"$/],
  ["an empty line", ["", answer], /^protocol: a line that is not JSON: ""$/],
  [
    "an identity in the wrong place",
    [{ type: "identity" }, answer],
    /^protocol: an identity where an answer belongs$/,
  ],
  ["an unknown type", [{ type: "thought" }, answer], /^protocol: .* is no message/],
  ["an unknown key", [{ ...answer, why: "" }], /^protocol: answer: why: Unexpected property/],
  [
    "an answer to another question",
    [{ ...answer, id: "case-2" }],
    /^protocol: it answered "case-2", repeat 0, and was/,
  ],
  [
    "an answer to another repeat",
    [{ ...answer, repeat: 1 }],
    /^protocol: it answered "case-1", repeat 1, and was/,
  ],
];

for (const [what, lines, fault] of broken) {
  test(`a question is broken off, and its process ended, by ${what}`, async () => {
    const { attempt, transport, over } = await ask(lines);
    assert.match(faultOf(attempt), fault);
    assert.ok(over && transport.killed());
  });
}

test("calls that are sent together are answered one after the other, in the order in which they came", async () => {
  let inFlight = 0;
  let most = 0;
  const seen: unknown[] = [];
  const tools: Tools = {
    async call(_tool, args) {
      most = Math.max(most, ++inFlight);
      seen.push(args);
      await new Promise((resolve) => setTimeout(resolve, seen.length === 1 ? 5 : 0));
      inFlight--;
      return { ok: true, n: seen.length };
    },
  };
  const { attempt, transport } = await ask(
    [call("c", 1), call("a", 2), call("b", 3), answer],
    () => [],
    tools,
  );
  assert.equal(attempt.kind, "answer");
  assert.deepEqual(seen, [1, 2, 3]);
  assert.equal(most, 1);
  assert.deepEqual(
    transport.told.filter(({ type }) => type === "reply"),
    ["c", "a", "b"].map((id, i) => ({ type: "reply", call_id: id, ok: true, n: i + 1 })),
  );
});

test("a violation is told as a fault and the question goes on; an error of ours ends the process and is thrown", async () => {
  const violated = Object.assign(new Error("served the planted row a#1"), { name: "BoundViolation" });
  const throwing = (error: Error): Tools => ({ call: () => Promise.reject(error) });
  const swallowed = await ask([call("1")], () => [answer], throwing(violated));
  assert.equal(swallowed.attempt.kind, "answer");
  assert.deepEqual(swallowed.transport.told.at(-1), {
    type: "reply",
    call_id: "1",
    ok: false,
    fault: { class: "aborted", message: violated.message },
  });
  const transport = memoryTransport(({ type }) => (type === "ask" ? [call("1")] : []));
  const session = openSession(transport);
  await assert.rejects(
    session.ask(asked, throwing(new Error("the disk is full")), never),
    /the disk is full/,
  );
  assert.ok(session.over() && transport.killed());
});

test("a call by a reader that uses no tools is broken off; its answer alone is not", async () => {
  assert.equal((await ask([answer], () => [], null)).attempt.kind, "answer");
  const { attempt, over } = await ask([call("1"), answer], () => [], null);
  assert.equal(faultOf(attempt), "protocol: a call, though its identity says that it uses no tools");
  assert.ok(over);
});

test("while a reply is not taken, nothing is received: a reader cannot run ahead of its replies", async () => {
  const transport = memoryTransport(({ type }) => (type === "ask" ? Array(50).fill(call("1")) : []));
  let open = (): void => {};
  const send = transport.send.bind(transport);
  const stuck: Transport = {
    ...transport,
    async send(line) {
      await send(line);
      if (line.includes('"reply"'))
        await new Promise<void>((resolve) => {
          open = resolve;
        });
    },
  };
  const { tools, calls } = notingTools();
  const asking = openSession(stuck).ask(asked, tools, never);
  for (let seen = 1; seen <= 3; seen++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(calls.length, seen);
    open();
  }
  transport.kill();
  open();
  assert.equal((await asking).kind, "fault");
});

/** A deadline that, unlike AbortSignal.timeout, keeps the process waiting for it. */
function inTime(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}

test("its end before an answer is a fault of transport; so is the end of its time a timeout, and it is ended", async () => {
  const dying = memoryTransport(() => []);
  const attempt = openSession(dying).ask(asked, null, never);
  dying.end();
  assert.equal(faultOf(await attempt), "transport: it ended with exit code 0 before it had answered");
  const hanging = memoryTransport(() => []);
  const timed = openSession(hanging).ask(asked, null, inTime(5));
  assert.equal(faultOf(await timed), `timeout: ${OUT_OF_TIME}`);
  assert.ok(hanging.killed());
  const late = memoryTransport(() => [answer]);
  assert.equal(
    faultOf(await openSession(late).ask(asked, null, AbortSignal.abort())),
    `timeout: ${OUT_OF_TIME}`,
  );
});

test("hello is answered with an identity, or with a fault of its own, and with nothing else", async () => {
  const greetedBy = async (...lines: readonly (string | object)[]) => {
    const transport = memoryTransport(() => lines);
    const greeted = await openSession(transport).greet(hello, never);
    assert.deepEqual(transport.told, [hello]);
    return greeted;
  };
  assert.deepEqual(await greetedBy({ type: "identity", name: "a" }), { ok: true, said: { name: "a" } });
  assert.deepEqual(await greetedBy({ type: "fault", class: "auth", message: "no key" }), {
    ok: false,
    class: "auth",
    message: "no key",
  });
  const wrong = [await greetedBy(answer), await greetedBy("hi"), await greetedBy(call("1"))];
  assertEvery(wrong, (greeted) => !greeted.ok && greeted.class === "protocol");
});

test("after its answer it is told bye, and what it still says is given back; white space is nothing", async () => {
  const byeTo = async (...lines: readonly (string | object)[]) => {
    const transport = memoryTransport(({ type }) => (type === "ask" ? [answer, ...lines] : []));
    const session = openSession(transport);
    assert.equal((await session.ask(asked, null, never)).kind, "answer");
    const more = await session.bye();
    assert.deepEqual(transport.told.at(-1), { type: "bye" });
    assert.ok(session.over());
    return more;
  };
  assert.equal(await byeTo(), null);
  assert.equal(await byeTo("", "  \r"), null);
  assert.equal(await byeTo("", "done"), '"done"');
  assert.match((await byeTo(answer)) ?? "", /^"\{\\"type\\":\\"answer\\"/);
});

test("what waits before the next question of a shared process breaks that question off", async () => {
  const transport = memoryTransport(({ type }) => (type === "ask" ? [answer] : []));
  const session = openSession(transport);
  for (let i = 0; i < 2; i++) assert.equal((await session.ask(asked, null, never)).kind, "answer");
  transport.say({ ...answer, probability: 0.9 });
  assert.match(faultOf(await session.ask(asked, null, never)), /^protocol: it said more after its answer: /);
  assert.ok(session.over() && transport.killed());
});
