/** Stages `note` to `inclusion`: both leaves of a run under one checkpoint, and that checkpoint under the verifier's policy. */
import { type CheckSignature, type Hashing, strictUtf8, toBase64, utf8 } from "../core/bytes.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { type Checkpoint, parseCheckpoint } from "../ledger/checkpoint.ts";
import { type CloseLeaf, type OpenLeaf, parseLeaf } from "../ledger/leaves.ts";
import { parseNote } from "../ledger/note.ts";
import type { Policy } from "../ledger/policy.ts";
import { provesInclusion } from "../ledger/proof.ts";
import { parseTlogProof, type TlogProof } from "../ledger/tlog-proof.ts";
import { leafHashOf } from "../ledger/tree.ts";
import { type OpenedCheckpoint, openCheckpoint } from "../ledger/trust.ts";
import { type Bundle, fileIn, wholeFile } from "./bundle.ts";
import { CLOSE_LEAF, CLOSE_PROOF, limitOf, OPEN_LEAF, OPEN_PROOF } from "./files.ts";

/** A proof and the checkpoint in it, both parsed, neither believed. */
export type ReadProof = TlogProof & { readonly parsed: Checkpoint; readonly place: Place };
export type Proofs = { readonly open: ReadProof; readonly close: ReadProof };

/** Stage `note`. Refuses ProofMalformed, NoteMalformed, CheckpointMalformed. */
export async function readBothProofs(bundle: Bundle): Promise<Proofs> {
  return { open: await readProof(bundle, OPEN_PROOF), close: await readProof(bundle, CLOSE_PROOF) };
}

async function readProof(bundle: Bundle, name: string): Promise<ReadProof> {
  const place = fileIn(bundle, name);
  const text = strictUtf8(await wholeFile(bundle, name, limitOf(name)));
  if (text === undefined)
    return refuse("ProofMalformed", {
      place,
      subject: "proof",
      found: "bytes that are not UTF-8",
      expected: "UTF-8",
    });
  const proof = parseTlogProof(text, place);
  return { ...proof, parsed: parseCheckpoint(parseNote(proof.checkpoint, place).text, place), place };
}

/** Stage `signature`: the checkpoint opened under the policy. Should the two proofs hold different ones, both must open. */
export async function openProofs(
  { open, close }: Proofs,
  policy: Policy,
  check: CheckSignature,
  hashing: Hashing,
): Promise<OpenedCheckpoint> {
  const opened = await openCheckpoint(close.checkpoint, policy, check, hashing.sha256, close.place);
  if (open.checkpoint !== close.checkpoint)
    await openCheckpoint(open.checkpoint, policy, check, hashing.sha256, open.place);
  return opened;
}

/** With a policy, a run that is not signed has nothing to be believed by. Refuses SignatureMissing. */
export function demandSigned(bundle: Bundle, policy: Policy): never {
  const known = policy.logs.map(({ name, id }) => `${name}+${id}`);
  return refuse("SignatureMissing", { place: bundle.place, origin: "", present: [], known });
}

export type Leaves = { readonly open: OpenLeaf; readonly close: CloseLeaf };

/**
 * Stage `inclusion`: the leaves read, and, where there are proofs, both in the tree of one checkpoint, open before close.
 * Refuses NotCanonical, LeafTypeWrong, CheckpointsDiffer, InclusionInvalid, OpenNotBeforeClose.
 */
export async function checkInclusion(
  bundle: Bundle,
  proofs: Proofs | null,
  hashing: Hashing,
): Promise<Leaves> {
  const openLine = await leafLineOf(bundle, OPEN_LEAF);
  const closeLine = await leafLineOf(bundle, CLOSE_LEAF);
  const open = parseLeaf(openLine, fileIn(bundle, OPEN_LEAF), ["blindcast.open/1"]);
  const close = parseLeaf(closeLine, fileIn(bundle, CLOSE_LEAF), ["blindcast.close/1"]);
  if (proofs === null) return { open, close };
  if (proofs.open.checkpoint !== proofs.close.checkpoint)
    refuse("CheckpointsDiffer", {
      place: proofs.close.place,
      found: summary(proofs.close),
      expected: summary(proofs.open),
    });
  demandInclusion(openLine, proofs.open, hashing);
  demandInclusion(closeLine, proofs.close, hashing);
  if (proofs.open.index >= proofs.close.index)
    refuse("OpenNotBeforeClose", {
      place: proofs.open.place,
      open: proofs.open.index,
      close: proofs.close.index,
    });
  return { open, close };
}

const summary = ({ parsed: { origin, size, root } }: ReadProof) =>
  `${origin}, ${size} leaves, root ${toBase64(root)}`;

/** The file is the leaf's line and a newline. */
async function leafLineOf(bundle: Bundle, name: string): Promise<string> {
  const text = strictUtf8(await wholeFile(bundle, name, limitOf(name)));
  if (text?.endsWith("\n")) return text.slice(0, -1);
  const found = text === undefined ? "bytes that are not UTF-8" : "no newline at the end";
  return refuse("NotCanonical", {
    place: fileIn(bundle, name),
    found,
    expected: "one line, and a newline at its end",
  });
}

function demandInclusion(
  line: string,
  { index, proof, parsed, place }: ReadProof,
  { sha256 }: Hashing,
): void {
  const { size, root } = parsed;
  if (provesInclusion({ index, size, leaf: leafHashOf(utf8(line), sha256), root, proof }, sha256)) return;
  refuse("InclusionInvalid", { place, index, size, root: toBase64(root) });
}
