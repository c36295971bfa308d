/** Runs in which one case of several meets a hostile child: that case is a fault or fails, and the others are as ever. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "../../src/core/limits.ts";
import type { ReaderSource } from "../../src/model/reader.ts";
import type { Entry } from "../../src/run/entry.ts";
import { memorySink } from "../../src/run/sink.ts";
import type { Store } from "../../src/store/door.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, runDaily } from "../support/daily-set.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import { type ReadRun, readRun } from "../support/read-run.ts";
import {
  ASKED,
  allDead,
  asked,
  BYE,
  faultOf,
  fileOf,
  HELLO,
  identity,
  never,
  patient,
  pidsIn,
  shellReader,
} from "./agents.ts";

const daily = await dailySet({ days: 14, from: 10 });
const cases = daily.set.cases.map(({ id }) => id);
const victim = cases[1] as string;

/** Answers a probability that is its day's; for one case, does something else. */
const agent = (hostile: string, good = `rows '{"table":"readings"}'; answer`) => `${HELLO}
${ASKED}
id="\${line#*\\"id\\":\\"}"; id="\${id%%\\"*}"; p="0.\${id##*-}"
answer() { echo "{\\"type\\":\\"answer\\",\\"probability\\":\${1:-$p}}"; }
call() { echo '{"type":"call","call_id":"1","tool":"rows","args":'"$1"'}'; }
rows() { call "$1"; read -r line; }
case "$id" in
  ${victim}) ${hostile} ;;
  *) ${good} ;;
esac
${BYE}`;

type Run = {
  readonly record: ReadRun;
  readonly result: { failed_cases: { case: string }[]; verdict: string };
};

async function run(source: ReaderSource, store: Store = daily.store, process?: "shared"): Promise<Run> {
  const sink = memorySink();
  const profile = { deadline_seconds: 2, ...(process === undefined ? {} : { process }) };
  const { report } = await runDaily({ set: daily.set, store }, source, { sink, profile });
  await source.close?.();
  return { record: readRun(sink.files), result: report.result as unknown as Run["result"] };
}

const lastOf = (record: ReadRun, id: string): Entry =>
  record.entries.filter(
    (entry) => entry.case === id && /^(answer|decline|fault)$/.test(entry.kind),
  )[0] as Entry;

/** `class: message` of a fault; an answer's probability. */
function saidFor(record: ReadRun, id: string): string {
  const entry = lastOf(record, id);
  if (entry.kind === "fault") return `${entry.class}: ${entry.message}`;
  return entry.kind === "answer" ? String(entry.probability) : entry.kind;
}

const others = cases.filter((id) => id !== victim);
/** The probability that each case is given where nobody is hostile. */
const expected = (id: string) => String(Number(`0.${id.slice(-2)}`));

