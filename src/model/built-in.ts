/** The built-in readers: deterministic, without network; each exact enough that anyone can recompute it. */
import { refuse } from "../core/refusal.ts";
import { formatCutoff } from "./cutoff.ts";
import type { ModelCheckpoint } from "./family.ts";
import type { Memory } from "./memory.ts";
import {
  type AskedCase,
  type Attempt,
  answered,
  type BuiltInSource,
  type Reader,
  type ReaderIdentity,
  type Tools,
} from "./reader.ts";
import { climatology } from "./readers/climatology.ts";
import { persistence } from "./readers/persistence.ts";
import { type ReaderContext, ToolFault, tableReads } from "./readers/table-reads.ts";

export const builtInNames = [
  "always:<p>",
  "climatology",
  "persistence",
  "recall:<family>",
  "question-only",
] as const;
/** Readers from outside, as the command line names them. */
const outsideNames = ["exec:<command>", "module:<file>", "http:<endpoint>"] as const;

export type BuiltInOptions = {
  readonly context: ReaderContext;
  readonly params: Readonly<Record<string, string>>;
  readonly temperature: number;
  /** Of `recall:<family>`: each snapshot's memory. */
  readonly memories: ReadonlyMap<string, Memory>;
};

/** The family that a reader's name asks for: `recall:<family>`. */
export function familyOf(reader: string): string | null {
  return reader.startsWith("recall:") ? reader.slice("recall:".length) : null;
}

/** The reader that `--reader` names; refuses an unknown one, and parameters that it does not take. */
export function builtInReader(name: string, options: BuiltInOptions): BuiltInSource {
  const { context, params } = options;
  if (!isKnown(name))
    return refuse("ReaderUnknown", {
      place: "--reader",
      found: name,
      known: [...builtInNames, ...outsideNames],
    });
  const takes =
    name === "climatology" || name === "persistence" || name.startsWith("recall:") ? ["table", "event"] : [];
  const unknown = Object.keys(params).find((key) => !takes.includes(key));
  if (unknown !== undefined) {
    refuse("ArgumentInvalid", {
      place: "--param",
      found: `${unknown}=${params[unknown]}`,
      expected:
        takes.length === 0 ? `no parameter for ${name}` : `a parameter of ${name}: ${takes.join(", ")}`,
    });
  }
  if (name === "question-only") return withoutFamily(name, options, [], async () => answered(0.5));
  if (name === "climatology") {
    const reads = tableReads(name, context, params);
    return withoutFamily(name, options, [reads.table], async (asked, tools) =>
      answered(await climatology(asked, reads, tools)),
    );
  }
  if (name === "persistence") {
    const reads = tableReads(name, context, params);
    return withoutFamily(name, options, [reads.table], async (_, tools) =>
      answered(await persistence(reads, tools)),
    );
  }
  if (name.startsWith("always:")) {
    const probability = constantOf(name);
    return withoutFamily(name, options, [], async () => answered(probability));
  }
  return recall(name, options);
}

const isKnown = (name: string) =>
  builtInNames.some((known) =>
    known.endsWith(">") ? name.startsWith(known.slice(0, known.indexOf("<"))) : name === known,
  );

function constantOf(name: string): number {
  const text = name.slice("always:".length);
  const value = /^(0|1|0?\.\d+|[01]\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1))
    refuse("ReaderUnknown", { place: "--reader", found: name, known: ["always:<p> with p from 0 to 1"] });
  return value;
}

type Answer = (asked: AskedCase, tools: Tools) => Promise<Attempt>;

function withoutFamily(
  name: string,
  options: BuiltInOptions,
  tables: readonly string[],
  answer: Answer,
): BuiltInSource {
  const identity: ReaderIdentity = {
    name,
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: options.temperature,
    prompt_digest: "none",
    uses_tools: tables.length > 0,
    params: options.params,
  };
  return {
    name,
    builtIn: true,
    tables,
    family: null,
    identity: () => identity,
    open: () => readerOf(answer),
  };
}

/** Answers from a memory that ends at the checkpoint's cutoff, with no call made; else as climatology does. */
function recall(name: string, options: BuiltInOptions): BuiltInSource {
  const reads = tableReads("climatology", options.context, options.params);
  return {
    name,
    builtIn: true,
    tables: [reads.table],
    family: familyOf(name),
    identity: (checkpoint) => ({
      name,
      snapshot: checkpoint?.snapshot ?? "none",
      pretrain_cutoff: checkpoint?.pretrain == null ? "none" : formatCutoff(checkpoint.pretrain),
      posttrain_cutoff: checkpoint?.posttrain == null ? null : formatCutoff(checkpoint.posttrain),
      temperature: options.temperature,
      prompt_digest: "none",
      uses_tools: true,
      params: options.params,
    }),
    open: (checkpoint) =>
      readerOf(async (asked, tools) => {
        const remembered = options.memories.get((checkpoint as ModelCheckpoint).snapshot)?.get(asked.id);
        return answered(remembered ?? (await climatology(asked, reads, tools)));
      }),
  };
}

function readerOf(answer: Answer): Reader {
  return {
    async answer(asked, tools) {
      if (tools === null)
        return { kind: "fault", class: "bad_request", message: "this reader needs tools", usage: null };
      try {
        return await answer(asked, tools);
      } catch (error) {
        if (error instanceof ToolFault)
          return { kind: "fault", class: "bad_request", message: error.message, usage: null };
        throw error;
      }
    },
  };
}
