/** Refusals: bad input is turned away before work starts, with a code, the place, both values, a next step. */

/** Where the fault stands: `file`, `file:line`, `file:line:column`, or a flag such as `--limit`. */
export type Place = string;

/** The closed union of codes, each with its details. Codes are contract, messages are not. */
export type Refusals = {
  ArgumentInvalid: { place: Place; found: string; expected: string };
  ArtifactDigestMismatch: { place: Place; file: string; declared: string; found: string };
  CaseDuplicate: { place: Place; id: string; first: Place };
  CellInvalid: { place: Place; column: string; found: string; expected: string };
  ColumnUnknown: { place: Place; column: string; known: readonly string[] };
  CsvInvalid: { place: Place; problem: string };
  CutoffInvalid: { place: Place; subject: string; found: string; expected: string };
  DuplicateKey: { place: Place; key: string };
  DurationInvalid: { place: Place; subject: string; found: string };
  EvalCaseResolvedBeforeFreeze: { place: Place; id: string; resolution: string; freeze: string };
  EvalCheckpointFloating: { place: Place; snapshot: string };
  EvalCheckpointUnroutable: { place: Place; family: string; cases: number; horizon: string; cutoff: string };
  EvalExecutionUndeclared: { place: Place; profile: string };
  EvalFamilyAmbiguous: { place: Place; a: string; b: string; same: string };
  EvalLabelIntervalInvalid: { place: Place; id: string; t0: string; t1: string };
  EvalLabelIntervalMissing: { place: Place; id: string };
  EvalPlantUnproven: { place: Place; probe: string; expected: string; found: string };
  EvalRunStampIncomplete: { place: Place; missing: readonly string[]; found: readonly string[] };
  FamilyUnknown: { place: Place; found: string; looked: readonly string[] };
  FieldInvalid: { place: Place; field: string; found: string; expected: string };
  FileUnreadable: { place: Place; cause: string };
  InstantInvalid: { place: Place; subject: string; found: string; expected: string };
  InstantTooFine: { place: Place; subject: string; found: string };
  JsonInvalid: { place: Place; problem: string };
  KeyMissing: { place: Place; key: string; present: readonly string[] };
  LabelCaseUnknown: { place: Place; id: string };
  LabelDuplicate: { place: Place; id: string; vintage: string; available: string; first: Place };
  LimitExceeded: { place: Place; what: string; found: number; limit: number };
  ProfileUnknown: { place: Place; found: string; looked: readonly string[] };
  PublicCorpusDigestMismatch: { place: Place; source: string; declared: string; found: string };
  ReaderUnknown: { place: Place; found: string; known: readonly string[] };
  RowAvailableBeforeValid: { place: Place; table: string; valid: string; available: string };
  RowAvailableTimeMissing: { place: Place; table: string; column: string };
  RowVersionAmbiguous: { place: Place; ref: string; available: string; first: Place };
  RunExists: { place: Place };
  RunIncomplete: { place: Place; missing: string };
  SelectionEmpty: { place: Place; selection: string; of: number };
  SourceTermsMissing: { place: Place; source: string };
  SourceUnavailable: { place: Place; source: string; from: string; found: string; next: string };
  SourceUnknown: { place: Place; source: string; known: readonly string[] };
  StorageFailed: { place: Place; cause: string; next: string };
  TableAvailableTimeMissing: { place: Place; table: string; column?: string };
  TableUnknown: { place: Place; found: string; known: readonly string[] };
  UnknownKey: { place: Place; key: string; known: readonly string[] };
  YamlInvalid: { place: Place; problem: string };
  ZoneUnknown: { place: Place; subject: string; found: string };
};

export type Code = keyof Refusals;

type Words = { subject?: string; problem: string; hint?: string };
const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
const quote = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);

