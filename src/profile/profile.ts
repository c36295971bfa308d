/** Profiles: what an application selects; every name is resolved and every key checked before anything runs. */
import * as path from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../core/canonical.ts";
import { contract } from "../core/contract.ts";
import { limits } from "../core/limits.ts";
import { isPath, lookFor } from "../core/named-file.ts";
import { type Complain, type Place, refuse, strict } from "../core/refusal.ts";
import { fit, type PlaceOf } from "../core/schema.ts";
import { readYaml } from "../core/yaml.ts";
import { SaidIdentity } from "../model/identity.ts";
import type { Budget } from "../run/budget.ts";
import { type LeakKeys, type LeakRules, leakKeys, leakRules } from "../run/leak-rules.ts";
import type { RunOptions } from "../run/stamp.ts";
import { type Waiver, WaiverList } from "./delisting-arm.ts";
import { ExecutionOnDisk, type ExecutionTerms, executionOnDisk, executionTerms } from "./execution.ts";
import { ReturnsOnDisk, type ReturnsTerms, returnsOnDisk, returnsTerms } from "./returns.ts";
import { UniverseOnDisk, type UniverseTerms } from "./universe.ts";

const strictly = { additionalProperties: false } as const;
const seed = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "an integer from 0 to 2^53 - 1",
});

const amount = Type.Number({ minimum: 0, description: "a number from 0" });

/** `profiles/<name>.yaml`. */
export const ProfileOnDisk = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,99}$",
      description: "a name in lower case, with digits and -",
    }),
    extends: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    seed: Type.Optional(seed),
    repeats: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.repeats,
        description: `an integer from 1 to ${limits.repeats}`,
      }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    family: Type.Optional(Type.String()),
    execution: Type.Optional(
      Type.Union([Type.Literal("none"), ExecutionOnDisk], {
        description: "none, or a component with its parameters",
      }),
    ),
    returns: Type.Optional(ReturnsOnDisk),
    universe: Type.Optional(UniverseOnDisk),
    waive: Type.Optional(WaiverList),
    bootstrap: Type.Optional(
      Type.Object(
        {
          resamples: Type.Optional(
            Type.Integer({
              minimum: 100,
              maximum: limits.resamples,
              description: "an integer of at least 100",
            }),
          ),
          level: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0.5,
              exclusiveMaximum: 1,
              description: "a number between 0.5 and 1",
            }),
          ),
          cluster: Type.Optional(
            Type.Union([Type.Literal("declared"), Type.Literal("none")], { description: "declared or none" }),
          ),
        },
        strictly,
      ),
    ),
    process: Type.Optional(
      Type.Union([Type.Literal("trajectory"), Type.Literal("shared")], {
        description: "trajectory or shared",
      }),
    ),
    reader: Type.Optional(Type.String({ minLength: 1, description: "a reader, as after --reader" })),
    reader_files: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: limits.readerFiles })),
    identity: Type.Optional(SaidIdentity),
    deadline_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.deadlineSecondsMost,
        description: `an integer from 1 to ${limits.deadlineSecondsMost}`,
      }),
    ),
    budget: Type.Optional(
      Type.Object(
        { model_calls: Type.Optional(amount), tokens: Type.Optional(amount), cost: Type.Optional(amount) },
        strictly,
      ),
    ),
    confirm_above: Type.Optional(amount),
    ...leakKeys,
  },
  strictly,
);
export type ProfileOnDisk = Static<typeof ProfileOnDisk>;

export type Profile = {
  readonly name: string;
  readonly place: Place;
  /** Where the value at a JSON pointer stands: in the file that says it, of those that extend each other. */
  readonly placeOf: PlaceOf;
  readonly seed: number;
  readonly repeats: number;
  readonly temperature: number;
  readonly family: string | null;
  /** null where the profile does not say: a backtest then refuses. */
  readonly execution: "none" | ExecutionTerms | null;
  /** What returns are measured per; null: none are. */
  readonly returns: ReturnsTerms | null;
  /** Which tables say who the members are, and what became of those that left. */
  readonly universe: UniverseTerms | null;
  /** Rules by which a case would fail, and does not. */
  readonly waive: readonly Waiver[];
  readonly bootstrap: {
    readonly resamples: number;
    readonly level: number;
    readonly cluster: "declared" | "none";
  };
  readonly process: "trajectory" | "shared";
  /** Where no flag names one. */
  readonly reader: string | null;
  /** From where that one names its files. */
  readonly readerFolder: string;
  /** Files that belong to the reader's identity: as named, and where they are. */
  readonly readerFiles: readonly { readonly name: string; readonly file: string }[];
  /** What a reader from outside does not say itself. */
  readonly identity: SaidIdentity;
  /** null: the engine's own. */
  readonly deadlineSeconds: number | null;
  readonly budget: Budget | null;
  /** An expected cost from which on a run is begun only where the command line says so. */
  readonly confirmAbove: number | null;
  readonly leak: LeakRules;
  /** From where its judge's endpoint is named. */
  readonly judgeFolder: string;
  /** What it says of leakage, as it stands. */
  readonly leakOnDisk: LeakKeys;
};

