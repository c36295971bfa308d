/** `blindcast doctor [<caseset>]`: lists everything that a backtest would refuse, not only the first. */
import { randomBytes } from "node:crypto";
import type { Argv } from "yargs";
import type { DecisionCase } from "../caseset/decision-case.ts";
import { limits } from "../core/limits.ts";
import { attempt, type BlindcastError, type Complain, ListFull, noting } from "../core/refusal.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import { memoryLedger } from "../ledger/memory-ledger.ts";
import { checkExecution, decisionRun } from "../profile/decision-run.ts";
import { periodDoubts } from "../profile/period-doubts.ts";
import { type Profile, profileOf } from "../profile/profile.ts";
import { universeWarnings } from "../profile/universe-lint.ts";
import { preflight } from "../run/preflight.ts";
import { memorySink } from "../run/sink.ts";
import { silent } from "../run/world.ts";
import { flagged, parameters, type Raw, text } from "./arguments.ts";
import { selectionOf } from "./backtest.ts";
import { type Chosen, chooseProfile, chooseReader, type Inputs, loadInputs } from "./inputs.ts";
import { chooseJudging } from "./leak-judging.ts";
import { clock, host } from "./machine.ts";
import { printData, printWords, refusalText } from "./print.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("caseset", {
      type: "string",
      describe: "the folder of a case set, or its name; without it, the machine is looked at",
    })
    .option("reader", { type: "string", describe: "the reader to check (default question-only)" })
    .option("profile", { type: "string", describe: "a profile's path or name" })
    .option("param", { type: "string", describe: "KEY=VALUE for the reader; may be repeated" })
    .option("split", { type: "string", describe: "a split of the case set to check" })
    .option("offline", { type: "boolean", describe: "never use the network" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 doctor seattle-rain", "check a case set, its sources and its plants")
    .example(
      "$0 doctor seattle-rain --reader recall:seattle-recall",
      "and a model family with its artifacts",
    );
}

/** Exit status: 0 nothing would be refused, 2 something would; a warning changes none. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const name = text(raw, "caseset");
  const machine = { blindcast: ENGINE_VERSION, ...host };
  if (name === undefined) {
    printData(
      json
        ? JSON.stringify({ machine })
        : Object.entries(machine)
            .map(([key, value]) => `${key}: ${value}`)
            .join("\n"),
    );
    return 0;
  }
  const { complain, refusals } = noting(limits.refusals);
  let inputs: Inputs | undefined;
  let profile: Profile | undefined;
  let full: string | null = null;
  try {
    inputs = await loadInputs(name, flagged(raw, "offline"), complain);
    if (inputs !== undefined) {
      profile = readProfile(inputs, raw, complain);
      await checkSelection(inputs, profile, raw, complain, refusals);
    }
  } catch (error) {
    if (!(error instanceof ListFull)) throw error;
    full = error.message;
  }
  const shown = refusals.map((refusal) => ({
    code: refusal.code,
    place: refusal.details.place,
    message: refusal.message,
    hint: refusal.hint ?? null,
  }));
  const delistings = profile?.universe?.delistings.table ?? null;
  const warnings = inputs === undefined ? [] : warningsOf(inputs, profile, delistings);
  if (json)
    printData(
      JSON.stringify({
        machine,
        cases: inputs?.set.cases.length ?? 0,
        tables: inputs === undefined ? [] : [...inputs.store.tables.keys()],
        refusals: shown,
        more: full !== null,
        warnings,
      }),
    );
  else {
    for (const refusal of refusals) printData(refusalText(refusal));
    for (const { message, hint } of warnings) printData(`warning: ${message}\nhint: ${hint}`);
  }
  printWords(
    refusals.length === 0
      ? `nothing would be refused: ${inputs?.set.cases.length} cases`
      : (full ?? `${refusals.length} refusal(s)`),
  );
  if (warnings.length > 0) printWords(`${warnings.length} warning(s), which refuse nothing`);
  return refusals.length === 0 ? 0 : 2;
}

/** What refuses nothing: universes that tell an end ahead, and periods that are not what they are called. */
function warningsOf(inputs: Inputs, profile: Profile | undefined, delistings: string | null) {
  const doubts =
    profile?.returns == null || inputs.set.onDisk.kind !== "decision"
      ? []
      : periodDoubts(profile.returns, inputs.set.cases as readonly DecisionCase[]);
  const hint =
    "name the period that the cases have, and how many of them a year has, in the profile's returns";
  return [...universeWarnings(inputs.store, delistings), ...doubts.map((message) => ({ message, hint }))];
}

function readProfile(inputs: Inputs, raw: Raw, complain: Complain): Profile | undefined {
  const found = attempt(complain, () => chooseProfile(text(raw, "profile"), inputs.set, complain)) as
    | Profile
    | undefined;
  if (found !== undefined) attempt(complain, () => checkExecution(found, inputs.set.onDisk.kind));
  return found;
}

/** Reader and family each on their own; plants and routes only where all else could be read. */
async function checkSelection(
  inputs: Inputs,
  found: Profile | undefined,
  raw: Raw,
  complain: Complain,
  refusals: readonly BlindcastError[],
): Promise<void> {
  const profile = found ?? profileOf({ name: "unread" }, "doctor");
  const given = text(raw, "reader");
  const flags = {
    params: parameters(raw),
    offline: flagged(raw, "offline"),
    named: given !== undefined,
    isSplit: raw["split"] !== undefined,
  };
  const named = given ?? profile.reader ?? "question-only";
  let chosen: Chosen | undefined;
  try {
    chosen = await chooseReader(named, inputs, profile, flags, complain);
  } catch (error) {
    note(complain, error);
  }
  if (chosen === undefined) return;
  if (refusals.length === 0) await checkPlan(inputs, profile, chosen, raw, complain);
  await chosen.reader.close?.();
}

const note = (complain: Complain, error: unknown) =>
  attempt(complain, () => {
    throw error;
  });

/** The reader is asked who it is, the cases are routed and the plants proven. */
async function checkPlan(
  inputs: Inputs,
  profile: Profile,
  chosen: Chosen,
  raw: Raw,
  complain: Complain,
): Promise<void> {
  const leak = chooseJudging(inputs, profile, false, complain);
  if (leak === undefined) return;
  const world = {
    clock,
    random: randomBytes,
    store: inputs.store,
    readers: chosen.reader,
    sink: memorySink(),
    ledger: memoryLedger(),
    host,
    signal: new AbortController().signal,
    progress: silent,
  };
  const decided = attempt(complain, () => decisionRun(profile, inputs.set, inputs.store)) ?? null;
  const rest = { filters: [], limit: null, concurrency: 1 };
  const selection = selectionOf("doctor", profile, { chosen, leak, decided }, rest, {
    earlier: null,
    replaces: null,
    split: text(raw, "split") ?? null,
  });
  const judged = leak.judging === undefined ? world : { ...world, judging: leak.judging };
  await preflight(inputs.set, selection, decided?.checks ?? [], judged).catch((error) =>
    note(complain, error),
  );
  leak.close();
}
