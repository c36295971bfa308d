/** Clause walk: `leakage` on a table of answers: the known answers of real models, its one line, its words, what it refuses. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  atH,
  type Leakage,
  type LeakageModel,
  layAnswers,
  leakage,
  leakageJson,
  leakageWords,
  nearly,
} from "./answers.ts";
import { blindcast, lastLine, repository } from "./command-line.ts";

const byName = ({ models }: Leakage, name: string) =>
  models.find(({ model }) => model === name) as LeakageModel;

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
  return layAnswers({
    answers: `model,event,month,outcome\n${answers.join("\n")}\n`,
    models: `model,cutoff\n${models.join("\n")}\n`,
  });
}

describe("cutoff-slice: real models' real answers", () => {
  it("cutoff-slice: gaps, leaks and CR1 errors of the data's README; the sign is turned, since higher is better", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const found = leakageJson(folder, "--better", "higher");
    const expected = [
      ["claude-sonnet-5", 0.749, -0.117, 0.057],
      ["gpt-5.5", 0.869, -0.079, 0.024],
      ["gpt-5.4", 0.828, 0.035, 0.119],
      ["gemini-3.5-flash", 0.892, 0.052, 0.155],
    ] as const;
    for (const [name, gap, leak, cr1] of expected) {
      const model = byName(found, name);
      nearly(model.gap_not_leakage, gap, 5e-4);
      nearly(atH(model).estimate, leak, 5e-4);
      nearly(atH(model).se_cr1, cr1, 5.1e-4);
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
    const found = leakageJson(folder, "--better", "higher");
    const flash = byName(found, "gemini-3.6-flash");
    nearly(flash.gap_not_leakage, 0.472, 5e-4);
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
    const { control } = leakageJson(
      folder,
      "--better",
      "higher",
      "--control",
      "gpt-4o",
      "--split",
      "2025-08",
    );
    assert.equal(control.length, 5);
    const row = control.find(({ treated }) => treated === "claude-sonnet-5");
    nearly(row?.estimate, 0.7912, 5e-5);
    nearly(row?.se_cr1, 0.0572, 5e-5);
    assert.deepEqual([row?.clusters, row?.control], [30, "gpt-4o"]);
    const own = leakageJson(folder, "--better", "higher", "--control", "gpt-4o").control;
    assert.notEqual(own[0]?.estimate, row?.estimate, "without --split, at the model's own cutoff");
  });

  it("clean-control: the paired rows of the data's README, to the digits given", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const { paired } = leakageJson(folder, "--better", "higher");
    assert.equal(paired.length, 15);
    for (const [a, b, mean, se, clustered] of [
      ["claude-sonnet-5", "gpt-4o", 0.6107, 0.0292, 0.075],
      ["gpt-5.5", "gpt-5.4", 0.1286, 0.0213, 0.0388],
      ["gemini-3.6-flash", "gemini-3.5-flash", 0.0071, 0.005, 0.005],
    ] as const) {
      const row = paired.find((one) => one.a === a && one.b === b);
      nearly(row?.mean, mean, 5e-5);
      nearly(row?.se, se, 5e-5);
      nearly(row?.se_clustered, clustered, 5e-5);
      assert.deepEqual([row?.n, row?.clusters], [280, 30]);
    }
  });

  it("no sentence of any output calls anything clean or free of leakage, and no line is too long for a terminal", (t) => {
    const folder = knowledge(t);
    if (folder === undefined) return;
    const words = ["--better", "higher", "--control", "gpt-4o", "--plot", "pictures"];
    const ran = leakage(folder, ...words);
    assert.equal(ran.status, 0, ran.stderr);
    assertSober(ran.stdout + ran.stderr);
    assertSober(leakage(folder, ...words, "--json").stdout);
    const pictures = fs.readdirSync(path.join(folder, "pictures"));
    assert.equal(pictures.length, 6);
    for (const name of pictures) assertSober(fs.readFileSync(path.join(folder, "pictures", name), "utf8"));
    assertNone(ran.stdout.split("\n"), (line) => [...line].length > 80);
    const said = ran.stdout.replace(/\s+/g, " ");
    assert.match(
      said,
      /not detected: the 95 % interval of the jump reaches 0\.1583; at 80 % power a jump above/,
    );
    assert.match(said, /degenerate: the points lie on the lines exactly/);
    assert.match(said, /all 280 cases lie after its stated cutoff: nothing lies before it to compare with\./);
    assert.match(ran.stdout, /cannot certify/);
  });
});

function assertSober(text: string): void {
  assert.ok(text.length > 100);
  assert.doesNotMatch(text, /\bclean(?!-control)/i);
  assert.doesNotMatch(text, /ruled out|no leakage|free of leak|leak-free|without leakage|not contaminated/i);
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
    // Month by month, else it would cancel within each; the same on either side, so that it moves no jump.
    const noise = (m: number, i: number) => (((Math.min(m, 11 - m) * 7 + i * 3) % 11) - 5) / 100;
    const answers = table(12, (m, i) => [
      ["exact", 0.15 + 0.01 * (m - 5.5)],
      ["noisy", 0.15 + 0.01 * (m - 5.5) + noise(m, i)],
    ]);
    const models = "model,cutoff\nexact,2023-06\nnoisy,2023-06\n";
    const found = leakageJson(layAnswers({ answers, models }), "--bandwidth", "P12M");
    for (const model of found.models) {
      nearly(model.gap_not_leakage, 0.06, 1e-12);
      nearly(atH(model).estimate, 0, 1e-12);
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
    const folder = layAnswers({
      answers,
      models: "model,cutoff,cutoff_lo\nnew,2023-12,2023-10\nold,2022-12,\n",
    });
    const words = ["--control", "old", "--bandwidth", "P12M", "--json"];
    const ran = leakage(folder, ...words);
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
    assert.ok((atH(first as LeakageModel).estimate as number) > 0.1, "the leak is there");
    assert.equal(ran.status, 0, "measured leakage alone is not red");
    const alone = blindcast(leakageWords(...words), { cwd: folder });
    assert.deepEqual(alone, ran, "same inputs, same bytes, in a process of its own too");
  });

  it("a split before a model's cutoff ends is told: in the sentence, and with --json on stderr", () => {
    const answers = table(24, (m, i) => [
      ["new", (m < 12 ? 0.1 : 0.3) + ((i * 7 + m * 3) % 11) / 100],
      ["old", 0.3 + ((i * 5 + m * 3) % 11) / 100],
    ]);
    const folder = layAnswers({ answers, models: "model,cutoff\nnew,2023-12\nold,2022-12\n" });
    const early = ["--control", "old", "--split", "2023-09"];
    const caution =
      /The split lies before the end of the cutoff of new: cases after it may be remembered too/;
    assert.match(leakage(folder, ...early).stdout.replace(/\s+/g, " "), caution);
    assert.match(leakage(folder, ...early, "--json").stderr, caution);
    assert.match(
      leakage(folder, ...early, "--json").stderr,
      /^new against old, split at 2023-09: The split/m,
    );
    for (const words of [
      ["--control", "old"],
      ["--control", "old", "--split", "2023-12"],
    ]) {
      const ran = leakage(folder, ...words, "--json");
      assert.doesNotMatch(ran.stderr, /The split lies/, words.join(" "));
    }
  });

  it("--better that is turned round is asked about where a jump is clearly negative", () => {
    const answers = table(24, (m, i) => [["m", (m < 12 ? 0.1 : 0.3) + ((i * 7 + m * 3) % 11) / 100]]);
    const folder = layAnswers({ answers, models: "model,cutoff\nm,2023-12\n" });
    const said = (better: string) => leakage(folder, "--better", better).stdout.replace(/\s+/g, " ");
    assert.match(said("lower"), / detected: cases before the cutoff look too good/);
    assert.match(said("higher"), /look worse, by .* check --better, or whether the outcome bends there;/);
  });

  it("of a pair, a has the later cutoff; of equal cutoffs it is the later row of the table of models", () => {
    const answers = table(3, (m) => [
      ["x", 1 + m],
      ["y", 2 + m],
      ["z", 4 + m],
    ]);
    const pairs = (models: string) =>
      leakageJson(layAnswers({ answers, models: `model,cutoff\n${models}` })).paired.map(
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
    const folder = layAnswers({ answers, models: "model,cutoff\nm,2023-12\n" });
    const months = leakage(folder, "--json");
    assert.deepEqual(
      lastLine<Leakage>(months).models[0]?.discontinuity.map(({ h }) => h),
      [91.310625, 182.62125, 365.2425],
    );
    assert.match(months.stderr, /182\.6 days \(P6M, at 365\.2425\/12 days a month\)/);
    const days = leakageJson(folder, "--bandwidth", "P160D").models[0] as LeakageModel;
    assert.deepEqual(
      days.discontinuity.map(({ h }) => h),
      [80, 160, 320],
    );
    nearly(atH(days).estimate, 0.1, 0.03);
    const edge = `model,event,instant,outcome\nm,e1,2024-01-01T00:00:00Z,1\nm,e2,2023-12-31T23:59:59.999999Z,0\n`;
    const [model] = leakageJson(layAnswers({ answers: edge, models: "model,cutoff\nm,2023-12\n" })).models;
    assert.equal(model?.gap_not_leakage, 1);
  });

  it("--cluster: month by default and told; none counts each event alone; a column has its own clusters", () => {
    const answers = table(24, (m, i) => [["m", 0.2 + ((i * 7 + m * 3) % 11) / 50]])
      .split("\n")
      .map((line, i) => (line === "" ? line : `${line},${i === 0 ? "theme" : `t${i % 9}`}`))
      .join("\n");
    const folder = layAnswers({ answers, models: "model,cutoff\nm,2023-12\n" });
    const clusters = (...words: string[]) => {
      const ran = leakage(folder, ...words, "--json");
      const row = atH(lastLine<Leakage>(ran).models[0] as LeakageModel);
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
    const folder = layAnswers({ answers, models: "model,cutoff\nc,2023-01\nb,2023-01\na,2023-01\n" });
    const ran = leakage(folder);
    assert.match(ran.stdout, /2 rows \(a 1, b 1\)/);
    assert.match(ran.stdout, /without an answer: c, b/);
    assert.deepEqual(
      leakageJson(folder).models.map(({ model }) => model),
      ["a"],
    );
    assert.match(leakage(folder, "--json").stderr, /2 rows \(a 1, b 1\)/);
  });

  it("--plot: one picture a model under a name of its own, written over with the same bytes, told on stderr", () => {
    const names = ["org/m:1", "org-m-1", "../x", "ORG-M-1"];
    const answers = table(12, (m) => names.map((name, i) => [name, m + i]));
    const folder = layAnswers({
      answers,
      models: `model,cutoff\n${names.map((name) => `${name},2023-06\n`).join("")}`,
    });
    const first = leakage(folder, "--plot", "a/b");
    assert.equal(first.status, 0, first.stderr);
    const files = fs.readdirSync(path.join(folder, "a/b")).sort();
    assert.equal(files.length, 4);
    assertEvery(
      files,
      (name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.svg$/.test(name) && first.stderr.includes(name),
    );
    const bytes = () => files.map((name) => fs.readFileSync(path.join(folder, "a/b", name), "utf8"));
    const before = bytes();
    leakage(folder, "--plot", "a/b");
    assert.deepEqual(bytes(), before);
    assertEvery(before, (svg) => svg.startsWith("<svg"));
    const blocked = leakage(folder, "--plot", "answers.csv");
    assert.equal(blocked.status, 2);
    assert.match(blocked.stderr, /^StorageFailed: answers\.csv/m);
  });
});
