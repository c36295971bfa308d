/** Entries: one line each of a run's record; every one carries the bound that its call passed. */
import { canonical, type Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { Given } from "../model/given-answer.ts";
import type { FaultClass, ModelCall, Usage } from "../model/reader.ts";

/** On every entry. `as_of` ≠ `horizon` fails the case, except in a probe. `prev` is the leaf of the entry before. */
export type Bound = {
  readonly case: string;
  readonly horizon: string;
  readonly as_of: string;
  readonly view: Digest;
};

/** A call of a model, tries and all; its body is `{"reply": …}`, the text as it came. */
export type ModelEntry = Omit<ModelCall, "reply"> & {
  readonly kind: "model";
  readonly result: Digest;
  readonly bytes: number;
};

/** A judge's call: what was judged, and its verdict; `value` null is unscored, and `reason` says why. */
export type JudgeEntry = Omit<ModelEntry, "kind"> & {
  readonly kind: "judge";
  readonly args: Json;
  readonly value: number | null;
  readonly reason: string;
};

export type EntryBody =
  | {
      readonly kind: "probe";
      readonly name: "presence" | "absence";
      readonly args: Json;
      readonly result: Digest;
      readonly bytes: number;
      readonly ms: number;
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly args: Json;
      readonly result: Digest;
      readonly bytes: number;
      readonly ms: number;
      /** Digest of the same call answered without the plants. */
      readonly unplanted: Digest;
      /** Whether a door without a bound would have answered with a plant. */
      readonly in_reach: boolean;
      /** How many plants the answer was made from, where there are any: the case has failed. */
      readonly planted?: number;
      readonly usage: Usage | null;
    }
  | ModelEntry
  | JudgeEntry
  | (Given & { readonly kind: "answer"; readonly usage: Usage | null; readonly ms: number })
  | { readonly kind: "decline"; readonly reason: string; readonly usage: Usage | null; readonly ms: number }
  | {
      readonly kind: "fault";
      readonly class: FaultClass;
      readonly message: string;
      readonly usage: Usage | null;
      readonly ms: number;
      /** A rule of ours that the ask broke: the case has failed. */
      readonly broke?: "ReaderSawLater";
    }
  /** How many entries the attempt has, this one included: the one that stands, or one that a crash cut off. */
  | { readonly kind: "end"; readonly steps: number; readonly abandoned?: never }
  | { readonly kind: "end"; readonly abandoned: number; readonly steps?: never };

/** Where an entry stands: in its run by arrival (`seq`), in its trajectory by step, chained by `prev`. */
export type Standing = {
  readonly v: "blindcast.entry/1";
  readonly run: string;
  readonly seq: number;
  readonly at: string;
  readonly arm: string;
  readonly repeat: number;
  readonly attempt: number;
  readonly step: number;
  readonly prev: string;
};

export type Entry = EntryBody & Bound & Standing;

/** Every key of an entry, in the order of canonical JSON, and which of the three parts holds it. */
const keys: readonly (readonly [name: string, part: "body" | "bound" | "standing"])[] = [
  ["abandoned", "body"],
  ["args", "body"],
  ["arm", "standing"],
  ["as_of", "bound"],
  ["at", "standing"],
  ["attempt", "standing"],
  ["broke", "body"],
  ["bytes", "body"],
  ["cached", "body"],
  ["case", "bound"],
  ["class", "body"],
  ["horizon", "bound"],
  ["in_reach", "body"],
  ["kind", "body"],
  ["message", "body"],
  ["model", "body"],
  ["ms", "body"],
  ["name", "body"],
  ["planted", "body"],
  ["positions", "body"],
  ["prev", "standing"],
  ["probability", "body"],
  ["reason", "body"],
  ["repeat", "standing"],
  ["request", "body"],
  ["result", "body"],
  ["retries", "body"],
  ["run", "standing"],
  ["seq", "standing"],
  ["served", "body"],
  ["status", "body"],
  ["step", "standing"],
  ["steps", "body"],
  ["unplanted", "body"],
  ["usage", "body"],
  ["v", "standing"],
  ["value", "body"],
  ["view", "bound"],
];

/** The canonical line of an entry, equal to `canonical({...body, ...bound, ...standing})` by a property test. */
export function entryLine(body: EntryBody, bound: Bound, standing: Standing): string {
  const parts = { body, bound, standing } as unknown as Record<string, Record<string, Json | undefined>>;
  let line = "";
  for (const [name, part] of keys) {
    const value = (parts[part] as Record<string, Json | undefined>)[name];
    if (value === undefined) continue;
    line +=
      (line === "" ? '{"' : ',"') +
      name +
      '":' +
      (typeof value === "number" && Number.isSafeInteger(value) ? String(value + 0) : canonical(value));
  }
  return `${line}}`;
}

/** Entries whose body lies in the pack from the start; a probe's is held back until the run closes. */
export type KeptEntry = Entry & { readonly kind: "tool" | "model" | "judge" };
export const isKept = (entry: Entry): entry is KeptEntry =>
  entry.kind === "tool" || entry.kind === "model" || entry.kind === "judge";
