/** A run as a trial: counted before its first read, whatever becomes of it; what makes two trials, and what does not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../../src/core/digest.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import { trialsOf } from "../../src/ledger/trial-ledger.ts";
import { type Earlier, findEarlier } from "../../src/run/earlier-run.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { memorySink } from "../../src/run/sink.ts";
import { trialIdentity } from "../../src/run/trials.ts";
import { refusedLater } from "../core/refused.ts";
import { decider, decisionSet, runDecisions } from "../support/decision-set.ts";

const made = await decisionSet({ weeks: 5 });
const hold = decider(() => ({ ash: 1 }));

test("a run that never ends stays in the count, named; gone on with, it is the same trial", async () => {
  const [sink, ledger, trials, abort] = [
    memorySink(),
    memoryLedger(),
    memoryTrialLedger("weekly"),
    new AbortController(),
  ];
  let asked = 0;
  const stopping = decider(() => {
    if (++asked > 2) abort.abort();
    return { ash: 1 };
  });
  await assert.rejects(
    runDecisions(made, stopping, { sink, ledger, trials, signal: abort.signal }),
    (error) => error instanceof Interrupted,
  );
  const [begun] = trialsOf((await trials.read()).rows);
  assert.deepEqual(
    [begun?.state, begun?.run, begun?.repeats],
    ["unfinished", "01TESTRUN00000000000000000", 1],
  );
  const earlier = (await findEarlier(sink, ledger)) as Earlier;
  const { report } = await runDecisions(made, hold, { sink, ledger, trials, earlier });
  const [ended, ...others] = trialsOf((await trials.read()).rows);
  assert.deepEqual([ended?.state, others], ["ended", []]);
  const whole = await runDecisions(made, hold, {});
  assert.equal(report.resultDigest, whole.report.resultDigest);
});

test("a run that died between its last row and its close leaf goes on with the row that is there", async () => {
  const [sink, ledger, trials] = [memorySink(), memoryLedger(), memoryTrialLedger("weekly")];
  let armed = true;
  const failing = {
    ...ledger,
    async append(line: string) {
      if (armed && line.includes("blindcast.close/1")) throw new Error("killed");
      return ledger.append(line);
    },
  };
  await assert.rejects(runDecisions(made, hold, { sink, ledger: failing, trials }), /killed/);
  armed = false;
  assert.equal((await trials.read()).rows.length, 2);
  const earlier = (await findEarlier(sink, ledger)) as Earlier;
  const { report } = await runDecisions(made, hold, { sink, ledger, trials, earlier });
  assert.equal((await trials.read()).rows.length, 2, "no second end");
  const { trials: known } = report.evidence as { trials: { rows: number } };
  assert.equal(known.rows, 2);
});

test("the leaves say which rows: first its own row, then the open leaf, in the end the close leaf with its last", async () => {
  const [ledger, trials] = [memoryLedger(), memoryTrialLedger("weekly")];
  await runDecisions(made, hold, { ledger, trials });
  const leaves = ledger.leaves.map((line) => JSON.parse(line));
  assert.deepEqual(
    leaves.map(({ v }) => v.split("/")[0]),
    ["blindcast.trial-row", "blindcast.open", "blindcast.trial-row", "blindcast.close"],
  );
  const lines = (await trials.prefix(2)).split("\n");
  const [first, open, last, close] = leaves;
  assert.deepEqual([first.row, first.line, first.ledger], [0, digestOf(lines[0] as string), "weekly"]);
  assert.deepEqual(open.trials, { head: digestOf(lines[0] as string), ledger: "weekly", rows: 1 });
  assert.deepEqual([last.row, last.line], [1, digestOf(lines[1] as string)]);
  assert.deepEqual(close.trials, { head: digestOf(lines[1] as string), rows: 2 });
});

test("a run whose verdict is red has failed as a trial: it counts, and no ratio of it does; with one answer it has one", async () => {
  const trials = memoryTrialLedger("weekly");
  const silent = await runDecisions(
    made,
    decider(() => null),
    { trials },
  );
  const once = decider(({ id }) => (id === "week-0" ? { ash: 1 } : null));
  const answered = await runDecisions(made, once, { trials, run: "01TESTRUN00000000000000001" });
  const verdicts = [silent, answered].map(({ report }) => (report.result as { verdict: string }).verdict);
  assert.deepEqual(verdicts, ["red", "green"]);
  const found = trialsOf((await trials.read()).rows);
  assert.deepEqual(
    found.map(({ state, reason }) => [state, reason]),
    [
      ["failed", "the verdict is red"],
      ["ended", null],
    ],
  );
  const { figures } = (answered.report.evidence as unknown as { trials: { figures: object } }).trials;
  const { n_trials, n_ratios, sr0, best } = figures as Record<string, unknown>;
  assert.deepEqual(
    [n_trials, n_ratios, sr0],
    [2, 1, null],
    "two trials and one ratio: no bar, and never that of one",
  );
  assert.equal((best as { dsr_state: string }).dsr_state, "not estimable");
});

test("trialIdentity: the seed alone is no other trial's; whatever else of stamp or profile differs is", () => {
  const stamp = {
    reader: { name: "a", params: { months: "3" } },
    seed: 1,
    profile: "sha256:…",
    selection: { limit: null },
  };
  const profile = { name: "p", seed: 1, repeats: 1, execution: { costs: { basis_points: 5 } } };
  const of = (s: object = {}, p: object = {}) =>
    trialIdentity({ ...stamp, ...s } as never, { ...profile, ...p } as never);
  assert.equal(of({ seed: 2 }, { seed: 2 }), of(), "a row has the seed beside it");
  const others = [
    of({ reader: { name: "a", params: { months: "4" } } }),
    of({ reader: { name: "b", params: { months: "3" } } }),
    of({ selection: { limit: 3 } }),
    of({}, { repeats: 2 }),
    of({}, { execution: { costs: { basis_points: 6 } } }),
    of({}, { name: "q" }),
  ];
  assert.equal(new Set([of(), ...others]).size, others.length + 1);
});

test("another period is refused by the row that it does not fit, before anything is counted; the same one is not", async () => {
  const trials = memoryTrialLedger("weekly");
  await runDecisions(made, hold, { trials });
  const monthly = { profile: { returns: { per: "month" } }, trials, run: "01TESTRUN00000000000000001" };
  const { details } = await refusedLater("EvalLedgerUnitsMismatch", () => runDecisions(made, hold, monthly));
  assert.deepEqual([details.row, details.found, details.expected], [0, "month", "week"]);
  assert.equal((await trials.read()).rows.length, 2);
  await runDecisions(made, hold, { trials, run: "01TESTRUN00000000000000001" });
  const [a, b] = trialsOf((await trials.read()).rows);
  assert.equal(b?.first, a?.start, "the same again is another trial, and says of which");
});
