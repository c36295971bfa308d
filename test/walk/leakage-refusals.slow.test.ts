/** Clause walk: what `leakage` refuses, with the nearest that it accepts; and its example in the docs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { type AnswerTrial, answerFaults } from "../fixtures/answer-faults.ts";
import { assertEvery } from "../support/all.ts";
import { atH, type LeakageModel, layAnswers, leakage, leakageJson, leakageWords, nearly } from "./answers.ts";
import { blindcast, type Ran, repository, workspace } from "./command-line.ts";
import { manyRuns } from "./many-runs.ts";

describe("bad input of leakage", () => {
  const trials = [
    ...new Map(
      answerFaults.flatMap(({ bad, good }) => [bad, good]).map((one) => [JSON.stringify(one), one]),
    ).values(),
  ];
  const done = new Map<string, Ran>();
  before(() => {
    const runs = trials.map((trial) => ({ words: leakageWords(...trial.words), cwd: layAnswers(trial) }));
    for (const [i, ran] of manyRuns(runs).entries()) done.set(JSON.stringify(trials[i]), ran);
  });

  for (const { name, bad, good, code, place, values, next } of answerFaults)
    it(`refusal.${code}: ${name}`, () => {
      const refused = done.get(JSON.stringify(bad)) as Ran;
      assert.equal(refused.status, 2, refused.stderr + refused.stdout);
      assert.equal(refused.stdout, "");
      const [line, hint, ...rest] = refused.stderr.trimEnd().split("\n");
      assert.ok(line?.startsWith(`${code}: ${place}: `), `expected ${code}: ${place}: …, found ${line}`);
      for (const value of values) assert.ok(line?.includes(value), `expected ${value} in ${line}`);
      assert.deepEqual(rest, []);
      if (next === "") assert.equal(hint, undefined);
      else assert.ok(hint?.startsWith("hint: ") && hint.includes(next), `expected ${next} in ${hint}`);
      const accepted = done.get(JSON.stringify(good)) as Ran;
      assert.equal(accepted.status, 0, accepted.stderr);
    });

  it("refusal.ArgumentInvalid: --better and --models are needed, each with what it takes", () => {
    const folder = layAnswers(answerFaults[0]?.good as AnswerTrial);
    for (const [words, place, value] of [
      [["answers.csv", "--models", "models.csv"], "--better", "lower"],
      [["answers.csv", "--better", "lower"], "--models", "model, cutoff"],
    ] as const) {
      const ran = blindcast(["leakage", ...words], { cwd: folder });
      assert.equal(ran.status, 2);
      assert.match(ran.stderr, new RegExp(`^ArgumentInvalid: ${place}: .*${value}`));
    }
    const help = blindcast(["leakage", "--help"]);
    assert.equal(help.status, 0);
    assert.match(help.stdout, /--better +lower or higher/);
    assert.match(help.stdout, /Examples:\s+blindcast leakage answers\.csv/);
  });
});

describe("docs/leakage", () => {
  const docs = path.join(repository, "docs/leakage");

  it("make.mjs makes the tables again, byte for byte, and the picture is the one that the command makes", () => {
    const folder = path.join(workspace, "made");
    execFileSync(process.execPath, [path.join(docs, "make.mjs"), "--out", folder]);
    const names = fs.readdirSync(folder).sort();
    assert.deepEqual(names, ["answers.csv", "models.csv"]);
    for (const name of names)
      assert.ok(
        fs.readFileSync(path.join(folder, name)).equals(fs.readFileSync(path.join(docs, name))),
        name,
      );
    assert.equal(leakage(folder, "--control", "tortoise", "--plot", "pictures").status, 0);
    const [ours, theirs] = [path.join(folder, "pictures/hare.svg"), path.join(docs, "hare.svg")];
    assert.equal(
      fs.readFileSync(ours, "utf8"),
      fs.readFileSync(theirs, "utf8"),
      "copy the new one: npm run build, then the command of docs/leakage.md",
    );
  });

  it("says what the docs say: a jump of hare, none of fox at its stated cutoff, both seen by the control", () => {
    const folder = layAnswers({
      answers: fs.readFileSync(path.join(docs, "answers.csv"), "utf8"),
      models: fs.readFileSync(path.join(docs, "models.csv"), "utf8"),
    });
    const { models, control } = leakageJson(folder, "--control", "tortoise");
    const [, hare, fox] = models as [LeakageModel, LeakageModel, LeakageModel];
    nearly(atH(hare).estimate, 0.157, 5e-4);
    assert.ok((atH(hare).ci95?.[0] as number) > 0);
    assert.ok((atH(fox).ci95?.[0] as number) < 0 && (fox.gap_not_leakage as number) > 0.1);
    assertEvery(control, ({ estimate, se }) => (estimate as number) > 3 * (se as number));
    assert.equal(fox.sensitivity.length, 6);
  });
});
