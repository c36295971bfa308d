/** The audit ledger in memory does what the one on a disk does, leaf for leaf and byte for byte. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { signerOf } from "../../src/ledger/node-signatures.ts";
import { refused, refusedLater } from "../core/refused.ts";
import { aPlace, linesOf, progress, RUN, read, runOf } from "./a-ledger.ts";

describe("memory ledger", () => {
  it("gives the leaves, the checkpoint and the proofs of a folder's ledger with the same key", async () => {
    const place = aPlace();
    const folder = place.open("ledger.example/a");
    const memory = memoryLedger({ signer: signerOf(place.pem, "pem"), origin: "ledger.example/a" });
    assert.deepEqual([memory.place, memory.origin], ["memory", folder.origin]);
    for (let n = 0; n < 7; n++) {
      const line = progress(n, runOf(n % 3));
      assert.equal(await memory.append(line), n);
      assert.equal(await folder.append(line), n);
      assert.equal(memory.checkpoint, read(place.checkpoint));
    }
    assert.deepEqual(memory.leaves, linesOf(place));
    const all = [...memory.leaves.keys()];
    assert.deepEqual(await memory.prove(all), await folder.prove(all));
    assert.deepEqual(await memory.leavesOf(runOf(1)), await folder.leavesOf(runOf(1)));
    assert.equal((await memory.leavesOf(runOf(1))).length, 2);
    await assert.rejects(memory.prove([7]), RangeError);
  });

  it("signs nothing without a key", async () => {
    const memory = memoryLedger();
    assert.equal(await memory.append(progress(0)), 0);
    assert.deepEqual([memory.origin, memory.checkpoint, await memory.prove([0])], [null, null, null]);
    assert.deepEqual(memory.leaves, [progress(0)]);
  });

  it("has an origin by its key where none is given, and signs an empty log", () => {
    const place = aPlace();
    const memory = memoryLedger({ signer: signerOf(place.pem, "pem") });
    assert.equal(memory.origin, place.origin);
    assert.match(memory.checkpoint as string, /^local\/[0-9a-f]{16}\n0\n47DEQpj8/);
  });

  it("refuses what a folder's ledger refuses", async () => {
    const memory = memoryLedger();
    await refusedLater("LeafTypeWrong", () => memory.append('{"v":"blindcast.other/1"}'));
    await refusedLater("NotCanonical", () => memory.append(` ${progress(0)}`));
    assert.deepEqual(memory.leaves, []);
    await refusedLater("FieldInvalid", () => memory.leavesOf("../x"));
    refused("FieldInvalid", () => memory.keepSecret("../x", { secret: "", salt: "" }));
    const signer = signerOf(aPlace().pem, "pem");
    refused("FieldInvalid", () => memoryLedger({ signer, origin: "two words" }));
    assert.equal(memoryLedger({ signer, origin: "one-word" }).origin, "one-word");
  });

  it("keeps a run's secret until it is forgotten, and one hold of it at a time", async () => {
    const memory = memoryLedger();
    const secret = { secret: "5e".repeat(32), salt: "a1".repeat(32) };
    memory.keepSecret(RUN, secret);
    assert.throws(() => memory.keepSecret(RUN, secret), { name: "Bug" });
    assert.deepEqual([memory.secretOf(RUN), memory.secretOf(runOf(1))], [secret, null]);
    memory.forgetSecret(RUN);
    assert.equal(memory.secretOf(RUN), null);
    const release = await memory.hold(RUN);
    assert.equal((await refusedLater("RunLocked", () => memory.hold(RUN))).details.holder, "this process");
    release();
    const again = await memory.hold(RUN);
    release();
    await refusedLater("RunLocked", () => memory.hold(RUN));
    again();
  });
});
