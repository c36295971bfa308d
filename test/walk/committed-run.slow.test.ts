/** The signed run that is kept in `replay/`: verified on every Node, and the same backtest of today has its result. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { blindcast, lastLine, repository, temporaryFolder } from "./command-line.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
const run = path.join(repository, "replay", "seattle-climatology");
const policy = `${run}.policy`;
type Said = {
  readonly verdict: string;
  readonly result_digest: string;
  readonly report_digest: string;
  readonly arms: Readonly<Record<string, string>>;
};

describe("replay.committed", () => {
  it("is verified under its policy, answer by answer, and unauthenticated without one", () => {
    const trusted = blindcast(["replay", run, "--policy", policy, "--json"]);
    assert.equal(trusted.status, 0, trusted.stdout + trusted.stderr);
    const said = lastLine<Said>(trusted);
    assert.deepEqual([said.verdict, said.arms], ["verified", { routed: "re-executed" }]);
    const close = JSON.parse(fs.readFileSync(path.join(run, "close.json"), "utf8"));
    assert.deepEqual([said.result_digest, said.report_digest], [close.result, close.report]);
    const alone = blindcast(["replay", run, "--json"]);
    assert.equal(alone.status, 5);
    assert.equal(lastLine<Said>(alone).result_digest, said.result_digest);
    assert.equal(blindcast(["verify", run, "--policy", policy]).status, 0);
  });

  it("has the result of the same backtest run today", () => {
    const words = ["backtest", "seattle-rain", "--reader", "climatology", "--limit", "60", "--json"];
    const today = blindcast([...words, "--out", path.join(folder, "today")]);
    assert.equal(today.status, 0, today.stderr);
    const { result } = JSON.parse(fs.readFileSync(path.join(run, "close.json"), "utf8"));
    assert.equal(lastLine(today).result_digest, result);
  });
});
