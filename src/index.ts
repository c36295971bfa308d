/** The library: loading, the backtest spine, readers, the bounded store, refusals. `blindcast/stats/*` has the statistics. */
export { type Backtest, backtest, finishBacktest } from "./backtest.ts";
export { type AnswerTable, readAnswers } from "./caseset/answer-table.ts";
export {
  type EntityFinder,
  type EntityIndex,
  entityFinder,
  entityIndexText,
  parseEntityIndex,
} from "./caseset/entity-names.ts";
export { readIntervals } from "./caseset/interval-table.ts";
export { caseIntervals, type LabelIntervals, labelIntervals } from "./caseset/label-intervals.ts";
export { type CaseSet, loadCaseSet } from "./caseset/load.ts";
export { readSeries, type SeriesTable } from "./caseset/series-table.ts";
export { deadlinesOf, type Outcome, settle } from "./caseset/settlement.ts";
export type { Lookup } from "./caseset/source.ts";
export { auditSplits, type Leak, type SplitAudit, type SplitLists } from "./caseset/split-audit.ts";
export { parseSplitDefinition, type SplitDefinition } from "./caseset/split-definition.ts";
export { type Split, type Splits, splitCases } from "./caseset/splits.ts";
export { canonical, type Json } from "./core/canonical.ts";
export { formatInstant, type Instant, parseInstant } from "./core/instant.ts";
export { BlindcastError, type Code, codes, isRefusal } from "./core/refusal.ts";
export { ENGINE_VERSION } from "./core/version.ts";
export type { AuditLedger } from "./ledger/audit-ledger.ts";
export { folderLedger } from "./ledger/folder-ledger.ts";
export { memoryLedger } from "./ledger/memory-ledger.ts";
export { memoryTrialLedger } from "./ledger/memory-trials.ts";
export { newSigner, type Signer, signerOf } from "./ledger/node-signatures.ts";
export { openTrialFile, trialFileOf } from "./ledger/trial-file.ts";
export type { LedgerRows, Trial, TrialLedger, TrialMark } from "./ledger/trial-ledger.ts";
export type { TrialEnd, TrialFail, TrialRow, TrialStart } from "./ledger/trial-row.ts";
export { type ExecOptions, execReader } from "./model/agent-exec.ts";
export { builtInNames, builtInReader } from "./model/built-in.ts";
export { type Endpoint, findEndpoint, loadEndpoint } from "./model/endpoint.ts";
export { type Family, loadFamily, type ModelCheckpoint } from "./model/family.ts";
export { type FloorRules, floorJudge, floorVerdict } from "./model/floor-judge.ts";
export { type EndpointClient, endpointClient } from "./model/http-call.ts";
export { httpJudge } from "./model/http-judge.ts";
export { type HttpOptions, httpReader } from "./model/http-reader.ts";
export type { OutsideOptions, SaidIdentity } from "./model/identity.ts";
export type { Judge, JudgeItem, Judgement, Verdict as JudgeVerdict } from "./model/judge.ts";
export { loadMemories } from "./model/memory.ts";
export { type ListedModel, readModels } from "./model/model-table.ts";
export { moduleReader } from "./model/module-reader.ts";
export { timerSleep } from "./model/rate-limit.ts";
export type {
  AskedCase,
  Attempt,
  ModelCall,
  Opening,
  Reader,
  ReaderIdentity,
  ReaderSource,
  ToolAnswer,
  Tools,
  Usage,
} from "./model/reader.ts";
export { readerContext } from "./model/readers/table-reads.ts";
export type { ReplyCache } from "./model/reply.ts";
export { latestCheckpoint, route } from "./model/route.ts";
export { checkExecution, type DecisionRun, decisionRun } from "./profile/decision-run.ts";
export { type Deflation, type DeflationOptions, deflate } from "./profile/deflation.ts";
export {
  findProfile,
  loadProfile,
  type Profile,
  profileOf,
  profileOnDisk,
  runOptions,
} from "./profile/profile.ts";
export { measureOfSeries, type TrialMeasure } from "./profile/trial-measure.ts";
export type { Bundle, RunFiles } from "./replay/bundle.ts";
export { folderBundle } from "./replay/folder-bundle.ts";
export { memoryBundle } from "./replay/memory-bundle.ts";
export { type Replay, type ReplayOptions, replay } from "./replay/replay.ts";
export type { Failure, StageName, StageReport } from "./replay/stage.ts";
export type { TrustPolicy, Verdict, VerifiedRecord } from "./replay/verify-record.ts";
export { type AnswersReport, answersReport } from "./report/answers-report.ts";
export type { Report } from "./report/build-report.ts";
export { type ControlRow, controlSlice } from "./report/control-slices.ts";
export { type CutoffSlices, cutoffSlices } from "./report/cutoff-slices.ts";
export { leakagePlots } from "./report/leakage-plots.ts";
export { renderText } from "./report/render-text.ts";
export { summaryOf } from "./report/summary.ts";
export { scoreTable } from "./report/tables.ts";
export type { Budget } from "./run/budget.ts";
export { type Earlier, findEarlier } from "./run/earlier-run.ts";
export { Interrupted } from "./run/interrupted.ts";
export type { Judging } from "./run/judging.ts";
export { type KnownEntities, knownEntities } from "./run/known-entities.ts";
export { leakJudging } from "./run/leak-items.ts";
export type { LeakRules } from "./run/leak-rules.ts";
export type { Host, Manifest } from "./run/manifest.ts";
export type { Check, Plan, Selection } from "./run/preflight.ts";
export { levelReplyCache } from "./run/reply-cache.ts";
export { runId } from "./run/run-id.ts";
export { folderSink, memorySink, type Sink } from "./run/sink.ts";
export { offeredToolSet } from "./run/training.ts";
export { type Clock, type Progress, silent, type World } from "./run/world.ts";
export {
  createStore,
  type Door,
  type OpenRequest,
  type Reply,
  type Store,
  selectBounded,
} from "./store/door.ts";
export { entityIndex } from "./store/entity-index.ts";
export { indexTable, type RawTable } from "./store/index-table.ts";
export { loadStore } from "./store/load-store.ts";
export type { Column, Table } from "./store/table.ts";
export { toolSchemas, toolSchemaVersion } from "./store/tools.ts";
