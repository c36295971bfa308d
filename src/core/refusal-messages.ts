/** The messages of refusals, in one table: what was wrong, both values, and a next step where there is one. */
import { durationMeant } from "./duration-meant.ts";
import type { Code, Refusals } from "./refusal-codes.ts";
import { financeMessages } from "./refusal-finance.ts";
import type { Words } from "./refusal-words.ts";

const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
const quote = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);
/** The first ten of names that stand in a file, each quoted. */
const few = (names: readonly string[]) =>
  list([...names.slice(0, 10).map(quote), ...(names.length > 10 ? [`${names.length - 10} more`] : [])]);

/** A next step that only the place knows. */
const hinted = (next: string | undefined) => (next === undefined ? {} : { hint: next });

/** Of a violation that a report must list. */
const UNLISTED =
  "the report does not list it: had it done so, the case would have failed, and the record held";

/** How each refusal is worded. */
export const messages: { readonly [C in Code]: (details: Refusals[C]) => Words } = {
  ...financeMessages,
  ArgumentInvalid: (d) => ({
    problem: `${quote(d.found)} given, expected ${d.expected}`,
    ...hinted(d.next),
  }),
  ArtifactDigestMismatch: (d) => ({
    subject: d.file,
    problem: `sha256 ${d.found}, declared ${d.declared}`,
    hint: "restore the artifact, or declare its new digest as a new checkpoint",
  }),
  AsOfMismatch: (d) => ({
    subject: "as_of",
    problem: `${d.found}, the case's horizon is ${d.expected}`,
    hint: UNLISTED,
  }),
  BlobDigestMismatch: (d) => ({ problem: `${d.found}, expected ${d.expected}` }),
  BlobIndexInvalid: (d) => ({ problem: `${quote(d.found)}, expected ${d.expected}` }),
  BlobMissing: (d) => ({ subject: "result", problem: `${d.digest} is not in blobs.idx` }),
  BlobSizeMismatch: (d) => ({ subject: d.subject, problem: `${d.found} bytes, expected ${d.expected}` }),
  BlobUnreferenced: (d) => ({ problem: `${d.digest} is the result of no entry` }),
  BodyInvalid: (d) => ({ subject: `body ${d.digest}`, problem: `${d.found}, expected ${d.expected}` }),
  BoundAttributeMissing: (d) => ({
    subject: list(d.missing),
    problem: "absent, expected on every entry",
    hint: UNLISTED,
  }),
  CaseCountMismatch: (d) => ({ problem: `${d.found} lines, the manifest selected ${d.expected} cases` }),
  CaseDuplicate: (d) => ({ subject: `case ${d.id}`, problem: `this id already stands at ${d.first}` }),
  CasesDigestMismatch: (d) => ({ problem: `${d.found}, the manifest has ${d.expected}` }),
  CellInvalid: (d) => ({
    subject: `column ${d.column}`,
    problem: `${quote(d.found)} is not ${d.expected}`,
    hint: d.next ?? "mend the cell, or declare the column's type under `columns` of its table",
  }),
  CheckpointMalformed: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  CheckpointsDiffer: (d) => ({
    problem: `proven against the checkpoint ${quote(d.found)}, the open leaf against ${quote(d.expected)}`,
    hint: "both proofs of a run are made against the one checkpoint that was signed when it closed",
  }),
  ColumnUnknown: (d) => ({
    subject: `${d.field === undefined ? "" : `${d.field}: `}column ${d.column}`,
    problem: `not in the table; it has ${list(d.known)}`,
    ...hinted(d.next),
  }),
  CostUnconfirmed: (d) => ({
    problem: `the run is expected to cost ${d.found}, the profile asks from ${d.limit} on`,
    hint: "--yes goes ahead; --limit and --filter make it smaller",
  }),
  CredentialMissing: (d) => ({
    problem: `the environment variable ${d.variable} is not set, expected the endpoint's key`,
    hint: `set ${d.variable}; its value is written nowhere`,
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
    ...hinted(durationMeant(d.found)),
  }),
  EndpointUnknown: (d) => ({ problem: `no endpoint ${quote(d.found)}; looked for ${list(d.looked)}` }),
  EngineMismatch: (d) => ({
    subject: "report_version",
    problem: `${d.found}, this is ${d.expected}`,
    hint:
      d.engine === null
        ? "replay it with the version that made it, which its stamp does not name"
        : `replay it with the version that made it: npm install --global blindcast@${d.engine}`,
  }),
  EntriesTruncated: (d) => ({
    problem: `the last ${d.bytes} bytes have no newline, expected one at the end of each line`,
  }),
  EntryCaseUnknown: (d) => ({ subject: "case", problem: `${quote(d.id)} is not in cases.jsonl` }),
  EntryChain: (d) => ({ subject: "prev", problem: `${quote(d.found)}, but ${d.before} is ${d.expected}` }),
  EntryCountMismatch: (d) => ({ problem: `${d.found} lines, the close leaf has ${d.expected}` }),
  EntryRun: (d) => ({
    subject: "run",
    problem: `${quote(d.found)}, the manifest is of ${quote(d.expected)}`,
  }),
  EntrySequence: (d) => ({ subject: d.subject, problem: `${d.found}, expected ${d.expected}` }),
  EntryShapeWrong: (d) => ({ subject: d.field, problem: `${d.found}, expected ${d.expected}` }),
  EntryStep: (d) => ({ subject: d.of, problem: `step ${d.found}, expected ${d.expected}` }),
  EntryTooLarge: (d) => ({ problem: `${d.found} bytes, at most ${d.limit}` }),
  EntryTypeUnknown: (d) => ({ subject: "v", problem: `${d.found}, expected ${d.expected}` }),
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
    problem: `no ${d.trades ? "component in `execution`, expected one: answers are positions" : "`execution`, expected `execution: none` or a component"}`,
    hint: d.trades
      ? "write `component: next-available-price` with its `prices` and `costs` under `execution`: docs/decisions.md has an example"
      : "write `execution: none` where nothing is traded",
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
    problem: `no label_interval${d.columns === undefined ? "" : ` in the columns ${list(d.columns)}`}, expected [t0, t1]`,
    hint: "the interval over which the label is formed; purging and embargo need it",
  }),
  EvalLeakReferenceUndeclared: (d) => ({
    subject: "leakage",
    problem: `${list(d.declared)} declared, and no reference that leakage is measured against`,
    hint: "say `reference: discontinuity`, `clean-control`, or both: a bare difference before and after is no leakage",
  }),
  EvalPlantUnproven: (d) => ({
    subject: d.probe,
    problem: `expected ${d.expected}, the door answered ${d.found}`,
    hint: "the store's door does not hold the horizon; no case was run",
  }),
  EvalRunStampIncomplete: (d) => ({
    problem: `identity lacks ${list(d.missing)}; it has ${list(d.found)}`,
    hint: "the profile's `identity:` says what the reader does not; a component that does not exist says `none`",
  }),
  FamilyUnknown: (d) => ({ problem: `no family ${quote(d.found)}; looked at ${list(d.looked)}` }),
  FieldInvalid: (d) => ({ subject: d.field, problem: `${d.found}, expected ${d.expected}` }),
  FileMissing: (d) => ({ problem: d.problem }),
  FileNotRegular: (d) => ({ problem: `${d.found}, expected ${d.expected}` }),
  FileTooLarge: (d) => ({ problem: `${d.found} bytes, at most ${d.limit}` }),
  FileUnexpected: (d) => ({ problem: d.problem, ...(d.next === undefined ? {} : { hint: d.next }) }),
  FileUnreadable: (d) => ({ problem: d.cause }),
  HorizonMismatch: (d) => ({
    subject: "horizon",
    problem: `${d.found}, the case's is ${d.expected}`,
    hint: UNLISTED,
  }),
  InclusionInvalid: (d) => ({
    problem: `the leaf is not number ${d.index} of the ${d.size} leaves under the root ${d.root}`,
  }),
  InstantInvalid: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)}, expected ${d.expected}`,
    ...hinted(d.next),
  }),
  InstantTooFine: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)} has more than six fractional digits; instants are whole microseconds`,
  }),
  JournalBroken: (d) => ({
    problem: `${d.found}, expected ${d.expected}`,
    hint: "the record was changed since it was written: it is not gone on with",
  }),
  JsonInvalid: (d) => ({ problem: d.problem }),
  JudgementMismatch: (d) => ({
    subject: d.ref,
    problem: `the record says ${d.found}; what it holds gives ${d.expected}`,
  }),
  KeyAmbiguous: (d) => ({
    subject: `key ${quote(`${d.name}+${d.id}`)}`,
    problem: `${d.found} trusted keys have this name and id, expected one`,
    hint: "one of them was made to collide: find out whose it is before you trust either",
  }),
  KeyExists: () => ({
    problem: "something is already there",
    hint: "a key that signed a ledger is never written over: choose another --out",
  }),
  KeyIdMismatch: (d) => ({
    subject: `key ${quote(d.name)}`,
    problem: `the id ${d.found} is written, the name and the key have ${d.expected}`,
    hint: "copy the whole key again from who made it",
  }),
  KeyMalformed: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  KeyMisplaced: (d) => ({
    problem: `inside ${d.inside}, expected ${d.expected}`,
    hint: "what lies there is handed to others with the record, and a key is not: choose another --out",
  }),
  KeyMissing: (d) => ({
    subject: d.key,
    problem: `required, and absent; present: ${list(d.present)}`,
    ...hinted(d.next),
  }),
  KeyPermissions: (d) => ({
    problem: `mode ${d.found}, expected ${d.expected}: others can read this key`,
    hint: `chmod 600 ${d.place}; if somebody may have read it, make a new key`,
  }),
  KeyUnreadable: (d) => ({
    problem: `${d.found}, expected ${d.expected}`,
    ...(d.next === undefined ? {} : { hint: d.next }),
  }),
  KeyWeak: (d) => ({
    subject: `key ${quote(d.name)}`,
    problem: `the point ${d.found}, expected ${d.expected}`,
    hint: "signatures under this key can be made without its secret: ask for another key",
  }),
  LabelCaseUnknown: (d) => ({
    subject: `case ${d.id}`,
    problem: "a label for a case that is not in the set",
  }),
  LabelDuplicate: (d) => ({
    subject: `case ${d.id}`,
    problem: `vintage ${d.vintage} available at ${d.available} already stands at ${d.first}`,
  }),
  LeakServed: (d) => ({ subject: d.call, problem: d.problem, hint: UNLISTED }),
  LedgerBusy: (d) => ({ problem: `held by ${d.holder}`, hint: d.next }),
  LedgerMismatch: (d) => ({ subject: "ledger", problem: `${d.found}, the proofs are of ${d.expected}` }),
  LedgerOriginMismatch: (d) => ({
    problem: `this log was signed as ${quote(d.found)}, and now as ${quote(d.expected)}`,
    hint: "a key keeps one log under one origin: give the same --origin, or make another key",
  }),
  LedgerRolledBack: (d) => ({
    problem: `${d.found} leaves are there, ${d.seen} were there before`,
    hint: "leaves were taken away, or an older copy was put back: restore the newest copy of this ledger",
  }),
  LedgerSplitView: (d) => ({
    problem: `the root of the first ${d.size} leaves is ${d.found}, and was ${d.seen} before`,
    hint: "leaves were altered, or this is another ledger: restore the copy that was signed",
  }),
  LedgerStateLost: (d) => ({
    problem: `${d.missing} is not there, but ${d.present} is: what was signed last is lost`,
    hint: "restore the folder from a copy, or make a new key: no log is signed from its beginning twice",
  }),
  LeafTypeWrong: (d) => ({ problem: `${d.found}, expected ${d.expected}` }),
  LimitExceeded: (d) => ({ subject: d.what, problem: `${d.found}, at most ${d.limit}` }),
  ManifestDigestMismatch: (d) => ({ problem: `${d.found}, ${d.by} ${d.expected}` }),
  NoteMalformed: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  OpenNotBeforeClose: (d) => ({
    problem: `leaf ${d.open} opens the run that leaf ${d.close} closes, expected the earlier leaf`,
  }),
  NotCanonical: (d) => ({ problem: `${quote(d.found)}, expected ${quote(d.expected)}` }),
  OriginUntrusted: (d) => ({
    problem: `the origin ${quote(d.found)} is no log of the policy; it has ${few(d.known)}`,
    hint: "if you trust this log, add its key to the policy: `log <key>`",
  }),
  PackageMissing: (d) => ({
    problem: `the package ${d.name} is not installed`,
    hint: `npm install ${d.name}@${d.version}`,
  }),
  PlantCommitmentMismatch: (d) => ({
    problem: `secret, salt and these plants give ${d.found}, the open leaf has ${d.expected}`,
    hint: "these are not the plants that were committed to before the first read",
  }),
  PlantServed: (d) => ({ subject: d.call, problem: d.problem, hint: UNLISTED }),
  PlantUnproven: (d) => ({ subject: d.call, problem: d.problem, hint: UNLISTED }),
  PolicyInvalid: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  ProfileUnknown: (d) => ({ problem: `no profile ${quote(d.found)}; looked at ${list(d.looked)}` }),
  ProofMalformed: (d) => ({ subject: d.subject, problem: `${quote(d.found)}, expected ${d.expected}` }),
  PublicCorpusDigestMismatch: (d) => ({
    subject: `source ${d.source}`,
    problem: `sha256 ${d.found}, declared ${d.declared}`,
    hint: "these are not the bytes that the case set was made on; install the pinned version",
  }),
  QuorumUnmet: (d) => ({
    subject: `quorum ${quote(d.quorum)}`,
    problem: `cosigned by ${few(d.present)}, expected ${d.k} of ${few(d.members)}`,
  }),
  ReaderFileMismatch: (d) => ({
    problem: `the file's digest is ${d.found}, the run was made with ${d.expected}`,
    hint: d.next,
  }),
  ReaderIdentityMismatch: (d) => ({
    problem: `the reader says ${d.field} ${d.found}, its checkpoint has ${d.expected}`,
  }),
  ReaderModuleUnsupported: (d) => ({ problem: `${d.found}, expected ${d.expected}` }),
  ReaderUnavailable: (d) => ({ problem: d.problem, hint: d.next }),
  ReaderUnknown: (d) => ({ problem: `no reader ${quote(d.found)}; known: ${list(d.known)}` }),
  ReplayAnswerMismatch: (d) => ({
    problem: `executed again, the reader gave ${d.found}, recorded is ${d.expected}`,
    ...(d.next === undefined ? {} : { hint: d.next }),
  }),
  ReplayRequestUnknown: (d) => ({
    problem: `executed again, the reader asked for ${d.found}, recorded is ${d.expected}`,
    ...(d.next === undefined ? {} : { hint: d.next }),
  }),
  ReplayResponseUnused: (d) => ({
    subject: d.call,
    problem: "recorded, and never asked for when executed again",
  }),
  ReplayTouchedStore: (d) => ({ subject: d.subject, problem: "reached for a door that a replay keeps shut" }),
  ReportDigestMismatch: (d) => ({ problem: `${d.found}, the close leaf has ${d.expected}` }),
  RescoreMismatch: (d) => ({
    subject: d.field,
    problem: `${d.found} by the record, reported is ${d.recorded}`,
  }),
  RootMismatch: (d) => ({
    problem: `the root of these lines is ${d.found}, the close leaf has ${d.expected}${d.line === null ? "" : `; the first line that does not follow from those before is ${d.line}`}`,
  }),
  ResumeMismatch: (d) => ({
    subject: d.field,
    problem: `${d.found} given, the run was opened with ${d.recorded}`,
    hint: "resume with what the run was opened with, or begin another with --out or --force",
  }),
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
  RunExists: (d) => ({
    problem: `a run folder is already there: ${d.place}`,
    hint: d.next ?? "choose another --out, go on with it by --resume, or move it aside by --force",
  }),
  RunIncomplete: (d) => ({
    problem: `${d.missing} is not there: the run was not closed, or this is no run folder`,
    hint: `a run that was stopped is closed by its own words once more, with --out ${d.place} --resume`,
  }),
  RunLocked: (d) => ({
    subject: `run ${d.run}`,
    problem: `held by ${d.holder}`,
    hint: d.next,
  }),
  RunMismatch: (d) => ({
    subject: "run",
    problem: `${quote(d.found)}, the manifest is of ${quote(d.expected)}`,
  }),
  RunUnknown: (d) => ({
    subject: `run ${d.run}`,
    problem: `not as ${d.ledger} has it`,
    hint: "resume in the workspace and with the key of the run, or begin another with --out or --force",
  }),
  SelectionEmpty: (d) => ({ problem: `${d.selection} leaves 0 of ${d.of} cases, expected at least 1` }),
  SignatureInvalid: (d) => ({
    subject: `signature of ${quote(d.key)}`,
    problem: `${d.found}, expected ${d.expected}`,
  }),
  SignatureMissing: (d) => ({
    subject: d.present.length === 0 ? "unsigned" : `log ${quote(d.origin)}`,
    problem: `signed by ${few(d.present)}, expected one of ${few(d.known)}`,
  }),
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
  TableUnknown: (d) => ({
    ...(d.field === undefined ? {} : { subject: d.field }),
    problem: `no table ${quote(d.found)}; declared: ${list(d.known)}`,
  }),
  TrajectoryMissing: (d) => ({ problem: `${d.found}, expected ${d.expected}, which is not in the record` }),
  TrajectoryUnended: (d) => ({ subject: d.of, problem: d.problem }),
  TrajectoryUnexpected: (d) => ({
    problem: `${d.found}, expected ${d.expected}: the plan has no such trajectory here`,
  }),
  UnknownKey: (d) => ({ subject: d.key, problem: `not a key here; known: ${list(d.known)}` }),
  ViewMismatch: (d) => ({ subject: "view", problem: `${d.found}, the stamp has ${d.expected}` }),
  YamlInvalid: (d) => ({ problem: d.problem }),
  ZoneUnknown: (d) => ({
    subject: d.subject,
    problem: `${quote(d.found)} is not an IANA time zone such as America/Los_Angeles`,
  }),
};
