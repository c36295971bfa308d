/** What a profile declares of leakage, made for a run: the judge of documents, and the entities that texts may name. */
import * as path from "node:path";
import { sha256Hex } from "../core/digest.ts";
import { isPath } from "../core/named-file.ts";
import { type Complain, refuse, strict } from "../core/refusal.ts";
import { endpointIdentity, findEndpoint, loadEndpoint } from "../model/endpoint.ts";
import { floorJudge } from "../model/floor-judge.ts";
import { endpointClient } from "../model/http-call.ts";
import { httpJudge } from "../model/http-judge.ts";
import type { Judge } from "../model/judge.ts";
import { timerSleep } from "../model/rate-limit.ts";
import type { Profile } from "../profile/profile.ts";
import type { Judging } from "../run/judging.ts";
import { type KnownEntities, knownEntities } from "../run/known-entities.ts";
import { leakJudging } from "../run/leak-items.ts";
import type { Inputs } from "./inputs.ts";
import { clock } from "./machine.ts";
import { profileFolders } from "./profile-folders.ts";
import { shownPath } from "./shown-path.ts";

export type LeakJudging = {
  /** Absent: the profile names no judge. */
  readonly judging?: Judging;
  readonly entities: KnownEntities | null;
  /** How an endpoint was asked. */
  readonly artifacts: ReadonlyMap<string, string>;
  readonly close: () => void;
};

/** Refuses what of it can be refused before anything is spent. */
export function chooseJudging(
  { set, store }: Inputs,
  profile: Profile,
  offline: boolean,
  complain: Complain = strict,
): LeakJudging | undefined {
  const { judge: name, queries } = profile.leak;
  const entities = name === "floor" || queries !== null ? knownEntities(set, store) : null;
  const nothing = { entities, artifacts: new Map(), close: () => {} };
  if (name === null) return nothing;
  const judged = (judge: Judge) => ({ judging: leakJudging(judge, store) });
  if (name === "floor") {
    const { find, digest } = entities as KnownEntities;
    return { ...nothing, ...judged(floorJudge({ names: find, digest, zone: set.zone })) };
  }
  if (offline)
    refuse("ArgumentInvalid", {
      place: "--offline",
      found: `judge: ${name} in ${profile.place}`,
      expected: "a judge that needs no network",
    });
  const endpoint = judgeEndpoint(name.slice("http:".length), profile, complain);
  if (endpoint === undefined) return undefined;
  const client = endpointClient(endpoint, {
    key: (variable) => process.env[variable],
    clock,
    sleep: timerSleep,
  });
  const { identity, prompt, model, place } = endpoint;
  const asked = model ?? identity.snapshot;
  if (asked === undefined)
    refuse("FieldInvalid", { place, field: "model", found: "absent", expected: "the model that judges" });
  const given = prompt === null ? {} : { prompt };
  const judge = httpJudge({ client, model: asked, identity, seed: profile.seed, ...given });
  const text = endpointIdentity(endpoint);
  return { entities, artifacts: new Map([[sha256Hex(text), text]]), close: client.close, ...judged(judge) };
}

function judgeEndpoint(name: string, { place, judgeFolder }: Profile, complain: Complain) {
  const folders = profileFolders().map((each) => path.join(each, "endpoints"));
  const named = isPath(name) ? shownPath(path.resolve(judgeFolder, name)) : name;
  const file = findEndpoint(named, folders, `${place}: judge`);
  return loadEndpoint(file, shownPath(file), complain);
}
