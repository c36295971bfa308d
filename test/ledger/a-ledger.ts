/** Ledgers on a disk as tests look at them: leaves to append, the files, and whether all of it verifies. */
import assert from "node:assert/strict";
import fsDefault, * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as path from "node:path";
import { mock } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import type { AuditLedger } from "../../src/ledger/audit-ledger.ts";
import { folderLedger } from "../../src/ledger/folder-ledger.ts";
import { leafLine } from "../../src/ledger/leaves.ts";
import { checkSignature, keyId, newSigner, signerOf } from "../../src/ledger/node-signatures.ts";
import { parsePolicy } from "../../src/ledger/policy.ts";
import { provesInclusion } from "../../src/ledger/proof.ts";
import { parseTlogProof } from "../../src/ledger/tlog-proof.ts";
import { leafHashOf } from "../../src/ledger/tree.ts";
import { openCheckpoint } from "../../src/ledger/trust.ts";
import { formatVerifierKey, verifierKey } from "../../src/ledger/verifier-key.ts";
import { temporary } from "../core/refused.ts";

const { sha256 } = nodeHashing;

export const runOf = (n: number) => `01ARZ3NDEKTSV4RRFFQ69G${String(n).padStart(4, "0")}`;
export const RUN = runOf(0);

/** The line of a leaf that says `n`. */
export const progress = (n: number, run = RUN) =>
  leafLine({
    v: "blindcast.progress/1",
    run,
    entries: n,
    root: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  });

export type Place = {
  readonly workspace: string;
  readonly pem: string;
  readonly origin: string;
  /** The folder of the signed log, and its two files. */
  readonly folder: string;
  readonly leaves: string;
  readonly checkpoint: string;
  /** A ledger as a process has it that was started just now. */
  readonly open: (origin?: string | null) => AuditLedger;
};

/** A workspace without ledgers, and a key. */
export function aPlace(workspace = temporary(), pem = newSigner().pem): Place {
  const signer = signerOf(pem, "pem");
  const id = keyId(signer.publicKey);
  const folder = path.join(workspace, "ledgers", "audit", id);
  return {
    workspace,
    pem,
    origin: `local/${id}`,
    folder,
    leaves: path.join(folder, "leaves.jsonl"),
    checkpoint: path.join(folder, "checkpoint"),
    open: (origin = null) => folderLedger({ workspace, signer, origin }),
  };
}

/** A log of so many leaves. */
export async function aLog(size: number): Promise<Place> {
  const place = aPlace();
  const ledger = place.open();
  for (let n = 0; n < size; n++) assert.equal(await ledger.append(progress(n)), n);
  return place;
}

export const linesOf = (place: Place) => fs.readFileSync(place.leaves, "utf8").split("\n").slice(0, -1);

/** Every leaf is proven by the signed checkpoint; gives their lines. */
export async function verifiedLines(place: Place): Promise<readonly string[]> {
  const lines = linesOf(place);
  const proofs = (await place.open().prove(lines.map((_, index) => index))) as readonly string[];
  const key = verifierKey(place.origin, 1, signerOf(place.pem, "pem").publicKey, sha256);
  const policy = parsePolicy(utf8(`log ${formatVerifierKey(key)}\nquorum none\n`), "policy", sha256);
  const note = fs.readFileSync(place.checkpoint, "utf8");
  const { checkpoint } = await openCheckpoint(note, policy, checkSignature, sha256, "checkpoint");
  assert.equal(checkpoint.size, lines.length);
  lines.forEach((line, index) => {
    const { checkpoint: its, ...proof } = parseTlogProof(proofs[index] as string, "proof");
    assert.equal(its, note);
    assert.equal(proof.index, index);
    const leaf = leafHashOf(utf8(line), sha256);
    assert.ok(provesInclusion({ ...proof, ...checkpoint, leaf }, sha256), `leaf ${index}`);
  });
  return lines;
}

/** Every file below a folder with its bytes, but the locks. */
export function bytesBelow(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => !name.endsWith(".lock") && fs.statSync(path.join(folder, name)).isFile())
      .map((name) => [name, fs.readFileSync(path.join(folder, name), "latin1")]),
  );
}

type Patched = "fsyncSync" | "readSync" | "renameSync";

/** A function of the file system replaced while `work` runs; `real` is the one that it was. */
export async function patched<T>(
  name: Patched,
  replacement: (real: (...args: never[]) => number, args: never[]) => number,
  work: () => Promise<T>,
): Promise<T> {
  const real = fsDefault[name] as (...args: never[]) => number;
  const mocked = mock.method(fsDefault, name, (...args: never[]) => replacement(real, args));
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
  }
}

export const read = (file: string) => fs.readFileSync(file, "utf8");
export const remove = (file: string) => fs.rmSync(file, { recursive: true });
export const add = (file: string, text: string) => fs.appendFileSync(file, text);
export const change = (file: string, from: string | RegExp, to: string) => {
  const text = read(file);
  assert.match(text, from instanceof RegExp ? from : new RegExp(from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  fs.writeFileSync(file, text.replace(from, to));
};
export const cut = (file: string, bytes: number) => fs.truncateSync(file, fs.statSync(file).size - bytes);

/** Fails where the file behind the handle, on Linux, has such a path and more than no bytes. */
export function failing(file: RegExp): (real: (...args: never[]) => number, args: never[]) => number {
  return (real, args) => {
    const handle = args[0] as unknown as number;
    const target = fs.existsSync("/proc/self/fd") ? fs.readlinkSync(`/proc/self/fd/${handle}`) : "leaves";
    if (file.test(target) && fs.fstatSync(handle).size > 0)
      throw Object.assign(new Error("ENOSPC: no space left on device, fsync"), { code: "ENOSPC" });
    return real(...args);
  };
}
