import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Level } from "level";
import type { ReplyCache } from "../../src/model/reply.ts";
import { levelReplyCache } from "../../src/run/reply-cache.ts";
import { refusedLater, temporary, written } from "../core/refused.ts";
import { askedCase } from "../model/an-asked-case.ts";
import { ask, type Scene, served } from "../model/asked-endpoint.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import type { ChatRequest, Said, ServerFault } from "../support/chat-server.ts";

const model = ({ messages }: ChatRequest): Said =>
  messages.some(({ role }) => role === "tool")
    ? { calls: [{ name: "answer", args: { probability: 0.375 } }] }
    : { calls: [{ name: "rows", args: { table: "weather" } }] };
const disk = { cache: true, cost: { input: 3, output: 10, currency: "USD" } };
const scene = (cache: ReplyCache, more: Scene = {}): Scene => ({
  ...more,
  disk: { ...disk, ...more.disk },
  options: { cache, ...more.options },
});
const newCache = () => {
  const folder = path.join(temporary(), "a", "replies");
  return { folder, cache: levelReplyCache(folder) };
};

test("reply cache: a hit is the first reply with the first usage, asks nobody, and says that it is one", async () => {
  const { cache, folder } = newCache();
  const server = await served({ answer: model, fault: (n) => (n === 0 ? { kind: "reset" } : null) });
  const first = await ask(server.url, scene(cache));
  assert.equal(server.bodies.length, 3);
  await cache.close();
  const again = levelReplyCache(folder);
  const second = await ask(server.url, scene(again));
  assert.equal(server.bodies.length, 3, "nobody was asked");
  assert.deepEqual(second.attempt, first.attempt);
  assert.deepEqual(
    second.calls.map(({ cached, usage, reply, request, served: by }) => [cached, usage, reply, request, by]),
    first.calls.map(({ usage, reply, request, served: by }) => [true, usage, reply, request, by]),
  );
  assertNone(first.calls, ({ cached }) => cached);
  assertEvery(second.calls, ({ retries, status }) => retries.length === 0 && status === 200);
  await again.close();
});

test("reply cache: another case, repeat, model, temperature or prompt is another key", async () => {
  const { cache } = newCache();
  const server = await served({ answer: model });
  await ask(server.url, scene(cache));
  const others: Scene[] = [
    { asked: { ...askedCase, id: "rain-2014-06-02" } },
    { asked: { ...askedCase, repeat: 1 } },
    { disk: { model: "m-2" } },
    { options: { temperature: 0.5 } },
    { options: { identity: { pretrain_cutoff: "2013-01:documented", posttrain_cutoff: "none" } } },
    { disk: { prompt: "Say." } },
    { disk: { max_turns: 5 } },
  ];
  for (const other of others) {
    const before = server.bodies.length;
    const { calls } = await ask(server.url, scene(cache, other));
    assert.equal(server.bodies.length, before + 2);
    assertNone(calls, ({ cached }) => cached);
  }
  assertEvery((await ask(server.url, scene(cache))).calls, ({ cached }) => cached);
  await cache.close();
});

test("reply cache: what failed or was filtered is not kept, and no cache is asked unless the endpoint says so", async () => {
  const filtered = { content: '{"probability":0.5}', finish: "content_filter" };
  const fault: ServerFault = { kind: "raw", status: 400, body: '{"error":{"message":"no"}}' };
  for (const options of [{ answer: () => filtered }, { answer: model, fault: () => fault }]) {
    const { cache } = newCache();
    const server = await served(options);
    await ask(server.url, scene(cache));
    await ask(server.url, scene(cache));
    assert.equal(server.bodies.length, 2);
    await cache.close();
  }
  const { cache } = newCache();
  const server = await served({ answer: model });
  for (const _ of [1, 2]) await ask(server.url, scene(cache, { disk: { cache: false } }));
  assert.equal(server.bodies.length, 4);
});

test("reply cache: a value that is not what was put, in any byte, is a miss", async () => {
  const { cache, folder } = newCache();
  await cache.put("k", '{"reply":"é"}');
  assert.equal(await cache.get("k"), '{"reply":"é"}');
  assert.equal(await cache.get("other"), undefined);
  await cache.close();
  const level = new Level<string, string>(folder);
  const stored = (await level.get("k")) as string;
  const broken = [...stored].map(
    (character, i) => stored.slice(0, i) + (character === "0" ? "1" : "0") + stored.slice(i + 1),
  );
  const texts = [...broken, "", " ", "é", stored.slice(1), `${stored} `];
  for (const [i, text] of texts.entries()) await level.put(`broken-${i}`, text);
  await level.close();
  const again = levelReplyCache(folder);
  const got = await Promise.all(texts.map((_, i) => again.get(`broken-${i}`)));
  assertEvery(got, (text) => text === undefined);
  assert.equal(await again.get("k"), '{"reply":"é"}');
  await again.close();
});

test("reply cache: a trajectory goes on with new replies where kept ones were broken", async () => {
  const { cache, folder } = newCache();
  const server = await served({ answer: model });
  const first = await ask(server.url, scene(cache));
  await cache.close();
  const level = new Level<string, string>(folder);
  for (const key of await level.keys().all())
    await level.put(key, ((await level.get(key)) as string).replace("0.375", "0.999"));
  await level.close();
  const again = levelReplyCache(folder);
  const second = await ask(server.url, scene(again));
  assert.deepEqual(second.attempt, first.attempt);
  assert.deepEqual(
    second.calls.map(({ cached }) => cached),
    [true, false],
  );
  await again.close();
});

test("reply cache: its bytes hold no key, though the endpoint echoes it", async () => {
  const MARK = "sk-MARK-6f1c";
  const kept: string[] = [];
  const cache: ReplyCache = {
    get: async () => undefined,
    put: async (key, text) => void kept.push(key, text),
    close: async () => {},
  };
  const echo = (_: ChatRequest, authorization: string): Said => ({
    calls: [{ name: "decline", args: { reason: authorization } }],
  });
  const server = await served({ answer: echo });
  await ask(server.url, scene(cache, { disk: { key_variable: "K" }, options: { key: () => MARK } }));
  assert.equal(server.authorizations[0], `Bearer ${MARK}`);
  assertNone(kept, (text) => text.includes(MARK));
});

test("reply cache: a folder that another process has open, or that is none, is refused before anything is asked", async () => {
  const { folder } = newCache();
  const home = pathToFileURL(path.resolve(import.meta.dirname, "../../src/run/reply-cache.js")).href;
  const script = `const { levelReplyCache } = await import(${JSON.stringify(home)});
    await levelReplyCache(${JSON.stringify(folder)}).put("k", "v"); console.log("open"); process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const server = await served({ answer: model });
  const locked = levelReplyCache(folder);
  const { details } = await refusedLater("StorageFailed", () => ask(server.url, scene(locked)));
  assert.deepEqual([details.place, details.cause], [folder, "another process has the reply cache open"]);
  await locked.close();
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  const file = written(temporary(), "a-file", "");
  await refusedLater("StorageFailed", () => ask(server.url, scene(levelReplyCache(file))));
  await refusedLater("StorageFailed", () => ask(server.url, scene(levelReplyCache(path.join(file, "x")))));
  assert.equal(server.bodies.length, 0);
});
