/** Clause walk: `leakage` on a table of answers: the known answers of real models, its one line, its words, what it refuses. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type AnswerTrial, answerFaults } from "../fixtures/answer-faults.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { blindcast, lastLine, type Ran, repository, temporaryFolder } from "./command-line.ts";
import { manyRuns } from "./many-runs.ts";

type Row = {
  h: number;
  estimate: number | null;
  se: number | null;
  se_cr1: number | null;
  ci95: [number, number] | null;
  state: string;
};
type Model = {
  model: string;
  cutoff: string;
  gap_not_leakage: number | null;
  discontinuity: Row[];
  sensitivity: { cutoff: string; estimate: number | null; se: number | null; state: string }[];
  mde: number | null;
};
type Leakage = {
  models: Model[];
  control: {
    treated: string;
    control: string;
    estimate: number | null;
    se: number | null;
    se_cr1: number | null;
    clusters: number;
    placebo_slope: number | null;
  }[];
  paired: {
    a: string;
    b: string;
    n: number;
    mean: number;
    se: number;
    se_clustered: number;
    clusters: number;
  }[];
};

const root = temporaryFolder();
after(() => fs.rmSync(root, { recursive: true, force: true }));
let made = 0;

function lay({ answers, models }: Pick<AnswerTrial, "answers" | "models">): string {
  const folder = path.join(root, String(made++));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "answers.csv"), answers);
  fs.writeFileSync(path.join(folder, "models.csv"), models);
  return folder;
}

const wordsOf = (...words: readonly string[]) => {
  const better = words.includes("--better") ? [] : ["--better", "lower"];
  const models = words.includes("--models") ? [] : ["--models", "models.csv"];
  return ["leakage", "answers.csv", ...models, ...better, ...words];
};
const run = (folder: string, ...words: readonly string[]): Ran =>
  blindcast(wordsOf(...words), { cwd: folder });

function json(folder: string, ...words: readonly string[]): Leakage {
  const ran = run(folder, ...words, "--json");
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout.trimEnd().split("\n").length, 1, "one line");
  return lastLine<Leakage>(ran);
}

const within = (found: number | null | undefined, expected: number, distance: number) =>
  assert.ok(
    typeof found === "number" && Math.abs(found - expected) <= distance,
    `expected ${expected} ± ${distance}, got ${found}`,
  );
const atH = ({ discontinuity }: Model) => discontinuity[1] as Row;
const byName = (found: Leakage, name: string) => found.models.find(({ model }) => model === name) as Model;

/** Direct probe, controls and predictability high left out, unscored an empty outcome: the rule of the data's README. */
function knowledge(t: TestContext): string | undefined {
  const source = path.resolve(repository, "../shared/data/knowledge-cutoff");
  if (!fs.existsSync(source)) {
    assert.equal(process.env["BLINDCAST_CI"], undefined, `${source} is not there, and CI must not skip`);
    t.skip(`NOT TESTED: ${source} is not there`);
    return undefined;
  }
  const rows = (name: string) =>
    fs
      .readFileSync(path.join(source, name), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",") as string[]);
  const answers = rows("answers.csv").flatMap(
    ([model, probe, event, month, category, predictability, answer]) => {
      const asked = probe === "direct" && category !== "control_alive" && category !== "fake_event";
      if (!asked || predictability === "high") return [];
      return [`${model},${event},${month},${answer === "unscored" ? "" : Number(answer === "correct")}`];
    },
  );
  assert.ok(answers.length > 1500);
  const models = rows("models.csv").map(([model, documented]) => `${model},${documented}`);
  return lay({
    answers: `model,event,month,outcome\n${answers.join("\n")}\n`,
    models: `model,cutoff\n${models.join("\n")}\n`,
  });
}

