/** A log as its own key holds it: what it signs of its size and root, and what it signed last, which binds it. */
import { type Sha256, sameBytes, toBase64, utf8 } from "../core/bytes.ts";
import { nodeHashing } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { attempt, type Place, refuse } from "../core/refusal.ts";
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { type Leaf, leafTypes, parseLeaf } from "./leaves.ts";
import { checkSignature, keyId, type Signer } from "./node-signatures.ts";
import { formatNote, parseNote } from "./note.ts";
import { inclusionProof } from "./proof.ts";
import { formatTlogProof } from "./tlog-proof.ts";
import { createTree, leafHashOf, type Tree } from "./tree.ts";
import { openCheckpoint } from "./trust.ts";
import { isKeyName, type VerifierKey, verifierKey } from "./verifier-key.ts";

const { sha256 }: { sha256: Sha256 } = nodeHashing;

/** A private key and the public one under the origin of its log. */
export type LogKey = { readonly signer: Signer; readonly key: VerifierKey };

/** Origin `local/<key id>` where none is given; refuses FieldInvalid for one that isOrigin says no to. */
export function logKeyOf(signer: Signer, origin: string | null): LogKey {
  const name = origin ?? `local/${keyId(signer.publicKey)}`;
  if (!isOrigin(name))
    refuse("FieldInvalid", { place: "origin of a log", field: "origin", found: name, expected: ORIGIN });
  return { signer, key: verifierKey(name, 1, signer.publicKey, sha256) };
}

/** What isOrigin asks for, in words. */
export const ORIGIN = `a name of at most ${limits.nameCharacters} characters, without spaces, plus signs and control characters, that no format reserves`;

/** Can a log have this name? Stricter than C2SP signed-note by the length and by U+007F to U+009F and U+FEFF. */
export function isOrigin(name: string): boolean {
  return (
    isKeyName(name) &&
    !/[\p{Cc}\s]/u.test(name) &&
    name.length <= limits.nameCharacters &&
    attempt(ignore, () => formatCheckpoint({ origin: name, size: 0, root: sha256(utf8("")) })) !== undefined
  );
}

const ignore = () => {};

/** The signed note of a tree's size and root. */
export function signCheckpoint({ signer, key }: LogKey, tree: Tree): string {
  const text = formatCheckpoint({ origin: key.name, size: tree.size(), root: tree.root() });
  return formatNote({
    text,
    signatures: [{ name: key.name, id: key.id, signature: signer.sign(utf8(text)) }],
  });
}

/**
 * The checkpoint that this log's key signed; refuses LedgerOriginMismatch where it was signed under another origin, and
 * what openCheckpoint refuses: cosignatures beside are ignored, another's signature alone is none.
 */
export async function ownCheckpoint(note: string, { key }: LogKey, place: Place): Promise<Checkpoint> {
  const { origin } = parseCheckpoint(parseNote(note, place).text, place);
  if (origin !== key.name) refuse("LedgerOriginMismatch", { place, found: origin, expected: key.name });
  const policy = { logs: [key], witnesses: new Map(), groups: new Map(), quorum: null };
  return (await openCheckpoint(note, policy, checkSignature, sha256, place)).checkpoint;
}

/** Refuses LedgerSplitView where a tree of the signed size has another root. */
export function demandSignedRoot(tree: Tree, signed: Checkpoint, place: Place): void {
  const found = tree.root();
  if (sameBytes(found, signed.root)) return;
  refuse("LedgerSplitView", {
    place,
    size: signed.size,
    found: toBase64(found),
    seen: toBase64(signed.root),
  });
}

/** Refuses LedgerRolledBack where fewer leaves are there than were signed. */
export function demandSignedSize(found: number, seen: number, place: Place): void {
  if (found < seen) refuse("LedgerRolledBack", { place, found, seen });
}

/** A tlog-proof for each index against one signed checkpoint, which is taken for right. Throws RangeError beyond its size. */
export function proofsAgainst(
  note: string,
  size: number,
  leaves: readonly Uint8Array[],
  indexes: readonly number[],
): string[] {
  return indexes.map((index) => {
    if (!Number.isSafeInteger(index) || index < 0 || index >= size)
      throw new RangeError(`index ${index} of a log of ${size} leaves`);
    return formatTlogProof({ index, proof: inclusionProof(leaves, index, size, sha256), checkpoint: note });
  });
}

export const emptyTree = (): Tree => createTree(sha256);

export const hashOfLine = (line: Uint8Array): Uint8Array => leafHashOf(line, sha256);

/** A line as a leaf of any kind; refuses LimitExceeded, NotCanonical, LeafTypeWrong. */
export function leafOf(line: string, place: Place): Leaf {
  const found = Buffer.byteLength(line);
  if (found > limits.entryBytes)
    refuse("LimitExceeded", { place, what: "bytes of a leaf", found, limit: limits.entryBytes });
  return parseLeaf(line, place, leafTypes);
}
