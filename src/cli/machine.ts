/** The machine that the command line runs on: its clock, and the versions that evidence names. */
import type { Host } from "../run/manifest.ts";
import type { Clock } from "../run/world.ts";

export const clock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  elapsed: () => performance.now(),
};

export const host: Host = {
  node: process.versions.node,
  zone_data: process.versions["tz"] ?? "unknown",
  unicode: process.versions["unicode"] ?? "unknown",
};
