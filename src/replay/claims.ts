/** What a record says of itself that follows from what it holds: its selection, its profile and judge, its tables with text, its local times. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Label } from "../caseset/label.ts";
import type { CaseSetOnDisk } from "../caseset/load.ts";
import { deadlinesOf } from "../caseset/settlement.ts";
import { canonical, type Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { formatDay, formatInstant, type Instant, MICROS_PER_DAY, parseDay } from "../core/instant.ts";
import { checkZone, localDay } from "../core/local-time.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { floorIdentity } from "../model/floor-judge.ts";
import type { ReaderIdentity } from "../model/reader.ts";
import { isDeclaredJudge, type LeakRules } from "../run/leak-rules.ts";
import type { Manifest } from "../run/manifest.ts";
import { firstDifference } from "../run/resume.ts";
import { parseFilter, selectCases } from "../run/selection.ts";
import { caseSetDigest } from "../run/stamp.ts";

type Chosen = {
  readonly cases: readonly BoundedCase[];
  readonly labels: readonly Label[];
  readonly declared: CaseSetOnDisk;
  readonly view: string;
};

/**
 * The cases are those that the stamp's selection leaves of the set that the manifest names: of a whole set its digest is
 * that of the declaration, the cases and the labels (CasesDigestMismatch); of a part each case passes the filters, and
 * there are no more than the limit and the set (CaseCountMismatch, FieldInvalid).
 */
export function demandSelection(
  { caseset }: Manifest,
  { filters, limit }: { readonly filters: readonly string[]; readonly limit: number | null },
  { cases, labels, declared, view }: Chosen,
  place: Place,
): void {
  const passing = selectCases(cases, filters.map(parseFilter), limit, place);
  if (passing.length !== cases.length) {
    const found = `${cases.length} cases, of which ${passing.length} are chosen by ${JSON.stringify({ filters, limit })}`;
    refuse("FieldInvalid", {
      place,
      field: "stamp.selection",
      found,
      expected: "cases that it chooses, all",
    });
  }
  const whole = filters.length === 0 && (limit === null || limit >= caseset.cases);
  const expected = filters.length === 0 ? Math.min(limit ?? caseset.cases, caseset.cases) : caseset.cases;
  if (whole || filters.length === 0 ? cases.length !== expected : cases.length > expected)
    refuse("CaseCountMismatch", { place, found: cases.length, expected });
  if (!whole) return;
  const found = caseSetDigest({ onDisk: declared, cases, labels }, view as Digest);
  if (found !== caseset.digest) refuse("CasesDigestMismatch", { place, found, expected: caseset.digest });
}

/** The stamp's options are those of `profile.json`; refuses FieldInvalid. */
export function demandProfile(
  stamp: {
    readonly [option: string]: unknown;
    readonly reader: { readonly temperature: number; readonly adapter?: string };
  },
  profile: Json,
  place: Place,
): void {
  const stamped = { ...stamp, temperature: stamp.reader.temperature } as unknown as { [key: string]: Json };
  const chosen = (profile ?? {}) as { readonly [key: string]: Json };
  // A reader from outside says its own temperature.
  const own = stamp.reader.adapter === undefined ? ["temperature"] : [];
  for (const option of ["seed", "repeats", "bootstrap", "process", ...own]) {
    const other = firstDifference(stamped[option], chosen[option], option);
    if (other === undefined) continue;
    const { field, found, recorded } = other;
    refuse("FieldInvalid", {
      place,
      field: `stamp.${field}`,
      found,
      expected: `${recorded}, as profile.json has it`,
    });
  }
}

/**
 * The stamp's judge is one that `profile.json` declares, where it declares one, and what is named as the floor judge is that
 * judge with the stamp's entities; refuses FieldInvalid.
 */
export function demandJudge(
  { judge, entities }: { readonly judge: "none" | ReaderIdentity; readonly entities?: string },
  declared: Pick<LeakRules, "judge">,
  place: Place,
): void {
  const name = judge === "none" ? judge : judge.name;
  const wrong = (field: string, found: string, expected: string) =>
    refuse("FieldInvalid", { place, field: `stamp.${field}`, found, expected });
  if (!isDeclaredJudge(declared, name))
    wrong("judge", name, `the judge that profile.json declares, ${declared.judge}`);
  if (judge === "none" || name !== "floor") return;
  if (entities === undefined)
    wrong("entities", "nothing", "the digest of the entities that the floor judge looks for");
  const [found, expected] = [judge, floorIdentity(entities as Digest)].map((each) =>
    canonical(each as unknown as Json),
  ) as [string, string];
  if (found !== expected) wrong("judge", found, `${expected}, the floor judge`);
}

type KeptTables = {
  readonly declared: CaseSetOnDisk;
  readonly tables: { readonly [table: string]: { readonly text?: readonly string[] } };
};

/** Tables have the columns of text that they were declared with, else what they serve is judged by nobody. FieldInvalid. */
export function demandText({ declared: { tables = {} }, tables: kept }: KeptTables, place: Place): void {
  for (const name of new Set([...Object.keys(tables), ...Object.keys(kept)])) {
    const [found, expected] = [kept[name]?.text, tables[name]?.text].map((text) =>
      text === undefined ? "none" : text.join(", "),
    ) as [string, string];
    if (found !== expected)
      refuse("FieldInvalid", {
        place,
        field: `tables.${name}.text`,
        found,
        expected: `${expected}, as declared`,
      });
  }
}

type LocalTimes = {
  readonly cases: readonly BoundedCase[];
  readonly askedDays: readonly string[];
  readonly deadlines: readonly Instant[];
};

/**
 * The asked day and the deadline of each case follow from its horizon and its resolution, in the set's zone. A machine
 * with the run's zone data demands them as they are; any other, that they are no more than a day away. FieldInvalid.
 */
export function demandLocalTimes(
  { cases, askedDays, deadlines }: LocalTimes,
  declared: CaseSetOnDisk,
  sameZoneData: boolean,
  place: Place,
): void {
  const zone = declared.time_zone ?? "UTC";
  checkZone(zone, place, "time_zone");
  const grace = parseDuration(declared.grace ?? "P0D", place, "grace") as Duration;
  const until = deadlinesOf(cases, zone, grace);
  const slack = sameZoneData ? 0 : 1;
  for (let i = 0; i < cases.length; i++) {
    const { id, horizon } = cases[i] as BoundedCase;
    const day = localDay(zone, horizon);
    const found = [askedDays[i] as string, formatInstant(deadlines[i] as Instant)] as const;
    if (Math.abs((parseDay(found[0]) as number) - day) > slack)
      refuse("FieldInvalid", {
        place,
        field: `case ${id}: asked_day`,
        found: found[0],
        expected: formatDay(day),
      });
    const due = until[i] as Instant;
    if (Math.abs((deadlines[i] as Instant) - due) > slack * MICROS_PER_DAY)
      refuse("FieldInvalid", {
        place,
        field: `case ${id}: deadline`,
        found: found[1],
        expected: formatInstant(due),
      });
  }
}