describe("cutoff-slice: real models' real answers", () => {
  it("cutoff-slice: gaps, leaks and CR1 errors of the data's README; the sign is turned, since higher is better", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const found = json(folder, "--better", "higher");
    const expected = [
      ["claude-sonnet-5", 0.749, -0.117, 0.057],
      ["gpt-5.5", 0.869, -0.079, 0.024],
      ["gpt-5.4", 0.828, 0.035, 0.119],
      ["gemini-3.5-flash", 0.892, 0.052, 0.155],
    ] as const;
    for (const [name, gap, leak, cr1] of expected) {
      const model = byName(found, name);
      within(model.gap_not_leakage, gap, 5e-4);
      within(atH(model).estimate, leak, 5e-4);
      within(atH(model).se_cr1, cr1, 5.1e-4);
      assert.equal(atH(model).state, "estimated");
      assert.ok((atH(model).se as number) > (atH(model).se_cr1 as number), "CR2 is wider");
      assert.ok((model.mde as number) > 2.8 * (atH(model).se as number));
    }
    const order = ["claude-sonnet-5", "gpt-4o", "gpt-5.4", "gemini-3.5-flash", "gemini-3.6-flash", "gpt-5.5"];
    assert.deepEqual(
      found.models.map(({ model }) => model),
      order,
      "the order of models.csv",
    );
    assert.deepEqual(
      found.models[0]?.discontinuity.map(({ h }) => h),
      [3, 6, 12],
    );
    assert.deepEqual(found.control, []);
  });

  it("cutoff-slice: gemini-3.6-flash is degenerate at h/2 and h and not estimable at 2h; gpt-4o has nothing before", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const found = json(folder, "--better", "higher");
    const flash = byName(found, "gemini-3.6-flash");
    within(flash.gap_not_leakage, 0.472, 5e-4);
    assert.deepEqual(
      flash.discontinuity.map(({ state }) => state),
      ["degenerate", "degenerate", "not estimable"],
    );
    assert.equal(flash.mde, null);
    assert.deepEqual(atH(flash).ci95, [atH(flash).estimate, atH(flash).estimate]);
    const old = byName(found, "gpt-4o");
    assert.deepEqual([old.gap_not_leakage, old.mde], [null, null]);
    assertEvery(
      old.discontinuity,
      ({ state, estimate, se }) => state === "not estimable" && estimate === null && se === null,
    );
  });

  it("clean-control: claude-sonnet-5 against gpt-4o, split after 2025-08: .7912, CR1 .0572, 30 clusters", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const { control } = json(folder, "--better", "higher", "--control", "gpt-4o", "--split", "2025-08");
    assert.equal(control.length, 5);
    const row = control.find(({ treated }) => treated === "claude-sonnet-5");
    within(row?.estimate, 0.7912, 5e-5);
    within(row?.se_cr1, 0.0572, 5e-5);
    assert.deepEqual([row?.clusters, row?.control], [30, "gpt-4o"]);
    const own = json(folder, "--better", "higher", "--control", "gpt-4o").control;
    assert.notEqual(own[0]?.estimate, row?.estimate, "without --split, at the model's own cutoff");
  });

  it("clean-control: the paired rows of the data's README, to the digits given", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const { paired } = json(folder, "--better", "higher");
    assert.equal(paired.length, 15);
    for (const [a, b, mean, se, clustered] of [
      ["claude-sonnet-5", "gpt-4o", 0.6107, 0.0292, 0.075],
      ["gpt-5.5", "gpt-5.4", 0.1286, 0.0213, 0.0388],
      ["gemini-3.6-flash", "gemini-3.5-flash", 0.0071, 0.005, 0.005],
    ] as const) {
      const row = paired.find((one) => one.a === a && one.b === b);
      within(row?.mean, mean, 5e-5);
      within(row?.se, se, 5e-5);
      within(row?.se_clustered, clustered, 5e-5);
      assert.deepEqual([row?.n, row?.clusters], [280, 30]);
    }
  });

  it("no sentence of any output calls anything clean or free of leakage, and no line is too long for a terminal", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const words = ["--better", "higher", "--control", "gpt-4o", "--plot", "pictures"];
    const ran = run(folder, ...words);
    assert.equal(ran.status, 0, ran.stderr);
    assertSober(ran.stdout + ran.stderr);
    assertSober(run(folder, ...words, "--json").stdout);
    const pictures = fs.readdirSync(path.join(folder, "pictures"));
    assert.equal(pictures.length, 6);
    for (const name of pictures) assertSober(fs.readFileSync(path.join(folder, "pictures", name), "utf8"));
    assertNone(ran.stdout.split("\n"), (line) => [...line].length > 80);
    assert.match(ran.stdout, /not detected|no jump detected/);
    assert.match(ran.stdout, /ruled out at 80 % power/);
    assert.match(ran.stdout, /cannot certify/);
  });
});

