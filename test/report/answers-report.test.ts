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
      const order = [...answers.events.keys()].sort((a, b) => {
        const [one, other] = [answers.events[a] as number, answers.events[b] as number];
        const later = (events.at[one] as number) - (events.at[other] as number);
        return later === 0
          ? (events.names[one] as string) < (events.names[other] as string)
            ? -1
            : 1
          : later;
      });
      const cases = order
        .map((j) => [answers.events[j] as number, j] as const)
        .map(([event, j]) => ({
          at: events.at[event] as number,
          outcome: answers.outcomes[j] as number,
          cluster: byMonth ? `month ${events.at[event]}` : (events.clusters[event] as string),
        }));
      assert.deepEqual(report.models[i], {
        model: listed.name,
        cutoff: "2024-06",
        slices: cutoffSlices(cases, listed.cutoff, options, `models.${listed.name}`),
      });
    }
  }
});

test("answersReport: no figure depends on the order of rows, of events or of models", () => {
  // Enough clusters for bootstraps, in one month some of them, and outcomes whose sum depends on its order.
  const cutoffs = [CUTOFF, CUTOFF + 1, CUTOFF - 20];
  const all = ["a", "bb", "ccc"].map((name, i) => answering(name, every.slice(i), cutoffs[i]));
  const given = { ...options, byMonth: false, resamples: 60, control: { name: "ccc", split: null } };
  const plain = { ...tableOf(all), events: { ...events, clusters: null } };
  const report = answersReport(plain, all, given);
  const of = <Row>(rows: readonly Row[], key: (row: Row) => string) =>
    new Map(rows.map((row) => [key(row), row]));
  const figures = ({ models, control, paired }: typeof report) => ({
    models: of(models, ({ model }) => model),
    control: of(control, ({ treated }) => treated),
    paired: of(paired, ({ a, b }) => `${a} ${b}`),
  });
  assert.ok(
    report.models[0]?.slices.discontinuity.some(
      ({ method, ci95 }) => method === "bootstrap" && ci95 !== null,
    ),
  );
  fc.assert(
    fc.property(
      fc.shuffledSubarray(every, { minLength: 120 }),
      fc.shuffledSubarray(all, { minLength: 3 }),
      (order, models) => {
        const place = new Map(order.map((event, i) => [event, i]));
        const moved = {
          names: order.map((event) => events.names[event] as string),
          at: Float64Array.from(order, (event) => events.at[event] as number),
          lines: events.lines,
          clusters: null,
        };
        const shuffled = models.map(({ listed, answers }) => {
          const own = [...answers.events.keys()]
            .map(
              (j) =>
                [place.get(answers.events[j] as number) as number, answers.outcomes[j] as number] as const,
            )
            .sort(([a], [b]) => a - b);
          return {
            listed,
            answers: {
              ...answers,
              events: Int32Array.from(own, ([event]) => event),
              outcomes: Float64Array.from(own, ([, outcome]) => outcome),
            },
          };
        });
        const again = answersReport({ ...tableOf(shuffled), events: moved }, shuffled, given);
        assert.deepEqual(figures(again), figures(report));
        assert.deepEqual(
          again.models.map(({ model }) => model),
          models.map(({ listed }) => listed.name),
        );
      },
    ),
    { numRuns: 8 },
  );
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

test("answersReport: a split that is given may lie before a model's cutoff ends, its own may too where it is not the end", () => {
  const all = [answering("a", every), answering("bb", every, CUTOFF - 20)];
  const late = answering("c", every);
  const stated = { lo: CUTOFF - 1, hi: CUTOFF + 1, point: CUTOFF };
  const given = [...all, { ...late, listed: { ...late.listed, cutoff: stated } }];
  const early = (month: number | null) => {
    const split = month === null ? null : { lo: month, hi: month, point: month };
    const report = answersReport(tableOf(given), given, { ...options, control: { name: "bb", split } });
    return report.control.map(({ before_cutoff }) => before_cutoff);
  };
  assert.deepEqual(
    [early(null), early(CUTOFF - 1), early(CUTOFF), early(CUTOFF + 1)],
    [
      [false, true],
      [true, true],
      [false, true],
      [false, false],
    ],
  );
});

test("answersJson: what is not of the line's shape is left out of it", () => {
  const all = [answering("a", every), answering("bb", every)];
  const report = answersReport(tableOf(all), all, { ...options, control: { name: "bb", split: null } });
  assert.ok("n_pre" in (report.control[0] ?? {}) && "ci95" in (report.paired[0] ?? {}));
  const line = JSON.stringify(answersJson(report));
  const others = ["plot", "envelope", "method", "placebo_ci95", "before_cutoff", "range", '"split"', '"n":{'];
  assertNone(others, (key) => line.includes(key));
  const swept = all.map((one) => ({
    ...one,
    listed: { ...one.listed, cutoff: { lo: CUTOFF - 1, hi: CUTOFF, point: CUTOFF } },
  }));
  const { models } = answersJson(answersReport(tableOf(all), swept, options)) as never as {
    models: { sensitivity: object[] }[];
  };
  assert.deepEqual(Object.keys(models[0]?.sensitivity[0] as object), ["cutoff", "estimate", "se", "state"]);
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
  assert.match(text, /In short: the jump of the outcome within 6 months of each cutoff, its 95 %\ninterval/);
  assert.match(text, /\n {2}model-0 {2}2024-06 +-?0\.\d{4} {2}\[.*\] +–\n {2}model-1 /);
  assert.match(text, /… and 6 more pairs with --json/);
  const one = answersText(answersReport(tableOf(all.slice(0, 1)), all.slice(0, 1), options), words).join(
    "\n",
  );
  assert.doesNotMatch(one, /In short|Pair by pair/);
  for (const said of [text, one]) {
    assert.match(said, /it bounds leakage and cannot certify its absence/);
    assert.doesNotMatch(said, /\bclean\b|no leakage|ruled out/i);
  }
});

test("answersText: in short: the control's leak beside the jump, and why a model has no interval", () => {
  const all = [
    answering("new", every),
    answering("old", every, CUTOFF - 20),
    answering("last", every, CUTOFF + 40),
  ];
  const report = answersReport(tableOf(all), all, { ...options, control: { name: "old", split: null } });
  const lines = answersText(report, words);
  const line = (name: string) => lines.find((one) => one.startsWith(`  ${name} `)) as string;
  const against = report.control[0]?.estimate as number;
  assert.ok(line("new").endsWith(` ${against.toFixed(4)}`), line("new"));
  assert.match(line("old"), /^ {2}old {4}2022-10 +– {2}all cases after +–$/);
  assert.match(line("last"), /^ {2}last {3}2027-10 +– {2}all cases before +–$/);
  assertEvery(lines, (one) => one.length <= 80);
});

test("answersText: in short: no name is cut so that two look alike", () => {
  const long = "a-maker/a-model-whose-name-is-told-at-length-and-ends-in-";
  const names = ["short", `${long}one`, `${long}two`, `${"x".repeat(260)}1`, `${"x".repeat(260)}2`];
  const all = names.map((name, i) => answering(name, every, CUTOFF, i));
  const lines = answersText(answersReport(tableOf(all), all, { ...options, resamples: 10 }), words);
  const from = lines.findIndex((line) => line.startsWith("In short"));
  const short = lines.slice(from, lines.indexOf("", from));
  assert.ok(short.includes(`  ${long}one`) && short.includes(`  ${long}two`), short.join("\n"));
  const whole = short.map((line) => line.trim()).join("");
  for (const name of names) assert.ok(whole.includes(name), name);
  assertEvery(short, (line) => line.length <= 80);
});

test("answersText: pairs stand in a stated order, and their heading says which sign is better", () => {
  const all = [answering("a", every), answering("bb", every), answering("ccc", every)];
  const report = answersReport(tableOf(all), all, { ...options, resamples: 10 });
  const said = (better: "lower" | "higher") => answersText(report, { ...words, better }).join(" ");
  assert.match(said("lower"), /Since lower is better, a is the better one where it is below 0\./);
  assert.match(said("higher"), /Since higher is better, a is the better one where it is above 0\./);
  assert.match(said("lower"), /in the order of the table of models: its first with each one below it/);
  const heads = answersText(report, words).filter((line) => / − /.test(line) && !/mean of/.test(line));
  assert.deepEqual(heads, ["  bb − a", "  ccc − a", "  ccc − bb"]);
});
