/** Instances of the reader: a new one for each trajectory, or under `process: shared` one for each (arm, repeat). */
import { formatInstant, type Instant } from "../core/instant.ts";
import type { ModelCheckpoint } from "../model/family.ts";
import type { AskedCase, Attempt, ModelCall, Opening, Reader, Tools } from "../model/reader.ts";
import { ask, askInstance } from "./ask.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { RunOptions } from "./stamp.ts";
import type { World } from "./world.ts";

/** One ask: the question, the tools, where the model calls go. */
export type Ask = {
  readonly checkpoint: ModelCheckpoint | null;
  readonly horizon: Instant;
  readonly asked: AskedCase;
  readonly tools: Tools | null;
  readonly record: (call: ModelCall) => void;
};

export interface Instances {
  ask(ask: Ask): Promise<Attempt>;
  /** Ends what is shared; what it says at its very end comes too late to undo an answer. */
  end(): Promise<void>;
}

type Rules = {
  readonly process: RunOptions["process"];
  readonly seconds: number;
  /** Why no more may be spent, or null. */
  readonly refusal: () => string | null;
};

/** Of one lane: the trajectories that one shared instance of each checkpoint may serve, one after the other. */
export function createInstances(world: World, rules: Rules): Instances {
  return rules.process === "shared" ? sharedInstances(world, rules) : ownInstances(world, rules);
}

function ownInstances(world: World, rules: Rules): Instances {
  return {
    async ask({ checkpoint, asked, tools, record }) {
      const { opening, end } = openingOf(world, rules);
      opening.record = record;
      try {
        return await ask(world, checkpoint, { asked, tools, opening });
      } finally {
        opening.record = drop;
        end();
      }
    },
    end: async () => {},
  };
}

/** Built-ins end by themselves, in no time that anyone would wait for. */
function openingOf(world: World, { seconds, refusal }: Rules) {
  const { signal, paused, end } =
    world.readers.builtIn === true ? NEVER : createDeadline(seconds, world.clock.elapsed);
  const opening: Writable<Opening> = { deadline: signal, paused, refusal, record: drop };
  return { opening, end };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
const endless = new AbortController().signal;
const NEVER: Deadline = { signal: () => endless, paused: (work) => work, end: () => {} };
/** A call that comes after its trajectory's end. */
const drop = () => {};

type Shared = { readonly reader: Reader; readonly opening: Writable<Opening>; served: Instant };

/** Law of the shared process: it is never asked about an earlier horizon than one that it was asked about before. */
function sharedInstances(world: World, rules: Rules): Instances {
  const instances = new Map<ModelCheckpoint | null, Shared>();
  return {
    async ask({ checkpoint, horizon, asked, tools, record }) {
      const { opening, end } = openingOf(world, rules);
      let shared = instances.get(checkpoint);
      if (shared === undefined) {
        shared = { reader: world.readers.open(checkpoint, opening), opening, served: horizon };
        instances.set(checkpoint, shared);
      }
      if (horizon < shared.served) {
        end();
        return sawLater(shared.served);
      }
      shared.served = horizon;
      Object.assign(shared.opening, opening, { record });
      try {
        return await askInstance(world, shared.reader, { asked, tools, opening: shared.opening });
      } finally {
        shared.opening.record = drop;
        end();
      }
    },
    async end() {
      for (const { reader } of instances.values()) await reader.end?.();
      instances.clear();
    },
  };
}

const sawLater = (served: Instant): Attempt => ({
  kind: "fault",
  class: "aborted",
  message: `ReaderSawLater: this process was asked about the horizon ${formatInstant(served)} before`,
  usage: null,
  broke: "ReaderSawLater",
});
