/** Profiles: what an application selects; every name is resolved and every key checked before anything runs. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { contract } from "../core/contract.ts";
import { limits } from "../core/limits.ts";
import { type Complain, type Place, refuse, strict } from "../core/refusal.ts";
import { fit, type PlaceOf } from "../core/schema.ts";
import { readYaml } from "../core/yaml.ts";

const strictly = { additionalProperties: false } as const;
const seed = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "an integer from 0 to 2^53 - 1",
});

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
      Type.Literal("none", { description: "none (components come with their own release)" }),
    ),
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
    process: Type.Optional(Type.Literal("trajectory", { description: "trajectory" })),
  },
  strictly,
);
export type ProfileOnDisk = Static<typeof ProfileOnDisk>;

export type Profile = {
  readonly name: string;
  readonly place: Place;
  readonly seed: number;
  readonly repeats: number;
  readonly temperature: number;
  readonly family: string | null;
  /** null where the profile does not say: a backtest then refuses. */
  readonly execution: "none" | null;
  readonly bootstrap: {
    readonly resamples: number;
    readonly level: number;
    readonly cluster: "declared" | "none";
  };
  readonly process: "trajectory";
};

/** A name is a path, else a file of one of the folders, in their order. `place` names it: a flag, or a file's line. */
export function findProfile(name: string, folders: readonly string[], place: Place = "--profile"): string {
  return (
    findFile(name, folders) ??
    refuse("ProfileUnknown", {
      place,
      found: name,
      looked: candidates(name, folders),
    })
  );
}

export function findFamily(name: string, folders: readonly string[], place: Place): string {
  return (
    findFile(name, folders) ??
    refuse("FamilyUnknown", {
      place,
      found: name,
      looked: candidates(name, folders),
    })
  );
}

const isPath = (name: string) => /[/\\]|\.ya?ml$/.test(name);

function findFile(name: string, folders: readonly string[]): string | undefined {
  return candidates(name, folders).find((file) => fs.existsSync(file) && fs.statSync(file).isFile());
}

function candidates(name: string, folders: readonly string[]): string[] {
  const named = folders.map((folder) => path.join(folder, `${name}.yaml`));
  return [...new Set([...(isPath(name) ? [name] : []), ...named])];
}

/**
 * Loads a profile over what it extends (a name, or a path from the extending file's folder), key by key, those of
 * `bootstrap` too; what none says is the contract's.
 */
export function loadProfile(
  file: string,
  shown: string,
  folders: readonly string[],
  complain: Complain = strict,
): Profile | undefined {
  const chain: ProfileOnDisk[] = [];
  let next: string | undefined = file;
  let place = shown;
  while (next !== undefined) {
    const read = readProfile(next, place, complain);
    if (read === undefined) return undefined;
    chain.unshift(read.disk);
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
  const bootstrap = Object.assign({}, ...chain.map((disk) => disk.bootstrap ?? {}));
  return profileOf({ ...(Object.assign({}, ...chain) as ProfileOnDisk), bootstrap }, shown);
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

export function profileOf(disk: ProfileOnDisk, place: Place): Profile {
  return {
    name: disk.name,
    place,
    seed: disk.seed ?? 1,
    repeats: disk.repeats ?? 1,
    temperature: disk.temperature ?? 0,
    family: disk.family ?? null,
    execution: disk.execution ?? null,
    bootstrap: {
      resamples: disk.bootstrap?.resamples ?? contract.bootstrapResamples,
      level: disk.bootstrap?.level ?? contract.bootstrapLevel,
      cluster: disk.bootstrap?.cluster ?? "declared",
    },
    process: disk.process ?? "trajectory",
  };
}

/** The profile as the run folder keeps it, flags of the command line applied. */
export function profileOnDisk(profile: Profile): ProfileOnDisk {
  const { name, seed: s, repeats, temperature, family, execution, bootstrap, process } = profile;
  return {
    name,
    seed: s,
    repeats,
    temperature,
    ...(family === null ? {} : { family }),
    ...(execution === null ? {} : { execution }),
    bootstrap: { ...bootstrap },
    process,
  };
}

/** Law 6: a backtest says how its decisions are filled, or that there are none. */
export function checkExecution(profile: Profile): void {
  if (profile.execution === null)
    refuse("EvalExecutionUndeclared", { place: profile.place, profile: profile.name });
}
