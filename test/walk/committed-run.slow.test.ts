/** The signed runs that are kept in `replay/`: verified on every Node, and the same backtests of today have their results. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { blindcast, lastLine, repository, temporaryFolder } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
type Said = {
  readonly verdict: string;
  readonly result_digest: string;
  readonly report_digest: string;
  readonly arms: Readonly<Record<string, string>>;
};
const agents = path.join(repository, "docs", "agents");
const [searcher, timer] = [path.join(agents, "searcher.mjs"), path.join(agents, "timer.mjs")];
const rule = ["--param", "rule=volatility", "--param", "days=20", "--param", "target=12"];
const runs = [
  {
    name: "seattle-climatology",
    selection: ["seattle-rain", "--reader", "climatology", "--limit", "60"],
    again: [],
    status: 0,
  },
  {
    name: "northgate-searcher",
    selection: [
      "northgate-ferries",
      "--reader",
      `module:${searcher}`,
      "--profile",
      "leakage",
      "--limit",
      "20",
    ],
    again: ["--module", searcher],
    status: 1,
  },
  {
    name: "sp500-timer",
    selection: ["sp500-timing", "--reader", `module:${timer}`, ...rule, "--limit", "12"],
    again: ["--module", timer],
    status: 0,
  },
] as const;

for (const { name, selection, again, status } of runs) {
  const run = path.join(repository, "replay", name);
  const policy = `${run}.policy`;
  describe(`replay.committed: ${name}`, () => {
    it("is verified under its policy, answer by answer, and unauthenticated without one", () => {
      const trusted = warm(["replay", run, "--policy", policy, ...again, "--json"]);
      assert.equal(trusted.status, 0, trusted.stdout + trusted.stderr);
      const said = lastLine<Said>(trusted);
      assert.deepEqual([said.verdict, said.arms], ["verified", { routed: "re-executed" }]);
      const close = JSON.parse(fs.readFileSync(path.join(run, "close.json"), "utf8"));
      assert.deepEqual([said.result_digest, said.report_digest], [close.result, close.report]);
      const alone = warm(["replay", run, "--json"]);
      assert.equal(alone.status, 5);
      assert.equal(lastLine<Said>(alone).result_digest, said.result_digest);
      assert.equal(warm(["verify", run, "--policy", policy]).status, 0);
    });

    it("has the result of the same backtest run today", () => {
      const today = blindcast(["backtest", ...selection, "--json", "--out", path.join(folder, name)]);
      assert.equal(today.status, status, today.stderr);
      const { result } = JSON.parse(fs.readFileSync(path.join(run, "close.json"), "utf8"));
      assert.equal(lastLine(today).result_digest, result);
    });
  });
}
