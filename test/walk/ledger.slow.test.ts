/** `blindcast ledger` as a person uses it, on ledgers whose every byte this test writes by itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { lastLine, repository, temporaryFolder } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));
const trials = path.join(folder, "ledgers", "trials");
const file = path.join(trials, "rain.jsonl");

const digest = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const run = (n: number) => `01ARZ3NDEKTSV4RRFFQ69G000${n}`;
const AT = "2026-01-05T09:00:00Z";

/** Rows as docs/formats.md spells them: keys in order, no spaces. */
function linesOf(): string[] {
  const lines: string[] = [];
  const prev = () => digest(lines.at(-1) ?? "");
  const start = (n: number, more = "") =>
    lines.push(
      `{"at":"${AT}","config":{},"identity":"${digest(`trial ${n % 2}`)}","kind":"start","prev":"${prev()}","repeats":5,"row":${lines.length},"run":"${run(n)}","seed":1,"units":"P1D","v":"blindcast.trial/1"${more}}`,
    );
  start(0);
  lines.push(
    `{"at":"${AT}","kind":"end","measures":{"mean":0.5},"prev":"${prev()}","row":1,"run":"${run(0)}","series":null,"start":0,"v":"blindcast.trial/1"}`,
  );
  start(1);
  start(2);
  lines.push(
    `{"at":"${AT}","kind":"fail","prev":"${prev()}","reason":"b left\\u001b[2J","row":4,"run":"${run(2)}","start":3,"v":"blindcast.trial/1"}`,
  );
  return lines;
}

const lines = linesOf();
const write = (text: string, name = file) => {
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.writeFileSync(name, text);
};
const whole = lines.map((line) => `${line}\n`).join("");
const ledger = (...words: string[]) => warm(["ledger", ...words], { cwd: folder });

type Verdict = {
  verdict: string;
  row: number | null;
  rows: number;
  head: string;
  trials: number;
  unfinished: { row: number; run: string }[];
  audited_rows: number | null;
  torn: number;
  aside: number;
};

