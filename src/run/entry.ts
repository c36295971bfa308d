/** Entries: one line each of a run's record; every one carries the bound that its call passed. */
import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { FaultClass, Usage } from "../model/reader.ts";

/** On every entry. `as_of` ≠ `horizon` fails the case, except in a probe. `prev` is the leaf of the entry before. */
export type Bound = { readonly case: string; readonly horizon: string; readonly as_of: string; readonly view: Digest };

export type EntryBody =
  | { readonly kind: "probe"; readonly name: "presence" | "absence"; readonly args: Json; readonly result: Digest; readonly bytes: number; readonly ms: number }
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
      readonly usage: Usage | null;
    }
  | { readonly kind: "answer"; readonly probability: number; readonly usage: Usage | null; readonly ms: number }
  | { readonly kind: "decline"; readonly reason: string; readonly usage: Usage | null; readonly ms: number }
  | { readonly kind: "fault"; readonly class: FaultClass; readonly message: string; readonly usage: Usage | null; readonly ms: number }
  | { readonly kind: "end"; readonly steps: number };

export type Entry = EntryBody &
  Bound & {
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
