/** `blindcast backtest <caseset>`: runs bounded cases against a reader and prints the report. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Argv } from "yargs";
import { backtest, finishBacktest } from "../backtest.ts";
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { DecisionCase } from "../caseset/decision-case.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger } from "../ledger/audit-ledger.ts";
import { checkExecution, type DecisionRun, decisionRun } from "../profile/decision-run.ts";
import { decisionText } from "../profile/decision-text.ts";
import { periodDoubts } from "../profile/period-doubts.ts";
import { type Profile, runOptions } from "../profile/profile.ts";
import type { Report } from "../report/build-report.ts";
import { renderText } from "../report/render-text.ts";
import { summaryOf } from "../report/summary.ts";
import type { StampedFolds } from "../run/folds.ts";
import { Interrupted } from "../run/interrupted.ts";
import { wantedControl } from "../run/leak-rules.ts";
import { type Plan, type Selection, trajectoryCount } from "../run/preflight.ts";
import { showProgress } from "../run/progress.ts";
import { parseFilter, selectCases } from "../run/selection.ts";
import type { Sink } from "../run/sink.ts";
import type { World } from "../run/world.ts";
import { flagged, integer, parameters, type Raw, text, texts } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import { expectedCost } from "./expected-cost.ts";
import { type Chosen, chooseProfile, chooseReader, type Inputs, loadInputs } from "./inputs.ts";
import { chooseJudging, type LeakJudging } from "./leak-judging.ts";
import { clock, host } from "./machine.ts";
import { emphasis, printData, printWords, tellInterrupted } from "./print.ts";
import { ledgerOf, placeOf, takePlace, trialLedgerOf } from "./run-place.ts";
import { shownPath } from "./shown-path.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("caseset", { type: "string", describe: "the folder of a case set, or its name" })
    .option("reader", {
      type: "string",
      describe:
        "always:<p>, climatology, persistence, recall:<family>, question-only (default), exec:<command>, module:<file>, http:<endpoint>",
    })
    .option("profile", { type: "string", describe: "a profile's path or name" })
    .option("param", {
      type: "string",
      describe: "KEY=VALUE for the reader, part of its identity; may be repeated",
    })
    .option("filter", {
      type: "string",
      describe: "id=, tag= or cluster=VALUE, * at the end for a prefix; repeated, all must hold",
    })
    .option("limit", { type: "string", describe: "the first N cases of the selection" })
    .option("repeats", { type: "string", describe: "answers to each case" })
    .option("split", {
      type: "string",
      describe:
        "a split of the case set: each case is asked with its fold's training labels that were known then",
    })
    .option("seed", { type: "string", describe: "seed of the intervals and of the reader" })
    .option("concurrency", {
      type: "string",
      describe: "trajectories at a time; results do not depend on it",
    })
    .option("yes", { type: "boolean", describe: "go ahead though the profile would ask about the cost" })
    .option("out", { type: "string", describe: "the run folder to make (default runs/<caseset>-<run>)" })
    .option("key", {
      type: "string",
      describe: "sign with this key (default: the one of `blindcast keys new`)",
    })
    .option("origin", { type: "string", describe: "the name of the signed log (default local/<key id>)" })
    .option("resume", { type: "boolean", describe: "go on with the run in --out where it stopped" })
    .option("force", { type: "boolean", describe: "move a run that is in --out aside" })
    .option("offline", { type: "boolean", describe: "never use the network" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 backtest seattle-rain --reader climatology", "every case against the climatology reader")
    .example(
      "$0 backtest seattle-rain --reader recall:seattle-recall --json",
      "with the arms of a model family, as JSON",
    )
    .example(
      "$0 backtest seattle-rain --filter 'id=rain-2014-06-*' --limit 10 --out runs/june",
      "ten cases, into runs/june",
    )
    .example(
      "$0 backtest seattle-rain --reader 'exec:python3 agent.py' --profile agent.yaml",
      "an agent of your own, in any language; agent.yaml says who it is",
    )
    .example(
      "$0 backtest docs/splits/tides --split forward --reader module:docs/splits/learner.mjs",
      "a reader that learns: each fold's labels, as far as they were known",
    )
    .example(
      "$0 backtest seattle-rain --reader persistence --out runs/rain --resume",
      "begin it, or go on after a crash",
    );
}

/** Exit status: 0 green, 1 a case failed. */
export async function run(raw: Raw): Promise<number> {
  const place = placeOf(raw);
  const limit = integer(raw, "limit", 1, limits.cases) ?? null;
  const concurrency = integer(raw, "concurrency", 1, limits.concurrency) ?? 4;
  const filters = texts(raw, "filter").map(parseFilter);
  const params = parameters(raw);
  const split = text(raw, "split") ?? null;
  const ledger = ledgerOf(raw);
  const inputs = (await loadInputs(text(raw, "caseset") as string, flagged(raw, "offline"))) as Inputs;
  const profile = withFlags(chooseProfile(text(raw, "profile"), inputs.set) as Profile, raw);
  checkExecution(profile, inputs.set.onDisk.kind);
  const named = text(raw, "reader") ?? profile.reader ?? unnamedReader(profile);
  const chosen = (await chooseReader(named, inputs, profile, {
    params,
    offline: flagged(raw, "offline"),
    named: raw["reader"] !== undefined,
    isSplit: split !== null,
  })) as Chosen;
  const leak = chooseJudging(inputs, profile, flagged(raw, "offline")) as LeakJudging;
  const asked = selectCases(inputs.set.cases, filters, limit, inputs.set.place);
  const decided = decisionRun(profile, inputs.set, inputs.store, asked);
  if (decided !== null) tellPeriods(profile, inputs.set.cases);
  const parts = { chosen, leak, decided };
  const { out, sink, earlier, replaces } = await takePlace(place, inputs.set.name, ledger);
  const run = earlier?.run ?? place.run;
  const rest = { filters, limit, concurrency };
  const selection = selectionOf(run, profile, parts, rest, { earlier, replaces, split });
  const world = await worldOf(inputs, parts, { sink, ledger });
  const checks = [
    announce,
    ...(decided?.checks ?? []),
    expectedCost(chosen.reader, profile, flagged(raw, "yes")),
  ];
  const spine = earlier?.close
    ? finishBacktest
    : async (...given: Parameters<typeof backtest>) => (await backtest(...given)).report;
  try {
    const report = await spine(inputs.set, selection, checks, world, decided?.section ?? null);
    return printReport(report, out, flagged(raw, "json"));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    tellInterrupted(error);
    tellHowToGoOn(out, error.overBudget);
    return exitStatus.incomplete;
  } finally {
    await chosen.reader.close?.();
    leak.close();
  }
}