const messages: { readonly [C in Code]: (details: Refusals[C]) => Words } = {
  ArgumentInvalid: (d) => ({ problem: `${quote(d.found)} given, expected ${d.expected}` }),
  ArtifactDigestMismatch: (d) => ({
    subject: d.file,
    problem: `sha256 ${d.found}, declared ${d.declared}`,
    hint: "restore the artifact, or declare its new digest as a new checkpoint",
  }),
  CaseDuplicate: (d) => ({ subject: `case ${d.id}`, problem: `this id already stands at ${d.first}` }),
  CellInvalid: (d) => ({
    subject: `column ${d.column}`,
    problem: `${quote(d.found)} is not ${d.expected}`,
    hint: "mend the cell, or declare the column's type under `columns` of its table",
  }),
  ColumnUnknown: (d) => ({
    subject: `column ${d.column}`,
    problem: `not in the table; it has ${list(d.known)}`,
  }),
  CsvInvalid: (d) => ({ problem: d.problem }),
  CutoffInvalid: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  DuplicateKey: (d) => ({
    subject: d.key,
    problem: "the same key stands twice in one object, once expected",
  }),
  DurationInvalid: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)} is not an ISO 8601 duration such as P1D or PT9H30M`,
  }),
  EvalCaseResolvedBeforeFreeze: (d) => ({
    subject: `case ${d.id}`,
    problem: `resolved at ${d.resolution}, before its freeze instant ${d.freeze}`,
  }),
  EvalCheckpointFloating: (d) => ({
    subject: `snapshot ${d.snapshot}`,
    problem: "a floating alias, expected a pinned snapshot",
    hint: "name the dated snapshot that the alias stood for",
  }),
  EvalCheckpointUnroutable: (d) => ({
    subject: `family ${d.family}`,
    problem: `none of ${d.cases} cases can be routed: the latest horizon is ${d.horizon}, the earliest post-training cutoff ends at ${d.cutoff}`,
    hint: "add an older checkpoint to the family, or choose later cases",
  }),
  EvalExecutionUndeclared: (d) => ({
    subject: `profile ${d.profile}`,
    problem: "no `execution`, expected `execution: none` or a component",
    hint: "write `execution: none` where nothing is traded",
  }),
  EvalFamilyAmbiguous: (d) => ({
    problem: `${d.a} and ${d.b} have the same ${d.same}, so that routing cannot choose`,
  }),
  EvalLabelIntervalInvalid: (d) => ({
    subject: `case ${d.id}: label_interval`,
    problem: `ends at ${d.t1}, before its start ${d.t0}`,
  }),
  EvalLabelIntervalMissing: (d) => ({
    subject: `case ${d.id}`,
    problem: "no label_interval, expected [t0, t1]",
    hint: "the interval over which the label is formed; purging and embargo need it",
  }),
  EvalPlantUnproven: (d) => ({
    subject: d.probe,
    problem: `expected ${d.expected}, the door answered ${d.found}`,
    hint: "the store's door does not hold the horizon; no case was run",
  }),
  EvalRunStampIncomplete: (d) => ({
    problem: `identity lacks ${list(d.missing)}; it has ${list(d.found)}`,
    hint: "a component that does not exist says `none`",
  }),
  FamilyUnknown: (d) => ({ problem: `no family ${quote(d.found)}; looked at ${list(d.looked)}` }),
  FieldInvalid: (d) => ({ subject: d.field, problem: `${d.found}, expected ${d.expected}` }),
  FileUnreadable: (d) => ({ problem: d.cause }),
  InstantInvalid: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  InstantTooFine: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)} has more than six fractional digits; instants are whole microseconds`,
  }),
  JsonInvalid: (d) => ({ problem: d.problem }),
  KeyMissing: (d) => ({ subject: d.key, problem: `required, and absent; present: ${list(d.present)}` }),
  LabelCaseUnknown: (d) => ({
    subject: `case ${d.id}`,
    problem: "a label for a case that is not in the set",
  }),
  LabelDuplicate: (d) => ({
    subject: `case ${d.id}`,
    problem: `vintage ${d.vintage} available at ${d.available} already stands at ${d.first}`,
  }),
  LimitExceeded: (d) => ({ subject: d.what, problem: `${d.found}, at most ${d.limit}` }),
  ProfileUnknown: (d) => ({ problem: `no profile ${quote(d.found)}; looked at ${list(d.looked)}` }),
  PublicCorpusDigestMismatch: (d) => ({
    subject: `source ${d.source}`,
    problem: `sha256 ${d.found}, declared ${d.declared}`,
    hint: "these are not the bytes that the case set was made on; install the pinned version",
  }),
  ReaderUnknown: (d) => ({ problem: `no reader ${quote(d.found)}; known: ${list(d.known)}` }),
  RowAvailableBeforeValid: (d) => ({
    subject: `table ${d.table}`,
    problem: `available at ${d.available}, before its valid time ${d.valid}`,
    hint: "write `forward: true` if the table holds statements about the future",
  }),
  RowAvailableTimeMissing: (d) => ({
    subject: `table ${d.table}`,
    problem: `no available time in ${d.column}, expected an instant`,
    hint: "a row that nobody can date cannot be bounded",
  }),
  RowVersionAmbiguous: (d) => ({
    subject: d.ref,
    problem: `another version with the same available time ${d.available} stands at ${d.first}`,
  }),
  RunExists: (d) => ({ problem: `a run folder is already there: ${d.place}`, hint: "choose another --out" }),
  RunIncomplete: (d) => ({
    problem: `${d.missing} is not there: the run was not closed, or this is no run folder`,
  }),
  SelectionEmpty: (d) => ({ problem: `${d.selection} leaves 0 of ${d.of} cases, expected at least 1` }),
  SourceTermsMissing: (d) => ({
    subject: `source ${d.source}`,
    problem: "no `terms`, expected the licence or the terms of use",
  }),
  SourceUnavailable: (d) => ({
    subject: `source ${d.source}`,
    problem: `${d.from} wanted, found ${d.found}`,
    hint: d.next,
  }),
  SourceUnknown: (d) => ({ problem: `no source ${quote(d.source)}; declared: ${list(d.known)}` }),
  StorageFailed: (d) => ({ problem: d.cause, hint: d.next }),
  TableAvailableTimeMissing: (d) => ({
    subject: `table ${d.table}`,
    problem: `no available_time${d.column === undefined ? "" : ` for column ${d.column}`}, expected one`,
    hint: "say when a row could first be known: `{after: valid_time, delay: P1D}` or `{column: released_at}`",
  }),
  TableUnknown: (d) => ({ problem: `no table ${quote(d.found)}; declared: ${list(d.known)}` }),
  UnknownKey: (d) => ({ subject: d.key, problem: `not a key here; known: ${list(d.known)}` }),
  YamlInvalid: (d) => ({ problem: d.problem }),
  ZoneUnknown: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)} is not an IANA time zone such as America/Los_Angeles`,
  }),
};

export const codes = Object.keys(messages) as readonly Code[];

/** The one error class: `code` is contract, `details` are typed by it, the message is made here. */
export class BlindcastError<C extends Code = Code> extends Error {
  readonly code: C;
  readonly details: Refusals[C];
  readonly hint: string | undefined;
  constructor(code: C, details: Refusals[C]) {
    const words = messages[code](details);
    super(
      oneLine([code, details.place, ...(words.subject ? [words.subject] : []), words.problem].join(": ")),
    );
    this.name = "BlindcastError";
    this.code = code;
    this.details = details;
    this.hint = words.hint === undefined ? undefined : oneLine(words.hint);
  }
}

/** A refusal is one line, and what a file says of itself commands no terminal: control characters are escaped. */
function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function refuse<C extends Code>(code: C, details: Refusals[C]): never {
  throw new BlindcastError(code, details);
}

export function isRefusal<C extends Code>(error: unknown, code?: C): error is BlindcastError<C> {
  return error instanceof BlindcastError && (code === undefined || error.code === code);
}

/** What a loader does with a refusal: throw it (the default), or note it and look for the next. */
export type Complain = <C extends Code>(code: C, details: Refusals[C]) => void;

/** The first refusal ends the work. */
export const strict: Complain = (code, details) => refuse(code, details);

/** Thrown where as many refusals as the limit were noted and another came: the list is full, and says so. */
export class ListFull extends Error {
  override name = "ListFull";
}

/** Notes every refusal, up to `limit`; the loader goes on with what it could read. The next throws ListFull. */
export function noting(limit: number): { complain: Complain; refusals: BlindcastError[] } {
  const refusals: BlindcastError[] = [];
  const complain: Complain = (code, details) => {
    if (refusals.length >= limit) throw new ListFull(`${limit} refusals were listed, and there are more`);
    refusals.push(new BlindcastError(code, details) as BlindcastError);
  };
  return { complain, refusals };
}

/** Runs `work`; a refusal inside it goes to `complain`, and the answer is then undefined. */
export function attempt<T>(complain: Complain, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BlindcastError)) throw error;
    complain(error.code, error.details as never);
    return undefined;
  }
}
