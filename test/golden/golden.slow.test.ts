/** Golden reports: the committed bytes are what the engine prints; `BLESS=1 npm test` writes them anew, the diff is read. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, it } from "node:test";
import { repository, temporaryFolder } from "../walk/command-line.ts";
import { warm } from "../walk/many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));

const golden = path.join(repository, "test/golden");

function compare(name: string, found: string): void {
  const file = path.join(golden, name);
  if (process.env["BLESS"] !== undefined) fs.writeFileSync(file, found);
  assert.equal(found, fs.readFileSync(file, "utf8"), `${name}: BLESS=1 npm test, then read the diff`);
}

/** What belongs to one run alone is left out: its id. */
const withoutRun = (text: string) => text.replace(/^run [0-9A-Z]{26},/m, "run …,");

it("the recall report of the first 200 days of 2015, as result and as text", () => {
  const out = path.join(folder, "run");
  const words = ["--reader", "recall:seattle-recall", "--filter", "id=rain-2015-*", "--limit", "200"];
  const ran = warm(["backtest", "seattle-rain", ...words, "--out", out]);
  assert.equal(ran.status, 0, ran.stderr);
  compare("recall-2015.txt", withoutRun(ran.stdout));
  const json = warm(["report", out, "--format", "json"]);
  const { result } = JSON.parse(json.stdout.trimEnd().split("\n").at(-1) as string);
  compare("recall-2015.result.json", `${JSON.stringify(result, null, 1)}\n`);
});

it("the leakage of the same reader on all of 2015, and of the committed run with judged documents, as text", () => {
  const out = path.join(folder, "memory");
  const words = ["--reader", "recall:seattle-recall", "--filter", "id=rain-2015-*", "--profile", "leakage"];
  const ran = warm(["backtest", "seattle-rain", ...words, "--out", out]);
  assert.equal(ran.status, 0, ran.stderr);
  compare("leakage-2015.txt", withoutRun(ran.stdout));
  const pages = warm(["report", path.join(repository, "replay", "northgate-searcher")]);
  assert.equal(pages.status, 1, pages.stderr);
  compare("northgate-searcher.txt", withoutRun(pages.stdout));
});
