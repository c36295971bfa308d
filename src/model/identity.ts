/** The identity of a reader from outside: what it says of itself, filled from the profile, held against its checkpoint. */
import { type Static, Type } from "@sinclair/typebox";
import { type Place, refuse } from "../core/refusal.ts";
import type { ToolSchema } from "../store/tools.ts";
import { type Cutoff, formatCutoff, parseCutoff } from "./cutoff.ts";
import { isFloating, type ModelCheckpoint } from "./family.ts";
import type { ReaderIdentity } from "./reader.ts";

/** No control character, and none that turns the direction of text or cannot be seen. */
const VISIBLE =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$";
const strictly = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 200, pattern: VISIBLE });

/** What a reader, or the profile in its stead, may say; cutoffs as `2024-10:documented`, or `none`. */
export const SaidIdentity = Type.Object(
  {
    name: Type.Optional(text),
    snapshot: Type.Optional(text),
    pretrain_cutoff: Type.Optional(text),
    posttrain_cutoff: Type.Optional(Type.Union([text, Type.Null()])),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    prompt_digest: Type.Optional(text),
    uses_tools: Type.Optional(Type.Boolean()),
  },
  strictly,
);
export type SaidIdentity = Static<typeof SaidIdentity>;

/** What every reader from outside is made of. */
export type OutsideOptions = {
  /** Of the profile: what the reader does not say itself. */
  readonly identity: SaidIdentity;
  readonly temperature: number;
  readonly params: Readonly<Record<string, string>>;
  /** The name of the family that it runs on, or null. */
  readonly family: string | null;
  /** Digests of `reader_files`, by name. */
  readonly files: ReaderFiles;
  readonly tools: { readonly schemas: readonly ToolSchema[]; readonly version: string };
  /** An instance serves one trajectory after the other. */
  readonly shared: boolean;
  /** Words for a person, on stderr. */
  readonly say: (words: string) => void;
};
type ReaderFiles = Readonly<Record<string, `sha256:${string}`>>;

/**
 * What the checkpoint says, over what was said, over what the profile says. Refuses ReaderIdentityMismatch where the reader
 * itself says otherwise than its checkpoint, CutoffInvalid for a cutoff that is none. A field that nobody gives stays undefined: the stamp refuses it
 * (EvalRunStampIncomplete).
 */
export function completeIdentity(
  said: SaidIdentity,
  checkpoint: ModelCheckpoint | null,
  { identity, temperature, params }: Pick<OutsideOptions, "identity" | "temperature" | "params">,
  place: Place,
): ReaderIdentity {
  const own = { ...identity, ...said };
  const { pretrain_cutoff: pretrain, posttrain_cutoff: posttrain } = own;
  demandOrder(
    cutoffOf(pretrain, place, "pretrain_cutoff"),
    cutoffOf(posttrain, place, "posttrain_cutoff"),
    place,
  );
  if (checkpoint === null && own.snapshot !== undefined && isFloating(own.snapshot))
    refuse("EvalCheckpointFloating", { place, snapshot: own.snapshot });
  if (own.prompt_digest !== undefined && !/^(none|sha256:[0-9a-f]{64})$/.test(own.prompt_digest))
    refuse("FieldInvalid", {
      place,
      field: "prompt_digest",
      found: own.prompt_digest,
      expected: "none, or sha256: and 64 digits",
    });
  const routed = checkpoint === null ? {} : identityOf(checkpoint);
  for (const [field, expected] of Object.entries(routed)) {
    const found = said[field as keyof SaidIdentity];
    if (found !== undefined && found !== expected)
      refuse("ReaderIdentityMismatch", { place, field, found: String(found), expected: String(expected) });
  }
  return { temperature, ...own, ...routed, params } as ReaderIdentity;
}

/** What a family's row says of whoever runs on it. */
function identityOf(
  checkpoint: ModelCheckpoint,
): Pick<ReaderIdentity, "snapshot" | "pretrain_cutoff" | "posttrain_cutoff"> {
  const { snapshot, pretrain, posttrain } = checkpoint;
  return {
    snapshot,
    pretrain_cutoff: pretrain === null ? "none" : formatCutoff(pretrain),
    posttrain_cutoff: posttrain === null ? null : formatCutoff(posttrain),
  };
}

const cutoffOf = (said: string | null | undefined, place: Place, field: string): Cutoff | undefined =>
  typeof said === "string" && said !== "none" ? parseCutoff(said, place, field) : undefined;

/** What comes after pretraining does not end before it. */
function demandOrder(pretrain: Cutoff | undefined, posttrain: Cutoff | undefined, place: Place): void {
  if (pretrain === undefined || posttrain === undefined || posttrain.hi >= pretrain.lo) return;
  refuse("CutoffInvalid", {
    place,
    subject: "posttrain_cutoff",
    found: `${formatCutoff(posttrain)}, pretrained until ${formatCutoff(pretrain)}`,
    expected: "an end of post-training that is not before that of pretraining",
  });
}

/** What an identity says, beside its parameters. */
export const identityFields = [
  "name",
  "snapshot",
  "pretrain_cutoff",
  "posttrain_cutoff",
  "temperature",
  "prompt_digest",
  "uses_tools",
] as const;

/** The first field in which an instance is another than the one that was stamped, in words; undefined: none. */
export function identityDrift(stamped: ReaderIdentity, now: ReaderIdentity): string | undefined {
  const field = identityFields.find((name) => stamped[name] !== now[name]);
  return field === undefined
    ? undefined
    : `its ${field} is ${JSON.stringify(now[field] ?? null)}, stamped is ${JSON.stringify(stamped[field] ?? null)}`;
}
