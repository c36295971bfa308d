/** The shape of one entry: exactly the keys of its kind, each of its type and in its range, so that what passes is an Entry. */
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { ENTRY_FORMAT } from "../core/version.ts";

type Digest = `sha256:${string}`;
/** What was judged: `document` by its digest. */
const judgedFields = ["dimension", "document", "ref", "reference_answer"] as const;
const usageFields = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "cost",
  "model_calls",
  "retries",
] as const;
type Positions = { readonly [entity: string]: number };
type Usage = { readonly [field in (typeof usageFields)[number]]: number | null };
type FaultName = (typeof recordedFaults)[number];
type Retry = {
  readonly class: FaultName;
  readonly status: number | null;
  readonly ms: number;
  readonly wait_ms: number;
};

/** What may have gone wrong with an attempt, as the record spells it. */
export const recordedFaults = [
  "transport",
  "timeout",
  "rate_limit",
  "auth",
  "bad_request",
  "context_window",
  "malformed_output",
  "empty_output",
  "budget",
  "aborted",
  "protocol",
] as const;

type Call = { readonly args: Json; readonly result: Digest; readonly bytes: number; readonly ms: number };
type Modelled = {
  readonly name: string;
  readonly model: string;
  readonly served: string | null;
  readonly request: Digest;
  readonly result: Digest;
  readonly bytes: number;
  readonly status: number | null;
  readonly class: FaultName | null;
  readonly retries: readonly Retry[];
  readonly cached: boolean;
  readonly usage: Usage;
  readonly ms: number;
};
type Judged = { readonly [key in (typeof judgedFields)[number]]: string };
type Made = { readonly usage: Usage | null; readonly ms: number };
type Body =
  | ({ readonly kind: "probe"; readonly name: "presence" | "absence" } & Call)
  | ({
      readonly kind: "tool";
      readonly name: string;
      readonly unplanted: Digest;
      readonly in_reach: boolean;
      readonly planted?: number;
      readonly usage: Usage | null;
    } & Call)
  | ({ readonly kind: "model" } & Modelled)
  | ({
      readonly kind: "judge";
      readonly args: Judged;
      readonly value: number | null;
      readonly reason: string;
    } & Modelled)
  | ({ readonly kind: "answer"; readonly probability: number; readonly positions?: never } & Made)
  | ({ readonly kind: "answer"; readonly positions: Positions; readonly probability?: never } & Made)
  | ({ readonly kind: "decline"; readonly reason: string } & Made)
  | ({
      readonly kind: "fault";
      readonly class: FaultName;
      readonly message: string;
      readonly broke?: "ReaderSawLater";
    } & Made)
  | { readonly kind: "end"; readonly steps: number }
  | { readonly kind: "end"; readonly abandoned: number };

type Standing = {
  readonly v: typeof ENTRY_FORMAT;
  readonly run: string;
  readonly seq: number;
  readonly at: string;
  readonly arm: string;
  readonly repeat: number;
  readonly attempt: number;
  readonly step: number;
  readonly prev: string;
};

/** The bound may be absent here: that it stands on every entry is the stage `bounds`. */
type Bound = {
  readonly case: string;
  readonly horizon: string;
  readonly as_of: string;
  readonly view: Digest;
};

export type RecordedEntry = Body & Standing & Partial<Bound>;

/** What is wrong with a value: not of the one type (`v`), or not of its kind's shape. */
export type ShapeFault = {
  readonly code: "EntryTypeUnknown" | "EntryShapeWrong";
  readonly field: string;
  readonly found: string;
  readonly expected: string;
};

type Field = {
  readonly key: string;
  readonly test: (value: unknown) => boolean;
  readonly expected: string;
  readonly optional: boolean;
};

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const HEX = /^[0-9a-f]{64}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

const tests = {
  anything: [() => true, "a value"],
  text: [(value) => typeof value === "string", "a text"],
  name: [(value) => typeof value === "string" && value !== "", "a text that is not empty"],
  count: [(value) => Number.isSafeInteger(value) && (value as number) >= 0, "a count"],
  some: [(value) => Number.isSafeInteger(value) && (value as number) > 0, "a count from 1"],
  flag: [(value) => value === true || value === false, "true or false"],
  digest: [(value) => typeof value === "string" && DIGEST.test(value), "sha256: and 64 hexadecimal digits"],
  hex: [(value) => typeof value === "string" && HEX.test(value), "64 hexadecimal digits"],
  instant: [(value) => typeof value === "string" && INSTANT.test(value), "an RFC 3339 instant ending in Z"],
  probability: [(value) => typeof value === "number" && value >= 0 && value <= 1, "a number from 0 to 1"],
  probe: [(value) => value === "presence" || value === "absence", "presence or absence"],
  fault: [isFaultName, recordedFaults.join(", ")],
  usage: [isUsageOrNull, `null, or ${usageFields.join(", ")}, each null or a number from 0`],
  used: [isUsage, `${usageFields.join(", ")}, each null or a number from 0`],
  textOrNull: [(value) => value === null || typeof value === "string", "a text or null"],
  status: [isStatus, "an HTTP status or null"],
  faultOrNull: [(value) => value === null || isFaultName(value), `null, ${recordedFaults.join(", ")}`],
  retries: [isRetries, "a list of tries: class, ms, status, wait_ms"],
  value: [
    (value) =>
      value === null || (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 4),
    "an integer from 0 to 4, or null",
  ],
  judged: [isJudged, `texts: ${judgedFields.join(", ")}, document as 64 hexadecimal digits`],
  rule: [(value) => value === "ReaderSawLater", "ReaderSawLater"],
  positions: [isPositions, `finite weights by entity, at most ${limits.positions}`],
} as const satisfies { readonly [name: string]: readonly [(value: unknown) => boolean, string] };