/** What is doubtful of the periods, before any case. */
function tellPeriods({ returns, placeOf }: Profile, cases: readonly BoundedCase[]): void {
  if (returns === null) return;
  for (const doubt of periodDoubts(returns, cases as readonly DecisionCase[]))
    printWords(`warning: ${placeOf("/returns/per")}: ${doubt}`);
}

function tellHowToGoOn(out: string, overBudget: boolean): void {
  if (!fs.existsSync(out)) return;
  const first = overBudget ? "raise `budget` in the profile, then " : "";
  printWords(`run folder: ${shownPath(path.resolve(out))}`);
  printWords(`hint: ${first}go on with the same words and --out ${out} --resume (without --force)`);
}

function printReport(report: Report, out: string, json: boolean): number {
  const digests = { result: report.resultDigest, report: report.reportDigest };
  const signed = (report.evidence as { ledger: string | null }).ledger;
  printWords(`run folder: ${shownPath(path.resolve(out))}`);
  printWords(
    signed === null
      ? "unsigned: nothing proves that it was not changed since; see blindcast keys new"
      : `signed as ${signed}`,
  );
  if (json) printData(JSON.stringify(summaryOf(report.result, report.evidence, digests, out)));
  else printData(renderText(report, report.resultDigest, emphasis, decisionText(report)));
  return (report.result as { verdict: string }).verdict === "green" ? 0 : 1;
}

