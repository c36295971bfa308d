/** The one door to a case set's folder: declaration, cases and labels, each fault with its file and line. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { type Duration, parseDuration } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { readLines } from "../core/lines.ts";
import { checkZone } from "../core/local-time.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit, type PlaceOf } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import { readYaml } from "../core/yaml.ts";
import { type BoundedCase, type CaseKind, namedTables, parseCase } from "./bounded-case.ts";
import type { AliasTable } from "./entity-names.ts";
import { type Label, parseLabel } from "./label.ts";
import { type Source, SourceOnDisk } from "./source.ts";
import { parseSplitDefinition, type SplitDefinition } from "./split-definition.ts";
import { parseTableSpec, TableOnDisk, type TableSpec } from "./table-spec.ts";

const strictly = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200, description: "a name" });
/** What a built-in reader reads. */
const ReaderOnDisk = Type.Object(
  { table: name, event: Type.String({ description: "COLUMN (>|>=|<|<=|=|!=) LITERAL" }) },
  strictly,
);

/** `caseset.yaml`. */
export const CaseSetOnDisk = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,99}$",
      description: "a name in lower case, with digits and -",
    }),
    kind: Type.Union([Type.Literal("forecast"), Type.Literal("decision")], {
      description: '"forecast" or "decision"',
    }),
    description: Type.Optional(Type.String()),
    time_zone: Type.Optional(Type.String()),
    tables: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z0-9_.-]{1,100}$" }), TableOnDisk, {
        ...strictly,
        description: "tables by names of letters, digits and _ . -",
      }),
    ),
    sources: Type.Optional(
      Type.Record(Type.String(), SourceOnDisk, { ...strictly, description: "sources by name" }),
    ),
    profile: Type.Optional(Type.String()),
    readers: Type.Optional(
      Type.Object(
        { climatology: Type.Optional(ReaderOnDisk), persistence: Type.Optional(ReaderOnDisk) },
        strictly,
      ),
    ),
    entities: Type.Optional(Type.Object({ table: name, name, alias: name }, strictly)),
    clusters: Type.Optional(Type.String()),
    terms: Type.Optional(Type.String()),
    grace: Type.Optional(Type.String()),
    splits: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,99}$" }), Type.Unknown(), {
        ...strictly,
        description: "splits by names in lower case, with digits and -",
      }),
    ),
  },
  strictly,
);
export type CaseSetOnDisk = Static<typeof CaseSetOnDisk>;

export type CaseSet = {
  readonly name: string;
  readonly folder: string;
  readonly place: Place;
  readonly onDisk: CaseSetOnDisk;
  readonly zone: string;
  readonly grace: Duration;
  readonly sources: ReadonlyMap<string, Source>;
  readonly tables: ReadonlyMap<string, TableSpec>;
  readonly cases: readonly BoundedCase[];
  readonly labels: readonly Label[];
  /** Which table gives aliases of its entities; its columns are looked at when the index of entities is made. */
  readonly entities: AliasTable | null;
  /** Which table, column and event the built-in readers read. */
  readonly readers: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** Ways to split its cases, by name. */
  readonly splits: ReadonlyMap<string, SplitDefinition>;
  readonly placeOf: PlaceOf;
};

const NO_GRACE: Duration = { text: "P0D", months: 0, days: 0, micros: 0 };

/** Loads `folder`; names in refusals start with `shown`, the folder as the user wrote it. */
export function loadCaseSet(folder: string, shown: string, complain: Complain = strict): CaseSet | undefined {
  const place = path.join(shown, "caseset.yaml");
  const yaml = readYaml(path.join(folder, "caseset.yaml"), place, complain);
  if (yaml === undefined) return undefined;
  const onDisk = fit(CaseSetOnDisk, yaml.value, yaml.placeOf, complain);
  if (onDisk === undefined) {
    loadLines(folder, shown, { kind: kindOf(yaml.value), tables: null }, complain); // for a complain that goes on: each line has its own faults
    return undefined;
  }
  const { placeOf } = yaml;
  const declaredZone = onDisk.time_zone ?? null;
  const zoneKnown =
    declaredZone === null || checkZone(declaredZone, placeOf("/time_zone"), "time_zone", complain);
  const grace = parseDuration(onDisk.grace ?? "P0D", placeOf("/grace"), "grace", complain) ?? NO_GRACE;
  const sources = parseSources(onDisk, placeOf, complain);
  const tables = parseTables(onDisk, declaredZone, sources, placeOf, complain);
  const entities = parseEntities(onDisk, placeOf, complain);
  const splits = parseSplits(onDisk, placeOf, complain);
  const { kind } = onDisk;
  const declared = { kind, tables: Object.keys(onDisk.tables ?? {}) };
  const { cases, labels } = loadLines(folder, shown, declared, complain);
  if (!zoneKnown) return undefined;
  const readers = onDisk.readers ?? {};
  return {
    name: onDisk.name,
    folder,
    place,
    onDisk,
    zone: declaredZone ?? "UTC",
    grace,
    sources,
    tables,
    cases,
    labels,
    entities,
    readers,
    splits,
    placeOf,
  };
}

function parseSplits(
  { splits = {} }: CaseSetOnDisk,
  placeOf: PlaceOf,
  complain: Complain,
): Map<string, SplitDefinition> {
  const parsed = new Map<string, SplitDefinition>();
  for (const [name, split] of Object.entries(splits)) {
    const definition = parseSplitDefinition(split, placeOf(`/splits/${name}`), complain);
    if (definition !== undefined) parsed.set(name, definition);
  }
  return parsed;
}

