/** Readers from outside as the command line names them: `exec:<command>`, `module:<file>`, `http:<endpoint>`. */
import * as path from "node:path";
import { canonical } from "../core/canonical.ts";
import { type Digest, digestOf, sha256Hex } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { readChunks } from "../core/lines.ts";
import { isPath } from "../core/named-file.ts";
import { type Complain, refuse, strict } from "../core/refusal.ts";
import { execReader } from "../model/agent-exec.ts";
import { type Endpoint, endpointIdentity, findEndpoint, loadEndpoint } from "../model/endpoint.ts";
import type { Family } from "../model/family.ts";
import type { Wanted } from "../model/given-answer.ts";
import { httpReader } from "../model/http-reader.ts";
import type { OutsideOptions } from "../model/identity.ts";
import { moduleReader } from "../model/module-reader.ts";
import { timerSleep } from "../model/rate-limit.ts";
import type { ReaderSource } from "../model/reader.ts";
import type { Profile } from "../profile/profile.ts";
import { levelReplyCache } from "../run/reply-cache.ts";
import { offeredToolSet } from "../run/training.ts";
import { cacheFolder } from "./cache-folder.ts";
import { clock } from "./machine.ts";
import { printWords } from "./print.ts";
import { profileFolders } from "./profile-folders.ts";
import { shownPath } from "./shown-path.ts";

export type OutsideName = { readonly adapter: "exec" | "module" | "http"; readonly rest: string };

export type OutsideReader = {
  readonly reader: ReaderSource;
  readonly family: Family | null;
  /** What the run keeps of how a model was asked. */
  readonly artifacts: ReadonlyMap<string, string>;
};

/** null: the name is of a reader that is built in, or of none. */
export function outsideName(name: string): OutsideName | null {
  const [, adapter, rest] = /^(exec|module|http):(.*)$/s.exec(name) ?? [];
  return adapter === undefined ? null : ({ adapter, rest } as OutsideName);
}

export type OutsideChoice = {
  readonly profile: Profile;
  readonly family: Family | null;
  readonly params: Readonly<Record<string, string>>;
  readonly offline: boolean;
  /** What the cases want for an answer. */
  readonly answer: Wanted["answer"];
  /** From where a command is run and files are named: where the words stand, on the command line or in a profile. */
  readonly folder: string;
  /** The run has a split, and so one tool more; absent: it has none. */
  readonly isSplit?: boolean;
};

/** Refuses what can be refused before the reader itself is asked who it is. */
export function outsideReader(
  { adapter, rest }: OutsideName,
  choice: OutsideChoice,
  complain: Complain = strict,
): OutsideReader | undefined {
  const { family } = choice;
  if (rest.trim() === "")
    refuse("ArgumentInvalid", {
      place: "--reader",
      found: `${adapter}:`,
      expected: { exec: "exec:<command>", module: "module:<file>", http: "http:<endpoint>" }[adapter],
    });
  const options = outsideOptions(choice);
  if (adapter === "exec") {
    const { folder } = choice;
    const reader = execReader(rest, { ...options, environment: process.env, folder });
    // Two commands are two readers, whatever they say of themselves: a resumed run is held to its own.
    const words = canonical({ command: rest, folder: shownPath(folder) });
    return { reader, family, artifacts: new Map([[sha256Hex(words), words]]) };
  }
  if (adapter === "module")
    return { reader: moduleReader(path.resolve(choice.folder, rest), options), family, artifacts: new Map() };
  if (choice.offline)
    refuse("ArgumentInvalid", {
      place: "--offline",
      found: `--reader http:${rest}`,
      expected: "a reader that needs no network",
    });
  return httpFrom(rest, choice, options, complain);
}

/** What every reader from outside is made of; `params` are the command line's. */
export function outsideOptions({
  profile,
  family,
  params,
  isSplit = false,
}: Pick<OutsideChoice, "profile" | "family" | "params" | "isSplit">): OutsideOptions {
  return {
    identity: profile.identity,
    temperature: profile.temperature,
    params,
    family: family?.name ?? null,
    files: Object.fromEntries(
      profile.readerFiles.map(({ name, file }) => [
        name,
        digestOfFile(file, `${profile.place}: reader_files: ${name}`),
      ]),
    ),
    tools: offeredToolSet(isSplit),
    shared: profile.process === "shared",
    say: printWords,
  };
}

function digestOfFile(file: string, place: string): Digest {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of readChunks(file, place)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > limits.readerFileBytes)
      refuse("LimitExceeded", { place, what: "bytes", found: bytes, limit: limits.readerFileBytes });
  }
  return digestOf(Buffer.concat(pieces));
}

function httpFrom(
  name: string,
  { profile, family, folder: from, answer }: OutsideChoice,
  options: OutsideOptions,
  complain: Complain,
): OutsideReader | undefined {
  const folders = profileFolders().map((folder) => path.join(folder, "endpoints"));
  const load = (wanted: string, place: string) => {
    const named = isPath(wanted) ? shownPath(path.resolve(from, wanted)) : wanted;
    const file = findEndpoint(named, folders, place);
    return loadEndpoint(file, shownPath(file), complain);
  };
  const endpoint = load(name, "--reader");
  if (endpoint === undefined) return undefined;
  const endpoints = new Map<string, Endpoint>();
  for (const { endpoint: row, place } of family?.checkpoints ?? []) {
    if (row === null || row === endpoint.name || endpoints.has(row)) continue;
    const loaded = load(row, place);
    if (loaded === undefined) return undefined;
    endpoints.set(row, loaded);
  }
  demandCosts([endpoint, ...endpoints.values()], profile);
  const folder = endpoint.cache ? cacheFolder() : null;
  if (endpoint.cache && folder === null)
    refuse("FieldInvalid", {
      place: endpoint.place,
      field: "cache",
      found: "true",
      expected: "false, where neither XDG_CACHE_HOME nor HOME says where to keep replies",
    });
  const cache = folder === null ? null : levelReplyCache(path.join(folder, "replies"));
  const reader = httpReader({
    ...options,
    endpoint,
    endpoints,
    answer,
    seed: profile.seed,
    cache,
    key: (variable) => process.env[variable],
    clock,
    sleep: timerSleep,
  });
  const close = async () => {
    await reader.close?.();
    await cache?.close();
  };
  const texts = [endpoint, ...endpoints.values()].map(endpointIdentity);
  return {
    reader: { ...reader, close },
    family,
    artifacts: new Map(texts.map((text) => [sha256Hex(text), text])),
  };
}

/** A budget of cost needs to know what each costs, all in one currency. */
function demandCosts(asked: readonly Endpoint[], profile: Profile): void {
  for (const each of asked)
    if ((profile.budget?.cost ?? null) !== null && each.cost === null)
      refuse("FieldInvalid", {
        place: each.place,
        field: "cost",
        found: "absent",
        expected: `what a million tokens cost, since ${profile.place} has a budget of cost`,
      });
  const currencies = new Map(asked.map(({ cost, place }) => [cost?.currency, place]));
  currencies.delete(undefined);
  if (currencies.size > 1)
    refuse("FieldInvalid", {
      place: [...currencies.values()].at(-1) as string,
      field: "cost.currency",
      found: [...currencies.keys()].join(" and "),
      expected: "one currency for all endpoints of a run, since costs are summed",
    });
}