/** Where no word names one; refused where the profile describes another, which was forgotten. */
function unnamedReader({ place, identity, readerFiles }: Profile): string {
  const described = [
    ...(Object.keys(identity).length === 0 ? [] : ["identity"]),
    ...(readerFiles.length === 0 ? [] : ["reader_files"]),
  ];
  if (described.length === 0) return "question-only";
  return refuse("ArgumentInvalid", {
    place: "--reader",
    found: "nothing",
    expected: `the reader that ${described.join(" and ")} of ${place} describe: exec:<command>, module:<file> or http:<endpoint>`,
  });
}

function withFlags(profile: Profile, raw: Raw): Profile {
  const seed = integer(raw, "seed", 0, Number.MAX_SAFE_INTEGER);
  const repeats = integer(raw, "repeats", 1, limits.repeats);
  return { ...profile, seed: seed ?? profile.seed, repeats: repeats ?? profile.repeats };
}

/** What a run is put together from: who answers, who judges, what becomes of decisions. */
export type RunParts = {
  readonly chosen: Chosen;
  readonly leak: Pick<LeakJudging, "judging" | "entities" | "artifacts">;
  readonly decided: DecisionRun | null;
};

export function selectionOf(
  run: string,
  profile: Profile,
  { chosen, leak, decided }: RunParts,
  rest: Pick<Selection["options"], "filters" | "limit" | "concurrency">,
  before: Pick<Selection, "earlier" | "replaces" | "split"> = { earlier: null, replaces: null },
): Selection {
  return {
    run,
    family: chosen.family,
    artifacts: new Map([...chosen.artifacts, ...leak.artifacts, ...(decided?.artifacts ?? [])]),
    entities: leak.entities,
    ...before,
    options: runOptions(profile, rest, decided?.execution ?? null),
    trial: decided?.trial ?? null,
    staging: decided?.staging ?? null,
    budget: profile.budget,
  };
}

export async function worldOf(
  { set, store }: Inputs,
  { chosen, leak: { judging }, decided }: RunParts,
  { sink, ledger }: { readonly sink: Sink; readonly ledger: AuditLedger },
  stops: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"],
): Promise<World> {
  const trials = await trialLedgerOf(set.name, decided !== null);
  return {
    clock,
    random: randomBytes,
    store,
    readers: chosen.reader,
    ...(judging === undefined ? {} : { judging }),
    sink,
    ledger,
    ...(trials === null ? {} : { trials }),
    host,
    signal: stoppedBy(stops),
    progress: showProgress(process.stderr, clock),
  };
}

/** Aborted by the first of these; the next one ends the process, and the readers' processes with it. */
function stoppedBy(signals: readonly NodeJS.Signals[]): AbortSignal {
  const abort = new AbortController();
  for (const name of signals)
    process.on(name, () => {
      if (abort.signal.aborted) process.exit(exitStatus.incomplete);
      printWords("stopping: trajectories in flight are finished and recorded; once more ends them");
      abort.abort();
    });
  return abort.signal;
}

/** What will run, before it does. */
export function announce(plan: Pick<Plan, "arms" | "cases" | "folds" | "selection">): void {
  const arms = [...new Set(plan.arms.assignments.map((assignment) => assignment.arm))].sort();
  if (plan.folds !== null) printWords(splitWords(plan.folds.stamped));
  printWords(
    `${plan.cases.length} cases, arms ${arms.join(" ")}, ${plan.selection.options.repeats} repeat(s): ${trajectoryCount(plan)} trajectories`,
  );
  if (wantedControl(plan.selection.options.leak) !== null && plan.arms.control === null)
    printWords(`there will be no control: ${plan.arms.withoutControl}`);
}

function splitWords({ name, folds, tested, not_asked: rest }: StampedFolds): string {
  const left = rest === 0 ? "every case" : `${tested} cases; the other ${rest} are trained on and not asked`;
  return `split ${name}: ${folds.length} folds test ${left}`;
}
