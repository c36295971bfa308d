/** Clause walk: each kind of bad input is refused by the command line, and its nearest neighbour is accepted. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Fixture, Trial } from "../fixtures/fixture.ts";
import { refusalTable } from "../fixtures/refusal-table.ts";
import { changed, filesBelow, tinySet, without, writeTexts } from "../fixtures/tiny-set.ts";
import { assertEvery } from "../support/all.ts";
import { blindcast, lastLine, type Ran, temporaryFolder } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

const root = temporaryFolder();
after(() => fs.rmSync(root, { recursive: true, force: true }));
let made = 0;

/** No cache and no network of the machine reach a trial. */
const env = { XDG_CACHE_HOME: path.join(root, "cache"), NO_COLOR: "1" };
const backtest = ["backtest", "set", "--out", "runs/one"];

/** Lays a trial in a folder of its own. */
function lay(trial: Trial): string {
  const folder = path.join(root, String(made++));
  writeTexts(folder, trial.texts);
  return folder;
}

function run(trial: Trial, verb: readonly string[] = backtest): { ran: Ran; folder: string } {
  const folder = lay(trial);
  return { ran: again(folder, [...verb, ...(trial.words ?? [])]), folder };
}

/** In a process of its own, which has let go of a disk when it ends. */
function alone(trial: Trial, words: readonly string[]): Ran {
  return blindcast(words, { cwd: lay(trial), env });
}

function again(folder: string, words: readonly string[]): Ran {
  return warm(words, { cwd: folder, env });
}

/** The refusal's line: the only one of stderr that starts with a code. */
function refusalLine(ran: Ran): string {
  const lines = ran.stderr.split("\n").filter((line) => /^[A-Z][A-Za-z]+: /.test(line));
  assert.equal(lines.length, 1, ran.stderr);
  return lines[0] as string;
}

function assertRefused({ code, place, values }: Omit<Fixture, "name" | "bad" | "good">, ran: Ran): void {
  assert.equal(ran.status, 2, ran.stderr + ran.stdout);
  assert.equal(ran.stdout, "");
  const line = refusalLine(ran);
  assert.ok(line.startsWith(`${code}: ${place}: `), `expected ${code}: ${place}: …, found ${line}`);
  for (const value of values) assert.ok(line.includes(value), `expected ${value} in ${line}`);
  const rest = ran.stderr.slice(ran.stderr.indexOf(line) + line.length).trim();
  assert.match(rest, /^(hint: [^\n]+)?$/);
}

/** A neighbour that several faults share is run once. */
const trials = [
  ...new Map(
    refusalTable.flatMap(({ bad, good }) => [bad, good]).map((trial) => [JSON.stringify(trial), trial]),
  ).values(),
];

describe("bad input", () => {
  const done = new Map<string, { ran: Ran; folder: string }>();
  const of = (trial: Trial) => done.get(JSON.stringify(trial)) as { ran: Ran; folder: string };
  before(() => {
    const folders = trials.map(lay);
    const runs = trials.map(({ words }, i) => ({
      words: [...backtest, ...(words ?? [])],
      cwd: folders[i] as string,
      env,
    }));
    for (const [i, ran] of manyRuns(runs).entries())
      done.set(JSON.stringify(trials[i]), { ran, folder: folders[i] as string });
  });

  for (const { name, bad, good, ...expected } of refusalTable) {
    it(`refusal.${expected.code}: ${name}`, () => {
      const refused = of(bad);
      assertRefused(expected, refused.ran);
      const before = path.join(root, "as-written");
      fs.rmSync(before, { recursive: true, force: true });
      writeTexts(before, bad.texts);
      assert.deepEqual(filesBelow(refused.folder), filesBelow(before), "nothing is written");
      const accepted = of(good);
      assert.equal(accepted.ran.status, 0, accepted.ran.stderr);
      assert.ok(fs.existsSync(path.join(accepted.folder, "runs/one/report.json")));
    });
  }

  it("a process of its own says the same as one that runs them all, to every eighth", () => {
    const some = refusalTable.filter((_fixture, i) => i % 8 === 0);
    assertEvery(some, ({ bad }) =>
      isDeepStrictEqual(alone(bad, [...backtest, ...(bad.words ?? [])]), of(bad).ran),
    );
  });
});