/** A name is a path, else a file of one of the folders, in their order. `place` names it: a flag, or a file's line. */
export function findProfile(name: string, folders: readonly string[], place: Place = "--profile"): string {
  const { found, looked } = lookFor(name, folders);
  return found ?? refuse("ProfileUnknown", { place, found: name, looked });
}

export function findFamily(name: string, folders: readonly string[], place: Place): string {
  const { found, looked } = lookFor(name, folders);
  return found ?? refuse("FamilyUnknown", { place, found: name, looked });
}

/**
 * Loads a profile over what it extends (a name, or a path from the extending file's folder), key by key, those of
 * `bootstrap`, `identity`, `budget` and `leakage` too; what none says is the contract's.
 */
export function loadProfile(
  file: string,
  shown: string,
  folders: readonly string[],
  complain: Complain = strict,
): Profile | undefined {
  const chain: { readonly disk: ProfileOnDisk; readonly folder: string; readonly placeOf: PlaceOf }[] = [];
  let next: string | undefined = file;
  let place = shown;
  while (next !== undefined) {
    const read = readProfile(next, place, complain);
    if (read === undefined) return undefined;
    chain.unshift({ ...read, folder: path.dirname(next) });
    if (read.disk.extends === undefined) break;
    if (chain.length > limits.parents)
      refuse("LimitExceeded", {
        place,
        what: "profiles that extend each other",
        found: chain.length,
        limit: limits.parents,
      });
    const parent = read.disk.extends;
    const base = isPath(parent) ? path.resolve(path.dirname(next), parent) : parent;
    next = findProfile(base, folders, read.placeOf("/extends"));
    place = isPath(parent) ? path.join(path.dirname(place), parent) : next;
  }
  const disks = chain.map(({ disk }) => disk);
  const merged = (key: "bootstrap" | "identity" | "budget" | "leakage") =>
    Object.assign({}, ...disks.map((disk) => disk[key] ?? {}));
  /** Where the file lies that says it. */
  const folderOf = (key: "reader" | "reader_files" | "judge") =>
    chain.findLast(({ disk }) => disk[key] !== undefined)?.folder ?? path.dirname(file);
  const disk = Object.assign({}, ...disks) as ProfileOnDisk;
  const whole = { ...disk, bootstrap: merged("bootstrap"), identity: merged("identity") };
  const budgeted = disk.budget === undefined ? whole : { ...whole, budget: merged("budget") };
  const leaky = disk.leakage === undefined ? budgeted : { ...budgeted, leakage: merged("leakage") };
  const placeOf: PlaceOf = (pointer) => {
    const key = pointer.split("/", 2)[1] as keyof ProfileOnDisk;
    const says = chain.findLast(({ disk }) => disk[key] !== undefined) ?? chain.at(-1);
    return says?.placeOf(pointer) ?? shown;
  };
  const profile = profileOf(leaky, shown, folderOf("reader_files"), complain, placeOf);
  const [readerFolder, judgeFolder] = [folderOf("reader"), folderOf("judge")].map((each) =>
    path.resolve(each),
  );
  return { ...profile, readerFolder, judgeFolder } as Profile;
}

function readProfile(
  file: string,
  shown: string,
  complain: Complain,
): { disk: ProfileOnDisk; placeOf: PlaceOf } | undefined {
  const yaml = readYaml(file, shown, complain);
  const disk = yaml && fit(ProfileOnDisk, yaml.value, yaml.placeOf, complain);
  return yaml === undefined || disk === undefined ? undefined : { disk, placeOf: yaml.placeOf };
}

