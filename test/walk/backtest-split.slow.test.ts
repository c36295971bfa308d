/** `backtest --split NAME` as a person has it: a reader that learns from its fold's labels, a stranger's replay, refusals. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { assertEvery } from "../support/all.ts";
import { readRun } from "../support/read-run.ts";
import { lastLine, repository, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

fs.cpSync(path.join(repository, "docs/splits"), path.join(workspace, "docs/splits"), { recursive: true });
const SET = "docs/splits/tides";
const LEARNER = ["--reader", "module:docs/splits/learner.mjs"];
const backtest = (...words: string[]) => warm(["backtest", SET, ...words]);

type Line = { readonly [key: string]: unknown };
const lines = (file: string): Line[] =>
  fs
    .readFileSync(path.join(workspace, SET, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const labels = new Map(lines("labels.jsonl").map((label) => [String(label["case"]), label]));
const cases = lines("cases.jsonl") as { id: string; freeze: string; label_interval: [string, string] }[];

describe("backtest.split", () => {
  it("a walk-forward: each answer follows from the latest sixteen labels before its block that were known at the horizon", () => {
    const ran = backtest("--split", "forward", ...LEARNER, "--out", "runs/forward", "--json");
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /^split forward: 4 folds test 36 cases; the other 10 are trained on and not asked$/m,
    );
    const summary = lastLine<{ n: number; tally: { cases: number; not_asked: number; sampled: number } }>(
      ran,
    );
    assert.deepEqual([summary.n, summary.tally.cases, summary.tally.not_asked], [36, 46, 10]);
    const files = fs.readdirSync(path.join(workspace, "runs/forward"));
    const { entries } = readRun(
      new Map(
        files
          .filter((name) => /^(entries|plants)\.jsonl$|^blobs\./.test(name))
          .map((name) => [name, fs.readFileSync(path.join(workspace, "runs/forward", name))]),
      ),
    );
    const answers = entries.filter((entry) => entry.kind === "answer");
    assert.equal(answers.length, 36);
    assertEvery(answers, (entry) => {
      const at = cases.findIndex(({ id }) => id === entry.case);
      const block = cases[10 + 9 * Math.floor((at - 10) / 9)] as (typeof cases)[number];
      const learnt = cases
        .filter(({ label_interval: [, end] }) => end < block.label_interval[0])
        .slice(-16)
        .map(({ id }) => labels.get(id) as Line)
        .filter((label) => String(label["available_time"]) <= (cases[at]?.freeze as string));
      const events = learnt.filter((label) => label["outcome"] === 1).length;
      return entry.kind === "answer" && entry.probability === (1 + events) / (2 + learnt.length);
    });
    const report = warm(["report", "runs/forward"]);
    assert.match(
      report.stdout,
      /^Split: forward, 4 folds; 10 cases that none tests were trained on, and not asked$/m,
    );
  });

  it("replay gives every answer again from the record", () => {
    const module = ["--module", "docs/splits/learner.mjs"];
    const found = warm(["replay", "runs/forward", ...module, "--json"]);
    assert.equal(found.status, 5, found.stderr + found.stdout);
    const stages = lastLine<{ stages: { stage: string; state: string }[] }>(found).stages;
    assert.equal(stages.find(({ stage }) => stage === "re-serve")?.state, "passed");
  });

  it("doctor looks at a split, serve has none, and a name that is not declared is refused with the known ones", () => {
    const doctor = warm(["doctor", SET, "--split", "sixfold"]);
    assert.equal(doctor.status, 2);
    assert.match(doctor.stdout + doctor.stderr, /ArgumentInvalid: --split: "sixfold"/);
    const refused = backtest("--split", "sixfold", ...LEARNER);
    assert.equal(refused.status, 2);
    assert.match(
      refused.stderr,
      /^ArgumentInvalid: --split: "sixfold" given, expected one of forward, fivefold$/m,
    );
    const few = backtest("--split", "fivefold", "--limit", "2", ...LEARNER);
    assert.match(
      few.stderr,
      /^SplitEmpty: docs\/splits\/tides\/caseset\.yaml:\d+:\d+: split fivefold, fold 0: its train set is empty/m,
    );
    const served = warm([
      "serve",
      SET,
      "--case",
      "tide-2031-01-31",
      "--out",
      "runs/one",
      "--split",
      "forward",
    ]);
    assert.equal(served.status, 2);
    assert.match(served.stderr, /^ArgumentInvalid: .*--split/m);
  });
});
