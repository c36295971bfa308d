/** Key files: which are read, which are not, and what is said of a key to others. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { defaultKeyFile, loadSigner, originOf, publicHalf } from "../../src/cli/key-file.ts";
import { utf8 } from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { keyId, newSigner } from "../../src/ledger/node-signatures.ts";
import { parsePolicy } from "../../src/ledger/policy.ts";
import { refused, temporary } from "../core/refused.ts";

const folder = temporary();
const file = path.join(folder, "key.pem");
const { signer, pem } = newSigner();

function put(text: string, mode = 0o600): void {
  fs.rmSync(file, { force: true, recursive: true });
  fs.writeFileSync(file, text);
  fs.chmodSync(file, mode);
}

describe("key file", () => {
  it("gives the key that it holds", () => {
    put(pem);
    assert.deepEqual(loadSigner(file).publicKey, signer.publicKey);
    put(pem, 0o400);
    const message = utf8("a message");
    assert.deepEqual(loadSigner(file).sign(message), signer.sign(message));
  });

  it("KeyPermissions: any right of the group and of others", { skip: process.platform === "win32" }, () => {
    for (const right of [1, 2, 4, 0o10, 0o20, 0o40, 0o44, 0o77]) {
      put(pem, 0o600 + right);
      const { details } = refused("KeyPermissions", () => loadSigner(file));
      assert.deepEqual(details, { place: file, found: `0${(0o600 + right).toString(8)}`, expected: "0600" });
    }
  });

  it("KeyUnreadable: what is no key, and nothing of it is said", () => {
    const openssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n";
    for (const text of ["", "hunter2", openssh, `${pem}hunter2`, "hunter2\n".repeat(10_000)]) {
      put(text);
      const error = refused("KeyUnreadable", () => loadSigner(file));
      assert.ok(!error.message.includes("hunter2"), error.message);
    }
    const absent = refused("KeyUnreadable", () => loadSigner(path.join(folder, "absent")));
    assert.match(absent.message, /ENOENT/);
    fs.rmSync(file);
    fs.mkdirSync(file);
    assert.equal(refused("KeyUnreadable", () => loadSigner(file)).details.found, "no regular file");
    fs.rmdirSync(file);
    if (spawnSync("mkfifo", ["-m", "600", file]).status !== 0) return;
    assert.equal(refused("KeyUnreadable", () => loadSigner(file)).details.found, "no regular file");
  });

  it("lies in the configuration folder, where the environment names one", () => {
    const before = { ...process.env };
    const at = (config: string | undefined, home: string | undefined) => {
      for (const [name, value] of [
        ["XDG_CONFIG_HOME", config],
        ["HOME", home],
      ] as const)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      return defaultKeyFile();
    };
    try {
      assert.equal(at("/c", "/h"), path.join("/c", "blindcast", "key.pem"));
      for (const config of [undefined, "", "not/absolute"])
        assert.equal(at(config, "/h"), path.join("/h", ".config", "blindcast", "key.pem"));
      for (const home of [undefined, ""]) assert.equal(at("not/absolute", home), null);
    } finally {
      Object.assign(process.env, before);
    }
  });
});

describe("origin", () => {
  it("is the flag's, or none", () => {
    for (const origin of ["a/b", "cosignature/v2", "größe", "x".repeat(200)])
      assert.equal(originOf({ origin }), origin);
    assert.equal(originOf({}), null);
  });

  it("ArgumentInvalid: what no log can be called", () => {
    const spaces = ["two words", "a\u00a0b", "a\u3000b", "a\tb", "a\nb", "a\u2028b", "a\ufeffb"];
    const others = ["", "a+b", "a\u0000b", "a\u007fb", "a\u0085b", "\ud800", "x".repeat(201)];
    const reserved = ["cosignature/v1", "subtree/v1", "SSHSIG", "SSHSIGx", "DSSEv1", "DSSEv1x"];
    for (const origin of [...spaces, ...others, ...reserved])
      assert.equal(refused("ArgumentInvalid", () => originOf({ origin })).details.place, "--origin");
    refused("ArgumentInvalid", () => originOf({ origin: ["a", "b"] }));
  });
});

describe("public half", () => {
  it("is a policy that trusts this key's log, and no other", () => {
    const { sha256 } = nodeHashing;
    for (const origin of [null, "lab.example/größe"]) {
      const half = publicHalf(signer, origin);
      assert.equal(half.key_id, keyId(signer.publicKey));
      assert.equal(half.origin, origin ?? `local/${half.key_id}`);
      const policy = parsePolicy(utf8(half.policy), "policy", sha256);
      assert.deepEqual(
        policy.logs.map(({ name, type, publicKey }) => [name, type, publicKey]),
        [[half.origin, 1, signer.publicKey]],
      );
      assert.deepEqual([policy.witnesses.size, policy.groups.size, policy.quorum], [0, 0, null]);
    }
  });
});
