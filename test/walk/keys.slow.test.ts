/** Clause walk: a key is made once, in a place of its own, and everything that others need to trust it is shown. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { lastLine, type Ran, temporaryFolder } from "./command-line.ts";
import { warm } from "./many-runs.ts";

const root = fs.realpathSync(temporaryFolder());
after(() => fs.rmSync(root, { recursive: true, force: true }));
let made = 0;

/** An empty folder with its own configuration folder, and `blindcast keys` in it. */
function home(): { folder: string; config: string; keys: (...words: string[]) => Ran } {
  const folder = path.join(root, String(made++));
  fs.mkdirSync(folder);
  const config = path.join(folder, "config");
  const keys = (...words: string[]) =>
    warm(["keys", ...words], { cwd: folder, env: { XDG_CONFIG_HOME: config, NO_COLOR: "1" } });
  return { folder, config, keys };
}

type Half = {
  file: string;
  key_id: string;
  origin: string;
  key: string;
  policy: string;
  policy_file?: string;
};

/** What follows from a key file and an origin, by the formats alone. */
function expected(pem: string, origin?: string): Omit<Half, "file"> {
  const { x } = createPublicKey(createPrivateKey(pem)).export({ format: "jwk" });
  const raw = Buffer.from(x as string, "base64url");
  const sha256 = (...parts: (string | Buffer)[]) =>
    createHash("sha256")
      .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
      .digest("hex");
  const keyId = sha256(raw).slice(0, 16);
  const name = origin ?? `local/${keyId}`;
  const typed = Buffer.concat([Buffer.from([1]), raw]);
  const key = `${name}+${sha256(`${name}\n`, typed).slice(0, 8)}+${typed.toString("base64")}`;
  const policy = `# Trusts the log ${name}, without witnesses.\nlog ${key}\nquorum none\n`;
  return { key_id: keyId, origin: name, key, policy };
}

const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
const read = (file: string) => fs.readFileSync(file, "utf8");

function assertRefused(ran: Ran, code: string, ...values: string[]): void {
  assert.equal(ran.status, 2, ran.stderr + ran.stdout);
  assert.equal(ran.stdout, "");
  const [line, hint, ...rest] = ran.stderr.trimEnd().split("\n");
  assert.ok(line?.startsWith(`${code}: `), `expected ${code}, found ${ran.stderr}`);
  for (const value of values) assert.ok(ran.stderr.includes(value), `expected ${value} in ${ran.stderr}`);
  assert.ok(hint === undefined || hint.startsWith("hint: "), ran.stderr);
  assert.deepEqual(rest, []);
}

describe("keys new", () => {
  it("keys.new: makes the default key for its owner alone, and the policy beside it", () => {
    const { config, keys } = home();
    const ran = keys("new", "--json");
    assert.equal(ran.status, 0, ran.stderr);
    const file = path.join(config, "blindcast", "key.pem");
    assert.deepEqual(fs.readdirSync(path.dirname(file)).sort(), ["key.pem", "key.pem.policy"]);
    if (process.platform !== "win32")
      assert.deepEqual([file, path.dirname(file), config].map(modeOf), ["600", "700", "700"]);
    const pem = read(file);
    assert.match(pem, /^-----BEGIN PRIVATE KEY-----\n/);
    assert.equal(createPrivateKey(pem).asymmetricKeyType, "ed25519");
    const half = expected(pem);
    assert.deepEqual(lastLine<Half>(ran), { file, policy_file: `${file}.policy`, ...half });
    assert.equal(read(`${file}.policy`), half.policy);
    assert.ok(!ran.stdout.includes("PRIVATE") && !ran.stderr.includes("PRIVATE"));
    const again = keys("show", "--json");
    assert.deepEqual(lastLine<Half>(again), { file, ...half });
  });

  it("keys.new: another file and another origin; two keys are two", () => {
    const { folder, keys } = home();
    const ran = keys("new", "--out", "some/where/lab.pem", "--origin", "lab.example/größe");
    assert.equal(ran.status, 0, ran.stderr);
    const half = expected(read(path.join(folder, "some/where/lab.pem")), "lab.example/größe");
    assert.equal(read(path.join(folder, "some/where/lab.pem.policy")), half.policy);
    assert.ok(ran.stdout.includes(half.key) && ran.stderr.includes("some/where/lab.pem"));
    assert.equal(keys("new", "--out", "other.pem").status, 0);
    assert.notEqual(read(path.join(folder, "other.pem")), read(path.join(folder, "some/where/lab.pem")));
  });

  it("refusal.KeyExists: no key and no policy is written over", () => {
    const { folder, keys } = home();
    assert.equal(keys("new", "--out", "key.pem").status, 0);
    const before = read(path.join(folder, "key.pem"));
    assertRefused(keys("new", "--out", "key.pem"), "KeyExists", "key.pem");
    assert.equal(read(path.join(folder, "key.pem")), before);
    fs.writeFileSync(path.join(folder, "b.pem.policy"), "mine\n");
    assertRefused(keys("new", "--out", "b.pem"), "KeyExists", "b.pem.policy");
    assert.equal(read(path.join(folder, "b.pem.policy")), "mine\n");
    assert.ok(!fs.existsSync(path.join(folder, "b.pem")));
    assert.equal(keys("new", "--out", "c.pem").status, 0);
  });

  it("refusal.KeyMisplaced: never in a run folder nor in a ledger folder, also by way of a link", () => {
    const { folder, keys } = home();
    fs.mkdirSync(path.join(folder, "runs/one/artifacts"), { recursive: true });
    fs.writeFileSync(path.join(folder, "runs/one/run.json"), "{}\n");
    fs.mkdirSync(path.join(folder, "ledgers/audit"), { recursive: true });
    fs.symlinkSync("ledgers", path.join(folder, "elsewhere"));
    const run = path.join(folder, "runs/one");
    const ledgers = path.join(folder, "ledgers");
    const places: [string, string][] = [
      ["runs/one/artifacts/deep/key.pem", `the run folder ${run}`],
      ["elsewhere/audit/deep/key.pem", `the ledger folder ${ledgers}`],
    ];
    for (const [file, inside] of places) {
      assertRefused(keys("new", "--out", file), "KeyMisplaced", file, `inside ${inside}`);
      assert.ok(!fs.existsSync(path.join(folder, file)));
      assert.ok(!fs.existsSync(path.join(folder, "ledgers/audit/deep")));
    }
    assert.equal(keys("new", "--out", "runs/my-ledgers/key.pem").status, 0);
  });

  it("refusal.StorageFailed: a place that cannot be made", () => {
    const { folder, keys } = home();
    fs.writeFileSync(path.join(folder, "file"), "");
    assertRefused(keys("new", "--out", "file/key.pem"), "StorageFailed", "file/key.pem", "ENOTDIR");
  });

  it("without a configuration folder a file must be named", () => {
    const folder = path.join(root, String(made++));
    fs.mkdirSync(folder);
    const bare = (...words: string[]) =>
      warm(["keys", ...words], { cwd: folder, env: { XDG_CONFIG_HOME: "not/absolute", HOME: "" } });
    assertRefused(bare("new"), "ArgumentInvalid", "--out", "XDG_CONFIG_HOME");
    assert.deepEqual(fs.readdirSync(folder), []);
    assert.equal(bare("new", "--out", "key.pem").status, 0);
    assert.deepEqual(fs.readdirSync(folder).sort(), ["key.pem", "key.pem.policy"]);
  });
});

