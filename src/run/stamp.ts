/** The run stamp: all that makes two runs two trials; incomplete, it refuses the run before anything is spent. */

import { type ForecastCase, forecastCaseOnDisk } from "../caseset/forecast-case.ts";
import { labelOnDisk } from "../caseset/label.ts";
import type { CaseSet } from "../caseset/load.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf, digestOfJson } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import type { ReaderIdentity, ReaderSource } from "../model/reader.ts";
import type { Store } from "../store/door.ts";
import { toolSchemaVersion } from "../store/tools.ts";
import type { ArmPlan } from "./arms.ts";
import type { Filter } from "./selection.ts";

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
  readonly process: "trajectory";
  readonly filters: readonly Filter[];
  readonly limit: number | null;
  readonly concurrency: number;
};

export type Stamp = { readonly [key: string]: Json };

const identityFields = [
  "name",
  "snapshot",
  "pretrain_cutoff",
  "posttrain_cutoff",
  "temperature",
  "prompt_digest",
  "uses_tools",
  "params",
] as const;

export function makeStamp(
  store: Store,
  cases: readonly ForecastCase[],
  readers: ReaderSource,
  arms: ArmPlan,
  options: RunOptions,
): Stamp {
  return {
    engine: ENGINE_VERSION,
    reader: stampedReader(readers, arms),
    derive_engine: "none",
    embedder: "none",
    judge: "none",
    seed: options.seed,
    repeats: options.repeats,
    bootstrap: options.bootstrap,
    process: options.process,
    profile: digestOfJson(options.profile),
    family: arms.family === null ? "none" : digestOfJson(arms.family.onDisk as unknown as Json),
    tool_schema_version: toolSchemaVersion,
    view: store.view,
    selection: {
      filters: options.filters.map(({ key, value }) => `${key}=${value}`),
      limit: options.limit,
      cases: cases.length,
      digest: digestOf(cases.map((item) => `${item.id}\n`).join("")),
    },
  };
}

/** Who answers, on which checkpoints: the stamp's `reader`. */
export function stampedReader(readers: ReaderSource, arms: ArmPlan): Stamp {
  const checkpoints =
    arms.family === null ? [null] : [...new Set(arms.assignments.map((assignment) => assignment.checkpoint))];
  const identities = checkpoints.map((checkpoint) =>
    checkIdentity(readers.identity(checkpoint), readers.name),
  );
  const snapshots = identities.map(({ snapshot, pretrain_cutoff, posttrain_cutoff }) => ({
    snapshot,
    pretrain_cutoff,
    posttrain_cutoff,
  }));
  const { name, temperature, prompt_digest, uses_tools, params } = identities[0] as ReaderIdentity;
  return {
    name,
    family: readers.family,
    params,
    prompt_digest,
    temperature,
    uses_tools,
    checkpoints: snapshots.sort((a, b) => (a.snapshot < b.snapshot ? -1 : 1)),
  };
}

function checkIdentity(identity: ReaderIdentity, reader: string): ReaderIdentity {
  const missing = identityFields.filter(
    (field) => identity[field] === undefined || (identity[field] === null && field !== "posttrain_cutoff"),
  );
  if (missing.length > 0) {
    const found = identityFields.filter((field) => !missing.includes(field));
    refuse("EvalRunStampIncomplete", { place: `reader ${reader}`, missing, found });
  }
  return identity;
}

/** The digest of a set as loaded: its declaration, each case and label in its one spelling, its tables' view. */
export function caseSetDigest(set: Pick<CaseSet, "onDisk" | "cases" | "labels">, view: Digest): Digest {
  const lines = function* (): Generator<string> {
    for (const item of set.cases) yield canonical(forecastCaseOnDisk(item));
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