describe("storage", () => {
  it("refusal.RunExists: an existing run folder is left as it is; another name is accepted", () => {
    const { ran, folder } = run({ texts: tinySet });
    assert.equal(ran.status, 0, ran.stderr);
    const before = filesBelow(folder);
    assertRefused(
      { code: "RunExists", place: "runs/one", values: ["already there"] },
      again(folder, ["backtest", "set", "--out", "runs/one"]),
    );
    assert.deepEqual(filesBelow(folder), before);
    fs.mkdirSync(path.join(folder, "runs/empty"));
    assertRefused(
      { code: "RunExists", place: "runs/empty", values: [] },
      again(folder, ["backtest", "set", "--out", "runs/empty"]),
    );
    assert.equal(again(folder, ["backtest", "set", "--out", "runs/two"]).status, 0);
  });

  it("refusal.StorageFailed: a place that cannot be made", () => {
    const { ran, folder } = run({ texts: tinySet }, ["backtest", "set", "--out", "set/caseset.yaml/run"]);
    assertRefused({ code: "StorageFailed", place: "set/caseset.yaml/run", values: ["ENOTDIR"] }, ran);
    const before = path.join(root, "untouched");
    writeTexts(before, tinySet);
    assert.deepEqual(filesBelow(folder), filesBelow(before));
  });

  it("refusal.StorageFailed: a read-only disk", (t) => {
    withDisk(t, "size=1m", (disk) => {
      assert.equal(spawnSync("mount", ["-o", "remount,ro", disk]).status, 0);
      const ran = alone({ texts: tinySet }, ["backtest", "set", "--out", path.join(disk, "run")]);
      assertRefused({ code: "StorageFailed", place: path.join(disk, "run"), values: ["EROFS"] }, ran);
      assert.deepEqual(fs.readdirSync(disk), []);
    });
  });

  it("refusal.StorageFailed: a disk that is full before the run began leaves nothing", (t) => {
    withDisk(t, "size=16k", (disk) => {
      const ran = alone({ texts: tinySet }, ["backtest", "set", "--out", path.join(disk, "runs/run")]);
      const line = { code: "StorageFailed", place: path.join(disk, "runs/run"), values: ["ENOSPC"] };
      assert.equal(ran.status, 2, ran.stderr);
      assert.ok(refusalLine(ran).startsWith(`${line.code}: ${line.place}`), ran.stderr);
      assert.ok(refusalLine(ran).includes("ENOSPC"));
      assert.equal(ran.stdout, "");
      assert.deepEqual(fs.readdirSync(disk), []);
    });
  });

  it("refusal.StorageFailed: a disk that fills up during the run leaves it incomplete: what was recorded, no report", (t) => {
    withDisk(t, "size=512k", (disk) => {
      const reader = ["--reader", "climatology", "--limit", "200"];
      const ran = blindcast(["backtest", "seattle-rain", ...reader, "--out", `${disk}/run`]);
      assert.equal(ran.status, 3, ran.stderr);
      assert.equal(ran.stdout, "");
      assert.match(refusalLine(ran), /^StorageFailed: .*\/run\/[^:]+: ENOSPC/);
      assert.ok(fs.existsSync(`${disk}/run/run.json`));
      assert.ok(!fs.existsSync(`${disk}/run/report.json`));
    });
  });
});

