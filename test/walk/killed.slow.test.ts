/** Kills at random points, each followed by --resume: the same result always, and a ledger that verifies. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assertEvery } from "../support/all.ts";
import { lastLine, main, type Ran, temporaryFolder } from "./command-line.ts";
import { manyRuns, warm } from "./many-runs.ts";

/** Each takes some seconds: `BLINDCAST_KILLS=50 npm test` for more of them. */
const KILLS = Number(process.env["BLINDCAST_KILLS"] ?? 20);
const workspace = temporaryFolder();
fs.mkdirSync(path.join(workspace, "ledgers")); // else the nearest folder above that has one
after(() => fs.rmSync(workspace, { recursive: true, force: true }));
const env = { ...process.env, XDG_CONFIG_HOME: path.join(workspace, "config"), NO_COLOR: "1" };
const words = (out: string, ...more: string[]) => [
  ...["backtest", "seattle-rain", "--reader", "recall:seattle-recall", "--filter", "id=rain-2015-0*"],
  ...["--limit", "16", "--key", "key.pem", "--out", out, "--json", ...more],
];

/** Starts blindcast in the workspace; `until` gets to kill it. */
async function run(
  given: readonly string[],
  until: (kill: () => void) => Promise<void> = async () => {},
): Promise<Ran & { killed: boolean }> {
  const child = spawn(process.execPath, [main, ...given], { cwd: workspace, env });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (said.stdout += chunk));
  child.stderr.on("data", (chunk) => (said.stderr += chunk));
  const ended = new Promise<{ status: number | null; killed: boolean }>((resolve) =>
    child.on("close", (status, signal) => resolve({ status, killed: signal === "SIGKILL" })),
  );
  await until(() => child.kill("SIGKILL"));
  const end = await ended;
  return { ...said, ...end };
}

/** Numbers from 0 to 1 that follow from the seed and the trial alone, so that a failing trial can be run again. */
function dice(seed: number, trial: number): () => number {
  let count = 0;
  return () => sha256(`${seed} ${trial} ${count++}`).readUInt32BE() / 4294967296;
}

/** Kills at a random point: some time after the run's folder is there, or `early`, at any time at all. */
function killer(
  place: string,
  millis: number,
  next: () => number,
  early = false,
): (kill: () => void) => Promise<void> {
  const at = next();
  return async (kill) => {
    if (!early) for (let i = 0; i < 5000 && !fs.existsSync(place); i++) await wait(2);
    await wait(millis * at);
    kill();
  };
}

