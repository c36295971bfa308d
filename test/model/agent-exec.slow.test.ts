/** Readers as child processes: how they start, answer, die and are ended, with all that they began. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { test } from "node:test";
import { isRefusal } from "../../src/core/refusal.ts";
import { parseFamily } from "../../src/model/family.ts";
import { type Attempt, OUT_OF_TIME, type ToolAnswer } from "../../src/model/reader.ts";
import { assertEvery } from "../support/all.ts";
import {
  ANSWER,
  ASKED,
  allDead,
  asked,
  BYE,
  faultOf,
  fileOf,
  folder,
  GOOD,
  HELLO,
  hasty,
  identity,
  isAlive,
  never,
  nodeReader,
  notingTools,
  openingOf,
  outside,
  patient,
  pidsIn,
  shellReader,
  trialOf,
} from "./agents.ts";

const script = (...lines: readonly string[]) => lines.join("\n");
const answered: Attempt = { kind: "answer", probability: 0.25, usage: null };
const faultBy = async (...lines: readonly string[]) => {
  const { attempt } = await trialOf(shellReader(script(...lines)));
  return faultOf(attempt);
};

test("a child is told hello, the question, the reply, bye, each as one line", async () => {
  const heard = fileOf("", ".txt");
  const reader = nodeReader(
    `import { appendFileSync } from "node:fs";
const note = async () => { const told = await hear(); appendFileSync(${JSON.stringify(heard)}, JSON.stringify(told) + "\\n"); return told.type; };
await note(); say({ type: "identity", name: "node" });
if (await note() === "bye") process.exit(0);
say({ type: "call", call_id: "c1", tool: "rows", args: { table: "readings" } });
await note(); say({ type: "answer", probability: 0.25, usage: { output_tokens: 40 } });
await note();`,
    { params: { k: "v" }, tools: { schemas: [{ name: "rows", schema: {} }], version: "sha256:1" } },
  );
  const stamped = await reader.identity(null);
  assert.deepEqual(stamped, { ...identity, name: "node", temperature: 0, params: { k: "v" } });
  fs.writeFileSync(heard, "");
  const row = {
    ref: "readings#1",
    available_at: "2020-01-01T00:00:00Z",
    body: { text: "zwei\nZeilen\u2028" },
  };
  const { tools, calls } = notingTools(() => ({ ok: true, rows: [row] }));
  const { attempt, late } = await trialOf(reader, tools);
  assert.deepEqual([faultOf(attempt), late], ["answer", null]);
  assert.deepEqual(attempt.usage, {
    input_tokens: null,
    cached_input_tokens: null,
    output_tokens: 40,
    cost: null,
    model_calls: null,
    retries: null,
  });
  assert.deepEqual(calls, [["rows", { table: "readings" }]]);
  const { kind: _, ...question } = asked;
  const lines = fs.readFileSync(heard, "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      {
        type: "hello",
        v: 1,
        snapshot: null,
        tools: [{ name: "rows", schema: {} }],
        tool_schema_version: "sha256:1",
        params: { k: "v" },
      },
      { type: "ask", ...question },
      { type: "reply", call_id: "c1", ok: true, rows: [row] },
      { type: "bye" },
    ],
  );
});

test("the environment and the folder are those that are passed in, and no others", async () => {
  const source = shellReader(
    script(HELLO, ASKED, `echo "{\\"type\\":\\"decline\\",\\"reason\\":\\"$GREETING $HOME in $PWD\\"}"`, BYE),
    { environment: { GREETING: "hello", HOME: undefined }, folder },
  );
  const { attempt } = await trialOf(source);
  assert.deepEqual(attempt, { kind: "decline", reason: `hello  in ${fs.realpathSync(folder)}`, usage: null });
});

test("with a family, hello names the snapshot; a child that says another is refused before the run", async () => {
  const { checkpoints } = parseFamily(
    { family: "kin", checkpoints: [{ snapshot: "m-1", posttrain: "2013-12:documented" }] },
    ".",
    "kin",
    () => "kin",
  );
  const said = {
    ...outside(),
    identity: { name: "agent", prompt_digest: "none", uses_tools: true },
    family: "kin",
  };
  const echo = `read -r line
case "$line" in *'"snapshot":"m-1"'*) echo '{"type":"identity","snapshot":"m-1"}';; *) echo '{"type":"identity","snapshot":"m-2"}';; esac
${BYE}`;
  const first = checkpoints[0] ?? null;
  const stamped = await shellReader(echo, said).identity(first);
  assert.equal(stamped.snapshot, "m-1");
  assert.equal(stamped.posttrain_cutoff, "2013-12:documented");
  const other = shellReader(script(`read -r line; echo '{"type":"identity","snapshot":"m-2"}'`, BYE), said);
  await assert.rejects(
    async () => other.identity(first),
    (error) => isRefusal(error, "ReaderIdentityMismatch") && error.details.found === "m-2",
  );
});

const unavailable: readonly [what: string, command: string, problem: RegExp][] = [
  [
    "a command that is not there",
    "no-such-command-of-ours",
    /it ended with exit code 127 .*its stderr ends: .*not found/,
  ],
  ["a command that says nothing", "true", /it ended with exit code 0 before it had answered$/],
  ["one that dies", "kill -SEGV $$", /it was ended by SIGSEGV/],
  ["one that says nonsense", "echo hello; sleep 5", /a line that is not JSON: "hello"/],
  ["one that dies in the middle of its identity", `printf '{"type":"iden'`, /in the middle of a line: "\{/],
  [
    "one that reports a fault",
    `echo '{"type":"fault","class":"auth","message":"no key"}'; sleep 5`,
    /: no key$/,
  ],
  ["one that says more than who it is", `${HELLO}; ${ANSWER}`, /the reader said more than who it is/],
  ["one with a zero in its words", "true\0", /it could not be started \(ERR_INVALID_ARG_VALUE\)/],
];

for (const [what, command, problem] of unavailable) {
  test(`refused before the run: ${what}`, async () => {
    await assert.rejects(
      async () => shellReader(command).identity(null),
      (error) => {
        assert.ok(isRefusal(error, "ReaderUnavailable"));
        assert.match(error.details.problem, problem);
        return true;
      },
    );
  });
}

test("a folder that is not there is refused like a command that is not", async () => {
  await assert.rejects(
    async () => shellReader(GOOD, { folder: `${folder}/none` }).identity(null),
    (error) => isRefusal(error, "ReaderUnavailable") && /could not be started \(ENOENT\)/.test(error.message),
  );
});

test("an identity is asked for once a checkpoint; an instance that says another is a fault", async () => {
  const started = fileOf("", ".txt");
  const count = `echo x >> '${started}'`;
  const steady = shellReader(script(count, GOOD));
  for (let i = 0; i < 3; i++) await steady.identity(null);
  assert.equal(fs.readFileSync(started, "utf8"), "x\n");
  const drifting = shellReader(
    script(
      count,
      `if [ $(wc -l < '${started}') -gt 2 ]; then s=new; else s=none; fi`,
      `read -r line; echo '{"type":"identity","snapshot":"'$s'"}'`,
      ASKED,
      ANSWER,
      BYE,
    ),
  );
  await drifting.identity(null);
  const { attempt } = await trialOf(drifting);
  assert.equal(
    faultOf(attempt),
    'protocol: it is not the reader that was stamped: its snapshot is "new", stamped is "none"',
  );
});

test("a child that ends without an answer is a fault of transport, and says how it ended", async () => {
  assert.equal(
    await faultBy(HELLO, ASKED, "exit 3"),
    "transport: it ended with exit code 3 before it had answered",
  );
  assert.match(await faultBy(HELLO, ASKED, "kill -ABRT $$"), /^transport: it was ended by SIGABRT before/);
  assert.equal(
    await faultBy(HELLO, ASKED, `printf '{"type":"answer","proba'`),
    'transport: it ended with exit code 0 before it had answered, in the middle of a line: "{\\"type\\":\\"answer\\",\\"proba"',
  );
  assert.match(
    await faultBy(HELLO, ASKED, "exec 1>&-", "sleep 5"),
    /^transport: it closed its stdout before/,
  );
});

test("an answer that was said stands, though its child then dies or its input is closed", async () => {
  for (const end of ["exit 7", "kill -KILL $$", "exec 0<&-; exit 0"])
    assert.deepEqual(await trialOf(shellReader(script(HELLO, ASKED, ANSWER, end))), {
      attempt: answered,
      late: null,
    });
});

test("what waits in a dead child's pipe is read to its end: calls first, then the answer", async () => {
  const call = `echo '{"type":"call","call_id":"1","tool":"rows","args":{"limit":'$i'}}'`;
  const { tools, calls } = notingTools();
  const source = shellReader(script(HELLO, ASKED, `for i in $(seq 1 500); do ${call}; done`, ANSWER));
  assert.deepEqual((await trialOf(source, tools)).attempt, answered);
  assert.equal(calls.length, 500);
});

test("a shared child answers one question after the other; after a fault the next one has a new child", async () => {
  const source = shellReader(
    script(
      HELLO,
      "n=0",
      `while ${ASKED}; do n=$((n+1)); [ $n = 3 ] && exit 1`,
      `echo '{"type":"answer","probability":0.'$n'}'`,
      "done",
    ),
  );
  const reader = source.open(null, patient);
  const given: string[] = [];
  for (let i = 0; i < 5; i++) {
    const attempt = await reader.answer(asked, null, never);
    given.push(attempt.kind === "answer" ? String(attempt.probability) : faultOf(attempt));
  }
  assert.deepEqual(given, [
    "0.1",
    "0.2",
    "transport: it ended with exit code 1 before it had answered",
    "0.1",
    "0.2",
  ]);
  assert.match((await reader.end?.()) ?? "nothing", /nothing/);
});

test("the last words on stderr are quoted to the user for the first few that break, and stand in no attempt", async () => {
  const said: string[] = [];
  const source = shellReader(
    script(HELLO, ASKED, `echo "secret \x1b[31m of $$" >&2; echo more >&2; exit 1`),
    outside((words) => said.push(words)),
  );
  const faults = [];
  for (let i = 0; i < 8; i++) faults.push(faultOf((await trialOf(source)).attempt));
  assertEvery(faults, (each) => each === "transport: it ended with exit code 1 before it had answered");
  assert.equal(said.pop(), "reader: what it says to stderr in further cases is not shown");
  assert.equal(said.length, 2 * 5);
  assertEvery(said, (words) => /^reader: case-1: (secret +\[31m of \d+|more)$/.test(words));
});

test("a child that reads slowly and calls much is waited for: each call is answered, in order", async () => {
  const source = nodeReader(`await hear(); say({ type: "identity" });
if ((await hear()).type === "bye") process.exit(0);
for (let i = 0; i < 300; i++) say({ type: "call", call_id: String(i), tool: "rows", args: {} });
let inOrder = 0;
for (let i = 0; i < 300; i++) {
  const reply = await hear();
  if (reply.call_id === String(i) && reply.rows.length === 100) inOrder++;
  if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
say({ type: "answer", probability: inOrder / 300 });
await hear();`);
  const row = { ref: "readings#1", available_at: "2020-01-01T00:00:00Z", body: { text: "x".repeat(100) } };
  const big: ToolAnswer = { ok: true, rows: Array(100).fill(row) };
  const { attempt } = await trialOf(source, notingTools(() => big).tools);
  assert.deepEqual(attempt, { kind: "answer", probability: 1, usage: null });
});

test("a process that left its group, with the pipe in hand, is not waited for", async () => {
  const pids = fileOf("", ".txt");
  const source = nodeReader(`import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
await hear(); say({ type: "identity" });
if ((await hear()).type === "bye") process.exit(0);
const { pid } = spawn("sleep", ["60"], { detached: true, stdio: "inherit" });
appendFileSync(${JSON.stringify(pids)}, String(pid));`);
  const { attempt } = await trialOf(source);
  const escaped = pidsIn(pids);
  assertEvery(escaped, isAlive); // nothing can find it, so that its death is not what ended the wait
  for (const pid of escaped) process.kill(pid, "SIGKILL");
  assert.equal(faultOf(attempt), "transport: it ended with exit code 0 before it had answered");
});

test("a child that calls and reads no reply is answered no more than its pipe holds", async () => {
  const call = `{"type":"call","call_id":"1","tool":"rows","args":{}}`;
  const row = {
    ref: "readings#1",
    available_at: "2020-01-01T00:00:00Z",
    body: { text: "x".repeat(200_000) },
  };
  const { tools, calls } = notingTools(() => ({ ok: true, rows: [row] }));
  const source = shellReader(script(HELLO, ASKED, `exec yes '${call}'`));
  await source.identity(null);
  const { attempt } = await trialOf(source, tools, hasty(700));
  assert.equal(faultOf(attempt), `timeout: ${OUT_OF_TIME}`);
  assert.ok(calls.length >= 1 && calls.length <= 10, `${calls.length} calls were answered`);
});

test("fifty children at once leave no process behind, however they end, nor any that they began", async () => {
  const pids = fileOf("", ".txt");
  const ends = [
    ANSWER,
    "exit 1",
    `trap '' TERM; echo '{"type":"call","call_id":"1","tool":"rows","args":{}}'; sleep 100`,
    "echo garbage; sleep 100",
    `${ANSWER}; exec sleep 100`,
  ];
  const begin = `(trap '' HUP TERM INT; exec sleep 100 < /dev/null > /dev/null 2>&1) & echo $! >> '${pids}'; echo $$ >> '${pids}'`;
  const sources = ends.map((end) => shellReader(script(HELLO, ASKED, begin, end)));
  const trials = Array.from({ length: 50 }, (_, i) => {
    const time = new AbortController();
    const { tools } = notingTools(() => {
      time.abort(); // it calls when all that it begins has begun: its time is over then, on however slow a machine
      return { ok: true };
    });
    return trialOf(
      sources[i % sources.length] as (typeof sources)[0],
      tools,
      openingOf(() => time.signal),
    );
  });
  const kinds = (await Promise.all(trials)).map(({ attempt }) => faultOf(attempt).split(":")[0] as string);
  const counts = Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((k) => k === kind).length]),
  );
  assert.deepEqual(counts, { answer: 20, transport: 10, timeout: 10, protocol: 10 });
  const all = pidsIn(pids);
  assert.equal(all.length, 100);
  await allDead(all);
});

test("closing the source ends what is still running", async () => {
  const pids = fileOf("", ".txt");
  const source = shellReader(script(`echo $$ >> '${pids}'`, HELLO, ASKED, ANSWER, "exec sleep 100"));
  await source.identity(null);
  assert.equal((await source.open(null, patient).answer(asked, null, never)).kind, "answer");
  const running = pidsIn(pids).slice(-1);
  assertEvery(running, isAlive);
  await source.close?.();
  await allDead(running);
});

test("the end of the engine's own process ends its children", async () => {
  const pids = fileOf("", ".txt");
  const engine = fileOf(
    `import { shellReader, patient, asked, never } from ${JSON.stringify(import.meta.resolve("./agents.js"))};
const source = shellReader(${JSON.stringify(script(`echo $$ >> '${pids}'`, HELLO, ASKED, ANSWER, "exec sleep 100"))});
await source.identity(null);
await source.open(null, patient).answer(asked, null, never);
process.exit(0);
`,
    ".mjs",
  );
  const { status } = spawnSync(process.execPath, [engine], { stdio: "inherit" });
  assert.equal(status, 0);
  const all = pidsIn(pids);
  assert.equal(all.length, 2);
  await allDead(all);
});
