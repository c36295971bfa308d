import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { temporary, written } from "../core/refused.ts";
import { writeRecord } from "../support/record-writer.ts";

/** A browser's part: the files and the policy are at hand, signatures are checked by `crypto.subtle`, and Node is gone. */
const page = (verifier: string, given: string) => `
import * as fs from "node:fs";
const { files, policy } = JSON.parse(fs.readFileSync(${JSON.stringify(given)}, "utf8"), (key, value) =>
  Array.isArray(value) && value.every(Number.isInteger) ? Uint8Array.from(value) : value);
const print = console.log;
for (const name of ["Buffer", "process", "global", "require", "setImmediate"]) delete globalThis[name];
const { memoryBundle, verify } = await import(${JSON.stringify(verifier)});
async function checkSignature(publicKey, message, signature) {
  const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, message);
}
const outcome = async (bytes) => {
  const { verdict, failure } = await verify(memoryBundle(new Map(bytes)), policy, { checkSignature });
  return failure === null ? verdict : failure.stage + " " + failure.code;
};
const turned = files.map(([name, bytes]) => [name, name.endsWith(".tlog-proof") ? bytes.with(-10, bytes.at(-10) ^ 1) : bytes]);
print([typeof Buffer, typeof process, await outcome(files), await outcome(turned)].join(", "));
`;

test("the small verifier runs without Node: its own hash, a browser's signature check", () => {
  const folder = temporary();
  const { files, policy } = writeRecord();
  const plain = { files: [...files].map(([name, bytes]) => [name, [...bytes]]), policy: [...policy] };
  const given = written(folder, "given.json", JSON.stringify(plain));
  const verifier = path.resolve(import.meta.dirname, "../../src/verify.js");
  const script = written(folder, "page.mjs", page(verifier, given));
  const said = execFileSync(process.execPath, ["--no-warnings", script], { encoding: "utf8" });
  assert.equal(said, "undefined, undefined, verified, signature SignatureInvalid\n");
});