function isUsageOrNull(value: unknown): boolean {
  return value === null || isUsage(value);
}

function isUsage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.keys(value).length !== usageFields.length) return false;
  const usage = value as { readonly [key: string]: unknown };
  return usageFields.every((key) => {
    const amount = usage[key];
    return amount === null || (typeof amount === "number" && amount >= 0 && amount <= limits.usage);
  });
}

function isPositions(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= limits.positions &&
    entries.every(
      ([entity, weight]) => entity !== "" && typeof weight === "number" && Number.isFinite(weight),
    )
  );
}

function isFaultName(value: unknown): boolean {
  return (recordedFaults as readonly unknown[]).includes(value);
}

function isJudged(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.keys(value).length !== judgedFields.length) return false;
  const judged = value as { readonly [key: string]: unknown };
  return (
    judgedFields.every((key) => typeof judged[key] === "string") && HEX.test(judged["document"] as string)
  );
}

function isStatus(value: unknown): boolean {
  return (
    value === null || (Number.isSafeInteger(value) && (value as number) >= 100 && (value as number) < 1000)
  );
}

function isRetries(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRetry);
}

function isRetry(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 4) return false;
  const { class: of, status, ms, wait_ms: wait } = value as { readonly [key: string]: unknown };
  const isCount = (amount: unknown) => Number.isSafeInteger(amount) && (amount as number) >= 0;
  return isFaultName(of) && isStatus(status) && isCount(ms) && isCount(wait);
}

type TestName = keyof typeof tests;
const field = (key: string, name: TestName, optional = false): Field => ({
  key,
  test: tests[name][0],
  expected: tests[name][1],
  optional,
});

const common: readonly Field[] = [
  field("run", "name"),
  field("seq", "count"),
  field("at", "instant"),
  field("arm", "name"),
  field("repeat", "count"),
  field("attempt", "count"),
  field("step", "count"),
  field("prev", "hex"),
  field("case", "name", true),
  field("horizon", "instant", true),
  field("as_of", "instant", true),
  field("view", "digest", true),
];
const call = [
  field("args", "anything"),
  field("result", "digest"),
  field("bytes", "count"),
  field("ms", "count"),
];
const made = [field("usage", "usage"), field("ms", "count")];
const modelled = [
  field("name", "text"),
  field("model", "text"),
  field("served", "textOrNull"),
  field("request", "digest"),
  field("result", "digest"),
  field("bytes", "count"),
  field("status", "status"),
  field("class", "faultOrNull"),
  field("retries", "retries"),
  field("cached", "flag"),
  field("usage", "used"),
  field("ms", "count"),
];

const shape = (...fields: readonly Field[]) => [...common, ...fields];
const shapes: ReadonlyMap<unknown, readonly Field[]> = new Map([
  ["probe", shape(field("name", "probe"), ...call)],
  [
    "tool",
    shape(
      field("name", "text"),
      field("unplanted", "digest"),
      field("in_reach", "flag"),
      field("planted", "some", true),
      field("usage", "usage"),
      ...call,
    ),
  ],
  ["model", shape(...modelled)],
  ["judge", shape(field("args", "judged"), field("value", "value"), field("reason", "text"), ...modelled)],
  ["decline", shape(field("reason", "text"), ...made)],
  ["fault", shape(field("class", "fault"), field("message", "text"), field("broke", "rule", true), ...made)],
]);
const probable = shape(field("probability", "probability"), ...made);
const positioned = shape(field("positions", "positions"), ...made);
const steps = shape(field("steps", "count"));
const abandoned = shape(field("abandoned", "count"));

/** Undefined where `value`, parsed from canonical JSON, is a RecordedEntry. */
export function shapeFault(value: Json): ShapeFault | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { code: "EntryTypeUnknown", field: "v", found: shown(value), expected: "an object" };
  const entry = value as { readonly [key: string]: Json | undefined };
  if (entry["v"] !== ENTRY_FORMAT)
    return { code: "EntryTypeUnknown", field: "v", found: shown(entry["v"]), expected: ENTRY_FORMAT };
  const { kind } = entry;
  const fields = shapeOf(entry);
  if (fields === undefined)
    return wrong("kind", kind, `one of ${[...shapes.keys(), "answer", "end"].join(", ")}`);
  let present = 2;
  for (const { key, test, expected, optional } of fields) {
    const found = entry[key];
    if (found === undefined) {
      if (!optional) return wrong(key, found, expected);
    } else if (!test(found)) return wrong(key, found, expected);
    else present++;
  }
  const keys = Object.keys(entry);
  if (keys.length === present) return undefined;
  const known = fields.map(({ key }) => key);
  const spare = keys.find((key) => key !== "v" && key !== "kind" && !known.includes(key)) as string;
  return wrong(spare, entry[spare], `no such field where kind is ${String(kind)}`);
}

/** An answer and an end have two shapes each. */
function shapeOf(entry: { readonly [key: string]: Json | undefined }): readonly Field[] | undefined {
  const { kind } = entry;
  if (kind === "answer") return entry["positions"] === undefined ? probable : positioned;
  if (kind === "end") return entry["abandoned"] === undefined ? steps : abandoned;
  return shapes.get(kind);
}

const wrong = (key: string, found: Json | undefined, expected: string): ShapeFault => ({
  code: "EntryShapeWrong",
  field: key,
  found: shown(found),
  expected,
});

function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
