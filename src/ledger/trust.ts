/** Trust: a checkpoint is believed where a log of the verifier's policy signed it, and as many witnesses as it demands. */
import { type CheckSignature, type Sha256, sameBytes, toBase64, toHex, utf8 } from "../core/bytes.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { type Note, type NoteSignature, parseNote } from "./note.ts";
import type { Policy } from "./policy.ts";
import { mayVerify, type VerifierKey } from "./verifier-key.ts";

/** A checkpoint that a log signed, and the witnesses whose cosignatures under it verified. */
export type OpenedCheckpoint = {
  readonly checkpoint: Checkpoint;
  readonly log: VerifierKey;
  /** Their names in the policy, each once, in the policy's order. */
  readonly witnesses: readonly string[];
};

/**
 * Opens a signed checkpoint under a policy (C2SP signed-note, tlog-checkpoint, tlog-cosignature). Signatures of unknown
 * keys are ignored; each of a known (name, id) must verify. Refuses NoteMalformed, CheckpointMalformed, OriginUntrusted,
 * KeyAmbiguous, SignatureInvalid, SignatureMissing. Whether the witnesses are enough is demandQuorum's question.
 */
export async function openCheckpoint(
  noteText: string,
  policy: Policy,
  check: CheckSignature,
  sha256: Sha256,
  place: Place,
): Promise<OpenedCheckpoint> {
  const note = parseNote(noteText, place);
  const checkpoint = parseCheckpoint(note.text, place);
  demandEmptyRoot(checkpoint, sha256, place);
  const logs = policy.logs.filter(({ name }) => name === checkpoint.origin);
  if (logs.length === 0) {
    const known = [...new Set(policy.logs.map(({ name }) => name))];
    refuse("OriginUntrusted", { place, found: checkpoint.origin, known });
  }
  const verified = await verifiedKeys(note, policy, check, place);
  const log = logs.find((key) => verified.has(key));
  if (log === undefined) {
    const present = note.signatures.map(({ name, id }) => `${name}+${id}`);
    return refuse("SignatureMissing", {
      place,
      origin: checkpoint.origin,
      present,
      known: logs.map(({ name, id }) => `${name}+${id}`),
    });
  }
  const witnesses = [...policy.witnesses].filter(([, key]) => verified.has(key)).map(([name]) => name);
  return { checkpoint, log, witnesses };
}

/** An empty log has one root. */
function demandEmptyRoot({ size, root }: Checkpoint, sha256: Sha256, place: Place): void {
  if (size > 0) return;
  const expected = sha256(new Uint8Array(0));
  if (sameBytes(root, expected)) return;
  refuse("CheckpointMalformed", {
    place,
    subject: "root of an empty tree",
    found: toBase64(root),
    expected: `${toBase64(expected)}, the SHA-256 of nothing`,
  });
}

/** The keys of the policy that signed the note. */
async function verifiedKeys(
  note: Note,
  policy: Policy,
  check: CheckSignature,
  place: Place,
): Promise<ReadonlySet<VerifierKey>> {
  const trusted = [...policy.logs, ...policy.witnesses.values()];
  const verified = new Set<VerifierKey>();
  for (const line of note.signatures) {
    const known = trusted.filter(({ name, id }) => name === line.name && id === line.id);
    if (known.length > 1)
      refuse("KeyAmbiguous", { place, name: line.name, id: line.id, found: known.length });
    const [key] = known;
    if (key === undefined) continue;
    await demandSignature(line, key, note.text, check, place);
    verified.add(key);
  }
  return verified;
}

async function demandSignature(
  { signature }: NoteSignature,
  key: VerifierKey,
  text: string,
  check: CheckSignature,
  place: Place,
): Promise<void> {
  const wrong = (found: string, expected: string): never =>
    refuse("SignatureInvalid", { place, key: `${key.name}+${key.id}`, found, expected });
  const length = key.type === 1 ? 64 : 72;
  if (signature.length !== length) wrong(`${signature.length} bytes`, `${length} bytes`);
  const message = key.type === 1 ? text : cosigned(signature, text);
  if (message === undefined) return wrong("a time of 2^63 seconds or more", "less");
  const bytes = signature.subarray(length - 64);
  if (!mayVerify(key.publicKey, bytes) || !(await check(key.publicKey, utf8(message), bytes)))
    wrong("it does not verify", `a signature of this text under the key ${toHex(key.publicKey)}`);
}

/** What a witness signs (C2SP tlog-cosignature, "Ed25519 signed message"); undefined for a time that it may not write. */
function cosigned(signature: Uint8Array, text: string): string | undefined {
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  return seconds >> 63n === 0n ? `cosignature/v1\ntime ${seconds}\n${text}` : undefined;
}

/** Is the policy's quorum among these witnesses, by their names in the policy? */
export function quorumOf(policy: Policy, witnesses: readonly string[]): boolean {
  const met = new Set(witnesses.filter((name) => policy.witnesses.has(name)));
  // A group stands after its members.
  for (const [name, { k, members }] of policy.groups)
    if (members.filter((member) => met.has(member)).length >= k) met.add(name);
  return policy.quorum === null || met.has(policy.quorum);
}

/** Refuses QuorumUnmet where quorumOf says no. */
export function demandQuorum(policy: Policy, witnesses: readonly string[], place: Place): void {
  const { quorum, groups } = policy;
  if (quorum === null || quorumOf(policy, witnesses)) return;
  const { k, members } = groups.get(quorum) ?? { k: 1, members: [quorum] };
  refuse("QuorumUnmet", { place, quorum, present: witnesses, k, members });
}
