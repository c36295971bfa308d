/** Law 4: same inputs, same bytes, whatever the machine's clock, zone, locale or the number of trajectories at a time. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { blindcast, lastLine, type Ran, temporaryFolder } from "./command-line.ts";
import { manyRuns } from "./many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
let runs = 0;

/** A backtest of some cases, into a folder of its own. */
function whole(words: readonly string[]): string[] {
  const out = path.join(folder, String(runs++));
  const selection = ["--filter", "id=rain-2015-0*", "--limit", "20"];
  return ["backtest", "seattle-rain", ...selection, "--json", "--out", out, ...words];
}

function digestOf(ran: Ran): string {
  assert.equal(ran.status, 0, ran.stderr);
  return lastLine(ran).result_digest;
}

const digest = (words: readonly string[], env: Record<string, string> = {}): string =>
  digestOf(blindcast(whole(words), { env }));

describe("law 4", () => {
  const recall = ["--reader", "recall:seattle-recall"];
  const first = digest([...recall, "--concurrency", "1"], { TZ: "UTC" });

  it("gives one result_digest at any concurrency, zone and locale", () => {
    assert.equal(digest([...recall, "--concurrency", "8"]), first);
    assert.equal(digest(recall, { TZ: "Asia/Kolkata" }), first);
    assert.equal(digest(recall, { TZ: "America/New_York" }), first);
    assert.equal(digest(recall, { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" }), first);
  });

  it("gives another to another seed, reader, selection or number of repeats", () => {
    const others = [
      [...recall, "--seed", "2"],
      [...recall, "--repeats", "2"],
      ["--reader", "climatology"],
      ["--reader", "persistence"],
      [...recall, "--filter", "id=rain-2015-02*"],
    ];
    const [same, ...digests] = manyRuns([recall, ...others].map((words) => ({ words: whole(words) }))).map(
      digestOf,
    );
    assert.equal(same, first, "nor to a process that ran before");
    assert.equal(new Set([first, ...digests]).size, others.length + 1);
  });

  it("writes the same cases, labels and profile, and entries that differ in nothing but their run's own", () => {
    const folders = ["0", "1"].map((name) => path.join(folder, name));
    for (const name of ["cases.jsonl", "labels.jsonl", "profile.json", "family.json", "caseset.json"]) {
      const [a, b] = folders.map((one) => fs.readFileSync(path.join(one, name), "utf8"));
      assert.equal(a, b, name);
    }
    const own = new Set(["run", "seq", "at", "ms", "prev"]);
    const [a, b] = folders.map((one) =>
      fs
        .readFileSync(path.join(one, "entries.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter((entry) => entry.kind !== "probe")
        .map((entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !own.has(key)))),
    );
    assert.ok((a?.length ?? 0) > 40);
    assert.deepEqual(a, b);
  });
});