function assertSober(text: string): void {
  assert.ok(text.length > 100);
  assert.doesNotMatch(text, /\bclean(?!-control)/i);
  assert.doesNotMatch(text, /no leakage|free of leak|leak-free|without leakage|not contaminated/i);
}

/** Five events a month from January 2023, `months` of them, each with its outcome by model. */
function table(
  months: number,
  outcome: (m: number, i: number) => readonly [model: string, value: number][],
): string {
  const lines = ["model,event,month,outcome"];
  for (let m = 0; m < months; m++)
    for (let i = 0; i < 5; i++)
      for (const [model, value] of outcome(m, i)) {
        const month = `${2023 + Math.floor(m / 12)}-${String((m % 12) + 1).padStart(2, "0")}`;
        lines.push(`${model},${month}-${i},${month},${value}`);
      }
  return `${lines.join("\n")}\n`;
}

describe("one table", () => {
  it("a trend alone, Y = .15 + .01r, of twelve months: a gap of .06 and leak 0, estimated where there is noise", () => {
    const noise = [-0.02, -0.01, 0, 0.01, 0.02];
    const answers = table(12, (m, i) => [
      ["exact", 0.15 + 0.01 * (m - 5.5)],
      ["noisy", 0.15 + 0.01 * (m - 5.5) + (noise[(i + m) % 5] as number)],
    ]);
    const models = "model,cutoff\nexact,2023-06\nnoisy,2023-06\n";
    const found = json(lay({ answers, models }), "--bandwidth", "P12M");
    for (const model of found.models) {
      within(model.gap_not_leakage, 0.06, 1e-12);
      within(atH(model).estimate, 0, 1e-12);
    }
    assert.deepEqual(
      found.models.map((model) => atH(model).state),
      ["degenerate", "estimated"],
    );
  });

  it("the line has exactly these keys in this order, and nothing else is on stdout", () => {
    const answers = table(24, (m, i) => [
      ["new", (m < 12 ? 0.1 : 0.3) + ((i * 7 + m * 3) % 11) / 100],
      ["old", 0.3 + ((i * 5 + m * 3) % 11) / 100],
    ]);
    const folder = lay({ answers, models: "model,cutoff,cutoff_lo\nnew,2023-12,2023-10\nold,2022-12,\n" });
    const ran = run(folder, "--control", "old", "--json");
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? [shape(value[0])]
        : value !== null && typeof value === "object"
          ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
          : 0;
    const row = {
      h: 0,
      estimate: 0,
      se: 0,
      df: 0,
      se_cr1: 0,
      ci95: [0],
      n_pre: 0,
      n_post: 0,
      clusters_pre: 0,
      clusters_post: 0,
      state: 0,
    };
    const expected = {
      models: [
        {
          model: 0,
          cutoff: 0,
          gap_not_leakage: 0,
          discontinuity: [row],
          sensitivity: [{ cutoff: 0, estimate: 0, se: 0, state: 0 }],
          mde: 0,
        },
      ],
      control: [{ treated: 0, control: 0, estimate: 0, se: 0, se_cr1: 0, clusters: 0, placebo_slope: 0 }],
      paired: [{ a: 0, b: 0, n: 0, mean: 0, se: 0, se_clustered: 0, clusters: 0 }],
    };
    const found = lastLine<Leakage>(ran);
    assert.equal(JSON.stringify(shape(found)), JSON.stringify(expected));
    assert.equal(ran.stdout, `${JSON.stringify(found)}\n`);
    const [first] = found.models;
    assert.deepEqual(
      first?.sensitivity.map(({ cutoff }) => cutoff),
      ["2023-10", "2023-11", "2023-12"],
    );
    assert.equal(first?.cutoff, "2023-12");
    assert.ok((atH(first as Model).estimate as number) > 0.1, "the leak is there");
    assert.equal(ran.status, 0, "measured leakage alone is not red");
    assert.equal(run(folder, "--control", "old", "--json").stdout, ran.stdout, "same inputs, same bytes");
  });

  it("of a pair, a has the later cutoff; of equal cutoffs it is the later row of the table of models", () => {
    const answers = table(3, (m) => [
      ["x", 1 + m],
      ["y", 2 + m],
      ["z", 4 + m],
    ]);
    const pairs = (models: string) =>
      json(lay({ answers, models: `model,cutoff\n${models}` })).paired.map(
        ({ a, b, mean }) => `${a} ${b} ${mean}`,
      );
    assert.deepEqual(pairs("x,2023-03\ny,2023-01\nz,2023-03\n"), ["x y -1", "z x 3", "z y 2"]);
    assert.deepEqual(pairs("z,2023-03\ny,2023-03\nx,2023-03\n"), ["y z -2", "x z -3", "x y -1"]);
  });

  it("instants: r is in days, a bandwidth in months is told in days, and the first instant after the month is after", () => {
    const lines = Array.from({ length: 300 }, (_, i) => {
      const at = new Date(Date.UTC(2024, 0, 1) + (i - 149.5) * 86_400_000).toISOString();
      return `m,e${i},${at},${(i < 150 ? 0.1 : 0.2) + ((i * 7) % 13) / 200}`;
    });
    const answers = `model,event,instant,outcome\n${lines.join("\n")}\n`;
    const folder = lay({ answers, models: "model,cutoff\nm,2023-12\n" });
    const months = run(folder, "--json");
    assert.deepEqual(
      lastLine<Leakage>(months).models[0]?.discontinuity.map(({ h }) => h),
      [91.310625, 182.62125, 365.2425],
    );
    assert.match(months.stderr, /182\.6 days \(P6M, at 365\.2425\/12 days a month\)/);
    const days = json(folder, "--bandwidth", "P100D").models[0] as Model;
    assert.deepEqual(
      days.discontinuity.map(({ h }) => h),
      [50, 100, 200],
    );
    within(atH(days).estimate, 0.1, 0.03);
    const edge = `model,event,instant,outcome\nm,e1,2024-01-01T00:00:00Z,1\nm,e2,2023-12-31T23:59:59.999999Z,0\n`;
    const [model] = json(lay({ answers: edge, models: "model,cutoff\nm,2023-12\n" })).models;
    assert.equal(model?.gap_not_leakage, 1);
  });

  it("--cluster: month by default and told; none counts each event alone; a column has its own clusters", () => {
    const answers = table(24, (m, i) => [["m", 0.2 + ((i * 7 + m * 3) % 11) / 50]])
      .split("\n")
      .map((line, i) => (line === "" ? line : `${line},${i === 0 ? "theme" : `t${i % 9}`}`))
      .join("\n");
    const folder = lay({ answers, models: "model,cutoff\nm,2023-12\n" });
    const clusters = (...words: string[]) => {
      const ran = run(folder, ...words, "--json");
      const row = atH(lastLine<Leakage>(ran).models[0] as Model) as Row & {
        clusters_pre: number;
        n_pre: number;
      };
      return { of: [row.clusters_pre, row.n_pre], said: ran.stderr };
    };
    const month = clusters();
    assert.deepEqual(
      [month.of, clusters("--cluster", "month").of],
      [
        [6, 30],
        [6, 30],
      ],
    );
    assert.match(month.said, /--cluster month/);
    const none = clusters("--cluster", "none");
    assert.deepEqual(none.of, [30, 30]);
    assert.match(none.said, /independent/);
    assert.deepEqual(clusters("--cluster", "theme").of, [9, 30]);
  });

  it("what is left out is told: rows without an outcome, models without an answer", () => {
    const answers = "model,event,month,outcome\na,e1,2023-01,1\na,e2,2023-02,\nb,e1,2023-01,\n";
    const folder = lay({ answers, models: "model,cutoff\nc,2023-01\nb,2023-01\na,2023-01\n" });
    const ran = run(folder);
    assert.match(ran.stdout, /2 rows \(a 1, b 1\)/);
    assert.match(ran.stdout, /without an answer: c, b/);
    assert.deepEqual(
      json(folder).models.map(({ model }) => model),
      ["a"],
    );
    assert.match(run(folder, "--json").stderr, /2 rows \(a 1, b 1\)/);
  });

  it("--plot: one picture a model under a name of its own, written over with the same bytes, told on stderr", () => {
    const names = ["org/m:1", "org-m-1", "../x", "ORG-M-1"];
    const answers = table(12, (m) => names.map((name, i) => [name, m + i]));
    const folder = lay({
      answers,
      models: `model,cutoff\n${names.map((name) => `${name},2023-06\n`).join("")}`,
    });
    const first = run(folder, "--plot", "a/b");
    assert.equal(first.status, 0, first.stderr);
    const files = fs.readdirSync(path.join(folder, "a/b")).sort();
    assert.equal(files.length, 4);
    assertEvery(
      files,
      (name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.svg$/.test(name) && first.stderr.includes(name),
    );
    const bytes = () => files.map((name) => fs.readFileSync(path.join(folder, "a/b", name), "utf8"));
    const before = bytes();
    run(folder, "--plot", "a/b");
    assert.deepEqual(bytes(), before);
    assertEvery(before, (svg) => svg.startsWith("<svg"));
    const blocked = run(folder, "--plot", "answers.csv");
    assert.equal(blocked.status, 2);
    assert.match(blocked.stderr, /^StorageFailed: answers\.csv/m);
  });
});

describe("bad input of leakage", () => {
  const trials = [
    ...new Map(
      answerFaults.flatMap(({ bad, good }) => [bad, good]).map((one) => [JSON.stringify(one), one]),
    ).values(),
  ];
  const done = new Map<string, Ran>();
  before(() => {
    const runs = trials.map((trial) => ({ words: wordsOf(...trial.words), cwd: lay(trial) }));
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
    const folder = lay(answerFaults[0]?.good as AnswerTrial);
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
    assert.match(help.stdout, /blindcast leakage answers\.csv --models models\.csv --better higher/);
  });
});

describe("docs/leakage", () => {
  const docs = path.join(repository, "docs/leakage");

  it("make.mjs makes the tables again, byte for byte, and the picture is the one that the command makes", () => {
    const folder = path.join(root, "made");
    execFileSync(process.execPath, [path.join(docs, "make.mjs"), "--out", folder]);
    const names = fs.readdirSync(folder).sort();
    assert.deepEqual(names, ["answers.csv", "models.csv"]);
    for (const name of names)
      assert.ok(
        fs.readFileSync(path.join(folder, name)).equals(fs.readFileSync(path.join(docs, name))),
        name,
      );
    assert.equal(run(folder, "--control", "tortoise", "--plot", "pictures").status, 0);
    const [ours, theirs] = [path.join(folder, "pictures/hare.svg"), path.join(docs, "hare.svg")];
    assert.equal(
      fs.readFileSync(ours, "utf8"),
      fs.readFileSync(theirs, "utf8"),
      "copy the new one: npm run build, then the command of docs/leakage.md",
    );
  });

  it("says what the docs say: a jump of hare, none of fox at its stated cutoff, both seen by the control", () => {
    const folder = lay({
      answers: fs.readFileSync(path.join(docs, "answers.csv"), "utf8"),
      models: fs.readFileSync(path.join(docs, "models.csv"), "utf8"),
    });
    const { models, control } = json(folder, "--control", "tortoise");
    const [, hare, fox] = models as [Model, Model, Model];
    within(atH(hare).estimate, 0.157, 5e-4);
    assert.ok((atH(hare).ci95?.[0] as number) > 0);
    assert.ok((atH(fox).ci95?.[0] as number) < 0 && (fox.gap_not_leakage as number) > 0.1);
    assertEvery(control, ({ estimate, se }) => (estimate as number) > 3 * (se as number));
    assert.equal(fox.sensitivity.length, 6);
  });
});
