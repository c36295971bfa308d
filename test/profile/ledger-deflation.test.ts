/** The deflation of a ledger: every trial that began counts, and each figure is derived from its rows. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import { parseTrialRows } from "../../src/ledger/trial-chain.ts";
import { deflateLedger } from "../../src/profile/ledger-deflation.ts";
import { expectedMaximum } from "../../src/stats/sharpe.ts";
import { refusedLater, repository } from "../core/refused.ts";
import { end, fail, start } from "../ledger/a-trial.ts";

const file = path.join(repository, "docs/ledger/harbour.jsonl");
const harbour = fs.readFileSync(file, "utf8");
const parsed = (text: string) => parseTrialRows(text, "harbour.jsonl", nodeHashing.sha256);

const measures = (sharpe: number, seed = 1): Json => ({
  repeats: [{ seed, sharpe, periods: 60, skewness: 0, kurtosis: 3, state: "ok", series: null }],
  returns: null,
  state: "ok",
});
const profile = (year: number | null): Json => ({
  profile: { returns: { per: "month", ...(year === null ? {} : { periods_per_year: year }) } },
});

/** A ledger of trials with these ratios, each under what a profile configures. */
async function ledgerOf(ratios: readonly (number | null)[], more: (n: number) => object = () => ({})) {
  const ledger = memoryTrialLedger("rain");
  for (const [n, ratio] of ratios.entries()) {
    const { row } = await ledger.start(start(n, more(n)));
    await ledger.end(end(row, n, { measures: ratio === null ? null : measures(ratio) }));
  }
  return ledger;
}

describe("deflation of a ledger", () => {
  it("counts every trial, and takes V over those that have a ratio", () => {
    const ledger = parsed(harbour);
    const { n_trials, n_ratios, variance, sr0, best, known_at, units, trials, pbo } = deflateLedger(ledger);
    const ratios = harbour.match(/"sharpe":[^,]+/g)?.map((found) => Number(found.slice(9))) as number[];
    assert.deepEqual([n_trials, n_ratios, ratios.length], [8, 6, 6]);
    const mean = ratios.reduce((sum, each) => sum + each, 0) / 6;
    const expected = ratios.reduce((sum, each) => sum + (each - mean) * (each - mean), 0) / 5;
    assert.ok(Math.abs((variance as number) - expected) < 1e-15);
    assert.ok(Math.abs((sr0 as number) - Math.sqrt(expected) * expectedMaximum(8)) < 1e-14);
    assert.equal(best?.sharpe, Math.max(...ratios));
    assert.deepEqual(known_at, { rows: 15, head: ledger.head });
    assert.equal(units.periods_per_year, 12);
    assert.deepEqual(
      trials.map(({ state }) => state),
      ["ok", "ok", "ok", "ok", "ok", "ok", "failed", "unfinished"],
    );
    assert.equal(pbo.state, "ok");
  });

  it("at an earlier head is of the trials that were known then", () => {
    const lines = harbour.split("\n");
    const earlier = deflateLedger(
      parsed(
        lines
          .slice(0, 11)
          .map((line) => `${line}\n`)
          .join(""),
      ),
    );
    assert.deepEqual([earlier.n_trials, earlier.n_ratios, earlier.known_at?.rows], [6, 5, 11]);
    assert.ok((earlier.best?.dsr as number) > (deflateLedger(parsed(harbour)).best?.dsr as number));
  });

  it("a trial that began lowers what the best is worth, whatever becomes of it", async () => {
    const ledger = await ledgerOf([0.1, 0.3, 0.2]);
    const worth = async () => deflateLedger(await ledger.read()).best?.dsr as number;
    const before = await worth();
    const { row } = await ledger.start(start(7));
    const begun = await worth();
    assert.ok(begun < before, `${begun} < ${before}`);
    await ledger.fail(fail(row, 7));
    assert.equal(await worth(), begun);
    await ledger.start(start(8));
    assert.ok((await worth()) < begun);
  });

  it("one that ended under a profile that measures nothing counts, and has no ratio", async () => {
    const ledger = await ledgerOf([0.1, 0.3, null], (n) => ({ units: n === 2 ? null : "month" }));
    const { n_trials, n_ratios, trials } = deflateLedger(await ledger.read());
    assert.deepEqual([n_trials, n_ratios, trials[2]?.state], [3, 2, "unmeasured"]);
    const measuring = await ledgerOf([0.1, null]);
    const error = await refusedLater("TrialLedgerBroken", async () => deflateLedger(await measuring.read()));
    assert.equal(error.details.place, "memory:4");
  });

  it("EvalLedgerUnitsMismatch: returns of two kinds of periods, by the row of the other", async () => {
    const units = (n: number) => ({ units: n === 2 ? "day" : "month" });
    const mixed = await ledgerOf([0.1, 0.3, 0.2], units);
    const error = await refusedLater("EvalLedgerUnitsMismatch", async () =>
      deflateLedger(await mixed.read()),
    );
    assert.deepEqual(error.details, { place: "memory:5", row: 4, found: "day", expected: "month" });
    const same = await ledgerOf([0.1, 0.3, 0.2], () => ({ units: "day" }));
    assert.equal(deflateLedger(await same.read()).n_trials, 3);
  });

  it("yearly figures only where all trials name as many periods a year", async () => {
    for (const [years, expected] of [
      [[12, 12], 12],
      [[12, 52], null],
      [[12, null], null],
      [[null, null], null],
    ] as const) {
      const ledger = await ledgerOf([0.1, 0.2], (n) => ({ config: profile(years[n] as number | null) }));
      const { units, trials } = deflateLedger(await ledger.read());
      assert.equal(units.periods_per_year, expected);
      assert.equal(trials[0]?.sharpe_per_year ?? null, expected && 0.1 * Math.sqrt(expected));
    }
    const other = await ledgerOf([0.1], () => ({ config: "a text" }));
    assert.equal(deflateLedger(await other.read()).units.periods_per_year, null);
  });

  it("a ledger without a trial is our mistake", () => {
    assert.throws(() => deflateLedger(parsed("")), RangeError);
  });
});
