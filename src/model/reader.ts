/** The reader contract: what is under test gets an asked case and bounded tools, and gives an attempt. */
import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { ModelCheckpoint } from "./family.ts";
import type { Given } from "./given-answer.ts";

/** What is asked of every case. */
type AskedBase = {
  readonly id: string;
  readonly repeat: number;
  readonly question: string;
  /** RFC 3339. */
  readonly horizon: string;
  /** The local date of the horizon in the case set's zone. */
  readonly asked_day: string;
  /** What the case may read: tables, their columns and types. */
  readonly tables: AskedTables;
};
export type AskedForecast = AskedBase & { readonly kind: "forecast"; readonly answer: "probability" };
export type AskedDecision = AskedBase & {
  readonly kind: "decision";
  readonly answer: "positions";
  /** The most that the sizes of the weights may add up to. */
  readonly leverage: number;
  /** What it looks back on, RFC 3339; the table of its members, or their list: each null where it has none. */
  readonly window: readonly [since: string, until: string] | null;
  readonly universe: string | null;
  readonly members: readonly string[] | null;
};
/** A case as it is asked. The type has no room for an outcome (law 3). */
export type AskedCase = AskedForecast | AskedDecision;
export type AskedTables = {
  readonly [table: string]: { readonly [column: string]: "string" | "number" | "boolean" };
};

export type ServedRow = {
  readonly ref: string;
  readonly available_at: string;
  readonly body: Readonly<Record<string, string | number | boolean | null>>;
};

/**
 * What a tool answered: the recorded bytes, parsed. `total` stands where `limit`, or a search's `k`, cut the rows; of a
 * search each row has its score.
 */
export type ToolAnswer =
  | {
      readonly ok: true;
      readonly rows?: readonly ServedRow[];
      readonly scores?: readonly number[];
      readonly total?: number;
      readonly truncated?: true;
      readonly n?: number;
      readonly value?: Json;
      readonly groups?: Json;
    }
  | { readonly ok: false; readonly fault: { readonly class: string; readonly message: string } };

export type Tools = { call(tool: string, args: Json): Promise<ToolAnswer> };

/**
 * Tokens, cost in the endpoint's currency, calls of a model and how many were made again; absent is null, not 0.
 * `cached_input_tokens` are among the `input_tokens`: those that the provider had cached.
 */
export type Usage = {
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly model_calls: number | null;
  readonly retries: number | null;
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
  | (Given & { readonly kind: "answer"; readonly usage: Usage | null })
  | { readonly kind: "decline"; readonly reason: string; readonly usage: Usage | null }
  | {
      readonly kind: "fault";
      readonly class: FaultClass;
      readonly message: string;
      readonly usage: Usage | null;
      /** A rule of ours that the ask broke: the case fails. */
      readonly broke?: "ReaderSawLater";
      /** Of an endpoint that takes no key or cannot be reached: no case can be answered, and the run stops, resumably. */
      readonly stops?: true;
    };

/** A try of a model call that was made again: why, the status if one came, how long it took, the wait after it. */
export type Retry = {
  readonly class: FaultClass;
  readonly status: number | null;
  readonly ms: number;
  readonly wait_ms: number;
};

/** One call of a model as a reader made it, tries and all; the host keeps it before the reader goes on. */
export type ModelCall = {
  /** The endpoint's name, the model that was asked for, and the one that the reply names. */
  readonly name: string;
  readonly model: string;
  readonly served: string | null;
  /** Of the request's canonical bytes: what was asked follows from the prompt, the replies and the tools' answers. */
  readonly request: Digest;
  /** The reply as it came, without its credential; "" where none came. */
  readonly reply: string;
  readonly status: number | null;
  /** null: it was answered. */
  readonly class: FaultClass | null;
  readonly retries: readonly Retry[];
  /** Out of the reply cache: nothing was spent, and `usage` is that of the first time. */
  readonly cached: boolean;
  readonly usage: Usage;
  readonly ms: number;
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

/** What the host gives to an instance when it opens it. */
export type Opening = {
  /**
   * Aborted when the time of the case that is being asked is over; the instance gives up then, and its process ends. The time
   * begins when this is first asked for.
   */
  readonly deadline: () => AbortSignal;
  /** Waiting that is none of the case's doing, such as for its turn at an endpoint: its time stands still meanwhile. */
  readonly paused: <T>(work: Promise<T>) => Promise<T>;
  /** Asked before each model call: null, or why the run may spend no more (its attempt is then a `budget` fault). */
  readonly refusal: () => string | null;
  /** Records a model call. */
  readonly record: (call: ModelCall) => void;
};

/**
 * An instance of a reader. It serves one trajectory, or under `process: shared` the trajectories of one (arm, repeat) one
 * after the other. `signal` is the run's: whoever asked it to stop waits until what is in flight has ended.
 */
export interface Reader {
  answer(asked: AskedCase, tools: Tools | null, signal: AbortSignal): Promise<Attempt>;
  /** Ends the instance; a message where it said more than it was asked for, so that its last answer does not stand. */
  end?(): Promise<string | null>;
}

/** What a reader is expected to use for one trajectory; null where nobody knows. */
export type Estimate = {
  readonly model_calls: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly currency: string | null;
};

/** How a reader from outside is reached. */
export type Adapter = "exec" | "module" | "http" | "serve";

/**
 * Where readers come from. `open` is called for each trajectory and its reader serves that one alone: what it read
 * for a later case cannot answer an earlier one. `checkpoint` is null for a reader without a family.
 */
export interface ReaderSource {
  readonly name: string;
  /** Ours: what it throws is a bug. Absent for a reader from outside, whose errors are faults. */
  readonly builtIn?: true;
  /** Absent: built in, or an object of the library's user. */
  readonly adapter?: Adapter;
  /** Files that belong to its identity: name and digest. */
  readonly files?: Readonly<Record<string, Digest>>;
  /** Tables that it reads in every case, where that is known beforehand. */
  readonly tables?: readonly string[];
  /** The family whose checkpoints it runs on, or null. */
  readonly family: string | null;
  /** Of one trajectory. */
  readonly estimate?: Estimate;
  /** Asked before anything is spent, once a checkpoint. */
  identity(checkpoint: ModelCheckpoint | null): ReaderIdentity | Promise<ReaderIdentity>;
  open(checkpoint: ModelCheckpoint | null, opening: Opening): Reader;
  /** Lets go of what it holds. */
  close?(): Promise<void>;
}

/** One of ours: it knows who it is at once, and needs nothing of the host. */
export interface BuiltInSource extends ReaderSource {
  readonly builtIn: true;
  identity(checkpoint: ModelCheckpoint | null): ReaderIdentity;
  open(checkpoint: ModelCheckpoint | null): Reader;
}

export const answered = (probability: number): Attempt => ({ kind: "answer", probability, usage: null });

/** Of the fault `timeout`. */
export const OUT_OF_TIME = "no answer within the case's time";

/** No usage was reported. */
export const noUsage: Usage = {
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  cost: null,
  model_calls: null,
  retries: null,
};
