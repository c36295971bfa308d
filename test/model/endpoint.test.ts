import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { limits } from "../../src/core/limits.ts";
import {
  type Endpoint,
  type EndpointOnDisk,
  endpointIdentity,
  endpointOf,
  findEndpoint,
  loadEndpoint,
} from "../../src/model/endpoint.ts";
import { noted, refused, refusedLater, temporary, written } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import { familyOf, row } from "./a-family.ts";
import { askedCase } from "./an-asked-case.ts";
import { ask, readerAt, served } from "./asked-endpoint.ts";

const base = "endpoint: local\nurl: http://127.0.0.1:8080/v1\n";
const folder = temporary();
let files = 0;
const load = (yaml: string) => {
  const file = written(folder, `e${files++}.yaml`, yaml);
  return loadEndpoint(file, "local.yaml") as Endpoint;
};
const faults = (yaml: string) =>
  noted((complain) => loadEndpoint(written(folder, `e${files++}.yaml`, yaml), "local.yaml", complain));

test("loadEndpoint: what a file leaves out is the contract's", () => {
  const endpoint = load(base);
  assert.equal(endpoint.url, "http://127.0.0.1:8080/v1/chat/completions");
  assert.deepEqual(
    [endpoint.model, endpoint.keyVariable, endpoint.prompt, endpoint.tools, endpoint.cache, endpoint.cost],
    [null, null, null, true, false, null],
  );
  assert.deepEqual(
    [endpoint.maxTurns, endpoint.retries, endpoint.timeoutMs, endpoint.concurrency],
    [limits.turnsDefault, limits.retriesDefault, limits.requestSeconds * 1000, limits.concurrency],
  );
});

test("loadEndpoint: a key that is none of its own, and values beyond the limits, are refused where they stand", () => {
  assert.deepEqual(faults(`${base}temperature: 1\n`), ["UnknownKey local.yaml:3:1"]);
  assert.deepEqual(faults(`${base}retries: ${limits.retries + 1}\n`), ["FieldInvalid local.yaml:3:1"]);
  assert.deepEqual(faults(`${base}retries: ${limits.retries}\n`), []);
  assert.deepEqual(faults(`${base}max_turns: 0\n`), ["FieldInvalid local.yaml:3:1"]);
  assert.deepEqual(faults(`${base}key_variable: sk-123\n`), ["FieldInvalid local.yaml:3:1"]);
  assert.deepEqual(faults(`${base}model: m-latest\n`), ["EvalCheckpointFloating local.yaml:3:1"]);
  assert.deepEqual(faults("endpoint: local\n"), ["KeyMissing local.yaml:1:1"]);
});

test("loadEndpoint: a URL with a password, a query or another scheme is refused, and the password is not repeated", () => {
  const urls = [
    "ftp://h/v1",
    "http://u:sEcReT@h/v1",
    "https://u@h/v1",
    "http://h/v1?key=sEcReT",
    "http://h/v1#x",
    "http://h/v1?",
    "127.0.0.1:8080",
    "nothing",
  ];
  for (const url of urls) {
    const { message, details } = refused("FieldInvalid", () => load(`endpoint: local\nurl: "${url}"\n`));
    assert.deepEqual([details.place, details.field], ["local.yaml:2:1", "url"]);
    assert.ok(!message.includes("sEcReT"), message);
  }
  for (const url of ["https://h.example/v1/", "http://[::1]:8080", "http://h/a/b//"])
    assert.match(load(`endpoint: local\nurl: "${url}"\n`).url, /[^/]\/chat\/completions$/);
});

test("findEndpoint: a name is a file of the first folder that has it; where none has, the refusal lists where it looked", () => {
  const [a, b] = [temporary(), temporary()];
  const file = written(b, "local.yaml", base);
  assert.equal(findEndpoint("local", [a, b], "--reader"), file);
  assert.equal(findEndpoint(file, [a], "--reader"), file);
  const { details } = refused("EndpointUnknown", () => findEndpoint("other", [a, b], "--reader"));
  assert.deepEqual(details, {
    place: "--reader",
    found: "other",
    looked: [path.join(a, "other.yaml"), path.join(b, "other.yaml")],
  });
});

test("endpointIdentity: changes with what shapes an answer and with nothing else", () => {
  const disk: EndpointOnDisk = { endpoint: "local", url: "http://h/v1", model: "m" };
  const identity = (more: Partial<EndpointOnDisk>) => endpointIdentity(endpointOf({ ...disk, ...more }, "x"));
  const shaping: Partial<EndpointOnDisk>[] = [
    { url: "http://i/v1" },
    { model: "n" },
    { prompt: "p" },
    { tools: false },
    { max_tokens: 5 },
    { max_turns: 5 },
    { omits: ["seed"] },
  ];
  assertEvery(shaping, (more) => identity(more) !== identity({}));
  const others: Partial<EndpointOnDisk>[] = [
    { key_variable: "K" },
    { retries: 0 },
    { requests_per_minute: 5 },
    { timeout_seconds: 1 },
    { cost: { input: 1, output: 1, currency: "USD" } },
    { cache: true },
    { max_tokens_key: "max_completion_tokens" },
  ];
  assertEvery(others, (more) => identity(more) === identity({}));
});

