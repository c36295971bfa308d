/** The audit ledger as a run knows it: leaves that stay, signed where there is a key, and secrets kept until a run closes. */
import type { Leaf } from "./leaves.ts";

/** What a run's plants were drawn from, and the salt of its commitment: 64 hexadecimal digits each. */
export type RunSecret = { readonly secret: string; readonly salt: string };

export interface AuditLedger {
  /** As a person would name it: a folder, or `memory`. */
  readonly place: string;
  /** Under which checkpoints are signed; null: leaves are kept, and nothing is signed. */
  readonly origin: string | null;
  /** Appends a leaf's line; it is on the disk, and under a signed checkpoint, when this resolves with its index. */
  append(line: string): Promise<number>;
  /** The leaves of one run, in the order of their indexes. */
  leavesOf(run: string): Promise<readonly { readonly index: number; readonly leaf: Leaf }[]>;
  /** A tlog-proof for each index, all against the last signed checkpoint; null where nothing is signed. */
  prove(indexes: readonly number[]): Promise<readonly string[] | null>;
  /** Keeps a run's secret outside of every run folder; on the disk when it returns. */
  keepSecret(run: string, secret: RunSecret): void;
  secretOf(run: string): RunSecret | null;
  forgetSecret(run: string): void;
  /** One process at a time writes a run: refuses RunLocked, naming who holds it. Calling what it gives ends the hold. */
  hold(run: string): Promise<() => void>;
}
