/** Readers as modules: each instance in a thread of its own, whatever it does ended with it, its words kept off stdout. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { digestOf } from "../../src/core/digest.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { moduleReader } from "../../src/model/module-reader.ts";
import { OUT_OF_TIME, type Tools } from "../../src/model/reader.ts";
import { assertEvery } from "../support/all.ts";
import {
  asked,
  faultOf,
  fileOf,
  folder,
  hasty,
  identity,
  moduleOf,
  never,
  notingTools,
  outside,
  patient,
  trialOf,
} from "./agents.ts";

const answering = (body: string) =>
  `export const reader = { async answer(asked, tools, signal) { ${body} } };`;

test("a module answers with an object, or with a function of the parameters; it is asked what a reader is asked", async () => {
  const text = `export async function reader(params) {
  return {
    identity: { name: params.name, uses_tools: true },
    async answer(asked, tools) {
      const reply = await tools.call("rows", { table: "readings" });
      return { kind: "decline", reason: JSON.stringify({ asked, reply }), usage: { cost: 0.5 } };
    },
  };
}`;
  const source = moduleOf(text, { params: { name: "made" } });
  assert.deepEqual(await source.identity(null), {
    ...identity,
    name: "made",
    temperature: 0,
    params: { name: "made" },
  });
  const { tools, calls } = notingTools(() => ({ ok: true, n: 3 }));
  const { attempt, late } = await trialOf(source, tools);
  assert.ok(attempt.kind === "decline" && late === null);
  assert.deepEqual(JSON.parse(attempt.reason), { asked, reply: { ok: true, n: 3 } });
  assert.equal(attempt.usage?.cost, 0.5);
  assert.deepEqual(calls, [["rows", { table: "readings" }]]);
});

test("its identity may be a function of the checkpoint; its file is part of it, beside the files of its profile", async () => {
  const text = `export const reader = { identity: (checkpoint) => ({ name: String(checkpoint) }), answer() {} };`;
  const file = fileOf(text, ".mjs");
  const source = moduleReader(file, { ...outside(), files: { "prompt.txt": digestOf("p") } });
  assert.equal((await source.identity(null)).name, "null");
  assert.deepEqual(source.files, { "prompt.txt": digestOf("p"), [path.basename(file)]: digestOf(text) });
});

test("each instance has the module, and what it imports, afresh; one instance keeps its state", async () => {
  const kept = fileOf("export const seen = []; globalThis.everything = [];", ".mjs");
  const source = moduleOf(`import { seen } from ${JSON.stringify(`./${path.basename(kept)}`)};
let own = 0;
${answering(`seen.push(1); everything.push(1); own++;
  return { kind: "answer", probability: (seen.length + everything.length + own) / 30, usage: null };`)}`);
  const probabilityOf = async (reader: ReturnType<typeof source.open>) => {
    const attempt = await reader.answer(asked, null, never);
    return attempt.kind === "answer" ? attempt.probability : faultOf(attempt);
  };
  const shared = source.open(null, patient);
  assert.deepEqual([await probabilityOf(shared), await probabilityOf(shared)], [0.1, 0.2]);
  await shared.end?.();
  const fresh = source.open(null, patient);
  assert.equal(await probabilityOf(fresh), 0.1);
  await fresh.end?.();
});

const refused: readonly [what: string, text: string, problem: RegExp][] = [
  ["it does not parse", "export const reader = {", /Unexpected end of input/],
  ["it throws", 'throw new Error("no model here")', /no model here$/],
  ["it imports what is not there", 'import "./none.mjs"', /Cannot find module '\.\/none\.mjs'/],
  ["it exports no reader", "export const raeder = {}", /exports no `reader`/],
  [
    "its reader cannot answer",
    "export const reader = { identity: {} }",
    /exports no `reader` that has a function `answer`/,
  ],
  ["its function throws", 'export function reader() { throw new Error("no key") }', /: no key$/],
  [
    "its identity is no plain JSON",
    "export const reader = { identity: { name: () => 1 }, answer() {} }",
    /not plain JSON/,
  ],
  [
    "its identity has a key of no identity",
    "export const reader = { identity: { vendor: 1 }, answer() {} }",
    /identity: vendor/,
  ],
  ["it ends itself", "process.exit(9)", /it ended with exit code 9/],
];

for (const [what, text, problem] of refused) {
  test(`a module is refused before the run where ${what}`, async () => {
    await assert.rejects(
      async () => moduleOf(text).identity(null),
      (error) => {
        assert.ok(isRefusal(error, "ReaderUnavailable"));
        assert.match(error.details.problem, problem);
        return true;
      },
    );
  });
}

test("a file of no module's ending, a type where Node strips none, no file and a folder are refused at once", async () => {
  const good = answering("return { kind: 'decline', reason: 'a', usage: null }");
  const strips = Boolean((process.features as { typescript?: unknown }).typescript);
  for (const [extension, code] of [
    [".mjs", null],
    [".js", null],
    [".cjs", null],
    [".json", "ReaderModuleUnsupported"],
    ["", "ReaderModuleUnsupported"],
    [".tsx", "ReaderModuleUnsupported"],
    [".ts", strips ? null : "ReaderModuleUnsupported"],
    [".mts", strips ? null : "ReaderModuleUnsupported"],
  ] as const) {
    const load = () => moduleReader(fileOf(good, extension), outside());
    if (code === null) load();
    else assert.throws(load, (error) => isRefusal(error, code));
  }
  for (const file of [path.join(folder, "none.mjs"), folder.concat("/folder.mjs")])
    assert.throws(
      () => moduleReader(file, outside()),
      (error) => isRefusal(error, "ReaderUnavailable"),
    );
  if (strips) {
    const source = moduleReader(fileOf(`type A = string;\n${good}`, ".mts"), outside());
    assert.equal((await trialOf(source)).attempt.kind, "decline");
  }
});

test("a module of the old kind is one too", async () => {
  const source = moduleReader(
    fileOf("exports.reader = { answer: () => ({ kind: 'decline', reason: 'old', usage: null }) };", ".cjs"),
    outside(),
  );
  assert.deepEqual((await trialOf(source)).attempt, { kind: "decline", reason: "old", usage: null });
});

const faults: readonly [what: string, body: string, fault: RegExp][] = [
  ["it throws", 'throw new Error("boom")', /^protocol: the reader threw: boom$/],
  ["it throws what is no error", "throw 7", /^protocol: the reader threw: 7$/],
  [
    "it throws out of reach",
    'setTimeout(() => { throw new Error("boom") }); await new Promise(() => {})',
    /^transport: it threw boom before/,
  ],
  ["it ends itself", "process.exit(3)", /^transport: it ended with exit code 3 before/],
  ["it returns nothing", "", /^malformed_output: no attempt: kind undefined$/],
  [
    "its probability is NaN",
    "return { kind: 'answer', probability: NaN }",
    /^malformed_output: probability "NaN", expected/,
  ],
  [
    "its probability is text",
    "return { kind: 'answer', probability: '0.5' }",
    /^malformed_output: probability "0.5", expected/,
  ],
  [
    "its probability is too high",
    "return { kind: 'answer', probability: 1.7 }",
    /^malformed_output: probability 1.7, expected/,
  ],
  [
    "its probability is a function",
    "return { kind: 'answer', probability: () => 1 }",
    /^malformed_output: probability "\(\) => 1"/,
  ],
  [
    "its usage goes round",
    "const usage = {}; usage.cost = usage; return { kind: 'answer', probability: 0.5, usage }",
    /^malformed_output: usage is not plain JSON$/,
  ],
  [
    "its usage is no count",
    "return { kind: 'answer', probability: 0.5, usage: { cost: -1 } }",
    /^protocol: answer: usage/,
  ],
  ["it says so", "return { kind: 'fault', class: 'auth', message: 'no key' }", /^auth: no key$/],
  [
    "its fault has no class",
    "return { kind: 'fault', message: 'no key' }",
    /^malformed_output: no attempt: kind fault$/,
  ],
];

test("a module's answer is a fault where it throws, ends, or gives what is no attempt", async () => {
  const bodies = faults.map(([, body]) => `async () => { ${body} }`).join(",\n");
  const source = moduleOf(`const bodies = [${bodies}];\n${answering("return bodies[asked.repeat]();")}`);
  for (const [repeat, [what, , fault]] of faults.entries()) {
    const reader = source.open(null, patient);
    assert.match(faultOf(await reader.answer({ ...asked, repeat }, null, never)), fault, what);
    await reader.end?.();
  }
});

test("arguments that are no plain JSON reach the tools as such, and calls that nobody waited for are served in order", async () => {
  const { tools, calls } = notingTools();
  const source = moduleOf(
    answering(`const round = {}; round.round = round;
for (const args of [undefined, NaN, 1n, round, () => 1, new Date(0)]) await tools.call("rows", args);
const three = [1, 2, 3].map((i) => tools.call("rows", { i }));
await three[2];
tools.call("rows", "left behind");
tools.call("rows", "never sent");
return { kind: "answer", probability: 0.5, usage: null };`),
  );
  const { attempt, late } = await trialOf(source, tools);
  assert.ok(attempt.kind === "answer" && late === null);
  assert.deepEqual(
    calls.map(([, args]) => args),
    [...Array(6).fill({ unreadable: true }), { i: 1 }, { i: 2 }, { i: 3 }, "left behind"],
  );
});

test("a violation rejects in the module by its name; let through, its attempt is an abort", async () => {
  const violated: Tools = {
    call: () => Promise.reject(Object.assign(new Error("served a plant"), { name: "BoundViolation" })),
  };
  const swallowing = moduleOf(
    answering(
      `try { await tools.call("rows", {}) } catch (error) { return { kind: "decline", reason: error.name, usage: null } }`,
    ),
  );
  assert.deepEqual((await trialOf(swallowing, violated)).attempt, {
    kind: "decline",
    reason: "BoundViolation",
    usage: null,
  });
  const through = moduleOf(answering(`await tools.call("rows", {})`));
  assert.equal(faultOf((await trialOf(through, violated)).attempt), "aborted: served a plant");
  const full: Tools = { call: () => Promise.reject(new Error("the disk is full")) };
  await assert.rejects(trialOf(through, full), /the disk is full/);
});

test("a module that says it uses no tools is given none", async () => {
  const source = moduleOf(
    `export const reader = { identity: { uses_tools: false }, answer: (asked, tools) => ({ kind: "decline", reason: String(tools), usage: null }) };`,
  );
  assert.deepEqual((await trialOf(source, null)).attempt, { kind: "decline", reason: "null", usage: null });
});

test("an endless loop is ended at its deadline; its signal is aborted first", async () => {
  const looping = moduleOf(answering("for (;;);"));
  await looping.identity(null);
  assert.equal(faultOf((await trialOf(looping, null, hasty(300))).attempt), `timeout: ${OUT_OF_TIME}`);
  const said: string[] = [];
  const noticing = moduleOf(
    answering(`await new Promise((resolve) => signal.addEventListener("abort", resolve));
console.log("noticed"); await new Promise((resolve) => setTimeout(resolve, 20)); return { kind: "answer", probability: 1 };`),
    outside((words) => said.push(words)),
  );
  await noticing.identity(null);
  assert.equal(faultOf((await trialOf(noticing, null, hasty(500))).attempt), `timeout: ${OUT_OF_TIME}`);
  assert.deepEqual(said, ["reader: case-1: noticed"]);
});

test("what a module prints never reaches the engine's stdout, and what it leaves running ends with it", () => {
  const agent = fileOf(
    answering(`console.log("data?"); process.stdout.write("more\\n"); setInterval(() => {}, 10);
return { kind: "answer", probability: 0.5, usage: null };`),
    ".mjs",
  );
  const engine = fileOf(
    `import { trialOf, outside } from ${JSON.stringify(import.meta.resolve("./agents.js"))};
import { moduleReader } from ${JSON.stringify(import.meta.resolve("../../src/model/module-reader.js"))};
const { attempt } = await trialOf(moduleReader(${JSON.stringify(agent)}, outside()));
console.log(attempt.kind);
`,
    ".mjs",
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [engine], { encoding: "utf8" });
  assert.deepEqual({ stdout, stderr, status }, { stdout: "answer\n", stderr: "", status: 0 });
});

test("the module that a thread loads is the file whose digest was taken", async () => {
  const { writeFileSync } = await import("node:fs");
  const text = answering("return { kind: 'decline', reason: 'a', usage: null }");
  const file = fileOf(text, ".mjs");
  const source = moduleReader(file, outside());
  assert.equal((await trialOf(source)).attempt.kind, "decline");
  writeFileSync(file, `${text}\n`);
  assert.match(faultOf((await trialOf(source)).attempt), /^transport: the module is another file than/);
});

test("twenty modules at once answer as one does", async () => {
  const source = moduleOf(answering("return { kind: 'answer', probability: 0.5, usage: null }"));
  const trials = await Promise.all(Array.from({ length: 20 }, () => trialOf(source)));
  assertEvery(trials, ({ attempt, late }) => attempt.kind === "answer" && late === null);
});
