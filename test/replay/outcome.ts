/** What verifying a written record comes to: with either hash the same, as `verified`, or as the stage and code that ended it. */
import assert from "node:assert/strict";
import { utf8 } from "../../src/core/bytes.ts";
import { nodeHashing } from "../../src/core/digest.ts";
import { checkSignature } from "../../src/ledger/node-signatures.ts";
import { type Bundle, memoryBundle, type Verdict, verify } from "../../src/verify.ts";
import { type Files, type RecordPlan, type WrittenRecord, writeRecord } from "../support/record-writer.ts";

export async function verdictOn(bundle: Bundle, policy: Uint8Array | null): Promise<Verdict> {
  const verdict = await verify(bundle, policy, { checkSignature, hashing: nodeHashing });
  assert.deepEqual(await verify(bundle, policy, { checkSignature }), verdict, "the two hashes differ");
  return verdict;
}

export const told = ({ verdict, failure }: Verdict): string =>
  failure === null ? verdict : `${failure.stage} ${failure.code}`;

/** A record as planned, then changed by somebody without its key, against its policy or none. */
export type Attempt = {
  readonly plan?: RecordPlan;
  readonly tamper?: (files: Files) => void;
  readonly policy?: "none" | ((record: WrittenRecord) => Uint8Array);
};

export async function verdictOf({ plan, tamper, policy }: Attempt): Promise<Verdict> {
  const record = writeRecord(plan);
  tamper?.(record.files);
  const bytes = policy === "none" ? null : policy === undefined ? record.policy : policy(record);
  return verdictOn(memoryBundle(record.files, "run"), bytes);
}

/** One line of a table: what is refused, at which stage with which code, and the nearest that is not. */
export type Pair = {
  readonly name: string;
  readonly bad: Attempt;
  readonly expected: string;
  /** What the one line of the refusal says. */
  readonly says?: RegExp;
  readonly good: Attempt;
  /** What the neighbour comes to; absent: verified. */
  readonly neighbour?: string;
};

export async function demandPair({
  name,
  bad,
  expected,
  says,
  good,
  neighbour = "verified",
}: Pair): Promise<void> {
  const verdict = await verdictOf(bad);
  assert.equal(told(verdict), expected, `${name}: ${verdict.failure?.message}`);
  if (says !== undefined) assert.match(verdict.failure?.message ?? "", says, name);
  assert.equal(verdict.stages.at(-1)?.state, "failed", name);
  const accepted = await verdictOf(good);
  assert.equal(told(accepted), neighbour, `${name}: the neighbour: ${accepted.failure?.message}`);
}

/** Changes a text file of the record. */
export const edit = (name: string, by: (text: string) => string) => (files: Files) => {
  const bytes = files.get(name);
  assert.ok(bytes !== undefined, `${name} is there`);
  const before = new TextDecoder().decode(bytes);
  const after = by(before);
  assert.notEqual(after, before, `${name} was not changed`);
  files.set(name, utf8(after));
};
export const replace = (name: string, from: string | RegExp, to: string) =>
  edit(name, (text) => text.replace(from, to));