/** A small disk of its own, mounted and unmounted here; where that is not allowed the test is skipped, loudly. */
function withDisk(t: TestContext, options: string, work: (disk: string) => void): void {
  const disk = path.join(root, `disk-${made++}`);
  fs.mkdirSync(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", disk], { encoding: "utf8" });
  if (mounted.status !== 0) {
    t.skip(`NOT TESTED: mount is not permitted here (${mounted.stderr?.trim() ?? mounted.error})`);
    return;
  }
  try {
    work(disk);
  } finally {
    spawnSync("umount", [disk]);
  }
}

describe("report", () => {
  it("refusal.RunIncomplete: a folder that is no closed run", () => {
    const { folder } = run({ texts: tinySet }, ["doctor"]);
    const ran = again(folder, ["report", "set"]);
    assertRefused({ code: "RunIncomplete", place: "set", values: ["report.json is not there"] }, ran);
    const closed = run({ texts: tinySet });
    assert.equal(again(closed.folder, ["report", "runs/one"]).status, 0);
  });
});

type Listed = { refusals: { code: string; place: string; message: string }[]; more: boolean };
const doctor = (trial: Trial) => {
  const { ran, folder } = run(trial, ["doctor", "set", "--json"]);
  return { ran, folder, listed: lastLine<Listed>(ran) };
};

describe("doctor", () => {
  it("doctor.nothing: says so of a set that is accepted, and exits 0", () => {
    const { ran, listed } = doctor({ texts: tinySet, words: ["--reader", "recall:elders"] });
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual(listed.refusals, []);
    assert.match(ran.stderr, /nothing would be refused: 3 cases/);
  });

  it("doctor.all: lists every fault of declaration, cases, labels, tables, sources, profile and reader", () => {
    let texts = changed(
      tinySet,
      "set/cases.jsonl",
      ['"id":"rain-2"', '"id":"rain-2","colour":"red"'],
      ['"freeze":"2014-06-03T07:00:00Z"', '"freeze":"2014-06-31T07:00:00"'],
      ['rain-1"', 'rain-1","id":"x"'],
    );
    texts = changed(
      texts,
      "set/caseset.yaml",
      ['    terms: "CC0-1.0"\n', ""],
      ["{after: valid_time, delay: P1D}", "{after: valid_time, delay: 1D}"],
      ["America/Los_Angeles", "Mars/Base"],
    );
    texts = changed(texts, "set/labels.jsonl", ['"rain-1"', '"rain-9"'], ['"outcome":0', '"outcome":2']);
    texts = changed(texts, "profiles/plain.yaml", ["execution: none\n", ""]);
    texts = without(texts, "set/data/public.csv");
    const { ran, listed, folder } = doctor({ texts, words: ["--reader", "nobody"] });
    assert.equal(ran.status, 2);
    assert.deepEqual(
      listed.refusals.map(({ code, place }) => `${code} ${place}`),
      [
        "ZoneUnknown set/caseset.yaml:3:1",
        "SourceTermsMissing set/caseset.yaml:6:3",
        "DurationInvalid set/caseset.yaml:14:5",
        "DuplicateKey set/cases.jsonl:1:16",
        "UnknownKey set/cases.jsonl:2",
        "InstantInvalid set/cases.jsonl:3",
        "LabelCaseUnknown set/labels.jsonl:1",
        "FieldInvalid set/labels.jsonl:2",
      ],
    );
    assert.deepEqual(fs.readdirSync(folder).sort(), ["profiles", "set"]);
  });

  it("doctor.all: of a set whose declaration can be read: rows, sources, profile and reader", () => {
    let texts = changed(
      tinySet,
      "set/tables/weather.csv",
      ["2014-05-30,0,dry", "2014-05-30,none,dry,x"],
      ["2014-05-31,1,wet", "2014-05-31,x,wet\n2014-05-32,1,wet"],
    );
    texts = changed(texts, "profiles/plain.yaml", ["execution: none\n", ""]);
    texts = without(texts, "set/data/public.csv");
    const { ran, listed } = doctor({ texts, words: ["--reader", "nobody"] });
    assert.equal(ran.status, 2);
    assert.deepEqual(
      listed.refusals.map(({ code, place }) => `${code} ${place}`),
      [
        "CsvInvalid set/tables/weather.csv:4",
        "CellInvalid set/tables/weather.csv:5",
        "CellInvalid set/tables/weather.csv:6",
        "SourceUnavailable set/caseset.yaml:6:3",
        "EvalExecutionUndeclared profiles/plain.yaml",
        "ReaderUnknown --reader",
      ],
    );
  });

  it("doctor.all: faults of the declaration do not hide those of cases and labels", () => {
    let texts = changed(tinySet, "set/caseset.yaml", ["kind: forecast", "kind: forecasts\ncolour: red"]);
    texts = changed(texts, "set/cases.jsonl", ['"freeze":"2014-06-01T07:00:00Z"', '"freeze":"2014-06-01"']);
    const { listed } = doctor({ texts });
    assert.deepEqual(
      listed.refusals.map(({ code, place }) => `${code} ${place}`),
      [
        "UnknownKey set/caseset.yaml:3:1",
        "FieldInvalid set/caseset.yaml:2:1",
        "InstantInvalid set/cases.jsonl:1",
      ],
    );
  });

  it("doctor.all: a table's time zone that is none does not stop the list", () => {
    const zone = changed(tinySet, "set/caseset.yaml", [
      "{column: known_at}",
      "{column: known_at, zone: Mars}",
    ]);
    const { listed } = doctor({
      texts: changed(zone, "set/tables/weather.csv", ["2014-05-31,1", "2014-05-31,x"]),
    });
    assert.deepEqual(
      listed.refusals.map(({ code, place }) => `${code} ${place}`),
      ["ZoneUnknown set/caseset.yaml:20:40", "CellInvalid set/tables/weather.csv:5"],
    );
  });

  it("doctor.text: prints each refusal on a line, as the other verbs do", () => {
    const texts = changed(tinySet, "set/labels.jsonl", ['"rain-1"', '"rain-9"']);
    const { ran } = run({ texts }, ["doctor", "set"]);
    assert.equal(ran.status, 2);
    assert.match(ran.stdout, /^LabelCaseUnknown: set\/labels\.jsonl:1: case rain-9: [^\n]+\n$/);
    assert.equal(ran.stderr, "1 refusal(s)\n");
  });

  it("doctor.warnings: a universe that tells how its members end is warned of, and refused nothing", () => {
    const texts = changed(tinySet, "set/caseset.yaml", [
      "readers:",
      `  crew:
    rows: {file: tables/crew.csv}
    key: [who, stint]
    valid_time: {from: since, to: until}
    available_time: {after: valid_time, delay: P0D}
readers:`,
    ]);
    const crew = (rows: string) => ({ ...texts, "set/tables/crew.csv": `who,stint,since,until\n${rows}` });
    const told = crew("LEHMQ,1,1998-01-12,2008-09-17\nNDAQ,1,2008-10-22,\n");
    const { ran } = run({ texts: told }, ["doctor", "set"]);
    assert.equal(ran.status, 0, ran.stderr);
    const lines = ran.stdout.trimEnd().split("\n");
    assert.match(
      lines[0] as string,
      /^warning: set\/caseset\.yaml:\d+:\d+: table crew: 1 of 2 identifiers .*: LEHMQ$/,
    );
    assert.match(
      lines[2] as string,
      /^warning: .*: 1 of 1 rows with an end were available before it came: crew#LEHMQ,1 ends /,
    );
    assert.deepEqual([lines.length, lines[1]?.slice(0, 6), lines[3]?.slice(0, 6)], [4, "hint: ", "hint: "]);
    assert.match(ran.stderr, /^nothing would be refused: 3 cases\n2 warning\(s\), which refuse nothing\n$/);
    const { listed } = doctor({ texts: told }) as unknown as { listed: { warnings: { kind: string }[] } };
    assert.deepEqual(
      listed.warnings.map(({ kind }) => kind),
      ["later-identifier", "end-told-ahead"],
    );
    const sound = doctor({ texts: crew("LEHM,1,1998-01-12,\n") }).listed as unknown as { warnings: object[] };
    assert.deepEqual(sound.warnings, []);
  });

  it("doctor.more: of more faults than it lists it lists the first thousand, and says that there are more", () => {
    const line = (tinySet["set/cases.jsonl"] as string).split("\n")[0] as string;
    const cases = Array.from({ length: 1500 }, (_, i) =>
      line.replace("rain-1", `rain-${i}`).replace("00Z", "60Z"),
    );
    const { ran, listed } = doctor({ texts: { ...tinySet, "set/cases.jsonl": `${cases.join("\n")}\n` } });
    assert.equal(ran.status, 2);
    assert.equal(listed.refusals.length, 1000);
    assert.equal(listed.refusals[999]?.place, "set/cases.jsonl:1000");
    assert.equal(listed.more, true);
    assert.match(ran.stderr, /there are more/);
  });
});
