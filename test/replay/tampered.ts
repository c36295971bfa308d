/** One sound record whose files tests change, and whether verifying still holds it for sound. */
import { nodeHashing } from "../../src/core/digest.ts";
import { checkSignature } from "../../src/ledger/node-signatures.ts";
import { memoryBundle, verify } from "../../src/verify.ts";
import { type Files, usualBodies, writeRecord } from "../support/record-writer.ts";

/** Files of which the small verifier sees only that they are there: replay compares them with the close leaf. */
export const later = ["blobs.pack", "blobs.idx", "plants.jsonl", "report.json"];

export const record = writeRecord({
  trajectories: [
    { case: "rain-1", attempts: [usualBodies().slice(0, 3), usualBodies()] },
    { case: "rain-2", attempts: [[{ kind: "decline", ms: 1, reason: "no", usage: null }]] },
  ],
});
/** Its own, and none. */
export const policies = [record.policy, null];
export const holds = async (files: Files, policy: Uint8Array | null) => {
  const { verdict } = await verify(memoryBundle(files), policy, { checkSignature, hashing: nodeHashing });
  return verdict !== "failed";
};
/** The record with one file changed. */
export const changed = (name: string, by: (bytes: Uint8Array) => Uint8Array): Files =>
  new Map([...record.files].map(([each, bytes]) => [each, each === name ? by(bytes) : bytes]));

/** Files of which no byte may change unseen. */
export const covered = [...record.files.keys()].filter((name) => !later.includes(name));