const call = `{"type":"call","call_id":"1","tool":"rows","args":{"table":"readings"}}`;
const hostilities: readonly [what: string, hostile: string, becomes: RegExp][] = [
  ["hangs", "exec sleep 100", /^timeout: no answer within/],
  [
    "hangs, and ignores every signal that it may",
    "trap '' TERM INT HUP PIPE; while :; do sleep 100; done",
    /^timeout/,
  ],
  [
    "dies in the middle of a line",
    `printf '{"type":"answer","probability":0.'; exit 1`,
    /^transport: it ended with exit code 1/,
  ],
  ["is killed", "kill -KILL $$", /^transport: it was ended by SIGKILL/],
  [
    "says one line of a gigabyte",
    "head -c 1000000000 /dev/zero | tr '\\0' x",
    /^protocol: a line of more than 4194304 bytes/,
  ],
  ["says garbage without end", "yes garbage", /^protocol: a line that is not JSON: "garbage"/],
  ["calls without end and reads no reply", `yes '${call}'`, /^timeout/],
  ["floods its stderr", "yes garbage >&2", /^timeout/],
  [
    "says garbage before its answer",
    "echo 'Loading…'; answer",
    /^protocol: a line that is not JSON: "Loading…"/,
  ],
  ["says what is not UTF-8", "printf '\\377\\n'; answer", /^protocol: a line that is not UTF-8/],
  ["answers 1.7", "answer 1.7", /^malformed_output: probability 1.7/],
  ["answers NaN", "answer NaN", /^protocol: a line that is not JSON/],
  ["answers with text", `answer '"0.5"'`, /^malformed_output: probability "0.5"/],
  ["answers twice", "answer; answer 0.9", /^protocol: it said more after its answer: "\{/],
  ["goes on after its answer without end", "answer; yes", /^protocol: it said more after its answer: "y"/],
  [
    "answers for another case",
    `echo '{"type":"answer","probability":0.5,"id":"${others[0]}"}'`,
    /^protocol: it answered/,
  ],
  [
    "forks, ends, and its child holds the pipe",
    "sleep 100 & exit 0",
    /^transport: it ended with exit code 0/,
  ],
  [
    "forks, ends, and its child answers much later",
    "(sleep 1; answer) & exit 0",
    /^transport: it ended with exit code 0/,
  ],
  ["closes its stdout", "exec 1>&-; exec sleep 100", /^transport: it closed its stdout/],
];
/** What is lawful, however odd: its answer is as good as any. */
const oddities: readonly [what: string, odd: string][] = [
  ["asks for a table that its case does not declare", `rows '{"table":"labels"}'; fault; answer`],
  [
    "asks for rows after its horizon",
    `rows '{"table":"readings","since":"2200-01-01T00:00:00Z"}'; none; answer`,
  ],
  ["asks for a billion rows", `rows '{"table":"readings","limit":1e9}'; fault; answer`],
  ["leaves a process running", "sleep 100 & answer"],
  ["leaves a process running that holds no pipe", "sleep 100 <&- >&- 2>&- & answer"],
  ["ends without a bye", "answer; exit 9"],
  ["says it in a line's two halves", `printf '{"type":"answer",'; sleep 0.1; echo '"probability":'$p'}'`],
];
const CHECKED = `fault() { case "$line" in *'"ok":false'*) ;; *) exit 8;; esac; }
none() { case "$line" in *'"rows":[]'*) ;; *) exit 8;; esac; }`;

describe("one case of several meets a child that", { concurrency: 4 }, () => {
  for (const [what, hostile, becomes] of hostilities) {
    test(what, async () => {
      const { record, result } = await run(shellReader(agent(hostile)));
      assert.match(saidFor(record, victim), becomes);
      assertEvery(others, (id) => saidFor(record, id) === expected(id));
      assert.equal(result.verdict, "green");
    });
  }
  for (const [what, odd] of oddities) {
    test(`${what}, which is lawful`, async () => {
      const { record } = await run(shellReader(`${CHECKED}\n${agent(odd)}`));
      assertEvery(cases, (id) => saidFor(record, id) === expected(id));
    });
  }
});

test("a flood of a gigabyte costs the engine less than a line's limit a few times over", async () => {
  let most = 0;
  const held = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  const sampling = setInterval(() => {
    most = Math.max(most, held() - before);
  }, 2);
  const source = shellReader(agent("head -c 1000000000 /dev/zero | tr '\\0' x"));
  const calling = shellReader(agent(`yes '${call}'`));
  await Promise.all([run(source), run(calling)]);
  clearInterval(sampling);
  assert.ok(most > 0 && most < 100_000_000 && most < 25 * limits.lineBytes, `${most} bytes more were held`);
});

test("a child that swallows a violation fails its case, and no other's answer moves", async () => {
  const store = naiveStore([...daily.store.tables.values()], ({ overlay }) =>
    overlay?.view === "probe" ? honest : brokenRules["a day late"],
  );
  const swallowing = `rows '{"table":"readings","limit":1000}'; refused; rows '{"table":"readings"}'; refused; answer 1`;
  const script = `refused() { case "$line" in *'"ok":false'*'"aborted"'*) ;; *) exit 8;; esac; }\n${agent(swallowing, "answer")}`;
  const { record, result } = await run(shellReader(script), store);
  assert.equal(result.verdict, "red");
  assertEvery(result.failed_cases, (failed) => failed.case === victim);
  assert.equal(saidFor(record, victim), "1");
  assertEvery(others, (id) => saidFor(record, id) === expected(id));
  const { result: sound } = await run(shellReader(agent("answer 1", "answer")), store);
  assert.deepEqual(sound.failed_cases, []);
});

test("a child that remembers what it was asked remembers nothing where each trajectory has its own", async () => {
  const hoarder = `${HELLO}\nn=0; while ${ASKED}; do n=$((n+1)); echo '{"type":"answer","probability":0.'$n'}'; done`;
  const shared = await run(shellReader(hoarder), daily.store, "shared");
  assert.deepEqual(
    cases.map((id) => saidFor(shared.record, id)),
    ["0.1", "0.2", "0.3", "0.4"],
  );
  const fresh = await run(shellReader(hoarder));
  assertEvery(cases, (id) => saidFor(fresh.record, id) === "0.1");
});

test("words of a child for people stand nowhere in the record", async () => {
  const heard: string[] = [];
  const secret = `word-of-${"a-child"}`;
  const { record } = await run(
    shellReader(agent(`echo ${secret} >&2; exit 1`), {
      identity,
      say: (words) => heard.push(words),
    }),
  );
  assert.deepEqual(heard, [`reader: ${victim}: ${secret}`]);
  assert.ok(!JSON.stringify(record.entries).includes(secret));
});

test("whatever a hostile child began is dead when its run is over", async () => {
  const pids = fileOf("", ".txt");
  const begin = `for i in 1 2 3; do (trap '' TERM HUP INT; exec sleep 100 <&- >&- 2>&-) & echo $! >> '${pids}'; done`;
  for (const end of ["answer", "exit 1", "echo garbage; exec sleep 100"])
    await run(shellReader(agent(`${begin}; ${end}`)));
  const all = pidsIn(pids);
  assert.equal(all.length, 9);
  await allDead(all);
});

test("as many calls as the limit are answered; one more is a fault of its budget, and ends the child", async () => {
  let calls = 0;
  const tools = { call: async () => ({ ok: true, n: ++calls }) as const };
  const reader = shellReader(`${HELLO}\n${ASKED}\nexec 3<&0; cat <&3 > /dev/null & exec yes '${call}'`).open(
    null,
    patient,
  );
  const attempt = await reader.answer(asked, tools, never);
  assert.equal(faultOf(attempt), `budget: more than ${limits.calls} calls`);
  assert.equal(calls, limits.calls);
  assert.equal(await reader.end?.(), null);
});