test("http: the estimate of one trajectory is the endpoint's, with its cost where both are known", () => {
  const estimate = { model_calls: 4, input_tokens: 6000, output_tokens: 400 };
  const cost = { input: 2.5, output: 10, currency: "EUR" };
  const of = (disk: Partial<EndpointOnDisk>) => readerAt("http://h/v1", { disk }).source.estimate;
  assert.equal(of({}), undefined);
  assert.deepEqual(of({ estimate }), { ...estimate, cost: null, currency: null });
  assert.deepEqual(of({ estimate, cost }), { ...estimate, cost: 0.019, currency: "EUR" });
});

test("http: the identity names endpoint, snapshot, prompt and tools; a family's row says the rest, whatever the file says", async () => {
  const { checkpoints } = familyOf([row("m-2013", "2013-12:documented", { pretrain: "2013-06:documented" })]);
  const checkpoint = checkpoints[0] ?? null;
  const alone = await readerAt("http://h/v1", {}).source.identity(null);
  assert.deepEqual(
    [alone.name, alone.snapshot, alone.uses_tools, alone.temperature, alone.pretrain_cutoff],
    ["http:local", "m-1", true, 0, "none"],
  );
  const routed = await readerAt("http://h/v1", { options: { identity: {} } }).source.identity(checkpoint);
  assert.deepEqual(
    [routed.snapshot, routed.pretrain_cutoff, routed.posttrain_cutoff],
    ["m-2013", "2013-06:documented", "2013-12:documented"],
  );
  const prompts = [{}, { prompt: "p" }, { tools: false }].map(async (disk) => {
    return (await readerAt("http://h/v1", { disk }).source.identity(null)).prompt_digest;
  });
  assert.equal(new Set(await Promise.all(prompts)).size, 3);
  const other = readerAt("http://h/v1", { disk: { identity: { snapshot: "m-2014" } } });
  assert.equal((await other.source.identity(null)).snapshot, "m-2014");
  assert.equal((await other.source.identity(checkpoint)).snapshot, "m-2013");
});

test("http: without a model and without a family there is nothing to ask for, which is refused", async () => {
  const { endpoint } = readerAt("http://h/v1", {});
  const scene = { options: { endpoint: { ...endpoint, model: null } } };
  const { details } = await refusedLater("ReaderUnavailable", async () =>
    readerAt("http://h/v1", scene).source.identity(null),
  );
  assert.equal(details.place, "local.yaml");
});

test("http: a row of the family that names an endpoint is asked there for its snapshot; one that nobody gave is refused", async () => {
  const answer = () => ({ calls: [{ name: "answer", args: { probability: 0.5 } }] });
  const [own, rowed] = [await served({ answer }), await served({ answer })];
  const rows = [row("a", "2013-01:documented"), row("b", "2014-01:documented", { endpoint: "second" })];
  const [a, b] = familyOf(rows).checkpoints;
  assert.deepEqual([a?.endpoint, b?.endpoint], [null, "second"]);
  const second = endpointOf({ endpoint: "second", url: rowed.url, prompt: "not this one" }, "second.yaml");
  const scene = { options: { endpoints: new Map([["second", second]]), identity: {} } };
  const { source } = readerAt(own.url, scene);
  for (const checkpoint of [a, b]) {
    const names: string[] = [];
    const reader = source.open(checkpoint ?? null, {
      deadline: () => new AbortController().signal,
      refusal: () => null,
      paused: <T>(work: Promise<T>) => work,
      record: ({ name }) => void names.push(name),
    });
    await reader.answer(askedCase, null, new AbortController().signal);
    assert.deepEqual(names, [checkpoint === a ? "local" : "second"]);
  }
  const asked = [own, rowed].map(
    ({ bodies }) => JSON.parse(bodies[0] ?? "null") as { model: string; messages: object[] },
  );
  assert.deepEqual(
    asked.map(({ model }) => model),
    ["a", "b"],
  );
  assert.deepEqual(asked[0]?.messages, asked[1]?.messages);
  await source.close?.();
  const without = readerAt(own.url, { options: { identity: {} } }).source;
  const { details } = await refusedLater("EndpointUnknown", async () => without.identity(b ?? null));
  assert.deepEqual([details.found, details.looked], ["second", ["local"]]);
});

test("http: requests in flight at one endpoint are as many as it allows, over all trajectories", async () => {
  const answer = () => ({ calls: [{ name: "answer", args: { probability: 0.5 } }] });
  const server = await served({ answer, delayMs: 5 });
  const one = await ask(server.url);
  assert.equal(one.attempt.kind, "answer");
  const { source } = readerAt(server.url, { disk: { concurrency: 3 } });
  const opening = {
    deadline: () => new AbortController().signal,
    refusal: () => null,
    paused: <T>(work: Promise<T>) => work,
    record: () => {},
  };
  const all = Array.from({ length: 20 }, () =>
    source.open(null, opening).answer(askedCase, null, AbortSignal.abort()),
  );
  assertEvery(await Promise.all(all), ({ kind }) => kind === "answer");
  assert.equal(server.most(), 3);
  await source.close?.();
});
