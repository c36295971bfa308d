/** The pictures of a report: for each arm whose cutoff has slices, its outcome about that cutoff. */
import type { Json } from "../core/canonical.ts";
import { cutoffSvg } from "./cutoff-plot.ts";
import type { LeakageSection } from "./leakage-section.ts";
import { sliceWords } from "./leakage-text.ts";

export type Picture = { readonly name: string; readonly svg: string };

/** Rendered from a report's result alone; none where its profile declared no slices. */
export async function leakagePlots(result: Json): Promise<Picture[]> {
  const { leakage, caseset, stamp } = result as unknown as {
    readonly leakage: LeakageSection | null;
    readonly caseset: { readonly name: string };
    readonly stamp: { readonly bootstrap: { readonly level: number } };
  };
  if (leakage === null) return [];
  const pictures: Picture[] = [];
  for (const [arm, { slices }] of Object.entries(leakage.slices ?? {})) {
    if (slices === null) continue;
    const words = sliceWords(`${caseset.name}, arm ${arm}`, leakage, stamp.bootstrap.level);
    pictures.push({ name: arm, svg: await cutoffSvg(slices, words) });
  }
  return pictures;
}
