/** Rows of a trial ledger: a trial that began, and how it ended. What was configured and measured is opaque here. */
import { canonical, type Json } from "../core/canonical.ts";
import { formatInstant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";

/** A trial begins: all its declared repeats at once. */
export type TrialStart = {
  /** In the one spelling of formatInstant. */
  readonly at: string;
  readonly run: string;
  /** Digest of all that tells two trials apart, but for the seed. */
  readonly identity: string;
  /** The base seed, from which the repeats' are derived. */
  readonly seed: number;
  readonly repeats: number;
  /** What the measures are per; trials of other units do not compare. */
  readonly units: string | null;
  readonly config: Json;
};
/** A trial has ended, with what was measured of it. */
export type TrialEnd = {
  readonly at: string;
  readonly run: string;
  /** The number of its start row. */
  readonly start: number;
  readonly measures: Json;
  /** Digest of what was measured from. */
  readonly series: string | null;
};
/** A trial can never end. One whose run only stopped has no such row, and may go on. */
export type TrialFail = {
  readonly at: string;
  readonly run: string;
  readonly start: number;
  readonly reason: string;
};
export type TrialContent =
  | ({ readonly kind: "start" } & TrialStart)
  | ({ readonly kind: "end" } & TrialEnd)
  | ({ readonly kind: "fail" } & TrialFail);

/**
 * One line of canonical JSON, its newline apart at most limits.entryBytes:
 * `{"at":"2026-01-05T09:00:00Z","kind":"fail","prev":"sha256:…","reason":"…","row":1,"run":"…","start":0,"v":"blindcast.trial/1"}`.
 */
export type TrialRow = TrialContent & {
  /** From 0. */
  readonly row: number;
  /** SHA-256 of the line before, without its newline; of the empty text in row 0. */
  readonly prev: string;
  readonly v: "blindcast.trial/1";
};

const FORMAT = "blindcast.trial/1";
type Test = readonly [test: (value: unknown) => boolean, expected: string];

const number = (least: number, most: number): Test => [
  (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  `a whole number from ${least} to ${most}`,
];
const wordsUpTo = (most: number): Test => [
  (value) => typeof value === "string" && value !== "" && value.length <= most,
  `a text of 1 to ${most} characters`,
];
const orNull = ([test, expected]: Test): Test => [
  (value) => value === null || test(value),
  `${expected}, or null`,
];
const digest: Test = [
  (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
  "sha256: and 64 hexadecimal digits",
];
const anything: Test = [(value) => value !== undefined, "any value"];
const run: Test = [
  (value) => typeof value === "string" && /^[0-9A-Z]{26}$/.test(value),
  "26 characters of 0-9 and A-Z",
];
const at: Test = [isInstant, "an instant in UTC, such as 2026-01-05T09:00:00Z"];
const rowNumber = number(0, limits.trialRows);

function isInstant(value: unknown): boolean {
  const instant = parseInstant(value, "", "", () => {});
  return instant !== undefined && formatInstant(instant) === value;
}

type Shape = { readonly [field: string]: Test };
const every: Shape = { at, kind: anything, prev: digest, row: rowNumber, run, v: anything };
const shapes: { readonly [K in TrialContent["kind"]]: Shape } = {
  start: {
    ...every,
    config: anything,
    identity: digest,
    repeats: number(1, limits.repeats),
    seed: number(0, Number.MAX_SAFE_INTEGER),
    units: orNull(wordsUpTo(limits.nameCharacters)),
  },
  end: { ...every, measures: anything, series: orNull(digest), start: rowNumber },
  fail: { ...every, reason: wordsUpTo(limits.wordsCharacters), start: rowNumber },
};

const fieldsOf = {
  start: Object.entries(shapes.start),
  end: Object.entries(shapes.end),
  fail: Object.entries(shapes.fail),
};

export type TrialFault = { readonly found: string; readonly expected: string };

/** What keeps a value from being a row by itself, whatever stands before it; undefined where nothing does. */
export function trialRowFault(value: Json): TrialFault | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return { found: "no object", expected: "an object" };
  const fields = value as { readonly [field: string]: Json };
  if (fields["v"] !== FORMAT) return fieldFault(fields, "v", FORMAT);
  const kind = fields["kind"];
  if (kind !== "start" && kind !== "end" && kind !== "fail")
    return fieldFault(fields, "kind", "start, end or fail");
  const shape = shapes[kind];
  for (const [field, [test, expected]] of fieldsOf[kind])
    if (!Object.hasOwn(fields, field) || !test(fields[field])) return fieldFault(fields, field, expected);
  const spare = Object.keys(fields).find((field) => !Object.hasOwn(shape, field));
  return spare === undefined
    ? undefined
    : { found: `the key ${spare}`, expected: `the keys of a row ${kind}: ${Object.keys(shape).join(", ")}` };
}

function fieldFault(fields: { readonly [field: string]: Json }, field: string, expected: string): TrialFault {
  const found = Object.hasOwn(fields, field) ? JSON.stringify(fields[field]).slice(0, 200) : "absent";
  return { found: `${field} ${found}`, expected: `${field} ${expected}` };
}

/** The one spelling of a row, without a newline. Throws RangeError for one that no reader would take. */
export function trialLine(content: TrialContent, row: number, prev: string): string {
  const value = { ...content, row, prev, v: FORMAT } as unknown as Json;
  const fault = trialRowFault(value);
  if (fault !== undefined) throw new RangeError(`${fault.found}, expected ${fault.expected}`);
  return canonical(value);
}