describe("keys show", () => {
  it("keys.show: prints key id, origin, public key and policy of a key made by another tool", (t) => {
    const { folder, keys } = home();
    const out = path.join(folder, "other.pem");
    const openssl = spawnSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", out], {
      encoding: "utf8",
    });
    if (openssl.status !== 0) return t.skip(`NOT TESTED: no openssl here (${openssl.error})`);
    fs.chmodSync(out, 0o600);
    const { key_id, origin, key, policy } = expected(read(out), "lab.example/x");
    const ran = keys("show", "other.pem", "--origin", "lab.example/x");
    assert.equal(ran.status, 0, ran.stderr);
    assert.equal(ran.stdout, `key id: ${key_id}\norigin: ${origin}\nkey: ${key}\n\n${policy}`);
  });

  it("refusal.KeyPermissions: a key that others can read", { skip: process.platform === "win32" }, () => {
    const { folder, keys } = home();
    assert.equal(keys("new", "--out", "key.pem").status, 0);
    fs.chmodSync(path.join(folder, "key.pem"), 0o640);
    const shown = "mode 0640, expected 0600";
    assertRefused(keys("show", "key.pem"), "KeyPermissions", "key.pem", shown, "hint: chmod 600 key.pem");
    fs.chmodSync(path.join(folder, "key.pem"), 0o600);
    assert.equal(keys("show", "key.pem").status, 0);
  });

  it("refusal.KeyUnreadable: what is no key, and nothing of it is shown", () => {
    const { folder, keys } = home();
    assertRefused(keys("show"), "KeyUnreadable", "key.pem", "ENOENT", "hint: `blindcast keys new`");
    fs.writeFileSync(path.join(folder, "k"), "hunter2\n", { mode: 0o600 });
    const ran = keys("show", "k");
    assertRefused(ran, "KeyUnreadable", "k");
    assert.ok(!ran.stderr.includes("hunter2"));
  });
});

describe("keys", () => {
  it("refusal.ArgumentInvalid: alone, another word, and flags of the other verb", () => {
    const { keys } = home();
    assertRefused(keys(), "ArgumentInvalid");
    assertRefused(keys("old"), "ArgumentInvalid", '"old"', "new or show");
    assertRefused(keys("new", "key.pem"), "ArgumentInvalid", '"key.pem"', "--out FILE");
    assertRefused(keys("show", "--out", "key.pem"), "ArgumentInvalid", "--out");
  });

  it("refusal.ArgumentInvalid: an origin that no log can have", () => {
    const { config, keys } = home();
    for (const name of ["two words", "cosignature/v1"])
      assertRefused(keys("new", "--origin", name), "ArgumentInvalid", "--origin", name);
    assert.ok(!fs.existsSync(config));
    assert.equal(keys("new", "--origin", "cosignature/v2").status, 0);
  });

  it("keys.help: explains both verbs, with examples", () => {
    const { keys } = home();
    const ran = keys("--help");
    assert.equal(ran.status, 0);
    for (const words of ["blindcast keys new", "blindcast keys show", "--origin", "policy"])
      assert.ok(ran.stdout.includes(words), words);
  });
});
