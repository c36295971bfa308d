/** What can be verified of a run without its engine: the stages from `files` to `entries`, and what they establish. */
import type { CheckSignature, Hashing } from "../core/bytes.ts";
import type { Place } from "../core/refusal.ts";
import type { Checkpoint } from "../ledger/checkpoint.ts";
import type { CloseLeaf, OpenLeaf } from "../ledger/leaves.ts";
import { type Policy, parsePolicy } from "../ledger/policy.ts";
import { demandQuorum, type OpenedCheckpoint } from "../ledger/trust.ts";
import { checkInclusion, demandSigned, openProofs, type Proofs, readBothProofs } from "./authenticate.ts";
import { type Bundle, fileIn } from "./bundle.ts";
import { readEntries } from "./entry-chain.ts";
import { CLOSE_PROOF, checkFiles, type Listing } from "./files.ts";
import { type CheckedManifest, checkManifest, type RecordedManifest } from "./manifest.ts";
import type { Failure, Staged, StageReport, Stages } from "./stage.ts";

/** Hash and signature check come in as values: `node:crypto`, a browser's, or both of two that must agree. */
export type VerifyTools = { readonly hashing: Hashing; readonly checkSignature: CheckSignature };

/** The verifier's own policy file, and what to call it. */
export type TrustPolicy = { readonly bytes: Uint8Array; readonly place: Place };

/** Who stands for the record. Null: it is signed, but nobody's policy was asked. */
export type Assurance = "unsigned" | "self-signed" | `witnessed ${number}-of-${number}`;

export type VerifiedRecord = {
  readonly listing: Listing;
  readonly manifest: RecordedManifest;
  readonly open: OpenLeaf;
  readonly close: CloseLeaf;
  /** Null where the run is unsigned. Believed only where there was a policy. */
  readonly checkpoint: Checkpoint | null;
  readonly assurance: Assurance | null;
  /** The policy's names of the witnesses whose cosignatures verified. */
  readonly witnesses: readonly string[];
};

/**
 * Runs the stages `files` to `entries`. Without a policy (null) the stages that need one are skipped; what a signed run
 * holds must agree with itself all the same.
 */
export async function verifyRecord(
  stages: Stages,
  bundle: Bundle,
  policy: TrustPolicy | null,
  tools: VerifyTools,
): Promise<VerifiedRecord> {
  const { hashing } = tools;
  const listing = await stages.run("files", () => checkFiles(bundle));
  const trust = await trusted(stages, bundle, listing, policy, tools);
  const { proofs, opened } = trust;
  stages.skip("state", "no earlier checkpoint was given to compare with");
  const leaves = await stages.run(
    "inclusion",
    () => checkInclusion(bundle, proofs, hashing),
    proofs === null ? "the run is unsigned: its leaves were read, and no signed tree holds them" : undefined,
  );
  const origin = proofs === null ? null : proofs.close.parsed.origin;
  const checked = await stages.run("manifest", () =>
    checkManifest(bundle, listing, { ...leaves, origin }, hashing),
  );
  await checkEntries(stages, bundle, listing, checked, leaves.close, hashing);
  return {
    listing,
    manifest: checked.manifest,
    ...leaves,
    checkpoint: proofs === null ? null : proofs.close.parsed,
    assurance: assuranceOf(proofs, trust.policy, opened),
    witnesses: opened === null ? [] : opened.witnesses,
  };
}

type Trust = {
  readonly policy: Policy | null;
  readonly proofs: Proofs | null;
  readonly opened: OpenedCheckpoint | null;
};

/** Stages `policy` to `quorum`. */
async function trusted(
  stages: Stages,
  bundle: Bundle,
  { signed }: Listing,
  given: TrustPolicy | null,
  { hashing, checkSignature }: VerifyTools,
): Promise<Trust> {
  const policy =
    given === null
      ? null
      : await stages.run("policy", () => parsePolicy(given.bytes, given.place, hashing.sha256));
  if (policy === null) stages.skip("policy", NO_POLICY);
  const proofs = signed ? await stages.run("note", () => readBothProofs(bundle)) : null;
  if (proofs === null) stages.skip("note", "the run is unsigned");
  if (policy === null) {
    stages.skip("signature", NO_POLICY);
    stages.skip("quorum", NO_POLICY);
    return { policy, proofs, opened: null };
  }
  const opened = await stages.run("signature", () =>
    proofs === null ? demandSigned(bundle, policy) : openProofs(proofs, policy, checkSignature, hashing),
  );
  await stages.run("quorum", () => demandQuorum(policy, opened.witnesses, fileIn(bundle, CLOSE_PROOF)));
  return { policy, proofs, opened };
}

const NO_POLICY = "no trust policy was given";

async function checkEntries(
  stages: Stages,
  bundle: Bundle,
  listing: Listing,
  checked: CheckedManifest,
  close: CloseLeaf,
  hashing: Hashing,
): Promise<void> {
  const { fault } = await stages.run("root", () => readEntries(bundle, listing, checked, close, hashing));
  await stages.run("entries", () => {
    if (fault !== null) throw fault;
  });
}

function assuranceOf(
  proofs: Proofs | null,
  policy: Policy | null,
  opened: OpenedCheckpoint | null,
): Assurance | null {
  if (proofs === null) return "unsigned";
  if (policy === null || opened === null) return null;
  if (opened.witnesses.length === 0) return "self-signed";
  return `witnessed ${opened.witnesses.length}-of-${policy.witnesses.size}`;
}

/** `unauthenticated`: all agrees, and nobody who is trusted stands for it. */
export type Verdict = {
  readonly verdict: "verified" | "unauthenticated" | "failed";
  readonly stages: readonly StageReport[];
  readonly failure: Failure | null;
  /** Null where it failed, and where it is signed but no policy was given. */
  readonly assurance: Assurance | null;
  /** Null exactly where it failed. */
  readonly record: VerifiedRecord | null;
};

/** The verdict over stages that end with a record: those of `verify`, or all. */
export function verdictOf(
  { stages, failure, value: record }: Staged<VerifiedRecord>,
  policy: TrustPolicy | null,
): Verdict {
  if (record === null) return { verdict: "failed", stages, failure, assurance: null, record };
  const verdict = policy === null ? "unauthenticated" : "verified";
  return { verdict, stages, failure, assurance: record.assurance, record };
}
