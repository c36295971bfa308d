/** Clause walk: the seattle-rain backtest against a second implementation in Python, from the CSV alone. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { ShownReport } from "../support/report-shape.ts";
import { blindcast, lastLine, type Ran, repository, temporaryFolder } from "./command-line.ts";

const folder = temporaryFolder();
const readers = ["climatology", "persistence", "recall:seattle-recall"] as const;
const ran = new Map<string, Ran>();
const python = spawnSync("python3", ["--version"]).status === 0;
const needed =
  process.env["BLINDCAST_CI"] === undefined && !python
    ? "python3 is not here: the second implementation was not run"
    : false;

/** `recall` of `recall:seattle-recall`: a folder's name. */
const outOf = (reader: string) => path.join(folder, reader.split(":")[0] as string);

before(() => {
  for (const reader of readers) {
    ran.set(
      reader,
      blindcast(["backtest", "seattle-rain", "--reader", reader, "--json", "--out", outOf(reader)]),
    );
  }
});
after(() => fs.rmSync(folder, { recursive: true }));

const close = (found: number | undefined, expected: number, what: string) => {
  assert.ok(found !== undefined, what);
  assert.ok(
    Math.abs(found - expected) <= 1e-12,
    `${what}: ${found}, the second implementation says ${expected}`,
  );
};

describe("backtest of seattle-rain", () => {
  it("backtest.summary: prints one JSON object as its last line and exits green", () => {
    for (const reader of readers) {
      const one = ran.get(reader) as Ran;
      assert.equal(one.status, 0, one.stderr);
      assert.equal(one.stdout.trimEnd().split("\n").length, 1);
      const keys = [
        "run",
        "result_digest",
        "verdict",
        "n",
        "brier",
        "arms",
        "premium",
        "plants",
        "failed_cases",
        "findings",
      ];
      const summary = lastLine(one);
      for (const key of keys) assert.ok(key in summary, `${reader}: no ${key}`);
      assert.equal(summary.n, 730);
      assert.equal(summary.verdict, "green");
      assert.match(summary.result_digest, /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(summary.failed_cases, []);
    }
  });

  it("backtest.planted-future: every pair is proven, none served, and reads were within reach of a plant", () => {
    for (const reader of readers) {
      const { plants } = lastLine(ran.get(reader) as Ran);
      assert.deepEqual([plants.future, plants.past, plants.proven, plants.served], [730, 730, 730, 0]);
      assert.ok(plants.in_reach >= 730, `${reader}: ${plants.in_reach}`);
    }
  });

  it("backtest.no-family: arms and premium are null, with a reason, where a reader has no checkpoints", () => {
    const { arms, premium } = lastLine(ran.get("climatology") as Ran);
    assert.equal(arms.latest, null);
    assert.equal(arms.control, null);
    assert.match(arms.reason, /no family/);
    assert.equal(premium.all, null);
    assert.match(premium.reason, /no family/);
  });

  it("backtest.latest-arm: recall shows its leakage, and the placebo is exactly 0", () => {
    const recall = lastLine(ran.get("recall:seattle-recall") as Ran);
    const climatology = lastLine(ran.get("climatology") as Ran);
    assert.equal(recall.arms.routed.brier.mean, climatology.brier.mean);
    assert.deepEqual(recall.arms.routed.brier, recall.brier);
    assert.equal(recall.premium.inside.n, 545);
    assert.equal(recall.premium.placebo.n, 185);
    assert.equal(recall.premium.placebo.mean, 0);
    assert.deepEqual(recall.premium.placebo.ci95, [0, 0]);
    assert.equal(recall.premium.placebo.state, "degenerate");
    assert.ok(recall.premium.inside.mean < -0.2, `${recall.premium.inside.mean}`);
    assert.equal(recall.premium.net.mean, recall.premium.inside.mean);
    assert.deepEqual(Object.keys(recall.arms.control), ["seattle-recall-2013-12", "seattle-recall-2014-12"]);
    for (const arm of Object.values(recall.arms.control)) assert.deepEqual([arm.n, arm.brier.n], [185, 185]);
  });

  it("agrees with the second implementation to 1e-12: every Brier score, premium and interval", {
    skip: needed,
  }, () => {
    const csv = path.join(repository, "node_modules/vega-datasets/data/seattle-weather.csv");
    const script = path.join(repository, "test/walk/recompute_seattle.py");
    const second = spawnSync("python3", [script, csv], { encoding: "utf8" });
    assert.equal(second.status, 0, second.stderr);
    const expected = JSON.parse(second.stdout);
    for (const reader of readers) {
      const found = lastLine(ran.get(reader) as Ran);
      const wanted = expected.readers[reader];
      close(found.brier.mean, wanted.brier, `${reader} brier`);
      assert.equal(found.brier.n, wanted.n);
      assert.equal(found.brier.clusters, expected.clusters);
      for (const i of [0, 1])
        close(found.brier.ci95[i], wanted.headline.brier.ci95[i], `${reader} headline.brier interval`);
    }
    const found = lastLine(ran.get("recall:seattle-recall") as Ran);
    const wanted = expected.readers["recall:seattle-recall"];
    close(found.arms.latest.brier.mean, wanted.arms.latest.brier, "latest");
    for (const snapshot of ["seattle-recall-2013-12", "seattle-recall-2014-12"]) {
      close(found.arms.control[snapshot]?.brier.mean, wanted.arms[`control:${snapshot}`].brier, snapshot);
    }
    for (const name of ["all", "inside", "placebo", "net"] as const)
      close(found.premium[name].mean, wanted.premium[name].mean, `premium.${name}`);
    for (const i of [0, 1]) {
      close(found.premium.all.ci95[i], wanted.premium.all.bootstrap.ci95[i], "premium.all interval");
      close(found.premium.inside.ci95[i], wanted.premium.inside.t.ci95[i], "premium.inside interval (t)");
      close(
        found.premium.inside.bootstrap_ci95[i],
        wanted.premium.inside.bootstrap.ci95[i],
        "premium.inside interval (bootstrap)",
      );
      close(found.premium.net.ci95[i], wanted.premium.net.t.ci95[i], "premium.net interval (CR2)");
    }
  });

  it("report.text and report.json: rendered from the run folder alone, with the same digests", () => {
    const summary = lastLine(ran.get("climatology") as Ran);
    const json = blindcast(["report", outOf("climatology"), "--format", "json"]);
    assert.equal(json.status, 0, json.stderr);
    const report = lastLine<ShownReport>(json);
    assert.equal(report.result_digest, summary.result_digest);
    assert.equal(report.report_digest, summary.report_digest);
    assert.equal(report.result.headline.brier.mean, summary.brier.mean);
    const text = blindcast(["report", outOf("climatology")]).stdout;
    assert.match(text, /0\.2108/);
    assert.match(text, /GREEN/);
    assert.match(text, new RegExp(summary.result_digest));
    for (const line of text.split("\n")) assert.ok(!line.includes("\u001b"), "no colour off a terminal");
  });
});
