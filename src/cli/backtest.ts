/** `blindcast backtest <caseset>`: runs bounded cases against a reader and prints the report. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Argv } from "yargs";
import { backtest } from "../backtest.ts";
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import { checkExecution, type Profile, profileOnDisk } from "../profile/profile.ts";
import { renderText } from "../report/render-text.ts";
import { summaryOf } from "../report/summary.ts";
import { Interrupted } from "../run/interrupted.ts";
import { type Plan, type Selection, trajectoryCount } from "../run/preflight.ts";
import { showProgress } from "../run/progress.ts";
import { runId } from "../run/run-id.ts";
import { parseFilter } from "../run/selection.ts";
import { folderSink } from "../run/sink.ts";
import type { World } from "../run/world.ts";
import { flagged, integer, parameters, type Raw, text, texts } from "./arguments.ts";
import { type Chosen, chooseProfile, chooseReader, type Inputs, loadInputs, shownPath } from "./inputs.ts";
import { clock, host } from "./machine.ts";
import { emphasis, printData, printWords } from "./print.ts";

export const command = "backtest <caseset>";
export const describe = "run bounded historical cases against a reader";

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
    );
}

/** Exit status: 0 green, 1 a case failed. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const limit = integer(raw, "limit", 1, limits.cases) ?? null;
  const concurrency = integer(raw, "concurrency", 1, limits.concurrency) ?? 4;
  const filters = texts(raw, "filter").map(parseFilter);
  const params = parameters(raw);
  const given = text(raw, "out");
  if (given !== undefined && fs.existsSync(given)) refuse("RunExists", { place: given });
  const inputs = (await loadInputs(text(raw, "caseset") as string, flagged(raw, "offline"))) as Inputs;
  const profile = withFlags(chooseProfile(text(raw, "profile"), inputs.set) as Profile, raw);
  checkExecution(profile);
  const chosen = chooseReader(text(raw, "reader") ?? "question-only", inputs, profile, params) as Chosen;
  const id = runId(clock.now(), randomBytes);
  const out = given ?? path.join("runs", `${inputs.set.name}-${id}`);
  const selection = selectionOf(id, profile, chosen, { filters, limit, concurrency });
  const { report } = await backtest(
    inputs.set,
    selection,
    [announce],
    host,
    worldOf(inputs, chosen, out),
  ).catch((error) => {
    if (error instanceof Interrupted && fs.existsSync(out))
      printWords(`run folder: ${shownPath(path.resolve(out))}`);
    throw error;
  });
  const summary = summaryOf(
    report.result,
    report.evidence,
    { result: report.resultDigest, report: report.reportDigest },
    out,
  );
  printWords(`run folder: ${shownPath(path.resolve(out))}`);
  printData(json ? JSON.stringify(summary) : renderText(report, report.resultDigest, emphasis));
  return (report.result as { verdict: string }).verdict === "green" ? 0 : 1;
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
): Selection {
  const { seed, repeats, temperature, bootstrap, process } = profile;
  return {
    run,
    family: chosen.family,
    artifacts: chosen.artifacts,
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

function worldOf(inputs: Inputs, chosen: Chosen, out: string): World {
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
    sink: folderSink(out),
    signal: abort.signal,
    progress: showProgress(process.stderr, clock),
  };
}

/** What will run, before it does. */
function announce(plan: Plan): void {
  const arms = [...new Set(plan.arms.assignments.map((assignment) => assignment.arm))].sort();
  printWords(
    `${plan.cases.length} cases, arms ${arms.join(" ")}, ${plan.selection.options.repeats} repeat(s): ${trajectoryCount(plan)} trajectories`,
  );
}
