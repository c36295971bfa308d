/** What a run folder holds beside its entries: what was loaded, as the run loaded it, and the plan that follows from it. */
import { type Static, Type } from "@sinclair/typebox";
import { type BoundedCase, caseOnDisk, parseCase } from "../caseset/bounded-case.ts";
import { type EntityFinder, entityFinder, parseEntityIndex } from "../caseset/entity-names.ts";
import { type Label, labelOnDisk, parseLabel } from "../caseset/label.ts";
import { CaseSetOnDisk, demandLabelOnce } from "../caseset/load.ts";
import { type Outcome, settle } from "../caseset/settlement.ts";
import { strictUtf8 } from "../core/bytes.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { digestOf, digestOfJson } from "../core/digest.ts";
import { formatInstant, type Instant, parseDay, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { type Family, FamilyOnDisk, parseFamily } from "../model/family.ts";
import { type RecordedDecisions, recordedDecisions } from "../profile/recorded-decisions.ts";
import type { Section } from "../report/section.ts";
import { type ArmPlan, planArms } from "../run/arms.ts";
import { type RunFolds, testedArms } from "../run/folds.ts";
import { type LeakKeys, type LeakRules, leakKeys, leakRules, wantedControl } from "../run/leak-rules.ts";
import type { Manifest } from "../run/manifest.ts";
import { fileIn, type RunFiles, wholeFile } from "./bundle.ts";
import { demandJudge, demandLocalTimes, demandProfile, demandSelection, demandText } from "./claims.ts";
import { ARTIFACTS, CASES, type Listing, MANIFEST } from "./files.ts";
import { recordedFolds, StampedSplit } from "./recorded-folds.ts";
import { canonicalFile, canonicalLine, recordedLines } from "./recorded-lines.ts";
import type { VerifiedRecord } from "./verify-record.ts";

const strictly = { additionalProperties: false } as const;
const Digest = Type.String({ pattern: "^sha256:[0-9a-f]{64}$", description: "sha256: and 64 digits" });

/** What of a stamp scoring and replay hang on; whatever else it says is reported as it stands. */
const StampOnDisk = Type.Object({
  engine: Type.String(),
  reader: Type.Object({
    adapter: Type.Optional(Type.Union(["exec", "module", "http", "serve"].map((name) => Type.Literal(name)))),
    files: Type.Optional(Type.Record(Type.String(), Type.String())),
    family: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    name: Type.String(),
    params: Type.Record(Type.String(), Type.String()),
    temperature: Type.Number(),
  }),
  process: Type.Union([Type.Literal("trajectory"), Type.Literal("shared")]),
  judge: Type.Union(
    [
      Type.Literal("none"),
      Type.Object({
        name: Type.String({ minLength: 1 }),
        snapshot: Type.String(),
        pretrain_cutoff: Type.String(),
        posttrain_cutoff: Type.Union([Type.String(), Type.Null()]),
        temperature: Type.Number(),
        prompt_digest: Type.String(),
        uses_tools: Type.Boolean(),
        params: Type.Record(Type.String(), Type.String()),
      }),
    ],
    { description: "none, or who judges: a name, a snapshot, and what else makes it another judge" },
  ),
  seed: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  repeats: Type.Integer({ minimum: 1, maximum: limits.repeats }),
  bootstrap: Type.Object(
    {
      resamples: Type.Integer({ minimum: 100, maximum: limits.resamples }),
      level: Type.Number({ exclusiveMinimum: 0.5, exclusiveMaximum: 1 }),
      cluster: Type.Union([Type.Literal("declared"), Type.Literal("none")]),
    },
    strictly,
  ),
  profile: Digest,
  family: Type.String(),
  entities: Type.Optional(Digest),
  execution: Type.Optional(Type.Unknown()),
  split: Type.Optional(StampedSplit),
  view: Digest,
  selection: Type.Object({
    digest: Digest,
    filters: Type.Array(Type.String()),
    limit: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  }),
});
type StampOnDisk = Static<typeof StampOnDisk>;

const KnownTableOnDisk = Type.Object(
  {
    zone: Type.Union([Type.String(), Type.Null()]),
    forward: Type.Boolean(),
    valid_column: Type.String(),
    columns: Type.Record(
      Type.String(),
      Type.Union([Type.Literal("string"), Type.Literal("number"), Type.Literal("boolean")]),
    ),
    text: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  },
  strictly,
);
/** `caseset.json`. */
const KeptCaseSet = Type.Object(
  {
    declared: CaseSetOnDisk,
    digest: Digest,
    tables: Type.Record(Type.String(), KnownTableOnDisk),
    view: Digest,
  },
  strictly,
);
type KeptCaseSet = Static<typeof KeptCaseSet>;

/** Cases with what a run converted once, at load: local times are not converted again by a replay. */
type KeptCases = {
  readonly cases: readonly BoundedCase[];
  readonly askedDays: readonly string[];
  readonly deadlines: readonly Instant[];
  readonly indexOf: ReadonlyMap<string, number>;
};

export type RecordedRun = KeptCases & {
  readonly manifest: Manifest;
  readonly stamp: StampOnDisk;
  readonly kept: KeptCaseSet;
  /** `profile.json`. */
  readonly profile: Json;
  readonly leak: LeakRules;
  /** By which entities are found in texts; null: nobody looked for any. */
  readonly entities: RecordedEntities | null;
  /** What another room makes of its decisions; null: it has none. */
  readonly section: Section | null;
  /** Which fold tests each case; null: it has no split. */
  readonly folds: RunFolds | null;
  readonly arms: ArmPlan;
  /** Trajectories of the plan. */
  readonly trajectories: number;
  /** Per case. */
  readonly outcomes: readonly Outcome[];
};

/**
 * Loads all but entries, bodies and plants. Their digests stand in the manifest already; refused here is what no run
 * would have written: NotCanonical, KeyMissing, UnknownKey, FieldInvalid, and what a case set's own loader refuses.
 */
export async function loadRecord(
  bundle: RunFiles,
  verified: VerifiedRecord,
  zoneData: string | undefined,
): Promise<RecordedRun> {
  const { manifest, listing } = verified;
  const stamp = checkStamp(manifest, fileIn(bundle, MANIFEST));
  const kept = await loadCaseSetFile(bundle, manifest, stamp);
  const cases = loadCases(bundle, listing, kept);
  const selected = digestOf(cases.cases.map((item) => `${item.id}\n`).join(""));
  demandSame(bundle, "selection.digest", stamp.selection.digest, selected, "of the ids in cases.jsonl");
  const profile = await canonicalFile(bundle, "profile.json");
  demandSame(bundle, "profile", stamp.profile, digestOfJson(profile), "of profile.json");
  demandProfile(stamp, profile, fileIn(bundle, MANIFEST));
  const leak = leakRulesIn(profile, fileIn(bundle, "profile.json"));
  demandJudge(stamp, leak, fileIn(bundle, MANIFEST));
  const entities = await loadEntities(bundle, listing, stamp, leak);
  const decided = await loadDecisions(bundle, listing, stamp, profile, kept);
  const section = decided?.section ?? null;
  const family = await loadFamilyFile(bundle, listing, stamp);
  // A served session is one trajectory: nothing was staged in it.
  const staged = stamp.reader.adapter === "serve" ? null : (decided?.staged ?? null);
  const labels = loadLabels(bundle, listing, cases.indexOf);
  const { declared, view } = kept;
  const sameZoneData = zoneData === manifest.host.zone_data;
  const folds = recordedFolds(
    stamp.split,
    { ...cases, labels, declared, sameZoneData, process: stamp.process },
    { manifest: fileIn(bundle, MANIFEST), caseSet: fileIn(bundle, "caseset.json") },
  );
  const arms = testedArms(planArms(cases.cases, family, wantedControl(leak), staged), folds);
  demandSelection(
    manifest,
    stamp.selection,
    { cases: cases.cases, labels, declared, view },
    fileIn(bundle, CASES),
  );
  demandLocalTimes(cases, declared, sameZoneData, fileIn(bundle, CASES));
  const outcomes = settle(cases.cases, labels, { deadlines: cases.deadlines, asOf: null });
  const trajectories = arms.assignments.length * stamp.repeats;
  const loaded = { manifest, stamp, kept, profile, leak, entities, section };
  return { ...cases, ...loaded, folds, arms, trajectories, outcomes };
}

type RecordedEntities = { readonly find: EntityFinder; readonly count: number };

/** What a profile may say of leakage, whatever else it says. */
const LeakyProfile = Type.Object(leakKeys);

function leakRulesIn(profile: Json, place: Place): LeakRules {
  return leakRules(fit(LeakyProfile, profile, place) as LeakKeys, place);
}

/** The index is the artifact that the stamp names; whoever looked for entities in queries has one. */
async function loadEntities(
  bundle: RunFiles,
  listing: Listing,
  { entities }: StampOnDisk,
  { queries }: LeakRules,
): Promise<RecordedEntities | null> {
  if (entities === undefined) {
    if (queries === null) return null;
    const expected = "the digest of the entities that profile.json looks for in queries";
    return refuse("FieldInvalid", {
      place: fileIn(bundle, MANIFEST),
      field: "stamp.entities",
      found: "nothing",
      expected,
    });
  }
  const { text, place } = await artifactOf(bundle, listing, entities);
  const index = parseEntityIndex(text, place);
  return { find: entityFinder(index), count: index.length };
}

/** An artifact that the stamp names by its digest. Refuses FileMissing, FileUnreadable. */
async function artifactOf(
  bundle: RunFiles,
  { files }: Listing,
  digest: string,
): Promise<{ readonly text: string; readonly place: Place }> {
  const name = `${ARTIFACTS}/${digest.slice("sha256:".length)}`;
  const place = fileIn(bundle, name);
  const bytes = files.get(name);
  if (bytes === undefined)
    return refuse("FileMissing", { place, problem: "not there, though the stamp names it" });
  const text = strictUtf8(await wholeFile(bundle, name, bytes));
  return text === undefined ? refuse("FileUnreadable", { place, cause: "not UTF-8" }) : { text, place };
}

/** A set of decisions is stamped with how they were carried out, and no other is. */
async function loadDecisions(
  bundle: RunFiles,
  listing: Listing,
  { execution }: StampOnDisk,
  profile: Json,
  { declared }: KeptCaseSet,
): Promise<RecordedDecisions | null> {
  const place = fileIn(bundle, MANIFEST);
  const isDecision = declared.kind === "decision";
  if (isDecision !== (execution !== undefined))
    refuse("FieldInvalid", {
      place,
      field: "stamp.execution",
      found: execution === undefined ? "nothing" : "an execution",
      expected: isDecision ? "how the set's decisions were carried out" : "none, for a set without decisions",
    });
  if (execution === undefined) return null;
  const artifact = (digest: string) => artifactOf(bundle, listing, digest);
  return recordedDecisions({ profile, stamped: execution as Json, place, artifact });
}

/** A report holds the stamp two levels deeper than the manifest does. */
function checkStamp({ stamp }: Manifest, place: Place): StampOnDisk {
  const depth = depthOf(stamp) + 2;
  if (depth > limits.jsonDepth)
    refuse("LimitExceeded", { place, what: "nesting of the stamp", found: depth, limit: limits.jsonDepth });
  return fit(StampOnDisk, stamp, place) as StampOnDisk;
}

function depthOf(value: Json): number {
  if (value === null || typeof value !== "object") return 0;
  return 1 + Object.values(value).reduce((most: number, one: Json) => Math.max(most, depthOf(one)), 0);
}

function demandSame(bundle: RunFiles, field: string, said: string, found: string, what: string): void {
  if (said === found) return;
  const expected = `${found}, the digest ${what}`;
  refuse("FieldInvalid", { place: fileIn(bundle, MANIFEST), field: `stamp.${field}`, found: said, expected });
}

async function loadCaseSetFile(
  bundle: RunFiles,
  manifest: Manifest,
  stamp: StampOnDisk,
): Promise<KeptCaseSet> {
  const place = fileIn(bundle, "caseset.json");
  const kept = fit(KeptCaseSet, await canonicalFile(bundle, "caseset.json"), place) as KeptCaseSet;
  const { digest } = manifest.caseset;
  if (kept.digest !== digest) refuse("CasesDigestMismatch", { place, found: kept.digest, expected: digest });
  if (kept.view !== stamp.view) refuse("ViewMismatch", { place, found: kept.view, expected: stamp.view });
  demandText(kept, place);
  return kept;
}

async function loadFamilyFile(
  bundle: RunFiles,
  { files }: Listing,
  stamp: StampOnDisk,
): Promise<Family | null> {
  if (!files.has("family.json")) {
    demandSame(bundle, "family", stamp.family, "none", "of a family that is not there");
    return null;
  }
  const place = fileIn(bundle, "family.json");
  const value = await canonicalFile(bundle, "family.json");
  demandSame(bundle, "family", stamp.family, digestOfJson(value), "of family.json");
  return parseFamily(fit(FamilyOnDisk, value, place) as FamilyOnDisk, ".", place, () => place);
}

function loadCases(bundle: RunFiles, { files }: Listing, kept: KeptCaseSet): KeptCases {
  const place = fileIn(bundle, CASES);
  const known = Object.keys(kept.tables);
  const cases: BoundedCase[] = [];
  const askedDays: string[] = [];
  const deadlines: Instant[] = [];
  const indexOf = new Map<string, number>();
  for (const line of recordedLines(bundle, CASES, files.get(CASES) as number)) {
    const at = `${place}:${line.number}`;
    const { asked_day, deadline, ...rest } = asObject(canonicalLine(line, place));
    const item = parseCase(kept.declared.kind, rest, at) as BoundedCase;
    if (typeof asked_day !== "string" || parseDay(asked_day) === undefined)
      wrongField(at, "asked_day", asked_day, "a date such as 2014-06-01");
    const until = parseInstant(deadline, at, "deadline") as Instant;
    demandSpelling(line.text, { ...caseOnDisk(item), asked_day, deadline: formatInstant(until) }, at);
    const unread = item.reads.find((table) => !known.includes(table));
    if (unread !== undefined) refuse("TableUnknown", { place: at, found: unread, known });
    const first = indexOf.get(item.id);
    if (first !== undefined)
      refuse("CaseDuplicate", { place: at, id: item.id, first: `${place}:${first + 1}` });
    indexOf.set(item.id, cases.length);
    if (cases.push(item) > limits.cases)
      refuse("LimitExceeded", { place: at, what: "cases", found: cases.length, limit: limits.cases });
    askedDays.push(asked_day as string);
    deadlines.push(until);
  }
  if (cases.length === 0) refuse("SelectionEmpty", { place, selection: "the record", of: 0 });
  return { cases, askedDays, deadlines, indexOf };
}

function loadLabels(bundle: RunFiles, { files }: Listing, ids: ReadonlyMap<string, number>): Label[] {
  const name = "labels.jsonl";
  const place = fileIn(bundle, name);
  const labels: Label[] = [];
  const seen = new Map<string, Label>();
  for (const line of recordedLines(bundle, name, files.get(name) as number)) {
    const at = `${place}:${line.number}`;
    const label = parseLabel(canonicalLine(line, place), at) as Label;
    demandSpelling(line.text, labelOnDisk(label), at);
    if (!ids.has(label.caseId)) refuse("LabelCaseUnknown", { place: at, id: label.caseId });
    demandLabelOnce(label, seen);
    labels.push(label);
  }
  return labels;
}

function asObject(value: Json): { readonly [key: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};
}

/** An instant may be right and yet not spelled as a run spells it. */
function demandSpelling(text: string, value: object, place: Place): void {
  const expected = canonical(value as Json);
  if (text !== expected) refuse("NotCanonical", { place, found: text, expected });
}

function wrongField(place: Place, field: string, found: Json | undefined, expected: string): never {
  return refuse("FieldInvalid", { place, field, found: JSON.stringify(found) ?? "nothing", expected });
}
