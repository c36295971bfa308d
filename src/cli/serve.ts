/** `blindcast serve <caseset> --case ID`: a backtest of one case whose reader is the client of this process's stdin and stdout. */
import * as path from "node:path";
import type { Argv } from "yargs";
import { backtest } from "../backtest.ts";
import { formatDay } from "../core/instant.ts";
import { localDay } from "../core/local-time.ts";
import { refuse } from "../core/refusal.ts";
import { mcpReader } from "../model/mcp-reader.ts";
import { knownTables } from "../model/readers/table-reads.ts";
import { checkExecution, decisionRun } from "../profile/decision-run.ts";
import { leverageOf, type Profile } from "../profile/profile.ts";
import type { Report } from "../report/build-report.ts";
import type { Filter } from "../run/selection.ts";
import { askedCase } from "../run/trajectory.ts";
import { flagged, parameters, type Raw, text } from "./arguments.ts";
import { announce, selectionOf, worldOf } from "./backtest.ts";
import { type Chosen, chooseProfile, type Inputs, loadInputs } from "./inputs.ts";
import { chooseJudging, type LeakJudging } from "./leak-judging.ts";
import { outsideOptions } from "./outside-reader.ts";
import { printWords } from "./print.ts";
import { ledgerOf, placeOf, takePlace } from "./run-place.ts";
import { shownPath } from "./shown-path.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("caseset", { type: "string", describe: "the folder of a case set, or its name" })
    .option("case", { type: "string", demandOption: true, describe: "the id of the case that is asked" })
    .option("out", { type: "string", demandOption: true, describe: "the run folder to make" })
    .option("profile", {
      type: "string",
      describe: "a profile's path or name; its `identity` says who the client is",
    })
    .option("param", { type: "string", describe: "KEY=VALUE, part of the identity; may be repeated" })
    .option("key", {
      type: "string",
      describe: "sign with this key (default: the one of `blindcast keys new`)",
    })
    .option("origin", { type: "string", describe: "the name of the signed log (default local/<key id>)" })
    .option("offline", { type: "boolean", describe: "never use the network" })
    .example(
      "$0 serve seattle-rain --case rain-2014-06-01 --profile agent.yaml --out runs/one",
      "what a client of the Model Context Protocol is given as its server's command",
    )
    .epilogue(
      "The client's first call begins the run, and its `answer` or `decline` ends it; stdout is the protocol's, words go to stderr.",
    );
}

/** Exit status: 0 green, 1 the case failed. */
export async function run(raw: Raw): Promise<number> {
  const place = placeOf(raw, "choose another --out: a session is a run of its own");
  const params = parameters(raw);
  const ledger = ledgerOf(raw);
  const inputs = (await loadInputs(text(raw, "caseset") as string, flagged(raw, "offline"))) as Inputs;
  const named = chooseProfile(text(raw, "profile"), inputs.set) as Profile;
  checkExecution(named, inputs.set.onDisk.kind);
  // A session is one trajectory.
  const profile: Profile = { ...named, repeats: 1, family: null, process: "trajectory" };
  const id = text(raw, "case") as string;
  const { cases, zone, name } = inputs.set;
  const item =
    cases.find((one) => one.id === id) ??
    refuse("SelectionEmpty", { place: "--case", selection: id, of: cases.length });
  const reader = mcpReader({
    ...outsideOptions({ profile, family: null, params }),
    input: process.stdin,
    output: process.stdout,
    asked: askedCase(item, {
      repeat: 0,
      askedDay: formatDay(localDay(zone, item.horizon)),
      tables: knownTables(inputs.store),
      leverage: leverageOf(profile),
    }),
  });
  const chosen: Chosen = { reader, family: null, artifacts: new Map() };
  const leak = chooseJudging(inputs, profile, flagged(raw, "offline")) as LeakJudging;
  const parts = { chosen, leak, decided: decisionRun(profile, inputs.set, inputs.store, [item]) };
  const { out, sink } = await takePlace(place, name, ledger);
  const filters: Filter[] = [{ key: "id", value: id }];
  const selection = selectionOf(place.run, profile, parts, { filters, limit: 1, concurrency: 1 });
  const world = await worldOf(inputs, parts, { sink, ledger }, ["SIGINT", "SIGHUP"]);
  try {
    const checks = [announce, ...(parts.decided?.checks ?? []), finishFirst];
    const section = parts.decided?.section ?? null;
    const { report } = await backtest(inputs.set, selection, checks, world, section);
    return tellServed(report, out);
  } finally {
    await reader.close?.();
    leak.close();
  }
}

/** A client that has gone may end its server two seconds later: a run that has begun is written first. */
function finishFirst(): void {
  process.once("SIGTERM", () => printWords("the run is finished first; once more ends it"));
}

function tellServed({ result, evidence }: Report, out: string): number {
  const { verdict } = result as { verdict: string };
  const { ledger } = evidence as { ledger: string | null };
  printWords(`verdict: ${verdict}`);
  printWords(ledger === null ? "unsigned" : `signed as ${ledger}`);
  printWords(`run folder: ${shownPath(path.resolve(out))}`);
  return verdict === "green" ? 0 : 1;
}
