/** `blindcast backtest <caseset>`: runs bounded cases against a reader and prints the report. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Argv } from "yargs";
import { backtest, finishBacktest } from "../backtest.ts";
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger } from "../ledger/audit-ledger.ts";
import { folderLedger } from "../ledger/folder-ledger.ts";
import { findWorkspace } from "../ledger/workspace.ts";
import { checkExecution, type Profile, profileOnDisk } from "../profile/profile.ts";
import type { Report } from "../report/build-report.ts";
import { renderText } from "../report/render-text.ts";
import { summaryOf } from "../report/summary.ts";
import { type Earlier, findEarlier, runOf } from "../run/earlier-run.ts";
import { Interrupted } from "../run/interrupted.ts";
import { type Plan, type Selection, trajectoryCount } from "../run/preflight.ts";
import { showProgress } from "../run/progress.ts";
import { runId } from "../run/run-id.ts";
import { parseFilter } from "../run/selection.ts";
import { folderSink, type Sink } from "../run/sink.ts";
import type { World } from "../run/world.ts";
import { flagged, integer, parameters, type Raw, text, texts } from "./arguments.ts";
import { type Chosen, chooseProfile, chooseReader, type Inputs, loadInputs } from "./inputs.ts";
import { defaultKeyFile, loadSigner, originOf } from "./key-file.ts";
import { clock, host } from "./machine.ts";
import { emphasis, printData, printWords } from "./print.ts";
import { shownPath } from "./shown-path.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("caseset", { type: "string", describe: "the folder of a case set, or its name" })
    .option("reader", {
      type: "string",
      describe: "always:<p>, climatology, persistence, recall:<family>, question-only (default)",
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
    .option("seed", { type: "string", describe: "seed of the intervals and of the reader" })
    .option("concurrency", {
      type: "string",
      describe: "trajectories at a time; results do not depend on it",
    })
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
  const ledger = ledgerOf(raw);
  const inputs = (await loadInputs(text(raw, "caseset") as string, flagged(raw, "offline"))) as Inputs;
  const profile = withFlags(chooseProfile(text(raw, "profile"), inputs.set) as Profile, raw);
  checkExecution(profile);
  const chosen = chooseReader(text(raw, "reader") ?? "question-only", inputs, profile, params) as Chosen;
  const { out, sink, earlier, replaces } = await takePlace(place, inputs.set.name, ledger);
  const run = earlier?.run ?? place.run;
  const selection = selectionOf(run, profile, chosen, { filters, limit, concurrency }, { earlier, replaces });
  const world = worldOf(inputs, chosen, sink, ledger);
  const spine = earlier?.close
    ? finishBacktest
    : async (...given: Parameters<typeof backtest>) => (await backtest(...given)).report;
  const report = await spine(inputs.set, selection, [announce], world).catch((error) => {
    if (error instanceof Interrupted && fs.existsSync(out)) {
      printWords(`run folder: ${shownPath(path.resolve(out))}`);
      printWords(`hint: go on with the same words and --out ${out} --resume (without --force)`);
    }
    throw error;
  });
  return print(report, out, flagged(raw, "json"));
}

function print(report: Report, out: string, json: boolean): number {
  const digests = { result: report.resultDigest, report: report.reportDigest };
  const signed = (report.evidence as { ledger: string | null }).ledger;
  printWords(`run folder: ${shownPath(path.resolve(out))}`);
  printWords(
    signed === null
      ? "unsigned: nothing proves that it was not changed since; see blindcast keys new"
      : `signed as ${signed}`,
  );
  if (json) printData(JSON.stringify(summaryOf(report.result, report.evidence, digests, out)));
  else printData(renderText(report, report.resultDigest, emphasis));
  return (report.result as { verdict: string }).verdict === "green" ? 0 : 1;
}

type Place = {
  /** The id of the run, if it is a new one. */
  readonly run: string;
  readonly given: string | undefined;
  readonly resume: boolean;
  readonly force: boolean;
};

function placeOf(raw: Raw): Place {
  const given = text(raw, "out");
  const [resume, force] = [flagged(raw, "resume"), flagged(raw, "force")];
  const faulty = (found: string, expected: string) =>
    refuse("ArgumentInvalid", { place: found, found, expected });
  if (resume && force) faulty("--resume --force", "one of the two");
  if (given === undefined && (resume || force))
    faulty(resume ? "--resume" : "--force", "--out beside it: the run folder");
  if (given !== undefined && !resume && !force && fs.existsSync(given)) refuse("RunExists", { place: given });
  return { run: runId(clock.now(), randomBytes), given, resume, force };
}

