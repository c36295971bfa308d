/** The audit ledger of a workspace, on its disk: one log a key, under a lock that no two processes hold. */
import * as path from "node:path";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger } from "./audit-ledger.ts";
import type { Leaf } from "./leaves.ts";
import { acquireLock } from "./lock.ts";
import {
  appendLeaf,
  type LogPlace,
  type LogState,
  readLeaves,
  readLog,
  readProofs,
  signedSize,
  signPending,
} from "./log-files.ts";
import { keyId, type Signer } from "./node-signatures.ts";
import { demandRunId, runSecrets } from "./run-secrets.ts";
import { leafOf, logKeyOf } from "./signed-log.ts";

export type FolderLedgerOptions = {
  /** The folder that holds `ledgers/`, or will. */
  readonly workspace: string;
  /** Null: leaves are kept in `ledgers/audit/unsigned/`, and nothing is signed. */
  readonly signer: Signer | null;
  /** Of the signed log; null: `local/<key id>`. */
  readonly origin: string | null;
};

/**
 * `ledgers/audit/<key id>/{leaves.jsonl, checkpoint}` and `ledgers/open/<run>/`. Besides what readLog and the lock
 * refuse, every failure of the disk is StorageFailed.
 */
export function folderLedger({ workspace, signer, origin }: FolderLedgerOptions): AuditLedger {
  const ledgers = path.join(workspace, "ledgers");
  const audit = path.join(ledgers, "audit");
  const id = signer === null ? "unsigned" : keyId(signer.publicKey);
  const log: LogPlace = {
    folder: path.join(audit, id),
    key: signer === null ? null : logKeyOf(signer, origin),
  };
  const change = changesOf(log, audit, id);
  return {
    place: log.folder,
    origin: log.key?.key.name ?? null,
    async append(line) {
      leafOf(line, log.folder);
      let index = -1;
      await change((state) => {
        index = state.tree.size();
        return appendLeaf(log, state, line);
      });
      return index;
    },
    async leavesOf(run) {
      demandRunId(run, log.folder);
      const found: { index: number; leaf: Leaf }[] = [];
      const mark = Buffer.from(`"run":"${run}"`);
      for (const { bytes, index } of readLeaves(log))
        if (bytes.includes(mark))
          found.push({ index, leaf: leafOf(bytes.toString(), `${log.folder}/leaves.jsonl:${index + 1}`) });
      return found;
    },
    async prove(indexes) {
      if (log.key === null) return null;
      const size = await signedSize(log);
      if (indexes.some((index) => index >= size)) await change((state) => signPending(log, state));
      return readProofs(log, indexes);
    },
    ...runSecrets(path.join(ledgers, "open")),
  };
}

type Change = (work: (state: LogState) => LogState) => Promise<LogState>;

/** Changes of a log, one after the other here, and under the lock against other processes. */
function changesOf(log: LogPlace, audit: string, id: string): Change {
  let known: LogState | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const change: Change = async (work) => {
    const release = await acquireLock(audit, id, {
      waitMs: limits.lockWaitMs,
      busy: ({ words, next }) => refuse("LedgerBusy", { place: log.folder, holder: words, next }),
    });
    const before = known;
    known = undefined; // until the change is whole, this process knows nothing
    try {
      const after = work(await readLog(log, before));
      known = after;
      return after;
    } finally {
      release();
    }
  };
  return (work) => {
    const turn = last.then(() => change(work));
    last = turn.catch(() => {}); // whoever asked for it is told
    return turn;
  };
}
