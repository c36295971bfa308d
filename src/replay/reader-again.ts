/** The reader of a record, made again of what the record holds and nothing else; or the reason why it cannot be. */
import { constants } from "node:buffer";
import { strictUtf8 } from "../core/bytes.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { checkZone } from "../core/local-time.ts";
import { isRefusal, type Place, refuse } from "../core/refusal.ts";
import { builtInReader, familyOf } from "../model/built-in.ts";
import type { ModelCheckpoint } from "../model/family.ts";
import { type Memory, parseMemory } from "../model/memory.ts";
import type { ReaderSource } from "../model/reader.ts";
import type { ReaderContext } from "../model/readers/table-reads.ts";
import { identify, stampedReader } from "../run/stamp.ts";
import { fileIn, type RunFiles, wholeFile } from "./bundle.ts";
import { ARTIFACTS, type Listing } from "./files.ts";
import type { RecordedRun } from "./record.ts";

export type ReaderAgain = {
  /** Null: nobody answers again, for the reason. */
  readonly source: ReaderSource | null;
  readonly reason: string | null;
  /** Whether the record has all that this checkpoint answers from. */
  readonly can: (checkpoint: ModelCheckpoint | null) => boolean;
};

/**
 * A built-in reader, if it is the one of the stamp to the last field, and the record has what it answers from. Nothing is
 * guessed: where anything is missing, what was answered is scored as it stands.
 */
export async function readerAgain(
  bundle: RunFiles,
  listing: Listing,
  run: RecordedRun,
): Promise<ReaderAgain> {
  const { name, params, temperature } = run.stamp.reader;
  const ofFamily = familyOf(name) !== null;
  try {
    const memories = ofFamily ? await memoriesOf(bundle, listing, run) : new Map<string, Memory>();
    const source = builtInReader(name, { context: contextOf(run, bundle), params, temperature, memories });
    const stamped = canonical(run.manifest.stamp["reader"] as Json);
    if (stamped !== canonical(stampedReader(source, await identify(source, run.arms))))
      return nobody(`the reader ${JSON.stringify(name)} is stamped as another than the built-in one`);
    return {
      source,
      reason: null,
      can: (checkpoint) => !ofFamily || (checkpoint !== null && memories.has(checkpoint.snapshot)),
    };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const known = isRefusal(error, "ReaderUnknown");
    return nobody(
      known
        ? `the reader ${JSON.stringify(name)} is not built in`
        : `the reader cannot be made again: ${error.message}`,
    );
  }
}

/**
 * A reader that whoever replays has brought. Refuses ReaderFileMismatch where a file of it is not the stamped one; nobody
 * answers where it is another reader, or where the run's instances had served other trajectories before.
 */
export async function givenReader(
  source: ReaderSource | null,
  run: RecordedRun,
  place: Place,
): Promise<ReaderAgain> {
  if (source === null) return nobody("no reader was given to answer again");
  const { adapter, files = {} } = run.stamp.reader;
  for (const [name, found] of Object.entries(source.files ?? {})) {
    if (found === files[name]) continue;
    const other: boolean = adapter !== source.adapter;
    refuse("ReaderFileMismatch", {
      place,
      found,
      expected: other ? `a reader that is ${adapter ?? "built in"}` : listed(files),
      next: other
        ? "leave the file out: only a module's answers can be given again from one"
        : "give the file that the run was made with",
    });
  }
  if (run.stamp.process === "shared")
    return nobody(
      "an instance that was shared answered one case after another, in another order than the record's",
    );
  const stamped = canonical(run.manifest.stamp["reader"] as Json);
  if (
    source.adapter !== undefined &&
    stamped !== canonical(stampedReader(source, await identify(source, run.arms)))
  )
    return nobody("the reader that was given says that it is another than the stamped one");
  return { source, reason: null, can: () => true };
}

const listed = (files: { readonly [name: string]: string }) =>
  Object.entries(files)
    .map(([name, digest]) => `${name} ${digest}`)
    .join(", ");

const nobody = (reason: string): ReaderAgain => ({ source: null, reason, can: () => false });

/** What a reader knows of the case set, as the run kept it. Refuses ZoneUnknown for a zone that this machine lacks. */
function contextOf({ kept }: RecordedRun, bundle: RunFiles): ReaderContext {
  const place = fileIn(bundle, "caseset.json");
  const { declared } = kept;
  const zone = declared.time_zone ?? "UTC";
  const tables = new Map(Object.entries(kept.tables));
  for (const each of [zone, ...[...tables.values()].map((table) => table.zone ?? zone)])
    checkZone(each, place, "time_zone");
  return { zone, tables, readers: declared.readers ?? {}, placeOf: (pointer) => `${place}: ${pointer}` };
}

async function memoriesOf(
  bundle: RunFiles,
  { files }: Listing,
  run: RecordedRun,
): Promise<Map<string, Memory>> {
  const memories = new Map<string, Memory>();
  for (const checkpoint of run.arms.family?.checkpoints ?? []) {
    const file = `${ARTIFACTS}/${checkpoint.artifact?.sha256}`;
    const bytes = files.get(file);
    if (bytes === undefined || bytes > constants.MAX_STRING_LENGTH) continue;
    const text = strictUtf8(await wholeFile(bundle, file, bytes));
    if (text === undefined) continue;
    memories.set(checkpoint.snapshot, parseMemory(text, fileIn(bundle, file), checkpoint));
  }
  return memories;
}
