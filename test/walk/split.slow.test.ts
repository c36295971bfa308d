/** Clauses label-interval, split: the verb `split` on tables and case sets, its audit, and what it refuses. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { shared } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import { lastLine, type Ran, repository, workspace } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

type Dropped = { id: string; by: string }[];
type Split = {
  split: number;
  groups: number[];
  paths: number[];
  test: string[];
  train: string[];
  purged: Dropped;
  embargoed: Dropped;
  unused: string[];
  empty: boolean;
};
type Output = {
  cases: number;
  definition: { [key: string]: unknown };
  digest: string;
  groups: number[];
  splits: Split[];
  paths: number[][];
};
type Audit = {
  leaks: number;
  splits: { pairs: number; leaks: { id: string; rule: string; by: string }[] }[];
};

const folder = path.join(workspace, "splits");
fs.mkdirSync(folder);
const lay = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
const table = (rows: readonly (readonly [string, number | string, number | string])[]) =>
  `id,t0,t1\n${rows.map((row) => `${row.join(",")}\n`).join("")}`;
const caseA = Array.from({ length: 10 }, (_, i) => [`a${i}`, i, i + 2] as const);
lay("a.csv", table(caseA));
lay("shuffled.csv", table([7, 2, 9, 0, 4, 1, 8, 3, 6, 5].map((i) => caseA[i]!)));
const split = (...words: string[]): Ran => warm(["split", ...words], { cwd: folder });

type Lists = { test: number[]; train: number[]; purged: number[]; embargoed: number[]; path?: number[] };
type Known = {
  t0: number[];
  t1: number[];
  kfold: { [key: string]: Lists[] };
  cpcv: { [key: string]: { n_paths: number; splits: Lists[] } };
};

describe("split.known-answers", () => {
  it("every known answer comes out of the verb, id by id, in whatever order the rows come", (t) => {
    const text = shared(t, "reference/oracle_splits.json");
    if (text === undefined) return;
    const trials = Object.entries(JSON.parse(text) as { [name: string]: Known }).flatMap(([name, known]) => {
      const rows = known.t0.map(
        (t0, i) => [`c${String(i).padStart(2, "0")}`, t0, known.t1[i] as number] as const,
      );
      lay(`${name}.csv`, table(rows.toReversed()));
      const words = (...more: string[]) => ["split", `${name}.csv`, ...more, "--allow-empty", "--json"];
      return [
        ...Object.entries(known.kfold).map(([key, splits]) => {
          const [, k, h] = /^k(\d+)_h(\d+)$/.exec(key) as unknown as [string, string, string];
          return { words: words("--folds", k, "--embargo", `P${h}D`), splits, paths: 1 };
        }),
        ...Object.entries(known.cpcv).map(([key, { splits, n_paths: paths }]) => {
          const [, n, k, h] = /^N(\d+)_k(\d+)_h(\d+)$/.exec(key) as unknown as [
            string,
            string,
            string,
            string,
          ];
          return { words: words("--groups", n, "--test-groups", k, "--embargo", `P${h}D`), splits, paths };
        }),
      ];
    });
    assert.ok(trials.length > 25, `${trials.length} trials`);
    const runs = manyRuns(trials.map(({ words }) => ({ words, cwd: folder })));
    for (const [i, { splits, paths, words }] of trials.entries()) {
      const ran = runs[i] as Ran;
      assert.equal(ran.status, 0, ran.stderr);
      const output = lastLine<Output>(ran);
      const ids = (numbers: number[]) => numbers.map((n) => `c${String(n).padStart(2, "0")}`);
      assert.deepEqual(
        output.splits.map((one) => [
          one.test,
          one.train,
          one.purged.map(({ id }) => id),
          one.embargoed.map(({ id }) => id),
        ]),
        splits.map((one) => [ids(one.test), ids(one.train), ids(one.purged), ids(one.embargoed)]),
        words.join(" "),
      );
      assert.equal(output.paths.length, paths);
      for (const [number, { path: known }] of splits.entries())
        if (known !== undefined) assert.deepEqual(output.splits[number]?.paths, known);
    }
  });
});

describe("split", () => {
  it("prints one JSON object: each case once a split, each that is dropped with the case that dropped it", () => {
    const ran = split("a.csv", "--folds", "2", "--embargo", "P1D", "--json");
    assert.equal(ran.stderr, "");
    const { splits, paths, definition, digest, groups, cases } = lastLine<Output>(ran);
    assert.deepEqual(splits[0], {
      split: 0,
      groups: [0],
      paths: [0],
      empty: false,
      test: ["a0", "a1", "a2", "a3", "a4"],
      train: ["a8", "a9"],
      purged: [
        { id: "a5", by: "a3" },
        { id: "a6", by: "a4" },
      ],
      embargoed: [{ id: "a7", by: "a4" }],
      unused: [],
    });
    assert.deepEqual([paths, groups, cases], [[[0, 1]], [5, 5], 10]);
    assert.deepEqual(definition, {
      embargo: "P1D",
      folds: 2,
      kind: "kfold",
      unit: "day",
      v: "blindcast.split/1",
    });
    assert.match(digest, /^sha256:[0-9a-f]{64}$/);
    const shuffled = split("shuffled.csv", "--folds", "2", "--embargo", "P1D", "--json");
    assert.equal(shuffled.stdout, ran.stdout);
  });

  it("walk-forward: later cases are in none of the sets, and the window rolls", () => {
    const { splits } = lastLine<Output>(
      split("a.csv", "--walk-forward", "2", "--minimum-train", "2", "--rolling", "2", "--json"),
    );
    assert.deepEqual(
      splits.map((one) => [one.train, one.test, one.purged.map(({ id }) => id), one.unused]),
      [
        [
          ["a0", "a1"],
          ["a4", "a5", "a6"],
          ["a2", "a3"],
          ["a7", "a8", "a9"],
        ],
        [
          ["a3", "a4"],
          ["a7", "a8", "a9"],
          ["a5", "a6"],
          ["a0", "a1", "a2"],
        ],
      ],
    );
  });

  it("days of a zone: on the day that the clocks go forward an embargo of a day is 23 hours", () => {
    lay(
      "zone.csv",
      table([
        ["test", "2024-03-09T16:00:00Z", "2024-03-09T17:00:00Z"],
        ["on-it", "2024-03-10T16:00:00Z", "2024-03-10T16:00:00Z"],
        ["after-it", "2024-03-10T16:00:00.000001Z", "2024-03-10T17:00:00Z"],
      ]),
    );
    const embargoed = (...zone: string[]) =>
      lastLine<Output>(
        split("zone.csv", "--folds", "3", "--embargo", "P1D", "--allow-empty", "--json", ...zone),
      ).splits[0]?.embargoed;
    assert.deepEqual(embargoed("--zone", "America/New_York"), [{ id: "on-it", by: "test" }]);
    assert.deepEqual(embargoed(), [
      { id: "on-it", by: "test" },
      { id: "after-it", by: "test" },
    ]);
  });

  it("a case set's cases, in its own zone; text of 80 columns; a picture", () => {
    const ran = warm(
      [
        "split",
        path.join(repository, "casesets/seattle-rain"),
        "--folds",
        "5",
        "--embargo",
        "P5D",
        "--plot",
        "pictures",
      ],
      { cwd: folder },
    );
    assert.equal(ran.status, 0, ran.stderr);
    const lines = ran.stdout.trimEnd().split("\n");
    assertEvery(lines, (line) => [...line].length <= 80);
    assert.match(ran.stdout, /^Read 730 label intervals of .*\n.*America\/Los_Angeles/);
    assert.ok(lines.includes("       4         584         146           0           0"));
    assert.match(fs.readFileSync(path.join(folder, "pictures/splits.svg"), "utf8"), /^<svg .*<title>5 folds/);
  });

  it("audit: our own splits are clean; a case put back is found by its rule, and ends red", () => {
    const words = ["--folds", "2", "--embargo", "P1D"];
    const own = split("a.csv", ...words, "--json").stdout;
    lay("own.json", own);
    const clean = split("a.csv", "--audit", "own.json", "--embargo", "P1D");
    assert.equal(clean.status, 0, clean.stderr);
    assert.match(clean.stdout, /No leak in 2 splits/);
    lay("mine.json", own.replace('"train":["a8"', '"train":["a5","a7","a8"'));
    const found = split("a.csv", "--audit", "mine.json", "--embargo", "P1D", "--json");
    assert.equal(found.status, 1);
    const { leaks, splits } = lastLine<Audit>(found);
    assert.equal(leaks, 2);
    assert.deepEqual(splits[0]?.leaks, [
      { id: "a5", rule: "overlap", by: "a3", overlaps: 2 },
      { id: "a7", rule: "embargo", by: "a4", overlaps: 0 },
    ]);
    assert.deepEqual(splits[1]?.leaks, []);
    const without = lastLine<Audit>(split("a.csv", "--audit", "mine.json", "--json"));
    assert.deepEqual(
      without.splits[0]?.leaks.map(({ id }) => id),
      ["a5"],
    );
  });
});

describe("docs/splits", () => {
  const docs = path.join(repository, "docs/splits");
  const zone = ["--zone", "America/New_York", "--embargo", "P5D"];

  it("the picture is the one that the command makes", () => {
    const ran = split(
      path.join(docs, "intervals.csv"),
      "--groups",
      "6",
      "--test-groups",
      "2",
      ...zone,
      "--plot",
      "docs",
    );
    assert.equal(ran.status, 0, ran.stderr);
    const [ours, theirs] = [path.join(folder, "docs/splits.svg"), path.join(docs, "splits.svg")];
    assert.equal(fs.readFileSync(ours, "utf8"), fs.readFileSync(theirs, "utf8"), "copy the new one");
  });

  it("unpurged.json is five folds without a purge: all that is dropped from ours is found in it", () => {
    const table = path.join(docs, "intervals.csv");
    const own = lastLine<Output>(split(table, "--folds", "5", ...zone, "--json")).splits;
    const ran = split(table, "--audit", path.join(docs, "unpurged.json"), ...zone, "--json");
    assert.equal(ran.status, 1);
    const found = lastLine<Audit>(ran).splits.map(({ leaks }) =>
      leaks.map(({ id, by }) => `${id} ${by}`).sort(),
    );
    assert.deepEqual(
      found,
      own.map(({ purged, embargoed }) => [...purged, ...embargoed].map(({ id, by }) => `${id} ${by}`).sort()),
    );
  });
});
