import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AnsweringModel, AnswerTable } from "../../src/caseset/answer-table.ts";
import { contract } from "../../src/core/contract.ts";
import { parseMonth } from "../../src/core/month.ts";
import {
  type Answering,
  type AnswersOptions,
  answersJson,
  answersReport,
  sharedEvents,
} from "../../src/report/answers-report.ts";
import { answersText } from "../../src/report/answers-text.ts";
import { cutoffSlices } from "../../src/report/cutoff-slices.ts";
import { pairedRow } from "../../src/report/paired-rows.ts";
import { assertEvery, assertNone } from "../support/all.ts";

const CUTOFF = parseMonth("2024-06") as number;
const options: AnswersOptions = {
  unit: "months",
  bandwidth: 6,
  donut: 0,
  better: "lower",
  alpha: contract.alpha,
  power: contract.power,
  level: contract.bootstrapLevel,
  resamples: 100,
  seed: 1,
  control: null,
  byMonth: true,
};

/** 120 events, five a month about the cutoff; `themes` in turn. */
const events = {
  names: Array.from({ length: 120 }, (_, i) => `e${i}`),
  at: Float64Array.from({ length: 120 }, (_, i) => CUTOFF - 11 + Math.floor(i / 5)),
  lines: Int32Array.from({ length: 120 }, (_, i) => i + 2),
  clusters: Array.from({ length: 120 }, (_, i) => `t${i % 7}`),
};

const answersOf = (name: string, own: readonly number[], seed: number): AnsweringModel => ({
  name,
  line: 2,
  missing: 0,
  events: Int32Array.from(own),
  outcomes: Float64Array.from(own, (event) => 0.3 + Math.sin(event * 12.9898 + seed) / 5),
});
const answering = (name: string, own: readonly number[], cutoff = CUTOFF, seed = name.length): Answering => ({
  listed: { name, place: "models.csv:2", cutoff: { lo: cutoff, hi: cutoff, point: cutoff } },
  answers: answersOf(name, own, seed),
});
const tableOf = (all: readonly Answering[]): AnswerTable => ({
  place: "answers.csv",
  time: "month",
  models: all.map(({ answers }) => answers),
  events,
  rows: 1,
  missing: 0,
  repeated: false,
});
const every = Array.from({ length: 120 }, (_, i) => i);

test("sharedEvents: the events of both, as a plain look at each says", () => {
  const some = fc.uniqueArray(fc.nat(40)).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(some, some, (a, b) => {
      const [one, other] = [answersOf("a", a, 1), answersOf("b", b, 2)];
      const { inA, inB } = sharedEvents(one, other);
      const both = a.filter((event) => b.includes(event));
      assert.deepEqual(
        inA.map((at) => one.events[at]),
        both,
      );
      assert.deepEqual(
        inB.map((at) => other.events[at]),
        both,
      );
    }),
  );
});

test("answersReport: each model's slices are those of its own cases, clustered by month or by the column", () => {
  const all = [answering("a", every), answering("bb", every.slice(20))];
  for (const byMonth of [true, false]) {
    const report = answersReport(tableOf(all), all, { ...options, byMonth });
    for (const [i, { listed, answers }] of all.entries()) {
      const cases = [...answers.events].map((event, j) => ({
        at: events.at[event] as number,
        outcome: answers.outcomes[j] as number,
        cluster: byMonth ? `month ${events.at[event]}` : (events.clusters[event] as string),
      }));
      assert.deepEqual(report.models[i], {
        model: listed.name,
        cutoff: "2024-06",
        slices: cutoffSlices(cases, listed.cutoff, options, `models.${i}`),
      });
    }
  }
});

test("answersReport: pairs on shared events alone; a control against each other model that shares events with it", () => {
  const all = [answering("a", every), answering("bb", every.slice(60)), answering("ccc", every.slice(0, 60))];
  const split = { lo: CUTOFF - 2, hi: CUTOFF - 2, point: CUTOFF - 2 };
  const report = answersReport(tableOf(all), all, { ...options, control: { name: "bb", split } });
  assert.deepEqual(
    report.paired.map(({ a, b, n }) => `${a} ${b} ${n}`),
    ["bb a 60", "ccc a 60"],
    "bb and ccc share none",
  );
  assert.deepEqual(
    report.control.map(({ treated, control, split: at, n_pre, n_post }) => [
      treated,
      control,
      at,
      n_pre,
      n_post,
    ]),
    [["a", "bb", "2024-04", 0, 60]],
  );
  const [first] = report.paired;
  const [a, b] = [all[1], all[0]] as [Answering, Answering];
  const second = Float64Array.from(a.answers.events, (event) => b.answers.outcomes[event] as number);
  const clusters = [...a.answers.events].map((event) => String(events.at[event]));
  const own = pairedRow({ a: "bb", b: "a", first: a.answers.outcomes, second, clusters }, options.level);
  assert.deepEqual(first, own);
  assert.deepEqual(answersReport(tableOf(all), all, options).control, []);
});

test("answersJson: what is not of the line's shape is left out of it", () => {
  const all = [answering("a", every), answering("bb", every)];
  const report = answersReport(tableOf(all), all, { ...options, control: { name: "bb", split: null } });
  assert.ok("n_pre" in (report.control[0] ?? {}) && "ci95" in (report.paired[0] ?? {}));
  const line = JSON.stringify(answersJson(report));
  assertNone(["plot", "envelope", "placebo_n", '"split"', '"n":{'], (key) => line.includes(key));
});

const words = {
  outcome: "outcome",
  better: "lower" as const,
  unit: "months" as const,
  read: ["a\u001b[31m was read."],
};

test("answersText: at most 80 columns of any names, nothing of them moves a cursor, and it certifies nothing", () => {
  const name = fc
    .string({ unit: "binary", minLength: 1, maxLength: 90 })
    .filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), (names) => {
      const all = names.map((one, i) => answering(one, every, CUTOFF + i, i));
      const report = answersReport(tableOf(all), all, { ...options, resamples: 10 });
      const lines = answersText(report, words);
      assertEvery(lines, (line) => [...line].length <= 80);
      assertNone(lines, (line) => /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(line));
    }),
    { numRuns: 30 },
  );
});

test("answersText: an overview where there are several models, and only the first pairs of very many", () => {
  const all = Array.from({ length: 9 }, (_, i) => answering(`model-${i}`, every, CUTOFF, i));
  const text = answersText(answersReport(tableOf(all), all, { ...options, resamples: 10 }), words).join("\n");
  assert.match(
    text,
    /In short: the leak within 6 months of each cutoff, 95 % interval\n {2}model-0 +2024-06/,
  );
  assert.match(text, /… and 6 more pairs with --json/);
  const one = answersText(answersReport(tableOf(all.slice(0, 1)), all.slice(0, 1), options), words).join(
    "\n",
  );
  assert.doesNotMatch(one, /In short|Pair by pair/);
  for (const said of [text, one]) {
    assert.match(said, /it bounds leakage and cannot certify its absence/);
    assert.doesNotMatch(said, /\bclean\b|no leakage/i);
  }
});