/** The run folder, and what stands in it already: to be gone on with, or to be moved aside when the new run opens. */
async function takePlace(
  { run, given, resume, force }: Place,
  name: string,
  ledger: AuditLedger,
): Promise<{ out: string; sink: Sink; earlier: Earlier | null; replaces: string | null }> {
  const out = path.normalize(given ?? path.join("runs", `${name}-${run}`)).replace(/[/\\]$/, "");
  const sink = folderSink(out);
  if (!fs.existsSync(out)) {
    if (resume) printWords(`nothing to resume in ${out}: the run begins`);
    return { out, sink, earlier: null, replaces: null };
  }
  if (force) return { out, ...(await moveAside(out, sink, ledger)), earlier: null };
  const earlier = await findEarlier(sink, ledger);
  if (earlier === null) {
    const aside = freeName(`${out}.unopened`);
    await forget(sink, ledger);
    printWords(`the run in ${out} never began: it begins anew, and what is there goes to ${aside}`);
    return { out, sink: folderSink(out, aside), earlier, replaces: null };
  }
  printWords(`resuming run ${earlier.run}${earlier.close === null ? "" : ", which was closed already"}`);
  return { out, sink, earlier, replaces: null };
}

/** The secret of a run that died before its open leaf, if nobody is writing it now. */
async function forget(sink: Sink, ledger: AuditLedger): Promise<void> {
  const run = runOf(sink);
  if (run === null) return;
  const release = await ledger.hold(run);
  ledger.forgetSecret(run);
  release();
}

/** The name, or with a number the first that nothing has. */
function freeName(name: string): string {
  let free = name;
  for (let n = 2; fs.existsSync(free); n++) free = `${name}-${n}`;
  return free;
}

async function moveAside(
  out: string,
  sink: Sink,
  ledger: AuditLedger,
): Promise<{ sink: Sink; replaces: string | null }> {
  const replaces = runOf(sink);
  if (replaces !== null) (await ledger.hold(replaces))(); // refused where a process is writing it
  const aside = freeName(`${out}.${replaces ?? "aside"}`);
  const open = replaces === null ? undefined : (await ledger.leavesOf(replaces))[0];
  const stays =
    open === undefined ? `not in ${ledger.place}` : `leaf ${open.index} of ${ledger.place} and stays there`;
  printWords(
    `run ${replaces ?? "of no name"} in ${out} makes way when this one opens, to ${aside}; its open leaf is ${stays}`,
  );
  return { sink: folderSink(out, aside), replaces };
}

/** A run that began without a key goes on without one, whatever key was made since. */
function isUnsigned(out: string | undefined, resume: boolean): boolean {
  const file = path.join(out ?? "", "run.json");
  return resume && fs.existsSync(file) && fs.readFileSync(file, "utf8").includes('"ledger":null,');
}

function ledgerOf(raw: Raw): AuditLedger {
  const given = text(raw, "key");
  const file = given ?? (isUnsigned(text(raw, "out"), flagged(raw, "resume")) ? null : defaultKeyFile());
  const origin = originOf(raw);
  const signer = file !== null && (given !== undefined || fs.existsSync(file)) ? loadSigner(file) : null;
  if (signer === null && origin !== null)
    refuse("ArgumentInvalid", {
      place: "--origin",
      found: origin,
      expected: "--key beside it, or a key of `blindcast keys new`",
    });
  return folderLedger({ workspace: findWorkspace(process.cwd()), signer, origin });
}

function withFlags(profile: Profile, raw: Raw): Profile {
  const seed = integer(raw, "seed", 0, Number.MAX_SAFE_INTEGER);
  const repeats = integer(raw, "repeats", 1, limits.repeats);
  return { ...profile, seed: seed ?? profile.seed, repeats: repeats ?? profile.repeats };
}

export function selectionOf(
  run: string,
  profile: Profile,
  chosen: Chosen,
  rest: Pick<Selection["options"], "filters" | "limit" | "concurrency">,
  before: Pick<Selection, "earlier" | "replaces"> = { earlier: null, replaces: null },
): Selection {
  const { seed, repeats, temperature, bootstrap, process } = profile;
  return {
    run,
    family: chosen.family,
    artifacts: chosen.artifacts,
    ...before,
    options: {
      profile: profileOnDisk(profile) as unknown as Json,
      seed,
      repeats,
      temperature,
      bootstrap,
      process,
      ...rest,
    },
  };
}

function worldOf(inputs: Inputs, chosen: Chosen, sink: Sink, ledger: AuditLedger): World {
  const abort = new AbortController();
  process.once("SIGINT", () => {
    printWords("stopping: trajectories in flight are finished and recorded");
    abort.abort();
  });
  return {
    clock,
    random: randomBytes,
    store: inputs.store,
    readers: chosen.reader,
    sink,
    ledger,
    host,
    signal: abort.signal,
    progress: showProgress(process.stderr, clock),
  };
}

/** What will run, before it does. */
function announce(plan: Pick<Plan, "arms" | "cases" | "selection">): void {
  const arms = [...new Set(plan.arms.assignments.map((assignment) => assignment.arm))].sort();
  printWords(
    `${plan.cases.length} cases, arms ${arms.join(" ")}, ${plan.selection.options.repeats} repeat(s): ${trajectoryCount(plan)} trajectories`,
  );
}
