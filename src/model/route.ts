/** Routing: each bounded case goes to the newest checkpoint that was finished before its horizon. */
import { formatInstant, type Instant } from "../core/instant.ts";
import { refuse } from "../core/refusal.ts";
import { cutoffInstant } from "./cutoff.ts";
import { compareAge, type Family, type ModelCheckpoint } from "./family.ts";

/** The newest checkpoint whose post-training cutoff (upper bound) precedes the horizon, strictly; else null. */
export function route(family: Family, horizon: Instant): ModelCheckpoint | null {
  let newest: ModelCheckpoint | null = null;
  for (const checkpoint of family.checkpoints) {
    if (checkpoint.posttrain === null || cutoffInstant(checkpoint.posttrain) >= horizon) continue;
    if (newest === null || compareAge(newest, checkpoint) < 0) newest = checkpoint;
  }
  return newest;
}

/** The family's newest checkpoint of all. */
export function latestCheckpoint(family: Family): ModelCheckpoint {
  return family.checkpoints.reduce((newest, checkpoint) =>
    compareAge(newest, checkpoint) < 0 ? checkpoint : newest,
  );
}

/** Whether a case resolved within what a checkpoint may have seen: at or before its cutoff's instant. */
export function insideWindow(checkpoint: ModelCheckpoint, resolution: Instant): boolean {
  return checkpoint.posttrain === null || resolution <= cutoffInstant(checkpoint.posttrain);
}

/** Routes every case; refuses where none can be routed. */
export function routeAll(family: Family, horizons: readonly Instant[]): (ModelCheckpoint | null)[] {
  const routes = horizons.map((horizon) => route(family, horizon));
  if (routes.every((checkpoint) => checkpoint === null)) {
    const known = family.checkpoints.flatMap((checkpoint) =>
      checkpoint.posttrain === null ? [] : [cutoffInstant(checkpoint.posttrain)],
    );
    const last = horizons.reduce((latest: number, horizon) => Math.max(latest, horizon), -Infinity);
    refuse("EvalCheckpointUnroutable", {
      place: family.place,
      family: family.name,
      cases: horizons.length,
      horizon: formatInstant(last),
      cutoff: known.length === 0 ? "no instant that is known" : formatInstant(Math.min(...known)),
    });
  }
  return routes;
}
