/** Clause walk: a universe that changes, by the command line: two slices that never pool, and a reader that looks at survivors. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { assertEvery } from "../support/all.ts";
import { lastLine, repository, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

type Repeat = {
  readonly periods: number;
  readonly total_return: number;
  readonly returns: readonly (readonly [id: string, value: number])[];
  readonly orders: readonly { readonly case: string; readonly entity: string }[];
  readonly left: readonly { readonly entity: string; readonly return: number }[];
};
type Result = {
  readonly verdict: string;
  readonly failed_cases: readonly { readonly case: string; readonly arm: string }[];
  readonly decisions: {
    readonly slice: string;
    readonly slices: Readonly<
      Record<string, { readonly cases: number; readonly arms: Readonly<Record<string, readonly Repeat[]>> }>
    >;
  };
};

/** From July to September 2017: in August a member fails. */
const FILTER = ["--filter", "tag=2017-q3"];
const reader = `module:${path.join(repository, "docs/agents/picker.mjs")}`;
const backtest = (out: string, ...more: string[]) =>
  warm(["backtest", "saltmarsh-exchange", "--reader", reader, ...more, "--out", out, "--json"]);
const resultOf = (out: string): Result =>
  JSON.parse(fs.readFileSync(path.join(workspace, out, "report.json"), "utf8")).result;

describe("saltmarsh-exchange", () => {
  it("nothing would be refused, and nothing is warned of", () => {
    const ran = warm(["doctor", "saltmarsh-exchange", "--reader", reader, "--json"]);
    assert.equal(ran.status, 0, ran.stderr);
    const { cases, tables, refusals, warnings } = lastLine<Record<string, unknown>>(ran);
    assert.deepEqual(
      [cases, tables, refusals, warnings],
      [36, ["members", "names", "prices", "delistings"], [], []],
    );
  });

  it("a reader that reads of those that left is green: each slice has an account of its own cases alone", () => {
    const ran = backtest("picker", ...FILTER);
    assert.equal(ran.status, 0, ran.stderr);
    const { verdict, failed_cases: failed, decisions } = resultOf("picker");
    assert.deepEqual([verdict, failed, decisions.slice], ["green", [], "universe"]);
    const { universe, fixed_universe: fixed, ...others } = decisions.slices;
    assert.deepEqual([universe?.cases, fixed?.cases, others], [3, 3, {}]);
    const [all, lived] = [universe, fixed].map((slice) => slice?.arms["routed"]?.[0] as Repeat) as [
      Repeat,
      Repeat,
    ];
    assertEvery(all.orders, (order) => /^2017-0[7-9]$/.test(order.case));
    assertEvery(lived.orders, (order) => /^survivors-2017-0[7-9]$/.test(order.case));
    assert.deepEqual(
      all.left.map((exit) => [exit.entity, exit.return]),
      [["m07", -0.95]],
    );
    assert.deepEqual(lived.left, []);
    const august = new Map(all.returns).get("2017-08") as number;
    assert.ok(august < -0.15 && lived.total_return > all.total_return + 0.15, `${august}`);
  });

  it("a reader that looks at survivors fails every case of the universe, in the arm that asks for it", () => {
    const ran = backtest("survivors", "--param", "universe=survivors", ...FILTER, "--limit", "2");
    assert.equal(ran.status, 1, ran.stderr);
    assert.deepEqual(
      resultOf("survivors").failed_cases.map((one) => [one.case, one.arm]),
      ["07", "08"].map((month) => [`2017-${month}`, "delisting"]),
    );
  });
});
