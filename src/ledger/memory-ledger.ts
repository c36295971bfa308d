/** The audit ledger in memory: for the library and for tests. Nothing of it outlives the process. */
import { assert } from "../core/assert.ts";
import { utf8 } from "../core/bytes.ts";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger, RunSecret } from "./audit-ledger.ts";
import type { Signer } from "./node-signatures.ts";
import { assertSecret, demandRunId } from "./run-secrets.ts";
import { emptyTree, hashOfLine, leafOf, logKeyOf, proofsAgainst, signCheckpoint } from "./signed-log.ts";

export type MemoryLedger = AuditLedger & {
  /** The leaves' lines, in the order of their indexes. */
  readonly leaves: readonly string[];
  /** The last signed note; null where nothing is signed. */
  readonly checkpoint: string | null;
};

/** Without a signer nothing is signed; without an origin it is `local/<key id>`. Refuses as a folder's ledger does. */
export function memoryLedger(
  options: { readonly signer?: Signer | null; readonly origin?: string | null } = {},
): MemoryLedger {
  const key = options.signer == null ? null : logKeyOf(options.signer, options.origin ?? null);
  const leaves: string[] = [];
  const hashes: Uint8Array[] = [];
  const tree = emptyTree();
  const secrets = new Map<string, RunSecret>();
  const held = new Map<string, object>();
  let checkpoint = key === null ? null : signCheckpoint(key, tree);
  const place = "memory";
  return {
    place,
    origin: key?.key.name ?? null,
    leaves,
    get checkpoint() {
      return checkpoint;
    },
    async append(line) {
      leafOf(line, place);
      const hash = hashOfLine(utf8(line));
      tree.append(hash);
      hashes.push(hash);
      if (key !== null) checkpoint = signCheckpoint(key, tree);
      return leaves.push(line) - 1;
    },
    async leavesOf(run) {
      demandRunId(run, place);
      return leaves
        .map((line, index) => ({ index, leaf: leafOf(line, place) }))
        .filter(({ leaf }) => leaf.run === run);
    },
    async prove(indexes) {
      return checkpoint === null ? null : proofsAgainst(checkpoint, leaves.length, hashes, indexes);
    },
    keepSecret(run, secret) {
      demandRunId(run, place);
      assertSecret(secret);
      assert(!secrets.has(run), `the secret of run ${run} is kept once`);
      secrets.set(run, secret);
    },
    secretOf(run) {
      demandRunId(run, place);
      return secrets.get(run) ?? null;
    },
    forgetSecret(run) {
      demandRunId(run, place);
      secrets.delete(run);
    },
    async hold(run) {
      demandRunId(run, place);
      if (held.has(run)) {
        const next = "wait until that run has ended";
        refuse("RunLocked", { place, run, holder: "this process", next });
      }
      const hold = {};
      held.set(run, hold);
      return () => {
        if (held.get(run) === hold) held.delete(run);
      };
    },
  };
}