const sha256 = (...parts: readonly (Buffer | string)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** RFC 6962 section 2.1, as it is defined there. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256("\u0000", leaves[0] as Buffer);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha256("\u0001", rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** The signed checkpoint is that of all leaves, by a second implementation; every leaf seen before is as it was. */
function verifyLedger(publicKey: KeyObject, known: readonly string[]): string[] {
  const audit = path.join(workspace, "ledgers", "audit");
  const logs = fs.readdirSync(audit).filter((name) => fs.statSync(path.join(audit, name)).isDirectory());
  assert.equal(logs.length, 1, "one key, one log");
  const folder = path.join(audit, logs[0] as string);
  const note = fs.readFileSync(path.join(folder, "checkpoint"), "utf8").split("\n");
  const [origin, size, root, blank, signature] = note as [string, string, string, string, string];
  const lines = fs.readFileSync(path.join(folder, "leaves.jsonl"), "utf8").split("\n").slice(0, -1);
  assert.equal(blank, "");
  assert.ok(lines.length >= Number(size));
  const covered = lines.slice(0, Number(size)).map((line) => Buffer.from(line));
  assert.equal(rootOf(covered).toString("base64"), root);
  assert.deepEqual(lines.slice(0, known.length), known);
  const signed = Buffer.from(signature.split(" ")[2] as string, "base64").subarray(4);
  assert.ok(verify(null, Buffer.from(`${origin}\n${size}\n${root}\n`), publicKey, signed));
  return lines;
}

function publicKeyOf(policy: string): KeyObject {
  const line = /^log [^+]+\+[0-9a-f]{8}\+(\S+)$/m.exec(policy) as RegExpExecArray;
  const x = Buffer.from(line[1] as string, "base64")
    .subarray(1)
    .toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** What a power cut takes besides: the end of what was not yet on the disk. */
function cutJournal(place: string, share: number): boolean {
  const journal = path.join(place, "journal.jsonl");
  const size = fs.existsSync(journal) ? fs.statSync(journal).size : 0;
  if (size > 0) fs.truncateSync(journal, Math.floor(size - Math.min(size, 20_000) * share));
  return size > 0;
}

type Evidence = { readonly evidence: { readonly attempts: { readonly abandoned: number } } };

describe("run.killed", () => {
  it(`${KILLS} kills at random points, each resumed, give the result of the undisturbed run`, async () => {
    assert.equal((await run(["keys", "new", "--out", "key.pem"])).status, 0);
    const publicKey = publicKeyOf(fs.readFileSync(path.join(workspace, "key.pem.policy"), "utf8"));
    let opened = 0;
    const undisturbed = await run(words("undisturbed"), async () => {
      while (!fs.existsSync(path.join(workspace, "undisturbed"))) await wait(2);
      opened = performance.now();
    });
    const whole = performance.now() - opened;
    assert.equal(undisturbed.status, 0, undisturbed.stderr);
    const expected = lastLine(undisturbed).result_digest;
    const seed = Number(process.env["SEED"] ?? 1 + (Date.now() % 1_000_000));
    const seen = { kills: 0, begun: 0, recorded: 0, abandoned: 0 };
    let leaves = verifyLedger(publicKey, []);
    const trial = async (i: number) => {
      const out = `killed-${i}`;
      const place = path.join(workspace, out);
      const next = dice(seed, i);
      const first = await run(words(out), killer(place, whole, next, i % 5 === 4));
      if (first.killed) seen.kills++;
      if (fs.existsSync(place)) seen.begun++;
      if (i % 2 === 0 && first.killed && cutJournal(place, next())) seen.recorded++;
      if (next() < 0.2) await run(words(out, "--resume"), killer(place, whole, next));
      if (i < 4) resumed(i, await run(words(out, "--resume"))); // beside what the other lane does
    };
    const resumed = (i: number, ended: Ran) => {
      const place = path.join(workspace, `killed-${i}`);
      const told = `seed ${seed}, kill ${i}`;
      assert.equal(ended.status, 0, `${told}: ${ended.stderr}`);
      assert.equal(lastLine(ended).result_digest, expected, told);
      const report = JSON.parse(fs.readFileSync(path.join(place, "report.json"), "utf8")) as Evidence;
      const { abandoned } = report.evidence.attempts;
      seen.abandoned += abandoned;
      const entries = fs.readFileSync(path.join(place, "entries.jsonl"), "utf8");
      assert.equal(entries.split('"abandoned":').length - 1, abandoned, told);
      leaves = verifyLedger(publicKey, leaves);
    };
    const lane = async (from: number) => {
      for (let i = from; i < KILLS; i += 2) await trial(i);
    };
    await Promise.all([lane(0), lane(1)]);
    for (let i = 4; i < KILLS; i++)
      resumed(i, warm(words(`killed-${i}`, "--resume"), { cwd: workspace, env }));
    const replays = Array.from({ length: KILLS }, (_, i) => [
      "replay",
      `killed-${i}`,
      "--policy",
      "key.pem.policy",
    ]);
    const replayed = manyRuns(replays.map((words) => ({ words, cwd: workspace, env })));
    assertEvery(replayed, ({ status, stdout }) => status === 0 && /^verified/m.test(stdout));
    const told = `seed ${seed}: ${JSON.stringify(seen)}`;
    // Of many kills these are certain for all purposes; of a few nothing is asked but that each came to the result.
    if (KILLS >= 20)
      assert.ok(seen.kills > 0 && seen.begun > 0 && seen.recorded > 0 && seen.abandoned > 0, told);
    const runs = leaves.map((line) => JSON.parse(line) as { run: string; v: string });
    const of = (v: string) =>
      runs
        .filter((leaf) => leaf.v === v)
        .map((leaf) => leaf.run)
        .sort();
    assert.deepEqual(of("blindcast.open/1"), of("blindcast.close/1"), `${told}: what was opened is closed`);
    console.log(told);
  });
});