/** `folder`: from where `reader_files` are named. */
export function profileOf(
  disk: ProfileOnDisk,
  place: Place,
  folder = ".",
  complain: Complain = strict,
  placeOf: PlaceOf = () => place,
): Profile {
  const { budget, leakage, judge, query_findings } = disk;
  const leakOnDisk = {
    ...(leakage === undefined ? {} : { leakage }),
    ...(judge === undefined ? {} : { judge }),
    ...(query_findings === undefined ? {} : { query_findings }),
  };
  return {
    name: disk.name,
    place,
    placeOf,
    seed: disk.seed ?? 1,
    repeats: disk.repeats ?? 1,
    temperature: disk.temperature ?? 0,
    family: disk.family ?? null,
    execution: executionOf(disk.execution, placeOf, complain),
    returns: disk.returns === undefined ? null : returnsTerms(disk.returns),
    universe: disk.universe ?? null,
    waive: disk.waive ?? [],
    bootstrap: {
      resamples: disk.bootstrap?.resamples ?? contract.bootstrapResamples,
      level: disk.bootstrap?.level ?? contract.bootstrapLevel,
      cluster: disk.bootstrap?.cluster ?? "declared",
    },
    process: disk.process ?? "trajectory",
    reader: disk.reader ?? null,
    readerFolder: path.resolve(folder),
    readerFiles: (disk.reader_files ?? []).map((name) => ({ name, file: path.resolve(folder, name) })),
    identity: disk.identity ?? {},
    deadlineSeconds: disk.deadline_seconds ?? null,
    budget:
      budget === undefined
        ? null
        : {
            model_calls: budget.model_calls ?? null,
            tokens: budget.tokens ?? null,
            cost: budget.cost ?? null,
          },
    confirmAbove: disk.confirm_above ?? null,
    leak: leakRules(leakOnDisk, place, complain),
    leakOnDisk,
    judgeFolder: path.resolve(folder),
  };
}

function executionOf(
  disk: ProfileOnDisk["execution"],
  placeOf: PlaceOf,
  complain: Complain,
): Profile["execution"] {
  if (disk === undefined) return null;
  return disk === "none" ? disk : (executionTerms(disk, placeOf, complain) ?? null);
}

/**
 * The profile as the run folder keeps it, flags of the command line applied. What a run may spend and when it asks first
 * shape no result: a resumed run may have others. The reader is stamped by its identity, not by the words that name it.
 */
export function profileOnDisk(profile: Profile): ProfileOnDisk {
  const { name, seed: s, repeats, temperature, family, execution, returns, bootstrap, process } = profile;
  const { universe, waive } = profile;
  const { identity, readerFiles, deadlineSeconds, leakOnDisk } = profile;
  return {
    name,
    seed: s,
    repeats,
    temperature,
    ...(family === null ? {} : { family }),
    ...(execution === null
      ? {}
      : { execution: execution === "none" ? execution : executionOnDisk(execution) }),
    ...(returns === null ? {} : { returns: returnsOnDisk(returns) }),
    ...(universe === null ? {} : { universe }),
    ...(waive.length === 0 ? {} : { waive: [...waive] }),
    bootstrap: { ...bootstrap },
    process,
    ...(Object.keys(identity).length === 0 ? {} : { identity }),
    ...(readerFiles.length === 0 ? {} : { reader_files: readerFiles.map((each) => each.name) }),
    ...(deadlineSeconds === null ? {} : { deadline_seconds: deadlineSeconds }),
    ...leakOnDisk,
  };
}

/** What a profile selects of a run, and the rest that its flags do. */
export function runOptions(
  profile: Profile,
  rest: Pick<RunOptions, "filters" | "limit" | "concurrency">,
  execution: RunOptions["execution"] = null,
): RunOptions {
  const { seed: s, repeats, temperature, bootstrap, process, deadlineSeconds, leak } = profile;
  return {
    profile: profileOnDisk(profile) as unknown as Json,
    seed: s,
    repeats,
    temperature,
    bootstrap,
    process,
    deadlineSeconds: deadlineSeconds ?? limits.deadlineSeconds,
    leak,
    leverage: leverageOf(profile),
    execution,
    ...rest,
  };
}

/** The most that the sizes of a decision's weights may add up to. */
export function leverageOf({ execution }: Profile): number {
  return execution === null || execution === "none" ? 1 : execution.leverage;
}
