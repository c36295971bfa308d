/** The reader contract: what is under test gets an asked case and bounded tools, and gives an attempt. */
import type { Json } from "../core/canonical.ts";
import type { ModelCheckpoint } from "./family.ts";

/** A case as it is asked. The type has no room for an outcome (law 3). */
export type AskedCase = {
  readonly id: string;
  readonly repeat: number;
  readonly kind: "forecast";
  readonly question: string;
  /** RFC 3339. */
  readonly horizon: string;
  /** The local date of the horizon in the case set's zone. */
  readonly asked_day: string;
  readonly answer: "probability";
};

export type ServedRow = {
  readonly ref: string;
  readonly available_at: string;
  readonly body: Readonly<Record<string, string | number | boolean | null>>;
};

/** What a tool answered: the recorded bytes, parsed. `total` stands where `limit` cut the rows. */
export type ToolAnswer =
  | {
      readonly ok: true;
      readonly rows?: readonly ServedRow[];
      readonly total?: number;
      readonly truncated?: true;
      readonly n?: number;
      readonly value?: Json;
      readonly groups?: Json;
    }
  | { readonly ok: false; readonly fault: { readonly class: string; readonly message: string } };

export type Tools = { call(tool: string, args: Json): Promise<ToolAnswer> };

/** Tokens, cost in the endpoint's currency; absent is null, not 0. */
export type Usage = {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
};

export const faultClasses = [
  "transport",
  "timeout",
  "rate_limit",
  "auth",
  "bad_request",
  "context_window",
  "malformed_output",
  "empty_output",
  "budget",
  "aborted",
  "protocol",
] as const;
export type FaultClass = (typeof faultClasses)[number];

/** Faults are values: never 0.5, and never "wrong". */
export type Attempt =
  | { readonly kind: "answer"; readonly probability: number; readonly usage: Usage | null }
  | { readonly kind: "decline"; readonly reason: string; readonly usage: Usage | null }
  | {
      readonly kind: "fault";
      readonly class: FaultClass;
      readonly message: string;
      readonly usage: Usage | null;
    };

/** Who answers: part of the stamp. `none` for what does not exist; a post-training cutoff may be null (unknown). */
export type ReaderIdentity = {
  readonly name: string;
  readonly snapshot: string;
  readonly pretrain_cutoff: string;
  readonly posttrain_cutoff: string | null;
  readonly temperature: number;
  readonly prompt_digest: string;
  readonly uses_tools: boolean;
  readonly params: Readonly<Record<string, string>>;
};

export interface Reader {
  answer(asked: AskedCase, tools: Tools | null, signal: AbortSignal): Promise<Attempt>;
}

/**
 * Where readers come from. `open` is called for each trajectory and its reader serves that one alone: what it read
 * for a later case cannot answer an earlier one. `checkpoint` is null for a reader without a family.
 */
export interface ReaderSource {
  readonly name: string;
  /** Ours: what it throws is a bug. Absent for a reader from outside, whose errors are faults. */
  readonly builtIn?: true;
  /** Tables that it reads in every case, where that is known beforehand. */
  readonly tables?: readonly string[];
  /** The family whose checkpoints it runs on, or null. */
  readonly family: string | null;
  identity(checkpoint: ModelCheckpoint | null): ReaderIdentity;
  open(checkpoint: ModelCheckpoint | null): Reader;
}

export const answered = (probability: number): Attempt => ({ kind: "answer", probability, usage: null });
