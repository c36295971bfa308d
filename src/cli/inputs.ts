/** What a verb loads before it calls a spine: the case set, its store, the profile, the family, the reader. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type CaseSet, loadCaseSet } from "../caseset/load.ts";
import type { Lookup } from "../caseset/source.ts";
import { type Complain, refuse, strict } from "../core/refusal.ts";
import { builtInReader, familyOf } from "../model/built-in.ts";
import { type Family, loadFamily } from "../model/family.ts";
import { loadMemories } from "../model/memory.ts";
import type { ReaderSource } from "../model/reader.ts";
import { readerContext } from "../model/readers/table-reads.ts";
import { findFamily, findProfile, loadProfile, type Profile } from "../profile/profile.ts";
import type { Store } from "../store/door.ts";
import { loadStore } from "../store/load-store.ts";
import { cacheFolder } from "./cache-folder.ts";
import { outsideName, outsideReader } from "./outside-reader.ts";
import { profileFolders } from "./profile-folders.ts";
import { packageFolder, shownPath } from "./shown-path.ts";

function lookupFor(folder: string, offline: boolean): Lookup {
  const cache = cacheFolder();
  return {
    folder,
    workingFolder: process.cwd(),
    ownFolder: packageFolder,
    cache: cache === null ? null : path.join(cache, "sources"),
    fetch: offline ? null : download,
  };
}

async function download(url: string): Promise<Uint8Array> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(600_000) });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** The folder itself, else `casesets/<name>` here or among the package's. */
export function findCaseSet(name: string): { folder: string; shown: string } {
  const looked = [name, path.join("casesets", name), path.join(packageFolder, "casesets", name)];
  const found = looked.find((folder) => fs.existsSync(path.join(folder, "caseset.yaml")));
  if (found === undefined)
    refuse("FileUnreadable", {
      place: path.join(name, "caseset.yaml"),
      cause: "no such file, expected the folder of a case set",
    });
  const own = packageFolder + path.sep;
  const shown = found.startsWith(own) ? path.relative(packageFolder, found) : found;
  return { folder: path.resolve(found), shown };
}

export type Inputs = { readonly set: CaseSet; readonly store: Store };

export async function loadInputs(
  name: string,
  offline: boolean,
  complain: Complain = strict,
): Promise<Inputs | undefined> {
  const { folder, shown } = findCaseSet(name);
  const set = loadCaseSet(folder, shown, complain);
  if (set === undefined) return undefined;
  return { set, store: await loadStore(set, lookupFor(folder, offline), complain) };
}

/** Named by the flag, else by the case set, else `default`. */
export function chooseProfile(
  flag: string | undefined,
  set: CaseSet,
  complain: Complain = strict,
): Profile | undefined {
  const folders = profileFolders();
  const file =
    flag === undefined
      ? findProfile(set.onDisk.profile ?? "default", folders, set.placeOf("/profile"))
      : findProfile(flag, folders);
  return loadProfile(file, shownPath(file), folders, complain);
}

export type Chosen = {
  readonly reader: ReaderSource;
  readonly family: Family | null;
  readonly artifacts: ReadonlyMap<string, string>;
};

/** How a reader of a name is made, beside what the profile says. */
export type ReaderFlags = {
  readonly params: Readonly<Record<string, string>>;
  readonly offline: boolean;
  /** The command line names the reader, and not the profile. */
  readonly named: boolean;
  /** The run has a split. */
  readonly isSplit: boolean;
};

/** The reader of a name; `recall:<family>` brings its family and each checkpoint's memory. */
export async function chooseReader(
  name: string,
  inputs: Inputs,
  profile: Profile,
  flags: ReaderFlags,
  complain: Complain = strict,
): Promise<Chosen | undefined> {
  const folders = familyFolders();
  const outside = outsideName(name);
  const folder = flags.named ? process.cwd() : profile.readerFolder;
  if (outside !== null) {
    const family = profile.family === null ? null : namedFamily(profile.family, profile.place, complain);
    return family === undefined
      ? undefined
      : outsideReader(outside, { ...flags, profile, family, folder, answer: answerOf(inputs.set) }, complain);
  }
  const { params } = flags;
  const { temperature } = profile;
  const familyName = familyOf(name);
  const context = readerContext(inputs.set, inputs.store);
  if (familyName === null) {
    // A built-in without checkpoints runs on no family, but what the profile names must be there and right.
    if (profile.family !== null) namedFamily(profile.family, profile.place, complain);
    const reader = builtInReader(name, { context, params, temperature, memories: new Map() });
    return { reader, family: null, artifacts: new Map() };
  }
  const file = findFamily(familyName, folders, "--reader");
  const family = loadFamily(file, shownPath(file), complain);
  if (family === undefined) return undefined;
  const loaded = loadMemories(family, complain);
  const memories = new Map([...loaded].map(([snapshot, { memory }]) => [snapshot, memory]));
  const artifacts = new Map([...loaded.values()].map(({ artifact }) => [artifact.sha256, artifact.text]));
  return { reader: builtInReader(name, { context, params, temperature, memories }), family, artifacts };
}

/** What the cases of a set want for an answer. */
const answerOf = ({ onDisk: { kind } }: CaseSet) => (kind === "decision" ? "positions" : "probability");

const familyFolders = () => profileFolders().map((folder) => path.join(folder, "checkpoints"));

function namedFamily(name: string, place: string, complain: Complain): Family | undefined {
  const file = findFamily(name, familyFolders(), place);
  return loadFamily(file, shownPath(file), complain);
}
