/** The run stamp: all that makes two runs two trials; incomplete, it refuses the run before anything is spent. */

import { type BoundedCase, caseOnDisk } from "../caseset/bounded-case.ts";
import { labelOnDisk } from "../caseset/label.ts";
import type { CaseSet } from "../caseset/load.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, digestOfJson } from "../core/digest.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import type { Family, ModelCheckpoint } from "../model/family.ts";
import { identityFields } from "../model/identity.ts";
import type { Judge } from "../model/judge.ts";
import type { ReaderIdentity, ReaderSource } from "../model/reader.ts";
import type { Store } from "../store/door.ts";
import type { ArmPlan } from "./arms.ts";
import type { LeakRules } from "./leak-rules.ts";
import type { Filter } from "./selection.ts";
import { offeredToolSet } from "./training.ts";

/** How intervals are drawn. */
export type Bootstrap = {
  readonly resamples: number;
  readonly level: number;
  readonly cluster: "declared" | "none";
};

/** What a profile (or a flag over it) selects, as values. */
export type RunOptions = {
  readonly profile: Json;
  readonly seed: number;
  readonly repeats: number;
  readonly temperature: number;
  readonly bootstrap: Bootstrap;
  readonly process: "trajectory" | "shared";
  /** Of a reader from outside, for one case. */
  readonly deadlineSeconds: number;
  readonly leak: LeakRules;
  /** The most that the sizes of a decision's weights may add up to. */
  readonly leverage: number;
  /** How decisions are carried out: component, digest of its code, parameters, what they are read from; null: not at all. */
  readonly execution: Json | null;
  readonly filters: readonly Filter[];
  readonly limit: number | null;
  readonly concurrency: number;
};

export type Stamp = { readonly [key: string]: Json };

const stampedFields = [...identityFields, "params"] as const;

/** What a stamp is made of. */
export type Stamped = {
  readonly store: Pick<Store, "view">;
  readonly cases: readonly BoundedCase[];
  readonly readers: ReaderSource;
  readonly identities: Identities;
  readonly family: Family | null;
  readonly options: RunOptions;
  readonly judge: Judge | null;
  /** Of the index by which entities are found in texts; null: nobody looks for any. */
  readonly entities: Digest | null;
  /** How cases are split; absent: not at all. */
  readonly split?: Json;
};

export function makeStamp(stamped: Stamped): Stamp {
  const { store, cases, readers, identities, family, options, judge, entities, split } = stamped;
  return {
    engine: ENGINE_VERSION,
    reader: stampedReader(readers, identities),
    derive_engine: "none",
    embedder: "none",
    judge: judge === null ? "none" : checkIdentity(judge.identity, "judge"),
    ...(entities === null ? {} : { entities }),
    seed: options.seed,
    repeats: options.repeats,
    bootstrap: options.bootstrap,
    process: options.process,
    ...(options.execution === null ? {} : { execution: options.execution }),
    profile: digestOfJson(options.profile),
    family: family === null ? "none" : digestOfJson(family.onDisk as unknown as Json),
    ...(split === undefined ? {} : { split }),
    tool_schema_version: offeredToolSet(split !== undefined).version,
    view: store.view,
    selection: {
      filters: options.filters.map(({ key, value }) => `${key}=${value}`),
      limit: options.limit,
      cases: cases.length,
      digest: digestOf(cases.map((item) => `${item.id}\n`).join("")),
    },
  };
}

/** Who answers on each checkpoint that the plan asks; null is the one without a family. */
export type Identities = ReadonlyMap<ModelCheckpoint | null, ReaderIdentity>;

/** Asks the reader who it is, once a checkpoint; refuses EvalRunStampIncomplete, and what the reader's adapter refuses. */
export async function identify(readers: ReaderSource, arms: ArmPlan): Promise<Identities> {
  const checkpoints =
    arms.family === null ? [null] : [...new Set(arms.assignments.map((assignment) => assignment.checkpoint))];
  const identities = new Map<ModelCheckpoint | null, ReaderIdentity>();
  for (const checkpoint of checkpoints)
    identities.set(checkpoint, checkIdentity(await readers.identity(checkpoint), `reader ${readers.name}`));
  return identities;
}

/** The stamp's `reader`. One from outside also says how it was reached, and its files. */
export function stampedReader(readers: ReaderSource, asked: Identities): Stamp {
  const identities = [...asked.values()];
  const snapshots = identities.map(({ snapshot, pretrain_cutoff, posttrain_cutoff }) => ({
    snapshot,
    pretrain_cutoff,
    posttrain_cutoff,
  }));
  const { name, temperature, prompt_digest, uses_tools, params } = identities[0] as ReaderIdentity;
  const { adapter, files = {} } = readers;
  return {
    ...(adapter === undefined ? {} : { adapter, files }),
    name,
    family: readers.family,
    params,
    prompt_digest,
    temperature,
    uses_tools,
    checkpoints: snapshots.sort((a, b) => (a.snapshot < b.snapshot ? -1 : 1)),
  };
}

function checkIdentity(identity: ReaderIdentity, place: Place): ReaderIdentity {
  const missing = stampedFields.filter(
    (field) => identity[field] === undefined || (identity[field] === null && field !== "posttrain_cutoff"),
  );
  if (missing.length > 0) {
    const found = stampedFields.filter((field) => !missing.includes(field));
    refuse("EvalRunStampIncomplete", { place, missing, found });
  }
  return identity;
}

/** The digest of a set as loaded: its declaration, each case and label in its one spelling, its tables' view. */
export function caseSetDigest(set: Pick<CaseSet, "onDisk" | "cases" | "labels">, view: Digest): Digest {
  const lines = function* (): Generator<string> {
    for (const item of set.cases) yield canonical(caseOnDisk(item));
    for (const label of set.labels) yield canonical(labelOnDisk(label));
  };
  let chain = digestOfJson({ declared: set.onDisk as unknown as Json, view });
  let pending: string[] = [];
  const fold = () => {
    chain = digestOf(`${chain}\n${pending.join("\n")}`);
    pending = [];
  };
  for (const line of lines()) if (pending.push(line) === 10_000) fold();
  fold();
  return chain;
}
