/** The tool host: every call passes here, is answered by the bounded door, compared, recorded; a violation latches. */
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf } from "../core/digest.ts";
import type { Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { clip } from "../core/words.ts";
import type { ServedRow, Tools } from "../model/reader.ts";
import { type Door, type Reply, replyText } from "../store/door.ts";
import type { PlantedRow } from "../store/overlay.ts";
import { rowCheck } from "./row-check.ts";

/** A call of a reader's met something that it must not: thrown into the reader, and remembered if it is swallowed. */
export class BoundViolation extends Error {
  override name = "BoundViolation";
}

export type ToolCall = {
  readonly name: string;
  readonly args: Json;
  readonly text: string;
  readonly result: Digest;
  readonly unplanted: Digest;
  readonly inReach: boolean;
  /** Plants that the answer was made from: none, of a door that holds. */
  readonly planted: number;
  readonly ms: number;
};

export type HostOptions = {
  readonly door: Door;
  /** The same door without the case's plants; what is staged for the reader it serves as well. */
  readonly bare: Door;
  /** The same door, opened at the instant of one of the case's plants. */
  readonly at: (instant: Instant) => Door;
  readonly horizon: Instant;
  readonly plants: readonly PlantedRow[];
  readonly elapsed: () => number;
  readonly record: (call: ToolCall) => void;
};

/** The reader's tools, and the end of them: a call that comes after its trajectory's end is answered with nothing. */
export function hostTools(options: HostOptions): { readonly tools: Tools; readonly close: () => void } {
  return boundTools(options.horizon, options.plants, (tool, args) => {
    const started = options.elapsed();
    const reply: Reply = args.ok
      ? options.door.call(tool, args.value)
      : { ok: false, fault: { class: "bad_request", message: args.message } };
    const text = replyText(reply);
    const result = digestOf(text);
    const unplanted = args.ok ? unplantedDigest(options.bare, tool, args.value, reply, result) : result;
    const inReach = args.ok && meetsPlant(options, tool, args.value);
    const planted = reply.ok ? reply.planted.length : 0;
    const ms = Math.round(options.elapsed() - started);
    options.record({ name: tool, args: args.value, text, result, unplanted, inReach, planted, ms });
    return { said: JSON.parse(text) as Said, result, unplanted, planted };
  });
}

/** A recorded answer, parsed. */
export type Said = {
  readonly rows?: readonly ServedRow[];
  readonly fault?: { readonly class: string; readonly message: string };
};
/** What one call was answered with, and that by which a violation is seen. */
export type Answered = Pick<ToolCall, "result" | "unplanted" | "planted"> & { readonly said: Said };

/**
 * A reader's tools over answers from anywhere, a door or a record: what is told to the reader, and what ends its
 * trajectory, hangs on what stands in the record and on nothing else. `plants`: those that the reader's door holds.
 */
export function boundTools(
  horizon: Instant,
  plants: readonly { readonly ref: string; readonly digest: string }[],
  answer: (tool: string, args: PlainArguments) => Answered,
): { readonly tools: Tools; readonly close: () => void } {
  const check = rowCheck(horizon, plants);
  let violated: string | null = null;
  let calls = 0;
  let open = true;
  const tools: Tools = {
    async call(named, given) {
      if (violated !== null) throw new BoundViolation(violated);
      if (!open) return { ok: false, fault: { class: "aborted", message: "the trajectory has ended" } };
      if (++calls > limits.calls)
        return { ok: false, fault: { class: "budget", message: `more than ${limits.calls} calls` } };
      const { said, ...call } = answer(toolName(named), plainArguments(given));
      violated = violation(said.rows ?? [], check, call);
      if (violated !== null) throw new BoundViolation(violated);
      return said.fault === undefined ? { ok: true, ...said } : { ok: false, fault: said.fault };
    },
  };
  return {
    tools,
    close: () => {
      open = false;
    },
  };
}

/** Arguments as an entry holds them, and where they could not be taken, why. */
export type PlainArguments =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly value: Json; readonly message: string };

/** What an agent calls a tool, as an entry can hold it; a name that was cut or mended is no tool's. */
function toolName(named: unknown): string {
  return typeof named === "string" ? clip(named, limits.nameCharacters) : "?";
}

/** An agent's arguments as plain JSON that fits an entry; what does not is refused as a value and kept by its digest. */
function plainArguments(given: Json): PlainArguments {
  let text: string;
  try {
    text = canonical([given]).slice(1, -1); // as deep as it will stand in its entry
  } catch (error) {
    return {
      ok: false,
      value: { unreadable: true },
      message: `arguments are not plain JSON: ${error instanceof Error ? clip(error.message, limits.nameCharacters) : "unreadable"}`,
    };
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.argumentBytes) return { ok: true, value: JSON.parse(text) as Json };
  return {
    ok: false,
    value: { bytes, digest: digestOf(text) },
    message: `arguments of ${bytes} bytes, at most ${limits.argumentBytes}`,
  };
}

/** Equal row numbers of one store are equal bytes; only where they differ is the second answer written out. */
function unplantedDigest(bare: Door, tool: string, args: Json, reply: Reply, result: Digest): Digest {
  const other = bare.call(tool, args);
  if (reply.ok && other.ok && reply.rows !== null && other.rows !== null && sameRows(reply.rows, other.rows))
    return result;
  return digestOf(replyText(other));
}

function sameRows(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((row, i) => row >= 0 && row === b[i]);
}

/** Whether a door without a bound would have answered this call with a plant: the call, at each plant's instant. */
function meetsPlant(options: HostOptions, tool: string, args: Json): boolean {
  const { table, tables } = (args ?? {}) as { readonly table?: Json; readonly tables?: Json };
  const named = (plant: PlantedRow) =>
    tool === "search"
      ? tables === undefined || (Array.isArray(tables) && tables.includes(plant.table))
      : plant.table === table;
  return options.plants.some((plant) => {
    if (!named(plant)) return false;
    const reply = options.at(plant.available).call(tool, args);
    return reply.ok && reply.planted.includes(plant);
  });
}

/** What is wrong with an answer, in words: a row from after the horizon, a plant, or any trace of one. */
function violation(
  rows: readonly ServedRow[],
  check: ReturnType<typeof rowCheck>,
  call: Pick<ToolCall, "result" | "unplanted" | "planted">,
): string | null {
  for (const row of rows) {
    const fault = check(row);
    if (fault === "planted") return `served the planted row ${row.ref}, available ${row.available_at}`;
    if (fault === "after-horizon")
      return `served ${row.ref}, available ${row.available_at}, after the horizon`;
  }
  if (call.result !== call.unplanted) return "the answer changes with the case's plants";
  return call.planted > 0 ? "the answer was made from the case's plants" : null;
}
