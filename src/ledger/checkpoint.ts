/** C2SP tlog-checkpoint, without extension lines: what a log signs of itself, its size and root at one time. */
import { fromBase64, toBase64 } from "../core/bytes.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { controlIn } from "./verifier-key.ts";

/** `ledger.example/a\n2\nGkrUtbi4mHjMteztmmPy/nFtXjakTyvzwCx5RQ7BXQY=\n` */
export type Checkpoint = {
  /** The log's name, one line. */
  readonly origin: string;
  /** Leaves, a safe integer. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
};

/** Texts that other signatures of the same keys begin with: a log of such a name could be made to sign one of them. */
const RESERVED = /^(cosignature\/v1|subtree\/v1)$|^(SSHSIG|DSSEv1)/;

/** Reads a note's text; refuses CheckpointMalformed for every text that formatCheckpoint would not write. */
export function parseCheckpoint(text: string, place: Place): Checkpoint {
  const lines = text.split("\n");
  if (lines.length !== 4 || lines[3] !== "")
    malformed(place, "checkpoint", text, "exactly 3 lines: origin, size, root");
  const [origin, size, root] = lines as [string, string, string];
  if (origin === "" || !origin.isWellFormed() || controlIn(origin) !== undefined)
    malformed(place, "origin", origin, "a name without control characters");
  if (RESERVED.test(origin)) malformed(place, "origin", origin, "a name that is not reserved");
  const bytes = fromBase64(root);
  if (bytes?.length !== 32) return malformed(place, "root", root, "base64 of 32 bytes (RFC 4648, padded)");
  return { origin, size: parseCount(size) ?? malformed(place, "size", size, COUNT), root: bytes };
}

function malformed(place: Place, subject: string, found: string, expected: string): never {
  return refuse("CheckpointMalformed", { place, subject, found, expected });
}

/** The one spelling of a checkpoint. What none can hold is refused as CheckpointMalformed before it is written. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  const text = `${origin}\n${size}\n${toBase64(root)}\n`;
  parseCheckpoint(text, "a checkpoint that is written");
  return text;
}

/** What parseCount reads, in words. */
export const COUNT = "decimal digits without leading zeros, below 2^53";

/** A size or an index of a log as text; undefined for any other spelling, and from 2^53 on. */
export function parseCount(text: string): number | undefined {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}