function parseSources(onDisk: CaseSetOnDisk, placeOf: PlaceOf, complain: Complain): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const [name, source] of Object.entries(onDisk.sources ?? {})) {
    const place = placeOf(`/sources/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`);
    if ((source.terms ?? "").trim() === "") complain("SourceTermsMissing", { place, source: name });
    sources.set(name, { ...source, name, place });
  }
  return sources;
}

function parseTables(
  onDisk: CaseSetOnDisk,
  zone: string | null,
  sources: ReadonlyMap<string, Source>,
  placeOf: PlaceOf,
  complain: Complain,
) {
  const tables = new Map<string, TableSpec>();
  for (const [name, table] of Object.entries(onDisk.tables ?? {})) {
    if ("source" in table.rows && !sources.has(table.rows.source)) {
      complain("SourceUnknown", {
        place: placeOf(`/tables/${name}/rows`),
        source: table.rows.source,
        known: [...sources.keys()],
      });
      continue;
    }
    const spec = parseTableSpec(name, table, zone, placeOf, complain);
    if (spec !== undefined) tables.set(name, spec);
  }
  return tables;
}

function parseEntities(onDisk: CaseSetOnDisk, placeOf: PlaceOf, complain: Complain): AliasTable | null {
  const { entities, tables = {} } = onDisk;
  if (entities === undefined) return null;
  const place = placeOf("/entities");
  const { table, name, alias } = entities;
  if (!Object.hasOwn(tables, table)) {
    complain("TableUnknown", { place, found: table, known: Object.keys(tables) });
    return null;
  }
  if (name === alias) {
    const expected = "another column than that of the names";
    complain("FieldInvalid", { place, field: "entities.alias", found: JSON.stringify(alias), expected });
  }
  return { table, name, alias, place };
}

/** Of a set: the kind of its cases, and the names of its tables, null where the declaration could not be read. */
type Declared = { readonly kind: CaseKind; readonly tables: readonly string[] | null };

/** Of a declaration that could not be read: its cases are looked at as forecasts, unless it says otherwise. */
const kindOf = (yaml: unknown): CaseKind =>
  (yaml as { kind?: unknown } | null)?.kind === "decision" ? "decision" : "forecast";

function loadLines(folder: string, shown: string, declared: Declared, complain: Complain) {
  const { cases, ids } = loadCases(folder, shown, declared, complain);
  if (declared.kind === "decision") {
    demandNoLabels(folder, shown, complain);
    return { cases, labels: [] };
  }
  return { cases, labels: loadLabels(folder, shown, ids, complain) };
}

/** What became of a decision follows from the positions taken: a label of it would be read by nobody. */
function demandNoLabels(folder: string, shown: string, complain: Complain): void {
  if (!fs.existsSync(path.join(folder, "labels.jsonl"))) return;
  const expected = "none: what became of a decision follows from its positions";
  complain("FieldInvalid", {
    place: path.join(shown, "labels.jsonl"),
    field: "labels",
    found: "a file",
    expected,
  });
}

function loadCases(
  folder: string,
  shown: string,
  { kind, tables }: Declared,
  complain: Complain,
): { cases: BoundedCase[]; ids: ReadonlyMap<string, Place> } {
  const cases: BoundedCase[] = [];
  const seen = new Map<string, Place>();
  for (const { value, place } of jsonLines(folder, shown, "cases.jsonl", complain)) {
    const item = parseCase(kind, value, place, complain);
    const id = item?.id ?? (value as { id?: unknown } | null)?.id;
    if (typeof id === "string") {
      const first = seen.get(id);
      if (first !== undefined) complain("CaseDuplicate", { place, id, first });
      else seen.set(id, place);
    }
    if (item === undefined) continue;
    for (const table of [...item.reads, ...namedTables(item)]) {
      if (tables !== null && !tables.includes(table))
        complain("TableUnknown", { place, found: table, known: tables });
    }
    cases.push(item);
    if (cases.length > limits.cases) {
      complain("LimitExceeded", { place, what: "cases", found: cases.length, limit: limits.cases });
      break;
    }
  }
  return { cases, ids: seen };
}

/** Two labels of one case at one available time are told apart by nothing: refused, unless vintage alone differs. */
export function demandLabelOnce(label: Label, seen: Map<string, Label>, complain: Complain = strict): void {
  const key = `${label.caseId}\n${label.availableAt}`;
  const first = seen.get(key);
  if (first === undefined) {
    seen.set(key, label);
    return;
  }
  const { vintage, outcome, resolvedAt } = first;
  if (vintage !== label.vintage && outcome === label.outcome && resolvedAt === label.resolvedAt) return;
  complain("LabelDuplicate", {
    place: label.place,
    id: label.caseId,
    vintage: label.vintage,
    available: formatInstant(label.availableAt),
    first: first.place,
  });
}

function loadLabels(
  folder: string,
  shown: string,
  ids: ReadonlyMap<string, Place>,
  complain: Complain,
): Label[] {
  const labels: Label[] = [];
  const seen = new Map<string, Label>();
  for (const { value, place } of jsonLines(folder, shown, "labels.jsonl", complain)) {
    const label = parseLabel(value, place, complain);
    if (label === undefined) continue;
    if (!ids.has(label.caseId)) complain("LabelCaseUnknown", { place, id: label.caseId });
    demandLabelOnce(label, seen, complain);
    labels.push(label);
  }
  return labels;
}

function* jsonLines(
  folder: string,
  shown: string,
  name: string,
  complain: Complain,
): Generator<{ value: unknown; place: Place }> {
  for (const { text, number } of readLines(path.join(folder, name), path.join(shown, name), complain)) {
    if (text.trim() === "") continue;
    const place = `${path.join(shown, name)}:${number}`;
    const value = parseJson(text, place, complain);
    if (value !== undefined) yield { value, place };
  }
}