describe("blindcast ledger", () => {
  it("verify: rows that follow one another, with the trials that did not end", () => {
    write(whole);
    const ran = ledger("verify", "rain", "--json");
    assert.equal(ran.status, 0, ran.stderr);
    const found = lastLine<Verdict>(ran);
    assert.deepEqual([found.verdict, found.rows, found.trials, found.audited_rows], ["verified", 5, 3, 0]);
    assert.equal(found.head, digest(lines[4] as string));
    assert.deepEqual(found.unfinished, [{ row: 2, run: run(1), at: AT }]);
    const text = ledger("verify", "ledgers/trials/rain.jsonl").stdout;
    assert.match(text, /^verified: 3 trials in 5 rows, 1 unfinished, 1 failed\n/);
    assert.match(text, /unfinished: row 2, run 01ARZ3NDEKTSV4RRFFQ69G0001/);
  });

  it("verify: exit status 1 and the row, of each attack", () => {
    const attacks: [string, string, number][] = [
      ["edited", whole.replace('"seed":1', '"seed":2'), 1],
      ["added", `${whole}${lines[1]?.replace('"row":1', '"row":5')}\n`, 5],
    ];
    for (const [attack, text, row] of attacks) {
      write(text.endsWith("\n") ? text : `${text}\n`);
      const ran = ledger("verify", "rain", "--json");
      assert.equal(ran.status, 1, attack);
      const found = lastLine<Verdict>(ran);
      assert.deepEqual([found.verdict, found.row], ["broken", row], attack);
      assert.match(
        ran.stderr,
        new RegExp(`^TrialLedgerBroken: ledgers/trials/rain.jsonl:${row + 1}: row ${row}: `),
      );
    }
    write(`${whole}{"at":`);
    const torn = ledger("verify", "rain", "--json");
    assert.deepEqual(
      [torn.status, lastLine<Verdict>(torn).verdict, lastLine<Verdict>(torn).torn],
      [1, "torn", 6],
    );
  });

  it("verify: what was cut off, or changed in the last row, by the head of a report and by the audit log", () => {
    const cut = lines.slice(0, 3).join("\n");
    const claim = ["--rows", "5", "--head", digest(lines[4] as string)];
    for (const [text, row] of [
      [`${cut}\n`, 3],
      [whole.replace("b left", "c left"), 4],
    ] as const) {
      write(text);
      const ran = ledger("verify", "rain", ...claim, "--json");
      assert.deepEqual([ran.status, lastLine<Verdict>(ran).row], [1, row]);
    }
    const leaves = path.join(folder, "ledgers/audit/unsigned/leaves.jsonl");
    write(
      `{"ledger":"rain","line":"${digest(lines[4] as string)}","row":4,"run":"${run(2)}","v":"blindcast.trial-row/1"}\n`,
      leaves,
    );
    const audited = ledger("verify", "rain");
    assert.equal(audited.status, 1);
    assert.match(
      audited.stderr,
      /row 4: a line of sha256:\w+, expected one of sha256:\w+, which \S+leaves\.jsonl:1 says$/m,
    );
    write(whole);
    assert.equal(lastLine<Verdict>(ledger("verify", "rain", ...claim, "--json")).audited_rows, 5);
    fs.rmSync(file);
    assert.equal(ledger("verify", "rain").status, 1, "the whole ledger went");
    fs.rmSync(leaves);
  });

  it("list and show: each ledger with its counts, a broken one too, and nothing in it moves the cursor", () => {
    write(whole);
    write(whole.replace('"seed":1', '"seed":2'), path.join(trials, "snow.jsonl"));
    write("abc", `${file}.torn-1`);
    const listed = ledger("list", "--json");
    assert.equal(listed.status, 0);
    const { ledgers } = lastLine<{ ledgers: (Verdict & { name: string; broken: string | null })[] }>(listed);
    assert.deepEqual(
      ledgers.map(({ name, rows, trials: count, aside, broken }) => [
        name,
        rows,
        count,
        aside,
        broken === null,
      ]),
      [
        ["rain", 5, 3, 1, true],
        ["snow", null, null, 0, false],
      ],
    );
    const shown = ledger("show", "rain", "--json", "--folder", ".");
    const found = lastLine<{ trials: { state: string; start: number; first: number; measures: unknown }[] }>(
      shown,
    );
    assert.deepEqual(
      found.trials.map(({ start, first, state, measures }) => [start, first, state, measures]),
      [
        [0, 0, "ended", { mean: 0.5 }],
        [2, 2, "unfinished", null],
        [3, 0, "failed", null],
      ],
    );
    const { stdout } = ledger("show", "rain");
    assert.match(stdout, /^Row 3 is row 0 tried again: same identity, same seed\.$/m);
    assert.ok(!stdout.includes("\u001b"), "a reason is shown, and obeyed by no terminal");
    assert.ok(stdout.split("\n").every((line) => line.length <= 104));
  });

  it("deflate: the best trial among all that began; the example is what make.mjs makes, and a cut one is refused", () => {
    const docs = path.join(repository, "docs/ledger");
    execFileSync(process.execPath, [path.join(docs, "make.mjs"), "--out", trials]);
    const harbour = path.join(trials, "harbour.jsonl");
    const text = fs.readFileSync(harbour, "utf8");
    assert.equal(text, fs.readFileSync(path.join(docs, "harbour.jsonl"), "utf8"));
    const ran = ledger("deflate", "harbour", "--json", "--plot", "pictures");
    assert.equal(ran.status, 0, ran.stderr);
    const found = lastLine<{ n_trials: number; n_ratios: number; known_at: object; best: { name: string } }>(
      ran,
    );
    const last = digest(text.trimEnd().split("\n").at(-1) as string);
    assert.deepEqual(found.known_at, { rows: 15, head: last });
    assert.deepEqual([found.n_trials, found.n_ratios, found.best.name], [8, 6, "6 rules rule=fog"]);
    assert.match(fs.readFileSync(path.join(folder, "pictures/harbour.svg"), "utf8"), /^<svg /);
    const leaves = path.join(folder, "ledgers/audit/unsigned/leaves.jsonl");
    write(
      `{"ledger":"harbour","line":"${last}","row":14,"run":"${run(1)}","v":"blindcast.trial-row/1"}\n`,
      leaves,
    );
    fs.writeFileSync(
      harbour,
      text
        .split("\n")
        .slice(0, 12)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const cut = ledger("deflate", "harbour");
    assert.equal(cut.status, 2);
    assert.match(
      cut.stderr,
      /^TrialLedgerBroken: .*: row 12: the end of the ledger after 12 rows, expected 15/,
    );
    fs.rmSync(leaves);
    fs.rmSync(harbour);
  });

  it("ArgumentInvalid: what is no action, no ledger, or half a claim", () => {
    const cases: [string[], RegExp][] = [
      [["nope"], /expected list, show, verify or deflate/],
      [["show", "hail"], /"hail" given, expected .* the name of a ledger in ledgers\/trials: rain, snow/],
      [["show", "rain", "--rows", "5"], /ledger verify only/],
      [["verify", "rain", "--rows", "5"], /--head beside it/],
    ];
    for (const [words, problem] of cases) {
      const ran = ledger(...words);
      assert.equal(ran.status, 2, words.join(" "));
      assert.match(ran.stderr, problem);
      assert.match(ran.stderr, /^ArgumentInvalid: /);
    }
  });
});
