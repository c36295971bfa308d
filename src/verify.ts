/** The small verifier: a run's record against a trust policy, without the engine, the disk or Node; it runs in a browser. */
import type { CheckSignature, Hashing } from "./core/bytes.ts";
import { portableHashing } from "./core/portable-sha256.ts";
import type { Place } from "./core/refusal.ts";
import type { Bundle } from "./replay/bundle.ts";
import { inStages } from "./replay/stage.ts";
import { type Verdict, verdictOf, verifyRecord } from "./replay/verify-record.ts";

export type { CheckSignature, Hashing } from "./core/bytes.ts";
export type { Bundle, BundleFile } from "./replay/bundle.ts";
export { memoryBundle } from "./replay/memory-bundle.ts";
export { type Failure, type StageName, type StageReport, stageNames } from "./replay/stage.ts";
export type { Assurance, Verdict, VerifiedRecord } from "./replay/verify-record.ts";

export type VerifyOptions = {
  /** An Ed25519 check (RFC 8032), such as one made of `crypto.subtle.verify`. Asked only under a policy. */
  readonly checkSignature: CheckSignature;
  /** SHA-256; absent: the portable one. */
  readonly hashing?: Hashing;
  /** What to call the policy in refusals. */
  readonly policyPlace?: Place;
};

/**
 * Verifies the stages `files` to `entries`: that nothing of the record changed since a log of the policy signed it, and that
 * it hangs together. Not that its scores follow from it: that is replay. `policy` holds the bytes of a C2SP tlog-policy;
 * null: the verdict is at best `unauthenticated`. A fault of the bundle is a verdict; what is thrown is a bug.
 */
export async function verify(
  bundle: Bundle,
  policy: Uint8Array | null,
  { checkSignature, hashing = portableHashing, policyPlace = "policy" }: VerifyOptions,
): Promise<Verdict> {
  const trust = policy === null ? null : { bytes: policy, place: policyPlace };
  const staged = await inStages((stages) => verifyRecord(stages, bundle, trust, { hashing, checkSignature }));
  return verdictOf(staged, trust);
}
