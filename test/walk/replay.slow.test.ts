/** Clause walk: a run that was signed here is replayed from its folder alone, elsewhere, by the built command line. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Summary } from "../support/report-shape.ts";
import { blindcast, lastLine, type Ran, temporaryFolder } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

const root = temporaryFolder();
const key = path.join(root, "lab.pem");
const policy = `${key}.policy`;
const elsewhere = path.join(root, "elsewhere");
/** Another machine's habits: its zone, its language, no key, nobody's ledgers. */
const foreign = {
  cwd: elsewhere,
  env: { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
};

type Said = {
  readonly verdict: string;
  readonly stage: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly stages: readonly { readonly stage: string; readonly state: string; readonly reason?: string }[];
  readonly assurance: string | null;
  readonly origin: string | null;
  readonly run: string | null;
  readonly entries: number | null;
  readonly result_digest: string | null;
  readonly report_digest: string | null;
  readonly arms: Record<string, string> | null;
  readonly run_verdict: string | null;
};

/** Readers of the demonstration set, some cases of each; `signed` by the lab's key, or by nobody's. */
const runs = new Map<string, Summary>();
function made(name: string, ...words: string[]): void {
  const out = path.join(root, "made", name);
  const ran = blindcast(["backtest", "seattle-rain", "--json", "--out", out, ...words]);
  assert.equal(ran.status, 0, ran.stderr);
  runs.set(name, lastLine(ran));
  fs.renameSync(out, path.join(elsewhere, name));
}

before(() => {
  fs.mkdirSync(elsewhere);
  fs.mkdirSync(path.join(root, "made"));
  assert.equal(blindcast(["keys", "new", "--out", key, "--origin", "lab.example/audit"]).status, 0);
  const signed = ["--key", key, "--origin", "lab.example/audit"];
  made("climatology", "--reader", "climatology", "--limit", "60", ...signed);
  made(
    "recall",
    "--reader",
    "recall:seattle-recall",
    "--filter",
    "id=rain-2015-0*",
    "--limit",
    "200",
    ...signed,
  );
  made("unsigned", "--reader", "persistence", "--limit", "60");
});
after(() => fs.rmSync(root, { recursive: true, force: true }));

const replay = (name: string, ...words: string[]): Ran => warm(["replay", name, ...words], foreign);
const replays = (all: readonly (readonly string[])[]) =>
  manyRuns(all.map((words) => ({ words, ...foreign })));
const trusting = ["--policy", policy];

function copyOf(name: string, change: (folder: string) => void): string {
  const copy = `${name}-${fs.readdirSync(elsewhere).length}`;
  fs.cpSync(path.join(elsewhere, name), path.join(elsewhere, copy), { recursive: true });
  change(path.join(elsewhere, copy));
  return copy;
}
const edit = (file: string, by: (text: string) => string) => (folder: string) => {
  const at = path.join(folder, file);
  const before = fs.readFileSync(at, "latin1");
  const after = by(before);
  assert.notEqual(after, before, file);
  fs.writeFileSync(at, after, "latin1");
};

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
/** RFC 6962 section 2.1, as it is written there. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer;
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** Of an unsigned run whose run.json was changed, by the formats alone: the links of its entries, their root, both leaves. */
function chainAgain(folder: string): void {
  const file = (name: string) => path.join(folder, name);
  const manifest = sha256(fs.readFileSync(file("run.json"))).toString("hex");
  let prev = manifest;
  const leaves: Buffer[] = [];
  const lines = fs.readFileSync(file("entries.jsonl"), "utf8").trimEnd().split("\n");
  const again = lines.map((line) => {
    const entry = JSON.parse(line);
    const chained = JSON.stringify({ ...entry, prev: entry.step === 0 ? manifest : prev });
    leaves.push(sha256(Uint8Array.of(0), chained));
    prev = (leaves.at(-1) as Buffer).toString("hex");
    return `${chained}\n`;
  });
  fs.writeFileSync(file("entries.jsonl"), again.join(""));
  for (const name of ["open.json", "close.json"]) {
    const leaf = JSON.parse(fs.readFileSync(file(name), "utf8"));
    const root = name === "close.json" ? { root: rootOf(leaves).toString("base64") } : {};
    fs.writeFileSync(file(name), `${JSON.stringify({ ...leaf, manifest: `sha256:${manifest}`, ...root })}\n`);
  }
}

describe("trajectory-replay", () => {
  it("replay.verified: a moved folder under another zone and language gives both digests again, and exits 0", () => {
    for (const name of ["climatology", "recall"]) {
      const ran = replay(name, ...trusting, "--json");
      assert.equal(ran.status, 0, ran.stderr);
      const said = lastLine<Said>(ran);
      const run = runs.get(name) as Summary;
      assert.equal(said.verdict, "verified");
      assert.deepEqual(
        [said.result_digest, said.report_digest, said.run, said.origin],
        [run.result_digest, run.report_digest, run.run, "lab.example/audit"],
      );
      assert.deepEqual(
        [said.assurance, said.run_verdict, said.stage, said.code],
        ["self-signed", "green", null, null],
      );
      const arms = name === "recall" ? ["control:", "latest", "routed"] : ["routed"];
      const found = Object.keys(said.arms ?? {});
      assert.ok(
        arms.every((arm) => found.some((one) => one.startsWith(arm))),
        `arms ${found}`,
      );
      assert.ok(found.length > 0 && found.every((arm) => said.arms?.[arm] === "re-executed"));
      const open = said.stages.filter(({ state }) => state !== "passed").map(({ stage }) => stage);
      assert.deepEqual([said.stages.length, open], [15, ["state"]]);
    }
  });

  it("replay.words: for people, a line a stage, what was proven, and in plain words what was not", () => {
    const { stdout, status, stderr } = replay("climatology", ...trusting);
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^verified: nothing of the record changed since it was signed \(self-signed\);\nevery score follows/,
    );
    for (const stage of ["files", "policy", "signature", "bounds", "re-serve", "rules", "score"])
      assert.match(stdout, new RegExp(`^ {2}${stage} +passed$`, "m"));
    assert.match(stdout, /^ {2}state +skipped: no earlier checkpoint/m);
    assert.match(stdout, /^assurance +self-signed, as lab\.example\/audit$/m);
    assert.match(stdout, /^arm routed +re-executed$/m);
    assert.match(stdout, /^result\n {2}sha256:[0-9a-f]{64}$/m);
    assert.match(stdout, /It does not prove: that a tool really answered so; that a model had no memory/);
    assert.ok(!stdout.includes("\u001b"), "no colour where there is no terminal");
  });

  it("replay.unauthenticated: without a policy, and of an unsigned run, all agrees and nobody stands for it: exit 5", () => {
    for (const [name, assurance] of [
      ["climatology", null],
      ["unsigned", "unsigned"],
    ] as const) {
      const ran = replay(name, "--json");
      assert.equal(ran.status, 5, ran.stderr);
      const said = lastLine<Said>(ran);
      assert.deepEqual([said.verdict, said.assurance], ["unauthenticated", assurance]);
      assert.deepEqual(said.arms, { routed: "re-executed" });
    }
    assert.match(replay("unsigned").stdout, /unsigned: whoever has the folder could have made it anew/);
    const claimed = replay("unsigned", ...trusting, "--json");
    assert.deepEqual([claimed.status, lastLine<Said>(claimed).code], [1, "SignatureMissing"]);
  });

  it("replay.refused-record: a changed byte ends at its stage with exit 1, the code on stderr and in the JSON", () => {
    const changes: [change: (folder: string) => void, stage: string, code: string][] = [
      [
        edit("entries.jsonl", (text) => text.replace('"probability":0.', '"probability":0.0')),
        "root",
        "RootMismatch",
      ],
      [edit("blobs.pack", (text) => text.replace(/.$/s, "?")), "blobs", "BlobDigestMismatch"],
      [
        edit("report.json", (text) => text.replace('"verdict":"green"', '"verdict":"blue!"')),
        "score",
        "ReportDigestMismatch",
      ],
      [
        edit("plants.jsonl", (text) => text.replace('"kind":"past"', '"kind":"pass"')),
        "rules",
        "PlantCommitmentMismatch",
      ],
      [(folder) => fs.writeFileSync(path.join(folder, "notes.txt"), "mine"), "files", "FileUnexpected"],
    ];
    const copies = changes.map(([change]) => copyOf("climatology", change));
    const asked = copies.map((copy) => ["replay", copy, ...trusting]);
    const inJson = replays(asked.map((words) => [...words, "--json"]));
    const inWords = replays(asked);
    for (const [i, [, stage, code]] of changes.entries()) {
      const [copy, ran, words] = [copies[i], inJson[i], inWords[i]] as [string, Ran, Ran];
      assert.equal(ran.status, 1, ran.stderr);
      const said = lastLine<Said>(ran);
      assert.deepEqual([said.verdict, said.stage, said.code], ["failed", stage, code]);
      assert.deepEqual([said.run, said.arms, said.result_digest], [null, null, null], "no partial verdict");
      assert.ok(
        ran.stderr.includes(`${said.message}\n`) && ran.stderr.endsWith(`stage: ${stage}\n`),
        ran.stderr,
      );
      assert.match(said.message as string, new RegExp(`^${code}: ${copy}/`));
      assert.match(words.stdout, new RegExp(`^failed: ${code} at the stage ${stage}$`, "m"));
    }
  });

  it("replay.another-policy: a key that did not sign it fails, a policy that is none fails, one that is not there is refused", () => {
    assert.equal(
      warm(["keys", "new", "--out", path.join(root, "other.pem"), "--origin", "lab.example/audit"]).status,
      0,
    );
    const other = replay("climatology", "--policy", path.join(root, "other.pem.policy"), "--json");
    assert.deepEqual([other.status, lastLine<Said>(other).code], [1, "SignatureMissing"]);
    const none = path.join(elsewhere, "none.policy");
    fs.writeFileSync(none, "trust everybody\n");
    const malformed = replay("climatology", "--policy", none, "--json");
    const said = lastLine<Said>(malformed);
    assert.deepEqual([malformed.status, said.stage, said.code], [1, "policy", "PolicyInvalid"]);
    for (const verb of ["replay", "verify"]) {
      const absent = warm([verb, "climatology", "--policy", "no-such-file"], foreign);
      assert.equal(absent.status, 2);
      assert.match(absent.stderr, /^FileUnreadable: no-such-file: /);
      assert.equal(absent.stdout, "");
    }
  });

  it("replay.usage: what is no run folder, and words that are none, are refused with exit 2", () => {
    const wrong = [
      [["replay", "no-such-run"], "FileUnreadable"],
      [["replay"], "ArgumentInvalid"],
      [["replay", "climatology", "--policy"], "ArgumentInvalid"],
      [["replay", "climatology", "--json", "--json"], "ArgumentInvalid"],
      [["replay", "climatology", "--modules", "x.mjs"], "ArgumentInvalid"],
      [["replay", "climatology", "--module", "x.mjs"], "ReaderUnavailable"],
      [["verify", "climatology"], "ArgumentInvalid"],
      [["verify", "no-such-run", "--policy", policy], "FileUnreadable"],
    ] as const;
    for (const [i, ran] of replays(wrong.map(([words]) => words)).entries()) {
      const [words, code] = wrong[i] as (typeof wrong)[number];
      assert.equal(ran.status, 2, `${words.join(" ")}: ${ran.stderr}`);
      assert.match(ran.stderr, new RegExp(`^${code}: `), words.join(" "));
      assert.equal(ran.stdout, "");
    }
  });

  it("replay.engine: a run of another report version is refused with exit 2, and the version to install", () => {
    const copy = copyOf("unsigned", (folder) => {
      const manifest = path.join(folder, "run.json");
      const before = fs.readFileSync(manifest, "utf8");
      fs.writeFileSync(manifest, before.replace(/"report_version":\d+/, '"report_version":99'));
      chainAgain(folder);
    });
    const ran = replay(copy, "--json");
    const said = lastLine<Said>(ran);
    assert.deepEqual([ran.status, said.stage, said.code], [2, "score", "EngineMismatch"], ran.stderr);
    assert.match(said.hint as string, /npm install --global blindcast@\d+\.\d+\.\d+$/);
  });

  it("verify: the record alone, without the engine: the same stages up to entries", () => {
    const ran = warm(["verify", "climatology", ...trusting, "--json"], foreign);
    assert.equal(ran.status, 0, ran.stderr);
    const said = lastLine<Said>(ran);
    assert.deepEqual([said.verdict, said.arms, said.run_verdict], ["verified", null, null]);
    assert.equal(said.stages.at(-1)?.stage, "entries");
    const words = warm(["verify", "climatology", ...trusting], foreign);
    assert.match(
      words.stdout,
      /It does not prove: that the scores follow from the record \(that is replay\)/,
    );
    const copy = copyOf(
      "climatology",
      edit("run.json", (text) => text.replace('"seed":1', '"seed":2')),
    );
    const failed = warm(["verify", copy, ...trusting, "--json"], foreign);
    assert.deepEqual([failed.status, lastLine<Said>(failed).code], [1, "ManifestDigestMismatch"]);
  });
});
